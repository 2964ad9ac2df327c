/* SPDX-License-Identifier: Apache-2.0 */
/* "launcher" of a suite: its keys, their defaults, and what does not go together. */
#include <string.h>

#include "suite_private.h"

/* Keys that only one kind of launcher has. */
static const struct {
    const char *key;
    enum launcher_kind kind;
} only[] = {
    {"mpirun", LAUNCHER_MPIRUN},
    {"mpi", LAUNCHER_MPIRUN},
    {"prefix", LAUNCHER_MPIRUN},
    {"agent", LAUNCHER_MPIRUN},
    {"agent_arguments", LAUNCHER_MPIRUN},
    {"oob_interfaces", LAUNCHER_MPIRUN},
    {"srun", LAUNCHER_SRUN},
};

/* A question nobody answers, and a server that never speaks, end the launch and name the host. */
static const char *const ssh_arguments[] = {"-o", "BatchMode=yes", "-o", "ConnectTimeout=30"};

static int check_kind(const struct json *object, enum launcher_kind kind, struct error *err)
{
    static const char *const names[] = {[LAUNCHER_MPIRUN] = "mpirun", [LAUNCHER_SRUN] = "srun"};
    int result = 0;

    for (size_t i = 0; i < ARRAY_SIZE(only); i++) {
        const struct json *value = json_get(object, only[i].key);

        if (value != NULL && only[i].kind != kind)
            result = json_error_add(err, value, "launcher.%s is for %s, and launcher.kind is \"%s\"",
                                    only[i].key, names[only[i].kind], names[kind]);
    }
    return result;
}

static enum launcher_mpi mpi_of(const char *word)
{
    return strcmp(word, "4") == 0   ? LAUNCHER_MPI_4
           : strcmp(word, "5") == 0 ? LAUNCHER_MPI_5
                                    : LAUNCHER_MPI_AUTO;
}

static void read_agent(struct arena *arena, const struct json *object, struct suite_launcher *launcher)
{
    launcher->agent = json_string(object, "agent", "ssh");
    read_strings(arena, json_get(object, "agent_arguments"), &launcher->agent_arguments);
    if (json_get(object, "agent") != NULL || json_get(object, "agent_arguments") != NULL)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(ssh_arguments); i++)
        *list_push(arena, &launcher->agent_arguments) = ssh_arguments[i];
}

int suite_launcher_read(struct arena *arena, const struct json *object, struct suite_launcher *ret_launcher,
                        struct error *err)
{
    enum launcher_kind kind =
        strcmp(json_string(object, "kind", "mpirun"), "srun") == 0 ? LAUNCHER_SRUN : LAUNCHER_MPIRUN;
    const struct json *oob = json_get(object, "oob_interfaces"), *btl = json_get(object, "btl_interfaces");

    *ret_launcher = (struct suite_launcher){
        .kind = kind,
        .mpi = mpi_of(json_string(object, "mpi", "auto")),
        .program = kind == LAUNCHER_SRUN ? json_string(object, "srun", "srun")
                                         : json_string(object, "mpirun", "mpirun"),
        .prefix = json_string(object, "prefix", NULL),
        .nccl_socket_ifname = json_string(object, "nccl_socket_ifname", NULL),
        .topology_file = json_string(object, "topology_file", NULL),
        .bind_to = json_string(object, "bind_to", "none"),
        .map_by = json_string(object, "map_by", NULL),
    };
    if (check_kind(object, kind, err) < 0)
        return -1;
    /* Either list alone leaves the other messages to find a way of their own, and a launch that hangs. */
    read_strings(arena, oob != NULL ? oob : btl, &ret_launcher->oob_interfaces);
    read_strings(arena, btl != NULL ? btl : oob, &ret_launcher->btl_interfaces);
    read_strings(arena, json_get(object, "hcas"), &ret_launcher->hcas);
    read_strings(arena, json_get(object, "flags"), &ret_launcher->flags);
    read_variables(arena, json_get(object, "environment"), &ret_launcher->environment);
    read_agent(arena, object, ret_launcher);
    return 0;
}

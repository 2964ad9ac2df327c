/* SPDX-License-Identifier: Apache-2.0 */
#include "launcher.h"

#include <string.h>

#include "script.h"

/*
 * Open MPI 5 is PRRTE underneath: other names for the same. From plm_rsh_component.c and orte_mca_params.c of Open
 * MPI 4.1, plm_ssh_component.c and prte_mca_params.c of PRRTE 3.0. Where mpirun itself is asked, they are shell
 * variables that launcher_begin sets.
 */
struct dialect {
    const char *mca, *ssh, *runtime, *interfaces;
};
static const struct dialect dialects[] = {
    [LAUNCHER_MPI_AUTO] = {"$mca", "${ssh}", "${rt}", "$oob"},
    [LAUNCHER_MPI_4] = {"--mca", "plm_rsh", "orte", "oob_tcp_if_include"},
    [LAUNCHER_MPI_5] = {"--prtemca", "plm_ssh", "prte", "prte_if_include"},
};

struct variables {
    LIST_OF(struct suite_variable) rows; /* value NULL: as it is in the command file's own environment */
};

bool launcher_is_wide(const struct check_context *context)
{
    return context->member_count > 1 || strcmp(context->step->scope, "host") != 0;
}

/* Also between hosts that steps of Slurm reach: their sshd, which mpirun would need, is closed or missing. */
bool launcher_is_srun(const struct check_context *context)
{
    return context->suite->launcher.kind == LAUNCHER_SRUN || host_is_over_slurm(context->members[0]);
}

static const char *srun_of(const struct check_context *context)
{
    return context->suite->launcher.kind == LAUNCHER_SRUN ? context->suite->launcher.program : "srun";
}

/* Of a job of which all is taken by the steps that assay came in. */
static const char *srun_shares(const struct check_context *context)
{
    return host_is_over_slurm(context->members[0]) ? " --overlap" : "";
}

const char *launcher_name(const struct check_context *context, size_t member)
{
    return launcher_is_srun(context) ? context->members[member]->name : context->members[member]->mpi_address;
}

void launcher_hosts_file(const struct check_context *context, struct text *out)
{
    for (size_t i = 0; i < context->member_count; i++)
        if (launcher_is_srun(context))
            text_printf(out, "%s\n", launcher_name(context, i));
        else
            text_printf(out, "%s slots=%u # %s\n", launcher_name(context, i),
                        check_accelerators(context->platform), context->members[i]->name);
}

static void put_dialect(const char *pattern, const struct dialect *dialect, struct text *out)
{
    text_printf(out, "%s mca=%s ssh=%s rt=%s oob=%s ;; ", pattern, dialect->mca, dialect->ssh,
                dialect->runtime, dialect->interfaces);
}

void launcher_begin(const struct check_context *context, struct text *out)
{
    const struct suite_launcher *launcher = &context->suite->launcher;

    if (launcher_is_srun(context) || launcher->mpi != LAUNCHER_MPI_AUTO)
        return;
    text_put(out, "v=$(");
    text_shell_quote(out, launcher->program);
    text_put(out, " --version) || exit; case $v in ");
    put_dialect("*'(Open MPI) 4.'*)", &dialects[LAUNCHER_MPI_4], out);
    put_dialect("*'(Open MPI) 5.'*)", &dialects[LAUNCHER_MPI_5], out);
    text_put(out, "*) printf 'mpirun_of_unknown_kind\\t%s\\n' \"$(printf '%s\\n' \"$v\" | head -n 1)\" >&2; "
                  "exit 1 ;; esac; ");
}

/* --- variables of the ranks --- */

static void set_variable(struct arena *arena, struct variables *variables, const char *name,
                         const char *value)
{
    for (size_t i = 0; i < variables->rows.count; i++)
        if (strcmp(variables->rows.items[i].name, name) == 0) {
            variables->rows.items[i].value = value;
            return;
        }
    *list_push(arena, &variables->rows) = (struct suite_variable){name, value};
}

/* "=mlx5_0,mlx5_1": without the sign mlx5_1 would also be mlx5_10. */
static const char *exact_hcas(struct arena *arena, const char *const *names, size_t count)
{
    const char *list = NULL;

    for (size_t i = 0; i < count; i++)
        list = list == NULL ? arena_printf(arena, "=%s", names[i])
                            : arena_printf(arena, "%s,%s", list, names[i]);
    return list;
}

static void take_settings(const struct check_context *context, struct variables *variables)
{
    const struct suite_launcher *launcher = &context->suite->launcher;
    const char *hcas =
        launcher->hcas.count > 0
            ? exact_hcas(context->arena, launcher->hcas.items, launcher->hcas.count)
            : exact_hcas(context->arena, context->platform->hcas.items, context->platform->hcas.count);

    /* What a test went over is told by NCCL alone. */
    set_variable(context->arena, variables, "NCCL_DEBUG", "INFO");
    set_variable(context->arena, variables, "NCCL_DEBUG_SUBSYS", "INIT,NET");
    if (hcas != NULL)
        set_variable(context->arena, variables, "NCCL_IB_HCA", hcas);
    if (launcher->nccl_socket_ifname != NULL)
        set_variable(context->arena, variables, "NCCL_SOCKET_IFNAME", launcher->nccl_socket_ifname);
    if (launcher->topology_file != NULL)
        set_variable(context->arena, variables, "NCCL_TOPO_FILE", launcher->topology_file);
}

static void take_all(struct arena *arena, const struct suite_variable *rows, size_t count,
                     struct variables *variables)
{
    for (size_t i = 0; i < count; i++)
        set_variable(arena, variables, rows[i].name, rows[i].value);
}

/* What the command file exports, then keys of the launcher, then words of the user: the later outrank. */
static void take_variables(const struct check_context *context, const struct launch *launch,
                           const struct suite_tool *tool, struct variables *variables)
{
    const struct suite *suite = context->suite;
    const struct suite_variant *variant = check_variant(context);
    struct arena *arena = context->arena;

    set_variable(arena, variables, "ASSAY_ATTEMPT", NULL);
    set_variable(arena, variables, "CUDA_DEVICE_ORDER", NULL);
    set_variable(arena, variables, "PATH", NULL);
    take_settings(context, variables);
    for (size_t i = 0; i < suite->environment.count; i++)
        set_variable(arena, variables, suite->environment.items[i].name, NULL);
    take_all(arena, suite->launcher.environment.items, suite->launcher.environment.count, variables);
    if (tool != NULL)
        take_all(arena, tool->environment.items, tool->environment.count, variables);
    if (variant != NULL)
        take_all(arena, variant->environment.items, variant->environment.count, variables);
    take_all(arena, launch->variables, launch->variable_count, variables);
}

static void put_assignment(const struct suite_variable *row, struct text *out)
{
    script_assign(out, row->name, row->value);
}

static void put_words(const char *const *words, size_t count, struct text *out)
{
    for (size_t i = 0; i < count; i++)
        script_word(out, words[i]);
}

static const char *joined(struct arena *arena, const char *const *words, size_t count, const char *between)
{
    const char *all = "";

    for (size_t i = 0; i < count; i++)
        all = arena_printf(arena, "%s%s%s", all, i > 0 ? between : "", words[i]);
    return all;
}

/* --- mpirun --- */

static void put_daemons(const struct check_context *context, const struct dialect *words, struct text *out)
{
    const struct suite_launcher *launcher = &context->suite->launcher;

    /* One launch from the head, not a tree over hosts that may not know each other's keys. Daemons that stay
       attached need as many starters as hosts: with Open MPI 4's 128 a wider launch crashes, with 5 it is refused. */
    text_printf(out, " --leave-session-attached %s %s_no_tree_spawn 1 %s %s_num_concurrent %zu", words->mca,
                words->ssh, words->mca, words->ssh, context->member_count);
    text_printf(out, " %s %s_agent ", words->mca, words->ssh);
    text_shell_quote(out, launcher->agent);
    if (launcher->agent_arguments.count > 0) {
        text_printf(out, " %s %s_args ", words->mca, words->ssh);
        text_shell_quote(out, joined(context->arena, launcher->agent_arguments.items,
                                     launcher->agent_arguments.count, " "));
    }
    /* A daemon that lost mpirun ends by itself, a little after the attempt. */
    text_printf(out,
                " %s %s_launch_agent \"env ASSAY_ATTEMPT=$ASSAY_ATTEMPT timeout -k $ASSAY_GRACE "
                "$((ASSAY_DEADLINE + 3)) %sd\"",
                words->mca, words->runtime, words->runtime);
}

static void put_interfaces(const struct check_context *context, const struct dialect *words, struct text *out)
{
    const struct suite_launcher *launcher = &context->suite->launcher;

    if (launcher->oob_interfaces.count > 0) {
        text_printf(out, " %s %s ", words->mca, words->interfaces);
        text_shell_quote(
            out, joined(context->arena, launcher->oob_interfaces.items, launcher->oob_interfaces.count, ","));
    }
    if (launcher->btl_interfaces.count > 0) {
        text_put(out, " --mca btl_tcp_if_include ");
        text_shell_quote(
            out, joined(context->arena, launcher->btl_interfaces.items, launcher->btl_interfaces.count, ","));
    }
}

/* The user's layout is of ranks that each have a GPU; what only asks the hosts has one rank on each. */
static const char *map_of(const struct check_context *context, const struct launch *launch)
{
    return launch->ranks_per_host == context->platform->gpu_count ? context->suite->launcher.map_by : NULL;
}

static void put_mpirun(const struct check_context *context, const struct launch *launch,
                       const struct suite_tool *tool, const struct variables *variables, struct text *out)
{
    const struct suite_launcher *launcher = &context->suite->launcher;
    const struct dialect *words = &dialects[launcher->mpi];
    const char *map = map_of(context, launch);

    text_shell_quote(out, launcher->program);
    if (launcher->prefix != NULL) {
        text_put(out, " --prefix ");
        text_shell_quote(out, launcher->prefix);
    }
    text_put(out, " --allow-run-as-root");
    put_daemons(context, words, out);
    put_interfaces(context, words, out);
    if (launch->hosts != NULL)
        text_printf(out, " -H %s -np %s", launch->hosts, launch->count);
    else
        text_printf(out, " --hostfile \"$ASSAY_DIR/hosts\" -np %zu",
                    context->member_count * launch->ranks_per_host);
    text_put(out, " --bind-to ");
    text_shell_quote(out, launcher->bind_to);
    text_put(out, " --map-by ");
    text_shell_quote(out,
                     map != NULL ? map : arena_printf(context->arena, "ppr:%u:node", launch->ranks_per_host));
    if (tool != NULL && tool->folder != NULL) {
        text_put(out, " --wdir ");
        text_shell_quote(out, tool->folder);
    }
    for (size_t i = 0; i < variables->rows.count; i++) {
        text_put(out, " -x ");
        if (variables->rows.items[i].value != NULL)
            put_assignment(&variables->rows.items[i], out);
        else
            text_put(out, variables->rows.items[i].name);
    }
    text_put(out, " ${LD_LIBRARY_PATH:+-x LD_LIBRARY_PATH}");
}

/* --- srun --- */

/* Its --export takes commas for its own, so the variables stand before it and it exports all. */
static void put_srun(const struct check_context *context, const struct launch *launch,
                     const struct suite_tool *tool, const struct variables *variables, struct text *out)
{
    const struct suite_launcher *launcher = &context->suite->launcher;
    const char *map = map_of(context, launch);

    text_put(out, "env");
    for (size_t i = 0; i < variables->rows.count; i++)
        if (variables->rows.items[i].value != NULL) {
            text_put(out, " ");
            put_assignment(&variables->rows.items[i], out);
        }
    text_put(out, " ");
    text_shell_quote(out, srun_of(context));
    text_put(out, srun_shares(context));
    if (launch->hosts != NULL)
        text_printf(out, " --nodelist=%s --nodes=%s --ntasks=%s", launch->hosts, launch->count,
                    launch->count);
    else
        text_printf(out, " --nodelist=\"$ASSAY_DIR/hosts\" --nodes=%zu --ntasks=%zu", context->member_count,
                    context->member_count * launch->ranks_per_host);
    /* By its name our own job is told from another's. */
    if (context->run != NULL)
        text_printf(out, " --job-name=assay-%s", context->run->uuid);
    text_printf(out, " --ntasks-per-node=%u --mpi=pmix --export=ALL --kill-on-bad-exit=1 --cpu-bind=",
                launch->ranks_per_host);
    text_shell_quote(out, launcher->bind_to);
    if (map != NULL) {
        text_put(out, " --distribution=");
        text_shell_quote(out, map);
    }
    if (tool != NULL && tool->folder != NULL) {
        text_put(out, " --chdir=");
        text_shell_quote(out, tool->folder);
    }
}

static void put_launch(const struct check_context *context, const struct launch *launch,
                       const struct suite_tool *tool, struct text *out)
{
    const struct suite_launcher *launcher = &context->suite->launcher;
    struct variables variables = {0};

    take_variables(context, launch, tool, &variables);
    if (launcher_is_srun(context))
        put_srun(context, launch, tool, &variables, out);
    else
        put_mpirun(context, launch, tool, &variables, out);
    put_words(launcher->flags.items, launcher->flags.count, out);
    text_put(out, " ");
}

void launcher_put(const struct check_context *context, const struct launch *launch, struct text *out)
{
    put_launch(context, launch, NULL, out);
}

void launcher_tool(const struct check_context *context, const struct launch *launch, const char *tool,
                   struct text *out)
{
    const struct suite_tool *row = check_tool(context, tool);

    launcher_begin(context, out);
    put_launch(context, launch, row, out);
    if (launch->under != NULL)
        text_printf(out, "%s ", launch->under);
    text_shell_quote(out, row->path);
}

unsigned launcher_ranks_per_host(const struct check_context *context)
{
    const struct json *given = json_get(context->step->arguments, "ranks_per_host");

    return given != NULL ? (unsigned)given->number : check_accelerators(context->platform);
}

/* A login shell of any kind knows exec. */
void launcher_put_log_in(const struct check_context *context, double deadline_s, struct text *out)
{
    const struct suite_launcher *launcher = &context->suite->launcher;
    bool srun = launcher_is_srun(context);
    const char *const *words = srun ? launcher->flags.items : launcher->agent_arguments.items;
    size_t count = srun ? launcher->flags.count : launcher->agent_arguments.count;

    text_printf(out, "log_in() { timeout -k 2 %.0f", deadline_s);
    script_word(out, srun ? srun_of(context) : launcher->agent);
    text_put(out, srun ? srun_shares(context) : "");
    put_words(words, count, out);
    text_put(out, srun ? " --nodelist=\"$1\" --nodes=1 --ntasks=1 /bin/sh -s \"$2\"; }\n"
                       : " \"$1\" \"exec env ASSAY_ATTEMPT=$ASSAY_ATTEMPT /bin/sh -s '$2'\"; }\n");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Starting a lab, looking at it, and ending it: everything that happens outside of the server. */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libssh/libssh.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/scan.h"
#include "lab_private.h"

enum { KEY_COLUMNS = 70, LONGEST_FILE = 16 << 20 };

/* The folder. */

static int absolute_directory(const char *directory, char path[PATH_MAX], bool create, struct error *err)
{
    if (create && directory_create(directory, 0755, err) < 0)
        return -1;
    if (realpath(directory, path) == NULL)
        return error_set(err, ERROR_USAGE, "%s: %s; --dir names the folder of the lab", directory,
                         strerror(errno));
    if (path[strcspn(path, " \t\n#:\"'\\$%")] != '\0')
        return error_set(err, ERROR_USAGE,
                         "%s: a lab cannot use a folder whose path has blanks, quotes or any of # : \\ $ %%",
                         path);
    return 0;
}

static int write_text(const char *path, const char *text, unsigned mode, struct error *err)
{
    /* No sync: after a power cut nobody needs a lab's files, and there may be thousands. */
    cleanup_fd int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, (mode_t)mode);

    if (fd < 0 || fchmod(fd, (mode_t)mode) < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
        return error_set(err, ERROR_INTERNAL, "%s: %s", path, strerror(errno));
    return 0;
}

static int make_folder(const char *path, struct error *err)
{
    if (mkdir(path, 0755) < 0 && errno != EEXIST)
        return error_set(err, ERROR_INTERNAL, "%s: %s", path, strerror(errno));
    return 0;
}

static int write_tool(struct arena *arena, const char *folder, const char *tool, struct error *err)
{
    enum { FIRST_LINE = 127 }; /* as long as any kernel reads it */
    const char *other = getenv("ASSAY_LAB_PROGRAM");
    cleanup_free char *program = other != NULL && *other != '\0' ? mem_strdup(other) : program_path();
    cleanup_text struct text script = {0};

    text_init(&script, 64 * 1024);
    /* A run starts thousands of them: where it can, each without a shell. */
    if (program != NULL && program[strcspn(program, " \t\n")] == '\0')
        text_printf(&script, "#!%s " LAB_TOOL_WORD "\n", program);
    if (script.length == 0 || script.length > FIRST_LINE) {
        text_reset(&script);
        text_put(&script, "#!/bin/sh\nexec ");
        text_shell_quote(&script, program != NULL ? program : "assay");
        text_put(&script, " " LAB_TOOL_WORD " \"$0\" \"$@\"\n");
    }
    return write_text(arena_printf(arena, "%s/%s", folder, tool), script.bytes, 0755, err);
}

static int write_tools(struct arena *arena, const struct lab *lab, struct error *err)
{
    static const char kernel[] = "// the compare kernel of gpu_burn: its presence is all that is read here\n";
    char *bin = arena_printf(arena, "%s/bin", lab->directory);
    char *burn = arena_printf(arena, "%s/opt/gpu-burn", lab->directory);
    size_t count;
    const char *const *names = tool_names(&count);

    if (directory_create(bin, 0755, err) < 0 || directory_create(burn, 0755, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (write_tool(arena, bin, names[i], err) < 0)
            return -1;
    /* gpu_burn wants its kernel in the current folder or, here, beside itself: by name and by path. */
    if (write_tool(arena, burn, "gpu_burn", err) < 0 ||
        write_text(arena_printf(arena, "%s/compare.ptx", burn), kernel, 0644, err) < 0)
        return -1;
    return write_text(arena_printf(arena, "%s/compare.ptx", bin), kernel, 0644, err);
}

/* Links to everything on PATH but the missing tools, since an earlier folder of PATH cannot hide a name. */
static void link_all_but_missing(struct arena *arena, const struct lab *lab, unsigned host, const char *from,
                                 const char *to)
{
    DIR *folder = opendir(from);

    if (folder == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (entry->d_name[0] != '.' && fault_of_tool(lab, host, FAULT_TOOL_MISSING, entry->d_name) == NULL &&
            symlink(arena_printf(arena, "%s/%s", from, entry->d_name),
                    arena_printf(arena, "%s/%s", to, entry->d_name)) < 0)
            continue; /* an earlier folder of PATH has the name already */
    closedir(folder);
}

static void link_tools(struct arena *arena, const struct lab *lab, unsigned host)
{
    const char *from[] = {arena_printf(arena, "%s/bin", lab->directory), "/usr/local/bin", "/usr/bin",
                          "/bin"};
    const char *bin = lab_host_file(arena, lab, host, "bin");

    for (size_t i = 0; i < ARRAY_SIZE(from); i++)
        link_all_but_missing(arena, lab, host, from[i], bin);
}

static int make_host(struct arena *arena, const struct lab *lab, unsigned host, struct error *err)
{
    if (make_folder(lab_host_file(arena, lab, host, ""), err) < 0 ||
        make_folder(lab_host_file(arena, lab, host, "home"), err) < 0)
        return -1;
    if (fault_find(lab, host, FAULT_TOOL_MISSING) != NULL) {
        if (make_folder(lab_host_file(arena, lab, host, "bin"), err) < 0)
            return -1;
        link_tools(arena, lab, host);
    }
    return 0;
}

static int make_hosts(struct arena *arena, const struct lab *lab, struct error *err)
{
    char *hosts = arena_printf(arena, "%s/hosts", lab->directory);
    char *control = arena_printf(arena, "%s/control", lab->directory);

    if (directory_remove(hosts, err) < 0 || make_folder(hosts, err) < 0)
        return -1;
    for (unsigned i = 1; i <= lab->hosts; i++)
        if (make_host(arena, lab, i, err) < 0)
            return -1;
    unlink(control);
    if (mkfifo(control, 0600) < 0)
        return error_set(err, ERROR_INTERNAL, "%s: %s", control, strerror(errno));
    return 0;
}

/* Keys, and the files that name them. */

/* libssh writes the whole key on one line; readers such as libssh2 take 128 columns at most. */
static int wrap_key(const char *path, struct error *err)
{
    cleanup_text struct text text = {0}, wrapped = {0};
    struct slice rest, line;

    text_init(&text, 16 * 1024);
    text_init(&wrapped, 16 * 1024);
    if (file_read(path, &text, err) < 0)
        return -1;
    for (rest = (struct slice){text.bytes, text.length}; scan_line(&rest, &line);)
        do {
            size_t part = line.length < KEY_COLUMNS ? line.length : KEY_COLUMNS;

            text_printf(&wrapped, "%.*s\n", (int)part, line.bytes);
            line = slice_from(line, part);
        } while (line.length > 0);
    return write_text(path, wrapped.bytes, 0600, err);
}

static char *make_key(struct arena *arena, const char *path, struct error *err)
{
    ssh_key key = NULL;
    char *base64 = NULL, *public = NULL;

    unlink(path);
    if (ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, &key) == SSH_OK &&
        ssh_pki_export_privkey_file(key, NULL, NULL, NULL, path) == SSH_OK && wrap_key(path, err) == 0 &&
        ssh_pki_export_pubkey_base64(key, &base64) == SSH_OK)
    public = arena_printf(arena, "ssh-ed25519 %s", base64);
    else error_set(err, ERROR_INTERNAL, "%s: the key cannot be made", path);
    ssh_string_free_char(base64);
    ssh_key_free(key);
    return public;
}

/* How ssh looks a host up in known_hosts. */
static const char *known_name(struct arena *arena, unsigned host, unsigned port)
{
    char address[16];

    lab_address(host, address);
    return port == 22 ? arena_strdup(arena, address) : arena_printf(arena, "[%s]:%u", address, port);
}

static int write_keys(struct arena *arena, const struct lab *lab, struct error *err)
{
    cleanup_text struct text known = {0};
    char *user = make_key(arena, arena_printf(arena, "%s/id_ed25519", lab->directory), err);
    char *host =
        user != NULL ? make_key(arena, arena_printf(arena, "%s/host_key", lab->directory), err) : NULL;
    char *other =
        host != NULL ? make_key(arena, arena_printf(arena, "%s/other_key", lab->directory), err) : NULL;

    if (other == NULL)
        return -1;
    text_init(&known, LONGEST_FILE);
    for (unsigned i = 1; i <= lab->hosts; i++)
        text_printf(&known, "%s %s\n", known_name(arena, i, lab->port),
                    fault_find(lab, i, FAULT_HOST_KEY_CHANGED) != NULL ? other : host);
    if (write_text(arena_printf(arena, "%s/id_ed25519.pub", lab->directory),
                   arena_printf(arena, "%s %s@lab\n", user, lab->user), 0644, err) < 0)
        return -1;
    return write_text(arena_printf(arena, "%s/known_hosts", lab->directory), known.bytes, 0644, err);
}

static int write_hostfile(struct arena *arena, const struct lab *lab, struct error *err)
{
    cleanup_text struct text text = {0};
    char address[16];

    text_init(&text, LONGEST_FILE);
    text_printf(&text,
                /* The probe has no kernels for Volta. */
                "# A simulated cluster; assay lab down --dir %s ends it.\n"
                "report title=\"Simulated cluster of %u %s\"\n"
                "defaults slots=%u user=%s become=sudo port=%u identity=%s/id_ed25519 platform=%s "
                "known_hosts=%s/known_hosts "
                "fabric=%s mounts=/data,/scratch%s%s timescale=%u\n",
                lab->directory, lab->hosts, lab->hosts == 1 ? "host" : "hosts", lab->profile->gpus, lab->user,
                lab->port, lab->directory, lab->profile->name, lab->directory,
                lab->ethernet ? "ethernet" : "infiniband",
                strcmp(lab->profile->architecture, "Volta") != 0 ? " probe=gpu" : "",
                lab->ethernet && lab->hosts <= LAB_FABRIC_HOSTS_MOST
                    ? arena_printf(arena,
                                   " uplinks=%s/" LAB_UPLINKS " switch_counters=%s/" LAB_SWITCH_COUNTERS,
                                   lab->directory, lab->directory)
                    : "",
                lab->speed);
    for (unsigned i = 1; i <= lab->hosts; i++) {
        unsigned unit = lab_unit(lab, i);

        text_printf(&text, "node%u address=%s unit=su%u rack=r%u leaf=l%u", i, lab_address(i, address), unit,
                    unit, unit);
        for (unsigned rail = 0; rail < lab->profile->hcas; rail++) {
            struct lab_place place = lab_rail(lab, i, rail);

            text_printf(&text, " rail.mlx5_%u=%s:%s", rail, place.switch_name, place.port);
        }
        text_printf(&text, lab->redfish ? " bmc=node%u-bmc\n" : "\n", i);
    }
    return write_text(arena_printf(arena, "%s/hostfile", lab->directory), text.bytes, 0644, err);
}

/* What a site says of its switches. */
static int write_switches(struct arena *arena, const struct lab *lab, struct error *err)
{
    const char *program =
        arena_printf(arena, "#!/bin/sh\nexec cat '%s/" LAB_SWITCH_COUNTERS ".csv'\n", lab->directory);

    if (!lab->ethernet || lab->hosts > LAB_FABRIC_HOSTS_MOST)
        return 0;
    if (lab_write_uplinks(arena, lab, arena_printf(arena, "%s/" LAB_UPLINKS, lab->directory)) < 0)
        return error_set(err, ERROR_USAGE, "%s/" LAB_UPLINKS ": cannot be written", lab->directory);
    return write_text(arena_printf(arena, "%s/" LAB_SWITCH_COUNTERS, lab->directory), program, 0755, err);
}

/* The public face. */

static const char *user_name(struct arena *arena)
{
    const struct passwd *user = getpwuid(geteuid());

    return user != NULL ? arena_strdup(arena, user->pw_name) : arena_printf(arena, "%u", (unsigned)geteuid());
}

static struct lab *lab_from_options(struct arena *arena, const struct lab_options *options, struct error *err)
{
    struct lab *lab = arena_new(arena, struct lab);

    *lab = (struct lab){.hosts = options->hosts,
                        .speed = options->speed,
                        .oversubscription = options->oversubscription > 0 ? options->oversubscription : 1,
                        .seed = options->seed,
                        .ethernet = options->ethernet,
                        .redfish = options->redfish,
                        .user = user_name(arena)};
    lab->profile = lab_profile_find(options->profile);
    if (lab->profile == NULL) {
        error_set(err, ERROR_USAGE, "'%s' is not a profile; assay lab profiles lists them%s",
                  options->profile, lab_profile_meant(options->profile).text);
        return NULL;
    }
    if (lab->hosts < 1 || lab->hosts > LAB_HOSTS_MAX) {
        error_set(err, ERROR_USAGE, "%u is not a number of hosts from 1 to %d", lab->hosts, LAB_HOSTS_MAX);
        return NULL;
    }
    if (lab->speed < 1 || options->port > 65535) {
        error_set(err, ERROR_USAGE, lab->speed < 1 ? "the speed is 1 or more" : "a port is at most 65535");
        return NULL;
    }
    lab->faults = arena_array(arena, struct fault, options->fault_count);
    for (size_t i = 0; i < options->fault_count; i++)
        if (fault_parse(arena, lab, options->faults[i], &lab->faults[lab->fault_count++], err) < 0)
            return NULL;
    return lab;
}

static int bring_up(struct arena *arena, struct lab *lab, unsigned port, struct error *err)
{
    struct servers *servers = servers_listen(arena, lab, port, err);
    int rc;

    if (servers == NULL)
        return -1;
    rc = write_tools(arena, lab, err) < 0 || make_hosts(arena, lab, err) < 0 ||
                 lab_trees(arena, lab, err) < 0 || write_keys(arena, lab, err) < 0 ||
                 write_hostfile(arena, lab, err) < 0 || write_switches(arena, lab, err) < 0 ||
                 lab_save(lab, err) < 0 || servers_start(servers, err) < 0
             ? -1
             : 0;
    servers_release(servers);
    return rc;
}

int lab_up(const struct lab_options *options, struct text *ret_hostfile, struct error *err)
{
    struct arena *arena = arena_create();
    struct lab *lab = lab_from_options(arena, options, err);
    char path[PATH_MAX];
    int rc = -1;

    if (lab != NULL && absolute_directory(options->directory, path, true, err) == 0) {
        pid_t pid = lab_running_pid(path);

        lab->directory = path;
        if (pid != 0)
            error_set(err, ERROR_USAGE,
                      "a lab is running in %s already (pid %d); assay lab down --dir %s ends it", path,
                      (int)pid, path);
        else
            rc = bring_up(arena, lab, options->port, err);
    }
    if (rc == 0)
        text_printf(ret_hostfile, "%s/hostfile", path);
    arena_destroy(arena);
    return rc;
}

/* What was wrong with the GPU went with it. */
static void drop_faults(struct lab *lab, unsigned host, int gpu)
{
    size_t kept = 0;

    for (size_t i = 0; i < lab->fault_count; i++)
        if (lab->faults[i].host != host || lab->faults[i].gpu != gpu || lab->faults[i].peer >= 0)
            lab->faults[kept++] = lab->faults[i];
    lab->fault_count = kept;
}

static int swap_gpu(struct arena *arena, const char *directory, const char *host, const char *gpu,
                    struct error *err)
{
    struct lab *lab = lab_load(arena, directory, err);
    unsigned number = lab != NULL ? lab_host_number(lab, host) : 0;
    uint64_t place;
    FILE *file;

    if (lab == NULL)
        return -1;
    if (number == 0 || strncmp(gpu, "gpu", 3) != 0 || !scan_u64(slice_of(gpu + 3), &place) ||
        place >= LAB_GPUS)
        return error_set(err, ERROR_USAGE, "%s %s is not a GPU of the lab; expected a host and gpu0 to gpu%d",
                         host, gpu, LAB_GPUS - 1);
    file = fopen(lab_host_file(arena, lab, number, arena_printf(arena, "swapped-%s", gpu)), "a");
    if (file == NULL || fputc('.', file) == EOF || fclose(file) == EOF)
        return error_set(err, ERROR_INTERNAL, "%s: %s", directory, strerror(errno));
    drop_faults(lab, number, (int)place);
    return lab_save(lab, err);
}

int lab_swap(const char *directory, const char *host, const char *gpu, struct error *err)
{
    struct arena *arena = arena_create();
    char path[PATH_MAX];
    int rc = absolute_directory(directory, path, false, err);

    if (rc == 0)
        rc = swap_gpu(arena, path, host, gpu, err);
    arena_destroy(arena);
    return rc;
}

/* Whether the fault is the one that is meant: "node2" all of that host, "node2:p2p" all of that kind, or one as it was given. */
static bool is_meant(const struct fault *fault, const char *meant)
{
    size_t length = strlen(meant);

    return strncmp(fault->text, meant, length) == 0 &&
           (fault->text[length] == ':' || fault->text[length] == '\0');
}

/* What the server has read when it was started it goes on with. */
static bool is_of_the_server(const struct fault *fault)
{
    return fault->kind == FAULT_DOWN || fault->kind == FAULT_SILENT || fault->kind == FAULT_KEY_REFUSED ||
           fault->kind == FAULT_HOST_KEY_CHANGED;
}

static int drop_meant(struct arena *arena, struct lab *lab, const char *meant, struct error *err)
{
    const char *there = "";
    size_t kept = 0, count = lab->fault_count;

    for (size_t i = 0; i < count; i++) {
        struct fault fault = lab->faults[i];

        there = arena_printf(arena, "%s %s", there, fault.text);
        if (!is_meant(&fault, meant))
            lab->faults[kept++] = fault;
        else if (is_of_the_server(&fault))
            return error_set(
                err, ERROR_USAGE,
                "%s: the server was started with it; `assay lab down`, then `assay lab up` without it",
                fault.text);
    }
    lab->fault_count = kept;
    if (kept == count)
        return error_set(err, ERROR_USAGE, "nothing of '%s' is wrong; the lab's faults:%s", meant,
                         count > 0 ? there : " none");
    return 0;
}

static int heal(struct arena *arena, const char *directory, const char *meant, struct error *err)
{
    struct lab *lab = lab_load(arena, directory, err);
    const char *name = arena_strndup(arena, meant, strcspn(meant, ":"));
    unsigned number = lab != NULL ? lab_host_number(lab, name) : 0;

    if (lab == NULL)
        return -1;
    if (number == 0)
        return error_set(err, ERROR_USAGE, "%s is not a host of the lab", name);
    if (drop_meant(arena, lab, meant, err) < 0 || lab_save(lab, err) < 0)
        return -1;
    if (access(lab_host_file(arena, lab, number, "bin"), F_OK) == 0)
        link_tools(arena, lab, number);
    return lab_tree_renew(lab, number, err);
}

int lab_heal(const char *directory, const char *meant, struct error *err)
{
    struct arena *arena = arena_create();
    char path[PATH_MAX];
    int rc = absolute_directory(directory, path, false, err);

    if (rc == 0)
        rc = heal(arena, path, meant, err);
    arena_destroy(arena);
    return rc;
}

int lab_down(const char *directory, bool *ret_running, struct error *err)
{
    char path[PATH_MAX];
    unsigned left;

    if (absolute_directory(directory, path, false, err) < 0 || servers_end(path, ret_running, err) < 0)
        return -1;
    left = lab_sweep(path, 0);
    if (left > 0)
        return error_set(err, ERROR_INTERNAL, "%u processes of the lab cannot be ended", left);
    return 0;
}

int lab_status(const char *directory, struct text *out, bool *ret_running, struct error *err)
{
    struct arena *arena = arena_create();
    char path[PATH_MAX], address[16];
    struct lab *lab = NULL;

    if (absolute_directory(directory, path, false, err) == 0)
        lab = lab_load(arena, path, err);
    if (lab != NULL) {
        pid_t pid = lab_running_pid(path);

        *ret_running = pid != 0;
        text_printf(out, "lab: %s, %u hosts, %s, %s, port %u, speed %u, ", path, lab->hosts,
                    lab->profile->name, lab->ethernet ? "RoCE" : "InfiniBand", lab->port, lab->speed);
        text_printf(out, pid != 0 ? "running (pid %d)\n" : "not running\n", (int)pid);
        text_printf(out, "hostfile: %s/hostfile\n", path);
        for (unsigned i = 1; i <= lab->hosts; i++) {
            text_printf(out, "node%u %s", i, lab_address(i, address));
            for (size_t f = 0; f < lab->fault_count; f++)
                if (lab->faults[f].host == i)
                    text_printf(out, " %s", strchr(lab->faults[f].text, ':') + 1);
            text_put(out, "\n");
        }
    }
    arena_destroy(arena);
    return lab != NULL ? 0 : -1;
}

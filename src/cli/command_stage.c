/* SPDX-License-Identifier: Apache-2.0 */
/* assay stage: brings a set of tools to the hosts, tells which versions lie there, and removes old ones. */
#include <stdio.h>
#include <string.h>

#include "access.h"
#include "assay/app/allocation.h"
#include "assay/base/cleanup.h"
#include "assay/run/stage.h"
#include "cli.h"

struct stage_command {
    const char *hostfile, *hosts, *remove, *folder;
    bool list, dry_run;
    struct access access;
    struct stage_options options;
};

struct targets {
    LIST_OF(const struct host *) hosts;
};

/* -- What is asked for -- */

static bool read_options(struct stage_command *command, int argc, char **argv, int *ret_first,
                         int *ret_status)
{
    struct stage_options *options = &command->options;
    const struct option_row rows[] = {
        OPTION_HEADING("Which hosts"),
        {"hostfile", 'H', OPTION_STRING, "FILE", &command->hostfile, "the hosts"},
        CLI_HOSTS_ROW(command),
        CLI_LIMIT_ROW(&command->hosts),
        OPTION_HEADING("What is done"),
        {"list", 0, OPTION_FLAG, NULL, &command->list, "list which versions are on the hosts"},
        {"remove", 0, OPTION_STRING, "VERSION", &command->remove,
         "remove that version, by its first 12 digits or more; not while a command uses it"},
        {"dry-run", 'n', OPTION_FLAG, NULL, &command->dry_run,
         "say what DIR is, by its manifest; connect to nothing"},
        OPTION_HEADING("How it is brought"),
        {"root", 0, OPTION_STRING, "FOLDER", &options->root,
         "folder of the versions on the hosts; default /var/tmp/assay-UID/tools, or ~/.assay/tools where "
         "programs "
         "may not run there"},
        {"seeds", 0, OPTION_COUNT, "N", &options->seeds,
         "hosts that get it from here, before hosts pass it on to each other; default 1"},
        {"fan-out", 0, OPTION_COUNT, "N", &options->fan_out,
         "hosts that one host passes it on to at a time; default 3"},
        {"direct", 0, OPTION_FLAG, NULL, &options->direct,
         "send it to each host from here, by its own session: for hosts that cannot log in to each other; over "
         "Slurm without sbcast"},
        {"pushes", 0, OPTION_COUNT, "N", &options->pushes,
         "hosts that get a copy from here at a time, if hosts do not pass it on; default 8"},
        ACCESS_OPTIONS(&command->access),
        OPTION_END,
    };

    return cli_options(rows, "stage -H HOSTFILE DIR | --list | --remove VERSION", argc, argv, ret_first,
                       ret_status);
}

static bool is_version(const char *word)
{
    size_t digits = strspn(word, "0123456789abcdef");

    return word[digits] == '\0' && digits >= TOOLSET_SHORT && digits < SHA256_HEX_SIZE;
}

/* "" or what is wrong with the command line. */
static const char *usage_fault(struct arena *arena, struct stage_command *command, int argc, char **argv,
                               int first)
{
    int asked = command->list + (command->remove != NULL);

    if (first < argc)
        command->folder = argv[first++];
    if (first < argc)
        return arena_printf(arena, "unexpected word '%s'", argv[first]);
    if (command->hostfile == NULL && !(command->dry_run && command->folder != NULL))
        return "the hostfile is missing: expected assay stage -H HOSTFILE DIR";
    if (asked > 1)
        return "--list and --remove are two questions";
    if (asked == 1 && (command->folder != NULL || command->dry_run))
        return "--list and --remove do not take a DIR";
    if (asked == 0 && command->folder == NULL)
        return "DIR is missing, the folder of tools: expected assay stage -H HOSTFILE DIR";
    if (command->remove != NULL && !is_version(command->remove))
        return arena_printf(arena, "--remove '%s'; expected the first %d digits of a version or more",
                            command->remove, TOOLSET_SHORT);
    return "";
}

/* They are told by their count, and the first of them by its name. */
static int refuse_hosts(const struct stage_command *command, const struct hostfile *hostfile,
                        const struct hostlist *asked, size_t missing, struct error *err)
{
    size_t count = hostfile->hosts.count, first = 0;
    cleanup_free const char **names = mem_alloc((count + 1) * sizeof *names);

    for (size_t i = 0; i < count; i++)
        names[i] = hostfile->hosts.items[i].name;
    while (hostfile_find(hostfile, asked->names.items[first]) != NULL)
        first++;
    return error_set(err, ERROR_USAGE, "--hosts: %zu of the %zu hosts are not in %s: '%s'%s", missing,
                     asked->names.count, command->hostfile, asked->names.items[first],
                     did_you_mean_host(asked->names.items[first], names, count).text);
}

/* As a run would reach them that uses what is brought. */
static void choose_way(struct arena *arena, const struct stage_command *command,
                       const struct hostfile *hostfile, const struct hostlist *names)
{
    const struct allocation_asked asked = {.hosts = command->hosts != NULL ? names : NULL,
                                           .passwords = access_has_password(&command->access)};
    const struct reason *way = allocation_take(arena, hostfile, &asked);

    if (way != NULL)
        cli_warn("assay: note: %s\n", reason_english(arena, way));
}

static int choose_hosts(struct arena *arena, const struct stage_command *command, struct targets *targets,
                        struct error *err)
{
    const struct hostfile *hostfile = hostfile_load(arena, command->hostfile, err);
    struct hostlist names = {0};
    size_t missing = 0;

    if (hostfile == NULL)
        return -1;
    if (command->hosts != NULL && hostlist_expand(arena, command->hosts, &names, err) < 0)
        return error_wrap(err, "--hosts");
    for (size_t i = 0; i < names.names.count; i++)
        missing += hostfile_find(hostfile, names.names.items[i]) == NULL;
    if (missing > 0)
        return refuse_hosts(command, hostfile, &names, missing, err);
    choose_way(arena, command, hostfile, &names);
    for (size_t i = 0; i < hostfile->hosts.count; i++)
        if (command->hosts == NULL || hostlist_has(&names, hostfile->hosts.items[i].name))
            *list_push(arena, &targets->hosts) = &hostfile->hosts.items[i];
    return 0;
}

/* -- Bringing it -- */

static const char *how(struct arena *arena, const struct stage_host *host)
{
    static const char *const words[] = {
        [STAGE_HAD] = "has it",    [STAGE_PUSHED] = "pushed",         [STAGE_BROADCAST] = "broadcast",
        [STAGE_FAILED] = "failed", [STAGE_UNREACHED] = "not reached", [STAGE_CANCELLED] = "cancelled"};

    if (host->end == STAGE_PASSED)
        return arena_printf(arena, "passed on by %s", host->by->name);
    return words[host->end];
}

static void print_row(const char *name, const char *words, const char *text)
{
    cli_print("%-16s %s%s%s\n", name, words, *text != '\0' ? ": " : "", text);
}

static void on_progress(void *context, const struct stage_host *host)
{
    cleanup_arena struct arena *arena = arena_create();
    size_t *left = context;

    cli_warn("assay: %s: %s; %zu to go\n", host->host->name, how(arena, host), --*left);
}

static void print_set(const struct toolset *set)
{
    cli_print("version: %s\nfiles: %zu, %.1f MB\n", set->version, set->files.count, (double)set->bytes / 1e6);
}

/* The status that an end asks for; the larger one outranks, but what failed outranks what was not reached. */
static int status_of(enum stage_end end)
{
    switch (end) {
    case STAGE_FAILED:
        return EXIT_REJECT;
    case STAGE_UNREACHED:
        return EXIT_INCOMPLETE;
    case STAGE_CANCELLED:
        return EXIT_CANCELLED;
    case STAGE_HAD:
    case STAGE_PUSHED:
    case STAGE_BROADCAST:
    case STAGE_PASSED:
    default:
        return EXIT_ACCEPT;
    }
}

static int worse(int a, int b)
{
    static const int order[] = {EXIT_CANCELLED, EXIT_REJECT, EXIT_INCOMPLETE};

    for (size_t i = 0; i < ARRAY_SIZE(order); i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return EXIT_ACCEPT;
}

static int print_result(struct arena *arena, const struct toolset *set, const struct stage_host *hosts,
                        size_t count)
{
    uint64_t sent = 0;
    size_t have = 0, broadcast = 0;
    int status = EXIT_ACCEPT;

    for (size_t i = 0; i < count; i++) {
        print_row(hosts[i].host->name, how(arena, &hosts[i]), reason_english(arena, hosts[i].what));
        sent += hosts[i].bytes;
        have += hosts[i].end <= STAGE_PASSED;
        broadcast += hosts[i].end == STAGE_BROADCAST;
        status = worse(status, status_of(hosts[i].end));
    }
    print_set(set);
    if (broadcast > 0)
        cli_print("broadcast by Slurm: %.1f MB, to %zu hosts\n", (double)set->bytes / 1e6, broadcast);
    cli_print("sent from here: %.1f MB, %.2f copies\nhosts: %zu of %zu have it\n", (double)sent / 1e6,
              set->bytes > 0 ? (double)sent / (double)set->bytes : 0, have, count);
    return status;
}

static int bring(struct arena *arena, struct stage_command *command, const struct targets *targets,
                 struct error *err)
{
    const struct toolset *set = toolset_load(arena, command->folder, err);
    size_t left = targets->hosts.count;
    struct stage_host *hosts = NULL;

    if (set == NULL)
        return cli_fail(err);
    if (command->dry_run) {
        cli_print_lines(arena_strndup(arena, set->manifest.bytes, set->manifest.length));
        print_set(set);
        return EXIT_ACCEPT;
    }
    command->options.progress = on_progress;
    command->options.context = &left;
    if (stage_push(arena, targets->hosts.items, targets->hosts.count, set, &command->options, &hosts, err) <
        0)
        return cli_fail(err);
    return print_result(arena, set, hosts, targets->hosts.count);
}

/* -- What lies there -- */

static void print_lines(const struct stage_answer *answer)
{
    struct slice rest = slice_of(answer->lines), line;

    if (rest.length == 0)
        print_row(answer->host->name, "no version", "");
    while (scan_line(&rest, &line))
        cli_print("%-16s %.*s\n", answer->host->name, slice_print(line));
}

static int ask_all(struct arena *arena, const struct stage_command *command, const struct targets *targets,
                   struct error *err)
{
    struct stage_answer *answers = NULL;
    int status = EXIT_ACCEPT;

    if (stage_ask(arena, targets->hosts.items, targets->hosts.count,
                  command->list ? STAGE_LIST : STAGE_REMOVE, command->list ? "-" : command->remove,
                  &command->options, &answers, err) < 0)
        return cli_fail(err);
    for (size_t i = 0; i < targets->hosts.count; i++) {
        if (answers[i].end == STAGE_HAD)
            print_lines(&answers[i]);
        else
            print_row(answers[i].host->name, answers[i].end == STAGE_FAILED ? "failed" : "not reached",
                      reason_english(arena, answers[i].what));
        status = worse(status, status_of(answers[i].end));
    }
    return status;
}

static int run_all(struct arena *arena, struct stage_command *command)
{
    struct targets targets = {0};
    struct error err = {0};

    if (command->hostfile != NULL && choose_hosts(arena, command, &targets, &err) < 0)
        return cli_fail(&err);
    if (!command->dry_run && access_ask(&command->access, &err) < 0)
        return cli_fail(&err);
    command->options.remote = access_remote(&command->access);
    return command->folder != NULL ? bring(arena, command, &targets, &err)
                                   : ask_all(arena, command, &targets, &err);
}

int command_stage(int argc, char **argv)
{
    struct stage_command command = {0};
    cleanup_arena struct arena *arena = NULL;
    const char *fault;
    int first, status;

    if (!read_options(&command, argc, argv, &first, &status))
        return status;
    arena = arena_create();
    fault = usage_fault(arena, &command, argc, argv, first);
    if (*fault != '\0') {
        cli_warn("assay: stage: %s\n", fault);
        status = EXIT_USAGE;
    } else {
        status = run_all(arena, &command);
        access_forget(&command.access);
    }
    return status;
}

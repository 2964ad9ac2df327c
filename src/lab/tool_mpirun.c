/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpirun of Open MPI 4 between the hosts of a lab. nccl-tests, assay-probe-links, assay-probe-gpu-mpi, ior, mdtest and elbencho run as one program over all
 * hosts, as the model has it; any other command runs once a rank, each as a process on its host.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/scan.h"
#include "lab_private.h"

#define LINE "--------------------------------------------------------------------------\n"

#define WINDOW 64 /* ranks of an ordinary command at a time */

struct place {
    const char *name; /* as the user wrote it */
    unsigned host, slots, ranks;
};

struct launch {
    LIST_OF(struct place) places;
    unsigned processes, per_node;
    bool tag_output, oversubscribe;
    const char *interface; /* of the daemons' own messages; NULL: any */
    int command;           /* index in argv */
};

static int failure(const char *text)
{
    fprintf(stderr, LINE "%s" LINE, text);
    return 1;
}

/* "node1", "node1:8" or "node1 slots=8 max_slots=8". */
static int add_place(struct tool *tool, struct launch *launch, struct slice text)
{
    struct slice word, rest = text;
    struct place *place;
    uint64_t slots = 0;
    size_t colon;

    if (!scan_word(&rest, &word))
        return 0;
    colon = slice_find(word, ":");
    if (colon != (size_t)-1 && !scan_u64(slice_from(word, colon + 1), &slots))
        return failure("There was an error in the host specification.\n");
    place = list_push(tool->arena, &launch->places);
    place->name = arena_strndup(tool->arena, word.bytes, colon != (size_t)-1 ? colon : word.length);
    place->slots = slots > 0 ? (unsigned)slots : 1;
    place->host = lab_host_number(tool->lab, place->name);
    while (scan_word(&rest, &word))
        if ((scan_text(&word, "slots=") || scan_text(&word, "max_slots=") ||
             scan_text(&word, "max-slots=")) &&
            scan_u64(word, &slots))
            place->slots = (unsigned)slots;
    return 0;
}

static int read_hostfile(struct tool *tool, struct launch *launch, const char *path)
{
    struct text text;
    struct slice rest, line;
    size_t hash;

    text_init(&text, 4 << 20);
    if (file_read(path, &text, NULL) < 0) {
        text_release(&text);
        fprintf(stderr,
                LINE "Open RTE was unable to open the hostfile:\n    %s\nCheck to make sure the path and "
                     "filename are correct.\n" LINE,
                path);
        return 1;
    }
    text_put(&text, "\n");
    for (rest = (struct slice){text.bytes, text.length}; scan_line(&rest, &line);) {
        hash = slice_find(line, "#");
        if (hash != (size_t)-1)
            line.length = hash;
        if (add_place(tool, launch, slice_trim(line)) != 0) {
            text_release(&text);
            return 1;
        }
    }
    text_release(&text);
    return 0;
}

static int read_host_list(struct tool *tool, struct launch *launch, const char *list)
{
    struct slice rest = slice_of(list);

    while (rest.length > 0) {
        size_t comma = slice_find(rest, ",");

        if (comma == (size_t)-1)
            comma = rest.length;
        if (add_place(tool, launch, (struct slice){rest.bytes, comma}) != 0)
            return 1;
        rest = slice_from(rest, comma + 1);
    }
    return 0;
}

/* "ppr:8:node", and the layouts that need nothing. */
static void read_map(struct launch *launch, const char *map)
{
    struct slice rest = slice_of(map);
    uint64_t number;

    if (scan_text(&rest, "ppr:") && scan_digits(&rest, &number) && slice_starts(rest, ":node"))
        launch->per_node = (unsigned)number;
    else if (strcmp(map, "node") == 0)
        launch->per_node = 0;
}

static int take_hostfile(struct tool *tool, struct launch *launch, char **words)
{
    return read_hostfile(tool, launch, words[0]);
}

static int take_hosts(struct tool *tool, struct launch *launch, char **words)
{
    return read_host_list(tool, launch, words[0]);
}

static int take_count(const char *word, const char *refusal, unsigned *ret_count)
{
    uint64_t number;

    if (!scan_u64(slice_of(word), &number) || number == 0)
        return failure(refusal);
    *ret_count = (unsigned)number;
    return 0;
}

static int take_processes(struct tool *tool, struct launch *launch, char **words)
{
    (void)tool;
    return take_count(words[0], "The number of processes is not a number.\n", &launch->processes);
}

static int take_per_node(struct tool *tool, struct launch *launch, char **words)
{
    (void)tool;
    return take_count(words[0], "The number of processes per node is not a number.\n", &launch->per_node);
}

static int take_map(struct tool *tool, struct launch *launch, char **words)
{
    (void)tool;
    read_map(launch, words[0]);
    return 0;
}

static int take_variable(struct tool *tool, struct launch *launch, char **words)
{
    const char *equals = strchr(words[0], '=');

    (void)tool;
    (void)launch;
    if (equals != NULL) {
        cleanup_free char *name = mem_printf("%.*s", (int)(equals - words[0]), words[0]);

        setenv(name, equals + 1, 1);
    }
    return 0;
}

/* Of all parameters only the interface of the daemons' own messages means something here. */
static int take_parameter(struct tool *tool, struct launch *launch, char **words)
{
    (void)tool;
    if (strcmp(words[0], "oob_tcp_if_include") == 0 || strcmp(words[0], "prte_if_include") == 0)
        launch->interface = words[1];
    return 0;
}

static int take_tag(struct tool *tool, struct launch *launch, char **words)
{
    (void)tool;
    (void)words;
    launch->tag_output = true;
    return 0;
}

static int take_oversubscribe(struct tool *tool, struct launch *launch, char **words)
{
    (void)tool;
    (void)words;
    launch->oversubscribe = true;
    return 0;
}

/* take: 0, or the exit status; NULL: it means nothing here. */
static const struct option {
    const char *names[4];
    int words; /* that follow it */
    int (*take)(struct tool *tool, struct launch *launch, char **words);
} options[] = {
    {{"--hostfile", "-hostfile", "--machinefile", "-machinefile"}, 1, take_hostfile},
    {{"-H", "--host", "-host"}, 1, take_hosts},
    {{"-np", "-n", "--np", "-c"}, 1, take_processes},
    {{"-N", "--npernode", "-npernode"}, 1, take_per_node},
    {{"--map-by", "-map-by"}, 1, take_map},
    {{"-x"}, 1, take_variable},
    {{"--mca", "-mca", "--prtemca", "--gmca"}, 2, take_parameter},
    {{"--tag-output", "-tag-output"}, 0, take_tag},
    {{"--oversubscribe", "-oversubscribe"}, 0, take_oversubscribe},
    {{"--bind-to", "-bind-to", "--rank-by"}, 1, NULL},
    {{"--wdir", "-wdir", "--prefix", "--output-filename"}, 1, NULL},
    {{"--timeout"}, 1, NULL},
    {{"--allow-run-as-root", "--leave-session-attached", "--nooversubscribe"}, 0, NULL},
    {{"-q", "--quiet", "-v"}, 0, NULL},
    {{"--report-bindings", "--display-map"}, 0, NULL},
};

static const struct option *find_option(const char *word)
{
    for (size_t i = 0; i < ARRAY_SIZE(options); i++)
        for (size_t k = 0; k < sizeof options[i].names / sizeof options[i].names[0]; k++)
            if (options[i].names[k] != NULL && strcmp(options[i].names[k], word) == 0)
                return &options[i];
    return NULL;
}

static int print_version(const struct tool *tool)
{
    printf("mpirun (Open MPI) %s\n\nReport bugs to http://www.open-mpi.org/community/help/\n",
           tool->host->open_mpi);
    return 0;
}

/* Returns -1 to go on, else the exit status. */
static int read_arguments(struct tool *tool, struct launch *launch)
{
    for (int i = 1; i < tool->argc; i++) {
        const char *word = tool->argv[i];
        const struct option *option = find_option(word);
        int rc;

        if (word[0] != '-') {
            launch->command = i;
            return -1;
        }
        if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
            return print_version(tool);
        if (option == NULL || i + option->words >= tool->argc) {
            fprintf(stderr, "mpirun: Error: %s \"%s\"\nType 'mpirun --help' for usage.\n",
                    option == NULL ? "unknown option" : "option that lacks its words", word);
            return 1;
        }
        rc = option->take != NULL ? option->take(tool, launch, tool->argv + i + 1) : 0;
        if (rc != 0)
            return rc;
        i += option->words;
    }
    return failure(
        "mpirun could not find anything to do.\n\nIt is possible that you forgot to specify how many "
        "processes\nto run via the \"-np\" argument.\n");
}

/* Ranks go to the hosts in their order, each filled before the next. */
static int distribute(struct tool *tool, struct launch *launch)
{
    unsigned slots = 0, left;

    if (launch->places.count == 0)
        add_place(
            tool, launch,
            slice_of(arena_printf(tool->arena, "%s:%d", tool->host->name, (int)tool->lab->profile->gpus)));
    for (size_t i = 0; i < launch->places.count; i++) {
        if (launch->per_node > 0 && launch->per_node <= launch->places.items[i].slots)
            launch->places.items[i].slots = launch->per_node;
        slots += launch->places.items[i].slots;
    }
    left = launch->processes > 0 ? launch->processes : slots;
    if (left > slots && !launch->oversubscribe) {
        fprintf(stderr,
                LINE "There are not enough slots available in the system to satisfy the %u\nslots that were "
                     "requested by "
                     "the application:\n\n  %s\n\nEither request fewer slots for your application, or make "
                     "more slots\n"
                     "available for use.\n" LINE,
                left, tool->argv[launch->command]);
        return 1;
    }
    launch->processes = left;
    while (left > 0)
        for (size_t i = 0; i < launch->places.count && left > 0; i++) {
            unsigned take = left < launch->places.items[i].slots ? left : launch->places.items[i].slots;

            launch->places.items[i].ranks += take;
            left -= take;
        }
    return 0;
}

/* Daemons of two series do not speak with one another, and none speaks over an interface that is not there. */
static bool does_not_fit(struct tool *tool, const struct launch *launch, const struct place *place)
{
    struct lab_host host;

    lab_host_init(&host, tool->lab, place->host);
    return host.open_mpi[0] != tool->host->open_mpi[0] ||
           (launch->interface != NULL && strchr(launch->interface, '/') == NULL &&
            strcmp(launch->interface, host.interface) != 0);
}

static int check_reach(struct tool *tool, struct launch *launch)
{
    for (size_t i = 0; i < launch->places.count; i++) {
        const struct place *place = &launch->places.items[i];
        const char *why = NULL;

        if (place->ranks == 0 || place->host == tool->host->number)
            continue;
        why = lab_login_trouble(tool, place->name);
        if (why == NULL && !does_not_fit(tool, launch, place))
            continue;
        if (why != NULL)
            fprintf(stderr, "%s\n", why);
        return failure(
            "ORTE was unable to reliably start one or more daemons.\nThis usually is caused by:\n\n"
            "* not finding the required libraries and/or binaries on\n  one or more nodes. Please check your "
            "PATH and LD_LIBRARY_PATH\n  settings, or configure OMPI with "
            "--enable-orterun-prefix-by-default\n"
            "\n* lack of authority to execute on one or more specified nodes.\n  Please verify your "
            "allocation and authorities.\n\n* the inability to write startup files into /tmp "
            "(--tmpdir/orte_tmpdir_base).\n  Please check with your sys admin to determine the correct "
            "location "
            "to use.\n\n* an inability to create a connection back to mpirun due to a\n  lack of common "
            "network "
            "interfaces and/or no route found between\n  them. Please check network connectivity (including "
            "firewalls\n  and network routing requirements).\n");
    }
    return 0;
}

static int killed(const struct place *place, unsigned rank, int pid, int number)
{
    fprintf(stderr,
            LINE
            "mpirun noticed that process rank %u with PID %d on node %s exited on signal %d (%s).\n" LINE,
            rank, pid, place->name, number, strsignal(number));
    return 128 + number;
}

/* One process of an ordinary command. */

static pid_t start_rank(struct tool *tool, const struct launch *launch, const struct place *place,
                        unsigned rank, unsigned local, int out)
{
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid != 0)
        return pid;
    dup2(out, STDOUT_FILENO);
    lab_enter_host(tool, place->host);
    setenv("OMPI_COMM_WORLD_RANK", arena_printf(tool->arena, "%u", rank), 1);
    setenv("OMPI_COMM_WORLD_SIZE", arena_printf(tool->arena, "%u", launch->processes), 1);
    setenv("OMPI_COMM_WORLD_LOCAL_RANK", arena_printf(tool->arena, "%u", local), 1);
    setenv("OMPI_COMM_WORLD_LOCAL_SIZE", arena_printf(tool->arena, "%u", place->ranks), 1);
    execvp(tool->argv[launch->command], tool->argv + launch->command);
    _exit(127);
}

static void copy_output(int in, const struct launch *launch, unsigned rank)
{
    FILE *file = fdopen(in, "r");
    char *line = NULL;
    size_t size = 0;

    while (file != NULL && getline(&line, &size, file) > 0) {
        if (launch->tag_output)
            printf("[1,%u]<stdout>:", rank);
        printf("%s", line);
    }
    free(line);
    if (file != NULL)
        fclose(file);
}

struct running {
    const struct place *place;
    unsigned rank;
    pid_t pid;
    int out;
};

static struct running begin_rank(struct tool *tool, const struct launch *launch, const struct place *place,
                                 unsigned rank, unsigned local)
{
    struct running running = {place, rank, -1, -1};
    int pipe_[2];

    if (pipe2(pipe_, O_CLOEXEC) < 0)
        return running;
    running.pid = start_rank(tool, launch, place, rank, local, pipe_[1]);
    running.out = pipe_[0];
    close(pipe_[1]);
    return running;
}

/* Prints what the rank printed, waits for it, and says how it ended. */
static int end_rank(const struct tool *tool, const struct launch *launch, const struct running *running)
{
    int status = 0;

    if (running->pid < 0)
        return failure("The process could not be started.\n");
    copy_output(running->out, launch, running->rank);
    if (waitpid(running->pid, &status, 0) != running->pid)
        return 1;
    if (WIFSIGNALED(status))
        return killed(running->place, running->rank, (int)running->pid, WTERMSIG(status));
    if (WEXITSTATUS(status) == 127) {
        fprintf(
            stderr,
            LINE
            "mpirun was unable to find the specified executable file, and therefore\ndid not launch the job. "
            " "
            "This error was first reported for process\nrank %u; it may have occurred for other processes as "
            "well.\n\nNode:       %s\nExecutable: %s\n" LINE,
            running->rank, running->place->name, tool->argv[launch->command]);
        return 1;
    }
    if (WEXITSTATUS(status) != 0)
        fprintf(
            stderr,
            LINE
            "mpirun detected that one or more processes exited with non-zero status, thus causing\nthe job "
            "to be "
            "terminated. The first process to do so was:\n\n  Process name: [[40139,1],%u]\n  Exit code:    "
            "%d\n" LINE,
            running->rank, WEXITSTATUS(status));
    return WEXITSTATUS(status);
}

/* A window of ranks runs at a time; the first failure is what mpirun returns, once its window has ended. */
static int run_ranks(struct tool *tool, const struct launch *launch)
{
    struct running running[WINDOW];
    size_t place = 0;
    unsigned rank = 0, local = 0;
    int rc = 0;

    while (rc == 0 && rank < launch->processes) {
        unsigned count = 0;

        while (count < WINDOW && rank < launch->processes) {
            if (local == launch->places.items[place].ranks) {
                place++;
                local = 0;
                continue;
            }
            running[count++] = begin_rank(tool, launch, &launch->places.items[place], rank++, local++);
        }
        for (unsigned i = 0; i < count; i++) {
            int ended = end_rank(tool, launch, &running[i]);

            rc = rc != 0 ? rc : ended;
        }
    }
    return rc;
}

/* Programs that run as one over all hosts. */

static int check_program(struct tool *tool, const struct launch *launch, const char *program)
{
    unsigned rank = 0;

    for (size_t i = 0; i < launch->places.count; rank += launch->places.items[i++].ranks) {
        const struct place *place = &launch->places.items[i];

        if (place->ranks == 0)
            continue;
        if (fault_of_tool(tool->lab, place->host, FAULT_TOOL_MISSING, program) != NULL) {
            fprintf(
                stderr,
                LINE
                "mpirun was unable to find the specified executable file, and therefore\ndid not launch the "
                "job.\n\nNode:       %s\nExecutable: %s\n" LINE,
                place->name, program);
            return 1;
        }
        while (fault_of_tool(tool->lab, place->host, FAULT_TOOL_HANG, program) != NULL)
            pause();
        if (fault_of_tool(tool->lab, place->host, FAULT_TOOL_CRASH, program) != NULL)
            return killed(place, rank, (int)getpid() + 1, SIGSEGV);
    }
    return 0;
}

typedef int over_hosts(struct tool *tool, struct lab_host *hosts, size_t count, unsigned processes);

static int run_over(struct tool *tool, const struct launch *launch, const char *program, over_hosts *over)
{
    struct lab_host *hosts = arena_array(tool->arena, struct lab_host, launch->places.count);
    struct tool inner = *tool;
    size_t count = 0;
    unsigned ranks = 0;
    int rc = check_program(tool, launch, program);

    for (size_t i = 0; i < launch->places.count; i++)
        if (launch->places.items[i].ranks > 0) {
            lab_host_init(&hosts[count++], tool->lab, launch->places.items[i].host);
            ranks = launch->places.items[i].ranks;
        }
    if (rc != 0)
        return rc;
    if (ranks * count != launch->processes)
        return failure("The ranks are not spread evenly over the nodes, which this simulation needs.\n");
    inner.name = program;
    inner.argc = tool->argc - launch->command;
    inner.argv = tool->argv + launch->command;
    inner.host = &hosts[0];
    return over(&inner, hosts, count, launch->processes);
}

static const char *plain_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static bool is_nccl_test(const char *path)
{
    return slice_ends(slice_of(plain_name(path)), "_perf");
}

/*
 * A test that has a load beside it: sh -c SCRIPT NAME SECONDS PROGRAM..., of which the first rank of each host is carried out as
 * it is, with a program in the place of PROGRAM that says that it was begun, and lasts as long as the test of all hosts does.
 */
enum { WORDS_OF_LOAD = 5, BEGUN_FD = 9 };

struct load {
    const struct place *place;
    unsigned rank;
    pid_t pid;
    int begun; /* a byte comes when the load is there, and the end when it never will be */
    int over;  /* closed: the test has ended */
};

static bool has_load(const struct tool *tool, const struct launch *launch)
{
    char *const *words = tool->argv + launch->command;

    return tool->argc - launch->command > WORDS_OF_LOAD && strcmp(plain_name(words[0]), "sh") == 0 &&
           strcmp(words[1], "-c") == 0 && is_nccl_test(words[WORDS_OF_LOAD]);
}

static void be_load(struct tool *tool, const struct launch *launch, const struct place *place, int begun,
                    int over)
{
    char *const *words = tool->argv + launch->command;

    dup2(over, STDIN_FILENO);
    /* That of the fourth host may have this number already. */
    if (begun == BEGUN_FD)
        fcntl(begun, F_SETFD, 0);
    else
        dup2(begun, BEGUN_FD);
    lab_enter_host(tool, place->host);
    setenv("OMPI_COMM_WORLD_LOCAL_RANK", "0", 1);
    execlp("sh", "sh", "-c", words[2], words[3], words[4], "sh", "-c",
           "echo >&9; exec 9>&-; exec cat >/dev/null", (char *)NULL);
    _exit(127);
}

static struct load begin_load(struct tool *tool, const struct launch *launch, const struct place *place,
                              unsigned rank)
{
    struct load load = {place, rank, -1, -1, -1};
    int begun[2], over[2];

    if (pipe2(begun, O_CLOEXEC) < 0 || pipe2(over, O_CLOEXEC) < 0)
        return load;
    fflush(NULL);
    load.pid = fork();
    if (load.pid == 0)
        be_load(tool, launch, place, begun[1], over[0]);
    load.begun = begun[0];
    load.over = over[1];
    close(begun[1]);
    close(over[0]);
    return load;
}

/* The exit status; the test is over for it. */
static int end_load(const struct load *load)
{
    int status = 0;

    close(load->over);
    close(load->begun);
    if (load->pid < 0 || waitpid(load->pid, &status, 0) != load->pid)
        return 1;
    return WIFSIGNALED(status) ? killed(load->place, load->rank, (int)load->pid, WTERMSIG(status))
                               : WEXITSTATUS(status);
}

static int run_loaded(struct tool *tool, struct launch *launch)
{
    struct load *loads = arena_array(tool->arena, struct load, launch->places.count + 1);
    size_t count = 0;
    unsigned rank = 0;
    bool all = true;
    int rc = 0;

    for (size_t i = 0; i < launch->places.count; rank += launch->places.items[i++].ranks)
        if (launch->places.items[i].ranks > 0)
            loads[count++] = begin_load(tool, launch, &launch->places.items[i], rank);
    for (size_t i = 0; i < count; i++) {
        char byte;

        all &= read(loads[i].begun, &byte, 1) == 1;
    }
    launch->command += WORDS_OF_LOAD;
    if (all)
        rc = run_over(tool, launch, plain_name(tool->argv[launch->command]), tool_nccl_over);
    for (size_t i = 0; i < count; i++) {
        int ended = end_load(&loads[i]);

        rc = rc != 0 ? rc : ended;
    }
    return rc;
}

/* NULL: it is none of these. */
static over_hosts *wide_program(const char *program)
{
    static const struct {
        const char *name;
        over_hosts *over;
    } programs[] = {{"assay-probe-links", tool_probe_links_over},
                    {"assay-probe-gpu-mpi", tool_probe_training_over},
                    {"ior", tool_ior_over},
                    {"mdtest", tool_mdtest_over},
                    {"elbencho", tool_elbencho_over}};

    for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
        if (strcmp(programs[i].name, program) == 0)
            return programs[i].over;
    return is_nccl_test(program) ? tool_nccl_over : NULL;
}

int tool_mpirun(struct tool *tool)
{
    struct launch launch = {0};
    const char *program;
    int rc = read_arguments(tool, &launch);

    if (rc >= 0)
        return rc;
    rc = distribute(tool, &launch);
    if (rc == 0)
        rc = check_reach(tool, &launch);
    if (rc != 0)
        return rc;
    program = plain_name(tool->argv[launch.command]);
    if (has_load(tool, &launch))
        return run_loaded(tool, &launch);
    if (wide_program(program) != NULL)
        return run_over(tool, &launch, program, wide_program(program));
    return run_ranks(tool, &launch);
}

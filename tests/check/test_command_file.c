/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command files as a host's shell really runs them, and what is read back from the two streams. The tools are
 * small scripts in a folder whose name has a space in it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit_test.h"
#include "assay/base/files.h"
#include "assay/model/reason.h"
#include "assay/plan/plan_build.h"

#define UUID "11111111-1111-4111-8111-111111111111"
#define FRAME "0123456789abcdef0123456789abcdef"

static const char platform_text[] = "{\"name\": \"solo\", \"title\": \"two GPUs\", \"source\": \"test\", "
                                    "\"gpus\": {\"count\": 2, \"models\": [\"T\"], "
                                    "\"pci_ids\": [\"10de:2330\"]}, \"nvlink\": {\"links\": 0}, "
                                    "\"nvswitch\": false, \"fabric_state\": false, "
                                    "\"driver_minimum\": \"525.60.13\"}";

struct host_folder {
    struct arena *arena;
    char path[64];
    const char *shell;
    struct check_context context; /* of the last step */
    struct error err;
    struct attempt attempt;
    struct staged staged; /* without a toolset: nothing is */
};

static void put(struct host_folder *folder, const char *name, const char *text)
{
    const char *path = arena_printf(folder->arena, "%s/tool box/%s", folder->path, name);

    if (file_write(path, text, strlen(text), 0755, &folder->err) < 0)
        fail_msg("%s", folder->err.text);
}

static void folder_begin(struct host_folder *folder)
{
    *folder = (struct host_folder){
        .arena = arena_create(), .path = "/tmp/assay-command-XXXXXX", .shell = "/bin/sh"};
    if (mkdtemp(folder->path) == NULL)
        fail_msg("no temporary folder");
    assert_int_equal(mkdir(arena_printf(folder->arena, "%s/tool box", folder->path), 0700), 0);
    /* Locks of others on this machine are waited for. */
    setenv("ASSAY_LOCKS", arena_printf(folder->arena, "%s/locks", folder->path), 1);
    put(folder, "p2pBandwidthLatencyTest", "#!/bin/sh\necho quiet\n");
}

static void folder_end(struct host_folder *folder)
{
    assert_int_equal(directory_remove(folder->path, &folder->err), 0);
    arena_destroy(folder->arena);
}

/* dmesg prints `before` when it is asked for the first time and `after` from then on. */
static void put_log(struct host_folder *folder, const char *before, const char *after)
{
    put(folder, "before", before);
    put(folder, "after", after);
    put(folder, "dmesg",
        "#!/bin/sh\nhere=${0%/*}\nif [ -e \"$here/asked\" ]; then cat \"$here/after\"\n"
        "else : >\"$here/asked\"; cat \"$here/before\"; fi\n");
}

static struct slice bytes_of(struct host_folder *folder, const char *name)
{
    cleanup_text struct text text = {0};

    text_init(&text, 1 << 20);
    if (file_read(arena_printf(folder->arena, "%s/%s", folder->path, name), &text, &folder->err) < 0)
        fail_msg("%s", folder->err.text);
    return slice_of(arena_strdup(folder->arena, text.bytes));
}

static void carry_out_file(struct host_folder *folder, const char *command, const char *secret,
                           struct capture captures[2])
{
    struct arena *arena = folder->arena;

    if (file_write(arena_printf(arena, "%s/command", folder->path), command, strlen(command), 0600,
                   &folder->err) < 0)
        fail_msg("%s", folder->err.text);
    assert_int_equal(
        system(arena_printf(arena,
                            "cd '%s' && echo '%s' | ASSAY_ATTEMPT=" UUID " ASSAY_DIR=. %s command >out 2>err",
                            folder->path, secret, folder->shell)),
        0);
    captures[0] = (struct capture){.stream = "stdout", .bytes = bytes_of(folder, "out")};
    captures[1] = (struct capture){.stream = "stderr", .bytes = bytes_of(folder, "err")};
}

static void carry_out_window(struct host_folder *folder, const struct check_context *context,
                             enum window_role role)
{
    cleanup_text struct text command = {0};
    struct window window = {.role = role, .end = ATTEMPT_RAN, .boot_id = "b"};

    text_init(&command, 1 << 20);
    check_window_file(context, role, &folder->attempt, 0, &command);
    carry_out_file(folder, command.bytes, check_window_words(context, &folder->attempt, role, 0),
                   window.captures);
    *list_push(folder->arena, &folder->attempt.windows) = window;
}

/* Runs the command files of a step and, where it has one, of its window in the folder and reads what they captured. */
static void carry_out_step(struct host_folder *folder, const char *step)
{
    struct arena *arena = folder->arena;
    struct plan_sources sources = {0};
    struct plan_options options = {.run_uuid = UUID};
    struct plan_notes notes;
    struct plan *plan;
    struct check_context context;
    cleanup_text struct text command = {0};
    const char *suite = arena_printf(arena,
                                     "{\"name\": \"s\", \"title\": \"t\", \"purpose\": \"trial\", "
                                     "\"platform\": \"solo\", \"search_path\": [\"%s/tool box\"], "
                                     "\"steps\": [%s]}",
                                     folder->path, step);

    sources.hostfile = hostfile_parse(arena, "hosts", slice_of("node1\n"), &folder->err);
    sources.suite = suite_parse(arena, "suite", slice_of(suite), &folder->err);
    if (sources.suite == NULL)
        fail_msg("%s", folder->err.text);
    sources.limits.suite = sources.suite;
    sources.staged = folder->staged.toolset != NULL ? &folder->staged : NULL;
    *list_push(arena, &sources.platforms) =
        platform_parse(arena, "platform", slice_of(platform_text), &folder->err);
    plan = plan_build(arena, &sources, &options, &notes, &folder->err);
    if (plan == NULL)
        fail_msg("%s", folder->err.text);
    plan_context(arena, &sources, &plan->steps.items[0], &context);
    folder->attempt =
        (struct attempt){.uuid = UUID, .frame = FRAME, .state = ATTEMPT_ENDED, .end = ATTEMPT_RAN};
    if (!context.check->passive)
        carry_out_window(folder, &context, WINDOW_BEFORE);
    text_init(&command, 1 << 20);
    check_command_file(&context, &command);
    carry_out_file(folder, command.bytes, check_words(&context, &folder->attempt), folder->attempt.captures);
    if (!context.check->passive)
        carry_out_window(folder, &context, WINDOW_AFTER);
    check_read(&context, &folder->attempt);
    folder->context = context;
}

static void carry_out(struct host_folder *folder)
{
    carry_out_step(folder, "{\"check\": \"p2p-bandwidth\"}");
}

static void do_there(struct host_folder *folder, const char *commands)
{
    assert_int_equal(system(arena_printf(folder->arena, "umask 077; cd '%s' && %s", folder->path, commands)),
                     0);
}

/* What `assay stage` leaves on a host: a version with another program of that name. */
static void stage(struct host_folder *folder)
{
    const char *bundle = arena_printf(folder->arena, "%s/bundle", folder->path);

    do_there(folder,
             "mkdir -p bundle/bin bundle/lib && echo x >bundle/lib/libx.so && "
             "printf '#!/bin/sh\\necho staged $LD_LIBRARY_PATH\\n' >bundle/bin/p2pBandwidthLatencyTest && "
             "chmod 700 bundle/bin/*");
    folder->staged.root = arena_printf(folder->arena, "%s/staged", folder->path);
    folder->staged.toolset = toolset_load(folder->arena, bundle, &folder->err);
    if (folder->staged.toolset == NULL)
        fail_msg("%s", folder->err.text);
    do_there(folder, arena_printf(folder->arena, "mkdir staged && cp -r bundle staged/%s",
                                  folder->staged.toolset->version));
}

#define BOOT "[    0.000000] Linux version 6.1\n"
#define OLD_XID "[ 3600.000001] NVRM: Xid (PCI:0000:19:00): 79, pid=1, name=x, GPU has fallen off the bus.\n"
#define NEW_XID "[ 3600.000002] NVRM: Xid (PCI:0000:19:00): 48, pid=1, name=x, DBE\n"

static const char *kernel_log(const struct host_folder *folder)
{
    return reading_get_fact(&folder->attempt.reading, "kernel.log", "");
}

static void a_tool_in_a_folder_with_a_space_is_found(void **state)
{
    struct host_folder folder;
    const struct part *part;

    (void)state;
    folder_begin(&folder);
    put_log(&folder, BOOT, BOOT);
    carry_out(&folder);
    part = attempt_part(&folder.attempt, "main");
    assert_non_null(part);
    assert_true(part->ended);
    assert_int_equal(part->rc, 0);
    assert_true(slice_equal(part->out, "quiet\n"));
    assert_string_equal(kernel_log(&folder), "read");
    folder_end(&folder);
}

static void staged_tools_come_before_the_host_s_own(void **state)
{
    struct host_folder folder;
    const struct part *part;

    (void)state;
    folder_begin(&folder);
    put_log(&folder, BOOT, BOOT);
    stage(&folder);
    carry_out(&folder);
    part = attempt_part(&folder.attempt, "main");
    assert_non_null(part);
    assert_int_equal(part->rc, 0);
    assert_true(slice_equal(part->out, arena_printf(folder.arena, "staged %s/%s/lib\n", folder.staged.root,
                                                    folder.staged.toolset->version)));
    folder_end(&folder);
}

static void a_staged_tool_that_is_another_now_or_gone_is_not_run_nor_is_the_host_s_own(void **state)
{
    static const char *const spoilt[][2] = {
        {"for f in staged/*/bin/*Test; do echo : >>$f; done", "is not what was staged"},
        {"rm staged/*/bin/*Test", "is not what was staged"},
        {"chmod 755 staged/*", "are not on this host"}, /* others could have written there */
        {"rm -rf staged", "are not on this host"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(spoilt); i++) {
        struct host_folder folder;
        const struct part *part;

        folder_begin(&folder);
        put_log(&folder, BOOT, BOOT);
        stage(&folder);
        do_there(&folder, spoilt[i][0]);
        carry_out(&folder);
        part = attempt_part(&folder.attempt, "main");
        assert_non_null(part);
        assert_int_equal(part->rc, 127);
        assert_int_equal(part->out.length, 0);
        assert_non_null(strstr(reason_english(folder.arena, part->reading.reason), spoilt[i][1]));
        assert_int_not_equal(part->reading.status, READING_COMPLETE);
        folder_end(&folder);
    }
}

/* Whatever the host's shell is, and whatever its environment says: what is run finds no word of the secret. */
static void what_marks_the_output_is_out_of_reach_of_what_is_run(void **state)
{
    static const char *const shells[] = {"/bin/sh", "/bin/dash", "/bin/bash --posix", "/bin/busybox sh"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(shells); i++) {
        struct host_folder folder;
        struct slice words, word;
        const struct part *part;

        folder_begin(&folder);
        folder.shell = shells[i];
        if (access(arena_strndup(folder.arena, shells[i], strcspn(shells[i], " ")), X_OK) != 0) {
            print_message("not tried: there is no %s\n", shells[i]);
            folder_end(&folder);
            continue;
        }
        put_log(&folder, BOOT, BOOT);
        put(&folder, "p2pBandwidthLatencyTest",
            "#!/bin/sh\necho looked; cat; env; cat \"$0\" ./command\n"
            "for p in self $PPID; do tr '\\0' '\\n' </proc/$p/environ; tr '\\0' '\\n' </proc/$p/cmdline\n"
            "timeout 1 cat /proc/$p/fd/0; done\n");
        carry_out(&folder);
        part = attempt_part(&folder.attempt, "main");
        assert_non_null(part);
        assert_true(part->ended && slice_starts(part->out, "looked\n"));
        assert_true(slice_contains(part->out, "ASSAY_ATTEMPT=" UUID));
        /* What marks the beginnings is before the part on its streams, and all other words come later. */
        words = slice_of(check_words(&folder.context, &folder.attempt));
        assert_true(scan_word(&words, &word));
        while (scan_word(&words, &word))
            assert_false(slice_contains(part->out, arena_strndup(folder.arena, word.bytes, word.length)));
        assert_null(reading_get_fact(&folder.attempt.reading, OUTPUT_FORGED, ""));
        folder_end(&folder);
    }
}

static void an_xid_from_before_the_test_is_not_of_the_test_and_a_later_one_is(void **state)
{
    struct host_folder folder;

    (void)state;
    folder_begin(&folder);
    put_log(&folder, BOOT OLD_XID, BOOT OLD_XID NEW_XID);
    carry_out(&folder);
    assert_string_equal(kernel_log(&folder), "read");
    assert_int_equal(folder.attempt.reading.findings.count, 1);
    assert_string_equal(folder.attempt.reading.findings.items[0].code, "xid.48");
    folder_end(&folder);
}

static void a_log_that_proves_nothing_is_not_read(void **state)
{
    static const char *const logs[][2] = {
        {"", ""},                              /* empty: nobody's log is */
        {"Linux version 6.1\n", "NVRM: ok\n"}, /* no times: which lines are new? */
        {BOOT, NEW_XID},                       /* the lines of the window's begin are gone */
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(logs); i++) {
        struct host_folder folder;

        folder_begin(&folder);
        put_log(&folder, logs[i][0], logs[i][1]);
        carry_out(&folder);
        assert_non_null(strstr(kernel_log(&folder), "not read"));
        folder_end(&folder);
    }
}

static void why_the_log_was_not_read_is_in_the_programs_own_words(void **state)
{
    struct host_folder folder;

    (void)state;
    folder_begin(&folder);
    put(&folder, "dmesg",
        "#!/bin/sh\necho 'dmesg: read kernel buffer failed: Operation not permitted' >&2\nexit 1\n");
    carry_out(&folder);
    assert_string_equal(kernel_log(&folder),
                        "not read: dmesg: read kernel buffer failed: Operation not permitted");
    folder_end(&folder);
}

static void an_xid_in_what_is_left_of_a_flooded_log_is_found(void **state)
{
    struct host_folder folder;

    (void)state;
    folder_begin(&folder);
    put_log(&folder, BOOT, NEW_XID);
    carry_out(&folder);
    assert_int_equal(folder.attempt.reading.findings.count, 1);
    folder_end(&folder);
}

/* Beside a main part that waits until the sampler has shown its lines and, where it `dies`, is gone. */
static const char *seen_in_samples(const char *lines, bool dies, const char *wanted)
{
    static char seen[32];
    struct host_folder folder;
    const char *fact;

    folder_begin(&folder);
    put_log(&folder, BOOT, BOOT);
    put(&folder, "nvidia-smi",
        arena_printf(folder.arena,
                     "#!/bin/sh\ncase \"$*\" in *' -l '*) ;; *) exit 0;; esac\n"
                     "printf '%s'\n"
                     "echo $$ >\"${0%%/*}/pid\"\n%s\n",
                     lines, dies ? "exit 0" : "exec sleep 600"));
    put(&folder, "p2pBandwidthLatencyTest",
        arena_printf(folder.arena,
                     "#!/bin/sh\nuntil [ -s \"${0%%/*}/pid\" ]; do sleep 0.02; done\n"
                     "while %s && kill -0 \"$(cat \"${0%%/*}/pid\")\" 2>/dev/null; do sleep 0.02; done\n",
                     dies ? "true" : "false"));
    carry_out(&folder);
    fact = reading_get_fact(&folder.attempt.reading, wanted, "gpu0");
    snprintf(seen, sizeof seen, "%s", fact != NULL ? fact : "nobody knows");
    folder_end(&folder);
    return seen;
}

static const char *slowdown_seen(const char *reasons, bool dies)
{
    char line[128];

    snprintf(line, sizeof line, "2026/01/01 00:00:00.000, 0, 61, 70, 690.10, 1980, 5, 100, %s\\n", reasons);
    return seen_in_samples(line, dies, "window.throttle.hw_slowdown");
}

#define SAMPLE(clock_, busy_, reasons_, most_)                                                        \
    "2026/01/01 00:00:00.000, 0, 61, 70, 410.10, " clock_ ", 5, " busy_ ", 0x00000000000000" reasons_ \
    ", " most_ ", 700.00\\n"

static void a_clock_that_nothing_holds_down_is_near_its_highest(void **state)
{
    static const char held_down[] = "window.clock.held_down";

    (void)state;
    /* nvidia-smi -lgc 1200 */
    assert_string_equal(seen_in_samples(SAMPLE("210", "0", "01", "1980") SAMPLE("1200", "100", "00", "1980"),
                                        false, held_down),
                        "1200 of 1980 MHz");
    assert_string_equal(seen_in_samples(SAMPLE("1950", "100", "00", "1980"), false, held_down), "no");
    /* What holds it down is told, and judged by itself. */
    assert_string_equal(seen_in_samples(SAMPLE("1200", "100", "04", "1980"), false, held_down), "no");
    assert_string_equal(seen_in_samples(SAMPLE("1200", "100", "04", "1980")
                                            SAMPLE("1200", "100", "00", "1980"),
                                        false, held_down),
                        "no");
    assert_string_equal(seen_in_samples(SAMPLE("1200", "100", "02", "1980"), false, held_down), "no");
    /* At rest, without its highest clock, without reasons, in a capture of before: nobody knows. */
    assert_string_equal(seen_in_samples(SAMPLE("210", "0", "00", "1980"), false, held_down), "nobody knows");
    assert_string_equal(seen_in_samples(SAMPLE("1200", "100", "00", "[N/A]"), false, held_down),
                        "nobody knows");
    assert_string_equal(
        seen_in_samples("2026/01/01 00:00:00.000, 0, 61, 70, 410.10, 1200, 5, 100, 0x0000000000000000\\n",
                        false, held_down),
        "nobody knows");
}

static void a_sampler_that_ended_early_has_not_seen_all_of_the_test(void **state)
{
    (void)state;
    assert_string_equal(slowdown_seen("0x0000000000000000", false), "Not Active");
    assert_string_equal(slowdown_seen("0x0000000000000008", false), "Active");
    assert_string_equal(slowdown_seen("0x0000000000000008", true), "Active");
    assert_string_equal(slowdown_seen("0x0000000000000000", true), "nobody knows");
}

static void bytes_between_the_marks_are_the_commands_own(void **state)
{
    struct host_folder folder;
    const struct part *part;

    (void)state;
    folder_begin(&folder);
    put_log(&folder, BOOT, BOOT);
    put(&folder, "p2pBandwidthLatencyTest", "#!/bin/sh\nprintf 'no newline, \\001\\377'; exit 9\n");
    carry_out(&folder);
    part = attempt_part(&folder.attempt, "main");
    assert_true(slice_equal(part->out, "no newline, \001\377"));
    assert_int_equal(part->rc, 9);
    folder_end(&folder);
}

static void what_a_tool_says_on_stderr_is_in_the_reason(void **state)
{
    struct host_folder folder;

    (void)state;
    folder_begin(&folder);
    put_log(&folder, BOOT, BOOT);
    put(&folder, "p2pBandwidthLatencyTest",
        "#!/bin/sh\necho 'error while loading shared libraries: libcudart.so.12' >&2; exit 127\n");
    carry_out(&folder);
    assert_int_not_equal(folder.attempt.reading.status, READING_COMPLETE);
    assert_non_null(strstr(reason_english(folder.arena, folder.attempt.reading.reason),
                           "stderr: error while loading shared libraries: libcudart"));
    folder_end(&folder);
}

/* Of the first GPU; the second one works and is right. */
#define UPDATE(work, errors) \
    "\\r10.0%%%%  proc'\\''d: " work " - 5 (910 Gflop/s)   errors: " errors " - 0   temps: 50 C - 50 C "

/* gpu_burn beside a test: whether it loaded it from the first byte to the last, and what it found. */
static void a_load_that_is_not_there_all_the_time_is_told(void **state)
{
    static const struct {
        const char *burn, *load, *results; /* NULL: nobody knows */
    } rows[] = {
        {"printf '" UPDATE("0 (0 Gflop/s)", "0") UPDATE("5 (912 Gflop/s)", "0") "'; exec sleep 60",
         "all the time", "right"},
        /* The program forgets its errors at each summary. */
        {"printf '" UPDATE("5 (912 Gflop/s)", "77  (WARNING!)")
             UPDATE("9 (911 Gflop/s)", "0") "'; exec sleep 60",
         "all the time", "gpu0: 77 wrong results in one update"},
        {"printf '" UPDATE("5 (912 Gflop/s)", "-1  (DIED!)") "'; exec sleep 60", "all the time",
         "gpu0: gpu_burn died on it"},
        /* It is seen at work before it ends, also on a busy machine, and the test outlasts it. */
        {"printf '" UPDATE("5 (912 Gflop/s)", "0") "'; : >\"$ASSAY_LAB_ROOT/ends\"; sleep 2; exit 0",
         "gpu_burn ended before the test did", "right"},
        {"echo \"Couldn't init a GPU test\"; exit 1", "gpu_burn did no work on each GPU within 120 s", NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct host_folder folder;
        const char *load, *results;

        folder_begin(&folder);
        put_log(&folder, BOOT, BOOT);
        do_there(&folder, "mkdir -p var/tmp");
        setenv("ASSAY_LAB_HOST", "node1", 1);
        setenv("ASSAY_LAB_ROOT", folder.path, 1);
        put(&folder, "gpu_burn", arena_printf(folder.arena, "#!/bin/sh\n%s\n", rows[i].burn));
        put(&folder, "all_reduce_perf",
            "#!/bin/sh\nsleep 0.3; [ ! -e \"$ASSAY_LAB_ROOT/ends\" ] || sleep 4; echo \"perf $*\"\n");
        carry_out_step(&folder,
                       "{\"check\": \"nccl-all-reduce\", \"arguments\": {\"beside\": \"gpu-burn\"}}");
        unsetenv("ASSAY_LAB_HOST");
        unsetenv("ASSAY_LAB_ROOT");
        load = reading_get_fact(&folder.attempt.reading, "beside.load", "");
        results = reading_get_fact(&folder.attempt.reading, "beside.results", "");
        assert_string_equal(load != NULL ? load : "nobody knows", rows[i].load);
        assert_string_equal(results != NULL ? results : "nobody knows",
                            rows[i].results != NULL ? rows[i].results : "nobody knows");
        /* Without its load the test is not made: it would say something else. */
        assert_true(slice_contains(attempt_part(&folder.attempt, "main")->out, "perf -b 1M") ==
                    (rows[i].results != NULL));
        folder_end(&folder);
    }
}

/* The driver's word on why clocks are lower, of two GPUs under load. */
static void gpus_that_tell_no_reason_for_lower_clocks_say_so_only_all_together(void **state)
{
    static const struct {
        const char *first, *second, *told; /* NULL: nobody knows */
    } rows[] = {
        {"0x0000000000000000", "0x0000000000000000", "none"},
        {"0x0000000000000040", "0x0000000000000000", "gpu0: hw_thermal_slowdown"},
        {"[N/A]", "[Not Supported]", "not told"},
        {"[N/A]", "0x0000000000000000", NULL},
        {"[N/A]", "0x0000000000000040", "gpu1: hw_thermal_slowdown"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct host_folder folder;
        const char *told;

        folder_begin(&folder);
        put_log(&folder, BOOT, BOOT);
        do_there(&folder, "mkdir -p var/tmp");
        setenv("ASSAY_LAB_HOST", "node1", 1);
        setenv("ASSAY_LAB_ROOT", folder.path, 1);
        put(&folder, "gpu_burn", "#!/bin/sh\nprintf '" UPDATE("5 (912 Gflop/s)", "0") "'; exec sleep 60\n");
        put(&folder, "nvidia-smi",
            arena_printf(
                folder.arena,
                "#!/bin/sh\ncase \"$*\" in *' -l '*) ;; *) exit 0;; esac\n"
                "for i in 1 2 3; do echo '0, 60, 600.1, 1700, 99, %s'\n"
                "echo '1, 61, 610.1, 1700, 99, %s'; done; echo $$ >\"${0%%/*}/pid\"; exec sleep 60\n",
                rows[i].first, rows[i].second));
        put(&folder, "all_reduce_perf", "#!/bin/sh\nuntil [ -s \"${0%/*}/pid\" ]; do sleep 0.02; done\n");
        carry_out_step(&folder,
                       "{\"check\": \"nccl-all-reduce\", \"arguments\": {\"beside\": \"gpu-burn\"}}");
        unsetenv("ASSAY_LAB_HOST");
        unsetenv("ASSAY_LAB_ROOT");
        told = reading_get_fact(&folder.attempt.reading, "beside.slowdown", "");
        if (told == NULL ? rows[i].told != NULL : rows[i].told == NULL || strcmp(told, rows[i].told) != 0)
            fail_msg("row %zu: %s", i, told != NULL ? told : "nobody knows");
        folder_end(&folder);
    }
}

static void libraries_that_ldd_does_not_tell_of_are_not_found(void **state)
{
    static const struct {
        const char *ldd, *told; /* NULL: undecided */
    } rows[] = {
        {"#!/bin/sh\necho '\tlibc.so.6 => /lib/libc.so.6 (0x1)'\n", "found"},
        {"#!/bin/sh\necho '\tlibcudart.so.12 => not found'\n", "not found: libcudart.so.12"},
        {"#!/bin/sh\necho '\tnot a dynamic executable' >&2; exit 1\n", "found"},
        {"#!/bin/sh\necho 'cannot allocate memory' >&2; exit 1\n", NULL},
        {"#!/bin/sh\nexit 127\n", NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct host_folder folder;
        const char *told;

        folder_begin(&folder);
        put(&folder, "ldd", rows[i].ldd);
        carry_out_step(&folder, "{\"check\": \"tools\", \"arguments\": {\"tools\": "
                                "{\"p2pBandwidthLatencyTest\": \"\"}}}");
        assert_string_equal(
            reading_get_fact(&folder.attempt.reading, "tool.found", "p2pBandwidthLatencyTest"), "yes");
        told = reading_get_fact(&folder.attempt.reading, "tool.libraries", "p2pBandwidthLatencyTest");
        if (rows[i].told == NULL)
            assert_null(told);
        else
            assert_string_equal(told, rows[i].told);
        folder_end(&folder);
    }
}

static void print_root(struct host_folder *folder, const char *expected)
{
    folder_begin(folder);
    put_log(folder, BOOT, BOOT);
    put(folder, "p2pBandwidthLatencyTest", "#!/bin/sh\necho \"[$ASSAY_LAB_ROOT]\"\n");
    carry_out(folder);
    assert_true(slice_equal(attempt_part(&folder->attempt, "main")->out, expected));
    folder_end(folder);
}

static void a_users_own_variable_does_not_move_the_hosts_files(void **state)
{
    struct host_folder folder;

    (void)state;
    unsetenv("ASSAY_LAB_HOST");
    setenv("ASSAY_LAB_ROOT", "/nowhere", 1);
    print_root(&folder, "[]\n");
    setenv("ASSAY_LAB_HOST", "node1", 1);
    print_root(&folder, "[/nowhere]\n");
    unsetenv("ASSAY_LAB_HOST");
    unsetenv("ASSAY_LAB_ROOT");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tool_in_a_folder_with_a_space_is_found),
        cmocka_unit_test(what_marks_the_output_is_out_of_reach_of_what_is_run),
        cmocka_unit_test(staged_tools_come_before_the_host_s_own),
        cmocka_unit_test(a_staged_tool_that_is_another_now_or_gone_is_not_run_nor_is_the_host_s_own),
        cmocka_unit_test(an_xid_from_before_the_test_is_not_of_the_test_and_a_later_one_is),
        cmocka_unit_test(a_log_that_proves_nothing_is_not_read),
        cmocka_unit_test(why_the_log_was_not_read_is_in_the_programs_own_words),
        cmocka_unit_test(an_xid_in_what_is_left_of_a_flooded_log_is_found),
        cmocka_unit_test(a_sampler_that_ended_early_has_not_seen_all_of_the_test),
        cmocka_unit_test(a_clock_that_nothing_holds_down_is_near_its_highest),
        cmocka_unit_test(bytes_between_the_marks_are_the_commands_own),
        cmocka_unit_test(what_a_tool_says_on_stderr_is_in_the_reason),
        cmocka_unit_test(a_load_that_is_not_there_all_the_time_is_told),
        cmocka_unit_test(gpus_that_tell_no_reason_for_lower_clocks_say_so_only_all_together),
        cmocka_unit_test(libraries_that_ldd_does_not_tell_of_are_not_found),
        cmocka_unit_test(a_users_own_variable_does_not_move_the_hosts_files),
    };

    unsetenv("LD_LIBRARY_PATH"); /* valgrind sets one, and staged tools keep what is there */
    return cmocka_run_group_tests_name("command file", tests, NULL, NULL);
}

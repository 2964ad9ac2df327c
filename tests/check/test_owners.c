/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose host it is, by what lies on a host: the command that a window asks, as a host's shell runs it over a tree of
 * files, with small scripts for Slurm's own programs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "assay/files.h"
#include "assay/plan_build.h"

#define STORAGE "\"check\": \"storage\", \"arguments\": {\"mounts\": [\"/tmp\"]}"
#define UUID "11111111-1111-4111-8111-111111111111"
#define POD "0a1b2c3d-0000-4111-8111-222222222222"

static const char platform_text[] = "{\"name\": \"solo\", \"title\": \"one GPU\", \"source\": \"test\", "
                                    "\"gpus\": {\"count\": 1, \"models\": [\"T\"], "
                                    "\"pci_ids\": [\"10de:2330\"]}, \"nvlink\": {\"links\": 0}, "
                                    "\"nvswitch\": false, \"fabric_state\": false, "
                                    "\"driver_minimum\": \"525.60.13\"}";

struct tree {
    struct arena *arena;
    char path[64];
    struct error err;
};

static int begin(void **state)
{
    struct tree *tree = mem_alloc(sizeof *tree);

    *tree = (struct tree){.arena = arena_create(), .path = "/tmp/assay-owners-XXXXXX"};
    *state = tree;
    return mkdtemp(tree->path) != NULL ? 0 : -1;
}

static int end(void **state)
{
    struct tree *tree = *state;
    int result = directory_remove(tree->path, &tree->err);

    arena_destroy(tree->arena);
    free(tree);
    return result;
}

static void put_bytes(struct tree *tree, const char *name, const char *bytes, size_t length)
{
    char *path = arena_printf(tree->arena, "%s/%s", tree->path, name), *slash = strrchr(path, '/');

    *slash = '\0';
    assert_int_equal(directory_create(path, 0700, &tree->err), 0);
    *slash = '/';
    assert_int_equal(file_write(path, bytes, length, 0755, &tree->err), 0);
}

static void put(struct tree *tree, const char *name, const char *text)
{
    put_bytes(tree, name, text, strlen(text));
}

static void context_of(struct tree *tree, const char *step, struct check_context *ret_context)
{
    struct arena *arena = tree->arena;
    struct plan_sources *sources = arena_new(arena, struct plan_sources);
    struct plan_options options = {.run_uuid = UUID};
    struct plan_notes notes;
    struct plan *plan;
    const char *suite = arena_printf(arena,
                                     "{\"name\": \"s\", \"title\": \"t\", \"purpose\": \"trial\", "
                                     "\"platform\": \"solo\", \"search_path\": [\"%s/bin\"], "
                                     "\"steps\": [{%s}]}",
                                     tree->path, step);

    sources->hostfile = hostfile_parse(arena, "hosts", slice_of("node1 timescale=5\n"), &tree->err);
    sources->suite = suite_parse(arena, "suite", slice_of(suite), &tree->err);
    if (sources->suite == NULL)
        fail_msg("%s", tree->err.text);
    sources->limits.suite = sources->suite;
    *list_push(arena, &sources->platforms) =
        platform_parse(arena, "platform", slice_of(platform_text), &tree->err);
    plan = plan_build(arena, sources, &options, &notes, &tree->err);
    if (plan == NULL)
        fail_msg("%s", tree->err.text);
    plan_context(arena, sources, &plan->steps.items[0], ret_context);
}

static struct slice bytes_of(struct tree *tree, const char *name)
{
    cleanup_text struct text text = {0};

    text_init(&text, 1 << 20);
    if (file_read(arena_printf(tree->arena, "%s/%s", tree->path, name), &text, &tree->err) < 0)
        fail_msg("%s", tree->err.text);
    return slice_of(arena_strdup(tree->arena, text.bytes));
}

static void ask(struct tree *tree, const struct check_context *context, enum window_role role,
                struct attempt *attempt)
{
    cleanup_text struct text command = {0};
    struct window window = {.role = role, .end = ATTEMPT_RAN, .text = "", .boot_id = "b"};

    text_init(&command, 1 << 20);
    check_window_file(context, role, attempt, 0, &command);
    put(tree, "command", command.bytes);
    assert_int_equal(system(arena_printf(tree->arena,
                                         "cd '%s' && echo '%s' | ASSAY_LAB_HOST=node1 ASSAY_LAB_ROOT='%s' "
                                         "ASSAY_ATTEMPT=%s /bin/sh command >out 2>err",
                                         tree->path, check_window_words(context, attempt, role, 0),
                                         tree->path, attempt->uuid)),
                     0);
    window.captures[0] = (struct capture){.stream = "stdout", .bytes = bytes_of(tree, "out")};
    window.captures[1] = (struct capture){.stream = "stderr", .bytes = bytes_of(tree, "err")};
    *list_push(tree->arena, &attempt->windows) = window;
}

static const struct check_run tester = {.uuid = "R", .jobs = "77"};

/* Why a test of theirs may not begin; "" where nothing speaks against it. */
static const char *use_by(struct tree *tree, const struct check_run *run)
{
    struct attempt attempt = {.uuid = UUID, .state = ATTEMPT_ENDED, .end = ATTEMPT_RAN};
    struct check_context context;
    bool in_use = false;
    const char *why;

    context_of(tree, STORAGE, &context);
    context.run = run;
    ask(tree, &context, WINDOW_BEFORE, &attempt);
    why = check_not_ready(&context, &attempt, &in_use);
    assert_int_equal(in_use, why != NULL);
    return why != NULL ? why : "";
}

static const char *use_of(struct tree *tree)
{
    return use_by(tree, &tester);
}

static void put_step(struct tree *tree, const char *process, const char *title)
{
    put_bytes(tree, arena_printf(tree->arena, "proc/%s/cmdline", process), title, strlen(title) + 1);
}

static void put_squeue(struct tree *tree, const char *told)
{
    put(tree, "bin/squeue",
        arena_printf(tree->arena, "#!/bin/sh\necho \"$*\" >>'%s/asked'\n[ -n '%s' ] && echo '%s'\n",
                     tree->path, told, told));
}

static void a_free_host_is_nobodys(void **state)
{
    put_step(*state, "10", "bash");
    put(*state, "proc/10/cgroup", "0::/user.slice\n");
    assert_string_equal(use_of(*state), "");
}

static void a_step_of_slurm_is_named_with_its_user(void **state)
{
    put_step(*state, "11", "slurmstepd: [4711.0]");
    put_step(*state, "12", "slurmstepd: [4711.batch]");
    put_squeue(*state, "4711|alice|train|7b");
    assert_string_equal(use_of(*state), "in use: Slurm job 4711 of alice (train|7b)");
    assert_true(slice_contains(bytes_of(*state, "asked"), "-j 4711"));
}

static void a_step_is_seen_where_slurm_itself_does_not_answer(void **state)
{
    put_step(*state, "11", "slurmstepd: [4711.extern]");
    put(*state, "bin/squeue", "#!/bin/sh\nexit 1\n");
    assert_string_equal(use_of(*state), "in use: Slurm job 4711");
}

static void what_slurmstepd_keeps_for_cgroups_is_no_job(void **state)
{
    put_step(*state, "11", "/usr/sbin/slurmstepd infinity");
    assert_string_equal(use_of(*state), "");
}

static void an_allocation_without_a_step_is_asked_of_slurm(void **state)
{
    put(*state, "proc/9/comm", "slurmd\n");
    put(*state, "bin/scontrol",
        "#!/bin/sh\n[ \"$*\" = '--oneliner show node node1' ] || exit 1\n"
        "echo 'NodeName=node1 Arch=x86_64 CPUAlloc=96 CPUTot=192 State=MIXED'\n");
    put_squeue(*state, "12|bob|interactive");
    assert_string_equal(use_of(*state), "in use: Slurm job 12 of bob (interactive)");
    assert_true(slice_contains(bytes_of(*state, "asked"), "-w node1"));
    put(*state, "bin/scontrol", "#!/bin/sh\necho 'NodeName=node1 CPUAlloc=0 CPUTot=192 State=IDLE'\n");
    assert_string_equal(use_of(*state), "");
}

static void where_no_slurmd_runs_slurm_is_not_asked(void **state)
{
    put(*state, "proc/9/comm", "sshd\n");
    put(*state, "bin/scontrol", "#!/bin/sh\necho 'NodeName=node1 CPUAlloc=96 State=MIXED'\n");
    put_squeue(*state, "12|bob|interactive");
    assert_string_equal(use_of(*state), "");
}

static void our_own_jobs_are_not_somebody_elses(void **state)
{
    put_step(*state, "11", "slurmstepd: [5.0]");
    put_squeue(*state, "5|ops|assay-R");
    assert_string_equal(use_of(*state), "");
    put_squeue(*state, "5|ops|assay-another");
    assert_string_equal(use_of(*state), "in use: Slurm job 5 of ops (assay-another)");
    put_step(*state, "11", "slurmstepd: [77.0]");
    put_squeue(*state, "77|ops|shell");
    assert_string_equal(use_of(*state), "");
}

static void a_host_that_assay_asked_slurm_for_is_ours_only_when_it_was_given(void **state)
{
    struct check_claim rows[] = {{"other", "5", NULL}, {"node1", "6", NULL}};
    struct check_claims claims = {.items = {.items = rows, .count = 2}};
    struct check_run run = {.uuid = "R", .claims = &claims};

    put_step(*state, "11", "slurmstepd: [6.batch]");
    put(*state, "bin/squeue", "#!/bin/sh\nexit 1\n"); /* Slurm tells the host no names */
    assert_string_equal(use_by(*state, &run), "");
    put_step(*state, "11", "slurmstepd: [5.batch]");
    assert_string_equal(use_by(*state, &run), "in use: Slurm job 5");
    rows[1].refused = "Slurm has not given it";
    assert_string_equal(use_by(*state, &run), "in use: Slurm job 5; Slurm has not given it");
}

static void put_kubelet(struct tree *tree)
{
    put(tree, "var/lib/kubelet/device-plugins/kubelet_internal_checkpoint",
        "{\"Data\":{\"PodDeviceEntries\":[{\"PodUID\":\"" POD
        "\",\"ContainerName\":\"main\",\"ResourceName\":"
        "\"nvidia.com/gpu\",\"DeviceIDs\":{\"-1\":[\"GPU-1\"]},\"AllocResp\":\"CgA=\"},{\"PodUID\":"
        "\"99999999-0000-4111-8111-222222222222\",\"ContainerName\":\"nic\",\"ResourceName\":\"rdma/hca\","
        "\"DeviceIDs\":{\"-1\":[\"0\"]},\"AllocResp\":\"\"}],\"RegisteredDevices\":{\"nvidia.com/gpu\":"
        "[\"GPU-1\"]}},\"Checksum\":1}");
}

static void a_pod_with_a_gpu_is_named(void **state)
{
    put_kubelet(*state);
    put(*state, "var/log/pods/ml_llama-0_" POD "/main/0.log", "");
    put(*state, "proc/20/cgroup",
        "0::/kubepods.slice/kubepods-burstable.slice/"
        "kubepods-burstable-pod0a1b2c3d_0000_4111_8111_222222222222.slice/cri-containerd-1.scope\n");
    assert_string_equal(use_of(*state), "in use: Kubernetes pod ml/llama-0 " POD);
}

static void a_pod_that_is_over_or_has_no_gpu_is_not(void **state)
{
    put_kubelet(*state);
    put(*state, "proc/20/cgroup",
        "0::/kubepods.slice/kubepods-pod99999999_0000_4111_8111_222222222222.slice/cri-1.scope\n");
    assert_string_equal(use_of(*state), "");
    put(*state, "proc/21/cgroup", "1:name=systemd:/kubepods/burstable/pod" POD "/1\n");
    assert_string_equal(use_of(*state), "in use: Kubernetes pod " POD);
}

/* Of this test's own: nobody else's locks are seen, and a host's boot is the machine's. */
static void ask_as(struct tree *tree, const char *run, const char *attempt, enum window_role role,
                   struct attempt *ret_attempt, const char **ret_why)
{
    const struct check_run other = {.uuid = run, .who = "alice@login1"};
    struct check_context context;
    bool in_use;

    *ret_attempt = (struct attempt){.uuid = attempt, .state = ATTEMPT_ENDED, .end = ATTEMPT_RAN};
    context_of(tree, STORAGE, &context);
    context.run = &other;
    ask(tree, &context, role, ret_attempt);
    *ret_why = check_not_ready(&context, ret_attempt, &in_use);
}

static const char *lock_of(struct tree *tree, const char *run, const char *attempt, enum window_role role)
{
    struct attempt asked;
    const char *why;

    ask_as(tree, run, attempt, role, &asked, &why);
    return why != NULL ? why : "";
}

#define FIRST "aaaaaaaa-1111-4111-8111-111111111111"
#define SECOND "bbbbbbbb-1111-4111-8111-111111111111"

static void another_run_finds_the_lock_and_who_holds_it(void **state)
{
    assert_string_equal(lock_of(*state, "first", FIRST, WINDOW_BEFORE), "");
    assert_true(strncmp(lock_of(*state, "second", SECOND, WINDOW_BEFORE),
                        "in use: assay run first of alice@login1 since 20", 48) == 0);
    assert_string_equal(lock_of(*state, "first", SECOND, WINDOW_BEFORE), ""); /* the same run's next test */
    (void)lock_of(*state, "first", FIRST, WINDOW_AFTER);
    (void)lock_of(*state, "first", SECOND, WINDOW_AFTER);
    assert_string_equal(lock_of(*state, "second", SECOND, WINDOW_BEFORE), "");
}

static void put_lock(struct tree *tree, const char *attempt, long fresh, long until, const char *boot)
{
    put(tree, "var/tmp/assay-locks/dead.1",
        arena_printf(tree->arena, "dead %s %ld %ld %s 2026-01-01T00:00:00Z bob@login2\n", attempt, fresh,
                     until, boot));
}

static const char *boot_id(struct tree *tree)
{
    cleanup_text struct text text = {0};

    text_init(&text, 100);
    assert_int_equal(file_read("/proc/sys/kernel/random/boot_id", &text, &tree->err), 0);
    return arena_strndup(tree->arena, text.bytes, strcspn(text.bytes, "\n"));
}

static void a_dead_controllers_lock_keeps_nobody_out(void **state)
{
    const char *boot = boot_id(*state);

    put_lock(*state, SECOND, 1, 1, boot); /* its time is over, and nothing of its test runs */
    assert_string_equal(lock_of(*state, "first", FIRST, WINDOW_BEFORE), "");
    (void)lock_of(*state, "first", FIRST, WINDOW_AFTER);
    put_lock(*state, SECOND, 1L << 40, 1L << 40, "another-boot");
    assert_string_equal(lock_of(*state, "first", FIRST, WINDOW_BEFORE), "");
    (void)lock_of(*state, "first", FIRST, WINDOW_AFTER);
    put(*state, "var/tmp/assay-locks/broken", "no lock at all");
    assert_string_equal(lock_of(*state, "first", FIRST, WINDOW_BEFORE), "");
}

static void a_test_that_still_runs_holds_its_host(void **state)
{
    struct tree *tree = *state;
    char attempt[64];

    snprintf(attempt, sizeof attempt, "cccccccc-1111-4111-8111-%012d", (int)getpid());
    put_lock(tree, attempt, 1, 1, boot_id(tree));
    assert_int_equal(system(arena_printf(tree->arena, "ASSAY_ATTEMPT=%s sleep 60 & echo $! >'%s/pid'",
                                         attempt, tree->path)),
                     0);
    assert_string_equal(lock_of(tree, "first", FIRST, WINDOW_BEFORE),
                        "in use: assay run dead of bob@login2 since 2026-01-01T00:00:00Z");
    assert_int_equal(system(arena_printf(tree->arena, "kill $(cat '%s/pid')", tree->path)), 0);
    assert_string_equal(lock_of(tree, "first", FIRST, WINDOW_BEFORE), "");
}

static void put_process(struct tree *tree, const char *number, const char *name, const char *words,
                        const char *maps)
{
    put(tree, arena_printf(tree->arena, "proc/%s/comm", number), arena_printf(tree->arena, "%s\n", name));
    put(tree, arena_printf(tree->arena, "proc/%s/cmdline", number), words);
    put(tree, arena_printf(tree->arena, "proc/%s/maps", number), maps);
}

/* The fact of the check `monitors`, and what a test of GPUs records of the same host. */
static void assert_monitors(struct tree *tree, const char *expected)
{
    struct attempt attempt = {.uuid = UUID, .state = ATTEMPT_ENDED, .end = ATTEMPT_RAN};
    struct check_context context;

    context_of(tree, "\"check\": \"gpu-burn\", \"arguments\": {\"seconds\": 30}", &context);
    context.run = &tester;
    ask(tree, &context, WINDOW_BEFORE, &attempt);
    check_read(&context, &attempt);
    assert_string_equal(reading_get_fact(&attempt.reading, "window.monitors", ""), expected);
}

static void what_watches_gpus_is_named_and_what_does_not_is_not(void **state)
{
    put_process(*state, "20", "nv-hostengine", "/usr/bin/nv-hostengine -n", "/usr/lib/libdcgm.so.3\n");
    put_process(*state, "21", "nvidia-smi", "nvidia-smi -L ", "");
    put_process(*state, "22", "nvidia-smi", "nvidia-smi -lgc 1980 ", "");
    put_process(*state, "23", "dcgmi", "dcgmi diag -r 3 ", "");
    assert_monitors(*state, "none");
    put_process(*state, "31", "dcgm-exporter", "/usr/bin/dcgm-exporter -f /etc/x.csv", "");
    put_process(*state, "32", "nv-hostengine", "nv-hostengine", "/usr/lib/libdcgmmoduleprofiling.so.3\n");
    put_process(*state, "33", "nvidia-smi", "nvidia-smi --query-gpu=name --format=csv -l 5 ", "");
    put_process(*state, "34", "nvidia-smi", "nvidia-smi dmon ", "");
    put_process(*state, "35", "dcgmi", "dcgmi dmon -e 1002 ", "");
    put_process(*state, "36", "nvidia_gpu_expo", "nvidia_gpu_exporter", "");
    assert_monitors(
        *state, "dcgm-exporter (pid 31); nv-hostengine with profiling (pid 32); nvidia-smi loop (pid 33); "
                "nvidia-smi loop (pid 34); dcgmi dmon (pid 35); nvidia_gpu_exporter (pid 36)");
}

static void who_came_during_the_test_is_told(void **state)
{
    struct tree *tree = *state;
    struct attempt attempt = {.uuid = UUID, .state = ATTEMPT_ENDED, .end = ATTEMPT_RAN};
    struct check_context context;

    context_of(tree, STORAGE, &context);
    ask(tree, &context, WINDOW_BEFORE, &attempt);
    put_step(tree, "11", "slurmstepd: [8.0]");
    put_squeue(tree, "8|eve|late");
    ask(tree, &context, WINDOW_AFTER, &attempt);
    check_read(&context, &attempt);
    assert_string_equal(reading_get_fact(&attempt.reading, WINDOW_OWNED, ""),
                        "Slurm job 8 of eve (late) after the test");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_free_host_is_nobodys),
        TEST(a_step_of_slurm_is_named_with_its_user),
        TEST(a_step_is_seen_where_slurm_itself_does_not_answer),
        TEST(what_slurmstepd_keeps_for_cgroups_is_no_job),
        TEST(an_allocation_without_a_step_is_asked_of_slurm),
        TEST(where_no_slurmd_runs_slurm_is_not_asked),
        TEST(our_own_jobs_are_not_somebody_elses),
        TEST(a_host_that_assay_asked_slurm_for_is_ours_only_when_it_was_given),
        TEST(a_pod_with_a_gpu_is_named),
        TEST(a_pod_that_is_over_or_has_no_gpu_is_not),
        TEST(another_run_finds_the_lock_and_who_holds_it),
        TEST(a_dead_controllers_lock_keeps_nobody_out),
        TEST(a_test_that_still_runs_holds_its_host),
        TEST(who_came_during_the_test_is_told),
        TEST(what_watches_gpus_is_named_and_what_does_not_is_not),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("owners", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose host it is, by what lies on a host: the command that a window asks, as a host's shell runs it over a tree of
 * files, with small scripts for Slurm's own programs.
 */
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../unit_test.h"
#include "assay/base/files.h"
#include "assay/plan/plan_build.h"
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

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
    if (mkdtemp(tree->path) == NULL)
        return -1;
    return directory_create(arena_printf(tree->arena, "%s/var/tmp", tree->path), 0755, &tree->err);
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

    sources->hostfile = hostfile_parse(arena, "hosts", slice_of("node1 timescale=10\n"), &tree->err);
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

static const char *path_of(struct tree *tree, const char *name)
{
    return arena_printf(tree->arena, "%s/%s", tree->path, name);
}

/* Whether what speaks against a host is asked again, five times, as on a host: it costs six times as much and says the same. */
static bool is_asked_again;

static void ask_once(char *command)
{
    static const char limit[] = "limit_s=30 ";
    char *at = strstr(command, limit);

    assert_non_null(at);
    memcpy(at, "limit_s=00 ", strlen(limit));
}

static void ask(struct tree *tree, const struct check_context *context, enum window_role role,
                struct attempt *attempt)
{
    cleanup_text struct text command = {0};
    struct window window = {.role = role, .end = ATTEMPT_RAN, .boot_id = "b"};

    text_init(&command, 1 << 20);
    check_window_file(context, role, attempt, 0, &command);
    if (!is_asked_again)
        ask_once(command.bytes);
    put(tree, "command", command.bytes);
    put(tree, "words", arena_printf(tree->arena, "%s\n", check_window_words(context, attempt, role, 0)));
    assert_int_equal(system(arena_printf(tree->arena,
                                         "cd '%s' && ASSAY_LAB_HOST=node1 ASSAY_LAB_ROOT='%s' "
                                         "ASSAY_ATTEMPT=%s /bin/sh command <words >out 2>err",
                                         tree->path, tree->path, attempt->uuid)),
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
    enum attempt_end end;
    const struct reason *reason;
    const char *why;

    context_of(tree, STORAGE, &context);
    context.run = run;
    ask(tree, &context, WINDOW_BEFORE, &attempt);
    end = check_not_ready(&context, &attempt, &reason);
    why = reason_english(tree->arena, reason);
    assert_int_equal(end, reason == NULL                     ? ATTEMPT_RAN
                          : strncmp(why, "in use: ", 8) == 0 ? ATTEMPT_IN_USE
                                                             : ATTEMPT_UNANSWERED);
    return why;
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

/* Whoever names a job writes no line of the script's own by that. */
static void a_name_with_tabs_and_escapes_is_a_name(void **state)
{
    put_step(*state, "11", "slurmstepd: [4711.0]");
    put(*state, "bin/squeue", "#!/bin/sh\ncat <<'END'\n4711|alice|\ta\\n? b\tc\t\nEND\n");
    assert_string_equal(use_of(*state), "in use: Slurm job 4711 of alice ( a\\n? b c )");
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

static void put_slurmd(struct tree *tree)
{
    put(tree, "proc/9/comm", "slurmd\n");
}

/* What has just ended may still be listed. */
static void a_job_that_ends_meanwhile_keeps_nobody_out(void **state)
{
    struct tree *tree = *state;

    put_step(tree, "11", "slurmstepd: [4711.0]");
    put(tree, "bin/squeue",
        arena_printf(
            tree->arena,
            "#!/bin/sh\n[ -e '%s/told' ] && rm -rf '%s/proc/11'\n: >'%s/told'\necho '4711|alice|train'\n",
            tree->path, tree->path, tree->path));
    is_asked_again = true;
    assert_string_equal(use_of(tree), "");
    put_step(tree, "11", "slurmstepd: [4711.0]");
    put_squeue(tree, "4711|alice|train");
    assert_string_equal(use_of(tree), "in use: Slurm job 4711 of alice (train)");
    is_asked_again = false;
}

static void where_slurm_does_not_answer_nobody_knows(void **state)
{
    put_slurmd(*state);
    put(*state, "bin/scontrol", "#!/bin/sh\nexit 1\n");
    assert_non_null(strstr(use_of(*state), "slurmd runs there (pid 9 of "));
    assert_non_null(strstr(use_of(*state), "scontrol does not say whether the node is allocated"));
    put(*state, "bin/scontrol", "#!/bin/sh\necho 'NodeName=node1 CPUAlloc=96 CPUTot=192 State=MIXED'\n");
    put(*state, "bin/squeue", "#!/bin/sh\nexit 1\n");
    assert_string_equal(use_of(*state),
                        "it is not known who uses the host: Slurm has allocated node1, but squeue does not "
                        "say to whom");
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
    rows[1].refused =
        reason((*(struct tree **)state)->arena, slurm_gave_no_host_in_time, "5", "6", "Resources");
    assert_string_equal(
        use_by(*state, &run),
        "in use: Slurm job 5; Slurm has not given it to assay within 5 min: job 6, Resources");
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
                   struct attempt *ret_attempt, const struct reason **ret_why)
{
    const struct check_run other = {.uuid = run, .who = "alice@login1"};
    struct check_context context;
    enum attempt_end end;

    *ret_attempt = (struct attempt){.uuid = attempt, .state = ATTEMPT_ENDED, .end = ATTEMPT_RAN};
    context_of(tree, STORAGE, &context);
    context.run = &other;
    ask(tree, &context, role, ret_attempt);
    end = check_not_ready(&context, ret_attempt, ret_why);
    assert_int_equal(end == ATTEMPT_RAN, *ret_why == NULL);
}

static const char *lock_of(struct tree *tree, const char *run, const char *attempt, enum window_role role)
{
    struct attempt asked;
    const struct reason *why;

    ask_as(tree, run, attempt, role, &asked, &why);
    return reason_english(tree->arena, why);
}

#define FIRST "aaaaaaaa-1111-4111-8111-111111111111"
#define SECOND "bbbbbbbb-1111-4111-8111-111111111111"

/* As stat has it: what the words of a lock say of themselves anybody can write. */
static const char *me(struct tree *tree)
{
    const struct passwd *user = getpwuid(getuid());

    return arena_printf(tree->arena, "%s (uid %u)", user != NULL ? user->pw_name : "UNKNOWN",
                        (unsigned)getuid());
}

static const char *by_lock_of_me(struct tree *tree)
{
    return arena_printf(tree->arena, "Z, according to a lock of %s", me(tree));
}

static void another_run_finds_the_lock_and_who_holds_it(void **state)
{
    const char *why;

    assert_string_equal(lock_of(*state, "first", FIRST, WINDOW_BEFORE), "");
    why = lock_of(*state, "second", SECOND, WINDOW_BEFORE);
    assert_true(strncmp(why, "in use: assay run first of alice@login1 since 20", 48) == 0);
    assert_non_null(strstr(why, by_lock_of_me(*state)));
    assert_string_equal(lock_of(*state, "first", SECOND, WINDOW_BEFORE), ""); /* the same run's next test */
    (void)lock_of(*state, "first", FIRST, WINDOW_AFTER);
    (void)lock_of(*state, "first", SECOND, WINDOW_AFTER);
    assert_string_equal(lock_of(*state, "second", SECOND, WINDOW_BEFORE), "");
}

static const char *folder_of_locks(struct tree *tree)
{
    const char *folder =
        path_of(tree, arena_printf(tree->arena, "var/tmp/assay-locks-%u", (unsigned)getuid()));

    assert_int_equal(directory_create(folder, 0755, &tree->err), 0);
    return folder;
}

static void put_lock_of(struct tree *tree, const char *attempt, long fresh, long until, const char *boot,
                        const char *who)
{
    const char *link = arena_printf(tree->arena, "%s/dead.1.%s", folder_of_locks(tree), boot);

    (void)unlink(link); /* that of the case before */
    assert_int_equal(symlink(arena_printf(tree->arena, "dead %s %ld %ld 2026-01-01T00:00:00Z %s", attempt,
                                          fresh, until, who),
                             link),
                     0);
}

static void put_lock(struct tree *tree, const char *attempt, long fresh, long until, const char *boot)
{
    put_lock_of(tree, attempt, fresh, until, boot, "bob@login2");
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
    assert_int_equal(symlink("no lock at all", arena_printf(((struct tree *)*state)->arena, "%s/broken.%s",
                                                            folder_of_locks(*state), boot)),
                     0);
    assert_string_equal(lock_of(*state, "first", FIRST, WINDOW_BEFORE), "");
}

static void what_is_over_for_good_is_taken_away_by_its_user(void **state)
{
    struct tree *tree = *state;
    const char *dead = arena_printf(tree->arena, "%s/dead.1.%s", folder_of_locks(tree), boot_id(tree));
    struct stat status;

    put_lock(tree, SECOND, 1, 1L << 30, boot_id(tree)); /* a test of it may be about to begin */
    (void)lock_of(tree, "first", FIRST, WINDOW_BEFORE);
    assert_int_equal(lstat(dead, &status), 0);
    put_lock(tree, SECOND, 1, 1, boot_id(tree));
    assert_string_equal(lock_of(tree, "first", FIRST, WINDOW_BEFORE), "");
    assert_int_equal(lstat(dead, &status), -1);
}

/* For ever fresh: it counts no longer than an honest one. Who sees no processes takes its word up to its deadline. */
static void a_lock_that_says_it_is_fresh_for_ever_is_not(void **state)
{
    put_lock(*state, SECOND, 1L << 40, 1, boot_id(*state));
    assert_string_equal(lock_of(*state, "first", FIRST, WINDOW_BEFORE), "");
}

static void words_of_a_lock_are_plain(void **state)
{
    struct tree *tree = *state;
    char attempt[64];
    const char *why;

    snprintf(attempt, sizeof attempt, "dddddddd-1111-4111-8111-%012d", (int)getpid());
    put_lock_of(tree, attempt, 1, 1, boot_id(tree), "\033[2J\033]0;owned\007\nroot@\r*");
    assert_int_equal(system(arena_printf(tree->arena, "ASSAY_ATTEMPT=%s sleep 60 & echo $! >'%s/pid'",
                                         attempt, tree->path)),
                     0);
    why = lock_of(tree, "first", FIRST, WINDOW_BEFORE);
    assert_int_equal(system(arena_printf(tree->arena, "kill $(cat '%s/pid')", tree->path)), 0);
    assert_string_equal(why, arena_printf(tree->arena,
                                          "in use: assay run dead of [2J]0;ownedroot@* since "
                                          "2026-01-01T00:00:00%s",
                                          by_lock_of_me(tree)));
}

/* None of it is opened, followed or read, so none of it takes time. */
static void what_is_no_lock_costs_nothing(void **state)
{
    struct tree *tree = *state;
    const char *boot = boot_id(tree);
    time_t began = time(NULL);

    assert_int_equal(
        system(arena_printf(tree->arena,
                            "cd '%s' && truncate -s 3G sparse.%s && mkfifo pipe.%s && mkdir folder.%s "
                            "&& ln -s /dev/zero zero.%s && ln -s /etc/shadow shadow.%s && ln -s . self.%s "
                            "&& ln -s \"$(head -c 4000 /dev/zero | tr '\\0' x)\" long.%s && seq -f "
                            "file%%g.%s 1 2000 | xargs touch",
                            folder_of_locks(tree), boot, boot, boot, boot, boot, boot, boot, boot)),
        0);
    assert_string_equal(lock_of(tree, "first", FIRST, WINDOW_BEFORE), "");
    assert_true(time(NULL) - began < 8);
}

#define UNKNOWN "it is not known who uses the host: "

static void more_locks_than_anybody_has_are_no_answer(void **state)
{
    struct tree *tree = *state;
    const char *folder = folder_of_locks(tree);

    assert_int_equal(
        system(arena_printf(tree->arena, "cd '%s' && for n in $(seq 101); do ln -s x $n.%s; done", folder,
                            boot_id(tree))),
        0);
    assert_string_equal(
        lock_of(tree, "first", FIRST, WINDOW_BEFORE),
        arena_printf(tree->arena, UNKNOWN "%s of %s holds more than 100 locks", folder, me(tree)));
}

/* Of a tree that has neither /tmp nor /dev/shm. */
static void assert_no_lock(struct tree *tree, const char *before, const char *folder, const char *behind)
{
    cleanup_text struct text why = {0};

    text_init(&why, 4096);
    text_put(&why, UNKNOWN "no lock can be taken: ");
    text_put(&why, before);
    text_put(&why, folder);
    text_put(&why, behind);
    text_printf(&why, "; %s/tmp does not exist; %s/dev/shm does not exist", tree->path, tree->path);
    assert_string_equal(use_of(tree), why.bytes);
}

static void a_lock_that_cannot_be_taken_is_no_answer(void **state)
{
    struct tree *tree = *state;
    const char *folder = folder_of_locks(tree);

    assert_int_equal(chmod(folder, 0777), 0);
    assert_no_lock(tree, "others may write in ", folder, "");
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(symlink("/tmp", folder), 0);
    assert_no_lock(tree, "", folder, arena_printf(tree->arena, " is a symbolic link of %s", me(tree)));
    assert_int_equal(unlink(folder), 0);
    put(tree, folder + strlen(tree->path) + 1, "");
    assert_no_lock(tree, "", folder, arena_printf(tree->arena, " is a regular empty file of %s", me(tree)));
    /* The next place takes it, and the others look there too. */
    assert_int_equal(directory_create(path_of(tree, "tmp"), 0755, &tree->err), 0);
    assert_string_equal(lock_of(tree, "first", FIRST, WINDOW_BEFORE), "");
    assert_true(strncmp(lock_of(tree, "second", SECOND, WINDOW_BEFORE), "in use: assay run first of ", 27) ==
                0);
    (void)lock_of(tree, "first", FIRST, WINDOW_AFTER);
    assert_string_equal(lock_of(tree, "second", SECOND, WINDOW_BEFORE), "");
}

static void a_place_that_others_can_clear_takes_no_lock(void **state)
{
    struct tree *tree = *state;

    assert_int_equal(chmod(path_of(tree, "var/tmp"), 0777), 0);
    assert_non_null(strstr(use_of(tree), "var/tmp everyone can remove the files of others"));
    assert_int_equal(chmod(path_of(tree, "var/tmp"), 01777), 0);
    assert_string_equal(use_of(tree), "");
}

/* As a window's command comes back that was ended by its deadline, or whose part ended otherwise. */
static const struct reason *answer(struct tree *tree, enum attempt_end window_end, const char *window_text,
                                   const char *out, const char *err, enum attempt_end *ret_end)
{
    struct attempt attempt = {.uuid = UUID};
    struct check_context context;
    struct window window = {.role = WINDOW_BEFORE, .end = window_end, .boot_id = "b"};
    const struct reason *why;

    context_of(tree, STORAGE, &context);
    window.what = reason_text(tree->arena, window_text);
    window.captures[0] = (struct capture){.stream = "stdout", .bytes = slice_of(out)};
    window.captures[1] = (struct capture){.stream = "stderr", .bytes = slice_of(err)};
    *list_push(tree->arena, &attempt.windows) = window;
    *ret_end = check_not_ready(&context, &attempt, &why);
    return why;
}

#define BEGUN "@assay-part " UUID " begin owners\n"
#define ENDED(rc) "\n@assay-part " UUID " end owners " rc "\n"

static void a_question_without_an_answer_is_not_answered_with_nobody(void **state)
{
    static const struct {
        enum attempt_end window_end;
        const char *window_text, *out, *err;
        enum attempt_end end;
        const char *why;
    } rows[] = {
        {ATTEMPT_RAN, "", BEGUN ENDED("0"), BEGUN ENDED("0"), ATTEMPT_RAN, ""},
        {ATTEMPT_DEADLINE, "", BEGUN ENDED("0"), BEGUN ENDED("0"), ATTEMPT_RAN, ""},
        {ATTEMPT_RAN, "", BEGUN, BEGUN, ATTEMPT_UNANSWERED, UNKNOWN "the answer was cut off"},
        {ATTEMPT_RAN, "", "", "", ATTEMPT_UNANSWERED, UNKNOWN "the answer was cut off"},
        {ATTEMPT_DEADLINE, "", BEGUN, BEGUN, ATTEMPT_UNANSWERED, UNKNOWN "the answer was cut off"},
        {ATTEMPT_KILLED, "ended by signal 9", BEGUN, BEGUN, ATTEMPT_UNANSWERED, UNKNOWN "ended by signal 9"},
        {ATTEMPT_RAN, "", BEGUN ENDED("124"), BEGUN ENDED("124"), ATTEMPT_UNANSWERED,
         UNKNOWN "no answer within 30 s"},
        {ATTEMPT_RAN, "", BEGUN ENDED("3"), BEGUN "one\ntwo\n" ENDED("3"), ATTEMPT_UNANSWERED,
         UNKNOWN "one; two"},
        {ATTEMPT_RAN, "", BEGUN ENDED("2"), BEGUN ENDED("2"), ATTEMPT_UNANSWERED, UNKNOWN "exit status 2"},
        {ATTEMPT_RAN, "", BEGUN "slurm_job\t5\n" ENDED("3"), BEGUN "one\n" ENDED("3"), ATTEMPT_IN_USE,
         "in use: Slurm job 5"},
        {ATTEMPT_UNREACHABLE, "node1: gone", "", "", ATTEMPT_UNREACHABLE, "node1: gone"},
        {ATTEMPT_SUDO_REFUSED, "", "", "", ATTEMPT_SUDO_REFUSED, "sudo refused"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct tree *tree = *state;
        const struct reason *why;
        enum attempt_end end;

        why = answer(tree, rows[i].window_end, rows[i].window_text, rows[i].out, rows[i].err, &end);
        assert_string_equal(reason_english(tree->arena, why), rows[i].why);
        assert_int_equal(end, rows[i].end);
    }
}

/* By their codes, as sh/owners.sh has it; what is none of its sentences, stays what it is. */
static void what_is_said_on_the_host_is_said_in_other_languages(void **state)
{
    static const struct {
        const char *out, *err, *english, *chinese;
    } rows[] = {
        {"slurm_job\t5\n", "", "in use: Slurm job 5", "Slurm 作业 5"},
        {"slurm_job_named\t5\tbob\ta (b)\n", "", "in use: Slurm job 5 of bob (a (b))",
         "Slurm 作业 5，属于 bob（a (b)）"},
        {"kubernetes_pod\tml/llama 1\nanother\n", "", "in use: Kubernetes pod ml/llama 1; another",
         "Kubernetes Pod ml/llama 1；another"},
        {"assay_run_by_lock\tr\tme\t2026\tyou (uid 5)\n", "",
         "in use: assay run r of me since 2026, according to a lock of you (uid 5)",
         "me 的 assay 运行 r，始于 2026，依据 you (uid 5) 的锁"},
        {"", "folder_not_read\tone\ttwo\none cannot be read\n",
         UNKNOWN "one of two cannot be read; one cannot be read", "无法读取 two 的 one；one cannot be read"},
        {"", "slurm_does_not_say_whether\t9\tx (uid 1)\n",
         UNKNOWN "slurmd runs there (pid 9 of x (uid 1)), but scontrol does not say whether the node is "
                 "allocated",
         "主机上运行着 slurmd（x (uid 1) 的进程 9），但 scontrol 没有说明该节点是否已分配"},
        {"", "folder_is_anothers\t/a\tdirectory\tx\nfolder_not_listed\t/b\nplace_not_there\t/c\n",
         UNKNOWN
         "no lock can be taken: /a is a directory of x; /c does not exist; /b cannot be listed by this "
         "user",
         "无法加锁：/a 是 x 的 directory；没有 /c；该用户无法列出 /b"},
        /* Too few arguments, too many; a sentence that is not the script's, or not of that question. */
        {"slurm_job_of\t5\n", "", "in use: slurm_job_of 5", "slurm_job_of 5"},
        {"", "others_not_seen\t\n", UNKNOWN "others_not_seen", "others_not_seen"},
        {"", "whose_not_written\tx\n", UNKNOWN "whose_not_written x", "whose_not_written x"},
        {"no_because\t5\n", "", "in use: no_because 5", "no_because 5"},
        {"others_not_seen\n", "", "in use: others_not_seen", "others_not_seen"},
        {"", "slurm_job\t5\n", UNKNOWN "slurm_job 5", "slurm_job 5"},
    };
    struct tree *tree = *state;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *rc = *rows[i].err != '\0' ? ENDED("3") : ENDED("0"), *said;
        const struct reason *why;
        enum attempt_end end;

        why = answer(tree, ATTEMPT_RAN, "", arena_printf(tree->arena, BEGUN "%s%s", rows[i].out, rc),
                     arena_printf(tree->arena, BEGUN "%s%s", rows[i].err, rc), &end);
        assert_string_equal(reason_english(tree->arena, why), rows[i].english);
        said = reason_said(tree->arena, LANGUAGE_ZH, why);
        if (strlen(said) < strlen(rows[i].chinese) ||
            strcmp(said + strlen(said) - strlen(rows[i].chinese), rows[i].chinese) != 0)
            fail_msg("row %zu: '%s'", i, said);
    }
}

static void a_long_argument_is_cut(void **state)
{
    struct tree *tree = *state;
    char name[2 * REASON_QUOTED];
    enum attempt_end end;
    const char *why;

    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    why = reason_english(
        tree->arena,
        answer(tree, ATTEMPT_RAN, "",
               arena_printf(tree->arena, BEGUN "slurm_job_named\t5\tbob\t%s\n%s", name, ENDED("0")),
               BEGUN ENDED("0"), &end));
    name[REASON_QUOTED] = '\0';
    assert_string_equal(why, arena_printf(tree->arena, "in use: Slurm job 5 of bob (%s)", name));
}

/* Ten are told, and how many more there are; places for locks are one of them. */
static void of_many_complaints_some_are_told(void **state)
{
    struct tree *tree = *state;
    cleanup_text struct text err = {0}, expected = {0};
    const struct reason *why;
    enum attempt_end end;

    text_init(&err, 4096);
    text_init(&expected, 4096);
    text_put(&err, BEGUN "place_not_there\t/a\nplace_not_there\t/b\n");
    text_put(&expected, UNKNOWN "no lock can be taken: /a does not exist; /b does not exist");
    for (size_t i = 1; i <= 12; i++) {
        text_printf(&err, "folder_not_listed\t/%zu\n", i);
        if (i < 10)
            text_printf(&expected, "; /%zu cannot be listed by this user", i);
    }
    text_put(&err, ENDED("3"));
    why = answer(tree, ATTEMPT_RAN, "", BEGUN ENDED("3"), err.bytes, &end);
    assert_string_equal(reason_english(tree->arena, why),
                        reason_english(tree->arena, reason(tree->arena, and_more, expected.bytes, 3)));
}

/* A disk that dies, no memory: what would have said whose the host is says nothing. */
static void a_program_that_cannot_be_started_is_no_answer(void **state)
{
    static const char *const programs[] = {"awk", "head", "readlink", "sed", "stat", "tr"};
    struct tree *tree = *state;

    for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
        const char *program = arena_printf(tree->arena, "bin/%s", programs[i]), *why;

        /* Each time anew: on a busy machine it would not be fresh to the end. */
        assert_string_equal(lock_of(tree, "first", FIRST, WINDOW_BEFORE), "");
        /* One that some of the programs are needed for, to make its words plain. */
        put_lock_of(tree, "dddddddd-1111-4111-8111-000000000000", 1, 1, boot_id(tree), "\033");
        put(tree, program, "#!/bin/sh\nexit 126\n");
        why = lock_of(tree, "second", SECOND, WINDOW_BEFORE);
        if (strncmp(why, UNKNOWN, strlen(UNKNOWN)) != 0)
            fail_msg("without %s: '%s'", programs[i], why);
        assert_int_equal(unlink(path_of(tree, program)), 0);
    }
}

/* It waits for no GPU, so a host that keeps it busy cannot use the time that others have to cool down. */
static void a_window_without_gpus_is_short(void **state)
{
    struct check_context context;

    context_of(*state, STORAGE, &context);
    context.timescale = 1;
    assert_int_equal(check_window_deadline_s(&context, WINDOW_BEFORE), 90);
    assert_int_equal(check_window_deadline_s(&context, WINDOW_AFTER), 90);
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
                        arena_printf(tree->arena,
                                     "in use: assay run dead of bob@login2 since 2026-01-01T00:00:00%s",
                                     by_lock_of_me(tree)));
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
    assert_null(reading_get_fact(&attempt.reading, WINDOW_UNANSWERED, ""));
}

static void that_nobody_answered_after_the_test_is_told(void **state)
{
    struct tree *tree = *state;
    struct attempt attempt = {.uuid = UUID, .state = ATTEMPT_ENDED, .end = ATTEMPT_RAN};
    struct check_context context;

    context_of(tree, STORAGE, &context);
    ask(tree, &context, WINDOW_BEFORE, &attempt);
    put_slurmd(tree);
    put(tree, "bin/scontrol", "#!/bin/sh\nexit 1\n");
    ask(tree, &context, WINDOW_AFTER, &attempt);
    check_read(&context, &attempt);
    assert_non_null(
        strstr(reading_get_fact(&attempt.reading, WINDOW_UNANSWERED, ""), "scontrol does not say"));
    assert_non_null(strstr(reading_get_fact(&attempt.reading, WINDOW_UNANSWERED, ""), "(after the test)"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_free_host_is_nobodys),
        TEST(a_step_of_slurm_is_named_with_its_user),
        TEST(a_name_with_tabs_and_escapes_is_a_name),
        TEST(a_step_is_seen_where_slurm_itself_does_not_answer),
        TEST(what_slurmstepd_keeps_for_cgroups_is_no_job),
        TEST(an_allocation_without_a_step_is_asked_of_slurm),
        TEST(a_job_that_ends_meanwhile_keeps_nobody_out),
        TEST(where_slurm_does_not_answer_nobody_knows),
        TEST(where_no_slurmd_runs_slurm_is_not_asked),
        TEST(our_own_jobs_are_not_somebody_elses),
        TEST(a_host_that_assay_asked_slurm_for_is_ours_only_when_it_was_given),
        TEST(a_pod_with_a_gpu_is_named),
        TEST(a_pod_that_is_over_or_has_no_gpu_is_not),
        TEST(another_run_finds_the_lock_and_who_holds_it),
        TEST(a_dead_controllers_lock_keeps_nobody_out),
        TEST(what_is_over_for_good_is_taken_away_by_its_user),
        TEST(a_lock_that_says_it_is_fresh_for_ever_is_not),
        TEST(words_of_a_lock_are_plain),
        TEST(what_is_no_lock_costs_nothing),
        TEST(more_locks_than_anybody_has_are_no_answer),
        TEST(a_lock_that_cannot_be_taken_is_no_answer),
        TEST(a_place_that_others_can_clear_takes_no_lock),
        TEST(a_question_without_an_answer_is_not_answered_with_nobody),
        TEST(what_is_said_on_the_host_is_said_in_other_languages),
        TEST(a_long_argument_is_cut),
        TEST(of_many_complaints_some_are_told),
        TEST(a_program_that_cannot_be_started_is_no_answer),
        TEST(a_window_without_gpus_is_short),
        TEST(a_test_that_still_runs_holds_its_host),
        TEST(who_came_during_the_test_is_told),
        TEST(that_nobody_answered_after_the_test_is_told),
        TEST(what_watches_gpus_is_named_and_what_does_not_is_not),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("owners", tests, NULL, NULL);
}

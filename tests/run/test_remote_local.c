/* SPDX-License-Identifier: Apache-2.0 */
/* The guard on this machine, without a network. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assay/base/files.h"
#include "bench.h"

static const struct remote_target here = {.name = "here", .transport = TRANSPORT_LOCAL};

static int setup(void **state)
{
    struct bench *bench = malloc(sizeof *bench);

    bench_setup(bench, NULL);
    *state = bench;
    return 0;
}

static int teardown(void **state)
{
    bench_teardown(*state);
    free(*state);
    return 0;
}

static void assert_ended(const struct kept *kept, enum remote_why why, int rc)
{
    if (kept->end != REMOTE_ENDED || kept->why != why || kept->rc != rc)
        print_error("end %d why %d rc %d text '%s' err '%.200s'\n", kept->end, kept->why, kept->rc,
                    kept->text, kept->err.bytes);
    assert_int_equal(kept->end, REMOTE_ENDED);
    assert_int_equal(kept->why, why);
    assert_int_equal(kept->rc, rc);
    assert_false(kept->left);
    assert_false(kept->cut);
}

/* Each of these on both paths. */
static void exit_status_and_both_streams_come_back(void **state)
{
    struct bench *bench = *state;
    struct remote *remote = remote_open(bench->pool, &here);
    const enum remote_verb verbs[] = {REMOTE_ENSURE, REMOTE_READ};

    for (int i = 0; i < 2; i++) {
        struct kept kept = {0};

        bench_do(bench, remote, verbs[i], "echo hello; echo trouble >&2; exit 7", &kept);
        assert_ended(&kept, REMOTE_WHY_EXIT, 7);
        assert_string_equal(kept.out.bytes, "hello\n");
        assert_string_equal(kept.err.bytes, "trouble\n");
        assert_string_equal(kept.boot_id, "boot-one");
        assert_true(kept.up_began > 0 && kept.up_ended >= kept.up_began);
        assert_int_equal(kept.connections, 1);
        kept_release(&kept);
    }
    assert_string_equal(transport_of(remote), "local");
    remote_close(remote);
}

static void odd_outputs_come_back_byte_for_byte(void **state)
{
    struct bench *bench = *state;
    struct remote *remote = remote_open(bench->pool, &here);
    static const struct {
        const char *command, *out, *err;
        size_t out_length, err_length;
    } rows[] = {
        {"true", "", "", 0, 0},
        {"printf 'no newline'", "no newline", "", 10, 0},
        {"echo only >&2", "", "only\n", 0, 5},
        {"printf 'a\\000b\\377\\n\\n\\n'", "a\0b\377\n\n\n", "", 7, 0},
        {"printf '\\n@assay '; printf '\\n' >&2", "\n@assay ", "\n", 8, 1},
        {"cat; echo end of input", "end of input\n", "", 13, 0},
        {"printf %s \"'quoted' \\$HOME\"", "'quoted' $HOME", "", 14, 0},
    };

    for (int verb = REMOTE_ENSURE; verb <= REMOTE_READ; verb++)
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
            struct kept kept = {0};

            bench_do(bench, remote, (enum remote_verb)verb, rows[i].command, &kept);
            assert_ended(&kept, REMOTE_WHY_EXIT, 0);
            assert_int_equal(kept.out.length, rows[i].out_length);
            assert_int_equal(kept.err.length, rows[i].err_length);
            assert_memory_equal(kept.out.bytes, rows[i].out, rows[i].out_length);
            assert_memory_equal(kept.err.bytes, rows[i].err, rows[i].err_length);
            kept_release(&kept);
        }
}

static void a_megabyte_on_each_stream_comes_back(void **state)
{
    struct bench *bench = *state;
    struct remote *remote = remote_open(bench->pool, &here);
    char out[SHA256_HEX_SIZE], err[SHA256_HEX_SIZE];

    for (int verb = REMOTE_ENSURE; verb <= REMOTE_READ; verb++) {
        struct kept kept = {0};

        bench_do(bench, remote, (enum remote_verb)verb,
                 "(yes 0123456789abcde | head -c 1048576) & yes fedcba9876543210 | head -c 1048577 >&2; wait",
                 &kept);
        assert_ended(&kept, REMOTE_WHY_EXIT, 0);
        assert_int_equal(kept.out.length, 1048576);
        assert_int_equal(kept.err.length, 1048577);
        for (size_t at = 0; at < kept.out.length; at += 16)
            assert_memory_equal(kept.out.bytes + at, "0123456789abcde\n", 16);
        sha256_hex(kept.out.bytes, kept.out.length, out);
        sha256_hex(kept.err.bytes, kept.err.length, err);
        assert_string_not_equal(out, err);
        assert_false(kept.out_clipped || kept.err_clipped);
        kept_release(&kept);
    }
}

static void a_flood_is_clipped_and_the_command_still_ends(void **state)
{
    struct bench *bench = *state;
    struct remote *remote = remote_open(bench->pool, &here);

    for (int verb = REMOTE_ENSURE; verb <= REMOTE_READ; verb++) {
        struct kept kept = {0};

        bench_start(remote,
                    (struct remote_job){.verb = (enum remote_verb)verb,
                                        .command = "yes x | head -c 2000000; echo last >&2; exit 3",
                                        .clip_bytes = 100000},
                    &kept);
        bench_wait(bench, &kept);
        assert_ended(&kept, REMOTE_WHY_EXIT, 3);
        assert_int_equal(kept.out.length, 100000);
        assert_true(kept.out_clipped);
        assert_false(kept.err_clipped);
        assert_string_equal(kept.err.bytes, "last\n");
        kept_release(&kept);
    }
}

static void a_signal_is_told_from_an_exit_status(void **state)
{
    struct bench *bench = *state;
    struct remote *remote = remote_open(bench->pool, &here);

    for (int verb = REMOTE_ENSURE; verb <= REMOTE_READ; verb++) {
        struct kept killed = {0}, large = {0}, quick = {0};

        bench_do(bench, remote, (enum remote_verb)verb, "kill -SEGV $$", &killed);
        assert_ended(&killed, REMOTE_WHY_SIGNAL, SIGSEGV);
        bench_do(bench, remote, (enum remote_verb)verb, "exit 226", &large);
        assert_ended(&large, REMOTE_WHY_EXIT, 226);
        /* A tool's own 124 is not our deadline. */
        bench_do(bench, remote, (enum remote_verb)verb, "exit 124", &quick);
        assert_ended(&quick, REMOTE_WHY_EXIT, 124);
        kept_release(&killed);
        kept_release(&large);
        kept_release(&quick);
    }
}

static void the_deadline_ends_even_what_ignores_term(void **state)
{
    struct bench *bench = *state;
    struct remote *remote = remote_open(bench->pool, &here);

    for (int verb = REMOTE_ENSURE; verb <= REMOTE_READ; verb++) {
        struct kept kept = {0};

        bench_start(remote,
                    (struct remote_job){.verb = (enum remote_verb)verb,
                                        .command = "echo begun; sh -c 'trap \"\" TERM; sleep 50; sleep 50' & "
                                                   "wait; sleep 60",
                                        .deadline_s = 1},
                    &kept);
        bench_wait(bench, &kept);
        assert_int_equal(kept.end, REMOTE_ENDED);
        assert_int_equal(kept.why, REMOTE_WHY_DEADLINE);
        assert_string_equal(kept.out.bytes, "begun\n");
        assert_false(kept.left);
        assert_true(kept.up_ended - kept.up_began >= 0.9);
        assert_false(carried_by_any(kept.uuid));
        kept_release(&kept);
    }
}

static void what_escapes_into_its_own_session_is_swept(void **state)
{
    struct bench *bench = *state;
    struct remote *remote = remote_open(bench->pool, &here);
    struct kept kept = {0};

    bench_do(bench, remote, REMOTE_ENSURE, "setsid -f sleep 55; setsid sleep 56 >/dev/null 2>&1 & echo out",
             &kept);
    assert_ended(&kept, REMOTE_WHY_EXIT, 0);
    assert_string_equal(kept.out.bytes, "out\n");
    assert_false(carried_by_any(kept.uuid));
    kept_release(&kept);
}

static void files_lie_in_the_command_s_folder(void **state)
{
    struct bench *bench = *state;
    struct remote *remote = remote_open(bench->pool, &here);
    static const struct remote_file files[] = {{"hosts", "n1\nn2\n", 6}, {"blob.bin", "\0\1\2", 3}};
    struct kept kept = {0};

    bench_start(remote,
                (struct remote_job){.verb = REMOTE_ENSURE,
                                    .command = "cat hosts; wc -c <blob.bin; test \"$PWD\" = \"$ASSAY_DIR\"",
                                    .files = files,
                                    .file_count = 2},
                &kept);
    bench_wait(bench, &kept);
    assert_ended(&kept, REMOTE_WHY_EXIT, 0);
    assert_string_equal(kept.out.bytes, "n1\nn2\n3\n");
    kept_release(&kept);
}

static void the_same_attempt_sent_four_times_runs_once(void **state)
{
    struct bench *bench = *state;
    struct remote *remotes[4];
    struct kept kept[4] = {0};
    char command[200], count[100];

    snprintf(count, sizeof count, "%s/count", bench->folder);
    snprintf(command, sizeof command, "echo ran >>%s; sleep 0.3; echo done", count);
    uuid_create(kept[0].uuid);
    for (int i = 0; i < 4; i++) {
        remotes[i] = remote_open(bench->pool, &here);
        memmove(kept[i].uuid, kept[0].uuid, UUID_SIZE);
        bench_start(remotes[i], (struct remote_job){.verb = REMOTE_ENSURE, .command = command}, &kept[i]);
    }
    for (int i = 0; i < 4; i++) {
        bench_wait(bench, &kept[i]);
        assert_ended(&kept[i], REMOTE_WHY_EXIT, 0);
        assert_string_equal(kept[i].out.bytes, "done\n");
        kept_release(&kept[i]);
    }
    assert_int_equal(lines_in(count), 1);
    /* And again, long after: delivered, not run. */
    bench_start(remotes[0], (struct remote_job){.verb = REMOTE_ENSURE, .command = command}, &kept[0]);
    bench_wait(bench, &kept[0]);
    assert_string_equal(kept[0].out.bytes, "done\n");
    assert_int_equal(lines_in(count), 1);
    kept_release(&kept[0]);
}

static void spool_path(const struct bench *bench, const struct kept *kept, const char *name, char *ret,
                       size_t size)
{
    snprintf(ret, size, "%s/spool/%s%s%s", bench->folder, kept->uuid, *name != '\0' ? "/" : "", name);
}

/* Until the command has begun. */
static void await_file(struct bench *bench, const char *path)
{
    for (int i = 0; i < 300 && number_in(path) == 0; i++)
        bench_run_for(bench, 10);
    assert_true(number_in(path) > 0);
}

static void a_killed_supervisor_is_lost_and_nothing_stays(void **state)
{
    struct bench *bench = *state;
    struct remote *remote = remote_open(bench->pool, &here);
    struct kept kept = {0};
    char path[200];

    bench_start(remote, (struct remote_job){.verb = REMOTE_ENSURE, .command = "echo some; sleep 57"}, &kept);
    spool_path(bench, &kept, "group", path, sizeof path);
    await_file(bench, path);
    spool_path(bench, &kept, "pid", path, sizeof path);
    bench_run_for(bench, 100);
    kill(number_in(path), SIGKILL);
    bench_wait(bench, &kept);
    assert_int_equal(kept.end, REMOTE_ENDED);
    assert_int_equal(kept.why, REMOTE_WHY_LOST);
    assert_false(kept.left);
    assert_false(carried_by_any(kept.uuid));
    assert_string_not_equal(kept.text, "");
    kept_release(&kept);
}

static void another_boot_is_seen_whoever_remembers_the_first(void **state)
{
    struct bench *bench = *state;
    struct remote *remote = remote_open(bench->pool, &here);
    struct kept kept = {0}, fresh = {0};
    struct remote_job job = {.verb = REMOTE_ENSURE, .command = "echo before"};

    bench_do(bench, remote, REMOTE_ENSURE, "echo before", &kept);
    assert_ended(&kept, REMOTE_WHY_EXIT, 0);
    bench_set_boot(bench, "boot-two");
    bench_start(remote, job, &kept); /* the spool remembers */
    bench_wait(bench, &kept);
    assert_ended(&kept, REMOTE_WHY_REBOOTED, 0);
    assert_string_equal(kept.boot_id, "boot-two");
    assert_string_equal(kept.out.bytes, "before\n");
    job.boot_id = "boot-one"; /* the controller remembers */
    for (int verb = REMOTE_ENSURE; verb <= REMOTE_READ; verb++) {
        job.verb = (enum remote_verb)verb;
        bench_start(remote, job, &fresh);
        bench_wait(bench, &fresh);
        assert_ended(&fresh, REMOTE_WHY_REBOOTED, 0);
        assert_int_equal(fresh.out.length, 0);
    }
    kept_release(&kept);
    kept_release(&fresh);
}

static void a_cancelled_command_ends_and_says_so(void **state)
{
    struct bench *bench = *state;
    struct remote *remote = remote_open(bench->pool, &here);
    struct kept kept = {0}, cancel = {0};
    char path[200];

    bench_start(
        remote,
        (struct remote_job){.verb = REMOTE_ENSURE,
                            .command = "trap '' TERM; setsid -f sleep 58; echo begun; sleep 59; sleep 59"},
        &kept);
    spool_path(bench, &kept, "group", path, sizeof path);
    await_file(bench, path);
    bench_run_for(bench, 100);
    strcpy(cancel.uuid, kept.uuid);
    bench_do(bench, remote, REMOTE_CANCEL, NULL, &cancel);
    assert_ended(&cancel, REMOTE_WHY_NONE, 0);
    bench_wait(bench, &kept);
    assert_int_equal(kept.end, REMOTE_ENDED);
    assert_int_equal(kept.why, REMOTE_WHY_CANCELLED);
    assert_string_equal(kept.out.bytes, "begun\n");
    assert_false(carried_by_any(kept.uuid));
    kept_release(&kept);
    kept_release(&cancel);
}

static void a_cancel_does_not_wait_for_what_it_is_to_end(void **state)
{
    struct bench *bench = *state;
    struct remote *remote = remote_open(bench->pool, &here);
    struct kept kept[6] = {0}, cancel[6] = {0};
    char path[200];

    for (int i = 0; i < 6; i++)
        bench_start(remote, (struct remote_job){.verb = REMOTE_ENSURE, .command = "sleep 53"}, &kept[i]);
    spool_path(bench, &kept[3], "group", path, sizeof path);
    await_file(bench, path);
    for (int i = 0; i < 6; i++) {
        memmove(cancel[i].uuid, kept[i].uuid, UUID_SIZE);
        bench_start(remote, (struct remote_job){.verb = REMOTE_CANCEL}, &cancel[i]);
    }
    for (int i = 0; i < 6; i++) {
        bench_wait(bench, &cancel[i]);
        assert_ended(&cancel[i], REMOTE_WHY_NONE, 0);
        bench_wait(bench, &kept[i]);
        assert_int_equal(kept[i].end, REMOTE_ENDED);
        assert_int_equal(kept[i].why, REMOTE_WHY_CANCELLED);
        assert_false(carried_by_any(kept[i].uuid));
        kept_release(&kept[i]);
        kept_release(&cancel[i]);
    }
}

static void a_cancel_that_comes_first_keeps_the_command_from_running(void **state)
{
    struct bench *bench = *state;
    struct remote *remote = remote_open(bench->pool, &here);
    struct kept kept = {0};
    char command[200], count[100];

    snprintf(count, sizeof count, "%s/count", bench->folder);
    snprintf(command, sizeof command, "echo ran >>%s", count);
    bench_do(bench, remote, REMOTE_CANCEL, NULL, &kept);
    bench_do(bench, remote, REMOTE_ENSURE, command, &kept);
    assert_ended(&kept, REMOTE_WHY_CANCELLED, 0);
    assert_int_equal(lines_in(count), 0);
    kept_release(&kept);
}

static void gone_sweeps_what_the_mark_is_on(void **state)
{
    struct bench *bench = *state;
    struct remote *remote = remote_open(bench->pool, &here);
    struct kept kept = {0}, gone = {0};

    /* On the light path nothing is swept at a good end, so something stays for `gone` to find. */
    bench_do(bench, remote, REMOTE_READ, "setsid -f sleep 54 >/dev/null 2>&1; echo ok", &kept);
    assert_ended(&kept, REMOTE_WHY_EXIT, 0);
    bench_run_for(bench, 100);
    assert_true(carried_by_any(kept.uuid));
    strcpy(gone.uuid, kept.uuid);
    bench_do(bench, remote, REMOTE_GONE, NULL, &gone);
    assert_ended(&gone, REMOTE_WHY_NONE, 0);
    assert_false(carried_by_any(kept.uuid));
    kept_release(&kept);
    kept_release(&gone);
}

static void a_reader_that_hangs_ends_itself_and_neither_the_command_nor_another_reader(void **state)
{
    struct bench *bench = *state;
    struct remote *remote = remote_open(bench->pool, &here);
    const char *deaf =
        "setsid -f sh -c 'trap \"\" TERM; while :; do sleep 1; done' >/dev/null 2>&1; sleep 54";
    struct kept hangs = {0}, reads = {0}, runs = {0};
    char group[200];

    bench_start(remote, (struct remote_job){.verb = REMOTE_READ, .command = deaf, .deadline_s = 1}, &hangs);
    strcpy(reads.uuid, hangs.uuid);
    strcpy(runs.uuid, hangs.uuid);
    bench_start(remote, (struct remote_job){.verb = REMOTE_READ, .command = "sleep 3; echo read"}, &reads);
    bench_start(remote, (struct remote_job){.verb = REMOTE_ENSURE, .command = "sleep 3; echo ran"}, &runs);
    spool_path(bench, &runs, "group", group, sizeof group);
    await_file(bench, group);
    bench_wait(bench, &hangs);
    assert_ended(&hangs, REMOTE_WHY_DEADLINE, 124);
    bench_wait(bench, &reads);
    assert_ended(&reads, REMOTE_WHY_EXIT, 0);
    bench_wait(bench, &runs);
    assert_ended(&runs, REMOTE_WHY_EXIT, 0);
    assert_string_equal(runs.out.bytes, "ran\n");
    assert_false(carried_by_any(hangs.uuid));
    kept_release(&hangs);
    kept_release(&reads);
    kept_release(&runs);
}

static void forget_removes_the_spool_but_not_under_a_running_command(void **state)
{
    struct bench *bench = *state;
    struct remote *remote = remote_open(bench->pool, &here);
    struct kept kept = {0}, forget = {0}, list = {0};
    char path[200], line[100];

    bench_start(remote, (struct remote_job){.verb = REMOTE_ENSURE, .command = "sleep 0.5"}, &kept);
    spool_path(bench, &kept, "group", path, sizeof path);
    await_file(bench, path);
    strcpy(forget.uuid, kept.uuid);
    bench_do(bench, remote, REMOTE_FORGET, NULL, &forget);
    assert_ended(&forget, REMOTE_WHY_NONE, 1);
    bench_do(bench, remote, REMOTE_LIST, NULL, &list);
    snprintf(line, sizeof line, "%s running\n", kept.uuid);
    assert_string_equal(list.out.bytes, line);
    bench_wait(bench, &kept);
    assert_ended(&kept, REMOTE_WHY_EXIT, 0);
    bench_do(bench, remote, REMOTE_FORGET, NULL, &forget);
    assert_ended(&forget, REMOTE_WHY_NONE, 0);
    spool_path(bench, &kept, "", path, sizeof path);
    assert_false(file_exists(path));
    bench_do(bench, remote, REMOTE_LIST, NULL, &list);
    assert_ended(&list, REMOTE_WHY_NONE, 0);
    assert_int_equal(list.out.length, 0);
    kept_release(&kept);
    kept_release(&forget);
    kept_release(&list);
}

/* As a channel that breaks leaves it: nothing of it has run, and nobody fills it any more. */
static void a_folder_that_was_never_whole_is_listed_and_forgotten(void **state)
{
    struct bench *bench = *state;
    struct remote *remote = remote_open(bench->pool, &here);
    struct kept kept = {0}, list = {0};
    char path[200], line[100];

    bench_do(bench, remote, REMOTE_ENSURE, "true", &kept);
    bench_do(bench, remote, REMOTE_FORGET, NULL, &kept);
    spool_path(bench, &kept, "", path, sizeof path);
    strcat(path, ".99999999"); /* no process has this number */
    assert_int_equal(mkdir(path, 0700), 0);
    bench_do(bench, remote, REMOTE_LIST, NULL, &list);
    snprintf(line, sizeof line, "%s cut\n", kept.uuid);
    assert_string_equal(list.out.bytes, line);
    bench_do(bench, remote, REMOTE_FORGET, NULL, &kept);
    assert_ended(&kept, REMOTE_WHY_NONE, 0);
    assert_false(file_exists(path));
    kept_release(&kept);
    kept_release(&list);
}

static void a_list_makes_no_folder(void **state)
{
    struct bench *bench = *state;
    struct remote *remote = remote_open(bench->pool, &here);
    struct kept list = {0};
    char spool[100];

    bench_do(bench, remote, REMOTE_LIST, NULL, &list);
    assert_ended(&list, REMOTE_WHY_NONE, 0);
    assert_int_equal(list.out.length, 0);
    snprintf(spool, sizeof spool, "%s/spool", bench->folder);
    assert_false(file_exists(spool));
    kept_release(&list);
}

/* A sender looks once a second whether what it waits for has ended. */
static void what_ended_is_listed_as_running_until_its_sender_has_gone(void **state)
{
    struct bench *bench = *state;
    struct remote *remote = remote_open(bench->pool, &here);
    struct kept kept = {0}, list = {0};
    int input[2];
    pid_t sender;
    char line[100];

    bench_do(bench, remote, REMOTE_ENSURE, "true", &kept);
    assert_int_equal(pipe2(input, O_CLOEXEC), 0);
    sender = fork();
    if (sender == 0) {
        dup2(input[0], 0);
        execl("/bin/sh", "sh", "-c", "read -r _", "assay", "ensure", kept.uuid, NULL);
        _exit(127);
    }
    bench_run_for(bench, 200);
    bench_do(bench, remote, REMOTE_LIST, NULL, &list);
    snprintf(line, sizeof line, "%s running\n", kept.uuid);
    assert_string_equal(list.out.bytes, line);
    close(input[0]);
    close(input[1]);
    assert_int_equal(waitpid(sender, NULL, 0), sender);
    bench_do(bench, remote, REMOTE_LIST, NULL, &list);
    snprintf(line, sizeof line, "%s ended\n", kept.uuid);
    assert_string_equal(list.out.bytes, line);
    kept_release(&kept);
    kept_release(&list);
}

static void a_spool_that_is_not_private_is_refused(void **state)
{
    struct bench *bench = *state;
    struct remote *remote = remote_open(bench->pool, &here);
    struct kept kept = {0};
    char spool[100], elsewhere[100];

    snprintf(spool, sizeof spool, "%s/spool", bench->folder);
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", bench->folder);
    assert_int_equal(mkdir(elsewhere, 0700), 0);
    assert_int_equal(symlink(elsewhere, spool), 0);
    bench_do(bench, remote, REMOTE_ENSURE, "echo never", &kept);
    assert_ended(&kept, REMOTE_WHY_SPOOL, 0);
    assert_string_not_equal(kept.text, "");
    assert_int_equal(unlink(spool), 0);
    assert_int_equal(mkdir(spool, 0755), 0);
    bench_do(bench, remote, REMOTE_ENSURE, "echo never", &kept);
    assert_ended(&kept, REMOTE_WHY_SPOOL, 0);
    assert_int_equal(kept.out.length, 0);
    kept_release(&kept);
}

static void a_job_that_is_not_one_is_refused_before_it_is_sent(void **state)
{
    struct bench *bench = *state;
    struct remote *remote = remote_open(bench->pool, &here);
    struct kept kept = {.uuid = "$(reboot)"};
    static const struct remote_file files[] = {{"../x", "", 0}};
    struct kept file = {0};

    bench_do(bench, remote, REMOTE_ENSURE, "true", &kept);
    assert_int_equal(kept.end, REMOTE_NO_ANSWER);
    bench_start(
        remote,
        (struct remote_job){.verb = REMOTE_ENSURE, .command = "true", .files = files, .file_count = 1},
        &file);
    bench_wait(bench, &file);
    assert_int_equal(file.end, REMOTE_NO_ANSWER);
    kept_release(&kept);
    kept_release(&file);
}

static void many_jobs_share_a_host(void **state)
{
    struct bench *bench = *state;
    struct remote *remote = remote_open(bench->pool, &here);
    static struct kept kept[40];

    memset(kept, 0, sizeof kept);
    for (int i = 0; i < 40; i++)
        bench_start(remote, (struct remote_job){.verb = REMOTE_READ, .command = "echo $ASSAY_ATTEMPT"},
                    &kept[i]);
    remote_close(remote); /* the jobs in hand are done first */
    for (int i = 0; i < 40; i++) {
        bench_wait(bench, &kept[i]);
        assert_ended(&kept[i], REMOTE_WHY_EXIT, 0);
        assert_memory_equal(kept[i].out.bytes, kept[i].uuid, UUID_SIZE - 1);
        kept_release(&kept[i]);
    }
}

static void destroying_the_pool_ends_jobs_here_but_not_on_the_host(void **state)
{
    struct bench *bench = *state;
    struct remote *remote = remote_open(bench->pool, &here);
    struct kept kept[6] = {0};
    char path[200];

    for (int i = 0; i < 6; i++)
        bench_start(remote, (struct remote_job){.verb = REMOTE_ENSURE, .command = "sleep 0.6; echo finished"},
                    &kept[i]);
    spool_path(bench, &kept[0], "group", path, sizeof path);
    await_file(bench, path);
    remote_pool_destroy(bench->pool);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(kept[i].times, 1);
        assert_int_equal(kept[i].end, REMOTE_CANCELLED);
    }
    bench->pool = remote_pool_create(&bench->loop, NULL);
    remote = remote_open(bench->pool, &here);
    bench_do(bench, remote, REMOTE_ENSURE, "echo not again", &kept[0]);
    assert_ended(&kept[0], REMOTE_WHY_EXIT, 0);
    assert_string_equal(kept[0].out.bytes, "finished\n");
    for (int i = 1; i < 6; i++) {
        struct kept cancel = {0};

        strcpy(cancel.uuid, kept[i].uuid);
        bench_do(bench, remote, REMOTE_CANCEL, NULL, &cancel);
        kept_release(&cancel);
    }
    for (int i = 0; i < 6; i++)
        kept_release(&kept[i]);
}

static void a_host_that_never_answers_is_given_up(void **state)
{
    struct bench *bench = *state;
    struct remote_pool *pool =
        remote_pool_create(&bench->loop, &(struct remote_options){.answer_margin_ms = 100});
    struct remote *remote = remote_open(pool, &here);
    struct kept kept = {0};

    /* A stopped shell stands for a host that hangs: FORGET has no time of its own beyond the margin. */
    setenv("ASSAY_LAB_BOOT_ID", "/dev/tty-that-blocks", 1);
    {
        char fifo[100];

        snprintf(fifo, sizeof fifo, "%s/fifo", bench->folder);
        assert_int_equal(mkfifo(fifo, 0600), 0);
        setenv("ASSAY_LAB_BOOT_ID", fifo, 1);
    }
    bench_do(bench, remote, REMOTE_FORGET, NULL, &kept);
    assert_int_equal(kept.end, REMOTE_NO_ANSWER);
    remote_pool_destroy(pool);
    bench_run_for(bench, 1);
    kept_release(&kept);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(exit_status_and_both_streams_come_back),
        CASE(odd_outputs_come_back_byte_for_byte),
        CASE(a_megabyte_on_each_stream_comes_back),
        CASE(a_flood_is_clipped_and_the_command_still_ends),
        CASE(a_signal_is_told_from_an_exit_status),
        CASE(the_deadline_ends_even_what_ignores_term),
        CASE(what_escapes_into_its_own_session_is_swept),
        CASE(files_lie_in_the_command_s_folder),
        CASE(the_same_attempt_sent_four_times_runs_once),
        CASE(a_killed_supervisor_is_lost_and_nothing_stays),
        CASE(another_boot_is_seen_whoever_remembers_the_first),
        CASE(a_cancelled_command_ends_and_says_so),
        CASE(a_cancel_does_not_wait_for_what_it_is_to_end),
        CASE(a_cancel_that_comes_first_keeps_the_command_from_running),
        CASE(gone_sweeps_what_the_mark_is_on),
        CASE(a_reader_that_hangs_ends_itself_and_neither_the_command_nor_another_reader),
        CASE(forget_removes_the_spool_but_not_under_a_running_command),
        CASE(a_folder_that_was_never_whole_is_listed_and_forgotten),
        CASE(a_list_makes_no_folder),
        CASE(what_ended_is_listed_as_running_until_its_sender_has_gone),
        CASE(a_spool_that_is_not_private_is_refused),
        CASE(a_job_that_is_not_one_is_refused_before_it_is_sent),
        CASE(many_jobs_share_a_host),
        CASE(destroying_the_pool_ends_jobs_here_but_not_on_the_host),
        CASE(a_host_that_never_answers_is_given_up),
    };

    return cmocka_run_group_tests_name("remote_local", tests, NULL, NULL);
}

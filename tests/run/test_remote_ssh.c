/* SPDX-License-Identifier: Apache-2.0 */
/* Commands on hosts behind OpenSSH's own server, over libssh2 and over the ssh program: each case on both. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "place.h"

static void a_command_s_streams_and_status_come_back(void **state)
{
    struct place *place = *state;

    EACH_TRANSPORT(kind)
    {
        struct remote *remote = open_remote(place, kind);

        for (int verb = REMOTE_ENSURE; verb <= REMOTE_READ; verb++) {
            struct kept kept = {0};

            bench_do(&place->bench, remote, (enum remote_verb)verb, "echo out; echo err >&2; exit 5", &kept);
            assert_exit(&kept, 5);
            assert_string_equal(kept.out.bytes, "out\n");
            assert_string_equal(kept.err.bytes, "err\n");
            assert_string_equal(kept.boot_id, "boot-one");
            kept_release(&kept);
        }
        remote_close(remote);
    }
}

/* Who reads only stdout hangs here for ever: the window of stderr fills first. */
static void a_flood_on_stderr_first_does_not_stop_stdout(void **state)
{
    struct place *place = *state;

    EACH_TRANSPORT(kind)
    {
        struct remote *remote = open_remote(place, kind);

        for (int verb = REMOTE_ENSURE; verb <= REMOTE_READ; verb++) {
            struct kept kept = {0};

            bench_do(&place->bench, remote, (enum remote_verb)verb,
                     "yes 0123456789abcde | head -c 1000000 >&2; yes fedcba987654321 | head -c 1000000",
                     &kept);
            assert_exit(&kept, 0);
            assert_int_equal(kept.err.length, 1000000);
            assert_int_equal(kept.out.length, 1000000);
            for (size_t at = 0; at + 16 <= kept.out.length; at += 16) {
                assert_memory_equal(kept.err.bytes + at, "0123456789abcde\n", 16);
                assert_memory_equal(kept.out.bytes + at, "fedcba987654321\n", 16);
            }
            kept_release(&kept);
        }
    }
}

/* More than any window or socket buffer holds, both ways, on all channels at once: packets are sent in parts.
 */
static void large_files_go_and_come_on_all_channels_at_once(void **state)
{
    struct place *place = *state;
    enum { LENGTH = 4 << 20, JOBS = 5 };
    struct kept kept[JOBS] = {0};
    char *bytes = mem_alloc(LENGTH);
    struct remote_file file = {"blob", bytes, LENGTH};
    struct remote *remote = open_remote(place, TRANSPORT_SSH);

    for (int i = 0; i < JOBS; i++) {
        for (size_t at = 0; at < LENGTH; at++)
            bytes[at] = (char)(at * 31 + at / 4093 + (size_t)i);
        bench_start(
            remote,
            (struct remote_job){
                .verb = REMOTE_ENSURE, .command = "cat blob; cat blob >&2", .files = &file, .file_count = 1},
            &kept[i]);
    }
    for (int i = 0; i < JOBS; i++) {
        bench_wait(&place->bench, &kept[i]);
        assert_exit(&kept[i], 0);
        assert_int_equal(kept[i].connections, 1);
        assert_int_equal(kept[i].out.length, LENGTH);
        assert_int_equal(kept[i].err.length, LENGTH);
        for (size_t at = 0; at < LENGTH; at++)
            bytes[at] = (char)(at * 31 + at / 4093 + (size_t)i);
        assert_memory_equal(kept[i].out.bytes, bytes, LENGTH);
        assert_memory_equal(kept[i].err.bytes, bytes, LENGTH);
        kept_release(&kept[i]);
    }
    free(bytes);
}

static void await_line(struct place *place, const char *path)
{
    for (int i = 0; i < 500 && lines_in(path) == 0; i++)
        bench_run_for(&place->bench, 10);
    assert_int_equal(lines_in(path), 1);
}

static void a_connection_killed_under_a_command_brings_its_own_result_later(void **state)
{
    struct place *place = *state;

    EACH_TRANSPORT(kind)
    {
        struct remote *remote = open_remote(place, kind);
        struct kept kept = {0};
        char count[100], command[300];

        snprintf(count, sizeof count, "%s/count%d", place->bench.folder, (int)kind);
        snprintf(command, sizeof command, "echo ran >>%s; sleep 1; yes whole | head -c 600000", count);
        bench_start(remote, (struct remote_job){.verb = REMOTE_ENSURE, .command = command}, &kept);
        await_line(place, count);
        assert_true(sshd_kill_connections(&place->sshd) > 0);
        bench_wait(&place->bench, &kept);
        assert_exit(&kept, 0);
        assert_int_equal(kept.out.length, 600000);
        assert_int_equal(lines_in(count), 1);
        assert_int_equal(kept.connections, 2);
        kept_release(&kept);
        remote_close(remote);
        bench_run_for(&place->bench, 50);
    }
}

static void a_connection_killed_under_a_read_is_not_read_again(void **state)
{
    struct place *place = *state;

    EACH_TRANSPORT(kind)
    {
        struct remote *remote = open_remote(place, kind);
        struct kept kept = {0};
        char count[100], command[300];

        snprintf(count, sizeof count, "%s/read%d", place->bench.folder, (int)kind);
        snprintf(command, sizeof command, "echo ran >>%s; echo half; sleep 2; echo rest", count);
        bench_start(remote, (struct remote_job){.verb = REMOTE_READ, .command = command}, &kept);
        await_line(place, count);
        sshd_kill_connections(&place->sshd);
        bench_wait(&place->bench, &kept);
        assert_end(&kept, REMOTE_UNREACHABLE);
        assert_int_equal(kept.out.length, 0);
        assert_int_equal(lines_in(count), 1);
        kept_release(&kept);
        remote_close(remote);
        bench_run_for(&place->bench, 50);
    }
}

static void a_server_that_stays_away_is_given_up_in_time(void **state)
{
    struct place *place = *state;
    struct remote_pool *pool = remote_pool_create(
        &place->bench.loop,
        &(struct remote_options){.known_hosts = place->sshd.known_hosts, .reconnect_for_ms = 500});
    struct remote_target target = target_of(place, TRANSPORT_SSH);
    struct remote *remote = remote_open(pool, &target);
    struct kept kept = {0}, cancel = {0};
    char count[100], command[300];

    snprintf(count, sizeof count, "%s/count", place->bench.folder);
    snprintf(command, sizeof command, "echo ran >>%s; sleep 30", count);
    bench_start(remote, (struct remote_job){.verb = REMOTE_ENSURE, .command = command}, &kept);
    await_line(place, count);
    sshd_stop(&place->sshd);
    bench_wait(&place->bench, &kept);
    assert_end(&kept, REMOTE_UNREACHABLE);
    assert_non_null(strstr(kept.text, "not restored"));
    remote_pool_destroy(pool);
    /* What it left running is ended here, over another way to the same host. */
    remote = remote_open(place->bench.pool, &(struct remote_target){.transport = TRANSPORT_LOCAL});
    memmove(cancel.uuid, kept.uuid, UUID_SIZE);
    bench_do(&place->bench, remote, REMOTE_CANCEL, NULL, &cancel);
    assert_int_equal(cancel.end, REMOTE_ENDED);
    assert_false(carried_by_any(kept.uuid));
    kept_release(&kept);
    kept_release(&cancel);
    sshd_start_again(&place->sshd, &place->bench);
}

static void a_host_that_always_breaks_off_is_given_up_in_time(void **state)
{
    struct place place;

    (void)state;
    place_start(&place, "ForceCommand kill -KILL $PPID");
    EACH_TRANSPORT(kind)
    {
        struct remote_pool *pool = remote_pool_create(
            &place.bench.loop,
            &(struct remote_options){.known_hosts = place.sshd.known_hosts, .reconnect_for_ms = 500});
        struct remote_target target = target_of(&place, kind);
        struct kept kept = {0};

        bench_do(&place.bench, remote_open(pool, &target), REMOTE_ENSURE, "true", &kept);
        assert_end(&kept, REMOTE_UNREACHABLE);
        assert_true(kept.connections >= 2);
        kept_release(&kept);
        remote_pool_destroy(pool);
        bench_run_for(&place.bench, 20);
    }
    place_end(&place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_CASE(a_command_s_streams_and_status_come_back),
        PLACE_CASE(a_flood_on_stderr_first_does_not_stop_stdout),
        PLACE_CASE(large_files_go_and_come_on_all_channels_at_once),
        PLACE_CASE(a_connection_killed_under_a_command_brings_its_own_result_later),
        PLACE_CASE(a_connection_killed_under_a_read_is_not_read_again),
        PLACE_CASE(a_server_that_stays_away_is_given_up_in_time),
        cmocka_unit_test(a_host_that_always_breaks_off_is_given_up_in_time),
    };

    return place_main("remote_ssh", tests);
}

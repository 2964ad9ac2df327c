/* SPDX-License-Identifier: Apache-2.0 */
/* Many jobs and many hosts: channels, places in the pool, and its end at any moment. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "place.h"

static void run_many(struct place *place, enum transport_kind kind, unsigned count)
{
    struct remote *remote = open_remote(place, kind);
    struct kept *kept = calloc(count, sizeof *kept);

    for (unsigned i = 0; i < count; i++)
        bench_start(remote, (struct remote_job){.verb = REMOTE_READ, .command = "echo $ASSAY_ATTEMPT"},
                    &kept[i]);
    for (unsigned i = 0; i < count; i++) {
        bench_wait(&place->bench, &kept[i]);
        assert_exit(&kept[i], 0);
        assert_int_equal(kept[i].out.length, UUID_SIZE);
        assert_memory_equal(kept[i].out.bytes, kept[i].uuid, UUID_SIZE - 1);
        assert_int_equal(kept[i].connections, 1);
        kept_release(&kept[i]);
    }
    free(kept);
    remote_close(remote);
}

static unsigned connections_logged(const struct place *place)
{
    char path[100];
    cleanup_text struct text log = {0};
    struct slice rest, line;
    struct error err;
    unsigned count = 0;

    snprintf(path, sizeof path, "%s/sshd.log", place->bench.folder);
    text_init(&log, 16 << 20);
    assert_int_equal(file_read(path, &log, &err), 0);
    rest = (struct slice){log.bytes, log.length};
    while (scan_line(&rest, &line))
        count += slice_starts(line, "Accepted publickey");
    return count;
}

static void two_hundred_jobs_share_one_session(void **state)
{
    struct place *place = *state;

    run_many(place, TRANSPORT_SSH, 200);
    assert_int_equal(connections_logged(place), 1);
}

static void a_server_that_allows_fewer_channels_is_used_with_fewer(void **state)
{
    struct place *place = *state;

    EACH_TRANSPORT(kind)
    run_many(place, kind, 12);
    assert_int_equal(connections_logged(place), 2);
}

static int setup_two_channels(void **state)
{
    struct place *place = calloc(1, sizeof *place);

    *state = place;
    place_start(place, "MaxSessions 2");
    return 0;
}

/* Each further one comes while the server may still be closing the last. */
static void a_server_that_allows_one_channel_is_used_with_one(void **state)
{
    struct place *place = *state;

    run_many(place, TRANSPORT_SSH, 40);
    assert_int_equal(connections_logged(place), 1);
}

static int setup_one_channel(void **state)
{
    struct place *place = calloc(1, sizeof *place);

    *state = place;
    place_start(place, "MaxSessions 1");
    return 0;
}

static void hosts_wait_for_a_place_in_the_pool(void **state)
{
    struct place *place = *state;
    struct remote_pool *pool = remote_pool_create(
        &place->bench.loop,
        &(struct remote_options){.known_hosts = place->sshd.known_hosts, .connections = 2, .handshakes = 1});
    struct remote_target target = target_of(place, TRANSPORT_SSH);
    struct kept kept[8] = {0};

    for (int i = 0; i < 8; i++)
        bench_start(remote_open(pool, &target),
                    (struct remote_job){.verb = REMOTE_READ, .command = "echo reached"}, &kept[i]);
    for (int i = 0; i < 8; i++) {
        bench_wait(&place->bench, &kept[i]);
        assert_exit(&kept[i], 0);
        kept_release(&kept[i]);
    }
    remote_pool_destroy(pool);
    bench_run_for(&place->bench, 20);
}

/* At every stage of a session: nothing leaks, every job is told, whatever the moment. */
static void the_pool_may_be_destroyed_at_any_moment(void **state)
{
    struct place *place = *state;
    static const unsigned moments_ms[] = {0, 1, 3, 6, 10, 20, 40, 80, 160};

    EACH_TRANSPORT(kind)
    for (size_t i = 0; i < ARRAY_SIZE(moments_ms); i++) {
        struct remote_pool *pool = remote_pool_create(
            &place->bench.loop, &(struct remote_options){.known_hosts = place->sshd.known_hosts});
        struct remote_target target = target_of(place, kind);
        struct remote *remote = remote_open(pool, &target);
        struct kept kept[6] = {0};

        for (int job = 0; job < 6; job++)
            bench_start(
                remote,
                (struct remote_job){.verb = REMOTE_READ, .command = "head -c 300000 /dev/zero; sleep 0.1"},
                &kept[job]);
        bench_run_for(&place->bench, moments_ms[i]);
        remote_pool_destroy(pool);
        for (int job = 0; job < 6; job++) {
            assert_int_equal(kept[job].times, 1);
            kept_release(&kept[job]);
        }
        bench_run_for(&place->bench, 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_CASE(two_hundred_jobs_share_one_session),
        cmocka_unit_test_setup_teardown(a_server_that_allows_fewer_channels_is_used_with_fewer,
                                        setup_two_channels, place_teardown),
        cmocka_unit_test_setup_teardown(a_server_that_allows_one_channel_is_used_with_one, setup_one_channel,
                                        place_teardown),
        PLACE_CASE(hosts_wait_for_a_place_in_the_pool),
        PLACE_CASE(the_pool_may_be_destroyed_at_any_moment),
    };

    return place_main("remote_pool", tests);
}

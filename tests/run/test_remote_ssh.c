/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts behind OpenSSH's own server, over libssh2 and over the ssh program: each case on both. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay/arena.h"
#include "assay/cleanup.h"
#include "assay/files.h"
#include "bench.h"
#include "sshd.h"

struct place {
    struct bench bench;
    struct sshd sshd;
};

static const enum transport_kind kinds[] = {TRANSPORT_SSH, TRANSPORT_OPENSSH};

#define EACH_TRANSPORT(kind) \
    for (size_t each_ = 0, kind = TRANSPORT_SSH; each_ < 2 && ((kind = kinds[each_]), 1); each_++)

static void start_place(struct place *place, const char *settings)
{
    bench_setup(&place->bench, NULL);
    remote_pool_destroy(place->bench.pool);
    sshd_start(&place->sshd, &place->bench, settings);
    place->bench.pool = remote_pool_create(&place->bench.loop,
                                           &(struct remote_options){.known_hosts = place->sshd.known_hosts,
                                                                    .connect_timeout_ms = 5000,
                                                                    .reconnect_for_ms = 10000});
}

static void end_place(struct place *place)
{
    remote_pool_destroy(place->bench.pool);
    place->bench.pool = NULL;
    sshd_stop(&place->sshd);
    bench_teardown(&place->bench);
}

static int setup(void **state)
{
    struct place *place = calloc(1, sizeof *place);

    *state = place;
    if (sshd_missing() == NULL)
        start_place(place, "");
    return 0;
}

static int teardown(void **state)
{
    if (sshd_missing() == NULL)
        end_place(*state);
    free(*state);
    return 0;
}

static struct place *here(void **state)
{
    if (sshd_missing() != NULL) {
        print_message("skipped: %s\n", sshd_missing());
        skip();
    }
    return *state;
}

static struct remote_target target_of(const struct place *place, enum transport_kind kind)
{
    return (struct remote_target){.name = "node1",
                                  .address = "127.0.0.1",
                                  .port = place->sshd.port,
                                  .user = place->sshd.user,
                                  .identity = place->sshd.key,
                                  .transport = kind};
}

static struct remote *open_remote(struct place *place, enum transport_kind kind)
{
    struct remote_target target = target_of(place, kind);

    return remote_open(place->bench.pool, &target);
}

static void assert_exit(const struct kept *kept, int rc)
{
    if (kept->end != REMOTE_ENDED || kept->why != REMOTE_WHY_EXIT || kept->rc != rc)
        print_error("end %d why %d rc %d text '%s'\n", kept->end, kept->why, kept->rc, kept->text);
    assert_int_equal(kept->end, REMOTE_ENDED);
    assert_int_equal(kept->why, REMOTE_WHY_EXIT);
    assert_int_equal(kept->rc, rc);
    assert_false(kept->cut);
}

__attribute__((unused)) static void assert_end(const struct kept *kept, enum remote_end end)
{
    if (kept->end != end)
        print_error("end %d text '%s'\n", kept->end, kept->text);
    assert_int_equal(kept->end, end);
    assert_string_not_equal(kept->text, "");
}

static void a_command_s_streams_and_status_come_back(void **state)
{
    struct place *place = here(state);

    EACH_TRANSPORT(kind)
    {
        struct remote *remote = open_remote(place, (enum transport_kind)kind);

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

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(a_command_s_streams_and_status_come_back),
    };

    return cmocka_run_group_tests_name("remote_ssh", tests, NULL, NULL);
}

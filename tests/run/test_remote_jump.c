/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts behind jump hosts. One sshd is the jump host and all hosts behind it; it counts logins. */
#include <stdlib.h>
#include <string.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "place.h"

enum { HOSTS = 3 };

struct behind {
    struct place *place;
    char jump[160];
    struct remote_target target;
    struct kept kept[HOSTS];
};

/* With another pool for the place; hops: "127.0.0.1:PORT" so many times. */
static void begin(struct behind *behind, struct place *place, enum transport_kind kind, unsigned hops)
{
    *behind = (struct behind){.place = place, .target = target_of(place, kind)};
    for (unsigned i = 0; i < hops; i++)
        snprintf(behind->jump + strlen(behind->jump), sizeof behind->jump - strlen(behind->jump),
                 "%s%s@127.0.0.1:%u", i > 0 ? "," : "", place->sshd.user, place->sshd.port);
    behind->target.jump = behind->jump;
    behind->target.jump_identity = behind->target.identity;
    remote_pool_destroy(place->bench.pool);
    place->bench.pool = remote_pool_create(&place->bench.loop,
                                           &(struct remote_options){.known_hosts = place->sshd.known_hosts,
                                                                    .connect_timeout_ms = 5000,
                                                                    .handshakes = 2});
}

static void ask_all(struct behind *behind)
{
    for (unsigned i = 0; i < HOSTS; i++) {
        struct remote *remote = remote_open(behind->place->bench.pool, &behind->target);

        behind->kept[i].uuid[0] = '\0';
        bench_start(remote,
                    (struct remote_job){.verb = REMOTE_READ, .command = "echo reached", .deadline_s = 20},
                    &behind->kept[i]);
    }
    for (unsigned i = 0; i < HOSTS; i++)
        bench_wait(&behind->place->bench, &behind->kept[i]);
}

static void end(struct behind *behind)
{
    remote_pool_destroy(behind->place->bench.pool);
    behind->place->bench.pool = NULL;
    bench_run_for(&behind->place->bench, 50);
    for (unsigned i = 0; i < HOSTS; i++)
        kept_release(&behind->kept[i]);
}

/* How often the server's log has these words. */
static unsigned logged(const struct place *place, const char *words)
{
    cleanup_text struct text log = {0};
    char path[128];
    struct error err;
    unsigned count = 0;

    snprintf(path, sizeof path, "%s/sshd.log", place->bench.folder);
    text_init(&log, 1 << 20);
    assert_int_equal(file_read(path, &log, &err), 0);
    for (const char *at = log.bytes; (at = strstr(at, words)) != NULL; at++)
        count++;
    return count;
}

static void all_hosts_behind_a_jump_host_share_one_login_on_it(void **state)
{
    struct place *place = *state;
    struct behind behind;

    EACH_TRANSPORT(kind)
    for (unsigned hops = 1; hops <= 2; hops++) {
        unsigned before = logged(place, "Accepted publickey");

        begin(&behind, place, kind, hops);
        ask_all(&behind);
        for (unsigned i = 0; i < HOSTS; i++) {
            assert_exit(&behind.kept[i], 0);
            assert_string_equal(behind.kept[i].out.bytes, "reached\n");
        }
        end(&behind);
        assert_int_equal(logged(place, "Accepted publickey") - before, HOSTS + hops);
    }
}

static void forwarding_that_is_forbidden_is_named_with_what_to_do(void **state)
{
    struct place *place = *state;
    struct behind behind;

    sshd_stop(&place->sshd);
    sshd_add_settings(&place->sshd, &place->bench, "AllowTcpForwarding no");
    sshd_start_again(&place->sshd, &place->bench);
    EACH_TRANSPORT(kind)
    {
        begin(&behind, place, kind, 1);
        ask_all(&behind);
        for (unsigned i = 0; i < HOSTS; i++) {
            assert_end(&behind.kept[i], REMOTE_JUMP_FAILED);
            assert_non_null(strstr(behind.kept[i].text, "jump host 127.0.0.1 forbids forwarding"));
            assert_non_null(strstr(behind.kept[i].text, "administratively prohibited"));
            assert_non_null(strstr(behind.kept[i].text, "scripts/bundle"));
        }
        end(&behind);
    }
}

static void a_jump_host_that_refuses_us_is_named_and_asked_once(void **state)
{
    struct place *place = *state;
    struct behind behind;
    unsigned before = logged(place, "Connection from authenticating user") +
                      logged(place, "Connection closed by authenticating user");

    begin(&behind, place, TRANSPORT_AUTO, 1);
    behind.target.jump_identity = place->sshd.wrong_key;
    ask_all(&behind);
    for (unsigned i = 0; i < HOSTS; i++) {
        assert_end(&behind.kept[i], REMOTE_JUMP_FAILED);
        assert_non_null(strstr(behind.kept[i].text, "jump host 127.0.0.1: "));
        assert_non_null(strstr(behind.kept[i].text, "authorized_keys"));
    }
    end(&behind);
    assert_int_equal(logged(place, "Connection closed by authenticating user") - before, 1);
}

static void the_key_of_a_jump_host_is_checked_and_so_is_that_of_the_host(void **state)
{
    struct place *place = *state;
    struct behind behind;
    char empty[100];

    EACH_TRANSPORT(kind)
    {
        begin(&behind, place, kind, 1);
        behind.target.address = "localhost"; /* known_hosts has only the address */
        ask_all(&behind);
        for (unsigned i = 0; i < HOSTS; i++)
            assert_end(&behind.kept[i], REMOTE_HOST_KEY_UNKNOWN);
        end(&behind);
        begin(&behind, place, kind, 1);
        snprintf(empty, sizeof empty, "%s/empty", place->bench.folder);
        behind.target.jump_known_hosts = empty;
        ask_all(&behind);
        for (unsigned i = 0; i < HOSTS; i++) {
            assert_end(&behind.kept[i], REMOTE_JUMP_FAILED);
            assert_non_null(
                strstr(behind.kept[i].text, "jump host 127.0.0.1: the host key is not in known_hosts"));
        }
        end(&behind);
    }
}

static void a_host_that_is_down_is_unreachable_and_not_its_jump_host(void **state)
{
    struct place *place = *state;
    struct behind behind;

    EACH_TRANSPORT(kind)
    {
        begin(&behind, place, kind, 1);
        behind.target.port = 1;
        ask_all(&behind);
        for (unsigned i = 0; i < HOSTS; i++) {
            assert_end(&behind.kept[i], REMOTE_UNREACHABLE);
            assert_non_null(
                strstr(behind.kept[i].text, "cannot connect to 127.0.0.1 port 1: Connection refused"));
            assert_true(behind.kept[i].refused);
        }
        end(&behind);
    }
}

static void of_two_hops_the_one_that_fails_is_named(void **state)
{
    struct place *place = *state;
    struct behind behind;

    begin(&behind, place, TRANSPORT_AUTO, 1);
    strcat(behind.jump, ",127.0.0.1:1");
    ask_all(&behind);
    for (unsigned i = 0; i < HOSTS; i++) {
        assert_end(&behind.kept[i], REMOTE_JUMP_FAILED);
        assert_non_null(strstr(behind.kept[i].text, "Connection refused"));
        assert_non_null(strstr(behind.kept[i].text, "cannot connect to 127.0.0.1 port 1"));
    }
    end(&behind);
}

static void a_command_outlives_the_connection_to_the_jump_host(void **state)
{
    struct place *place = *state;
    struct behind behind;
    char begun[100];
    cleanup_free char *command = NULL;

    EACH_TRANSPORT(kind)
    {
        begin(&behind, place, kind, 1);
        snprintf(begun, sizeof begun, "%s/begun%d", place->bench.folder, (int)kind);
        command = mem_printf("touch %s; sleep 2; echo reached", begun);
        behind.kept[0].uuid[0] = '\0';
        bench_start(remote_open(place->bench.pool, &behind.target),
                    (struct remote_job){.verb = REMOTE_ENSURE, .command = command, .deadline_s = 20},
                    &behind.kept[0]);
        for (int i = 0; i < 200 && !file_exists(begun); i++)
            bench_run_for(&place->bench, 50);
        /* The one to the host may have ended with the other. */
        assert_in_range(sshd_kill_connections(&place->sshd), 1, 2);
        bench_wait(&place->bench, &behind.kept[0]);
        assert_exit(&behind.kept[0], 0);
        assert_string_equal(behind.kept[0].out.bytes, "reached\n");
        assert_int_equal(behind.kept[0].connections, 2);
        end(&behind);
        free(steal_pointer(command));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_CASE(all_hosts_behind_a_jump_host_share_one_login_on_it),
        PLACE_CASE(forwarding_that_is_forbidden_is_named_with_what_to_do),
        PLACE_CASE(a_jump_host_that_refuses_us_is_named_and_asked_once),
        PLACE_CASE(the_key_of_a_jump_host_is_checked_and_so_is_that_of_the_host),
        PLACE_CASE(a_host_that_is_down_is_unreachable_and_not_its_jump_host),
        PLACE_CASE(of_two_hops_the_one_that_fails_is_named),
        PLACE_CASE(a_command_outlives_the_connection_to_the_jump_host),
    };

    return place_main("remote_jump", tests);
}

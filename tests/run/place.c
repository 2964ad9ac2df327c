/* SPDX-License-Identifier: Apache-2.0 */
#include "place.h"

#include <stdlib.h>
#include <string.h>

#include "assay/base/files.h"

void place_start(struct place *place, const char *settings)
{
    bench_setup(&place->bench, NULL);
    remote_pool_destroy(place->bench.pool);
    sshd_start(&place->sshd, &place->bench, settings);
    place->bench.pool = remote_pool_create(&place->bench.loop,
                                           &(struct remote_options){.known_hosts = place->sshd.known_hosts,
                                                                    .connect_timeout_ms = 5000,
                                                                    .reconnect_for_ms = 10000});
}

void place_end(struct place *place)
{
    remote_pool_destroy(place->bench.pool);
    place->bench.pool = NULL;
    sshd_stop(&place->sshd);
    bench_teardown(&place->bench);
}

int place_setup(void **state)
{
    struct place *place = calloc(1, sizeof *place);

    *state = place;
    place_start(place, "");
    return 0;
}

int place_teardown(void **state)
{
    place_end(*state);
    free(*state);
    return 0;
}

struct remote_target target_of(const struct place *place, enum transport_kind kind)
{
    return (struct remote_target){.name = "node1",
                                  .address = "127.0.0.1",
                                  .port = place->sshd.port,
                                  .user = place->sshd.user,
                                  .identity = place->sshd.key,
                                  .transport = kind};
}

struct remote *open_remote(struct place *place, enum transport_kind kind)
{
    struct remote_target target = target_of(place, kind);

    return remote_open(place->bench.pool, &target);
}

void assert_exit(const struct kept *kept, int rc)
{
    if (kept->end != REMOTE_ENDED || kept->why != REMOTE_WHY_EXIT || kept->rc != rc)
        print_error("end %d why %d rc %d text '%s'\n", kept->end, kept->why, kept->rc, kept->text);
    assert_int_equal(kept->end, REMOTE_ENDED);
    assert_int_equal(kept->why, REMOTE_WHY_EXIT);
    assert_int_equal(kept->rc, rc);
    assert_false(kept->cut);
}

void assert_end(const struct kept *kept, enum remote_end end)
{
    if (kept->end != end)
        print_error("end %d text '%s'\n", kept->end, kept->text);
    assert_int_equal(kept->end, end);
    assert_string_not_equal(kept->text, "");
}

void write_text(const char *path, const char *text)
{
    struct error err;

    assert_int_equal(file_write(path, text, strlen(text), 0600, &err), 0);
}

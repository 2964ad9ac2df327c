/* SPDX-License-Identifier: Apache-2.0 */
/* How much of what hosts print is kept: who gets which share, and what is told of what found no room. */
#include <string.h>

#include "../unit_test.h"
#include "assay/base/arena.h"
#include "assay/model/evidence.h"

#define MIB ((uint64_t)1 << 20)

static void a_host_has_its_share_and_never_less_than_64_mib(void **state)
{
    static const struct {
        uint64_t asked;
        size_t hosts;
        uint64_t run, host;
    } rows[] = {
        {0, 1, 1024 * MIB, 1024 * MIB},          {0, 8, 1024 * MIB, 128 * MIB},
        {0, 1250, 80000 * MIB, 64 * MIB},        {100 * MIB, 50, 100 * MIB, 64 * MIB},
        {8192 * MIB, 4, 8192 * MIB, 2048 * MIB}, {0, 0, 1024 * MIB, 1024 * MIB},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct evidence_limits limits = {0};

        evidence_limits_set(&limits, rows[i].asked, rows[i].hosts);
        assert_true(limits.run_bytes == rows[i].run && limits.host_bytes == rows[i].host);
    }
}

/* A day of slices prints more than a delivery. */
static void each_slice_of_a_soak_has_room(void **state)
{
    struct evidence_limits limits = {0};

    (void)state;
    evidence_limits_set(&limits, 0, 1250);
    evidence_limits_add(&limits, 1250, 288);
    assert_true(limits.host_bytes == (64 + 288 * 3) * MIB);
    assert_true(limits.run_bytes == 80000 * MIB + 288 * 1252 * MIB);
}

static void the_limits_come_back_from_their_document(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = arena_new(arena, struct record);
    struct evidence_limits limits = {.stream_bytes = 7, .looking_bytes = 5}, read;
    struct document *document;

    (void)state;
    record->arena = arena;
    assert_false(evidence_limits_of(record, &read));
    evidence_limits_set(&limits, 300 * MIB, 3);
    document = list_push(arena, &record->documents);
    *document = (struct document){.kind = EVIDENCE_DOCUMENT, .name = "evidence"};
    document->bytes = slice_of(evidence_limits_text(arena, &limits));
    assert_true(evidence_limits_of(record, &read));
    assert_memory_equal(&read, &limits, sizeof read);
    document->bytes = slice_of("{\"run_bytes\": 0}");
    assert_false(evidence_limits_of(record, &read));
    arena_destroy(arena);
}

static void what_finds_no_room_is_cut_and_counted(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = arena_new(arena, struct record);
    struct evidence_sum sum;
    struct attempt *attempt;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        attempt = list_push(arena, &record->attempts);
        *attempt = (struct attempt){0};
        attempt->captures[0] = (struct capture){.length = 9 * MIB, .clipped = true, .flooded = true};
        attempt->captures[1] = (struct capture){.length = 10, .bytes = slice_of("0123456789")};
    }
    assert_true(evidence_bytes(attempt->captures) == 2 * MIB + 10);
    evidence_drop(attempt->captures, &attempt->what);
    assert_true(evidence_bytes(attempt->captures) == 0 && attempt->captures[0].cut &&
                attempt->captures[1].cut);
    assert_true(evidence_dropped(attempt->what) && !evidence_dropped(NULL) &&
                !evidence_dropped(reason_text(arena, "cut")));
    evidence_count(record, &sum);
    assert_true(sum.kept_bytes == 2 * MIB + 10 && sum.flooded == 1 && sum.dropped == 1);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_has_its_share_and_never_less_than_64_mib),
        cmocka_unit_test(each_slice_of_a_soak_has_room),
        cmocka_unit_test(the_limits_come_back_from_their_document),
        cmocka_unit_test(what_finds_no_room_is_cut_and_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

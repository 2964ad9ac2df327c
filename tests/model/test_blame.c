/* SPDX-License-Identifier: Apache-2.0 */
/* Whom a test across hosts is about. */
#include "assay/model/blame.h"

#include "../arena_test.h"
#include "assay/model/hostfile.h"
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "assay/reasons/judge.h"
#include "assay/reasons/model.h"

/* "node2 mlx5_5/1, node3" */
static const char *blamed(struct arena *arena, const char *metric, const char *subject,
                          enum outcome_word word, const struct reason *cause)
{
    const struct host hosts[] = {{.name = "node2"}, {.name = "node20"}, {.name = "node3"}};
    const struct host *members[] = {&hosts[0], &hosts[1], &hosts[2]};
    struct slot slot = {.metric = metric, .subject = subject};
    const struct shape shape = {.slots = &slot, .slot_count = 1};
    const struct step step = {.shape = &shape, .members = members, .member_count = ARRAY_SIZE(members)};
    const struct outcome outcome = {.word = word, .cause = cause};
    struct blamed_list list = {0};
    const char *said = "";

    blame_find(arena, &step, &outcome, &list);
    for (size_t i = 0; i < list.items.count; i++)
        said = arena_printf(arena, "%s%s%s%s%s%s", said, i > 0 ? ", " : "", list.items.items[i].host->name,
                            list.items.items[i].perhaps ? "?" : "",
                            *list.items.items[i].part != '\0' ? " " : "", list.items.items[i].part);
    return said;
}

static void what_was_counted_on_a_host_is_about_that_host(void **state)
{
    struct arena *arena = *state;
    const struct reason *two =
        reason_also(arena, reason(arena, about, "node20 mlx5_5/1", reason(arena, symbol_errors, 30000)),
                    reason(arena, about, "node3 mlx5_1/1", reason(arena, symbol_errors, 7)));

    assert_string_equal(blamed(arena, "window.ports", "", OUTCOME_FAIL, two),
                        "node20 mlx5_5/1, node3 mlx5_1/1");
    assert_string_equal(blamed(arena, "sound", "", OUTCOME_FAIL, reason(arena, about, "node2", "rebooted")),
                        "node2");
}

static void what_was_left_out_may_be_about_any_other_host(void **state)
{
    struct arena *arena = *state;
    const struct reason *one = reason(arena, about, "node20 mlx5_5/1", "flaps");

    assert_string_equal(
        blamed(arena, "window.links", "", OUTCOME_FAIL, reason_also(arena, one, REASON(more_left_out))),
        "node20 mlx5_5/1, node2?, node3?");
}

static void whom_more_was_to_be_said_of_is_named_and_who_was_not_read_is_open(void **state)
{
    struct arena *arena = *state;
    const struct reason *one = reason(arena, about, "node20 mlx5_5/1", "flaps");

    assert_string_equal(blamed(arena, "window.links", "", OUTCOME_FAIL,
                               reason_also(arena, one, reason(arena, more_left_out_of, "node[3,20]"))),
                        "node20 mlx5_5/1, node3");
    assert_string_equal(
        blamed(arena, "window.links", "", OUTCOME_FAIL,
               reason_also(arena, reason_also(arena, one, reason(arena, not_known_of, "node[2-3,20]")),
                           reason(arena, more_left_out_of, "node3"))),
        "node20 mlx5_5/1, node3, node2?");
}

static void what_nobody_failed_by_is_about_nobody(void **state)
{
    struct arena *arena = *state;
    const struct reason *one = reason(arena, about, "node2 gpu3", "busy");

    assert_string_equal(blamed(arena, "window.processes", "", OUTCOME_INCONCLUSIVE, one), "");
    assert_string_equal(blamed(arena, "nccl.all_gather.busbw", "", OUTCOME_FAIL, one), "");
    assert_string_equal(
        blamed(arena, "sound", "", OUTCOME_FAIL, reason_quote(arena, slice_of("node3 is broken"))), "");
}

static void an_item_of_a_host_is_about_it_whatever_its_outcome(void **state)
{
    assert_string_equal(blamed(*state, "mpi.host", "node3", OUTCOME_INCONCLUSIVE, NULL), "node3");
    assert_string_equal(blamed(*state, "pair.bandwidth", "node2 mlx5_0", OUTCOME_FAIL, NULL), "node2 mlx5_0");
}

/* "node3's mlx5_1 is 50% (+-0.1%) below the median of its 7 peers; fail from 10%" */
static const struct reason *far_below_peers(struct arena *arena, const struct reason *who)
{
    return reason(arena, fail_from,
                  reason(arena, below_peers, who, "50.0", "0.1", 7,
                         reason(arena, values_of_metric, 8, "line.bandwidth")),
                  10.0);
}

static void who_is_far_below_its_peers_is_named_and_of_two_neither(void **state)
{
    struct arena *arena = *state;
    const struct reason *host = far_below_peers(arena, reason_text(arena, "node20")),
                        *part = far_below_peers(arena, reason_text(arena, "node3's mlx5_1"));

    assert_string_equal(blamed(arena, "line.whole", "", OUTCOME_FAIL, host), "node20");
    assert_string_equal(blamed(arena, "line.whole", "", OUTCOME_INCONCLUSIVE, host), "");
    assert_string_equal(blamed(arena, "pair.bandwidth", "mlx5_1", OUTCOME_FAIL, part), "node3 mlx5_1");
    assert_string_equal(blamed(arena, "pair.bandwidth", "mlx5_1", OUTCOME_FAIL,
                               reason_also(arena, reason(arena, about, "node2", "slow"), part)),
                        "node3 mlx5_1");
    assert_string_equal(blamed(arena, "line.whole", "", OUTCOME_FAIL,
                               far_below_peers(arena, reason(arena, one_with_other, "node2", "node3"))),
                        "");
}

enum { SCATTERED = 3000 };

/* Every second of twice as many: how many are accused, and how many are perhaps. */
static void blame_scattered(struct arena *arena, const struct reason *cause, size_t *ret_accused,
                            size_t *ret_perhaps)
{
    struct host *hosts = arena_array(arena, struct host, 2 * SCATTERED);
    const struct host **members = arena_array(arena, const struct host *, 2 * SCATTERED);
    struct slot slot = {.metric = "window.ports", .subject = ""};
    const struct shape shape = {.slots = &slot, .slot_count = 1};
    const struct step step = {.shape = &shape, .members = members, .member_count = (size_t)2 * SCATTERED};
    const struct outcome outcome = {.word = OUTCOME_FAIL, .cause = cause};
    struct blamed_list list = {0};

    for (size_t i = 0; i < step.member_count; i++) {
        hosts[i].name = arena_printf(arena, "node%05zu", i);
        members[i] = &hosts[i];
    }
    blame_find(arena, &step, &outcome, &list);
    *ret_accused = blame_count(&list);
    *ret_perhaps = list.items.count - *ret_accused;
}

/* Their names, folded, are some 18,000 bytes. */
static void of_however_many_more_was_to_be_said_each_is_named(void **state)
{
    const char *names[SCATTERED], *folded;
    size_t accused, perhaps;

    for (size_t i = 0; i < SCATTERED; i++)
        names[i] = arena_printf(*state, "node%05zu", 2 * i + 1);
    folded = hostlist_fold(*state, names, SCATTERED);
    blame_scattered(*state,
                    reason_also(*state, reason(*state, about, "node00000", "flaps"),
                                reason(*state, more_left_out_of, folded)),
                    &accused, &perhaps);
    assert_int_equal(accused, 1 + SCATTERED);
    assert_int_equal(perhaps, 0);
    blame_scattered(*state, reason(*state, not_known_of, folded), &accused, &perhaps);
    assert_int_equal(accused, 0);
    assert_int_equal(perhaps, SCATTERED);
}

static void where_nobody_can_read_who_is_named_it_may_be_anybody(void **state)
{
    const struct reason *one = reason(*state, about, "node20 mlx5_5/1", "flaps");

    assert_string_equal(blamed(*state, "window.links", "", OUTCOME_FAIL,
                               reason_also(*state, one, reason(*state, more_left_out_of, "node[3"))),
                        "node20 mlx5_5/1, node2?, node3?");
    assert_string_equal(
        blamed(*state, "window.links", "", OUTCOME_FAIL, reason(*state, not_known_of, "node[3")),
        "node2?, node20?, node3?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(what_was_counted_on_a_host_is_about_that_host),
        ARENA_TEST(what_was_left_out_may_be_about_any_other_host),
        ARENA_TEST(whom_more_was_to_be_said_of_is_named_and_who_was_not_read_is_open),
        ARENA_TEST(of_however_many_more_was_to_be_said_each_is_named),
        ARENA_TEST(where_nobody_can_read_who_is_named_it_may_be_anybody),
        ARENA_TEST(what_nobody_failed_by_is_about_nobody),
        ARENA_TEST(who_is_far_below_its_peers_is_named_and_of_two_neither),
        ARENA_TEST(an_item_of_a_host_is_about_it_whatever_its_outcome),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

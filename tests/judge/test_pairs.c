/* SPDX-License-Identifier: Apache-2.0 */
/* Whom slow pairs of hosts show to be slow, and what that says of other tests that it is in. */
#include <string.h>

#include "../unit_test.h"
#include "assay/model/blame.h"
#include "judge_private.h"

enum { HOSTS = 4, WAYS = 2, STEPS_MOST = 8 };

/* Steps over node1 to node4, each by the digits of its members, "12 23 34 14"; of each a letter: it passes, fails in both ways, only
   on the way there, or only back (P, F, T, B), or did not run (-). leaves: of each host a letter. */
struct sample {
    const char *steps, *words, *leaves;
};

struct judged {
    struct arena *arena;
    struct record record;
    struct judgement judgement;
};

static struct slot pair_slots[WAYS] = {
    {.metric = "rdma.write.bandwidth", .subject = "mlx5_0", .at = "way=there", .duty = DUTY_GATE},
    {.metric = "rdma.write.bandwidth", .subject = "mlx5_0", .at = "way=back", .duty = DUTY_GATE}};
static struct slot group_slots[WAYS] = {
    {.metric = "nccl.all_gather.busbw", .subject = "", .at = "size_bytes=8", .duty = DUTY_GATE},
    {.metric = "nccl.all_gather.busbw", .subject = "", .at = "size_bytes=9", .duty = DUTY_GATE}};
static const struct shape pair_shape = {.suite_step = "rdma-pair", .slots = pair_slots, .slot_count = WAYS};
static const struct shape group_shape = {.suite_step = "nccl", .slots = group_slots, .slot_count = WAYS};

static enum outcome_word word_of(char letter, size_t way)
{
    static const char *const bad[WAYS] = {"FT", "FB"};

    if (letter == '-')
        return OUTCOME_NOT_RUN;
    return strchr(bad[way], letter) != NULL ? OUTCOME_FAIL : OUTCOME_PASS;
}

static void add_step(struct judged *judged, struct plan *plan, const char *members, size_t count, char letter)
{
    struct arena *arena = judged->arena;
    struct step *step = list_push(arena, &plan->steps);
    size_t index = plan->steps.count - 1;

    *step = (struct step){.shape = count == 2 ? &pair_shape : &group_shape,
                          .members = arena_array(arena, const struct host *, count),
                          .member_count = count};
    for (size_t i = 0; i < count; i++)
        step->members[i] = plan->hosts.items[members[i] - '1'];
    for (size_t way = 0; way < WAYS; way++)
        judged->judgement.outcomes[judged->judgement.outcome_count++] =
            (struct outcome){.step = (uint32_t)index,
                             .slot = (uint32_t)way,
                             .word = word_of(letter, way),
                             .cause = letter == 'P' ? NULL : reason_text(arena, "slow"),
                             .held = &held_to_nothing};
}

static struct judged judge(const struct sample *sample)
{
    struct judged judged = {.arena = arena_create()};
    struct arena *arena = judged.arena;
    struct plan *plan = arena_alloc(arena, sizeof *plan);
    size_t number = 0;

    *plan = (struct plan){0};
    for (size_t i = 0; i < HOSTS; i++) {
        struct host *host = arena_alloc(arena, sizeof *host);

        *host =
            (struct host){.name = arena_printf(arena, "node%zu", i + 1),
                          .leaf = arena_printf(arena, "%.*s", sample->leaves[i] != ' ', &sample->leaves[i])};
        *list_push(arena, &plan->hosts) = host;
    }
    judged.judgement.outcomes = arena_array(arena, struct outcome, STEPS_MOST * WAYS);
    for (const char *at = sample->steps; *at != '\0'; at += strspn(at, " ")) {
        size_t count = strcspn(at, " ");

        add_step(&judged, plan, at, count, sample->words[number++]);
        at += count;
    }
    judged.record = (struct record){.arena = arena, .plan = plan};
    judge_pairs(&judged.record, &judged.judgement);
    return judged;
}

/* "node2 mlx5_0": whom the first fail of the step names; "". */
static const char *named_in(const struct judged *judged, size_t step)
{
    for (size_t way = 0; way < WAYS; way++) {
        const struct outcome *outcome = &judged->judgement.outcomes[step * WAYS + way];

        if (outcome->word == OUTCOME_FAIL)
            return blame_by_pairs(outcome->cause) != NULL ? blame_by_pairs(outcome->cause) : "";
    }
    return "";
}

static void of_slow_pairs_the_host_is_named_that_is_in_all_of_them(void **state)
{
    static const struct {
        struct sample sample;
        size_t step;
        const char *named;
    } rows[] = {
        {{"12 23 34 14", "FFPP", "    "}, 0, "node2 mlx5_0"},
        {{"12 23 34 14", "FFPP", "    "}, 1, "node2 mlx5_0"},
        {{"12 23 34 14", "FPPF", "    "}, 0, "node1 mlx5_0"},
        {{"12 23 34 14", "BTPP", "    "}, 0, "node2 mlx5_0"}, /* it is slow where it sends */
        {{"12 23 34 14", "BTPP", "    "}, 1, "node2 mlx5_0"},
        {{"12 23 34 14", "FFPP", "    "}, 2, ""}, /* that pair is fast */
        {{"12 23 34 14", "FPPP", "    "}, 0, ""}, /* either, or the way between them */
        {{"12 23 34 14", "FF-P", "    "}, 0, ""}, /* node3 may be slow with everybody too */
        {{"12 23 34 14", "FFFP", "    "}, 0, ""}, /* two hosts, or one and another way */
        {{"12 23 34 14", "FFFF", "    "}, 0, ""},
        {{"12 23 34 14", "FFPP", "abaa"},
         0,
         ""}, /* its leaf's way out may be slow: nobody else crosses leaves */
        {{"12 23 34 14", "FFPP", "abac"}, 0, "node2 mlx5_0"},
        {{"12 23 34 14", "FFPP", "aaab"}, 0, "node2 mlx5_0"},
        /* node3 dropped out, and others stand in for it: its own pairs tell nothing, and take nothing from what the others tell. */
        {{"12 23 34 14 24", "F--PF", "    "}, 0, "node2 mlx5_0"},
        {{"12 23 34 14 24", "F--PF", "    "}, 4, "node2 mlx5_0"},
        {{"12 23 34 14", "F--P", "    "}, 0, ""}, /* of one slow pair either */
        /* A test of all that it is in is slow by it; one that it is not in is not. */
        {{"12 23 34 14 1234", "FFPPF", "    "}, 4, "node2 mlx5_0"},
        {{"12 23 34 14 134", "FFPPF", "    "}, 4, ""},
        {{"12 23 34 14 1234", "FPPPF", "    "}, 4, ""}, /* nobody is known to be slow */
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct judged judged = judge(&rows[i].sample);

        assert_string_equal(named_in(&judged, rows[i].step), rows[i].named);
        arena_destroy(judged.arena);
    }
}

/* The fail is about the host that is named and its adapter, and not about who was tested with it. */
static void who_is_named_is_to_blame(void **state)
{
    struct judged judged = judge(&(struct sample){"12 23 34 14 1234", "FFPPF", "    "});
    static const size_t steps[] = {0, 4};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        struct blamed_list blamed = {0};

        blame_find(judged.arena, &judged.record.plan->steps.items[steps[i]],
                   &judged.judgement.outcomes[steps[i] * WAYS], &blamed);
        assert_int_equal(blame_count(&blamed), 1);
        assert_string_equal(blamed.items.items[0].host->name, "node2");
        assert_string_equal(blamed.items.items[0].part, "mlx5_0");
    }
    arena_destroy(judged.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_slow_pairs_the_host_is_named_that_is_in_all_of_them),
        cmocka_unit_test(who_is_named_is_to_blame),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Another hostfile for a run that has begun: what is refused, and what the plan grows by. */
#include <string.h>

#include "../unit_test.h"
#include "assay/model/suite.h"
#include "assay/plan/plan_build.h"

#define A "n1 address=a1 unit=u1\n"
#define B "n2 address=a2 unit=u1\n"
#define C "n3 address=a3 unit=u1\n"

struct sample {
    struct arena *arena;
    struct plan_sources sources;
    struct plan *plan;
    enum step_state states[32];
    struct error err;
};

#define STEPS                                                                            \
    "{\"name\": \"s\", \"purpose\": \"trial\", \"platform\": \"hgx-h100\", \"steps\": [" \
    "{\"check\": \"reachable\"}, {\"check\": \"gpu-burn\", \"needs\": [\"reachable\"]}," \
    "{\"check\": \"mpi-launch\", \"scope\": \"cluster\", \"needs\": [\"gpu-burn\"]}"

static struct sample make_of(const char *hosts, const char *suite)
{
    struct sample sample = {.arena = arena_create()};
    struct plan_options options = {.run_uuid = "0ddba11-0000-4000-8000-000000000000"};
    struct plan_notes notes;
    const struct hostfile *hostfile = hostfile_parse(sample.arena, "hosts", slice_of(hosts), &sample.err);
    const struct suite *parsed = suite_parse(sample.arena, "suite", slice_of(suite), &sample.err);

    assert_non_null(hostfile);
    assert_non_null(parsed);
    assert_int_equal(plan_sources_load(sample.arena, hostfile, parsed, NULL, &sample.sources, &sample.err),
                     0);
    sample.plan = plan_build(sample.arena, &sample.sources, &options, &notes, &sample.err);
    assert_non_null(sample.plan);
    return sample;
}

/* On each host reachable and then gpu-burn, and behind both mpi-launch over all. */
static struct sample make(const char *hosts)
{
    return make_of(hosts, STEPS "]}");
}

static int take(struct sample *sample, const char *hosts)
{
    const struct hostfile *hostfile = hostfile_parse(sample->arena, "other", slice_of(hosts), &sample->err);
    struct hostfile_changes changes;

    assert_non_null(hostfile);
    if (hostfile_compare(sample->arena, sample->plan, &sample->sources, hostfile, &changes, &sample->err) < 0)
        return -1;
    return plan_take_hostfile(sample->plan, &sample->sources, hostfile, &changes, sample->states,
                              &sample->err);
}

/* "gpu-burn n2@a2 < 1 3": the steps from the first on, with what they need. */
static const char *steps_from(const struct sample *sample, size_t first)
{
    const char *text = "";

    for (size_t i = first; i < sample->plan->steps.count; i++) {
        const struct step *step = &sample->plan->steps.items[i];

        text = arena_printf(sample->arena, "%s%s", text, step->shape->suite_step);
        for (size_t k = 0; k < step->member_count; k++)
            text = arena_printf(sample->arena, "%s %s@%s", text, step->members[k]->name,
                                step->members[k]->address);
        for (size_t k = 0; k < step->need_count; k++)
            text = arena_printf(sample->arena, "%s%s%zu", text, k == 0 ? " < " : " ", step->needs[k]);
        text = arena_printf(sample->arena, "%s\n", text);
    }
    return text;
}

static void keys_are_all_different(const struct sample *sample)
{
    const struct plan *plan = sample->plan;

    for (size_t i = 0; i < plan->steps.count; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(plan->steps.items[i].key, plan->steps.items[k].key);
}

static void a_host_that_was_added_owes_all_and_the_group_of_all(void **state)
{
    struct sample sample = make(A B);

    (void)state;
    assert_int_equal(sample.plan->steps.count, 5);
    assert_int_equal(take(&sample, A B C), 0);
    assert_string_equal(steps_from(&sample, 5), "reachable n3@a3\ngpu-burn n3@a3 < 5\n"
                                                "mpi-launch n1@a1 n2@a2 n3@a3 < 2 3 6\n");
    assert_int_equal(sample.plan->hosts.count, 3);
    assert_int_equal(take(&sample, A B C), 0);
    assert_int_equal(sample.plan->steps.count, 8);
    keys_are_all_different(&sample);
    arena_destroy(sample.arena);
}

/* Its closing look has passed, and then it is a member of another group: nothing would see what that did to it. */
static void a_host_that_is_tested_anew_is_looked_at_again(void **state)
{
    struct sample sample =
        make_of(A B, STEPS ", {\"name\": \"after\", \"check\": \"reachable\", \"last\": true}]}");

    (void)state;
    assert_int_equal(sample.plan->steps.count, 7);
    for (size_t i = 0; i < 6; i++)
        sample.states[i] = STEP_PASSED; /* of n2 it has not looked yet */
    assert_int_equal(take(&sample, A B C), 0);
    assert_string_equal(steps_from(&sample, 7),
                        "reachable n3@a3\ngpu-burn n3@a3 < 7\nmpi-launch n1@a1 n2@a2 n3@a3 < 2 3 8\n"
                        "after n3@a3\nafter n1@a1\n");
    keys_are_all_different(&sample);
    /* Nobody is tested anew by another way. */
    assert_int_equal(take(&sample, "n1 address=a1 unit=u1 user=ops\n" B C), 0);
    assert_int_equal(sample.plan->steps.count, 12);
    arena_destroy(sample.arena);
}

static void a_machine_that_was_swapped_owes_again_what_the_one_before_was_asked(void **state)
{
    struct sample sample = make(A B);

    (void)state;
    sample.states[0] = sample.states[1] = sample.states[2] =
        STEP_PASSED; /* reachable on both, gpu-burn on n1 */
    assert_int_equal(take(&sample, A "n2 address=b2 unit=u1\n"), 0);
    assert_string_equal(steps_from(&sample, 3), "gpu-burn n2@b2 < 1\nmpi-launch n1@a1 n2@b2 < 2 3\n"
                                                "reachable n2@b2\n");
    assert_string_equal(reason_english(sample.arena, sample.plan->steps.items[5].origin_note),
                        "n2 was swapped: address a2 -> b2");
    /* And once more: the step of before speaks through its repetition, which has not been tried. */
    assert_int_equal(take(&sample, A "n2 address=c2 unit=u1\n"), 0);
    assert_int_equal(sample.plan->steps.count, 6);
    sample.states[5] = STEP_PASSED;
    assert_int_equal(take(&sample, A "n2 address=d2 unit=u1\n"), 0);
    assert_string_equal(steps_from(&sample, 5), "reachable n2@d2\nreachable n2@d2\n");
    keys_are_all_different(&sample);
    arena_destroy(sample.arena);
}

static void machines_whose_addresses_were_exchanged_owe_all_again(void **state)
{
    /* By addresses, and behind one address by ports. */
    static const struct {
        const char *before, *now, *owed, *told;
    } rows[] = {
        {A B, "n1 address=a2 unit=u1\nn2 address=a1 unit=u1\n",
         "reachable n1@a2\nreachable n2@a1\ngpu-burn n1@a2 < 5\ngpu-burn n2@a1 < 6\n"
         "mpi-launch n1@a2 n2@a1 < 7 8\n",
         "n1 was swapped: address a1 -> a2"},
        {"n1 address=gw port=2201\nn2 address=gw port=2202\n",
         "n1 address=gw port=2202\nn2 address=gw port=2201\n",
         "reachable n1@gw\nreachable n2@gw\ngpu-burn n1@gw < 5\ngpu-burn n2@gw < 6\n"
         "mpi-launch n1@gw n2@gw < 7 8\n",
         "n1 is reached in another way: port 2201 -> 2202; that is how n2 was reached, so it is another machine"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct sample sample = make(rows[i].before);

        for (size_t k = 0; k < 5; k++)
            sample.states[k] = STEP_PASSED;
        assert_int_equal(take(&sample, rows[i].now), 0);
        assert_string_equal(steps_from(&sample, 5), rows[i].owed);
        assert_string_equal(reason_english(sample.arena, sample.plan->steps.items[5].origin_note),
                            rows[i].told);
        keys_are_all_different(&sample);
        arena_destroy(sample.arena);
    }
}

static void what_the_machine_before_kept_from_running_is_owed_by_the_new_one(void **state)
{
    struct sample sample = make(A B);

    (void)state;
    sample.states[0] = sample.states[2] = STEP_PASSED;
    sample.states[1] = STEP_FAILED; /* reachable on n2 */
    assert_int_equal(take(&sample, A "n2 address=b2 unit=u1\n"), 0);
    assert_string_equal(steps_from(&sample, 5),
                        "reachable n2@b2\ngpu-burn n2@b2 < 5\nmpi-launch n1@a1 n2@b2 < 2 6\n");
    keys_are_all_different(&sample);
    arena_destroy(sample.arena);
}

static void another_way_to_a_host_owes_nothing(void **state)
{
    struct sample sample = make(A B);

    (void)state;
    sample.states[0] = sample.states[1] = STEP_PASSED;
    assert_int_equal(take(&sample, A "n2 address=a2 unit=u1 user=ops port=2222 jump=bastion\n"), 0);
    assert_int_equal(sample.plan->steps.count, 5);
    assert_string_equal(sample.plan->steps.items[1].members[0]->user, "ops");
    arena_destroy(sample.arena);
}

static void what_would_change_what_is_owed_is_refused(void **state)
{
    static const struct {
        const char *hosts, *told;
    } rows[] = {
        {A, "n2 of the run is not in it"},
        {A "n9 address=a2 unit=u1\n", "n2 of the run is not in it"},
        {A "n2 address=a2 unit=u2\n", "unit of n2 is u2, and was u1"},
        {A "n2 address=a2 unit=u1 role=spare\n", "role of n2 is spare, and was compute"},
        {A "n2 address=a2 unit=u1 platform=hgx-a100\n", "platform of n2 is hgx-a100, and was none"},
        {A B "n3 address=a3 platform=hgx-a100\n", "platform hgx-a100 of n3 is not one of the run"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct sample sample = make(A B);

        assert_int_equal(take(&sample, rows[i].hosts), -1);
        assert_int_equal(sample.err.code, ERROR_USAGE);
        if (strstr(sample.err.text, rows[i].told) == NULL)
            fail_msg("'%s' does not tell '%s'", sample.err.text, rows[i].told);
        assert_int_equal(sample.plan->steps.count, 5);
        arena_destroy(sample.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_that_was_added_owes_all_and_the_group_of_all),
        cmocka_unit_test(a_host_that_is_tested_anew_is_looked_at_again),
        cmocka_unit_test(a_machine_that_was_swapped_owes_again_what_the_one_before_was_asked),
        cmocka_unit_test(machines_whose_addresses_were_exchanged_owe_all_again),
        cmocka_unit_test(what_the_machine_before_kept_from_running_is_owed_by_the_new_one),
        cmocka_unit_test(another_way_to_a_host_owes_nothing),
        cmocka_unit_test(what_would_change_what_is_owed_is_refused),
    };

    return cmocka_run_group_tests_name("plan_hostfile", tests, NULL, NULL);
}

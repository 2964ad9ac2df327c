/* SPDX-License-Identifier: Apache-2.0 */
/* A plan that was changed behind its documents, beside the one that they make. */
#include <string.h>

#include "../unit_test.h"
#include "assay/base/text.h"
#include "assay/model/suite.h"
#include "assay/plan/plan_asks.h"

#define HOSTS "n1 address=a1 leaf=l1\nn2 address=a2 leaf=l1\nn3 address=a3 leaf=l1 role=spare\n"
#define SUITE                                                                            \
    "{\"name\": \"s\", \"purpose\": \"trial\", \"platform\": \"hgx-h100\", \"steps\": [" \
    "{\"check\": \"reachable\"}, {\"check\": \"ecc\", \"needs\": [\"reachable\"]},"      \
    "{\"check\": \"mpi-launch\", \"scope\": \"cluster\", \"needs\": [\"ecc\"]}]}"

struct sample {
    struct arena *arena;
    struct plan_sources sources;
    struct plan *plan;
    struct error err;
};

static struct sample make_of(const char *hostfile_text, const char *suite_text, const struct hostlist *hosts,
                             const struct hostlist *steps)
{
    struct sample sample = {.arena = arena_create()};
    struct plan_options options = {
        .run_uuid = "0ddba11-0000-4000-8000-000000000000", .hosts = hosts, .steps = steps};
    struct plan_notes notes;
    const struct hostfile *hostfile =
        hostfile_parse(sample.arena, "hosts", slice_of(hostfile_text), &sample.err);
    const struct suite *suite = suite_parse(sample.arena, "suite", slice_of(suite_text), &sample.err);

    assert_non_null(hostfile);
    assert_non_null(suite);
    assert_int_equal(plan_sources_load(sample.arena, hostfile, suite, NULL, &sample.sources, &sample.err), 0);
    sample.plan = plan_build(sample.arena, &sample.sources, &options, &notes, &sample.err);
    assert_non_null(sample.plan);
    return sample;
}

static struct sample make(const struct hostlist *hosts, const struct hostlist *steps)
{
    return make_of(HOSTS, SUITE, hosts, steps);
}

static const char *unasked(struct sample *sample)
{
    const char *what = "not looked for";

    assert_int_equal(plan_find_unasked(sample->arena, sample->plan, &sample->sources, &what, &sample->err),
                     0);
    return what;
}

/* The shape of the first step of that name, to be changed. */
static struct shape *shape_of(struct sample *sample, const char *name)
{
    for (size_t i = 0; i < sample->plan->steps.count; i++)
        if (strcmp(sample->plan->steps.items[i].shape->suite_step, name) == 0)
            return (struct shape *)sample->plan->steps.items[i].shape;
    fail_msg("no step %s", name);
    return NULL;
}

static struct slot *gate_of(struct sample *sample, const char *name)
{
    struct shape *shape = shape_of(sample, name);

    for (size_t i = 0; i < shape->slot_count; i++)
        if (shape->slots[i].duty == DUTY_GATE && shape->slots[i].own_count > 0)
            return &shape->slots[i];
    fail_msg("%s judges nothing by a rule of its own", name);
    return NULL;
}

static void record_only(struct sample *sample)
{
    gate_of(sample, "ecc")->duty = DUTY_RECORD;
}

static void without_rules(struct sample *sample)
{
    gate_of(sample, "ecc")->own_count = 0;
}

static void with_a_weaker_rule(struct sample *sample)
{
    struct slot *slot = gate_of(sample, "ecc");
    struct limit *own = arena_array(sample->arena, struct limit, slot->own_count);

    memcpy(own, slot->own, slot->own_count * sizeof *own);
    own->status = LIMIT_GUESS;
    slot->own = own;
}

static void with_arguments(struct sample *sample)
{
    shape_of(sample, "ecc")->arguments = "{\"begin\": 1}";
}

static void never_made(struct sample *sample)
{
    shape_of(sample, "ecc")->repeat = 0;
}

static void tried_often(struct sample *sample)
{
    shape_of(sample, "ecc")->retries = 9;
}

static void by_another_check(struct sample *sample)
{
    shape_of(sample, "mpi-launch")->check = "reachable";
}

static void without_its_last_step(struct sample *sample)
{
    sample->plan->steps.count--;
}

static void only_searched(struct sample *sample)
{
    sample->plan->steps.items[2].origin = ORIGIN_ISOLATE;
}

static void on_another_leaf(struct sample *sample)
{
    ((struct host *)sample->plan->hosts.items[1])->leaf = "l2";
}

static void with_a_host_that_nobody_knows(struct sample *sample)
{
    struct host *host = (struct host *)sample->plan->hosts.items[1];

    host->name = "n9";
}

/* What stands for a test over hosts of which one is not fit; the shape that it had is changed behind it. */
static void by_a_weak_substitute(struct sample *sample)
{
    const struct host *members[] = {hostfile_find(sample->sources.hostfile, "n1"),
                                    hostfile_find(sample->sources.hostfile, "n3")};
    struct shape *weak = arena_new(sample->arena, struct shape);
    size_t last = sample->plan->steps.count - 1, added;

    added = plan_add_substitute(sample->plan, &sample->sources, last, members, 2, NULL);
    *weak = *sample->plan->steps.items[added].shape;
    weak->slots = arena_array(sample->arena, struct slot, weak->slot_count);
    weak->slot_count = 0;
    sample->plan->steps.items[added].shape = weak;
}

static void each_change_of_what_is_asked_is_named(void **state)
{
    static const struct {
        void (*change)(struct sample *sample);
        const char *told;
    } rows[] = {
        {record_only, "step ecc of n1: not as there is sound"},
        {without_rules, "step ecc of n1: not as there is sound"},
        {with_a_weaker_rule, "step ecc of n1: not as there is sound"},
        {with_arguments, "step ecc of n1: not as there is its arguments"},
        {never_made, "step ecc of n1: not as there is how often it is made"},
        {tried_often, "step ecc of n1: not as there is how often it may be tried again"},
        {by_another_check,
         "step mpi-launch of 2 hosts: n[1-2]: not as there is its check, scope and platform"},
        {without_its_last_step, "step mpi-launch of 2 hosts: n[1-2] is missing there"},
        {only_searched, "is missing there"},
        {by_a_weak_substitute, "step mpi-launch of 2 hosts: n[1,3]: not as there is "},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct sample sample = make(NULL, NULL), fresh = make(NULL, NULL);
        const char *what;

        rows[i].change(&sample);
        sample.sources = fresh.sources; /* shapes and hosts of the plan are its own */
        what = unasked(&sample);
        if (what == NULL || strstr(what, rows[i].told) == NULL)
            fail_msg("row %zu: '%s' does not tell '%s'", i, what != NULL ? what : "nothing", rows[i].told);
        arena_destroy(sample.arena);
        arena_destroy(fresh.arena);
    }
}

static void a_host_that_is_another_than_its_hostfile_says_is_named(void **state)
{
    static const struct {
        void (*change)(struct sample *sample);
        const char *told;
    } rows[] = {
        {on_another_leaf, "n2: leaf is l2 there, and its hostfile says l1"},
        {with_a_host_that_nobody_knows, "n9 is not in its hostfile"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct sample sample = make(NULL, NULL), fresh = make(NULL, NULL);

        rows[i].change(&sample);
        sample.sources = fresh.sources;
        assert_string_equal(unasked(&sample), rows[i].told);
        arena_destroy(sample.arena);
        arena_destroy(fresh.arena);
    }
}

static void what_was_planned_asks_all_of_it(void **state)
{
    struct hostlist hosts = {0}, steps = {0};
    struct arena *arena = arena_create();
    const struct host *members[2];
    struct sample sample = make(NULL, NULL);

    (void)state;
    assert_null(unasked(&sample));
    members[0] = hostfile_find(sample.sources.hostfile, "n1");
    members[1] = hostfile_find(sample.sources.hostfile, "n3");
    plan_add_substitute(sample.plan, &sample.sources, sample.plan->steps.count - 1, members, 2, NULL);
    assert_null(unasked(&sample)); /* it has grown, and a spare stands for another */
    arena_destroy(sample.arena);

    *list_push(arena, &hosts.names) = "n2";
    *list_push(arena, &steps.names) = "reachable";
    *list_push(arena, &steps.names) = "ecc";
    sample = make(&hosts, &steps); /* a part of it, as it was asked for */
    assert_null(unasked(&sample));
    arena_destroy(sample.arena);
    arena_destroy(arena);
}

#define LINES                                       \
    "n1 address=a1 line.archive=x\nn2 address=a2\n" \
    "n3 address=a3 line.tape=x line.site-b=y:9 role=spare\nn4 address=a4 role=spare\n"
#define SUITE_OF_LINES                                                                         \
    "{\"name\": \"s\", \"purpose\": \"trial\", \"platform\": \"hgx-h100\", \"steps\": ["       \
    "{\"check\": \"reachable\"}, {\"check\": \"line\", \"scope\": \"host\", \"by\": \"line\"," \
    "\"needs\": [\"reachable\"], \"when\": {\"lines\": true}},"                                \
    "{\"check\": \"health\", \"when\": {\"cabling\": true}},"                                  \
    "{\"check\": \"ecc\", \"needs\": [\"reachable\", \"line\"]},"                              \
    "{\"check\": \"mpi-launch\", \"scope\": \"cluster\", \"needs\": [\"ecc\"]}]}"

/* These hosts fail ecc, and what needs it does not run. */
static void substitute_for(struct sample *sample, const char *hosts)
{
    struct plan *plan = sample->plan;
    struct plan_progress progress = {0};
    enum step_state *states = arena_array(sample->arena, enum step_state, plan->steps.count);

    for (size_t i = 0; i < plan->steps.count; i++) {
        const struct step *step = &plan->steps.items[i];
        bool is_ecc = strcmp(step->shape->suite_step, "ecc") == 0;

        states[i] = step->member_count > 1                                    ? STEP_SKIPPED
                    : is_ecc && strstr(hosts, step->members[0]->name) != NULL ? STEP_FAILED
                                                                              : STEP_PASSED;
    }
    progress.states = states;
    plan_add_substitutes(plan, &sample->sources, &progress);
}

/* "n3 reachable, n3 line tape 1": the steps in the place of others, the lines they go by, and how many steps they need. */
static const char *told_of_substitutes(const struct sample *sample)
{
    cleanup_text struct text out = {0};

    text_init(&out, 4096);
    list_each (step, sample->plan->steps) {
        if (step->origin != ORIGIN_SUBSTITUTE)
            continue;
        text_printf(&out, "%s%s %s%s%s", out.length > 0 ? ", " : "", step->members[0]->name,
                    step->shape->suite_step, *step->shape->variant != '\0' ? " " : "", step->shape->variant);
        if (step->need_count > 0)
            text_printf(&out, " %zu", step->need_count);
    }
    return arena_strndup(sample->arena, out.bytes, out.length);
}

static void a_spare_owes_its_own_lines_and_nothing_that_nobody_has(void **state)
{
    struct sample sample = make_of(LINES, SUITE_OF_LINES, NULL, NULL);

    (void)state;
    substitute_for(&sample, "n1 n2");
    assert_string_equal(told_of_substitutes(&sample),
                        "n3 reachable, n3 line tape 1, n3 line site-b 1, n3 ecc 3, n4 reachable, n4 ecc 1");
    assert_null(unasked(&sample)); /* no other host has lines of these names */
    ((struct shape *)sample.plan->steps.items[sample.plan->steps.count - 5].shape)->variant = "elsewhere";
    assert_string_equal(unasked(&sample),
                        "step line of n3, elsewhere, in the place of others, is none of its suite");
    arena_destroy(sample.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_change_of_what_is_asked_is_named),
        cmocka_unit_test(a_host_that_is_another_than_its_hostfile_says_is_named),
        cmocka_unit_test(what_was_planned_asks_all_of_it),
        cmocka_unit_test(a_spare_owes_its_own_lines_and_nothing_that_nobody_has),
    };

    return cmocka_run_group_tests_name("plan_asks", tests, NULL, NULL);
}

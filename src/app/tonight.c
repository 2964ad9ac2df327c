/* SPDX-License-Identifier: Apache-2.0 */
/* From a plan and a database to what a choice of tests is made from. */
#include "assay/app/tonight.h"

#include <math.h>
#include <string.h>

#include "assay/reasons/periodic.h"

/* -- The menu: tests and hosts of the plan ----------------------------------------------------------------- */

static size_t find_test(const struct periodic_fleet *fleet, const char *step)
{
    size_t i = 0;

    while (i < fleet->tests.count && strcmp(fleet->tests.items[i].step, step) != 0)
        i++;
    return i;
}

/* From the one that was found before on, for hosts come in the same order again and again. */
static size_t find_host(const struct periodic_fleet *fleet, const char *name, size_t *before)
{
    for (size_t i = 0; i < fleet->hosts.count; i++) {
        size_t at = (*before + i) % fleet->hosts.count;

        if (strcmp(fleet->hosts.items[at].name, name) == 0)
            return *before = at;
    }
    return fleet->hosts.count;
}

static bool is_of_one_host(const struct step *step)
{
    return step->origin == ORIGIN_SUITE && step->member_count == 1 && step->shape->hosts == 1 &&
           strcmp(step->shape->scope, "host") == 0;
}

/* What tells of a part by itself: a window tells of all of them, whatever the test is about. */
static unsigned own_of(const struct shape *shape)
{
    enum periodic_class class;
    unsigned own = 0;

    for (size_t i = 0; i < shape->slot_count; i++)
        if (shape->slots[i].duty == DUTY_GATE && strncmp(shape->slots[i].metric, "window.", 7) != 0 &&
            strcmp(shape->slots[i].metric, "kernel.log") != 0 &&
            periodic_class_of(shape->slots[i].metric, &class))
            own |= 1u << class;
    return own;
}

static bool repeats_earlier(const struct periodic_fleet *fleet, const struct suite_step *step)
{
    for (size_t i = 0; step->last && i < fleet->tests.count; i++)
        if (strcmp(fleet->tests.items[i].check, step->check) == 0)
            return true;
    return false;
}

/* false: it needs what is no test of one host. */
static bool needs_of(const struct periodic_fleet *fleet, const struct suite_step *step,
                     periodic_set *ret_needs)
{
    *ret_needs = 0;
    for (size_t i = 0; i < step->needs.count; i++) {
        size_t needed = find_test(fleet, step->needs.items[i]);

        if (needed == fleet->tests.count)
            return false;
        *ret_needs |= (periodic_set)1 << needed | fleet->tests.items[needed].needs;
    }
    return true;
}

static const struct step *first_step_of(const struct plan *plan, const char *suite_step)
{
    for (size_t i = 0; i < plan->steps.count; i++)
        if (is_of_one_host(&plan->steps.items[i]) &&
            strcmp(plan->steps.items[i].shape->suite_step, suite_step) == 0)
            return &plan->steps.items[i];
    return NULL;
}

/* false: it is not chosen among. */
static bool add_test(struct periodic_fleet *fleet, const struct plan *plan, const struct suite_step *of_suite)
{
    const struct check *check = check_find(of_suite->check);
    const struct step *step = first_step_of(plan, of_suite->name);
    periodic_set needs;

    if (strcmp(of_suite->scope, "host") != 0 || of_suite->variants.count > 0 || of_suite->repeat_for_s > 0 ||
        !needs_of(fleet, of_suite, &needs))
        return false;
    if (!repeats_earlier(fleet, of_suite))
        periodic_add_test(fleet, &(struct periodic_test){
                                     .step = of_suite->name,
                                     .check = of_suite->check,
                                     .own = step != NULL ? own_of(step->shape) : 0,
                                     .loads = check->window,
                                     .expected_h = step != NULL ? plan_step_s(step) / 3600 : 0,
                                     .needs = needs,
                                 });
    return true;
}

static int add_tests(struct arena *arena, const struct question *question, struct tonight *tonight,
                     struct error *err)
{
    const struct suite *suite = question->sources.suite;
    const char *left_out = "";

    list_each (step, suite->steps) {
        if (tonight->fleet->tests.count == PERIODIC_TESTS_MOST)
            return error_set(err, ERROR_USAGE,
                             "suite %s has more than %d steps over one host; expected fewer", suite->name,
                             PERIODIC_TESTS_MOST);
        if (!add_test(tonight->fleet, question->plan, step))
            left_out = arena_add_word(arena, left_out, step->name);
    }
    if (*left_out != '\0')
        tonight->left_out = reason(arena, periodic_across, left_out);
    return 0;
}

struct platforms {
    LIST_OF(const char *) names;
};

static size_t platform_number(struct arena *arena, struct platforms *platforms, const char *name)
{
    for (size_t i = 0; i < platforms->names.count; i++)
        if (strcmp(platforms->names.items[i], name) == 0)
            return i;
    *list_push(arena, &platforms->names) = name;
    return platforms->names.count - 1;
}

/* Which tests the plan has for each of its hosts; their platforms likewise. */
static void add_hosts(struct arena *arena, const struct plan *plan, struct periodic_fleet *fleet)
{
    periodic_set *applies = arena_array(arena, periodic_set, plan->hosts.count + 1);
    size_t *platform = arena_array(arena, size_t, plan->hosts.count + 1);
    struct platforms platforms = {0};
    size_t host = 0;

    list_each (step, plan->steps) {
        size_t test = is_of_one_host(step) ? find_test(fleet, step->shape->suite_step) : fleet->tests.count;

        if (test == fleet->tests.count)
            continue;
        while (plan->hosts.items[host] != step->members[0])
            host = (host + 1) % plan->hosts.count;
        applies[host] |= (periodic_set)1 << test;
        platform[host] = platform_number(arena, &platforms, step->shape->platform);
    }
    for (size_t i = 0; i < plan->hosts.count; i++)
        if (applies[i] != 0)
            periodic_add_host(fleet, plan->hosts.items[i]->name, platform[i], applies[i]);
}

/* -- The history: looks of runs ----------------------------------------------------------------------------- */

/* What a run says of each test on each host, by host * tests + test. */
struct gathered {
    unsigned failed, doubtful, passed; /* classes: 1 << class, or-ed */
};

enum { ALL_CLASSES = (1 << PERIODIC_CLASSES) - 1 };

static void gather(const struct slot *slot, const struct outcome *outcome, struct gathered *into)
{
    enum periodic_class class = PERIODIC_HOST;
    bool of_class = periodic_class_of(slot->metric, &class);

    if (slot->duty != DUTY_GATE || outcome->waiver != NULL)
        return;
    if (outcome->word == OUTCOME_FAIL)
        into->failed |= 1u << class;
    else if (outcome->word == OUTCOME_PASS)
        into->passed = ALL_CLASSES;
    else
        into->doubtful |= of_class ? 1u << class : ALL_CLASSES;
}

/* The fleet's test that the step was; fleet->tests.count: none. */
static size_t test_of_step(const struct periodic_fleet *fleet, const struct step *step)
{
    size_t test = find_test(fleet, step->shape->suite_step);
    bool counts =
        step->member_count == 1 && step->origin != ORIGIN_LEFT_OUT && step->origin != ORIGIN_ISOLATE;

    return counts && test < fleet->tests.count &&
                   strcmp(fleet->tests.items[test].check, step->shape->check) == 0
               ? test
               : fleet->tests.count;
}

enum { ASKED_BYTES = 1 << 20 };

static bool same_member(const struct json *one, const struct json *other, const char *key)
{
    cleanup_arena struct arena *arena = arena_create();

    return strcmp(json_text(arena, json_get(one, key), ASKED_BYTES),
                  json_text(arena, json_get(other, key), ASKED_BYTES)) == 0;
}

/* Of its host, beside the check: a burn of a minute is no burn of ten. */
static bool asks_the_same(const struct suite_step *one, const struct suite_step *other)
{
    static const char *const keys[] = {"arguments", "gate",         "record", "record_without_limit",
                                       "limits",    "sizes_judged", "repeat", "when",
                                       "by"};

    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (!same_member(one->at, other->at, keys[i]))
            return false;
    return true;
}

static const struct suite_step *step_named(const struct suite *suite, const char *name)
{
    for (size_t i = 0; suite != NULL && i < suite->steps.count; i++)
        if (strcmp(suite->steps.items[i].name, name) == 0)
            return &suite->steps.items[i];
    return NULL;
}

/* Of which tests the run's suite asked what the menu does. */
static periodic_set tests_alike(struct arena *arena, const struct periodic_fleet *fleet,
                                const struct suite *menu, const struct record *record)
{
    const struct document *document = document_find(&record->documents, "suite");
    struct error ignored = {0};
    const struct suite *suite =
        document != NULL ? suite_parse(arena, document->name, document->bytes, &ignored) : NULL;
    periodic_set alike = 0;

    for (size_t i = 0; i < fleet->tests.count; i++) {
        const struct suite_step *now = step_named(menu, fleet->tests.items[i].step),
                                *then = step_named(suite, fleet->tests.items[i].step);

        if (now != NULL && then != NULL && asks_the_same(now, then))
            alike |= (periodic_set)1 << i;
    }
    return alike;
}

static void take_looks(struct arena *arena, struct periodic_fleet *fleet, const struct record *record,
                       const struct gathered *gathered)
{
    size_t tests = fleet->tests.count, count = 0;
    struct periodic_look *looks = arena_array(arena, struct periodic_look, fleet->hosts.count * tests + 1);

    for (size_t i = 0; i < fleet->hosts.count * tests; i++) {
        unsigned passed = gathered[i].passed & ~gathered[i].failed & ~gathered[i].doubtful;

        if ((gathered[i].failed | passed) != 0)
            looks[count++] = (struct periodic_look){i / tests, i % tests, gathered[i].failed, passed};
    }
    periodic_take(fleet, record->started, looks, count);
}

/* What failed has failed, however little was asked; that nothing did proves something only of the same test. */
static void take_outcomes(struct arena *arena, struct periodic_fleet *fleet, const struct record *record,
                          periodic_set alike)
{
    size_t tests = fleet->tests.count, before = 0;
    struct gathered *gathered = arena_array(arena, struct gathered, fleet->hosts.count * tests + 1);
    const struct judgement *judgement = &record->judgement;

    for (size_t i = 0; i < judgement->outcome_count;) {
        const struct outcome *outcome = &judgement->outcomes[i];
        const struct step *step = &record->plan->steps.items[outcome->step];
        size_t test = test_of_step(fleet, step),
               host = test < tests ? find_host(fleet, step->members[0]->name, &before) : fleet->hosts.count;

        for (; i < judgement->outcome_count && judgement->outcomes[i].step == outcome->step; i++)
            if (host < fleet->hosts.count)
                gather(&step->shape->slots[judgement->outcomes[i].slot], &judgement->outcomes[i],
                       &gathered[host * tests + test]);
    }
    for (size_t i = 0; i < fleet->hosts.count * tests; i++)
        if ((alike >> i % tests & 1) == 0)
            gathered[i].doubtful = ALL_CLASSES;
    take_looks(arena, fleet, record, gathered);
}

/* What all attempts of a step took, where each came to its own end. */
static int take_times(struct arena *arena, struct store *store, struct periodic_fleet *fleet,
                      const struct record *record, periodic_set alike, struct error *err)
{
    double *hours = arena_array(arena, double, record->plan->steps.count + 1);
    struct ended_attempts ended;

    if (store_ended_attempts(store, arena, record->number, &(struct ended_attempt){0}, &ended, err) < 0)
        return -1;
    for (size_t i = 0; i < ended.items.count; i++) {
        const struct ended_attempt *attempt = &ended.items.items[i];
        double took = (attempt->ended - attempt->began) / 3600;

        hours[attempt->step] += attempt->end == ATTEMPT_RAN && took > 0 ? took : (double)NAN;
    }
    for (size_t i = 0; i < record->plan->steps.count; i++) {
        size_t test = test_of_step(fleet, &record->plan->steps.items[i]);

        if (test < fleet->tests.count && (alike >> test & 1) != 0 && hours[i] > 0) /* not NAN */
            periodic_take_time(fleet, test, hours[i]);
    }
    return 0;
}

/* One run at a time is in memory as a whole. */
static int take_run(struct store *store, struct periodic_fleet *fleet, const struct suite *menu,
                    const struct run_summary *run, struct error *err)
{
    cleanup_arena struct arena *of_run = arena_create();
    const struct record *record =
        run_summary_check(run, err) < 0 ? NULL : store_load_judged(store, of_run, run->number, err);
    const struct record *asked = record != NULL ? store_load_question(store, of_run, run->number, err) : NULL;
    const periodic_set alike = asked != NULL ? tests_alike(of_run, fleet, menu, asked) : 0;
    int result = asked != NULL ? take_times(of_run, store, fleet, record, alike, err) : -1;

    if (result == 0)
        take_outcomes(of_run, fleet, record, alike);
    return result;
}

/* As in a history (histories.h), what another party says is none of ours. */
static int take_history(struct arena *arena, struct store *store, const struct suite *menu,
                        struct tonight *tonight, struct error *err)
{
    struct run_summary *runs;
    size_t count;

    if (store_list_runs(store, arena, 0, &runs, &count, err) < 0)
        return -1;
    while (count-- > 0) {
        struct error why = {0};

        if (!runs[count].imported && (runs[count].judged || runs[count].damage != NULL) &&
            take_run(store, tonight->fleet, menu, &runs[count], &why) < 0)
            *list_push(arena, &tonight->gaps) =
                (struct history_gap){runs[count].number, arena_strdup(arena, why.text)};
    }
    return 0;
}

int tonight_load(struct arena *arena, const struct question *question, struct store *store,
                 struct tonight *ret_tonight, struct error *err)
{
    *ret_tonight = (struct tonight){.fleet = periodic_create(arena)};
    if (add_tests(arena, question, ret_tonight, err) < 0)
        return -1;
    add_hosts(arena, question->plan, ret_tonight->fleet);
    if (ret_tonight->fleet->hosts.count == 0)
        return error_set(err, ERROR_USAGE,
                         "no step of suite %s is a test of one host that can be repeated on these hosts; "
                         "expected a suite such as delivery or periodic",
                         question->sources.suite->name);
    return store != NULL ? take_history(arena, store, question->sources.suite, ret_tonight, err) : 0;
}

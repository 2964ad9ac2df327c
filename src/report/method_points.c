/* SPDX-License-Identifier: Apache-2.0 */
/* What was done around the tests, a sentence each, with this run's numbers. */
#include <math.h>
#include <string.h>

#include "assay/model/blame.h"
#include "assay/model/suite.h"
#include "method.h"
#include "searches.h"

struct telling {
    const struct view *view;
    struct arena *arena;
    enum report_language language;
    struct method *method;
};

static const char *number(const struct telling *telling, size_t count)
{
    return count_text(telling->arena, count);
}

static void add(const struct telling *telling, enum text_key title, const char *text)
{
    *list_push(telling->arena, &telling->method->points) = (struct method_point){title, text};
}

/* Each way once, in the order of the attempts. */
static const char *transports(const struct telling *telling)
{
    enum { NAMED = 4 };
    const struct record *record = telling->view->record;
    const struct reason *seen[NAMED];
    const char *text = "";
    size_t count = 0;

    for (size_t i = 0; i < record->attempts.count && count < NAMED; i++) {
        const struct reason *transport = record->attempts.items[i].transport;
        size_t known = 0;

        while (known < count && !reason_equal(seen[known], transport))
            known++;
        if (transport == NULL || known < count)
            continue;
        text = arena_printf(telling->arena, "%s%s%s", text, count > 0 ? "; " : "", said(telling, transport));
        seen[count++] = transport;
    }
    return text;
}

static void tell_who(const struct telling *telling)
{
    const struct record *record = telling->view->record;
    const char *ways = transports(telling),
               *who = sayf(telling, TEXT_METHOD_WHO, record->program, record->controller,
                           number(telling, record->plan->hosts.count));

    add(telling, TEXT_METHOD_WHO_TITLE, *ways != '\0' ? sayf(telling, TEXT_METHOD_BY_WAY, who, ways) : who);
}

/* The time is the controller's; how far the hosts' own agree is an item of theirs. */
static void tell_clock(const struct telling *telling)
{
    const struct judgement *judgement = &telling->view->record->judgement;
    const struct reason *gate = NULL;
    size_t compared = 0, passed = 0;

    array_each (step, telling->view->steps, telling->view->step_count) {
        for (size_t k = 0; k < step->step->shape->slot_count; k++) {
            if (strcmp(step->step->shape->slots[k].metric, "os.clock_offset") != 0 ||
                step->items[k]->measured == NULL)
                continue;
            compared++;
            passed += step->items[k]->word == OUTCOME_PASS;
            gate = gate != NULL ? gate : step->items[k]->held->gate;
        }
    }
    add(telling, TEXT_METHOD_CLOCK_TITLE,
        compared == 0 || judgement->outcome_count == 0
            ? sayf(telling, TEXT_METHOD_CLOCK, telling->view->record->controller)
            : sayf(telling, TEXT_METHOD_CLOCK_COMPARED, telling->view->record->controller,
                   number(telling, compared), number(telling, passed), said(telling, gate)));
}

static void tell_attempts(const struct telling *telling)
{
    const struct record *record = telling->view->record;
    size_t again = 0;

    for (size_t i = 0; i < record->attempts.count; i++)
        again += record->attempts.items[i].n > 1;
    add(telling, TEXT_ATTEMPTS,
        sayf(telling, TEXT_METHOD_ATTEMPTS, number(telling, record->attempts.count), number(telling, again)));
}

static void tell_windows(const struct telling *telling, const struct suite *suite)
{
    const struct record *record = telling->view->record;
    size_t attempts = 0, readings = 0, unread = 0;
    const char *text;

    list_each (attempt, record->attempts) {
        attempts += attempt->windows.count > 0;
        readings += attempt->windows.count;
        for (size_t k = 0; k < attempt->windows.count; k++)
            unread += attempt->windows.items[k].end != ATTEMPT_RAN;
    }
    if (readings == 0)
        return;
    text = sayf(telling, TEXT_METHOD_WINDOWS, number(telling, attempts), number(telling, readings),
                number(telling, unread));
    add(telling, TEXT_METHOD_WINDOWS_TITLE,
        suite == NULL
            ? text
            : sayf(telling, TEXT_METHOD_COOL, text, arena_printf(telling->arena, "%.6g", suite->cool_below_c),
                   arena_printf(telling->arena, "%u", suite->cool_within_s)));
}

static const char *percent(const struct telling *telling, double fraction)
{
    return arena_printf(telling->arena, "%.3g%%", fraction * 100);
}

static void tell_peers(const struct telling *telling, const struct suite *suite)
{
    size_t otherwise = 0;
    const char *text;

    if (suite == NULL)
        return;
    for (size_t i = 0; i < suite->steps.count; i++) {
        const struct suite_peers *peers = &suite->steps.items[i].peers;

        otherwise += peers->off != suite->peers.off || peers->remark != suite->peers.remark ||
                     peers->fail != suite->peers.fail;
    }
    text = suite->peers.off ? say(telling, TEXT_METHOD_NO_PEERS)
                            : sayf(telling, TEXT_METHOD_PEERS, percent(telling, suite->peers.remark),
                                   percent(telling, suite->peers.fail));
    add(telling, TEXT_METHOD_PEERS_TITLE,
        otherwise == 0 ? text : sayf(telling, TEXT_METHOD_PEERS_BUT, text, number(telling, otherwise)));
}

/* Whether the step was slow across hosts: a search asks for more of them than two. */
static bool is_slow_across(const struct step_view *at)
{
    for (size_t i = 0; at->step->member_count > 1 && i < at->step->shape->slot_count; i++)
        if (at->items[i]->word == OUTCOME_FAIL && blame_is_speed(at->step->shape->slots[i].metric))
            return true;
    return false;
}

static enum text_key why_no_search(const struct view *view)
{
    enum { PAIR = 2 };
    bool slow = false;

    for (size_t i = 0; i < view->step_count; i++) {
        if (!is_slow_across(&view->steps[i]))
            continue;
        slow = true;
        if (view->steps[i].step->member_count > PAIR)
            return TEXT_METHOD_NO_SEARCH_ASKED;
    }
    return slow ? TEXT_METHOD_NO_SEARCH_OF_TWO : TEXT_METHOD_NO_SEARCH;
}

static void tell_isolation(const struct telling *telling)
{
    const struct judgement *judgement = &telling->view->record->judgement;
    double doubt = 0;

    if (judgement->search_count == 0)
        add(telling, TEXT_METHOD_ISOLATION_TITLE, say(telling, why_no_search(telling->view)));
    for (size_t i = 0; i < judgement->search_count; i++)
        add(telling, TEXT_METHOD_ISOLATION_TITLE,
            sayf(telling, TEXT_METHOD_SEARCH,
                 said(telling, search_title(telling->view, &judgement->searches[i])),
                 said(telling, search_effort(telling->view, &judgement->searches[i]))));
    for (size_t i = 0; i < judgement->accusation_count; i++)
        doubt = fmax(doubt, judgement->accusations[i].doubt);
    if (judgement->accusation_count > 0)
        add(telling, TEXT_METHOD_ISOLATION_TITLE,
            sayf(telling, TEXT_METHOD_DOUBT, number(telling, judgement->accusation_count),
                 said(telling, doubt_text(telling->arena, doubt))));
}

/* A name that ends so, with each of the values that hosts gave it. */
enum { VERSIONS_NAMED = 3, VERSIONS_LISTED = 24 };
struct version {
    const char *name, *values[VERSIONS_NAMED];
    size_t count; /* of values; VERSIONS_NAMED + 1: there are more */
};
struct versions {
    LIST_OF(struct version) items;
};

static void take_version(struct arena *arena, struct versions *versions, const struct fact *fact)
{
    static const char ending[] = "version";
    size_t length = strlen(fact->name), known = 0;
    struct version *version = NULL;

    if (length < sizeof ending || strcmp(fact->name + length - (sizeof ending - 1), ending) != 0 ||
        *fact->value == '\0')
        return;
    for (size_t i = 0; i < versions->items.count && version == NULL; i++)
        if (strcmp(versions->items.items[i].name, fact->name) == 0)
            version = &versions->items.items[i];
    if (version == NULL) {
        if (versions->items.count == VERSIONS_LISTED)
            return;
        version = list_push(arena, &versions->items);
        *version = (struct version){.name = fact->name};
    }
    while (known < version->count && known < VERSIONS_NAMED &&
           strcmp(version->values[known], fact->value) != 0)
        known++;
    if (known == VERSIONS_NAMED)
        version->count = VERSIONS_NAMED + 1;
    else if (known == version->count)
        version->values[version->count++] = fact->value;
}

static void tell_versions(const struct telling *telling)
{
    const struct record *record = telling->view->record;
    struct versions versions = {0};
    const char *text = "";

    for (size_t i = 0; i < record->attempts.count; i++)
        for (size_t k = 0; k < record->attempts.items[i].reading.facts.count; k++)
            take_version(telling->arena, &versions, &record->attempts.items[i].reading.facts.items[k]);
    for (size_t i = 0; i < versions.items.count; i++) {
        const struct version *version = &versions.items.items[i];
        const char *values = version->values[0];

        for (size_t k = 1; k < version->count && k < VERSIONS_NAMED; k++)
            values = arena_printf(telling->arena, "%s, %s", values, version->values[k]);
        if (version->count > VERSIONS_NAMED)
            values = sayf(telling, TEXT_METHOD_VERSIONS_MORE, values);
        text = arena_printf(telling->arena, "%s%s%s %s", text, i > 0 ? "; " : "", version->name, values);
    }
    if (*text != '\0')
        add(telling, TEXT_METHOD_VERSIONS_TITLE, text);
}

void method_points_of_run(const struct view *view, enum report_language language, struct method *method)
{
    const struct telling telling = {view, view->arena, language, method};
    const struct suite *suite = view_suite(view);

    tell_who(&telling);
    tell_clock(&telling);
    tell_attempts(&telling);
    tell_windows(&telling, suite);
    tell_peers(&telling, suite);
    tell_isolation(&telling);
    tell_versions(&telling);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What stands beside the verdict of what may be accepted, for whoever reads no further. */
#include "caveat.h"

#include <string.h>

#include "assay/model/compare.h"
#include "assay/model/platform.h"
#include "assay/reasons/any.h"
#include "assay/reasons/report.h"
#include "assay/report/report.h"
#include "unread.h"
#include "view.h"

static const struct reason *then(struct arena *arena, const struct reason *first, const struct reason *second)
{
    return first == NULL    ? second
           : second == NULL ? first
                            : reason(arena, one_after_the_other, first, second);
}

static const struct reason *of_suite(struct arena *arena, const struct concessions *found)
{
    if (found->absent > 0 && found->changed > 0)
        return reason(arena, suite_leaves_out_and_changes, found->absent, found->tests, found->changed);
    if (found->absent > 0)
        return reason(arena, suite_leaves_out, found->absent, found->tests);
    return found->changed > 0 ? reason(arena, suite_changes, found->changed, found->tests) : NULL;
}

/* A list of names, of which more than a few would hide the rest of the screen. */
struct names {
    const char *text; /* the first of them; NULL: there is none */
    size_t shown;     /* in text */
    LIST_OF(const char *) items;
};

static void add_name(struct arena *arena, struct names *names, const char *name)
{
    enum { NAMES_MOST = 4 };

    for (size_t i = 0; i < names->items.count; i++)
        if (strcmp(names->items.items[i], name) == 0)
            return;
    *list_push(arena, &names->items) = name;
    if (names->items.count <= NAMES_MOST)
        names->text = names->text != NULL ? arena_printf(arena, "%s, %s", names->text, name)
                                          : arena_strdup(arena, name);
    names->shown = names->items.count < NAMES_MOST ? names->items.count : NAMES_MOST;
}

static const struct reason *names_said(struct arena *arena, const struct names *names)
{
    return names->items.count > names->shown
               ? reason(arena, and_more, names->text, names->items.count - names->shown)
               : reason_text(arena, names->text);
}

static const struct reason *of_programs(struct arena *arena, const struct concessions *found)
{
    struct names names = {0};

    for (size_t i = 0; i < found->programs.count; i++)
        add_name(arena, &names, found->programs.items[i]);
    return names.items.count > 0 ? reason(arena, suite_names_programs, names_said(arena, &names)) : NULL;
}

static const struct reason *of_rails(struct arena *arena, const struct concessions *found)
{
    struct names names = {0};

    for (size_t i = 0; i < found->odd_rails.count; i++)
        add_name(arena, &names, found->odd_rails.items[i]);
    return names.items.count > 0 ? reason(arena, rails_declared_unlike, names_said(arena, &names)) : NULL;
}

const struct reason *caveat_of_concessions(struct arena *arena, const struct concessions *found)
{
    const struct reason *caveat = then(arena, of_suite(arena, found), of_programs(arena, found));

    if (found->weaker > 0)
        caveat = then(arena, caveat, reason(arena, limits_are_weaker, found->weaker));
    if (found->platforms > 0)
        caveat = then(arena, caveat, REASON(platform_declares_less));
    if (found->undeclared != NULL)
        caveat = then(arena, caveat, reason(arena, hostfile_leaves_out, found->undeclared));
    caveat = then(arena, caveat, of_rails(arena, found));
    if (found->spares > 0)
        caveat = then(arena, caveat, reason(arena, spares_not_tested, found->spares, found->spare_names));
    return caveat;
}

/* Metrics that the suite would judge, and nobody has a figure for. */
static const struct reason *of_missing_limits(struct arena *arena, const struct plan *plan)
{
    struct names names = {0};

    for (size_t i = 0; i < plan->shapes.count; i++) {
        const struct shape *shape = plan->shapes.items[i];
        size_t slots = shape_is_of_suite(plan, shape) ? shape->slot_count : 0;

        for (size_t k = 0; k < slots; k++) {
            const struct reason *note =
                shape->slots[k].duty == DUTY_RECORD ? shape->slots[k].duty_note : NULL;

            if (note != NULL && reason_is(note, recorded_without_limit))
                add_name(arena, &names, shape->slots[k].metric);
        }
    }
    return names.items.count > 0 ? reason(arena, recorded_for_want_of_a_limit, names_said(arena, &names))
                                 : NULL;
}

/* Of the runs, what none of their hosts could be asked. */
static const struct reason *of_unread(struct arena *arena, const struct record *const *records, size_t count)
{
    const struct reason *names = unread_names(arena, records, count);

    return names != NULL ? reason(arena, not_read_for_want_of_a_tool, names) : NULL;
}

/* Only hosts on this machine may have one, and behind a tunnel any host is. */
static const struct reason *of_timescale(struct arena *arena, const struct plan *plan)
{
    return plan_timescale(plan) > 1 ? reason(arena, tests_were_hastened, plan_timescale(plan)) : NULL;
}

/* Whoever judges a run again may do so by documents that the other party has not seen. */
static const struct reason *of_judgement(struct arena *arena, const struct documents *judged_by)
{
    struct names names = {0};

    for (size_t i = 0; i < judged_by->count; i++)
        add_name(arena, &names,
                 arena_printf(arena, "%s %s", judged_by->items[i].kind, judged_by->items[i].name));
    return names.items.count > 0 ? reason(arena, judged_by_others, names_said(arena, &names)) : NULL;
}

static const struct reason *of_earlier(struct arena *arena, const struct earlier *earlier)
{
    struct names names = {0};

    for (size_t i = 0; earlier != NULL && i < earlier->rejected.count; i++)
        add_name(arena, &names, arena_printf(arena, "%lld", earlier->rejected.items[i]));
    return names.items.count > 0
               ? reason(arena, rejected_before, names.items.count, names_said(arena, &names))
               : NULL;
}

/* Of its slices together; 0: it has none. */
static unsigned least_load_s(const struct suite *suite)
{
    unsigned least = 0;

    for (size_t i = 0; suite != NULL && i < suite->steps.count; i++) {
        unsigned seconds = suite->steps.items[i].repeat_for_s;

        if (seconds > 0 && (least == 0 || seconds < least))
            least = seconds;
    }
    return least;
}

/* The title of the suite says a day, however long it was made to last. */
static const struct reason *of_soak(struct arena *arena, const struct record *record)
{
    const struct builtin *builtin = builtin_find("suites", "soak");
    struct error err = {0};
    unsigned asked = least_load_s(documents_suite(arena, &record->documents));
    unsigned whole =
        builtin != NULL ? least_load_s(suite_parse(arena, builtin->name, builtin->bytes, &err)) : 0;

    return record->standing.kind == RUN_SOAK && asked > 0 && asked < whole
               ? reason(arena, soak_is_shorter, duration_text(arena, asked), duration_text(arena, whole))
               : NULL;
}

const struct reason *caveat_of_documents(struct arena *arena, const struct plan *plan,
                                         const struct documents *documents, const struct documents *judged_by)
{
    struct concessions found;

    concessions_find(arena, plan, documents, judged_by, &found);
    return caveat_of_concessions(arena, &found);
}

const struct reason *caveat_of_run(struct arena *arena, const struct record *record)
{
    const struct documents *judged_by = &record->judgement.documents;
    const struct reason *caveat;

    if (!standing_is_acceptance(&record->standing))
        return of_soak(arena, record);
    caveat = then(arena, of_judgement(arena, judged_by),
                  caveat_of_documents(arena, record->plan, &record->documents, judged_by));
    caveat = then(arena, caveat, of_missing_limits(arena, record->plan));
    caveat = then(arena, caveat, of_unread(arena, &record, 1));
    caveat = then(arena, caveat, of_timescale(arena, record->plan));
    return then(arena, caveat, of_earlier(arena, record->earlier));
}

const struct reason *caveat_of_acceptance(struct arena *arena, const struct acceptance *acceptance)
{
    const struct reason *caveat =
        then(arena, caveat_of_documents(arena, acceptance->plan, &acceptance->documents, NULL),
             of_missing_limits(arena, acceptance->plan));

    caveat = then(arena, caveat, of_unread(arena, acceptance->runs.items, acceptance->runs.count));
    return then(arena, caveat, of_timescale(arena, acceptance->plan));
}

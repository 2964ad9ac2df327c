/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/judging.h"

#include <string.h>

#include "assay/app/foreign_run.h"
#include "assay/app/read_again.h"
#include "assay/app/sources.h"
#include "assay/base/clock.h"
#include "assay/model/sighting.h"

/* -- What is judged ---------------------------------------------------------------------------------------------- */

/* In redacted outputs a fault may not be found again: by them no item gets better than it was by the originals. */
static int take_as_came(struct store *store, struct judged *judged, struct error *err)
{
    struct record *record = judged->record;

    if (record->origin == NULL || !record->origin->redacted)
        return 0;
    if (store_load_as_came(store, record, &judged->as_came, err) < 0)
        return -1;
    if (judged->as_came.outcome_count > 0)
        return 0;
    return error_set(
        err, ERROR_USAGE,
        "run %lld is redacted, and nobody judged it before: what tells of a fault may be lost in its "
        "outputs. Ask whoever made it for a bundle that was exported without --redact",
        record->number);
}

static int load(struct store *store, struct arena *arena, const struct judging *judging, const char *word,
                struct judged *ret_judged, struct error *err)
{
    long long number = store_find_run(store, word, err);

    *ret_judged = (struct judged){
        .record = number > 0 ? store_load_lean(store, arena, number, sighting_rests_on, err) : NULL};
    if (ret_judged->record == NULL || foreign_run_check(arena, ret_judged->record, err) < 0 ||
        sources_of_record(arena, ret_judged->record, judging->baseline, &ret_judged->sources, err) < 0 ||
        sources_take_contract(arena, judging->contract, &ret_judged->sources, err) < 0)
        return -1;
    if (ret_judged->record->state == RUN_RUNNING)
        return error_set(err, ERROR_USAGE, "run %lld is still going on", number);
    ret_judged->before = ret_judged->record->judgement;
    return take_as_came(store, ret_judged, err);
}

/* -- Whether they can be judged as one --------------------------------------------------------------------------- */

static const struct slice nothing;

static bool bytes_equal(struct slice a, struct slice b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

/* Appends what differs: "suite light and smoke, baseline of hgx-h100". */
static void tell_other(struct arena *arena, const char **told, const char *what, const char *name)
{
    *told = arena_printf(arena, "%s%s%s%s", *told, **told != '\0' ? ", " : "", what, name);
}

static void compare_platforms(struct arena *arena, const struct run_limits *one,
                              const struct run_limits *other, const char **told)
{
    for (size_t i = 0; i < one->baselines.count; i++)
        for (size_t k = 0; k < other->baselines.count; k++) {
            const struct platform_baseline *a = &one->baselines.items[i], *b = &other->baselines.items[k];

            if (strcmp(a->platform->name, b->platform->name) != 0)
                continue;
            if (!bytes_equal(a->platform->bytes, b->platform->bytes))
                tell_other(arena, told, "platform ", a->platform->name);
            if ((a->baseline == NULL) != (b->baseline == NULL) ||
                !bytes_equal(a->baseline != NULL ? a->baseline->bytes : nothing,
                             b->baseline != NULL ? b->baseline->bytes : nothing))
                tell_other(arena, told, "baseline of ", a->platform->name);
        }
}

static bool advisories_equal(const struct plan_sources *one, const struct plan_sources *other)
{
    bool equal = one->advisories.items.count == other->advisories.items.count;

    for (size_t i = 0; equal && i < one->advisories.items.count; i++)
        equal = bytes_equal(one->advisories.items.items[i]->bytes, other->advisories.items.items[i]->bytes);
    return equal;
}

static int check_alike(struct arena *arena, const struct judged *one, const struct judged *other,
                       struct error *err)
{
    const struct run_limits *a = &one->sources.limits, *b = &other->sources.limits;
    const char *told = "", *advice = "";

    if (!bytes_equal(a->suite->bytes, b->suite->bytes))
        tell_other(arena, &told, "suite ", arena_printf(arena, "(%s, %s)", a->suite->name, b->suite->name));
    if (!bytes_equal(a->contract != NULL ? a->contract->bytes : nothing,
                     b->contract != NULL ? b->contract->bytes : nothing))
        tell_other(arena, &told, "contract", "");
    compare_platforms(arena, a, b, &told);
    if (strstr(told, "baseline of ") != NULL || strstr(told, "contract") != NULL)
        advice = "; --baseline and --contract judge all by the same one";
    if (!advisories_equal(&one->sources, &other->sources))
        tell_other(arena, &told, "advisories", "");
    if (*told == '\0')
        return 0;
    return error_set(err, ERROR_USAGE,
                     "runs %lld and %lld cannot be judged as one, they have not the same %s%s",
                     one->record->number, other->record->number, told, advice);
}

static int check_as_one(struct arena *arena, const struct judged *judged, size_t count, struct error *err)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (judged[i].record->number == judged[k].record->number)
                return error_set(err, ERROR_USAGE, "run %lld is named twice", judged[i].record->number);
            else if (check_alike(arena, &judged[k], &judged[i], err) < 0)
                return -1;
    return 0;
}

/* -- Judging ----------------------------------------------------------------------------------------------------- */

static struct judged_run *runs_of(struct arena *arena, const struct judged *judged, size_t count)
{
    struct judged_run *runs = arena_array(arena, struct judged_run, count);

    for (size_t i = 0; i < count; i++) {
        char uuid[UUID_SIZE];

        uuid_create(uuid);
        runs[i] = (struct judged_run){
            .record = judged[i].record,
            .limits = &judged[i].sources.limits,
            .uuid = arena_strdup(arena, uuid),
            .at_best = judged[i].as_came.outcome_count > 0 ? &judged[i].as_came : NULL,
        };
    }
    return runs;
}

static int keep(struct store *store, struct arena *arena, const struct judged *judged, size_t count,
                struct error *err)
{
    const struct record **records = arena_array(arena, const struct record *, count);

    for (size_t i = 0; i < count; i++) {
        sources_judged_by(judged[i].record, &judged[i].sources);
        records[i] = judged[i].record;
    }
    return store_put_judgements(store, records, count, err);
}

int judge_stored(struct store *store, struct arena *arena, const struct judging *judging,
                 struct judged *ret_judged, struct error *err)
{
    double now = clock_now();
    struct judged_run *runs;

    for (size_t i = 0; i < judging->count; i++)
        if (load(store, arena, judging, judging->words[i], &ret_judged[i], err) < 0)
            return -1;
    runs = runs_of(arena, ret_judged, judging->count);
    if (check_as_one(arena, ret_judged, judging->count, err) < 0 ||
        judge_same_machine(runs, judging->count, err) < 0)
        return -1;
    for (size_t i = 0; i < judging->count; i++) {
        ret_judged[i].record->now = now;
        if (read_all_again(store, &ret_judged[i].sources, ret_judged[i].record, &ret_judged[i].kept, err) < 0)
            return -1;
    }
    judge_together(runs, judging->count);
    return keep(store, arena, ret_judged, judging->count, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stays in memory of an attempt while a run goes on. A delivery suite reads some 20,000 values of a host, most of
 * them facts that nobody owes, and in parsing them leaves ten times as much behind: on 1,250 hosts that would be more
 * than 10 GB.
 */
#include <string.h>

#include "assay/check/check.h"
#include "assay/model/sighting.h"

/* Metrics that the step owes, each once. */
struct owed {
    LIST_OF(const char *) metrics;
    size_t last; /* the one that was asked for last: the next is often the same */
};

static bool is_owed(struct owed *owed, const char *name)
{
    if (owed->last < owed->metrics.count && strcmp(owed->metrics.items[owed->last], name) == 0)
        return true;
    for (size_t i = 0; i < owed->metrics.count; i++)
        if (strcmp(owed->metrics.items[i], name) == 0) {
            owed->last = i;
            return true;
        }
    return false;
}

static void find_owed(struct arena *scratch, const struct shape *shape, struct owed *ret_owed)
{
    *ret_owed = (struct owed){0};
    *list_push(scratch, &ret_owed->metrics) = WINDOW_OWNED;
    *list_push(scratch, &ret_owed->metrics) = WINDOW_UNANSWERED;
    *list_push(scratch, &ret_owed->metrics) = OUTPUT_FORGED;
    *list_push(scratch, &ret_owed->metrics) = OUTPUT_DOUBTED;
    for (size_t i = 0; i < shape->slot_count; i++)
        if (!is_owed(ret_owed, shape->slots[i].metric))
            *list_push(scratch, &ret_owed->metrics) = shape->slots[i].metric;
}

static const char *copy(struct arena *arena, const char *text)
{
    return text != NULL ? arena_strdup(arena, text) : NULL;
}

/* One measurement says of itself mostly what the one before it said. */
static const char *share(struct arena *arena, const char *text, const char *before)
{
    return text != NULL && before != NULL && strcmp(text, before) == 0 ? before : copy(arena, text);
}

static void keep_fact(struct arena *arena, const struct fact *from, struct reading *to)
{
    *list_push(arena, &to->facts) = (struct fact){.name = copy(arena, from->name),
                                                  .subject = copy(arena, from->subject),
                                                  .value = copy(arena, from->value),
                                                  .said = reason_copy(arena, from->said)};
}

static void keep_findings(struct arena *arena, const struct reading *from, struct reading *to)
{
    for (size_t i = 0; i < from->findings.count; i++) {
        struct finding *finding = list_push(arena, &to->findings);

        *finding = from->findings.items[i];
        finding->code = copy(arena, finding->code);
        finding->subject = copy(arena, finding->subject);
        finding->what = reason_copy(arena, finding->what);
    }
}

/* Fields and all: of the whole place, where it is the same. */
static void keep_place(struct arena *arena, const struct measurement *before, struct measurement *to)
{
    struct at_field *fields;
    bool same = before->at.count == to->at.count;

    for (size_t i = 0; same && i < to->at.count; i++)
        same = before->at.items[i].is_number == to->at.items[i].is_number &&
               strcmp(before->at.items[i].key, to->at.items[i].key) == 0 &&
               strcmp(before->at.items[i].text, to->at.items[i].text) == 0;
    if (same) {
        to->at.items = before->at.items;
    } else {
        fields = arena_array(arena, struct at_field, to->at.count);
        for (size_t i = 0; i < to->at.count; i++) {
            bool near = i < before->at.count;

            fields[i] = to->at.items[i];
            fields[i].key = share(arena, fields[i].key, near ? before->at.items[i].key : NULL);
            fields[i].text = share(arena, fields[i].text, near ? before->at.items[i].text : NULL);
        }
        to->at.items = fields;
    }
    to->at.capacity = to->at.count;
}

/* metric: the step's own text of it. */
static void keep_measurement(struct arena *arena, struct arena *scratch, const char *metric,
                             const struct measurement *from, struct reading *to)
{
    static const struct measurement nothing;
    struct measurement *measurement = list_push(scratch, &to->measurements);
    const struct measurement *before = to->measurements.count > 1 ? measurement - 1 : &nothing;

    *measurement = *from;
    measurement->metric = metric;
    measurement->subject = share(arena, from->subject, before->subject);
    measurement->unit = share(arena, from->unit, before->unit);
    keep_place(arena, before, measurement);
}

/* Without values. */
static struct reading kept_reading(struct arena *arena, const struct reading *from)
{
    struct reading to = {.arena = arena,
                         .tool = copy(arena, from->tool),
                         .status = from->status,
                         .reason = reason_copy(arena, from->reason)};

    keep_findings(arena, from, &to);
    return to;
}

static struct part kept_part(struct arena *arena, const struct part *from)
{
    struct part to = *from;

    to.name = copy(arena, from->name);
    to.command = from->aside ? "" : copy(arena, from->command);
    to.out = to.err = (struct slice){"", 0};
    to.reading = kept_reading(arena, &from->reading);
    for (size_t i = 0; i < from->reading.facts.count; i++)
        if (sighting_rests_on(from->reading.tool, from->reading.facts.items[i].name))
            keep_fact(arena, &from->reading.facts.items[i], &to.reading);
    return to;
}

void check_keep(struct arena *arena, struct arena *scratch, const struct step *step, struct attempt *attempt)
{
    struct part *parts = arena_array(arena, struct part, attempt->parts.count);
    struct reading reading = kept_reading(arena, &attempt->reading);
    struct owed owed;

    find_owed(scratch, step->shape, &owed);
    for (size_t i = 0; i < attempt->reading.facts.count; i++)
        if (is_owed(&owed, attempt->reading.facts.items[i].name))
            keep_fact(arena, &attempt->reading.facts.items[i], &reading);
    for (size_t i = 0; i < attempt->reading.measurements.count; i++)
        if (is_owed(&owed, attempt->reading.measurements.items[i].metric))
            keep_measurement(arena, scratch, owed.metrics.items[owed.last],
                             &attempt->reading.measurements.items[i], &reading);
    list_settle(arena, &reading.measurements);
    for (size_t i = 0; i < attempt->parts.count; i++)
        parts[i] = kept_part(arena, &attempt->parts.items[i]);
    attempt->reading = reading;
    attempt->parts.items = parts;
    attempt->parts.capacity = attempt->parts.count;
    for (size_t i = 0; i < 2; i++)
        attempt->captures[i].bytes = (struct slice){"", 0};
    for (size_t i = 0; i < 2 * attempt->windows.count; i++)
        attempt->windows.items[i / 2].captures[i % 2].bytes = (struct slice){"", 0};
}

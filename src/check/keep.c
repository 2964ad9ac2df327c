/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stays in memory of an attempt while a run goes on. A delivery suite reads some 20,000 values of a host, most of
 * them facts that nobody owes, and in parsing them leaves ten times as much behind: on 1,250 hosts that would be more
 * than 10 GB.
 */
#include <string.h>

#include "assay/check.h"
#include "assay/sighting.h"

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
    for (size_t i = 0; i < shape->slot_count; i++)
        if (!is_owed(ret_owed, shape->slots[i].metric))
            *list_push(scratch, &ret_owed->metrics) = shape->slots[i].metric;
}

static const char *copy(struct arena *arena, const char *text)
{
    return text != NULL ? arena_strdup(arena, text) : NULL;
}

static void keep_fact(struct arena *arena, const struct fact *from, struct reading *to)
{
    *list_push(arena, &to->facts) =
        (struct fact){copy(arena, from->name), copy(arena, from->subject), copy(arena, from->value)};
}

static void keep_findings(struct arena *arena, const struct reading *from, struct reading *to)
{
    for (size_t i = 0; i < from->findings.count; i++) {
        struct finding *finding = list_push(arena, &to->findings);

        *finding = from->findings.items[i];
        finding->code = copy(arena, finding->code);
        finding->subject = copy(arena, finding->subject);
        finding->text = copy(arena, finding->text);
    }
}

static void keep_measurement(struct arena *arena, const struct measurement *from, struct reading *to)
{
    struct measurement *measurement = list_push(arena, &to->measurements);
    struct at_field *fields = arena_array(arena, struct at_field, from->at.count);

    *measurement = *from;
    measurement->metric = copy(arena, from->metric);
    measurement->subject = copy(arena, from->subject);
    measurement->unit = copy(arena, from->unit);
    for (size_t i = 0; i < from->at.count; i++) {
        fields[i] = from->at.items[i];
        fields[i].key = copy(arena, fields[i].key);
        fields[i].text = copy(arena, fields[i].text);
    }
    measurement->at.items = fields;
    measurement->at.capacity = from->at.count;
}

/* Without values. */
static struct reading kept_reading(struct arena *arena, const struct reading *from)
{
    struct reading to = {.arena = arena,
                         .tool = copy(arena, from->tool),
                         .status = from->status,
                         .reason = copy(arena, from->reason)};

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
            keep_measurement(arena, &attempt->reading.measurements.items[i], &reading);
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

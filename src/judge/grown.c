/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters that a run looks at twice: before its tests, and again after all of them. What they counted between two windows,
 * with nothing under load, no window tells.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/scan.h"
#include "assay/reasons/any.h"
#include "assay/reasons/judge.h"
#include "grown.h"
#include "whole_run.h"

enum { SECONDS_OF_HOUR = 3600 };

struct look {
    const struct step *step;
    size_t index, part; /* in the plan of all runs, and whose step that is */
    bool last;          /* of its suite: it comes after the others, wherever that has it */
};

/* Looks of one check at one host of one run, in their order. */
static int compare_looks(const void *one, const void *other)
{
    const struct look *a = one, *b = other;
    int order = (a->part > b->part) - (a->part < b->part);

    if (order == 0)
        order = strcmp(a->step->shape->check, b->step->shape->check);
    if (order == 0)
        order = strcmp(a->step->members[0]->name, b->step->members[0]->name);
    if (order == 0)
        order = (a->last > b->last) - (a->last < b->last);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static bool same_place(const struct look *a, const struct look *b)
{
    return a->part == b->part && strcmp(a->step->shape->check, b->step->shape->check) == 0 &&
           strcmp(a->step->members[0]->name, b->step->members[0]->name) == 0;
}

static bool is_last(const struct judged_part *part, const struct step *step)
{
    const struct suite *suite = part->book.limits != NULL ? part->book.limits->suite : NULL;
    const struct suite_step *row = suite != NULL ? suite_step_find(suite, step->shape->suite_step) : NULL;

    return row != NULL && row->last;
}

const size_t *first_looks(struct arena *arena, const struct together *together)
{
    const struct plan *plan = together->plan;
    struct look *looks = arena_array(arena, struct look, plan->steps.count + 1);
    size_t *first = arena_array(arena, size_t, plan->steps.count + 1), count = 0;

    for (size_t i = 0, part = 0; i < plan->steps.count; i++) {
        while (part + 1 < together->count && i >= together->parts[part + 1].first_step)
            part++;
        first[i] = i;
        if (plan->steps.items[i].member_count == 1 && plan->steps.items[i].shape->passive)
            looks[count++] = (struct look){&plan->steps.items[i], i, part,
                                           is_last(&together->parts[part], &plan->steps.items[i])};
    }
    qsort(looks, count, sizeof *looks, compare_looks);
    for (size_t i = 1; i < count; i++)
        if (same_place(&looks[i - 1], &looks[i]))
            first[looks[i].index] = first[looks[i - 1].index];
    return first;
}

/* The largest that it told, as the largest of the second look is judged too; NAN: none. */
static double number_of(struct arena *arena, const struct slot *slot, const struct attempt *attempt)
{
    struct values values = {0};
    double number = NAN;

    slot_values(arena, slot, attempt, &values);
    for (size_t i = 0; i < values.items.count; i++)
        number = fmax(number, values.items.items[i].number);
    return number;
}

/* What a GPU said of itself is a part's: of the reading of all only what the step owes is kept (check_keep). */
static const char *uuid_of(const struct attempt *attempt, const char *gpu)
{
    const char *uuid = NULL;

    for (size_t i = 0; i < attempt->parts.count && uuid == NULL; i++)
        uuid = reading_get_fact(&attempt->parts.items[i].reading, "gpu.uuid", gpu);
    return uuid;
}

/* What the subject was called in the first look: GPUs move up where one has fallen off. NULL: it was not there. */
static const char *called_before(const struct attempt *before, const struct attempt *now, const char *subject)
{
    const char *uuid = uuid_of(now, subject);
    bool any = false;

    for (size_t i = 0; uuid != NULL && i < before->parts.count; i++) {
        const struct reading *reading = &before->parts.items[i].reading;

        for (size_t k = 0; k < reading->facts.count; k++) {
            if (strcmp(reading->facts.items[k].name, "gpu.uuid") != 0)
                continue;
            if (strcmp(reading->facts.items[k].value, uuid) == 0)
                return reading->facts.items[k].subject;
            any = true;
        }
    }
    return any ? NULL : subject;
}

static bool is_rebooted(const struct attempt *before, const struct attempt *now)
{
    return before->boot_id != NULL && now->boot_id != NULL && *before->boot_id != '\0' &&
           *now->boot_id != '\0' && strcmp(before->boot_id, now->boot_id) != 0;
}

static struct grown more_or_less(struct arena *arena, const struct limit *limit, double was, double hours,
                                 double value)
{
    double more = value - was;
    const char *first = arena_printf(arena, "%.15g", was), *ago = arena_printf(arena, "%.3g", hours);

    if (isnan(was) || isnan(value))
        return (struct grown){GROWN_UNKNOWN, REASON(not_when_first_read)};
    if (more < 0)
        return (struct grown){GROWN_UNKNOWN, reason(arena, less_than_when_first_read, first, ago)};
    if (more > fmax(limit->value, limit->most * fmax(hours, 0)))
        return (struct grown){GROWN_BEYOND, reason(arena, more_than_when_first_read,
                                                   arena_printf(arena, "%.15g", more), first, ago)};
    return (struct grown){GROWN_WITHIN, NULL};
}

/* Of what is told of many devices by one number, the largest, each device is compared with itself: the facts of that name. */
struct devices {
    struct arena *arena;
    const struct limit *limit;
    const char *counter;
    double hours;
};

/* A device without a fact has counted nothing. */
static double counted_of(const struct attempt *attempt, const char *counter, const char *device)
{
    const char *told = reading_get_fact(&attempt->reading, counter, device);
    double number;

    if (told == NULL)
        return 0;
    return scan_double(slice_of(told), &number) ? number : NAN;
}

/* The worst of the devices that this attempt tells of. */
static void weigh_devices(const struct devices *devices, const struct attempt *listing,
                          const struct attempt *before, const struct attempt *now, struct grown *worst)
{
    list_each (fact, listing->reading.facts) {
        struct grown one;

        if (strcmp(fact->name, devices->counter) != 0)
            continue;
        one =
            more_or_less(devices->arena, devices->limit, counted_of(before, devices->counter, fact->subject),
                         devices->hours, counted_of(now, devices->counter, fact->subject));
        if (one.word == GROWN_BEYOND ? worst->word != GROWN_BEYOND
                                     : one.word == GROWN_UNKNOWN && worst->word == GROWN_WITHIN)
            *worst = (struct grown){one.word, reason(devices->arena, about,
                                                     arena_strdup(devices->arena, fact->subject), one.what)};
    }
}

static struct grown grown_between_devices(const struct devices *devices, const struct attempt *before,
                                          const struct attempt *now)
{
    struct grown worst = {GROWN_WITHIN, NULL};

    weigh_devices(devices, now, before, now, &worst);
    weigh_devices(devices, before, before, now, &worst);
    return worst;
}

/* Whether it tells of devices what the slot has the largest of: only then each is looked at. */
static bool is_of_devices(const struct attempt *attempt, const struct slot *slot)
{
    list_each (fact, attempt->reading.facts)
        if (*slot->subject == '\0' && *fact->subject != '\0' && strcmp(fact->name, slot->metric) == 0)
            return true;
    return false;
}

struct grown grown_between(struct arena *arena, const struct limit *limit, const struct slot *slot,
                           const struct attempt *before, const struct attempt *now, double timescale,
                           double value)
{
    double hours = attempts_apart_s(before, now) * timescale / SECONDS_OF_HOUR;
    struct slot first = *slot;

    if (limit->text != NULL && is_rebooted(before, now))
        return (struct grown){GROWN_ANEW, REASON(counts_anew_since_reboot)};
    first.subject = called_before(before, now, slot->subject);
    if (first.subject == NULL)
        return (struct grown){GROWN_UNKNOWN, REASON(another_gpu_when_first_read)};
    if (is_of_devices(before, slot) || is_of_devices(now, slot))
        return grown_between_devices(&(struct devices){arena, limit, slot->metric, hours}, before, now);
    return more_or_less(arena, limit, number_of(arena, &first, before), hours, value);
}

struct grown whole_grown_since(struct arena *arena, struct whole_run *run, size_t index,
                               const struct slot *slot, double value, const struct limit *limit)
{
    const struct step *step = &run->together.plan->steps.items[index];
    const struct attempt *before, *now = whole_attempt(arena, run, index);

    if (run->first_looks == NULL)
        run->first_looks = first_looks(run->arena, &run->together);
    if (run->first_looks[index] == index)
        return (struct grown){GROWN_FIRST, NULL};
    before = whole_attempt(arena, run, run->first_looks[index]);
    if (before == NULL || now == NULL)
        return (struct grown){GROWN_UNKNOWN, REASON(not_when_first_read)};
    return grown_between(arena, limit, slot, before, now, step->members[0]->timescale, value);
}

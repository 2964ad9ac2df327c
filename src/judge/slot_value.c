/* SPDX-License-Identifier: Apache-2.0 */
/* The values that an attempt's reading has for a slot. */
#include <math.h>
#include <string.h>

#include "assay/base/utc.h"
#include "assay/reasons/judge.h"

#include "judge_private.h"

/* Each "key=text" of the slot must be among the measurement's fields. */
static bool at_matches(const char *wanted, const struct measurement *measurement)
{
    struct slice rest = slice_of(wanted), word;

    while (scan_word(&rest, &word)) {
        size_t equals = slice_find(word, "=");
        bool found = false;

        for (size_t i = 0; i < measurement->at.count && !found; i++) {
            const struct at_field *field = &measurement->at.items[i];

            found = slice_equal((struct slice){word.bytes, equals}, field->key) &&
                    slice_equal(slice_from(word, equals + 1), field->text);
        }
        if (!found)
            return false;
    }
    return true;
}

bool is_worse(const char *metric, double value, double than)
{
    const struct metric *row = value < than || value > than ? metric_find(metric) : NULL;

    return row != NULL && row->better == BETTER_HIGHER ? value < than : value > than;
}

/* "0.02 Gb/s, from 2026-11-27 15:20:27 to 15:20:32 UTC", of a value that is of a part of the time; else NULL. */
static const struct reason *said_when(struct arena *arena, const struct measurement *measurement,
                                      const char *text)
{
    struct utc_between at;
    double began, lasts_s;

    if (!measurement_at(measurement, AT_BEGAN, &began) || !measurement_at(measurement, AT_LASTS, &lasts_s))
        return NULL;
    at = utc_between(arena, began, began + lasts_s);
    return reason(arena, value_from_to, arena_printf(arena, "%s %s", text, measurement->unit), at.from,
                  at.to);
}

static void add_number(struct arena *arena, const struct measurement *measurement, struct values *values)
{
    double any;

    *list_push(arena, &values->items) = (struct value){.text = "",
                                                       .unit = measurement->unit,
                                                       .number = measurement->value,
                                                       .found = true,
                                                       .share = measurement_at(measurement, AT_SHARE, &any)};
}

static void add_measurement(struct arena *arena, const struct measurement *measurement, struct values *values)
{
    char buffer[32];
    const char *text = arena_strdup(arena, number_text(measurement->value, buffer, sizeof buffer));

    *list_push(arena, &values->items) = (struct value){.text = text,
                                                       .unit = measurement->unit,
                                                       .said = said_when(arena, measurement, text),
                                                       .number = measurement->value,
                                                       .found = true};
}

static void add_fact(struct arena *arena, const struct fact *fact, struct values *values)
{
    struct value *value = list_push(arena, &values->items);

    *value = (struct value){.text = fact->value, .unit = "", .said = fact->said, .found = true};
    if (!scan_double(slice_of(value->text), &value->number))
        value->number = NAN;
}

/* Words of a database are read once, so that most that are the same are the same bytes; and most others differ soon. */
static bool is_same(const char *a, const char *b)
{
    return a == b || (*a == *b && strcmp(a, b) == 0);
}

static bool is_of_slot(const struct slot *slot, const struct measurement *measurement)
{
    return is_same(measurement->metric, slot->metric) && is_same(measurement->subject, slot->subject) &&
           at_matches(slot->at, measurement);
}

static bool says_slot(const struct slot *slot, const struct fact *fact)
{
    return is_same(fact->name, slot->metric) && is_same(fact->subject, slot->subject);
}

void slot_values(struct arena *arena, const struct slot *slot, const struct attempt *attempt,
                 struct values *ret_values)
{
    const struct reading *reading = &attempt->reading;

    *ret_values = (struct values){0};
    for (size_t i = 0; i < reading->measurements.count; i++)
        if (is_of_slot(slot, &reading->measurements.items[i]))
            add_measurement(arena, &reading->measurements.items[i], ret_values);
    for (size_t i = 0; i < reading->facts.count; i++)
        if (says_slot(slot, &reading->facts.items[i]))
            add_fact(arena, &reading->facts.items[i], ret_values);
}

/* -- By an index ------------------------------------------------------------------------------------------------- */

/* FNV-1a, of both names with their ends. */
static uint64_t hash_of(const char *metric, const char *subject)
{
    const char *names[] = {metric, subject};
    uint64_t hash = 14695981039346656037u;

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        for (const char *at = names[i]; *at != '\0'; at++)
            hash = (hash ^ (unsigned char)*at) * 1099511628211u;
        hash = (hash ^ '\n') * 1099511628211u;
    }
    return hash ^ hash >> 32;
}

static uint64_t hash_at(const struct reading *reading, size_t place)
{
    size_t measurements = reading->measurements.count;

    return place < measurements ? hash_of(reading->measurements.items[place].metric,
                                          reading->measurements.items[place].subject)
                                : hash_of(reading->facts.items[place - measurements].name,
                                          reading->facts.items[place - measurements].subject);
}

struct value_index value_index_make(struct arena *arena, const struct reading *reading)
{
    size_t measurements = reading->measurements.count, count = measurements + reading->facts.count, size = 1;
    struct value_index index = {.reading = reading};

    while (size < 2 * count)
        size *= 2;
    index.mask = size - 1;
    index.first = arena_array(arena, uint32_t, size);
    index.next = arena_array(arena, uint32_t, count + 1);
    /* From the last to the first, so that those of one hash come in the order of the reading. */
    for (size_t i = count; i > 0; i--) {
        uint32_t *first = &index.first[hash_at(reading, i - 1) & index.mask];

        index.next[i] = *first;
        *first = (uint32_t)i;
    }
    return index;
}

static void find(struct arena *arena, const struct slot *slot, const struct value_index *index,
                 void (*add)(struct arena *, const struct measurement *, struct values *),
                 struct values *ret_values)
{
    const struct reading *reading = index->reading;
    size_t measurements = reading->measurements.count;

    *ret_values = (struct values){0};
    for (size_t i = index->first[hash_of(slot->metric, slot->subject) & index->mask]; i > 0;
         i = index->next[i])
        if (i <= measurements) {
            if (is_of_slot(slot, &reading->measurements.items[i - 1]))
                add(arena, &reading->measurements.items[i - 1], ret_values);
        } else if (says_slot(slot, &reading->facts.items[i - 1 - measurements])) {
            add_fact(arena, &reading->facts.items[i - 1 - measurements], ret_values);
        }
}

void value_index_find(struct arena *arena, const struct slot *slot, const struct value_index *index,
                      struct values *ret_values)
{
    find(arena, slot, index, add_measurement, ret_values);
}

void value_index_numbers(struct arena *arena, const struct slot *slot, const struct value_index *index,
                         struct values *ret_values)
{
    find(arena, slot, index, add_number, ret_values);
}

const struct reason *value_with_unit(struct arena *arena, const struct value *value)
{
    if (value->said != NULL)
        return value->said;
    return reason_text(arena, *value->unit != '\0' ? arena_printf(arena, "%s %s", value->text, value->unit)
                                                   : value->text);
}

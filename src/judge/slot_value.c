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
    const struct metric *row = metric_find(metric);

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

static void add_values(struct arena *arena, const struct slot *slot, const struct reading *reading,
                       struct values *values)
{
    for (size_t i = 0; i < reading->measurements.count; i++) {
        const struct measurement *measurement = &reading->measurements.items[i];

        if (strcmp(measurement->metric, slot->metric) == 0 &&
            strcmp(measurement->subject, slot->subject) == 0 && at_matches(slot->at, measurement))
            add_measurement(arena, measurement, values);
    }
    for (size_t i = 0; i < reading->facts.count; i++) {
        const struct fact *fact = &reading->facts.items[i];

        if (strcmp(fact->name, slot->metric) == 0 && strcmp(fact->subject, slot->subject) == 0)
            add_fact(arena, fact, values);
    }
}

void slot_values(struct arena *arena, const struct slot *slot, const struct attempt *attempt,
                 struct values *ret_values)
{
    *ret_values = (struct values){0};
    add_values(arena, slot, &attempt->reading, ret_values);
}

const struct reason *value_with_unit(struct arena *arena, const struct value *value)
{
    if (value->said != NULL)
        return value->said;
    return reason_text(arena, *value->unit != '\0' ? arena_printf(arena, "%s %s", value->text, value->unit)
                                                   : value->text);
}

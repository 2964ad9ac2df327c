/* SPDX-License-Identifier: Apache-2.0 */
/* The value that an attempt's reading has for a slot. */
#include <math.h>
#include <string.h>

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

struct value slot_value(struct arena *arena, const struct slot *slot, const struct attempt *attempt)
{
    const struct reading *reading = &attempt->reading;
    struct value value = {.text = "", .unit = "", .number = NAN};
    char buffer[32];

    for (size_t i = 0; i < reading->measurements.count; i++) {
        const struct measurement *measurement = &reading->measurements.items[i];

        if (strcmp(measurement->metric, slot->metric) != 0 ||
            strcmp(measurement->subject, slot->subject) != 0 || !at_matches(slot->at, measurement))
            continue;
        if (value.found && !is_worse(slot->metric, measurement->value, value.number))
            continue;
        value = (struct value){.number = measurement->value, .unit = measurement->unit, .found = true};
    }
    if (value.found) {
        value.text = arena_strdup(arena, number_text(value.number, buffer, sizeof buffer));
        return value;
    }
    value.text = reading_get_fact(reading, slot->metric, slot->subject);
    value.found = value.text != NULL;
    if (!value.found)
        value.text = "";
    else if (!scan_double(slice_of(value.text), &value.number))
        value.number = NAN;
    return value;
}

const char *value_with_unit(struct arena *arena, const struct value *value)
{
    return arena_printf(arena, "%s%s%s", value->text, *value->unit != '\0' ? " " : "", value->unit);
}

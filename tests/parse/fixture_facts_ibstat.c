/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "fixtures.h"

static size_t count_facts(const struct reading *reading, const char *name)
{
    size_t count = 0;

    for (size_t i = 0; i < reading->facts.count; i++)
        count += strcmp(reading->facts.items[i].name, name) == 0;
    return count;
}

/* ["mlx5_11/1", "mlx5_5/1"]: these and no others. */
static void check_not_active(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    size_t found = 0;

    for (size_t i = 0; i < reading->facts.count; i++)
        found += strcmp(reading->facts.items[i].name, "ib.state") == 0 &&
                 strcmp(reading->facts.items[i].value, "Active") != 0;
    if (found != fact->count)
        fact_wrong(wrong, fact, "expected %zu, found %zu", fact->count, found);
    json_each (item, fact) {
        const char *state = reading_get_fact(reading, "ib.state", item->string);

        if (state == NULL || strcmp(state, "Active") == 0)
            fact_wrong(wrong, fact, "%s is %s", item->string, state != NULL ? state : "not found");
    }
}

/* {"400": 6} or {"100 Gb/sec (4X EDR)": 2}: how many ports show this rate. */
static void check_rates(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    json_each (rate, fact) {
        size_t count = 0, length = strcspn(rate->key, " ");
        double value = -1;

        if (!scan_double((struct slice){rate->key, length}, &value))
            fact_wrong(wrong, fact, "%s is no number", rate->key);
        for (size_t i = 0; i < reading->measurements.count; i++)
            count += strcmp(reading->measurements.items[i].metric, "ib.rate") == 0 &&
                     reading->measurements.items[i].value == value;
        fact_number(wrong, rate, (double)count);
    }
}

/* {"state": "4: ACTIVE", "phys": "5: LinkUp", "rate": "200 Gb/sec (4X HDR)", "link": "InfiniBand"} */
static void check_port(struct text *wrong, const struct json *port, const struct reading *reading)
{
    const char *state = reading_get_fact(reading, "ib.state", port->key);
    const char *physical = reading_get_fact(reading, "ib.physical_state", port->key);
    const struct measurement *rate = find_measurement(reading, "ib.rate", port->key);
    const char *speed = reading_get_fact(reading, "ib.speed", port->key);
    char text[64];

    if (strstr(json_string(port, "state", ""), "ACTIVE") == NULL || state == NULL ||
        strcmp(state, "Active") != 0)
        fact_wrong(wrong, port, "state %s", state != NULL ? state : "not found");
    if (physical == NULL || strstr(json_string(port, "phys", ""), physical) == NULL)
        fact_wrong(wrong, port, "physical state %s", physical != NULL ? physical : "not found");
    snprintf(text, sizeof text, "%g Gb/sec (%s)", rate != NULL ? rate->value : -1,
             speed != NULL ? speed : "?");
    fact_string(wrong, json_get(port, "rate"), text);
    fact_string(wrong, json_get(port, "link"), reading_get_fact(reading, "ib.link_layer", port->key));
}

void check_ibstat(const char *path, const struct json *facts, const struct reading *reading,
                  struct text *wrong)
{
    (void)path;
    json_each (fact, facts) {
        if (strcmp(fact->key, "n") == 0)
            fact_number(wrong, fact, (double)count_facts(reading, "ib.state"));
        else if (strcmp(fact->key, "not_active") == 0)
            check_not_active(wrong, fact, reading);
        else if (strcmp(fact->key, "rates") == 0)
            check_rates(wrong, fact, reading);
        else if (strcmp(fact->key, "ports") == 0)
            json_each (port, fact)
                check_port(wrong, port, reading);
        else if (strcmp(fact->key, "ibpanic") == 0) {
            if (reading->status != READING_FAILED ||
                strstr(reason_english(reading->arena, reading->reason), fact->string) == NULL)
                fact_wrong(wrong, fact, "found %s", reading_status_name(reading->status));
        } else
            fact_wrong(wrong, fact, "is not compared");
    }
}

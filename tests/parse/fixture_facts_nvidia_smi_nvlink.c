/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "fixtures.h"

static bool is_error(const struct measurement *measurement)
{
    return strncmp(measurement->metric, "nvlink.link.errors.", strlen("nvlink.link.errors.")) == 0;
}

static double count_errors(const struct reading *reading, bool nonzero)
{
    double count = 0;

    for (size_t i = 0; i < reading->measurements.count; i++)
        count += is_error(&reading->measurements.items[i]) &&
                 (!nonzero || reading->measurements.items[i].value != 0);
    return count;
}

/* {"0": 12}: links with a speed. */
static void check_links(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    json_each (item, fact) {
        char subject[32];
        const struct measurement *active;
        double speeds = 0;

        snprintf(subject, sizeof subject, "gpu%s", item->key);
        active = find_measurement(reading, "nvlink.link.active", subject);
        fact_number(wrong, item, active != NULL ? active->value : -1);
        snprintf(subject, sizeof subject, "gpu%s.", item->key);
        for (size_t i = 0; i < reading->measurements.count; i++)
            speeds += strcmp(reading->measurements.items[i].metric, "nvlink.link.speed") == 0 &&
                      strncmp(reading->measurements.items[i].subject, subject, strlen(subject)) == 0;
        fact_number(wrong, item, speeds);
    }
}

/* ["25 GB/s"]: every link's. */
static void check_speeds(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    char found[32];

    for (size_t i = 0; i < reading->measurements.count; i++) {
        const struct measurement *measurement = &reading->measurements.items[i];

        if (strcmp(measurement->metric, "nvlink.link.speed") != 0)
            continue;
        snprintf(found, sizeof found, "%g %s", measurement->value, measurement->unit);
        if (fact->items != NULL)
            fact_string(wrong, fact->items, found);
        else
            fact_wrong(wrong, fact, "a link has a speed");
    }
}

static const char *first_name(const struct reading *reading)
{
    for (size_t i = 0; i < reading->facts.count; i++)
        if (strcmp(reading->facts.items[i].name, "gpu.name") == 0)
            return reading->facts.items[i].value;
    return "";
}

void check_nvidia_smi_nvlink(const char *path, const struct json *facts, const struct reading *reading,
                             struct text *wrong)
{
    (void)path;
    json_each (fact, facts) {
        if (strcmp(fact->key, "model") == 0)
            fact_string(wrong, fact, first_name(reading));
        else if (strcmp(fact->key, "links_per_gpu") == 0)
            check_links(wrong, fact, reading);
        else if (strcmp(fact->key, "speeds") == 0)
            check_speeds(wrong, fact, reading);
        else if (strcmp(fact->key, "all_links_inactive") == 0)
            fact_true(wrong, fact, count_findings(reading, "nvlink.inactive", "all links") == 1,
                      "no finding");
        else if (strcmp(fact->key, "error_lines") == 0)
            fact_number(wrong, fact, count_errors(reading, false));
        else if (strcmp(fact->key, "nonzero") == 0)
            fact_number(wrong, fact, count_errors(reading, true));
        else
            fact_wrong(wrong, fact, "is not compared");
    }
}

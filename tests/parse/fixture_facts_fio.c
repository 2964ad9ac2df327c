/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "fixtures.h"

/* The measurement at this place ("job", or "group" without a job), or NULL. */
static const struct measurement *find_at(const struct reading *reading, const char *metric, const char *key,
                                         const char *text)
{
    for (size_t i = 0; i < reading->measurements.count; i++) {
        const struct measurement *measurement = &reading->measurements.items[i];

        if (strcmp(measurement->metric, metric) == 0 && measurement->at.count > 0 &&
            strcmp(measurement->at.items[0].key, key) == 0 &&
            strcmp(measurement->at.items[0].text, text) == 0)
            return measurement;
    }
    return NULL;
}

static void check_value(struct text *wrong, const struct json *fact, const struct measurement *measurement,
                        double factor)
{
    if (measurement == NULL)
        fact_wrong(wrong, fact, "no such measurement");
    else
        fact_number(wrong, fact, measurement->value * factor);
}

/* {"name": "rand_read_write", "read_iops": 85138.891, "write_iops": 85066.129, "error": 0} */
static void check_job(struct text *wrong, const struct json *job, const struct reading *reading)
{
    const char *name = json_string(job, "name", "");

    json_each (fact, job) {
        if (strcmp(fact->key, "read_iops") == 0)
            check_value(wrong, fact, find_at(reading, "storage.read.iops", "job", name), 1);
        else if (strcmp(fact->key, "write_iops") == 0)
            check_value(wrong, fact, find_at(reading, "storage.write.iops", "job", name), 1);
        else if (strcmp(fact->key, "error") == 0) {
            const char *error = reading_get_fact(reading, "fio.error", name);
            double number = -1;

            if (error != NULL)
                scan_double(slice_of(error), &number);
            fact_number(wrong, fact, number);
        } else if (strcmp(fact->key, "name") != 0)
            fact_wrong(wrong, fact, "is not compared");
    }
}

/* {"0": 4046, "2": 455}: MiB/s of each group, rounded by the tool to whole ones. */
static void check_groups(struct text *wrong, const struct json *fact, const struct reading *reading,
                         const char *metric)
{
    json_each (group, fact)
        check_value(wrong, group, find_at(reading, metric, "group", group->key), 1e9 / 1048576);
}

static unsigned count_groups(const struct reading *reading)
{
    unsigned count = 0;
    char group[32];

    for (unsigned i = 0; i < 64; i++) {
        snprintf(group, sizeof group, "%u", i);
        count += find_at(reading, "storage.read.bandwidth", "group", group) != NULL ||
                 find_at(reading, "storage.write.bandwidth", "group", group) != NULL;
    }
    return count;
}

void check_fio(const char *path, const struct json *facts, const struct reading *reading, struct text *wrong)
{
    (void)path;
    json_each (fact, facts) {
        if (strcmp(fact->key, "documents") == 0)
            fact_number(wrong, fact, reading->runs.count > 0 ? (double)reading->runs.count : 1);
        else if (strcmp(fact->key, "version") == 0) {
            const char *version = reading_get_fact(reading, "fio.version", "");
            char found[64];

            snprintf(found, sizeof found, "fio-%s", version != NULL ? version : "?");
            fact_string(wrong, fact, found);
        } else if (strcmp(fact->key, "jobs") == 0) {
            json_each (job, fact)
                check_job(wrong, job, reading);
        } else if (strcmp(fact->key, "groups") == 0)
            fact_number(wrong, fact, count_groups(reading));
        else if (strcmp(fact->key, "read_mib_s") == 0)
            check_groups(wrong, fact, reading, "storage.read.bandwidth");
        else if (strcmp(fact->key, "write_mib_s") == 0)
            check_groups(wrong, fact, reading, "storage.write.bandwidth");
        else
            fact_wrong(wrong, fact, "is not compared");
    }
}

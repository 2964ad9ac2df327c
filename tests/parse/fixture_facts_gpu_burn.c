/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "fixtures.h"

static double value_of(const struct reading *reading, const char *metric, unsigned gpu)
{
    char subject[16];
    const struct measurement *measurement;

    snprintf(subject, sizeof subject, "gpu%u", gpu);
    measurement = find_measurement(reading, metric, subject);
    return measurement != NULL ? measurement->value : -1e300;
}

/* A list with one number for each GPU. */
static void check_list(struct text *wrong, const struct json *fact, const struct reading *reading,
                       const char *metric)
{
    unsigned gpu = 0;

    json_each (item, fact)
        fact_number(wrong, item, value_of(reading, metric, gpu++));
}

static void check_verdicts(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    json_each (item, fact) {
        char subject[32];
        const char *found;

        snprintf(subject, sizeof subject, "gpu%s", item->key);
        found = reading_get_fact(reading, "gpu_burn.verdict", subject);
        fact_string(wrong, item, found == NULL ? NULL : strcmp(found, "ok") == 0 ? "OK" : "FAULTY");
        if (strcmp(item->string, "FAULTY") == 0 && count_findings(reading, "gpu_burn.faulty", NULL) == 0)
            fact_wrong(wrong, item, "FAULTY without a finding");
    }
}

static double largest(const struct reading *reading, const char *metric)
{
    double most = -1;

    for (size_t i = 0; i < reading->measurements.count; i++)
        if (strcmp(reading->measurements.items[i].metric, metric) == 0 &&
            reading->measurements.items[i].value > most)
            most = reading->measurements.items[i].value;
    return most;
}

static size_t count_verdicts(const struct reading *reading)
{
    size_t count = 0;

    for (size_t i = 0; i < reading->facts.count; i++)
        count += strcmp(reading->facts.items[i].name, "gpu_burn.verdict") == 0;
    return count;
}

static bool is_about_progress(const char *key)
{
    return strcmp(key, "progress_updates") == 0 || strcmp(key, "last_pct") == 0;
}

void check_gpu_burn(const char *path, const struct json *facts, const struct reading *reading,
                    struct text *wrong)
{
    (void)path;
    json_each (fact, facts) {
        const char *seconds = reading_get_fact(reading, "gpu_burn.seconds", "");
        double number;

        if (strcmp(fact->key, "tested") == 0) {
            fact_number(wrong, fact, (double)count_verdicts(reading));
            if (reading->status != READING_COMPLETE)
                fact_wrong(wrong, fact, "not complete: %s", reason_english(reading->arena, reading->reason));
        } else if (strcmp(fact->key, "gpus") == 0) {
            check_verdicts(wrong, fact, reading);
        } else if (strcmp(fact->key, "last_gflops") == 0) {
            check_list(wrong, fact, reading, "gpu_burn.gflops");
        } else if (strcmp(fact->key, "last_errors") == 0) {
            check_list(wrong, fact, reading, "gpu_burn.errors");
        } else if (strcmp(fact->key, "last_temps_c") == 0) {
            check_list(wrong, fact, reading, "gpu_burn.temperature");
        } else if (strcmp(fact->key, "max_errors_seen") == 0) {
            fact_number(wrong, fact, largest(reading, "gpu_burn.errors_max"));
        } else if (strcmp(fact->key, "burn_s") == 0) {
            fact_number(wrong, fact,
                        seconds != NULL && scan_double(slice_of(seconds), &number) ? number : -1);
        } else if (strcmp(fact->key, "init_error") == 0) {
            if (count_findings(reading, "gpu_burn.init_failed", fact->string) == 0 ||
                reading->status != READING_FAILED)
                fact_wrong(wrong, fact, "no such finding in a failed reading");
        } else if (strcmp(fact->key, "error") == 0) {
            if (count_findings(reading, "gpu_burn.no_clients", NULL) == 0)
                fact_wrong(wrong, fact, "no such finding");
        } else if (strcmp(fact->key, "no_cuda_devices") == 0) {
            fact_true(wrong, fact, count_findings(reading, "gpu_burn.no_devices", NULL) > 0,
                      "no such finding");
        } else if (!is_about_progress(fact->key)) {
            /* Progress on the way is no measurement; its last update is compared above. */
            fact_wrong(wrong, fact, "is not compared");
        }
    }
}

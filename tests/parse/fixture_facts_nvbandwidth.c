/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "fixtures.h"

/* As the tool prints it: latencies in ns. */
static double printed_sum(const struct reading *reading, const char *test)
{
    char metric[160];
    const struct measurement *sum;

    snprintf(metric, sizeof metric, "nvbandwidth.%s.sum", test);
    sum = find_measurement(reading, metric, "");
    if (sum == NULL)
        return -1;
    return strcmp(sum->unit, "us") == 0 ? sum->value * 1000 : sum->value;
}

static bool has_cells(const struct reading *reading, const char *test)
{
    char metric[160];

    snprintf(metric, sizeof metric, "nvbandwidth.%s", test);
    for (size_t i = 0; i < reading->measurements.count; i++)
        if (strcmp(reading->measurements.items[i].metric, metric) == 0)
            return true;
    return false;
}

static double number_fact(const struct reading *reading, const char *name)
{
    const char *text = reading_get_fact(reading, name, "");
    double number = -1;

    return text != NULL && scan_double(slice_of(text), &number) ? number : -1;
}

/* A GPU with itself is no copy: the diagonal gives no number. */
static void check_diagonal(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    for (size_t i = 0; i < reading->measurements.count; i++)
        if (strcmp(reading->measurements.items[i].subject, "gpu0<-gpu0") == 0)
            fact_wrong(wrong, fact, "the diagonal is measured");
    if (find_measurement(reading, "nvbandwidth.device_to_device_memcpy_write_ce", "gpu0<-gpu1") == NULL)
        fact_wrong(wrong, fact, "what stands beside it is not");
}

void check_nvbandwidth(const char *path, const struct json *facts, const struct reading *reading,
                       struct text *wrong)
{
    (void)path;
    json_each (fact, facts) {
        if (strcmp(fact->key, "version") == 0)
            fact_string(wrong, fact, reading_get_fact(reading, "nvbandwidth.version", ""));
        else if (strcmp(fact->key, "sum") == 0 || strcmp(fact->key, "sums") == 0) {
            json_each (sum, fact)
                fact_number(wrong, sum, printed_sum(reading, sum->key));
        } else if (strcmp(fact->key, "tests") == 0) {
            json_each (test, fact)
                if (!has_cells(reading, test->string))
                    fact_wrong(wrong, fact, "%s has no cells", test->string);
        } else if (strcmp(fact->key, "gpus") == 0)
            fact_number(wrong, fact, number_fact(reading, "nvbandwidth.gpus"));
        else if (strcmp(fact->key, "waived_or_error") == 0)
            fact_number(wrong, fact, number_fact(reading, "nvbandwidth.waived.count"));
        else if (strcmp(fact->key, "diagonal") == 0)
            check_diagonal(wrong, fact, reading);
        else
            fact_wrong(wrong, fact, "is not compared");
    }
}

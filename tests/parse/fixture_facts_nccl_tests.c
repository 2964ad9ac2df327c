/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "fixtures.h"

static bool metric_ends(const struct measurement *measurement, const char *end)
{
    return slice_ends(slice_of(measurement->metric), end);
}

static bool is_out_of_place(const struct measurement *measurement)
{
    for (size_t i = 0; i < measurement->at.count; i++)
        if (strcmp(measurement->at.items[i].key, "place") == 0)
            return strcmp(measurement->at.items[i].text, "out") == 0;
    return false;
}

static size_t count_rows(const struct reading *reading)
{
    size_t count = 0;

    for (size_t i = 0; i < reading->measurements.count; i++)
        count += metric_ends(&reading->measurements.items[i], ".busbw") &&
                 is_out_of_place(&reading->measurements.items[i]);
    return count;
}

static double most(const struct reading *reading, const char *end)
{
    double found = -1;

    for (size_t i = 0; i < reading->measurements.count; i++)
        if (metric_ends(&reading->measurements.items[i], end) && reading->measurements.items[i].value > found)
            found = reading->measurements.items[i].value;
    return found;
}

static double wrong_sum(const struct reading *reading)
{
    double sum = 0;

    for (size_t i = 0; i < reading->measurements.count; i++)
        if (metric_ends(&reading->measurements.items[i], ".wrong"))
            sum += reading->measurements.items[i].value;
    return sum;
}

static void check_verdict(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    bool failed = count_findings(reading, "nccl.out_of_bounds", NULL) > 0;

    fact_string(wrong, fact, most(reading, "nccl.out_of_bounds") < 0 ? NULL : failed ? "FAILED" : "OK");
}

static void check_failures(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    json_each (item, fact) {
        struct slice rest = slice_of(item->string);

        if (!scan_text(&rest, "NCCL: "))
            scan_text(&rest, "CUDA: ");
        if (count_findings(reading, "nccl.failure", rest.bytes) == 0)
            fact_wrong(wrong, fact, "no finding says '%s'", rest.bytes);
    }
}

static void check_operation(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    char name[64];
    const char *collective = reading_get_fact(reading, "nccl.collective", "");

    snprintf(name, sizeof name, "%s_perf", collective != NULL ? collective : "no");
    fact_string(wrong, fact, name);
}

static void check_ranks(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    const char *ranks = reading_get_fact(reading, "nccl.ranks", "");
    double number;

    fact_number(wrong, fact, ranks != NULL && scan_double(slice_of(ranks), &number) ? number : -1);
}

static void check_run(const struct json *facts, const struct reading *reading, struct text *wrong);

static void check_tests(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    size_t i = 0;

    if (fact->count != reading->runs.count) {
        fact_wrong(wrong, fact, "expected %zu runs, found %zu", fact->count, reading->runs.count);
        return;
    }
    json_each (test, fact)
        check_run(test, &reading->runs.items[i++], wrong);
}

/* A whole table without a failure must be read as complete, and nothing else. */
static void check_completeness(const struct json *facts, const struct reading *reading, struct text *wrong)
{
    const struct json *rows = json_get(facts, "rows");

    if (rows != NULL && rows->number == 0 && reading->status != READING_FAILED)
        fact_wrong(wrong, rows, "no row and yet %s", reading_status_name(reading->status));
}

static void check_run(const struct json *facts, const struct reading *reading, struct text *wrong)
{
    check_completeness(facts, reading, wrong);
    json_each (fact, facts) {
        if (strcmp(fact->key, "rows") == 0)
            fact_number(wrong, fact, (double)count_rows(reading));
        else if (strcmp(fact->key, "max_busbw_gbps") == 0)
            fact_number(wrong, fact, most(reading, ".busbw"));
        else if (strcmp(fact->key, "avg_busbw_gbps") == 0)
            fact_number(wrong, fact, most(reading, ".avg_busbw"));
        else if (strcmp(fact->key, "oob") == 0)
            fact_number(wrong, fact, most(reading, "nccl.out_of_bounds"));
        else if (strcmp(fact->key, "oob_verdict") == 0)
            check_verdict(wrong, fact, reading);
        else if (strcmp(fact->key, "ranks") == 0)
            check_ranks(wrong, fact, reading);
        else if (strcmp(fact->key, "op") == 0)
            check_operation(wrong, fact, reading);
        else if (strcmp(fact->key, "wrong_sum") == 0)
            fact_number(wrong, fact, wrong_sum(reading));
        else if (strcmp(fact->key, "wrong_rows") == 0)
            fact_number(wrong, fact, (double)count_findings(reading, "nccl.wrong", "out of place"));
        else if (strcmp(fact->key, "failure_lines") == 0)
            fact_number(wrong, fact, (double)count_findings(reading, "nccl.failure", NULL));
        else if (strcmp(fact->key, "failures") == 0)
            check_failures(wrong, fact, reading);
        else if (strcmp(fact->key, "tests") == 0)
            check_tests(wrong, fact, reading);
        else if (strcmp(fact->key, "launch_failed") == 0)
            fact_true(wrong, fact, count_findings(reading, "nccl.launch_failed", NULL) > 0,
                      "no such finding");
        else if (strcmp(fact->key, "host") == 0) {
            if (count_findings(reading, "nccl.launch_failed", fact->string) == 0)
                fact_wrong(wrong, fact, "no finding names %s", fact->string);
        } else
            fact_wrong(wrong, fact, "is not compared");
    }
}

void check_nccl_tests(const char *path, const struct json *facts, const struct reading *reading,
                      struct text *wrong)
{
    (void)path;
    check_run(facts, reading, wrong);
}

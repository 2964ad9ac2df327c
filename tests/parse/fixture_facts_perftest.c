/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fixtures.h"

/* Every measurement of the text, run after run. */
typedef LIST_OF(struct measurement) measurement_list;

static measurement_list all_measurements(const struct reading *reading)
{
    measurement_list list = {0};
    size_t runs = reading->runs.count > 0 ? reading->runs.count : 1;

    for (size_t i = 0; i < runs; i++) {
        const struct reading *run = reading->runs.count > 0 ? &reading->runs.items[i] : reading;

        for (size_t k = 0; k < run->measurements.count; k++)
            *list_push(reading->arena, &list) = run->measurements.items[k];
    }
    return list;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);

    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static bool has_at(const struct measurement *measurement, const char *key, const char *text)
{
    for (size_t i = 0; i < measurement->at.count; i++)
        if (strcmp(measurement->at.items[i].key, key) == 0 &&
            strcmp(measurement->at.items[i].text, text) == 0)
            return true;
    return false;
}

/* The first, or with last the last, number of that metric's end at that stat ("" any); -1 when there is none. */
static double find_number(const measurement_list *list, const char *metric, const char *stat, bool last)
{
    double found = -1;

    for (size_t i = 0; i < list->count; i++)
        if (ends_with(list->items[i].metric, metric) &&
            (stat[0] == '\0' || has_at(&list->items[i], "stat", stat)) && (last || found < 0))
            found = list->items[i].value;
    return found;
}

static double largest(const measurement_list *list, const char *stat)
{
    double value = -1;

    for (size_t i = 0; i < list->count; i++)
        if (has_at(&list->items[i], "stat", stat))
            value = fmax(value, list->items[i].value);
    return value;
}

/* The index has numbers in the tool's unit. */
static double to_gigabits(const struct json *facts, double value)
{
    return value * (strncmp(json_string(facts, "unit", ""), "MB", 2) == 0 ? 1048576.0 * 8 / 1e9 : 1);
}

static void check_bandwidth(struct text *wrong, const struct json *facts, const struct json *fact,
                            double found)
{
    double expected = to_gigabits(facts, fact->number);

    /* A peak of 0 was not measured. */
    if (expected == 0 ? found != -1 : !(fabs(expected - found) <= expected * 1e-4))
        fact_wrong(wrong, fact, "expected %g Gb/s, found %g", expected, found);
}

/* {"bytes": 8388608, "peak": 23240.68, "avg": 23240.68} or latencies of a row */
static void check_row(struct text *wrong, const struct json *facts, const struct json *row,
                      const measurement_list *list, bool last)
{
    static const struct {
        const char *key, *metric;
    } latencies[] = {{"t_min", ".latency.min"}, {"t_max", ".latency.max"}, {"t_typical", ".latency.typical"}};
    const struct json *bytes = json_get(row, "bytes");
    char text[32];

    for (size_t i = 0; i < ARRAY_SIZE(latencies); i++)
        if (json_get(row, latencies[i].key) != NULL)
            fact_number(wrong, json_get(row, latencies[i].key),
                        find_number(list, latencies[i].metric, "", last));
    if (json_get(row, "peak") != NULL)
        check_bandwidth(wrong, facts, json_get(row, "peak"), find_number(list, ".bandwidth", "peak", last));
    if (json_get(row, "avg") != NULL)
        check_bandwidth(wrong, facts, json_get(row, "avg"), find_number(list, ".bandwidth", "average", last));
    if (bytes == NULL || list->count == 0)
        return;
    snprintf(text, sizeof text, "%.0f", bytes->number);
    if (!has_at(&list->items[last ? list->count - 1 : 0], "size_bytes", text))
        fact_wrong(wrong, bytes, "the row is of another size");
}

static double count_rows(const measurement_list *list)
{
    double count = 0;

    for (size_t i = 0; i < list->count; i++)
        count += ends_with(list->items[i].metric, ".message_rate") ||
                 ends_with(list->items[i].metric, ".latency.min");
    return count;
}

/* The two sides of one test in one text: the server's average comes first, its peak is not measured. */
static void check_side(struct text *wrong, const struct json *facts, const struct json *side,
                       const measurement_list *list, bool last)
{
    check_bandwidth(wrong, facts, json_get(side, "avg"), find_number(list, ".bandwidth", "average", last));
    if (last)
        check_bandwidth(wrong, facts, json_get(side, "peak"), find_number(list, ".bandwidth", "peak", false));
}

static void check_text(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    static const struct {
        const char *key, *name;
    } texts[] = {{"test", "perftest.test"},      {"mtu", "perftest.mtu"},
                 {"link", "perftest.link_type"}, {"qps", "perftest.qps"},
                 {"dev", "perftest.device"},     {"device", "perftest.device"},
                 {"error", "perftest.error"},    {"syndrome", "perftest.completion.syndrome"}};

    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        if (strcmp(fact->key, texts[i].key) == 0) {
            const char *found = reading_get_fact(reading, texts[i].name, "");

            if (found == NULL || strcasestr(found, fact->string) == NULL)
                fact_wrong(wrong, fact, "expected '%s', found '%s'", fact->string,
                           found != NULL ? found : "");
            return;
        }
    fact_wrong(wrong, fact, "is not compared");
}

static void check_count(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    char name[64];
    const char *found;
    double value = -1;

    snprintf(name, sizeof name, "perftest.completion.%s", fact->key);
    found = reading_get_fact(reading, name, "");
    if (found != NULL && !scan_double(slice_of(found), &value))
        value = -1;
    fact_number(wrong, fact, value);
}

void check_perftest(const char *path, const struct json *facts, const struct reading *reading,
                    struct text *wrong)
{
    measurement_list list = all_measurements(reading);

    (void)path;
    json_each (fact, facts) {
        const char *key = fact->key;

        if (strcmp(key, "rows") == 0)
            fact_number(wrong, fact, count_rows(&list));
        else if (strcmp(key, "first") == 0 || strcmp(key, "last") == 0)
            check_row(wrong, facts, fact, &list, key[0] == 'l');
        else if (strcmp(key, "max_avg") == 0)
            check_bandwidth(wrong, facts, fact, largest(&list, "average"));
        else if (strcmp(key, "server") == 0 || strcmp(key, "client") == 0)
            check_side(wrong, facts, fact, &list, key[0] == 'c');
        else if (strcmp(key, "complete") == 0)
            fact_true(wrong, fact, reading->status == READING_COMPLETE, reading_status_name(reading->status));
        else if (strcmp(key, "cpu_freq_warnings") == 0)
            fact_number(wrong, fact, (double)count_findings(reading, "perftest.cpu_frequency", NULL));
        else if (strcmp(key, "status") == 0 || strcmp(key, "scnt") == 0 || strcmp(key, "ccnt") == 0)
            check_count(wrong, fact, reading);
        else if (strcmp(key, "unit") != 0) /* used above */
            check_text(wrong, fact, reading);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --out_json of perftest: one object a run, of one message size. It does not say in which unit its bandwidth
 * is; size and message rate do, because the two units that it can have are a factor of 119 apart.
 */
#include <math.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"
#include "loose_json.h"
#include "perftest.h"
#include "runs.h"

/* The object at the front, by its braces; length 0 when it has no end. */
static struct slice take_object(struct slice text)
{
    unsigned depth = 0;
    bool quoted = false;

    for (size_t i = 0; i < text.length; i++) {
        char byte = text.bytes[i];

        if (byte == '"' && (i == 0 || text.bytes[i - 1] != '\\'))
            quoted = !quoted;
        if (quoted)
            continue;
        if (byte == '{')
            depth++;
        else if (byte == '}' && --depth == 0)
            return (struct slice){text.bytes, i + 1};
    }
    return (struct slice){text.bytes, 0};
}

static double bandwidth_factor(double size, double rate, double average)
{
    static const char *const units[] = {"MiB/sec", "Gb/sec"};
    double moved = size * rate * 1e6 * 8 / 1e9;

    for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
        double factor = perftest_bandwidth_factor(slice_of(units[i]));

        if (moved > 0 && average > 0 && fabs(log(average * factor / moved)) < log(3))
            return factor;
    }
    return 0;
}

static void read_bandwidth(struct perftest_run *run, const struct json *results, double size)
{
    double rate = json_number(results, "MsgRate", -1), average = json_number(results, "BW_average", -1);
    double peak = json_number(results, "BW_peak", 0), factor;

    if (rate >= 0)
        perftest_measure(run, PERFTEST_MESSAGE_RATE, "", size, PERFTEST_NO_SERVICE_LEVEL, rate);
    if (average < 0)
        return;
    factor = bandwidth_factor(size, rate, average);
    if (factor == 0) {
        run->lack = REASON(bandwidth_unit_not_told);
        return;
    }
    perftest_measure(run, PERFTEST_BANDWIDTH, "peak", size, PERFTEST_NO_SERVICE_LEVEL, peak * factor);
    perftest_measure(run, PERFTEST_BANDWIDTH, "average", size, PERFTEST_NO_SERVICE_LEVEL, average * factor);
}

static void read_results(struct perftest_run *run, const struct json *results)
{
    static const struct {
        const char *key, *name;
    } latencies[] = {
        {"t_min", "min"},     {"t_max", "max"},         {"t_typical", "typical"},     {"t_avg", "average"},
        {"t_stdev", "stdev"}, {"percentile_99", "p99"}, {"percentile_99.9", "p99_9"},
    };
    double size = json_number(results, "MsgSize", -1);

    if (size < 0) {
        run->lack = REASON(result_size_not_told);
        return;
    }
    read_bandwidth(run, results, size);
    for (size_t i = 0; i < ARRAY_SIZE(latencies); i++) {
        double value = json_number(results, latencies[i].key, -1);

        if (value >= 0)
            perftest_measure(run, PERFTEST_LATENCY, latencies[i].name, size, PERFTEST_NO_SERVICE_LEVEL,
                             value);
    }
    if (run->reading->measurements.count == 0)
        run->lack = REASON(results_without_number);
}

static void read_info(struct perftest_run *run, const struct json *info)
{
    static const struct {
        const char *key, *fact;
    } texts[] = {
        {"test", "perftest.test"},
        {"Device", "perftest.device"},
        {"Transport_type", "perftest.transport"},
        {"Connection_type", "perftest.connection"},
        {"Link_type", "perftest.link_type"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        if (json_string(info, texts[i].key, NULL) != NULL)
            reading_fact(run->reading, texts[i].fact, "", slice_of(json_string(info, texts[i].key, "")));
    if (!perftest_title(run, slice_of(json_string(info, "test", ""))))
        run->lack = REASON(test_not_named);
}

static void read_object(struct reading *reading, struct slice object)
{
    struct perftest_run run = {.reading = runs_begin(reading), .verb = "unknown"};
    const struct json *root = json_read(run.reading, "perftest", object);

    if (root == NULL)
        return;
    read_info(&run, json_get(root, "test_info"));
    read_results(&run, json_get(root, "results"));
    if (run.lack != NULL)
        reading_lacks(run.reading, run.lack);
}

bool perftest_read_json(struct reading *reading, struct slice text)
{
    size_t at;

    if (!slice_contains(text, "\"test_info\""))
        return false;
    text = json_document(reading->arena, text);
    while ((at = slice_find(text, "{")) != (size_t)-1) {
        struct slice object = take_object(slice_from(text, at));

        if (object.length == 0) {
            reading_lacks(runs_begin(reading), REASON(object_not_ended));
            break;
        }
        if (slice_contains(object, "\"test_info\""))
            read_object(reading, object);
        text = slice_from(text, at + object.length);
    }
    return reading->runs.count > 0; /* else the words stand outside of any object */
}

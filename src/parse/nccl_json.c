/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON form (-J), versions 1 to 3. Several files in one text are several runs. What is cut is no JSON and
 * gives nothing; the tool itself closes the document after a failure, but then without "end_time".
 */
#include "assay/base/robust.h"
#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "nccl_run.h"

#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "loose_json.h"
#include "runs.h"

/* The tool writes booleans as the strings "true" and "false". */
static bool is_false(const struct json *object, const char *key)
{
    return strcmp(json_string(object, key, ""), "false") == 0;
}

static void take_body(struct nccl_run *run, const struct json *body, struct nccl_cell *cell)
{
    const struct json *time = json_get(body, "time"), *wrong = json_get(body, "nwrong");
    const struct json *algbw = json_get(body, "alg_bw"), *busbw = json_get(body, "bus_bw");

    if (body == NULL || body->type != JSON_OBJECT)
        return;
    if (time == NULL) {
        time = json_get(body, "cpu_time");
        run->is_cpu_time = true;
    }
    if (time == NULL || time->type != JSON_NUMBER || algbw == NULL || algbw->type != JSON_NUMBER ||
        busbw == NULL || busbw->type != JSON_NUMBER || wrong == NULL ||
        (wrong->type != JSON_NUMBER && wrong->type != JSON_NULL)) {
        run->damage = REASON(result_value_is_no_number);
        return;
    }
    *cell = (struct nccl_cell){
        .there = true, .time = time->number, .algbw = algbw->number, .busbw = busbw->number};
    cell->has_wrong = wrong->type == JSON_NUMBER;
    cell->wrong = wrong->number;
}

static bool median(struct arena *arena, const struct json *list, double *ret_median)
{
    double *values;
    size_t count = 0;

    if (list->type != JSON_ARRAY || list->count == 0)
        return false;
    values = arena_array(arena, double, list->count);
    json_each (item, list) {
        if (item->type != JSON_NUMBER)
            return false;
        values[count++] = item->number;
    }
    qsort(values, count, sizeof values[0], robust_compare);
    *ret_median = count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
    return true;
}

/* -I 1 keeps the times of each process. Without -z 3 the rounds follow each other without a pause, so that all wait for
 * the slowest and their times tell nothing of who that is; who starts late has the shortest one, for the others wait. */
static void take_ranks(struct nccl_run *run, const char *collective, const struct json *result,
                       const char *key, const char *place)
{
    struct arena *arena = run->reading->arena;
    unsigned process = 0;

    json_each (list, json_get(json_get(result, key), "per_process_max_times_us")) {
        struct measurement *measurement;
        double middle;

        if (median(arena, list, &middle)) {
            measurement = reading_measure(run->reading, arena_printf(arena, "nccl.%s.rank_time", collective),
                                          arena_printf(arena, "process%u", process), middle, "us");
            reading_at_number(run->reading, measurement, "size_bytes", json_number(result, "size", 0));
            reading_at_text(run->reading, measurement, "place", slice_of(place));
            reading_at_text(run->reading, measurement, "type", slice_of(json_string(result, "type", "")));
        }
        process++;
    }
}

static void take_result(struct nccl_run *run, const struct json *result)
{
    struct nccl_row *row;
    const struct json *size = json_get(result, "size");
    const char *root = json_string(result, "root", "");
    struct nccl_row scanned = {.type = json_string(result, "type", ""),
                               .redop = json_string(result, "redop", NULL)};

    if (size == NULL || size->type != JSON_NUMBER || size->number < 0 || scanned.type[0] == '\0' ||
        !scan_i64(slice_trim(slice_of(root)), &scanned.root)) {
        run->damage = REASON(result_lacks_size_or_type);
        return;
    }
    scanned.size = (uint64_t)size->number;
    take_body(run, json_get(result, "out_of_place"), &scanned.cell[PLACE_OUT]);
    take_body(run, json_get(result, "in_place"), &scanned.cell[PLACE_IN]);
    if (!scanned.cell[PLACE_OUT].there && !scanned.cell[PLACE_IN].there) {
        run->damage = REASON(result_without_numbers);
        return;
    }
    row = list_push(run->reading->arena, &run->rows);
    *row = scanned;
}

static void take_config(struct nccl_run *run, const struct json *config)
{
    struct arena *arena = run->reading->arena;
    const struct json *factor = json_get(config, "step_factor"), *devices = json_get(config, "devices");
    double ranks = 0;

    run->has_sizes = json_get(config, "minimum_bytes") != NULL && json_get(config, "maximum_bytes") != NULL;
    run->min = json_number(config, "minimum_bytes", 0);
    run->max = json_number(config, "maximum_bytes", 0);
    run->step_is_factor = factor != NULL;
    run->step = json_number(config, factor != NULL ? "step_factor" : "step_bytes", 0);
    /* Only the first device of each process is listed; its rank and the last ones' share give the number. */
    json_each (device, devices)
        if (json_number(device, "rank", 0) + 1 > ranks)
            ranks = json_number(device, "rank", 0) + 1;
    if (ranks > 0)
        ranks += json_number(config, "nthreads", 1) * json_number(config, "ngpus", 1) - 1;
    run->ranks = ranks > 0 && ranks < 1e7 ? (uint64_t)ranks : 0;
    if (run->ranks > 0)
        nccl_fact(run->reading, "nccl.ranks", arena_printf(arena, "%llu", (unsigned long long)run->ranks));
    if (json_get(config, "iterations") != NULL)
        nccl_fact(run->reading, "nccl.iterations",
                  arena_printf(run->reading->arena, "%.0f", json_number(config, "iterations", 0)));
    if (json_get(config, "validation") != NULL)
        nccl_fact(run->reading, "nccl.validation", json_number(config, "validation", 0) != 0 ? "1" : "0");
}

static void take_closing(struct nccl_run *run, const struct json *document)
{
    const struct json *bounds = json_get(document, "out_of_bounds"),
                      *average = json_get(document, "average_bus_bandwidth");
    const struct json *count = json_get(bounds, "count"), *bandwidth = json_get(average, "bandwidth");

    run->announces_end = true;
    run->concluded = json_get(document, "end_time") != NULL;
    run->has_bounds = count != NULL && count->type == JSON_NUMBER;
    run->out_of_bounds = run->has_bounds ? count->number : 0;
    run->bounds_failed = is_false(bounds, "okay");
    run->has_average = bandwidth != NULL && bandwidth->type == JSON_NUMBER;
    run->average = run->has_average ? bandwidth->number : 0;
    run->average_failed = is_false(average, "okay");
    json_each (error, json_get(document, "errors"))
        if (error->type == JSON_STRING && error->string[0] != '\0')
            reading_finding(run->reading, SEVERITY_WARNING, "nccl.error", "",
                            reason(run->reading->arena, text, error->string));
}

static void take_document(struct nccl_run *run, const struct json *document)
{
    const struct json *arguments = json_get(document, "args"), *results = json_get(document, "results");
    struct arena *arena = run->reading->arena;
    double code = json_number(document, "nccl_version", 0);

    run->began = arguments != NULL && json_get(document, "config") != NULL;
    if (!run->began)
        return;
    json_each (argument, arguments)
        if (run->collective == NULL && argument->type == JSON_STRING)
            run->collective = nccl_collective_of(slice_of(argument->string));
    if (code > 0 && code < 1e9)
        nccl_fact(run->reading, "nccl.version", nccl_version_text(arena, (uint64_t)code));
    take_config(run, json_get(document, "config"));
    json_each (result, results)
        take_result(run, result);
    take_closing(run, document);
    json_each (result, results) {
        const char *collective = run->collective != NULL ? run->collective : "unknown";

        take_ranks(run, collective, result, "out_of_place_per_iter", "out");
        take_ranks(run, collective, result, "in_place_per_iter", "in");
    }
}

static void read_document(struct slice text, struct reading *reading)
{
    struct nccl_run run = {.reading = runs_begin(reading)};
    const struct json *document = json_read(run.reading, "JSON", text);

    if (document == NULL)
        return;
    take_document(&run, document);
    nccl_run_finish(&run);
}

void nccl_json(struct slice bytes, struct reading *reading)
{
    for (size_t length; (length = json_length(bytes)) > 0;) {
        read_document((struct slice){bytes.bytes, length}, reading);
        bytes = slice_from(bytes, length);
        while (bytes.length > 0 && strchr(" \t\r\n", bytes.bytes[0]) != NULL)
            bytes = slice_from(bytes, 1);
    }
    if (bytes.length > 0 || reading->runs.count == 0) {
        struct reading *run = runs_begin(reading);

        if (slice_contains(bytes, "\"nccl_version\"") || slice_starts(bytes, "{\"version\""))
            reading_lacks(run, REASON(json_cut));
        else if (reading->runs.count > 1)
            reading_lacks(run, REASON(no_json_of_nccl_tests));
        else
            reading_strange(run, REASON(no_json_of_nccl_tests));
    }
}

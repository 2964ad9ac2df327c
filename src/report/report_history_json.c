/* SPDX-License-Identifier: Apache-2.0 */
/* A history for programs. */
#include <math.h>

#include "assay/base/json.h"
#include "assay/report/report.h"

static long long run_number(const struct history *history, size_t run)
{
    return history->runs.items[run].number;
}

static void put_runs(struct json_writer *json, const struct history *history)
{
    json_member_array(json, "runs");
    list_each (run, history->runs) {
        json_open_object(json);
        json_member_count(json, "number", (size_t)run->number);
        json_member(json, "uuid", run->uuid);
        json_member(json, "suite", run->suite);
        json_member_number(json, "started", run->started);
        json_member(json, "verdict", run->word);
        json_close_object(json);
    }
    json_close_array(json);
}

static void put_subject(struct json_writer *json, const struct history_subject *subject)
{
    json_member(json, "name", subject->name);
    json_member(json, "place", subject->place);
    json_member_count(json, "places", subject->places);
}

static void put_findings(struct json_writer *json, struct arena *arena, const struct history *history,
                         const struct history_findings *findings)
{
    json_member_array(json, "findings");
    list_each (finding, findings->findings) {
        json_open_object(json);
        json_member(json, "kind", history_kind_name(finding->kind));
        put_subject(json, &findings->subjects.items[finding->subject]);
        json_member_count(json, "runs", finding->runs);
        json_member_count(json, "first_run", (size_t)run_number(history, finding->first_run));
        if (finding->kind != HISTORY_REPEAT) {
            json_member(json, "step", findings->series.items[finding->series].suite_step);
            json_member(json, "metric", findings->series.items[finding->series].metric);
            json_member_number(json, "change", finding->change);
            json_member_number(json, "noise", finding->noise);
            json_member_number(json, "sigmas", finding->sigmas);
        }
        json_member(json, "text", history_finding_text(arena, history, findings, finding));
        json_close_object(json);
    }
    json_close_array(json);
}

static void put_shifts(struct json_writer *json, const struct history *history,
                       const struct history_findings *findings)
{
    json_member_array(json, "shifts");
    list_each (shift, findings->shifts) {
        json_open_object(json);
        json_member_count(json, "run", (size_t)run_number(history, shift->run));
        json_member(json, "step", shift->suite_step);
        json_member(json, "metric", shift->metric);
        json_member(json, "at", shift->at);
        json_member_number(json, "change", shift->change);
        json_close_object(json);
    }
    json_close_array(json);
}

static void put_growths(struct json_writer *json, struct arena *arena, const struct history *history,
                        const struct history_findings *findings)
{
    json_member_array(json, "growths");
    list_each (growth, findings->growths) {
        json_open_object(json);
        json_member(json, "host", growth->target);
        json_member(json, "folder", growth->folder);
        json_member_count(json, "run_before", (size_t)run_number(history, growth->before));
        json_member_count(json, "run", (size_t)run_number(history, growth->run));
        json_member_number(json, "mib_before", growth->size_before);
        json_member_number(json, "mib", growth->size);
        if (!isnan(growth->per_day))
            json_member_number(json, "mib_per_day", growth->per_day);
        if (!isnan(growth->filled))
            json_member_number(json, "filled_percent", growth->filled);
        if (!isinf(history_days_left(growth)))
            json_member_number(json, "days_left", history_days_left(growth));
        json_member(json, "text", history_growth_text(arena, history, growth));
        json_close_object(json);
    }
    json_close_array(json);
}

static void put_points(struct json_writer *json, const struct history *history,
                       const struct history_series *series)
{
    json_member_array(json, "points");
    for (size_t i = 0; i < series->points.count; i++) {
        json_open_object(json);
        json_member_count(json, "run", (size_t)run_number(history, series->points.items[i].run));
        json_member_number(json, "value", series->points.items[i].value);
        json_member_number(json, "deviation", series->points.items[i].deviation);
        json_member_count(json, "items", series->points.items[i].items);
        json_close_object(json);
    }
    json_close_array(json);
}

void report_history_put(struct arena *arena, const struct history *history,
                        const struct history_findings *findings, const struct history_choice *choice,
                        struct json_writer *json)
{
    json_open_object(json);
    json_member_count(json, "schema", 1);
    put_runs(json, history);
    put_findings(json, arena, history, findings);
    put_shifts(json, history, findings);
    put_growths(json, arena, history, findings);
    json_member_array(json, "series");
    for (size_t i = 0; i < findings->series.count; i++) {
        const struct history_series *series = &findings->series.items[i];

        if (!history_chosen(findings, choice, i))
            continue;
        json_open_object(json);
        put_subject(json, &findings->subjects.items[series->subject]);
        json_member(json, "step", series->suite_step);
        json_member(json, "metric", series->metric);
        json_member(json, "unit", series->unit);
        put_points(json, history, series);
        json_close_object(json);
    }
    json_close_array(json);
    json_close_object(json);
}

void report_history_json(struct arena *arena, const struct history *history,
                         const struct history_findings *findings, const struct history_choice *choice,
                         struct text *out)
{
    struct json_writer json;

    json_writer_init(&json, out, false);
    report_history_put(arena, history, findings, choice, &json);
    text_put(out, "\n");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept from call to call: a JSON file that is written whole, beside and renamed. */
#include <string.h>

#include "assay/alert/alert.h"
#include "assay/base/files.h"
#include "assay/base/json.h"

enum { STATE_BYTES = 16 << 20, SCHEMA = 1 };

static void put_problems(struct json_writer *json, const struct alert_problems *problems)
{
    json_member_array(json, "problems");
    list_each (problem, problems->items) {
        json_open_object(json);
        json_member(json, "severity", alert_severity_name(problem->severity));
        json_member(json, "key", problem->key);
        json_member(json, "text", problem->text);
        json_close_object(json);
    }
    json_close_array(json);
}

static void put_told(struct json_writer *json, const struct alert *alert)
{
    json_member_array(json, "told");
    list_each (told, alert->told) {
        json_open_object(json);
        json_member(json, "receiver", told->receiver);
        json_member_number(json, "at", told->at);
        json_member_number(json, "count", told->count);
        json_member_number(json, "revision", told->revision);
        json_close_object(json);
    }
    json_close_array(json);
}

static void put_alert(struct json_writer *json, const struct alert *alert)
{
    json_open_object(json);
    json_member(json, "suite", alert->suite);
    json_member(json, "hostfile", alert->hostfile);
    json_member(json, "subject", alert->subject);
    json_member(json, "severity", alert_severity_name(alert->severity));
    json_member_boolean(json, "over", alert->over);
    json_member(json, "note", alert->note != NULL ? alert->note : "");
    json_member_number(json, "since", alert->since);
    json_member_number(json, "ended", alert->ended);
    json_member_number(json, "run", (double)alert->run);
    json_member_number(json, "revision", alert->revision);
    put_problems(json, &alert->problems);
    put_told(json, alert);
    json_close_object(json);
}

int alerts_save(const struct alerts *alerts, const char *path, struct error *err)
{
    cleanup_text struct text out = {0};
    struct json_writer json;

    text_init(&out, STATE_BYTES);
    json_open_document(&json, &out, SCHEMA);
    json_member_array(&json, "series");
    for (size_t i = 0; i < alerts->series.count; i++) {
        json_open_object(&json);
        json_member(&json, "suite", alerts->series.items[i].suite);
        json_member(&json, "hostfile", alerts->series.items[i].hostfile);
        json_member_number(&json, "run", (double)alerts->series.items[i].run);
        json_member_number(&json, "started", alerts->series.items[i].started);
        json_close_object(&json);
    }
    json_close_array(&json);
    json_member_array(&json, "alerts");
    for (size_t i = 0; i < alerts->items.count; i++)
        put_alert(&json, &alerts->items.items[i]);
    json_close_array(&json);
    json_close_object(&json);
    if (out.clipped)
        return error_set(err, ERROR_INTERNAL, "%s would be larger than 16 MiB", path);
    return file_write(path, out.bytes, out.length, 0600, err);
}

static enum alert_severity severity_of(const struct json *object)
{
    const char *name = json_string(object, "severity", "");
    enum alert_severity severity = ALERT_CRITICAL;

    while (severity > ALERT_INFO && strcmp(alert_severity_name(severity), name) != 0)
        severity--;
    return severity;
}

static void take_alert(struct alerts *alerts, const struct json *object)
{
    struct alert *alert = list_push(alerts->arena, &alerts->items);

    *alert = (struct alert){.suite = json_string(object, "suite", ""),
                            .hostfile = json_string(object, "hostfile", ""),
                            .subject = json_string(object, "subject", ""),
                            .severity = severity_of(object),
                            .over = json_boolean(object, "over", false),
                            .note = json_string(object, "note", ""),
                            .since = json_number(object, "since", 0),
                            .ended = json_number(object, "ended", 0),
                            .run = (long long)json_number(object, "run", 0),
                            .revision = (unsigned)json_number(object, "revision", 1)};
    json_each (problem, json_get(object, "problems"))
        *list_push(alerts->arena, &alert->problems.items) = (struct alert_problem){
            severity_of(problem), json_string(problem, "key", ""), json_string(problem, "text", "")};
    json_each (told, json_get(object, "told"))
        *list_push(alerts->arena, &alert->told) = (struct alert_told){
            json_string(told, "receiver", ""), json_number(told, "at", 0),
            (unsigned)json_number(told, "count", 1), (unsigned)json_number(told, "revision", 0)};
}

int alerts_load(struct arena *arena, const char *path, struct alerts *ret_alerts, struct error *err)
{
    const struct json *document;

    *ret_alerts = (struct alerts){.arena = arena};
    if (!file_exists(path))
        return 0;
    document = json_load(arena, path, err);
    if (document == NULL)
        return error_wrap(err, "the alerts sent so far; without this file all of them are sent again");
    if (json_number(document, "schema", 0) != SCHEMA)
        return error_set(err, ERROR_USAGE, "%s is not a file of alerts of this version", path);
    json_each (row, json_get(document, "series"))
        *list_push(arena, &ret_alerts->series) =
            (struct alert_series){json_string(row, "suite", ""), json_string(row, "hostfile", ""),
                                  (long long)json_number(row, "run", 0), json_number(row, "started", 0)};
    json_each (row, json_get(document, "alerts"))
        take_alert(ret_alerts, row);
    return 0;
}

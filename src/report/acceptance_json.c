/* SPDX-License-Identifier: Apache-2.0 */
/* An acceptance for programs, schema 1. Keys are never renamed or given another meaning; new ones may come. */
#include <math.h>
#include <string.h>

#include "acceptance_tables.h"
#include "assay/model/acceptance.h"
#include "assay/report/report.h"
#include "names.h"
#include "report_formats.h"
#include "unjudged.h"

struct acceptance_json {
    struct json_writer writer;
    struct arena *arena;
    const struct acceptance *acceptance;
};

static void put_string(struct acceptance_json *json, const char *key, const char *string)
{
    json_member(&json->writer, key, string == NULL ? "" : utf8_clean(json->arena, slice_of(string)));
}

static void put_reason(struct acceptance_json *json, const char *key, const struct reason *reason)
{
    put_string(json, key, reason_english(json->arena, reason));
}

static void put_integer(struct acceptance_json *json, const char *key, int64_t integer)
{
    json_member_integer(&json->writer, key, integer);
}

static void put_number(struct acceptance_json *json, const char *key, double number)
{
    json_member_number(&json->writer, key, number);
}

static void open_list(struct acceptance_json *json, const char *key)
{
    json_member_array(&json->writer, key);
}

static void open_row(struct acceptance_json *json)
{
    json_open_object(&json->writer);
    json->writer.compact = true;
}

static void close_row(struct acceptance_json *json)
{
    json_close_object(&json->writer);
    json->writer.compact = false;
}

static int64_t run_number(const struct acceptance_json *json, size_t run)
{
    return json->acceptance->runs.items[run]->number;
}

static void write_verdicts(struct acceptance_json *json)
{
    open_list(json, "verdicts");
    for (size_t i = 0; i < json->acceptance->verdicts.count; i++) {
        const struct acceptance_verdict *verdict = &json->acceptance->verdicts.items[i];

        open_row(json);
        put_string(json, "unit", verdict->unit);
        put_string(json, "verdict", verdict_name(verdict->word));
        put_integer(json, "passed", (int64_t)verdict->passed);
        put_integer(json, "waived", (int64_t)verdict->waived);
        put_integer(json, "missing", (int64_t)verdict->missing);
        put_integer(json, "retest", (int64_t)verdict->retest);
        put_integer(json, "failed", (int64_t)verdict->failed);
        close_row(json);
    }
    json_close_array(&json->writer);
}

static void write_story(struct acceptance_json *json)
{
    open_list(json, "story");
    for (size_t i = 0; i < json->acceptance->story.count; i++) {
        const struct moment *moment = &json->acceptance->story.items[i];

        open_row(json);
        put_number(json, "at", moment->at);
        put_reason(json, "text", moment->text);
        open_list(json, "verdicts");
        for (size_t k = 0; k < moment->words.count; k++)
            json_put_string(&json->writer, verdict_name(moment->words.items[k]));
        json_close_array(&json->writer);
        close_row(json);
    }
    json_close_array(&json->writer);
}

static void write_shown(struct acceptance_json *json, const struct requirement *requirement)
{
    open_list(json, "shown");
    list_each (shown, requirement->shown) {
        json_open_object(&json->writer);
        put_integer(json, "run", run_number(json, shown->run));
        put_string(json, "outcome", outcome_name(shown->word));
        put_integer(json, "passes", shown->passes);
        json_member_boolean(&json->writer, "counts", shown->counts);
        put_reason(json, "note", shown->note);
        json_close_object(&json->writer);
    }
    json_close_array(&json->writer);
}

static void write_requirements(struct acceptance_json *json)
{
    open_list(json, "requirements");
    for (size_t i = 0; i < json->acceptance->requirements.count; i++) {
        const struct requirement *requirement = &json->acceptance->requirements.items[i];
        const struct step *step = &json->acceptance->plan->steps.items[requirement->step];

        open_row(json);
        put_string(json, "step", step->shape->suite_step);
        put_string(json, "variant", step->shape->variant);
        open_list(json, "members");
        for (size_t k = 0; k < step->member_count; k++)
            json_put_string(&json->writer, utf8_clean(json->arena, slice_of(step->members[k]->name)));
        json_close_array(&json->writer);
        put_string(json, "state", requirement_state_name(requirement->state));
        put_reason(json, "why", requirement->why);
        put_integer(json, "passes", requirement->passes);
        put_integer(json, "owed", requirement->owed);
        put_string(json, "waiver", requirement->state == REQUIREMENT_WAIVED ? requirement->waiver->uuid : "");
        write_shown(json, requirement);
        close_row(json);
    }
    json_close_array(&json->writer);
}

static void write_faults(struct acceptance_json *json)
{
    struct acceptance_faults faults;

    acceptance_faults_of(json->arena, LANGUAGE_EN, json->acceptance, &faults);
    open_list(json, "faults");
    for (size_t i = 0; i < faults.items.count; i++) {
        const struct acceptance_fault *fault = &faults.items.items[i];

        open_row(json);
        put_string(json, "state", requirement_state_name(fault->state));
        put_integer(json, "run", fault->run);
        put_string(json, "step", fault->step);
        put_string(json, "target", fault->target);
        put_string(json, "part", fault->part);
        put_string(json, "serial", fault->serial);
        put_string(json, "marks", marks_joined(json->arena, LANGUAGE_EN, &fault->marks));
        put_string(json, "problem", fault->problem);
        put_reason(json, "source", fault->source);
        put_string(json, "remedy", fault_remedy(json->arena, fault));
        put_reason(json, "hands", fault->hands);
        close_row(json);
    }
    json_close_array(&json->writer);
}

static void write_numbers(struct acceptance_json *json)
{
    struct acceptance_numbers numbers;

    acceptance_numbers_of(json->arena, json->acceptance, &numbers);
    open_list(json, "reached");
    for (size_t i = 0; i < numbers.items.count; i++) {
        const struct acceptance_reached *row = &numbers.items.items[i];

        open_row(json);
        put_string(json, "step", row->step);
        put_string(json, "metric", row->metric);
        put_number(json, "value", row->nearest->value);
        put_reason(json, "measured", row->nearest->measured);
        put_string(json, "required", row->bound);
        put_reason(json, "source", row->source);
        put_string(json, "place", reached_place(json->arena, LANGUAGE_EN, row));
        put_integer(json, "tests", (long long)row->tests);
        close_row(json);
    }
    json_close_array(&json->writer);
}

static void write_events(struct acceptance_json *json)
{
    open_list(json, "events");
    for (size_t i = 0; i < json->acceptance->events.count; i++) {
        const struct acceptance_event *event = &json->acceptance->events.items[i];

        open_row(json);
        put_string(json, "uuid", event->uuid);
        put_string(json, "kind", event_kind_name(event->kind));
        put_string(json, "host", event->host);
        put_string(json, "item", event->item);
        put_string(json, "spare", event->spare);
        put_reason(json, "note", event_note(json->arena, event));
        json_member_boolean(&json->writer, "withdrawn", event->withdrawn);
        put_number(json, "at", event->at);
        put_number(json, "made", event->made);
        close_row(json);
    }
    json_close_array(&json->writer);
}

static void write_changes(struct acceptance_json *json)
{
    const struct acceptance *acceptance = json->acceptance;

    open_list(json, "changes");
    list_each (change, acceptance->changes) {
        open_row(json);
        put_string(json, "host", change->host);
        put_string(json, "kind", item_kind_name(change->kind));
        put_string(json, "position", change->position);
        put_reason(json, "was", change->was);
        put_string(json, "is", change->is);
        put_integer(json, "before", run_number(json, change->before));
        put_integer(json, "since", run_number(json, change->since));
        json_member_boolean(&json->writer, "recorded", change->recorded);
        close_row(json);
    }
    json_close_array(&json->writer);
    open_list(json, "conflicts");
    for (size_t i = 0; i < acceptance->conflicts.count; i++) {
        open_row(json);
        put_integer(json, "run", run_number(json, acceptance->conflicts.items[i].run));
        put_string(json, "host", acceptance->conflicts.items[i].host);
        put_reason(json, "text", acceptance->conflicts.items[i].text);
        close_row(json);
    }
    json_close_array(&json->writer);
}

static void write_unjudged(struct acceptance_json *json)
{
    struct unjudged_list list;

    unjudged_of_acceptance(json->arena, json->acceptance, &list);
    put_reason(json, "caveat", caveat_of_acceptance(json->arena, json->acceptance));
    open_list(json, "not_judged");
    list_each (row, list.items) {
        open_row(json);
        put_string(json, "kind", unjudged_kind_names[row->kind]);
        put_string(json, "step", row->step);
        put_string(json, "metric", row->metric);
        put_string(json, "platform", row->platform);
        put_reason(json, "detail", row->detail);
        close_row(json);
    }
    json_close_array(&json->writer);
}

static void write_sources(struct acceptance_json *json)
{
    const struct acceptance *acceptance = json->acceptance;

    open_list(json, "runs");
    for (size_t i = 0; i < acceptance->runs.count; i++) {
        open_row(json);
        put_integer(json, "number", acceptance->runs.items[i]->number);
        put_string(json, "uuid", acceptance->runs.items[i]->uuid);
        put_number(json, "started", acceptance->runs.items[i]->started);
        put_number(json, "ended", acceptance->runs.items[i]->ended);
        close_row(json);
    }
    json_close_array(&json->writer);
    open_list(json, "documents");
    for (size_t i = 0; i < acceptance->documents.count; i++) {
        open_row(json);
        put_string(json, "kind", acceptance->documents.items[i].kind);
        put_string(json, "name", acceptance->documents.items[i].name);
        put_string(json, "sha256", acceptance->documents.items[i].sha256);
        close_row(json);
    }
    json_close_array(&json->writer);
}

/* As its last run calls it; absent where there is no run. */
static void write_cluster(struct acceptance_json *json)
{
    const struct acceptance *acceptance = json->acceptance;
    struct report_names names;

    if (acceptance->runs.count == 0)
        return;
    report_names_of(json->arena, acceptance->runs.items[acceptance->runs.count - 1], &names);
    put_string(json, "cluster", names.title);
    put_string(json, "customer", names.customer);
    put_string(json, "site", names.site);
    put_string(json, "contract", names.contract);
}

void acceptance_json(const struct acceptance *acceptance, enum report_language language, struct text *out)
{
    struct acceptance_json json = {.arena = arena_create(), .acceptance = acceptance};
    cleanup_text struct text raw = {0};

    (void)language; /* for programs: the same in all */
    text_init(&raw, out->limit);
    json_open_document(&json.writer, &raw, 1);
    put_string(&json, "name", acceptance->name);
    put_string(&json, "uuid", acceptance->uuid);
    put_number(&json, "made", acceptance->made);
    put_number(&json, "now", acceptance->now);
    write_cluster(&json);
    put_string(&json, "verdict", verdict_name(acceptance->verdicts.items[0].word));
    /* null: time ran as it does */
    json_member_number(&json.writer, "simulated",
                       acceptance_timescale(acceptance) > 1 ? acceptance_timescale(acceptance) : NAN);
    open_list(&json, "left_out");
    for (size_t i = 0; i < acceptance->left_out.count; i++)
        json_put_integer(&json.writer, acceptance->left_out.items[i]->number);
    json_close_array(&json.writer);
    write_verdicts(&json);
    write_story(&json);
    write_faults(&json);
    write_numbers(&json);
    write_requirements(&json);
    write_events(&json);
    write_changes(&json);
    write_unjudged(&json);
    write_sources(&json);
    json_close_object(&json.writer);
    text_put(&raw, "\n");
    json_copy_harmless(out, &raw);
    out->clipped |= raw.clipped;
    arena_destroy(json.arena);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record for programs, schema 2. Keys are never renamed or given another meaning; new ones may come. Since 2 the code
 * and the arguments of what assay says stand beside its text (reason_json.h).
 *
 * Steps, attempts and outcomes name each other by their index in this document. Characters that would mean
 * something to a browser or a terminal are written as \u escapes, so the text is harmless wherever it is
 * shown.
 */
#include "report_formats.h"

#include <math.h>
#include <string.h>

#include "assay/base/printable.h"
#include "assay/model/evidence.h"
#include "assay/model/reason_json.h"
#include "assets.h"
#include "names.h"
#include "out_of_use.h"
#include "unjudged.h"
#include "variants.h"
#include "view.h"

/* Rows are moved on whenever so many bytes of them wait. */
enum { WAITING_BYTES = 64 * 1024 };

struct json_report {
    struct json_writer writer; /* into raw */
    struct text raw, *out;
    struct arena *strings; /* of those rows */
    struct arena *arena;
    const struct view *view;
};

static void put_string(struct json_report *report, const char *key, const char *string)
{
    json_member(&report->writer, key, string == NULL ? "" : utf8_clean(report->strings, slice_of(string)));
}

/* A value, in English. */
static void put_said(struct json_report *report, const char *key, const struct reason *reason)
{
    json_member(&report->writer, key, reason_english(report->strings, reason));
}

/* What assay says: in English, and as data. */
static void put_reason(struct json_report *report, const char *key, const struct reason *reason)
{
    reason_write(report->strings, &report->writer, key, reason);
}

static void put_count(struct json_report *report, const char *key, size_t count)
{
    json_member_count(&report->writer, key, count);
}

static void put_number(struct json_report *report, const char *key, double number)
{
    json_member_number(&report->writer, key, number);
}

static void put_boolean(struct json_report *report, const char *key, bool boolean)
{
    json_member_boolean(&report->writer, key, boolean);
}

static void open_list(struct json_report *report, const char *key)
{
    json_member_array(&report->writer, key);
}

/* An object on one line: most of the document are long lists of small ones. */
static void open_row(struct json_report *report)
{
    json_open_object(&report->writer);
    report->writer.compact = true;
}

static void move_on(struct json_report *report)
{
    json_copy_harmless(report->out, &report->raw);
    report->out->clipped |= report->raw.clipped;
    text_reset(&report->raw);
    arena_destroy(report->strings);
    report->strings = arena_create();
}

static void close_row(struct json_report *report)
{
    json_close_object(&report->writer);
    report->writer.compact = false;
    if (report->raw.length >= WAITING_BYTES)
        move_on(report);
}

static void put_index(struct json_report *report, size_t index)
{
    json_put_integer(&report->writer, (int64_t)index);
}

/* Only of another party's run. */
static void write_origin(struct json_report *report, const struct run_origin *origin)
{
    if (origin == NULL)
        return;
    json_member_object(&report->writer, "origin");
    put_number(report, "imported", origin->imported);
    put_string(report, "bundle", origin->bundle);
    put_string(report, "sha256", origin->sha256);
    json_member_boolean(&report->writer, "redacted", origin->redacted);
    json_member_boolean(&report->writer, "judged_here", origin->judged_here);
    put_string(report, "signers", origin->signers);
    json_close_object(&report->writer);
}

static void write_run(struct json_report *report)
{
    const struct record *record = report->view->record;

    json_member_object(&report->writer, "run");
    json_member_integer(&report->writer, "number", record->number);
    put_string(report, "uuid", record->uuid);
    put_string(report, "state", run_state_name(record->state));
    put_number(report, "started", record->started);
    put_number(report, "ended", record->ended);
    put_string(report, "suite", record->suite);
    put_string(report, "suite_title", record->suite_title);
    put_string(report, "hostfile", record->hostfile);
    put_string(report, "program", record->program);
    write_origin(report, record->origin);
    put_string(report, "judgement", record->judgement.uuid);
    put_said(report, "baselines", record->judgement.baselines);
    json_close_object(&report->writer);
}

static void write_coverage(struct json_report *report, const char *key, const struct coverage *coverage)
{
    if (key != NULL)
        json_member_object(&report->writer, key);
    put_count(report, "gates", coverage->gates);
    put_count(report, "measured", coverage->measured);
    put_count(report, "pass", coverage->pass);
    put_count(report, "fail", coverage->fail);
    put_count(report, "inconclusive", coverage->inconclusive);
    put_count(report, "not_run", coverage->not_run);
    put_count(report, "waived", coverage->waived);
    put_count(report, "recorded", coverage->records);
    put_count(report, "remarks", coverage->remarks);
    json_close_object(&report->writer);
}

/* What it may be shown as. */
static void write_document(struct json_report *report)
{
    const struct standing *standing = &report->view->record->standing;

    json_member_object(&report->writer, "document");
    put_string(report, "kind", run_kind_name(standing->kind));
    put_boolean(report, "acceptance", standing_is_acceptance(standing));
    put_count(report, "hosts", standing->hosts);
    put_count(report, "hosts_owed", standing->hosts_owed);
    put_count(report, "steps", standing->steps);
    put_count(report, "steps_owed", standing->steps_owed);
    json_close_object(&report->writer);
}

/* Of a unit: how many of its hosts were tested at all. */
static void put_share(struct json_report *report, const struct verdict *verdict)
{
    const struct standing *standing = &report->view->record->standing;

    for (size_t i = 0; i < standing->unit_count; i++)
        if (strcmp(verdict->scope, "unit") == 0 && strcmp(standing->units[i].unit, verdict->name) == 0) {
            put_count(report, "hosts", standing->units[i].hosts);
            put_count(report, "hosts_owed", standing->units[i].hosts_owed);
        }
}

static void write_verdicts(struct json_report *report)
{
    const struct judgement *judgement = &report->view->record->judgement;

    open_list(report, "verdicts");
    array_each (verdict, judgement->verdicts, judgement->verdict_count) {
        open_row(report);
        put_string(report, "scope", verdict->scope);
        put_string(report, "name", verdict->name);
        put_string(report, "verdict", standing_verdict(&report->view->record->standing, verdict->word));
        put_count(report, "pass", verdict->pass);
        put_count(report, "fail", verdict->fail);
        put_count(report, "inconclusive", verdict->inconclusive);
        put_count(report, "not_run", verdict->not_run);
        put_count(report, "recorded", verdict->recorded);
        put_count(report, "accused", verdict->accused);
        put_count(report, "waived", verdict->waived);
        put_share(report, verdict);
        close_row(report);
    }
    json_close_array(&report->writer);
}

/* All of the run, also those that have ended or were withdrawn; outcomes name those that cover them. */
static void write_waivers(struct json_report *report)
{
    const struct record *record = report->view->record;

    open_list(report, "waivers");
    list_each (waiver, record->waivers) {
        open_row(report);
        put_string(report, "uuid", waiver->uuid);
        put_string(report, "step_key", waiver->step_key);
        put_string(report, "attempt", waiver->attempt);
        put_string(report, "who", waiver->who);
        put_string(report, "why", waiver->why);
        put_number(report, "made", waiver->made);
        put_number(report, "until", waiver->until);
        put_string(report, "withdrawn_by", waiver->withdrawn.who);
        put_string(report, "withdrawn_why", waiver->withdrawn.why);
        put_number(report, "withdrawn", waiver->withdrawn.made);
        json_member_boolean(&report->writer, "foreign", waiver->foreign);
        put_string(report, "adopted_by", waiver->adopted.who);
        put_number(report, "adopted", waiver->adopted.made);
        open_list(report, "items");
        for (size_t k = 0; k < waiver->items.count; k++) {
            json_open_object(&report->writer);
            put_string(report, "metric", waiver->items.items[k].metric);
            put_string(report, "subject", waiver->items.items[k].subject);
            put_string(report, "at", waiver->items.items[k].at);
            put_string(report, "hardware", waiver->items.items[k].hardware);
            json_close_object(&report->writer);
        }
        json_close_array(&report->writer);
        close_row(report);
    }
    json_close_array(&report->writer);
}

/* What to fix, as the first page has it. */
static void write_answer(struct json_report *report)
{
    const char *headline;
    struct report_line *lines;
    size_t count = report_answer(report->arena, report->view->record, LANGUAGE_EN, &lines, &headline);

    put_string(report, "headline", headline);
    open_list(report, "answer");
    for (size_t i = 0; i < count; i++) {
        open_row(report);
        put_string(report, "outcome", outcome_name(lines[i].word));
        json_member_boolean(&report->writer, "waived", lines[i].waived);
        put_string(report, "target", lines[i].target);
        put_string(report, "part", lines[i].part);
        put_string(report, "marks", lines[i].marks);
        put_string(report, "problem", lines[i].problem);
        put_string(report, "remedy", lines[i].remedy);
        put_reason(report, "hands", lines[i].hands);
        put_count(report, "blocked", lines[i].blocked);
        close_row(report);
    }
    json_close_array(&report->writer);
}

static void write_searches(struct json_report *report)
{
    const struct judgement *judgement = &report->view->record->judgement;

    open_list(report, "searches");
    for (size_t i = 0; i < judgement->search_count; i++) {
        open_row(report);
        put_count(report, "step", judgement->searches[i].step);
        put_string(report, "metric", judgement->searches[i].metric);
        put_number(report, "size_bytes", judgement->searches[i].size_bytes);
        put_reason(report, "conclusion", judgement->searches[i].conclusion);
        put_string(report, "candidates", reason_english(report->arena, judgement->searches[i].candidates));
        close_row(report);
    }
    json_close_array(&report->writer);
}

static void write_unjudged(struct json_report *report)
{
    struct unjudged_list list;

    unjudged_of_run(report->view, &list);
    put_reason(report, "caveat", caveat_of_run(report->arena, report->view->record));
    open_list(report, "not_judged");
    list_each (row, list.items) {
        open_row(report);
        put_string(report, "kind", unjudged_kind_names[row->kind]);
        put_string(report, "step", row->step);
        put_string(report, "metric", row->metric);
        put_string(report, "platform", row->platform);
        put_reason(report, "detail", row->detail);
        close_row(report);
    }
    json_close_array(&report->writer);
}

static void write_accusations(struct json_report *report)
{
    const struct judgement *judgement = &report->view->record->judgement;

    open_list(report, "accusations");
    array_each (accusation, judgement->accusations, judgement->accusation_count) {
        open_row(report);
        put_count(report, "step", accusation->step);
        put_string(report, "kind", accused_kind_name(accusation->kind));
        put_string(report, "subject", accusation->subject);
        put_string(report, "place", accused_place_name(accusation->place));
        put_boolean(report, "intermittent", accusation->intermittent);
        put_count(report, "slow_tests", accusation->slow_tests);
        put_count(report, "fast_tests", accusation->fast_tests);
        put_number(report, "doubt", accusation->doubt);
        put_reason(report, "text", accusation_text(report->strings, report->view->record, accusation));
        open_list(report, "steps");
        for (size_t k = 0; k < accusation->step_count; k++)
            put_index(report, accusation->steps[k]);
        json_close_array(&report->writer);
        close_row(report);
    }
    json_close_array(&report->writer);
}

static void write_variant(struct json_report *report, const struct tuning *tuning,
                          const struct variant_column *column)
{
    json_open_object(&report->writer);
    put_string(report, "name", column->name);
    put_said(report, "settings", column->settings);
    put_count(report, "step", column->step);
    put_reason(report, "trouble", column->trouble);
    open_list(report, "points");
    for (size_t i = 0; i < tuning->sizes.count; i++) {
        const struct variant_point *point = &column->points[i];

        json_open_object(&report->writer);
        put_number(report, "size_bytes", tuning->sizes.items[i]);
        put_count(report, "repeats", point->spread.count);
        put_number(report, "median", point->spread.median);
        put_number(report, "low", point->spread.low);
        put_number(report, "high", point->spread.high);
        put_number(report, "change", point->contrast.change);
        put_number(report, "noise", point->contrast.noise);
        put_string(report, "difference",
                   column == tuning->columns.items ? "" : difference_name(point->contrast.word));
        json_close_object(&report->writer);
    }
    json_close_array(&report->writer);
    json_close_object(&report->writer);
}

static void write_tunings(struct json_report *report)
{
    struct tunings tunings;

    tunings_collect(report->view, &tunings);
    open_list(report, "tunings");
    list_each (tuning, tunings.items) {
        open_row(report);
        put_string(report, "name", tuning->suite_step);
        put_said(report, "hosts", tuning->hosts);
        put_string(report, "metric", tuning->metric);
        put_string(report, "unit", "GB/s");
        open_list(report, "advice");
        for (size_t k = 0; k < tuning->advice.count; k++)
            json_put_string(&report->writer, reason_english(report->strings, tuning->advice.items[k]));
        json_close_array(&report->writer);
        open_list(report, "variants");
        for (size_t k = 0; k < tuning->columns.count; k++)
            write_variant(report, tuning, &tuning->columns.items[k]);
        json_close_array(&report->writer);
        close_row(report);
    }
    json_close_array(&report->writer);
}

/* Place of each item in "outcomes": those of all earlier steps, then its slot. */
static size_t *outcome_bases(struct json_report *report)
{
    size_t *bases = arena_array(report->arena, size_t, report->view->step_count + 1);

    for (size_t i = 0; i < report->view->step_count; i++)
        bases[i + 1] = bases[i] + report->view->steps[i].step->shape->slot_count;
    return bases;
}

static void write_entries(struct json_report *report)
{
    const size_t *bases = outcome_bases(report);
    struct report_entry *entries;
    size_t count = report_entries(report->arena, report->view->record, &entries);

    open_list(report, "entries");
    for (size_t i = 0; i < count; i++) {
        open_row(report);
        put_string(report, "outcome", outcome_name(entries[i].word));
        put_said(report, "target", entries[i].target);
        put_string(report, "check", entries[i].check);
        put_said(report, "subjects", entries[i].subjects);
        put_reason(report, "cause", entries[i].cause);
        put_reason(report, "remedy", entries[i].remedy);
        put_reason(report, "gate", entries[i].gate);
        put_said(report, "source", entries[i].source);
        put_said(report, "waiver", entries[i].waiver);
        open_list(report, "outcomes");
        for (size_t k = 0; k < entries[i].items; k++)
            put_index(report, bases[entries[i].outcomes[k]->step] + entries[i].outcomes[k]->slot);
        json_close_array(&report->writer);
        close_row(report);
    }
    json_close_array(&report->writer);
}

static void write_hosts(struct json_report *report)
{
    const struct plan *plan = report->view->record->plan;

    open_list(report, "hosts");
    for (size_t i = 0; i < plan->hosts.count; i++) {
        const struct host *host = plan->hosts.items[i];

        open_row(report);
        put_string(report, "name", host->name);
        put_string(report, "address", host->address);
        put_string(report, "platform", host->platform);
        put_string(report, "unit", host->unit);
        put_string(report, "rack", host->rack);
        put_string(report, "leaf", host->leaf);
        put_string(report, "role", host->role == ROLE_SPARE ? "spare" : "compute");
        close_row(report);
    }
    json_close_array(&report->writer);
}

static void write_assets(struct json_report *report)
{
    struct assets *assets;
    size_t count = assets_collect(report->view, &assets);

    open_list(report, "assets");
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < assets[i].items.count; k++) {
            const struct asset *asset = &assets[i].items.items[k];

            open_row(report);
            put_string(report, "host", assets[i].host->name);
            put_string(report, "part", asset->part);
            put_string(report, "place", asset->place);
            put_string(report, "model", asset->model);
            put_string(report, "serial", asset->serial);
            close_row(report);
        }
    json_close_array(&report->writer);
}

static void write_out_of_use(struct json_report *report)
{
    struct report_entry *entries;
    size_t count = report_entries(report->arena, report->view->record, &entries);
    struct out_of_use lines;

    out_of_use(report->view, entries, count, &lines);
    open_list(report, "out_of_use");
    for (size_t i = 0; i < lines.lines.count; i++)
        json_put_string(&report->writer, utf8_clean(report->arena, slice_of(lines.lines.items[i])));
    json_close_array(&report->writer);
}

static void write_steps(struct json_report *report)
{
    open_list(report, "steps");
    for (size_t i = 0; i < report->view->step_count; i++) {
        const struct step_view *at = &report->view->steps[i];

        open_row(report);
        put_string(report, "key", at->step->key);
        put_string(report, "name", at->step->shape->suite_step);
        put_string(report, "check", at->step->shape->check);
        put_string(report, "scope", at->step->shape->scope);
        put_string(report, "variant", at->step->shape->variant);
        put_string(report, "platform", at->step->shape->platform);
        put_string(report, "shape_sha256", at->step->shape->sha256);
        put_said(report, "target", step_target_said(report->strings, at->step));
        open_list(report, "members");
        for (size_t k = 0; k < at->step->member_count; k++)
            json_put_string(&report->writer, utf8_clean(report->arena, slice_of(at->step->members[k]->name)));
        json_close_array(&report->writer);
        put_string(report, "origin", origin_name(at->step->origin));
        put_reason(report, "origin_note", at->step->origin_note);
        if (at->step->origin == ORIGIN_ISOLATE) {
            put_count(report, "parent", at->step->parent);
            put_count(report, "round", at->step->round);
        }
        open_list(report, "needs");
        for (size_t k = 0; k < at->step->need_count; k++)
            put_index(report, at->step->needs[k]);
        json_close_array(&report->writer);
        put_string(report, "outcome", outcome_name(at->word));
        write_coverage(report, "coverage", &at->coverage);
        open_list(report, "attempts");
        for (size_t k = 0; k < at->attempts.count; k++)
            put_index(report, view_attempt_index(report->view, at->attempts.items[k]));
        json_close_array(&report->writer);
        close_row(report);
    }
    json_close_array(&report->writer);
}

/* What this outcome rests on: the hashes of all output of every attempt of its step. The attempts say which
 * stream has which. */
static void write_evidence(struct json_report *report, const struct step_view *step)
{
    open_list(report, "evidence");
    for (size_t i = 0; i < step->attempts.count; i++)
        array_each (capture, step->attempts.items[i]->captures, 2)
            if (capture->stream != NULL && capture->length > 0)
                json_put_string(&report->writer, capture->sha256);
    json_close_array(&report->writer);
}

static void write_outcome(struct json_report *report, const struct step_view *step, size_t index,
                          const struct slot *slot, const struct outcome *outcome)
{
    open_row(report);
    put_count(report, "step", index);
    put_string(report, "metric", slot->metric);
    put_string(report, "subject", slot->subject);
    put_string(report, "at", slot->at);
    put_string(report, "duty", duty_name(slot->duty));
    put_reason(report, "duty_note", slot->duty_note);
    put_string(report, "outcome", outcome_name(outcome->word));
    put_reason(report, "cause", outcome->cause);
    put_reason(report, "remedy", outcome->remedy);
    put_said(report, "measured", outcome->measured);
    put_number(report, "value", outcome->value);
    put_said(report, "limit", outcome->held->limit);
    put_reason(report, "gate", outcome->held->gate);
    put_said(report, "source", outcome->held->source);
    put_string(report, "status", outcome->held->status);
    put_boolean(report, "remark", outcome->remark);
    put_string(report, "waiver", outcome->waiver != NULL ? outcome->waiver->uuid : "");
    write_evidence(report, step);
    close_row(report);
}

static void write_outcomes(struct json_report *report)
{
    open_list(report, "outcomes");
    for (size_t i = 0; i < report->view->step_count; i++) {
        const struct step_view *step = &report->view->steps[i];

        for (size_t k = 0; k < step->step->shape->slot_count; k++)
            write_outcome(report, step, i, &step->step->shape->slots[k], step->items[k]);
    }
    json_close_array(&report->writer);
}

static void write_captures(struct json_report *report, const struct attempt *attempt)
{
    open_list(report, "captures");
    array_each (capture, attempt->captures, 2) {
        if (capture->stream == NULL)
            continue;
        json_open_object(&report->writer);
        put_string(report, "stream", capture->stream);
        put_count(report, "length", (size_t)capture->length);
        put_string(report, "sha256", capture->sha256);
        put_boolean(report, "clipped", capture->clipped);
        put_boolean(report, "flooded", capture->flooded);
        put_boolean(report, "cut", capture->cut);
        json_close_object(&report->writer);
    }
    json_close_array(&report->writer);
}

static void write_parts(struct json_report *report, const struct attempt *attempt)
{
    open_list(report, "parts");
    list_each (part, attempt->parts) {
        json_open_object(&report->writer);
        put_string(report, "name", part->name);
        put_string(report, "command", part->command);
        put_boolean(report, "began", part->began);
        put_boolean(report, "ended", part->ended);
        json_member_integer(&report->writer, "rc", part->rc);
        json_close_object(&report->writer);
    }
    json_close_array(&report->writer);
}

static void write_attempts(struct json_report *report)
{
    const struct record *record = report->view->record;

    open_list(report, "attempts");
    list_each (attempt, record->attempts) {
        open_row(report);
        put_string(report, "uuid", attempt->uuid);
        put_count(report, "step", attempt->step);
        put_count(report, "n", attempt->n);
        put_string(report, "state", attempt->state == ATTEMPT_ENDED ? "ended" : "sent");
        put_string(report, "end", attempt->state == ATTEMPT_ENDED ? attempt_end_name(attempt->end) : "");
        json_member_integer(&report->writer, "rc", attempt->rc);
        put_reason(report, "text", attempt->what);
        put_number(report, "sent", attempt->sent);
        put_number(report, "began", attempt->began);
        put_number(report, "ended", attempt->ended);
        put_string(report, "boot_id", attempt->boot_id);
        put_said(report, "transport", attempt->transport);
        put_count(report, "connections", attempt->connections);
        put_string(report, "command", attempt->command);
        write_captures(report, attempt);
        write_parts(report, attempt);
        json_key(&report->writer, "reading");
        reading_write_coded(report->strings, &attempt->reading, &report->writer);
        close_row(report);
    }
    json_close_array(&report->writer);
}

/* A rate that is lower than noise explains. */
static void write_drop(struct json_report *report, const struct earlier *earlier,
                       const struct history_finding *finding)
{
    const struct history_series *series;

    if (finding->kind != HISTORY_DROP)
        return;
    series = &earlier->findings->series.items[finding->series];
    open_row(report);
    put_string(report, "subject", earlier->findings->subjects.items[finding->subject].name);
    put_string(report, "place", earlier->findings->subjects.items[finding->subject].place);
    put_string(report, "step", series->suite_step);
    put_string(report, "metric", series->metric);
    put_string(report, "unit", series->unit);
    put_number(report, "before", series->points.items[0].value);
    put_number(report, "after", series->points.items[series->points.count - 1].value);
    put_number(report, "change", finding->change);
    close_row(report);
}

/* null: the run was not compared with any; number 0: there is none to compare it with. */
static void write_earlier(struct json_report *report)
{
    const struct earlier *earlier = report->view->record->earlier;

    json_key(&report->writer, "earlier");
    if (earlier == NULL) {
        json_put_null(&report->writer);
        return;
    }
    json_open_object(&report->writer);
    put_count(report, "number", (size_t)earlier->number);
    put_string(report, "uuid", earlier->uuid);
    put_number(report, "started", earlier->started);
    put_string(report, "verdict",
               earlier->number > 0 ? standing_verdict(&earlier->standing, earlier->verdict) : "");
    compare_put(&report->writer, &earlier->comparison);
    open_list(report, "lower");
    for (size_t i = 0; earlier->number > 0 && i < earlier->findings->findings.count; i++)
        write_drop(report, earlier, &earlier->findings->findings.items[i]);
    json_close_array(&report->writer);
    json_close_object(&report->writer);
}

static void write_kept_limits(struct json_report *report)
{
    struct evidence_limits limits = {0};
    struct evidence_sum sum;

    if (!evidence_limits_of(report->view->record, &limits))
        return;
    evidence_count(report->view->record, &sum);
    json_member_object(&report->writer, "evidence");
    put_count(report, "run_limit_bytes", limits.run_bytes);
    put_count(report, "host_limit_bytes", limits.host_bytes);
    put_count(report, "stream_limit_bytes", limits.stream_bytes);
    put_count(report, "looking_limit_bytes", limits.looking_bytes);
    put_count(report, "kept_bytes", sum.kept_bytes);
    put_count(report, "flooded", sum.flooded);
    put_count(report, "dropped", sum.dropped);
    json_close_object(&report->writer);
}

static void write_document_rows(struct json_report *report, const struct documents *documents,
                                bool of_judgement)
{
    for (size_t i = 0; i < documents->count; i++) {
        open_row(report);
        put_string(report, "kind", documents->items[i].kind);
        put_said(report, "name", document_said(report->strings, &documents->items[i]));
        put_count(report, "length", documents->items[i].bytes.length);
        put_string(report, "sha256", documents->items[i].sha256);
        put_boolean(report, "judgement", of_judgement);
        close_row(report);
    }
}

static void write_documents(struct json_report *report)
{
    open_list(report, "documents");
    write_document_rows(report, &report->view->record->documents, false);
    write_document_rows(report, &report->view->record->judgement.documents, true);
    json_close_array(&report->writer);
}

/* Copies one character, escaped where it would mean something to a browser or a terminal. '<', '>', '&' and
   all that is beyond ASCII can only stand inside strings. */
static size_t copy_character(struct text *out, const char *bytes)
{
    const unsigned char *at = (const unsigned char *)bytes;
    size_t length = utf8_length(bytes);

    if (length == 0)
        text_put(out, "\\ufffd");
    else if (at[0] == '<' || at[0] == '>' || at[0] == '&')
        text_printf(out, "\\u%04x", at[0]);
    else if (at[0] == 0xc2 && at[1] < 0xa0)
        text_printf(out, "\\u%04x", at[1]);
    else
        text_add(out, bytes, length);
    return length > 0 ? length : 1;
}

static bool is_plain(char byte)
{
    return (unsigned char)byte < 0x80 && byte != '<' && byte != '>' && byte != '&';
}

void json_copy_harmless(struct text *out, const struct text *from)
{
    for (size_t i = 0, plain; i < from->length; i = plain) {
        for (plain = i; plain < from->length && is_plain(from->bytes[plain]); plain++)
            ;
        text_add(out, from->bytes + i, plain - i);
        if (plain < from->length)
            plain += copy_character(out, from->bytes + plain);
    }
}

void report_json(const struct record *record, enum report_language language, struct text *out)
{
    cleanup_arena struct arena *arena = arena_create();
    struct json_report report = {
        .arena = arena, .view = view_create(arena, record), .out = out, .strings = arena_create()};

    (void)language; /* the same in every language */
    text_init(&report.raw, out->limit);
    json_open_document(&report.writer, &report.raw, 2);
    put_string(&report, "kind", "assay report");
    write_run(&report);
    write_document(&report);
    put_string(&report, "verdict", standing_verdict(&record->standing, report.view->verdict));
    /* null: time ran as it does */
    json_member_number(&report.writer, "simulated",
                       plan_timescale(record->plan) > 1 ? plan_timescale(record->plan) : NAN);
    put_reason(&report, "verdict_note", report.view->verdict_note);
    json_member_integer(&report.writer, "exit_status", verdict_exit_status(report.view->verdict));
    write_coverage(&report, "coverage", &report.view->coverage);
    write_verdicts(&report);
    write_waivers(&report);
    write_answer(&report);
    write_entries(&report);
    write_searches(&report);
    write_accusations(&report);
    write_unjudged(&report);
    write_tunings(&report);
    write_hosts(&report);
    write_assets(&report);
    write_out_of_use(&report);
    write_steps(&report);
    write_outcomes(&report);
    write_attempts(&report);
    write_kept_limits(&report);
    write_documents(&report);
    write_earlier(&report);
    json_close_object(&report.writer);
    move_on(&report);
    arena_destroy(report.strings);
    text_release(&report.raw);
}

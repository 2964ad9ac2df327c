/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The run for a Prometheus text file collector: verdicts, counts, and the value of each gate that has one. An outcome is
 * a series of its own with the value 1, so that an alert can be written for what is not a pass.
 */
#include <math.h>
#include <string.h>

#include "assay/base/printable.h"
#include "assay/model/compare.h"
#include "assay/report/report.h"
#include "report_formats.h"
#include "view.h"

struct label {
    const char *name, *value;
};

static void put_label(struct text *out, const struct label *label, bool first)
{
    cleanup_text struct text line = {0};

    text_init(&line, 1 << 20);
    printable_line(&line, label->value != NULL ? label->value : "");
    text_printf(out, "%s%s=\"", first ? "{" : ",", label->name);
    for (const char *at = line.bytes; *at != '\0'; at++) {
        if (*at == '\\' || *at == '"')
            text_put(out, "\\");
        text_add(out, at, 1);
    }
    text_put(out, "\"");
}

static void put_series(struct text *out, const char *name, const struct label *labels, size_t count,
                       double value)
{
    char buffer[32];

    text_put(out, name);
    for (size_t i = 0; i < count; i++)
        put_label(out, &labels[i], i == 0);
    text_printf(out, "%s %s\n", count > 0 ? "}" : "", number_text(value, buffer, sizeof buffer));
}

#define SERIES(out, name, value, ...)                          \
    put_series(out, name, (const struct label[]){__VA_ARGS__}, \
               sizeof((const struct label[]){__VA_ARGS__}) / sizeof(struct label), (value))

static void put_head(struct text *out, const char *name, const char *help)
{
    text_printf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

static void write_run(struct text *out, const struct record *record)
{
    put_head(out, "assay_run_info", "The run, always 1.");
    SERIES(out, "assay_run_info", 1, {"run", record->uuid}, {"suite", record->suite},
           {"hostfile", record->hostfile}, {"kind", run_kind_name(record->standing.kind)},
           {"program", record->program}, {"judgement", record->judgement.uuid},
           {"origin", record->origin == NULL        ? "own"
                      : record->origin->judged_here ? "imported, judged here"
                                                    : "imported"});
    put_head(out, "assay_run_started_timestamp_seconds", "When the run started.");
    SERIES(out, "assay_run_started_timestamp_seconds", record->started, {"run", record->uuid});
    put_head(out, "assay_run_ended_timestamp_seconds", "When the run ended; 0 while it is running.");
    SERIES(out, "assay_run_ended_timestamp_seconds", record->ended, {"run", record->uuid});
}

/* The judgement's own rows, but for the run the word that the report shows. */
static void write_verdicts(struct text *out, const struct view *view)
{
    const struct standing *standing = &view->record->standing;
    const struct judgement *judgement = &view->record->judgement;

    put_head(out, "assay_verdict", "1 for the verdict of the run, of each unit and of each host.");
    SERIES(out, "assay_verdict", 1, {"run", view->record->uuid}, {"scope", "run"}, {"name", ""},
           {"verdict", standing_verdict(standing, view->verdict)});
    for (size_t i = 0; i < judgement->verdict_count; i++)
        if (judgement->verdicts[i].name[0] != '\0')
            SERIES(out, "assay_verdict", 1, {"run", view->record->uuid},
                   {"scope", judgement->verdicts[i].scope}, {"name", judgement->verdicts[i].name},
                   {"verdict", standing_verdict(standing, judgement->verdicts[i].word)});
}

/* What it says is in the reports; an alert needs to know only that it has to be read, as the index of a site does. */
static void write_caveat(struct text *out, const struct view *view, struct arena *arena)
{
    bool told = view->verdict != VERDICT_REJECT && caveat_of_run(arena, view->record) != NULL;

    put_head(out, "assay_verdict_caveat",
             "1 where the reports tell, beside a verdict other than reject, what their reader may not miss: "
             "that less was required than is built in, or what was left out.");
    SERIES(out, "assay_verdict_caveat", told, {"run", view->record->uuid});
}

static void write_counts(struct text *out, const struct view *view)
{
    const struct coverage *coverage = &view->coverage;
    const struct {
        const char *outcome;
        size_t count;
    } rows[] = {{"pass", coverage->pass},
                {"fail", coverage->fail - coverage->waived},
                {"waived", coverage->waived},
                {"inconclusive", coverage->inconclusive},
                {"not run", coverage->not_run}};

    put_head(out, "assay_gates", "Planned gates by their outcome; their sum is what was required.");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        SERIES(out, "assay_gates", (double)rows[i].count, {"run", view->record->uuid},
               {"outcome", rows[i].outcome});
}

static void write_gates(struct text *out, const struct view *view, struct arena *arena, bool values)
{
    const char *name = values ? "assay_gate_value" : "assay_gate_outcome";

    put_head(out, name,
             values ? "The worst value of a gate, in the unit of its label."
                    : "1 for each gate that is not passed, with its outcome.");
    array_each (step, view->steps, view->step_count) {
        const char *target = step_target(arena, step->step);

        for (size_t k = 0; k < step->step->shape->slot_count; k++) {
            const struct slot *slot = &step->step->shape->slots[k];
            const struct outcome *outcome = step->items[k];
            bool wanted = values ? isfinite(outcome->value) : outcome->word != OUTCOME_PASS;

            if (slot->duty == DUTY_GATE && wanted)
                SERIES(out, name, values ? outcome->value : 1, {"run", view->record->uuid},
                       {"target", target}, {"step", step->step->shape->suite_step}, {"metric", slot->metric},
                       {"subject", slot->subject}, {"at", slot->at},
                       {values ? "gate" : "outcome", values ? reason_english(arena, outcome->held->gate)
                                                     : outcome->waiver != NULL
                                                         ? "waived"
                                                         : outcome_name(outcome->word)});
        }
    }
}

/* Items that are worse, as many as each target has; comparison.worse is in the order of targets. */
static void write_worse(struct text *out, const struct record *record)
{
    const struct comparison *comparison = &record->earlier->comparison;
    size_t first = 0;

    put_head(out, "assay_worse_items",
             "Items of a host or a test that are worse than in the last run that was accepted or passed.");
    for (size_t i = 0; i < comparison->worse.count; i++) {
        const char *target = comparison->worse.items[i].target;

        if (i + 1 < comparison->worse.count && strcmp(comparison->worse.items[i + 1].target, target) == 0)
            continue;
        SERIES(out, "assay_worse_items", (double)(i + 1 - first), {"run", record->uuid}, {"name", target});
        first = i + 1;
    }
}

static void write_lower(struct text *out, const struct record *record)
{
    const struct history_findings *found = record->earlier->findings;

    put_head(out, "assay_lower_rate",
             "Rates that are lower than in the last run that was accepted or passed, beyond noise: -0.05 is "
             "5% lower.");
    list_each (drop, found->findings) {
        const struct history_subject *subject = &found->subjects.items[drop->subject];

        if (drop->kind == HISTORY_DROP)
            SERIES(out, "assay_lower_rate", drop->change, {"run", record->uuid}, {"place", subject->place},
                   {"identity", subject->name}, {"step", found->series.items[drop->series].suite_step},
                   {"metric", found->series.items[drop->series].metric});
    }
}

/* What got worse since the last accepted run, where somebody looked for one. */
static void write_earlier(struct text *out, const struct record *record)
{
    if (record->earlier == NULL)
        return;
    put_head(
        out, "assay_accepted_run_started_timestamp_seconds",
        "When the last run of these hosts and this suite that was accepted or passed started; 0: there is "
        "none.");
    SERIES(out, "assay_accepted_run_started_timestamp_seconds",
           record->earlier->number != 0 ? record->earlier->started : 0, {"run", record->uuid});
    write_worse(out, record);
    write_lower(out, record);
}

void report_prometheus(const struct record *record, enum report_language language, struct text *out)
{
    cleanup_arena struct arena *arena = arena_create();
    const struct view *view = view_create(arena, record);

    (void)language; /* the same in every language */
    write_run(out, record);
    write_verdicts(out, view);
    write_caveat(out, view, arena);
    write_counts(out, view);
    write_gates(out, view, arena, true);
    write_gates(out, view, arena, false);
    write_earlier(out, record);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What several runs have shown: who gets worse, and one thing's numbers from run to run. */
#include <math.h>
#include <string.h>

#include "assay/base/printable.h"
#include "assay/model/suite.h"
#include "assay/report/report.h"
#include "history_shown.h"
#include "language.h"

enum { PLOT_COLUMNS = 41 };

/* One printable line: what a database holds may be anything. */
static const struct history_run *run_at(const struct history *history, size_t run)
{
    return &history->runs.items[run];
}

static void put_percent(struct text *out, double fraction)
{
    text_printf(out, "%+.1f%%", 100 * fraction);
}

static void put_subject(struct text *out, const struct history_subject *subject)
{
    printable_put(out, subject->name);
    if (strcmp(subject->name, subject->place) != 0) {
        text_put(out, subject->places > 1 ? ", now " : ", ");
        printable_put(out, subject->place);
    }
}

const char *history_finding_said(struct arena *arena, enum report_language language,
                                 const struct history *history, const struct history_findings *findings,
                                 const struct history_finding *finding)
{
    bool drop = finding->kind == HISTORY_DROP;
    const struct history_series *series = &findings->series.items[finding->series];
    const struct history_point *last;

    if (finding->kind == HISTORY_REPEAT)
        return language_say(arena, language, TEXT_SITE_REPEAT, arena_printf(arena, "%zu", finding->runs),
                            arena_printf(arena, "%zu", history->runs.count),
                            arena_printf(arena, "%lld", run_at(history, finding->first_run)->number));
    last = &series->points.items[series->points.count - 1];
    return language_say(arena, language, drop ? TEXT_SITE_DROP : TEXT_SITE_TREND, series->suite_step,
                        series->metric, arena_printf(arena, "%+.1f%%", 100 * finding->change),
                        arena_printf(arena, "%zu", drop ? finding->runs - 1 : finding->runs),
                        arena_printf(arena, "%.5g %s", last->value, series->unit),
                        arena_printf(arena, "%.1f%%", 100 * finding->noise));
}

const char *history_finding_text(struct arena *arena, const struct history *history,
                                 const struct history_findings *findings,
                                 const struct history_finding *finding)
{
    return history_finding_said(arena, LANGUAGE_EN, history, findings, finding);
}

const char *history_growth_said(struct arena *arena, enum report_language language,
                                const struct history *history, const struct history_growth *growth)
{
    const char *text =
        language_say(arena, language, isnan(growth->per_day) ? TEXT_SITE_GROWTH : TEXT_SITE_GROWTH_OVER,
                     growth->folder, room_text(arena, growth->size - growth->size_before),
                     arena_printf(arena, "%lld", run_at(history, growth->before)->number),
                     room_text(arena, growth->size), arena_printf(arena, "%.3g", growth->days));

    if (!isnan(growth->filled))
        text = language_say(arena, language, TEXT_SITE_GROWTH_FILLED, text,
                            arena_printf(arena, "%.0f", growth->filled));
    if (isinf(history_days_left(growth)))
        return text;
    return language_say(arena, language, TEXT_SITE_GROWTH_DAYS, text, room_text(arena, growth->per_day),
                        room_text(arena, growth->left),
                        arena_printf(arena, "%.0f", history_days_left(growth)));
}

const char *history_growth_text(struct arena *arena, const struct history *history,
                                const struct history_growth *growth)
{
    return history_growth_said(arena, LANGUAGE_EN, history, growth);
}

static void put_growths(struct arena *arena, const struct history *history,
                        const struct history_findings *findings, const char *target, struct text *out)
{
    bool any = false;

    list_each (growth, findings->growths) {
        if (target != NULL && strcmp(target, growth->target) != 0)
            continue;
        text_put(out, any ? "" : "\ngrows\n");
        any = true;
        text_put(out, "  ");
        printable_put(out, growth->target);
        text_put(out, ": ");
        printable_put(out, history_growth_text(arena, history, growth));
        text_put(out, "\n");
    }
}

static void put_findings(struct arena *arena, const struct history *history,
                         const struct history_findings *findings, bool repeats, struct text *out)
{
    bool any = false;

    list_each (finding, findings->findings) {
        if ((finding->kind == HISTORY_REPEAT) != repeats)
            continue;
        if (!any)
            text_put(out, repeats ? "\nfails again and again\n" : "\ngets worse\n");
        any = true;
        text_put(out, "  ");
        put_subject(out, &findings->subjects.items[finding->subject]);
        text_put(out, ": ");
        printable_put(out, history_finding_text(arena, history, findings, finding));
        text_put(out, "\n");
    }
    if (!any)
        text_put(out, repeats ? "\nnobody has failed in more than one run\n"
                              : "\nnobody gets worse beyond what noise explains\n");
}

/* "node5" chooses the host and all that was last seen on it. */
static bool is_named(const struct history_subject *subject, const char *name)
{
    size_t length = strlen(name);

    return strcmp(subject->name, name) == 0 || strcmp(subject->place, name) == 0 ||
           (strncmp(subject->place, name, length) == 0 && subject->place[length] == ' ');
}

bool history_subject_chosen(const struct history_findings *findings, const struct history_choice *choice,
                            size_t subject)
{
    return choice->name == NULL || is_named(&findings->subjects.items[subject], choice->name);
}

bool history_chosen(const struct history_findings *findings, const struct history_choice *choice,
                    size_t series)
{
    const struct history_series *row = &findings->series.items[series];
    bool found = choice->name != NULL || choice->metric != NULL;

    if (choice->metric != NULL && strcmp(row->metric, choice->metric) != 0)
        return false;
    for (size_t i = 0; i < findings->findings.count && !found; i++)
        found = findings->findings.items[i].kind != HISTORY_REPEAT &&
                findings->findings.items[i].series == series;
    return found && history_subject_chosen(findings, choice, row->subject);
}

static void put_all(struct arena *arena, const struct history *history,
                    const struct history_findings *findings, struct text *out)
{
    if (history->runs.count == 0) {
        text_put(out, "no judged run\n");
        return;
    }
    text_printf(out, "%zu run%s: %lld (%s) to %lld (%s); %zu rates of %zu things\n", history->runs.count,
                history->runs.count == 1 ? "" : "s", run_at(history, 0)->number,
                time_text(arena, run_at(history, 0)->started),
                run_at(history, history->runs.count - 1)->number,
                time_text(arena, run_at(history, history->runs.count - 1)->started), findings->series.count,
                findings->subjects.count);
    put_findings(arena, history, findings, false, out);
    put_findings(arena, history, findings, true, out);
    put_growths(arena, history, findings, NULL, out);
    for (size_t i = 0; i < findings->shifts.count; i++) {
        const struct history_shift *shift = &findings->shifts.items[i];

        text_put(out, i == 0 ? "\nwhole runs, against the run before\n" : "");
        text_printf(out, "  run %lld: ", run_at(history, shift->run)->number);
        printable_put(out, arena_printf(arena, "%s %s%s%s", shift->suite_step, shift->metric,
                                        *shift->at != '\0' ? " " : "", shift->at));
        text_put(out, ": ");
        put_percent(out, shift->change);
        text_put(out, " for all\n");
    }
}

/* One star on a scale from -span to +span, a bar where nothing deviates. */
static void put_plot(struct text *out, double deviation, double span)
{
    int middle = PLOT_COLUMNS / 2, at = middle + (int)lround(deviation / span * middle);

    for (int i = 0; i < PLOT_COLUMNS; i++)
        text_put(out, i == at ? "*" : i == middle ? "|" : i > at && i > middle ? "" : " ");
    text_put(out, "\n");
}

static void put_series(struct arena *arena, const struct history *history,
                       const struct history_series *series, struct text *out)
{
    double span = 0.02;

    for (size_t i = 0; i < series->points.count; i++)
        span = fmax(span, fabs(series->points.items[i].deviation));
    text_put(out, "\n");
    printable_put(out, arena_printf(arena, "%s %s", series->suite_step, series->metric));
    text_printf(out, " (%s; * from -%.0f%% to +%.0f%% of what is expected there and then)\n", series->unit,
                100 * span, 100 * span);
    list_each (point, series->points) {
        text_printf(out, "  run %4lld  %s  %9.5g  %+5.1f%%  ", run_at(history, point->run)->number,
                    time_text(arena, run_at(history, point->run)->started), point->value,
                    100 * point->deviation);
        put_plot(out, point->deviation, span);
    }
}

static void put_one(struct arena *arena, const struct history *history,
                    const struct history_findings *findings, size_t subject,
                    const struct history_choice *choice, struct text *out)
{
    bool any = false;

    for (size_t i = 0; i < findings->series.count; i++)
        any |= findings->series.items[i].subject == subject && history_chosen(findings, choice, i);
    if (!any)
        return;
    put_subject(out, &findings->subjects.items[subject]);
    text_put(out, "\n");
    for (size_t i = 0; i < findings->findings.count; i++)
        if (findings->findings.items[i].subject == subject) {
            text_printf(out, "  %s: ", history_kind_name(findings->findings.items[i].kind));
            printable_put(out, history_finding_text(arena, history, findings, &findings->findings.items[i]));
            text_put(out, "\n");
        }
    for (size_t i = 0; i < findings->series.count; i++)
        if (findings->series.items[i].subject == subject && history_chosen(findings, choice, i))
            put_series(arena, history, &findings->series.items[i], out);
    text_put(out, "\n");
}

void report_history_text(struct arena *arena, const struct history *history,
                         const struct history_findings *findings, const struct history_choice *choice,
                         struct text *out)
{
    if (choice->name == NULL && choice->metric == NULL) {
        put_all(arena, history, findings, out);
        return;
    }
    for (size_t i = 0; i < findings->subjects.count; i++)
        if (history_subject_chosen(findings, choice, i))
            put_one(arena, history, findings, i, choice, out);
    if (choice->name != NULL)
        put_growths(arena, history, findings, choice->name, out);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gates for build servers, as JUnit's XML: a suite for each step, a case for each gate. What could not be decided
 * and what was not run are errors, not skipped cases: a build server shows these green. Only a failure that a waiver
 * covers is skipped, with the waiver's words.
 */
#include "html.h"
#include "report_formats.h"
#include "view.h"

static void put_attribute(struct text *out, const char *name, const char *value)
{
    text_printf(out, " %s=\"", name);
    html_text(out, value);
    text_put(out, "\"");
}

static void put_counts(struct text *out, const struct coverage *coverage)
{
    text_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", coverage->gates,
                coverage->fail - coverage->waived, coverage->inconclusive + coverage->not_run,
                coverage->waived);
}

static void put_result(struct text *out, const char *element, const char *type, const char *message,
                       const char *more)
{
    text_printf(out, "\n<%s", element);
    put_attribute(out, "type", type);
    put_attribute(out, "message", message);
    text_put(out, ">");
    html_text(out, more);
    text_printf(out, "</%s>\n", element);
}

static void write_case(struct arena *arena, struct text *out, const struct step_view *step, size_t n)
{
    const struct slot *slot = &step->step->shape->slots[n];
    const struct outcome *outcome = step->items[n];
    const char *cause = reason_english(arena, outcome->cause),
               *remedy = reason_english(arena, outcome->remedy);

    text_put(out, "<testcase");
    put_attribute(
        out, "classname",
        arena_printf(arena, "%s.%s", step->step->shape->suite_step, step_target(arena, step->step)));
    put_attribute(out, "name",
                  arena_printf(arena, "%s%s%s%s%s", slot->metric, *slot->subject != '\0' ? " " : "",
                               slot->subject, *slot->at != '\0' ? " " : "", slot->at));
    text_put(out, ">");
    if (outcome->word == OUTCOME_FAIL && outcome->waiver != NULL)
        put_result(out, "skipped", "waived",
                   arena_printf(arena, "fails, and is waived by %s until %s: %s", outcome->waiver->who,
                                time_text(arena, outcome->waiver->until), outcome->waiver->why),
                   cause);
    else if (outcome->word == OUTCOME_FAIL)
        put_result(out, "failure", "fail", cause, remedy);
    else if (outcome->word != OUTCOME_PASS)
        put_result(out, "error", outcome_name(outcome->word), cause, remedy);
    text_put(out, "</testcase>\n");
}

/* Of 20,000 hosts there are millions of cases: what the words of a suite take goes with it. */
static void write_suite(struct arena *arena, struct text *out, const struct step_view *step)
{
    double seconds = 0;

    if (step->coverage.gates == 0)
        return;
    for (size_t i = 0; i < step->attempts.count; i++)
        seconds += attempt_seconds(step->attempts.items[i]);
    text_put(out, "<testsuite");
    put_attribute(
        out, "name",
        arena_printf(arena, "%s, %s", step->step->shape->suite_step, step_target(arena, step->step)));
    put_counts(out, &step->coverage);
    text_printf(out, " time=\"%.3f\">\n", seconds);
    for (size_t i = 0; i < step->step->shape->slot_count; i++)
        if (step->step->shape->slots[i].duty == DUTY_GATE)
            write_case(arena, out, step, i);
    text_put(out, "</testsuite>\n");
}

void report_junit(const struct record *record, enum report_language language, struct text *out)
{
    cleanup_arena struct arena *arena = arena_create(), *of_suite = arena_create();
    const struct view *view = view_create(arena, record);
    const struct reason *caveat = caveat_of_run(arena, record);
    const char *note = "";

    (void)language; /* the same in every language */
    if (!standing_is_acceptance(&record->standing))
        note =
            arena_printf(arena, ". %s", reason_english(arena, standing_sentence(arena, &record->standing)));
    if (caveat != NULL)
        note = arena_printf(arena, "%s. %s", note, reason_english(arena, caveat));
    text_put(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    put_attribute(out, "name",
                  arena_printf(arena, "assay run %s%s: %s%s", record->uuid,
                               record->origin != NULL ? " (imported)" : "",
                               standing_verdict(&record->standing, view->verdict), note));
    put_counts(out, &view->coverage);
    text_put(out, ">\n");
    for (size_t i = 0; i < view->step_count; i++) {
        write_suite(of_suite, out, &view->steps[i]);
        arena_clear(of_suite);
    }
    text_put(out, "</testsuites>\n");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* An acceptance as text: how it stands, what is wrong, what was reached, what is missing, how it came there. What hosts printed is made printable. */
#include <string.h>

#include "acceptance_tables.h"
#include "assay/base/printable.h"
#include "assay/model/acceptance.h"
#include "assay/report/report.h"
#include "language.h"
#include "names.h"
#include "report_formats.h"
#include "unjudged.h"

struct sheet {
    struct text *out;
    struct arena *arena;
    enum report_language language;
    const struct acceptance *acceptance;
    struct unjudged_list unjudged;
};

static const char *number(const struct sheet *sheet, size_t count)
{
    return arena_printf(sheet->arena, "%zu", count);
}

static void put_line(struct sheet *sheet, const char *indent, const char *line)
{
    cleanup_text struct text safe = {0};

    text_init(&safe, 1 << 20);
    printable_line(&safe, line);
    text_printf(sheet->out, "%s%s\n", indent, safe.bytes);
}

static const char *unit_name(const struct sheet *sheet, const char *unit)
{
    return *unit != '\0' ? unit : say(sheet, TEXT_A_WHOLE);
}

/* A heading stands alone, in capitals where the language has them. */
static void put_heading(struct sheet *sheet, enum text_key key)
{
    char *words = arena_strdup(sheet->arena, say(sheet, key));

    for (char *at = words; *at != '\0'; at++)
        if (*at >= 'a' && *at <= 'z')
            *at = (char)(*at - 'a' + 'A');
    text_printf(sheet->out, "\n%s\n", words);
}

static void write_verdicts(struct sheet *sheet)
{
    const struct acceptance *acceptance = sheet->acceptance;
    const struct reason *caveat = caveat_of_acceptance(sheet->arena, acceptance),
                        *simulated = simulated_sentence(sheet->arena, acceptance_timescale(acceptance));

    if (simulated != NULL)
        put_line(sheet, "", said(sheet, simulated));
    put_line(sheet, "",
             sayf(sheet, TEXT_A_HEAD, acceptance->name,
                  said(sheet, acceptance_verdict_text(sheet->arena, acceptance))));
    if (caveat != NULL)
        put_line(sheet, "", said(sheet, caveat));
    put_line(sheet, "",
             arena_printf(sheet->arena, "%s%s", acceptance_cluster(sheet->arena, sheet->language, acceptance),
                          sayf(sheet, TEXT_A_SCOPE, time_text(sheet->arena, acceptance->now),
                               number(sheet, acceptance->runs.count), number(sheet, acceptance->events.count),
                               number(sheet, acceptance->requirements.count))));
    list_each (verdict, acceptance->verdicts)
        put_line(sheet, "  ",
                 arena_printf(sheet->arena, "%s: %s (%s)", unit_name(sheet, verdict->unit),
                              word(sheet, verdict_name(verdict->word)),
                              said(sheet, acceptance_counts_text(sheet->arena, verdict))));
    if (acceptance->left_out.count > 0)
        put_line(sheet, "  ",
                 sayf(sheet, TEXT_A_LEFT_OUT_LINE,
                      said(sheet, acceptance_left_out_text(sheet->arena, acceptance))));
}

static void write_story(struct sheet *sheet)
{
    const struct acceptance *acceptance = sheet->acceptance;

    put_heading(sheet, TEXT_A_STORY);
    list_each (moment, acceptance->story) {
        const char *words = "";

        for (size_t k = 0; k < moment->words.count; k++)
            words = arena_printf(sheet->arena, "%s%s%s %s", words, k > 0 ? ", " : "",
                                 unit_name(sheet, acceptance->verdicts.items[k].unit),
                                 word(sheet, verdict_name(moment->words.items[k])));
        put_line(sheet, "  ",
                 arena_printf(sheet->arena, "%s  %s", time_text(sheet->arena, moment->at),
                              said(sheet, moment->text)));
        put_line(sheet, "      ", words);
    }
    if (acceptance->story.count == 0)
        put_line(sheet, "  ", say(sheet, TEXT_A_NOTHING_YET));
}

static void write_lines(struct sheet *sheet, enum text_key title, const struct acceptance_line *lines,
                        size_t count)
{
    if (count == 0)
        return;
    put_heading(sheet, title);
    for (size_t i = 0; i < count; i++)
        put_line(sheet, "  ",
                 sayf(sheet, TEXT_A_LINE, word(sheet, requirement_state_name(lines[i].state)), lines[i].step,
                      said(sheet, lines[i].targets), said(sheet, lines[i].why)));
}

/* "node2, GPU 2 (serial 16530...)" */
static const char *place_of(const struct sheet *sheet, const struct acceptance_fault *fault)
{
    const char *marks = marks_joined(sheet->arena, sheet->language, &fault->marks);
    const char *place =
        arena_printf(sheet->arena, "%s%s%s", fault->target,
                     *fault->part != '\0' ? language_between(sheet->language, ", ") : "", fault->part);

    return *marks != '\0' ? sayf(sheet, TEXT_A_PLACE_MARKED, place, marks) : place;
}

static void write_fault(struct sheet *sheet, const struct acceptance_fault *fault)
{
    const char *state = word(sheet, requirement_state_name(fault->state)), *place = place_of(sheet, fault);

    put_line(sheet, "  ",
             fault->run > 0 ? sayf(sheet, TEXT_A_FAULT, state, place,
                                   arena_printf(sheet->arena, "%lld", fault->run), fault->problem)
                            : sayf(sheet, TEXT_A_FAULT_OVER_RUNS, state, place, fault->problem));
    if (fault->source != NULL)
        put_line(sheet, "      ", sayf(sheet, TEXT_A_LIMIT_IS_FROM, said(sheet, fault->source)));
    if (fault->remedy.items.count > 0)
        put_line(sheet, "      -> ", fault_remedy(sheet->arena, fault));
    if (fault->hands != NULL)
        put_line(sheet, "      ", sayf(sheet, TEXT_A_WHO_ACTS, said(sheet, fault->hands)));
}

static void write_faults(struct sheet *sheet)
{
    struct acceptance_faults faults;

    acceptance_faults_of(sheet->arena, sheet->language, sheet->acceptance, &faults);
    if (faults.items.count > 0)
        put_heading(sheet, TEXT_A_FAULTS);
    for (size_t i = 0; i < faults.items.count; i++)
        write_fault(sheet, &faults.items.items[i]);
}

static void write_numbers(struct sheet *sheet)
{
    struct acceptance_numbers numbers;

    acceptance_numbers_of(sheet->arena, sheet->acceptance, &numbers);
    if (numbers.items.count == 0)
        return;
    put_heading(sheet, TEXT_A_REACHED);
    put_line(sheet, "  ", say(sheet, TEXT_A_REACHED_INTRO));
    for (size_t i = 0; i < numbers.items.count; i++) {
        const struct acceptance_reached *row = &numbers.items.items[i];

        put_line(sheet, "  ",
                 sayf(sheet, TEXT_A_REACHED_LINE, row->step, row->metric, said(sheet, row->nearest->measured),
                      reached_place(sheet->arena, sheet->language, row), row->bound, said(sheet, row->source),
                      number(sheet, row->tests)));
    }
}

static void write_hardware(struct sheet *sheet)
{
    const struct acceptance *acceptance = sheet->acceptance;

    if (acceptance->changes.count + acceptance->conflicts.count > 0)
        put_heading(sheet, TEXT_A_CHANGES);
    for (size_t i = 0; i < acceptance->conflicts.count; i++)
        put_line(sheet, "  ", said(sheet, acceptance_conflict_text(sheet->arena, acceptance, i)));
    for (size_t i = 0; i < acceptance->changes.count; i++)
        put_line(sheet, "  ",
                 said(sheet, change_text(sheet->arena, acceptance, &acceptance->changes.items[i])));
}

static void write_unjudged(struct sheet *sheet)
{
    if (sheet->unjudged.items.count > 0)
        put_heading(sheet, TEXT_L_UNJUDGED);
    for (size_t i = 0; i < sheet->unjudged.items.count; i++)
        put_line(sheet, "  ", unjudged_line(sheet->arena, sheet->language, &sheet->unjudged.items.items[i]));
}

static void write_documents(struct sheet *sheet)
{
    const struct acceptance *acceptance = sheet->acceptance;

    put_heading(sheet, TEXT_A_DOCUMENTS);
    for (size_t i = 0; i < acceptance->documents.count; i++)
        put_line(sheet, "  ",
                 arena_printf(sheet->arena, "%s  %s %s", acceptance->documents.items[i].sha256,
                              word(sheet, acceptance->documents.items[i].kind),
                              acceptance->documents.items[i].name));
    put_heading(sheet, TEXT_A_RUNS);
    for (size_t i = 0; i < acceptance->runs.count; i++)
        put_line(sheet, "  ",
                 arena_printf(sheet->arena, "%lld  %s  %s", acceptance->runs.items[i]->number,
                              acceptance->runs.items[i]->uuid,
                              time_text(sheet->arena, acceptance->runs.items[i]->started)));
}

void acceptance_text(const struct acceptance *acceptance, enum report_language language, struct text *out)
{
    struct sheet sheet = {
        .out = out, .arena = arena_create(), .language = language, .acceptance = acceptance};
    struct acceptance_line *lines;
    size_t count;

    unjudged_of_acceptance(sheet.arena, acceptance, &sheet.unjudged);
    write_verdicts(&sheet);
    write_faults(&sheet);
    write_numbers(&sheet);
    count = acceptance_lines(sheet.arena, acceptance, &lines);
    write_lines(&sheet, TEXT_A_OPEN, lines, count);
    count = acceptance_retests(sheet.arena, acceptance, &lines);
    write_lines(&sheet, TEXT_A_RETESTS, lines, count);
    write_hardware(&sheet);
    write_unjudged(&sheet);
    write_story(&sheet);
    write_documents(&sheet);
    arena_destroy(sheet.arena);
}

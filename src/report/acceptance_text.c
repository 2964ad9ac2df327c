/* SPDX-License-Identifier: Apache-2.0 */
/* An acceptance as text: how it stands, how it came there, what is missing. What hosts printed is made printable. */
#include <string.h>

#include "assay/acceptance.h"
#include "printable.h"
#include "report_formats.h"

struct sheet {
    struct text *out;
    struct arena *arena;
    const struct acceptance *acceptance;
};

static void put_line(struct sheet *sheet, const char *indent, const char *line)
{
    cleanup_text struct text safe = {0};

    text_init(&safe, 1 << 20);
    printable_line(&safe, line);
    text_printf(sheet->out, "%s%s\n", indent, safe.bytes);
}

static const char *unit_name(const char *unit)
{
    return *unit != '\0' ? unit : "whole";
}

static void write_verdicts(struct sheet *sheet)
{
    const struct acceptance *acceptance = sheet->acceptance;

    put_line(sheet, "",
             arena_printf(sheet->arena, "ACCEPTANCE %s: %s", acceptance->name,
                          acceptance_verdict_text(sheet->arena, acceptance)));
    put_line(sheet, "",
             arena_printf(sheet->arena, "as of %s; %zu runs, %zu events, %zu requirements",
                          time_text(sheet->arena, acceptance->now), acceptance->runs.count,
                          acceptance->events.count, acceptance->requirements.count));
    for (size_t i = 0; i < acceptance->verdicts.count; i++) {
        const struct acceptance_verdict *verdict = &acceptance->verdicts.items[i];

        put_line(sheet, "  ",
                 arena_printf(sheet->arena, "%s: %s (%s)", unit_name(verdict->unit),
                              verdict_name(verdict->word), acceptance_counts_text(sheet->arena, verdict)));
    }
    if (acceptance->left_out.count > 0)
        put_line(
            sheet, "  ",
            arena_printf(sheet->arena, "left out: %s", acceptance_left_out_text(sheet->arena, acceptance)));
}

static void write_story(struct sheet *sheet)
{
    const struct acceptance *acceptance = sheet->acceptance;

    text_put(sheet->out, "\nWHAT HAPPENED\n");
    for (size_t i = 0; i < acceptance->story.count; i++) {
        const struct moment *moment = &acceptance->story.items[i];
        const char *words = "";

        for (size_t k = 0; k < moment->words.count; k++)
            words = arena_printf(sheet->arena, "%s%s%s %s", words, k > 0 ? ", " : "",
                                 unit_name(acceptance->verdicts.items[k].unit),
                                 verdict_name(moment->words.items[k]));
        put_line(sheet, "  ",
                 arena_printf(sheet->arena, "%s  %s", time_text(sheet->arena, moment->at), moment->text));
        put_line(sheet, "      ", words);
    }
    if (acceptance->story.count == 0)
        text_put(sheet->out, "  nothing yet\n");
}

static void write_lines(struct sheet *sheet, const char *title, const struct acceptance_line *lines,
                        size_t count)
{
    if (count == 0)
        return;
    text_printf(sheet->out, "\n%s\n", title);
    for (size_t i = 0; i < count; i++)
        put_line(sheet, "  ",
                 arena_printf(sheet->arena, "%s: %s on %s: %s", requirement_state_name(lines[i].state),
                              lines[i].step, lines[i].targets, lines[i].why));
}

static void write_hardware(struct sheet *sheet)
{
    const struct acceptance *acceptance = sheet->acceptance;

    if (acceptance->changes.count + acceptance->conflicts.count > 0)
        text_put(sheet->out, "\nHARDWARE AND VERSIONS THAT CHANGED\n");
    for (size_t i = 0; i < acceptance->conflicts.count; i++)
        put_line(sheet, "  ",
                 arena_printf(sheet->arena, "run %lld: %s",
                              acceptance->runs.items[acceptance->conflicts.items[i].run]->number,
                              acceptance->conflicts.items[i].text));
    for (size_t i = 0; i < acceptance->changes.count; i++)
        put_line(sheet, "  ", change_text(sheet->arena, acceptance, &acceptance->changes.items[i]));
}

static void write_documents(struct sheet *sheet)
{
    const struct acceptance *acceptance = sheet->acceptance;

    text_put(sheet->out, "\nDOCUMENTS (SHA-256)\n");
    for (size_t i = 0; i < acceptance->documents.count; i++)
        put_line(sheet, "  ",
                 arena_printf(sheet->arena, "%s  %s %s", acceptance->documents.items[i].sha256,
                              acceptance->documents.items[i].kind, acceptance->documents.items[i].name));
    text_put(sheet->out, "\nRUNS\n");
    for (size_t i = 0; i < acceptance->runs.count; i++)
        put_line(sheet, "  ",
                 arena_printf(sheet->arena, "run %lld  %s  %s", acceptance->runs.items[i]->number,
                              acceptance->runs.items[i]->uuid,
                              time_text(sheet->arena, acceptance->runs.items[i]->started)));
}

void acceptance_text(const struct acceptance *acceptance, struct text *out)
{
    struct sheet sheet = {out, arena_create(), acceptance};
    struct acceptance_line *lines;
    size_t count;

    write_verdicts(&sheet);
    write_story(&sheet);
    count = acceptance_lines(sheet.arena, acceptance, &lines);
    write_lines(&sheet, "NOT SETTLED, AND WAIVED", lines, count);
    count = acceptance_retests(sheet.arena, acceptance, &lines);
    write_lines(&sheet, "WHAT HAS FAILED, AND WHAT BECAME OF IT", lines, count);
    write_hardware(&sheet);
    write_documents(&sheet);
    arena_destroy(sheet.arena);
}

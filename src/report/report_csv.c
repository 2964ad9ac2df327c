/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record for spreadsheets and statistics: RFC 4180, one value a row, with the item that it was measured for. A
 * planned item that no reading has the value of has a row of its own, with what was judged: mostly nothing.
 *
 * A spreadsheet takes a text that begins with = + - @ for a formula, also behind blanks, and in some countries the
 * wide forms of these: such a text of a host gets a
 * ' in front. Numbers are written by us and stay numbers.
 */
#include <math.h>
#include <string.h>

#include "assay/base/printable.h"
#include "report_formats.h"
#include "view.h"

static const char head[] =
    "run,target,unit,rack,leaf,step,check,attempt,began,metric,subject,at,value,value_unit,text,"
    "duty,outcome,gate,limit_source,limit_status,cause,waiver\r\n";

struct sheet {
    struct text *out;
    struct arena *arena;
    const struct view *view;
    const char *target;
    bool first;
};

static void separate(struct sheet *sheet)
{
    if (!sheet->first)
        text_put(sheet->out, ",");
    sheet->first = false;
}

static bool is_formula(const char *text)
{
    static const char *const wide[] = {"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};

    text += strspn(text, " \t\r\n");
    for (size_t i = 0; i < ARRAY_SIZE(wide); i++)
        if (strncmp(text, wide[i], strlen(wide[i])) == 0)
            return true;
    return *text != '\0' && strchr("=+-@", *text) != NULL;
}

static void put_text(struct sheet *sheet, const char *string)
{
    cleanup_text struct text line = {0};
    bool formula = string != NULL && is_formula(string);

    separate(sheet);
    text_init(&line, 1 << 20);
    if (string != NULL)
        printable_line(&line, string);
    if (!formula && strpbrk(line.bytes, ",\"\r\n ") == NULL) {
        text_put(sheet->out, line.bytes);
        return;
    }
    text_put(sheet->out, formula ? "\"'" : "\"");
    for (const char *at = line.bytes; *at != '\0'; at++)
        text_put(sheet->out, *at == '"' ? "\"\"" : (char[]){*at, '\0'});
    text_put(sheet->out, "\"");
}

static void put_reason(struct sheet *sheet, const struct reason *reason)
{
    put_text(sheet, reason_english(sheet->arena, reason));
}

static void put_number(struct sheet *sheet, double number)
{
    char buffer[32];

    separate(sheet);
    if (isfinite(number))
        text_put(sheet->out, number_text(number, buffer, sizeof buffer));
}

/* The columns that all rows of a step share; attempt NULL: none. */
static void open_row(struct sheet *sheet, const struct step_view *step, const struct attempt *attempt)
{
    const struct host *host = step->step->members[0];

    sheet->first = true;
    put_text(sheet, sheet->view->record->uuid);
    put_text(sheet, sheet->target);
    put_text(sheet, host->unit);
    put_text(sheet, host->rack);
    put_text(sheet, host->leaf);
    put_text(sheet, step->step->shape->suite_step);
    put_text(sheet, step->step->shape->check);
    put_number(sheet, attempt != NULL ? attempt->n : NAN);
    put_text(sheet, attempt != NULL && attempt->began > 0 ? time_text(sheet->arena, attempt->began) : "");
}

/* A number, or a text. */
static void put_value(struct sheet *sheet, const char *metric, const char *subject, const char *at,
                      double value, const char *unit, const char *text)
{
    put_text(sheet, metric);
    put_text(sheet, subject);
    put_text(sheet, at);
    put_number(sheet, value);
    put_text(sheet, unit);
    put_text(sheet, text);
}

/* The item that a value was measured for, or nothing. */
static void close_row(struct sheet *sheet, const struct step_view *step, size_t slot)
{
    const struct outcome *outcome = slot < step->step->shape->slot_count ? step->items[slot] : NULL;

    put_text(sheet, outcome != NULL ? duty_name(step->step->shape->slots[slot].duty) : "");
    put_text(sheet, outcome != NULL ? outcome_name(outcome->word) : "");
    put_reason(sheet, outcome != NULL ? outcome->held->gate : NULL);
    put_reason(sheet, outcome != NULL ? outcome->held->source : NULL);
    put_text(sheet, outcome != NULL ? outcome->held->status : "");
    put_reason(sheet, outcome != NULL ? outcome->cause : NULL);
    put_text(sheet, outcome != NULL && outcome->waiver != NULL ? outcome->waiver->uuid : "");
    text_put(sheet->out, "\r\n");
}

/* Each "key=text" of the slot is among the fields. */
static bool at_matches(const char *wanted, const struct measurement *measurement)
{
    struct slice rest = slice_of(wanted), word;

    while (scan_word(&rest, &word)) {
        size_t equals = slice_find(word, "="), i = 0;

        for (; i < measurement->at.count; i++)
            if (slice_equal((struct slice){word.bytes, equals}, measurement->at.items[i].key) &&
                slice_equal(slice_from(word, equals + 1), measurement->at.items[i].text))
                break;
        if (i == measurement->at.count)
            return false;
    }
    return true;
}

/* The slot of that metric and subject, slot_count when there is none; measurement NULL: of a fact. */
static size_t find_slot(const struct shape *shape, const char *metric, const char *subject,
                        const struct measurement *measurement)
{
    size_t i = 0;

    while (i < shape->slot_count &&
           (strcmp(shape->slots[i].metric, metric) != 0 || strcmp(shape->slots[i].subject, subject) != 0 ||
            (measurement != NULL && !at_matches(shape->slots[i].at, measurement))))
        i++;
    return i;
}

static void write_attempt(struct sheet *sheet, const struct step_view *step, const struct attempt *attempt,
                          bool *seen)
{
    const struct reading *reading = &attempt->reading;
    const struct shape *shape = step->step->shape;

    list_each (measurement, reading->measurements) {
        size_t slot = find_slot(shape, measurement->metric, measurement->subject, measurement);

        seen[slot] = true;
        open_row(sheet, step, attempt);
        put_value(sheet, measurement->metric, measurement->subject, at_text(sheet->arena, measurement),
                  measurement->value, measurement->unit, "");
        close_row(sheet, step, slot);
    }
    list_each (fact, reading->facts) {
        size_t slot = find_slot(shape, fact->name, fact->subject, NULL);

        seen[slot] = true;
        open_row(sheet, step, attempt);
        put_value(sheet, fact->name, fact->subject, "", NAN, "", fact->value);
        close_row(sheet, step, slot);
    }
}

static void write_step(struct sheet *sheet, const struct step_view *step)
{
    const struct shape *shape = step->step->shape;
    bool *seen;

    sheet->arena = arena_create();
    seen = arena_array(sheet->arena, bool, shape->slot_count + 1);
    sheet->target = step_target(sheet->arena, step->step);
    for (size_t i = 0; i < step->attempts.count; i++)
        write_attempt(sheet, step, step->attempts.items[i], seen);
    for (size_t i = 0; i < shape->slot_count; i++) {
        if (seen[i])
            continue;
        open_row(sheet, step, NULL);
        put_value(sheet, shape->slots[i].metric, shape->slots[i].subject, shape->slots[i].at,
                  step->items[i]->value, "", reason_english(sheet->arena, step->items[i]->measured));
        close_row(sheet, step, i);
    }
    sheet->arena = arena_destroy(sheet->arena);
}

void report_csv(const struct record *record, enum report_language language, struct text *out)
{
    cleanup_arena struct arena *arena = arena_create();
    struct sheet sheet = {.out = out, .view = view_create(arena, record)};

    (void)language; /* the same in every language */
    text_put(out, head);
    for (size_t i = 0; i < sheet.view->step_count; i++)
        write_step(&sheet, &sheet.view->steps[i]);
}

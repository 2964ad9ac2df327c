/* SPDX-License-Identifier: Apache-2.0 */
#include "cuts.h"

#include <stdlib.h>
#include <string.h>

typedef LIST_OF(const char *) statement_list;

static void add_statements(statement_list *list, const struct reading *reading)
{
    struct arena *arena = reading->arena;
    char number[32];

    for (size_t i = 0; i < reading->facts.count; i++)
        *list_push(arena, list) =
            arena_printf(arena, "fact %s %s = %s", reading->facts.items[i].name,
                         reading->facts.items[i].subject, reading->facts.items[i].value);
    for (size_t i = 0; i < reading->measurements.count; i++) {
        const struct measurement *measurement = &reading->measurements.items[i];

        *list_push(arena, list) =
            arena_printf(arena, "%s %s at %s = %s %s", measurement->metric, measurement->subject,
                         at_text(arena, measurement), number_text(measurement->value, number, sizeof number),
                         measurement->unit);
    }
}

static int compare_statements(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

const char **reading_statements(const struct reading *reading, size_t *ret_count)
{
    statement_list list = {0};

    add_statements(&list, reading);
    for (size_t i = 0; i < reading->runs.count; i++)
        add_statements(&list, &reading->runs.items[i]);
    if (list.count > 0)
        qsort(list.items, list.count, sizeof list.items[0], compare_statements);
    *ret_count = list.count;
    return list.items;
}

/* What the whole says of the runs that a cut has in full. */
static bool may_be_complete(const struct reading *whole, const struct reading *cut)
{
    size_t runs = cut->runs.count > 0 ? cut->runs.count : 1;

    if (whole->status == READING_COMPLETE)
        return true;
    for (size_t i = 0; i < runs; i++)
        if (i >= whole->runs.count || whole->runs.items[i].status != READING_COMPLETE)
            return false;
    return true;
}

static bool holds_all(const struct reading *reading)
{
    for (size_t i = 0; i < reading->measurements.count; i++)
        if (reading->measurements.items[i].metric[0] == '\0' || reading->measurements.items[i].unit == NULL)
            return false;
    return reading->status == READING_COMPLETE ? reading->reason == NULL
                                               : *reason_english(reading->arena, reading->reason) != '\0';
}

/*
 * A fact named .count says how many entries a list has that has no closing (lspci, nvidia-smi -L, a kernel
 * log): of a list cut between two of them it is less, which only the capture can tell.
 */
static bool is_open_count(const char *statement)
{
    return strncmp(statement, "fact ", 5) == 0 && strstr(statement, ".count  = ") != NULL;
}

static int check_cut(const struct parser *parser, struct slice bytes, const struct reading *whole,
                     const char **truth, size_t truth_count, bool late_failure, struct text *ret_breach)
{
    /* A block of exactly this size, so that one byte read too many is seen. */
    char *copy = malloc(bytes.length > 0 ? bytes.length : 1);
    struct arena *arena = arena_create();
    struct reading cut;
    size_t count;
    const char **statements;
    int result = 0;

    memcpy(copy, bytes.bytes, bytes.length);
    parser_run(parser, (struct slice){copy, bytes.length}, arena, &cut);
    statements = reading_statements(&cut, &count);
    for (size_t i = 0; i < count && result == 0; i++)
        if (!is_open_count(statements[i]) &&
            (truth_count == 0 ||
             bsearch(&statements[i], truth, truth_count, sizeof truth[0], compare_statements) == NULL)) {
            text_printf(ret_breach, "cut at byte %zu says: %s", bytes.length, statements[i]);
            result = -1;
        }
    if (result == 0 && cut.status == READING_COMPLETE && !late_failure && !may_be_complete(whole, &cut)) {
        text_printf(ret_breach, "cut at byte %zu is complete, the whole is not: %s", bytes.length,
                    reason_english(arena, whole->reason));
        result = -1;
    }
    if (result == 0 && !holds_all(&cut)) {
        text_printf(ret_breach, "cut at byte %zu: status %s with reason '%s'", bytes.length,
                    reading_status_name(cut.status), reason_english(arena, cut.reason));
        result = -1;
    }
    arena_destroy(arena);
    free(copy);
    return result;
}

/* line: how many newlines stand before it. */
static bool is_place(struct slice bytes, size_t length, size_t line, struct cut_places places)
{
    bool behind = length > 0 && bytes.bytes[length - 1] == '\n';

    if (length % places.step == 0 || bytes.length - length <= places.last)
        return true;
    return places.lines > 0 && ((behind && (line - 1) % places.lines == 0) ||
                                (bytes.bytes[length] == '\n' && line % places.lines == 0));
}

int check_cuts(const struct parser *parser, struct slice bytes, struct cut_places places, bool late_failure,
               struct text *ret_breach)
{
    struct arena *arena = arena_create();
    struct reading whole;
    size_t count, line = 0;
    const char **truth;
    int result = 0;

    parser_run(parser, bytes, arena, &whole);
    truth = reading_statements(&whole, &count);
    for (size_t length = 0; length < bytes.length && result == 0; length++) {
        line += length > 0 && bytes.bytes[length - 1] == '\n';
        if (is_place(bytes, length, line, places))
            result = check_cut(parser, (struct slice){bytes.bytes, length}, &whole, truth, count,
                               late_failure, ret_breach);
    }
    arena_destroy(arena);
    return result;
}

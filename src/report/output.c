/* SPDX-License-Identifier: Apache-2.0 */
/* What a host printed, as text that a person reads: line by line, and nothing in it steers a terminal. */
#include <string.h>

#include "assay/base/printable.h"
#include "assay/base/scan.h"
#include "assay/report/report.h"

enum { HEAD_BYTES = 4096 };
static const char marker[] = "@assay-part ";

bool output_next_line(struct slice *rest, struct slice *ret_line)
{
    size_t length = 0;

    if (rest->length == 0)
        return false;
    while (length < rest->length && rest->bytes[length] != '\n' && rest->bytes[length] != '\r')
        length++;
    *ret_line = (struct slice){rest->bytes, length};
    if (length + 1 < rest->length && rest->bytes[length] == '\r' && rest->bytes[length + 1] == '\n')
        length++;
    *rest = slice_from(*rest, length < rest->length ? length + 1 : length);
    return true;
}

/* A NUL may not be shown either, and ends no string: between two of them stands one. */
static void put_printable(struct slice line, struct text *out)
{
    cleanup_text struct text text = {0};
    struct slice character;
    const char *at;

    text_init(&text, line.length);
    text_add(&text, line.bytes, line.length);
    for (size_t i = 0; i < text.length; i++)
        if (text.bytes[i] == '\0')
            text.bytes[i] = '\x7f';
    at = text.bytes;
    while (printable_next(&at, &character))
        text_add(out, character.bytes, character.length);
}

void output_line(struct slice line, struct text *out)
{
    struct slice rest = line, secret;

    if (scan_text(&rest, marker) && scan_word(&rest, &secret)) {
        text_put(out, "#");
        line = rest;
    }
    put_printable(line, out);
    text_put(out, "\n");
}

static void put_lines(struct slice rest, struct text *out)
{
    struct slice line;

    while (output_next_line(&rest, &line))
        output_line(line, out);
}

void output_capture(const struct capture *capture, struct text *out)
{
    put_lines(capture->bytes, out);
    if (capture->tail.length > 0) {
        text_printf(out, "# of %llu bytes the first %zu and the last %zu are kept\n",
                    (unsigned long long)capture->length, capture->bytes.length, capture->tail.length);
        put_lines(capture->tail, out);
    }
    if (capture->cut)
        text_put(out, "# it broke off here, or found no room in the run\n");
}

void output_heading(const struct record *record, const struct attempt *attempt, struct text *out)
{
    const struct step *step = &record->plan->steps.items[attempt->step];
    cleanup_arena struct arena *arena = arena_create();
    cleanup_text struct text text = {0};

    text_init(&text, HEAD_BYTES);
    text_printf(&text, "# run %lld, %s, attempt %u on %s: %s, exit status %d", record->number,
                step->shape->suite_step, attempt->n, step_target(arena, step),
                attempt->state == ATTEMPT_ENDED ? attempt_end_name(attempt->end) : "it runs", attempt->rc);
    if (attempt->what != NULL)
        text_printf(&text, "; %s", reason_english(arena, attempt->what));
    printable_line(out, text.bytes);
    text_put(out, "\n");
}

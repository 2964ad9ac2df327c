/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/script_reason.h"

#include <string.h>

#include "assay/reasons/script.h"

#define SENTENCE(code, arguments, english) &sentence_##code,
const struct sentence *const script_sentences[] = {
#include "assay/reasons/script.def"
    NULL};
#undef SENTENCE

/* Up to the next tab, which is taken too; false: there was none, and it is the rest. */
static bool scan_field(struct slice *rest, struct slice *ret_field)
{
    size_t tab = slice_find(*rest, "\t");
    bool more = tab != (size_t)-1;

    *ret_field = (struct slice){rest->bytes, more ? tab : rest->length};
    *rest = slice_from(*rest, more ? tab + 1 : rest->length);
    return more;
}

const struct sentence *script_sentence(struct slice line, const struct sentence *const *sentences)
{
    struct slice code, argument;
    size_t count = 0;
    bool more = scan_field(&line, &code);

    for (; more; count++)
        more = scan_field(&line, &argument);
    for (; *sentences != NULL; sentences++)
        if (slice_equal(code, (*sentences)->code) && count == (*sentences)->arguments)
            return *sentences;
    return NULL;
}

const struct reason *script_reason(struct arena *arena, struct slice line,
                                   const struct sentence *const *sentences)
{
    const struct sentence *sentence = script_sentence(line, sentences);
    struct reason_value *values;
    struct slice field;

    if (sentence == NULL)
        return reason_quote(arena, slice_trim(line));
    values = arena_array(arena, struct reason_value, sentence->arguments);
    scan_field(&line, &field);
    for (size_t i = 0; i < sentence->arguments; i++) {
        scan_field(&line, &field);
        values[i] = reason_value_slice(field);
    }
    return reason_make(arena, sentence, values, sentence->arguments);
}

/* Blank, or only a rule, with which mpirun begins what it says. */
static bool says_nothing(struct slice line)
{
    for (size_t i = 0; i < line.length; i++)
        if (strchr("- \t\r", line.bytes[i]) == NULL)
            return false;
    return true;
}

const struct reason *script_complaint(struct arena *arena, struct slice lines)
{
    struct slice line;

    while (scan_line(&lines, &line))
        if (!says_nothing(line))
            return script_reason(arena, line, script_sentences);
    return NULL;
}

const char *script_line(struct arena *arena, const struct reason *reason)
{
    const char *line = reason->sentence->code;

    array_each (argument, reason->arguments, reason->count)
        line =
            arena_printf(arena, "%s\t%s", line,
                         argument->text != NULL ? argument->text : reason_english(arena, argument->reason));
    return line;
}

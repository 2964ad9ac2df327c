/* SPDX-License-Identifier: Apache-2.0 */
#include "script.h"

#include <string.h>

void script_begin(struct text *out, const char *title)
{
    text_printf(out, "# %s\n", title);
}

void script_assign(struct text *out, const char *name, const char *value)
{
    text_printf(out, "%s=", name);
    text_shell_quote(out, value != NULL ? value : "");
}

void script_set(struct text *out, const char *name, const char *value)
{
    script_assign(out, name, value);
    text_put(out, "\n");
}

void script_set_number(struct text *out, const char *name, double value, int decimals)
{
    text_printf(out, "%s=%.*f\n", name, decimals, value);
}

void script_word(struct text *out, const char *word)
{
    text_put(out, " ");
    text_shell_quote(out, word);
}

void script_words(const struct check_context *context, struct text *out, const char *words)
{
    struct slice rest = slice_of(words), word;

    while (scan_word(&rest, &word))
        script_word(out, arena_strndup(context->arena, word.bytes, word.length));
}

void script_set_hcas(const struct check_context *context, struct text *out)
{
    const char *hca;

    text_put(out, "set --");
    for (size_t i = 0; (hca = check_hca(context, i)) != NULL; i++)
        script_word(out, hca);
    text_put(out, "\n");
}

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

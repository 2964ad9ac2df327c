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

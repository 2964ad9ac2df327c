/* SPDX-License-Identifier: Apache-2.0 */
/* What a command takes, told instead of done: for completion. */
#include <stdio.h>

#include "cli.h"

enum { WORDS_BYTES = 4096 };

static struct cli_syntax *syntax_asked; /* by cli_tell_syntax */

void cli_tell_syntax(struct cli_syntax *syntax)
{
    syntax_asked = syntax;
}

bool cli_syntax_asked(const struct option_row *rows, const char *usage)
{
    enum { ROWS = ARRAY_SIZE(syntax_asked->rows) };

    if (syntax_asked == NULL)
        return false;
    (void)snprintf(syntax_asked->usage, sizeof syntax_asked->usage, "%s", usage);
    syntax_asked->row_count = 0;
    for (; rows->name != NULL && syntax_asked->row_count < ROWS; rows++)
        syntax_asked->rows[syntax_asked->row_count++] = *rows;
    return true;
}

void cli_refuse_verb(const char *command, const char *word, const char *const *verbs, size_t count)
{
    enum { VERBS = ARRAY_SIZE(syntax_asked->verbs) };
    cleanup_text struct text list = {0};

    if (syntax_asked != NULL) {
        syntax_asked->verb_count = count < VERBS ? count : VERBS;
        for (size_t i = 0; i < syntax_asked->verb_count; i++)
            syntax_asked->verbs[i] = verbs[i];
        return;
    }
    text_init(&list, WORDS_BYTES);
    for (size_t i = 0; i < count; i++)
        text_printf(&list, "%s%s", i > 0 ? ", " : "", verbs[i]);
    cli_warn("assay: %s: '%s' is %s %s%s\n", command, word, count > 1 ? "none of" : "not", list.bytes,
             did_you_mean(word, verbs, count).text);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What a command takes, told instead of done: for completion. */
#include <stdio.h>
#include <string.h>

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

/* The word is none of the verbs: perhaps one of them was meant. */
static void refuse(const char *command, const char *word, const char *const *verbs, size_t count)
{
    cleanup_text struct text list = {0};

    text_init(&list, WORDS_BYTES);
    for (size_t i = 0; i < count; i++)
        text_printf(&list, "%s%s", i > 0 ? ", " : "", verbs[i]);
    cli_warn("assay: %s: '%s' is %s %s%s\n", command, word, count > 1 ? "none of" : "not", list.bytes,
             did_you_mean(word, verbs, count).text);
}

int cli_verbs(const char *command, const struct cli_verb *verbs, size_t count, int (*help)(FILE *out),
              int argc, char **argv)
{
    enum { VERBS = ARRAY_SIZE(syntax_asked->verbs) };
    const char *names[VERBS];
    size_t shown = 0;

    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return help(stdout);
    for (size_t i = 0; argc > 1 && i < count; i++)
        if (strcmp(verbs[i].name, argv[1]) == 0)
            return verbs[i].run(argc - 1, argv + 1);
    while (shown < count && shown < VERBS) {
        names[shown] = verbs[shown].name;
        shown++;
    }
    if (syntax_asked != NULL) {
        memcpy(syntax_asked->verbs, names, shown * sizeof names[0]);
        syntax_asked->verb_count = shown;
    } else if (argc > 1) {
        refuse(command, argv[1], names, shown);
    }
    return help(stderr);
}

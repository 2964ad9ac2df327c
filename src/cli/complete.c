/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words before the cursor are a command, perhaps its verb, options and operands. The command is called as if for its
 * help, and tells its verbs, rows of options and usage instead (cli_tell_syntax). The word of the usage or of the row says
 * what kind of thing is wanted: RUN, HOST, SUITE; each kind is a row.
 */
#include "complete.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/model/suite.h"
#include "assay/parse/parser.h"

enum { RUNS_OFFERED = 50 };

struct words {
    char **items; /* the last one is what is typed */
    int count;
};

struct completion {
    struct arena *arena;
    struct words words;
    int first; /* of the words behind command and verb */
    struct cli_syntax syntax;
    const char *typed;            /* what a candidate begins with */
    const char *kept;             /* of a list "a,b,c" what stands before the last item */
    const struct option_row *row; /* whose value is wanted; NULL: an operand's */
};

static void offer(const struct completion *completion, const char *word, const char *what)
{
    if (strncmp(word, completion->typed, strlen(completion->typed)) == 0)
        cli_print("%s%s\t%s\n", completion->kept, word, what);
}

static bool is_option(const char *word, const struct option_row *row)
{
    return row->type != OPTION_TITLE &&
           ((strncmp(word, "--", 2) == 0 && strcmp(word + 2, row->name) == 0) ||
            (word[0] == '-' && row->letter != 0 && word[1] == row->letter && word[2] == '\0'));
}

/* The row whose value the word behind `word` is; NULL: it takes none. */
static const struct option_row *valued(const struct completion *completion, const char *word)
{
    for (size_t i = 0; i < completion->syntax.row_count; i++)
        if (is_option(word, &completion->syntax.rows[i]))
            return completion->syntax.rows[i].type != OPTION_FLAG ? &completion->syntax.rows[i] : NULL;
    return NULL;
}

/* The value that an option has in the words; NULL: it is not given. */
static const char *given(const struct completion *completion, const char *name)
{
    for (int i = completion->first; i + 2 < completion->words.count; i++) {
        const struct option_row *row = valued(completion, completion->words.items[i]);

        if (row != NULL && strcmp(row->name, name) == 0)
            return completion->words.items[i + 1];
    }
    return NULL;
}

/* The index-th word that is no option and no value of one; NULL: there are not so many before the cursor. */
static const char *operand(const struct completion *completion, int index)
{
    for (int i = completion->first; i + 1 < completion->words.count; i++) {
        if (valued(completion, completion->words.items[i]) != NULL)
            i++;
        else if (completion->words.items[i][0] != '-' && index-- == 0)
            return completion->words.items[i];
    }
    return NULL;
}

/* --- what there is of each kind --- */

static struct store *open_store(const struct completion *completion)
{
    return store_open(cli_database(given(completion, "db")), true, NULL);
}

static void offer_runs(const struct completion *completion)
{
    cleanup_store struct store *store = open_store(completion);
    struct run_summary *runs;
    size_t count = 0;

    if (store != NULL && store_list_runs(store, completion->arena, RUNS_OFFERED, &runs, &count, NULL) == 0)
        for (size_t i = 0; i < count; i++)
            offer(completion, arena_printf(completion->arena, "%lld", runs[i].number),
                  runs[i].damage != NULL
                      ? "damaged"
                      : arena_printf(completion->arena, "%s, %zu hosts, %.16s", runs[i].suite, runs[i].hosts,
                                     time_text(completion->arena, runs[i].started)));
}

static void offer_acceptances(const struct completion *completion)
{
    cleanup_store struct store *store = open_store(completion);
    struct acceptance_names names = {0};

    if (store != NULL && store_list_acceptances(store, completion->arena, &names, NULL) == 0)
        for (size_t i = 0; i < names.items.count; i++)
            offer(completion, names.items.items[i], "acceptance");
}

/* The run that the words speak of: their RUN, else the last one. */
static struct record *asked_run(const struct completion *completion, struct store *store)
{
    const char *word = operand(completion, 0);
    long long number = word != NULL && isdigit((unsigned char)*word) ? store_find_run(store, word, NULL) : 0;

    return store_load_question(store, completion->arena, number, NULL);
}

/* The terminal and pipes are read by no key press: it would be waited for what nobody sends. */
static bool would_wait(const char *path)
{
    struct stat status;

    return strcmp(path, "-") == 0 || (stat(path, &status) == 0 && !S_ISREG(status.st_mode));
}

static void offer_hosts(const struct completion *completion)
{
    const char *path = given(completion, "hostfile");
    cleanup_store struct store *store = path == NULL ? open_store(completion) : NULL;
    const struct hostfile *file =
        path != NULL && !would_wait(path) ? hostfile_load(completion->arena, path, NULL) : NULL;
    const struct record *record = store != NULL ? asked_run(completion, store) : NULL;

    for (size_t i = 0; file != NULL && i < file->hosts.count; i++)
        offer(completion, file->hosts.items[i].name, "host");
    for (size_t i = 0; record != NULL && i < record->plan->hosts.count; i++)
        offer(completion, record->plan->hosts.items[i]->name, "host");
}

static void offer_steps_of(const struct completion *completion, const struct suite *suite)
{
    for (size_t i = 0; suite != NULL && i < suite->steps.count; i++)
        offer(completion, suite->steps.items[i].name,
              strcmp(suite->steps.items[i].name, suite->steps.items[i].check) != 0
                  ? suite->steps.items[i].check
                  : "step");
}

static void offer_steps(const struct completion *completion)
{
    const char *name = given(completion, "suite");
    cleanup_store struct store *store = name == NULL ? open_store(completion) : NULL;
    const struct record *record = store != NULL ? asked_run(completion, store) : NULL;

    if (name != NULL && !would_wait(name))
        offer_steps_of(completion, suite_load(completion->arena, name, NULL));
    for (size_t i = 0; record != NULL && i < record->documents.count; i++)
        if (strcmp(record->documents.items[i].kind, "suite") == 0)
            offer_steps_of(completion, suite_parse(completion->arena, record->documents.items[i].name,
                                                   record->documents.items[i].bytes, NULL));
}

static void offer_built_in(const struct completion *completion, const char *kind)
{
    builtin_each (row, kind)
        offer(completion, row->name, "built in");
}

static void offer_files(const struct completion *completion)
{
    (void)completion;
    cli_print(":files\n");
}

static void offer_folders(const struct completion *completion)
{
    (void)completion;
    cli_print(":folders\n");
}

static void offer_suites(const struct completion *completion)
{
    offer_built_in(completion, "suites");
    offer_files(completion);
}

static void offer_baselines(const struct completion *completion)
{
    offer_built_in(completion, "baselines");
    offer_files(completion);
}

static void offer_platforms(const struct completion *completion)
{
    offer_built_in(completion, "platforms");
    offer_files(completion);
}

static void offer_repairs(const struct completion *completion)
{
    offer_built_in(completion, "repair");
}

static void offer_tools(const struct completion *completion)
{
    size_t count;
    const struct parser *const *parsers = parser_list(&count);

    for (size_t i = 0; i < count; i++)
        offer(completion, parsers[i]->name, "tool");
}

/* "html, text or json": the help of the row names its values first. "auto (a board), plain (a log) or none" does too. */
static void offer_named(const struct completion *completion)
{
    const char *at = completion->row != NULL ? completion->row->help : "";

    while (islower((unsigned char)*at)) {
        size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz-");
        const char *word = arena_strndup(completion->arena, at, length);

        at += length;
        if (strncmp(at, " (", 2) == 0)
            at += strcspn(at, ")") + (strchr(at, ')') != NULL);
        if (*at != ',' && *at != '\0' && *at != ';' && strncmp(at, " or ", 4) != 0)
            return;
        offer(completion, word, "");
        if (strncmp(at, " or ", 4) == 0)
            at += 4;
        else if (strncmp(at, ", ", 2) == 0 && strncmp(at, ", of ", 5) != 0)
            at += 2;
        else
            return;
    }
}

typedef void offer_kind(const struct completion *completion);

/* What a usage or a row calls it; where `option` is given, of that option only. `of`: of that command only. */
static const struct kind {
    const char *word, *option, *of;
    offer_kind *offer;
} kinds[] = {
    {"LIST", "steps", NULL, offer_steps},
    {"LIST", NULL, NULL, offer_hosts},
    {"NAME", "baseline", NULL, offer_baselines},
    {"NAME", "base", NULL, offer_baselines},
    {"NAME", "platform", NULL, offer_platforms},
    {"NAME", NULL, "acceptance", offer_acceptances},
    {"NAME", NULL, "baseline", offer_baselines},
    {"RUN", NULL, NULL, offer_runs},
    {"HOST", NULL, NULL, offer_hosts},
    {"SPARE", NULL, NULL, offer_hosts},
    {"STEP", NULL, NULL, offer_steps},
    {"SUITE", NULL, NULL, offer_suites},
    {"CLASS", NULL, "repair", offer_repairs},
    {"TOOL", NULL, NULL, offer_tools},
    {"HOSTFILE", NULL, NULL, offer_files},
    {"FILE", NULL, NULL, offer_files},
    {"REPORT", NULL, NULL, offer_files},
    {"BUNDLE", NULL, NULL, offer_files},
    {"KEY", NULL, NULL, offer_files},
    {"DIR", NULL, NULL, offer_folders},
    {"FOLDER", NULL, NULL, offer_folders},
};

static void offer_kind_of(const struct completion *completion, const char *word, size_t length)
{
    const char *command = completion->words.items[0];

    array_each (kind, kinds, ARRAY_SIZE(kinds)) {
        if (strlen(kind->word) != length || strncmp(kind->word, word, length) != 0 ||
            (kind->option != NULL &&
             (completion->row == NULL || strcmp(completion->row->name, kind->option) != 0)) ||
            (kind->of != NULL && (completion->row != NULL || strcmp(command, kind->of) != 0)))
            continue;
        kind->offer(completion);
        return;
    }
    offer_named(completion);
}

/* --- where the cursor stands --- */

static bool is_option_word(const char *word)
{
    return word[0] == '-' && (isalpha((unsigned char)word[1]) || word[1] == '-');
}

static bool is_placeholder(char byte)
{
    return isupper((unsigned char)byte);
}

/* "[RUN [HOST [STEP]]]": the index-th word in capitals that is no option's value, and all that stand beside it in "A|B". */
static void offer_operand(const struct completion *completion, int index)
{
    const char *usage = completion->syntax.usage;
    int at = 0;
    bool value = false;

    for (const char *word = usage; *word != '\0' && strncmp(word, "        ", 8) != 0;) {
        size_t length = strcspn(word, " ");
        const char *end = word + length, *inner = word;

        if (word[0] == '-' || (word[0] == '[' && word[1] == '-')) {
            value = true;
        } else if (!value && strpbrk(arena_strndup(completion->arena, word, length),
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != NULL) {
            bool repeats =
                length > 3 && strstr(arena_strndup(completion->arena, word, length), "...") != NULL;

            if (at++ == index || repeats) {
                while (inner < end) {
                    size_t letters = 0;

                    while (inner + letters < end && is_placeholder(inner[letters]))
                        letters++;
                    if (letters > 0)
                        offer_kind_of(completion, inner, letters);
                    inner += letters > 0 ? letters : 1;
                }
                return;
            }
        } else {
            value = false;
        }
        word = end + (*end == ' ');
    }
}

static void offer_options(const struct completion *completion)
{
    array_each (row, completion->syntax.rows, completion->syntax.row_count)
        if (row->type != OPTION_TITLE)
            offer(completion, arena_printf(completion->arena, "--%s", row->name), row->help);
    offer(completion, "--help", "prints all options");
}

static void offer_commands(const struct completion *completion, const struct command *commands, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (commands[i].summary != NULL)
            offer(completion, commands[i].name, commands[i].summary);
    offer(completion, "help", "of a command");
    offer(completion, "version", "of this program");
    if (completion->typed[0] == '-') {
        offer(completion, "--help", "all commands");
        offer(completion, "--version", "of this program");
    }
}

static void offer_verbs(const struct completion *completion)
{
    for (size_t i = 0; i < completion->syntax.verb_count; i++)
        offer(completion, completion->syntax.verbs[i], "");
}

/* Calls the command, which tells its syntax and does nothing; what it says beside that nobody sees. */
static bool ask(const struct command *commands, size_t count, const char *name, const char *verb,
                struct cli_syntax *ret_syntax)
{
    char *argv[] = {(char *)name, (char *)verb, NULL};
    int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    bool known = false;

    (void)fflush(stdout);
    if (out >= 0 && err >= 0 && nowhere >= 0) {
        (void)dup2(nowhere, STDOUT_FILENO);
        (void)dup2(nowhere, STDERR_FILENO);
        cli_tell_syntax(ret_syntax);
        for (size_t i = 0; i < count; i++)
            if (strcmp(commands[i].name, name) == 0) {
                (void)commands[i].run(verb != NULL ? 2 : 1, argv);
                known = true;
            }
        cli_tell_syntax(NULL);
        (void)fflush(stdout);
        (void)dup2(out, STDOUT_FILENO);
        (void)dup2(err, STDERR_FILENO);
    }
    close(out);
    close(err);
    close(nowhere);
    return known;
}

/* The last item of a list is what is typed. */
static void split_list(struct completion *completion)
{
    const char *comma = strrchr(completion->typed, ',');

    if (completion->row == NULL || completion->row->argument == NULL ||
        strcmp(completion->row->argument, "LIST") != 0 || comma == NULL)
        return;
    completion->kept =
        arena_strndup(completion->arena, completion->typed, (size_t)(comma - completion->typed) + 1);
    completion->typed = comma + 1;
}

static void offer_within(struct completion *completion)
{
    const char *before = completion->words.count - completion->first >= 2
                             ? completion->words.items[completion->words.count - 2]
                             : "";
    int operands = 0;

    completion->row = valued(completion, before);
    split_list(completion);
    if (completion->row != NULL) {
        offer_kind_of(completion, completion->row->argument, strlen(completion->row->argument));
        return;
    }
    if (is_option_word(completion->typed) || strcmp(completion->typed, "-") == 0) {
        offer_options(completion);
        return;
    }
    while (operand(completion, operands) != NULL)
        operands++;
    offer_operand(completion, operands);
}

int complete(const struct command *commands, size_t count, int argc, char **argv)
{
    struct completion *completion = mem_alloc(sizeof *completion);

    *completion = (struct completion){.kept = "", .words = {argv + 1, argc - 1}, .first = 1, .typed = ""};
    completion->arena = arena_create();
    if (argc > 1)
        completion->typed = argv[argc - 1];
    if (completion->words.count > 1 && strcmp(completion->words.items[0], "help") == 0) {
        completion->words.items++;
        completion->words.count--;
    }
    if (completion->words.count <= 1) {
        offer_commands(completion, commands, count);
    } else if (ask(commands, count, completion->words.items[0], "?", &completion->syntax)) {
        if (completion->syntax.verb_count > 0 && completion->words.count == 2) {
            offer_verbs(completion);
        } else {
            if (completion->syntax.verb_count > 0) {
                ask(commands, count, completion->words.items[0], completion->words.items[1],
                    &completion->syntax);
                completion->first = 2;
            }
            offer_within(completion);
        }
    }
    arena_destroy(completion->arena);
    free(completion);
    return EXIT_ACCEPT;
}

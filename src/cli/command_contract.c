/* SPDX-License-Identifier: Apache-2.0 */
/* A contract to begin with: a clause for each gate of the plan that one can state, with where it comes from; and any contract as
   a table. */
#include <stdio.h>
#include <string.h>

#include "assay/app/question.h"
#include "assay/base/files.h"
#include "assay/model/suite.h"
#include "assay/report/report.h"
#include "cli.h"
#include "contract_draft.h"

enum { CONTRACT_BYTES = 16 * 1024 * 1024 };

static void put_words(struct json_writer *writer, struct arena *arena, const char *words)
{
    json_member_array(writer, "one_of");
    for (const char *word = words; *word != '\0';) {
        size_t length = strcspn(word, "|");

        json_put_string(writer, arena_strndup(arena, word, length));
        word += length + (word[length] == '|');
    }
    json_close_array(writer);
}

static void put_rule(struct json_writer *writer, struct arena *arena, const struct limit *limit)
{
    const char *name = limit_rule_name(limit->rule);

    if (limit->rule == RULE_ONE_OF)
        put_words(writer, arena, limit->text);
    else if (limit->rule == RULE_EQUAL || limit->rule == RULE_MIN_VERSION)
        json_member(writer, name, limit->text);
    else if (limit->rule == RULE_SAME) {
        json_member_boolean(writer, name, true);
    } else if (limit->rule == RULE_RANGE) {
        json_member_array(writer, name);
        json_put_number(writer, limit_gate(limit));
        json_put_number(writer, limit_gate_most(limit));
        json_close_array(writer);
    } else {
        json_member_number(writer, name, limit_gate(limit));
    }
    if (limit_is_number(limit))
        json_member(writer, "unit", limit->unit != NULL && *limit->unit != '\0' ? limit->unit : "count");
}

static void put_clause(struct json_writer *writer, struct arena *arena, const struct clause *clause,
                       size_t number)
{
    const struct limit *limit = clause->limit;

    json_open_object(writer);
    json_member(writer, "clause", arena_printf(arena, "%zu", number));
    json_member(writer, "metric", clause->slot->metric);
    if (clause->of_subject)
        json_member(writer, "subject", clause->slot->subject);
    json_member(writer, "platform", clause->shape->platform);
    json_member(writer, "scope", clause->shape->scope);
    json_member_number(writer, "hosts_min", clause->shape->hosts);
    json_member_number(writer, "hosts_max", clause->shape->hosts);
    if (clause->shape->racks > 0 && clause->shape->hosts > 1) {
        json_member_number(writer, "racks_min", clause->shape->racks);
        json_member_number(writer, "racks_max", clause->shape->racks);
        if (clause->shape->racks > 1)
            json_member_number(writer, "rack_hosts_min", clause->shape->rack_hosts);
    }
    if (clause->slot->size_bytes > 0) {
        json_member(writer, "size_min", size_text(arena, clause->slot->size_bytes));
        json_member(writer, "size_max",
                    size_text(arena, clause->size_max > 0 ? clause->size_max : clause->slot->size_bytes));
    }
    put_rule(writer, arena, limit);
    json_member(
        writer, "source",
        arena_printf(arena, CONTRACT_PROPOSED "%s: %s", limit_status_name(limit->status), limit->source));
    json_close_object(writer);
}

/* Each metric once; "" where there is none. */
static const char *name_metrics(struct arena *arena, const char *why, const struct clause *clauses,
                                size_t count)
{
    const char *text = "";

    for (size_t i = 0; i < count; i++) {
        const char *metric = clauses[i].slot->metric;
        bool told = false;

        for (size_t k = 0; k < i; k++)
            told |= strcmp(clauses[k].slot->metric, metric) == 0;
        if (!told)
            text = arena_printf(arena, "%s%s %s", text, i == 0 ? why : ",", metric);
    }
    return text;
}

static const char *note_of(struct arena *arena, const struct draft *draft)
{
    return arena_printf(
        arena,
        "Each clause has assay's own figure, and in its source the status and where it comes from. Change "
        "the figures and the sources to what the parties agree on, and delete what they do not. Where the "
        "status is tool, the check asks for that by itself, with and without the clause.%s%s%s",
        name_metrics(arena,
                     " Gates that have no clause, as another step only records the same, and would judge it:",
                     draft->shared.items, draft->shared.count),
        draft->shared.count > 0 ? "." : "",
        name_metrics(arena, " Gates that have no clause, as they go by rules of the checks:",
                     draft->unsaid.items, draft->unsaid.count));
}

static void put_draft(struct text *out, struct arena *arena, const struct draft *draft, const char *name,
                      const char *suite)
{
    struct json_writer writer;

    json_writer_init(&writer, out, false);
    json_open_object(&writer);
    json_member(&writer, "name", name);
    json_member(&writer, "title",
                arena_printf(arena, CONTRACT_DRAFT_BEFORE "%s" CONTRACT_DRAFT_BEHIND, suite));
    json_member(&writer, "note", note_of(arena, draft));
    json_member_array(&writer, "limits");
    for (size_t i = 0; i < draft->clauses.count; i++)
        put_clause(&writer, arena, &draft->clauses.items[i], i + 1);
    json_close_array(&writer);
    json_close_object(&writer);
    text_put(out, "\n");
}

static void tell_without(const struct draft *draft)
{
    for (size_t i = 0; i < draft->shared.count; i++)
        cli_warn("assay: note: %s has no clause: step %s only records it, and would judge it by one\n",
                 draft->shared.items[i].slot->metric, draft->shared.items[i].recorded_by);
    list_each (clause, draft->without)
        cli_warn("assay: note: there is no figure for %s of step %s on %s: add a clause for it\n",
                 clause->slot->metric, clause->shape->suite_step, clause->shape->platform);
}

/* To standard error, as what there is to say of the draft. */
static void tell_written(const char *path, size_t clauses)
{
    cli_warn(
        "assay: %s is written, with %zu clauses; next: agree on each figure and its source, look at them "
        "with `assay contract show %s`, and test by them with `assay run --contract %s`\n",
        path, clauses, path, path);
}

static int write_draft(struct arena *arena, const struct question *question, const char *name,
                       const char *output, struct error *err)
{
    cleanup_text struct text out = {0};
    struct draft draft;

    contract_draft(arena, question, &draft);
    tell_without(&draft);
    if (draft.clauses.count == 0) {
        cli_warn("assay: contract init: no gate of this plan has a figure, and nothing was written\n");
        return EXIT_INCOMPLETE;
    }
    text_init(&out, CONTRACT_BYTES);
    put_draft(&out, arena, &draft, name, question->sources.suite->name);
    /* What we write ourselves must be what we read. */
    if (contract_parse(arena, output, (struct slice){out.bytes, out.length}, err) == NULL ||
        file_write(output, out.bytes, out.length, 0644, err) < 0)
        return cli_fail(err);
    if (strcmp(output, "-") != 0)
        tell_written(output, draft.clauses.count);
    return EXIT_ACCEPT;
}

/* What a delivery is refused for is just what the contract is to say: planned as a trial, it is not. */
static int make_plan(struct arena *arena, struct question *question, struct error *err)
{
    struct suite *trial = arena_new(arena, struct suite);

    if (question_load(arena, question, err) < 0)
        return -1;
    *trial = *question->sources.suite;
    trial->delivery = false;
    question->sources.suite = trial;
    return question_build_plan(arena, question, "00000000-0000-0000-0000-000000000000", err);
}

static int verb_init(int argc, char **argv)
{
    struct question cli = {0};
    const char *output = "-", *name = "contract";
    const struct option_row rows[] = {
        CLI_HOSTFILE_ROW(&cli),
        CLI_SUITE_ROW(&cli),
        CLI_BASELINE_ROW(&cli),
        {"name", 0, OPTION_STRING, "NAME", &name, "name of the contract; default: contract"},
        CLI_OUTPUT_ROW(&output),
        OPTION_END,
    };
    struct error err = {0};
    cleanup_arena struct arena *arena = NULL;
    int first, status;

    if (!cli_options(rows, "contract init -H HOSTFILE -s SUITE", argc, argv, &first, &status))
        return status;
    if (first < argc)
        return cli_unexpected("contract init", argv[first]);
    arena = arena_create();
    return make_plan(arena, &cli, &err) < 0 ? cli_fail(&err) : write_draft(arena, &cli, name, output, &err);
}

/* -- show ------------------------------------------------------------------------------------------------------ */

static const struct form {
    const char *name;
    void (*write)(const struct contract *, enum report_language, struct text *);
} forms[] = {{"text", report_contract_text}, {"html", report_contract_html}};

static const struct form *find_form(const char *name, struct error *err)
{
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
        if (strcmp(forms[i].name, name) == 0)
            return &forms[i];
    error_set(err, ERROR_USAGE, "unknown format '%s'; expected text or html", name);
    return NULL;
}

static int show(const char *file, const char *format, const char *lang, const char *output)
{
    cleanup_arena struct arena *arena = arena_create();
    cleanup_text struct text out = {0};
    struct error err = {0};
    enum report_language language;
    const struct form *form = find_form(format, &err);
    const struct contract *contract;

    if (form == NULL)
        return cli_fail(&err);
    if (!cli_language(lang, &language)) {
        error_set(&err, ERROR_USAGE, "unknown language '%s'; expected " LANGUAGES_SAID, lang);
        return cli_fail(&err);
    }
    contract = contract_load(arena, file, &err);
    if (contract == NULL)
        return cli_fail(&err);
    text_init(&out, CONTRACT_BYTES);
    form->write(contract, language, &out);
    return file_write(output, out.bytes, out.length, 0644, &err) < 0 ? cli_fail(&err) : EXIT_ACCEPT;
}

static int verb_show(int argc, char **argv)
{
    const char *format = "text", *lang = NULL, *output = "-";
    const struct option_row rows[] = {
        {"format", 'f', OPTION_STRING, "NAME", &format,
         "text or html (to print and write into); default: text"},
        CLI_LANG_ROW(&lang, ""),
        CLI_OUTPUT_ROW(&output),
        OPTION_END,
    };
    int first, status;

    if (!cli_options(rows, "contract show FILE", argc, argv, &first, &status))
        return status;
    if (first + 1 != argc) {
        cli_warn("assay: contract show: expected one file; `assay contract init` writes one\n");
        return EXIT_USAGE;
    }
    return show(argv[first], format, lang, output);
}

static int help(FILE *out)
{
    fprintf(out, "usage: assay contract VERB\n\n"
                 "  init   -H HOSTFILE -s SUITE  a clause for each gate of the plan, to start from\n"
                 "  show   FILE                  any contract as a table, with room for what is\n"
                 "                               agreed\n\n"
                 "Each clause has our figure, and its status and source beside it, ready to be\n"
                 "negotiated: `tool` where it is a check's own rule, which holds with and without\n"
                 "it. What nobody has a figure for is named, and in the note what no clause can\n"
                 "state. Exit status: 0, 2 where there was no figure at all, 64 for a bad input.\n");
    cli_put_examples(out, "contract");
    return out == stdout ? EXIT_ACCEPT : EXIT_USAGE;
}

int command_contract(int argc, char **argv)
{
    static const struct cli_verb verbs[] = {{.name = "init", .run = verb_init},
                                            {.name = "show", .run = verb_show}};

    return cli_verbs("contract", verbs, ARRAY_SIZE(verbs), help, argc, argv);
}

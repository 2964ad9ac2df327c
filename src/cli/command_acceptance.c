/* SPDX-License-Identifier: Apache-2.0 */
/* assay acceptance: the campaign over many runs. Every word of it only adds; nothing that was said before changes. */
#include <stdio.h>
#include <string.h>

#include "acceptance_next.h"
#include "assay/app/campaign_change.h"
#include "assay/app/campaign_folder.h"
#include "assay/base/cleanup.h"
#include "assay/base/clock.h"
#include "assay/base/files.h"
#include "cli.h"

enum { REPORT_BYTES = 1024 * 1024 * 1024, HELP_BYTES = 64 * 1024 };

/* A verb's words, and the database. */
struct words {
    int argc, first; /* its operands are argv[first...] */
    char **argv;
    const char *db;
    struct arena *arena;
    struct store *store;
    struct error err;
};

static int verb_create(int argc, char **argv);
static int verb_add(int argc, char **argv);
static int verb_event(int argc, char **argv);
static int verb_withdraw(int argc, char **argv);
static int verb_status(int argc, char **argv);
static int verb_report(int argc, char **argv);
static int verb_list(int argc, char **argv);

static const struct cli_verb verbs[] = {
    {"create", "NAME -H HOSTFILE -s SUITE [--baseline NAME] [--contract FILE]",
     "starts one: everything that the suite requires of these hosts must be shown", verb_create},
    {"add", "NAME RUN... [--adopt WHO --note TEXT]",
     "adds runs, of all hosts and steps or of some; of the same suite and limits", verb_add},
    {"event",
     "NAME repair|swap|spare|note HOSTS [--what WORK] [--item gpu3] [--by SPARE] [--note TEXT] [--when TIME]",
     "records what was done: only this, followed by three passes out of three, replaces a fail", verb_event},
    {"withdraw", "NAME EVENT --note TEXT",
     "an event that was recorded by mistake no longer counts, but is still shown", verb_withdraw},
    {"status", "NAME [--next DIR]",
     "what is missing; writes hostfile, suite and commands of the next runs, and a script of them",
     verb_status},
    {"report", "NAME [--format html|text|json] [--lang " LANGUAGES_BARRED "] [-o FILE] [--sign KEY]",
     "its state and its history", verb_report},
    {"list", "", "the acceptances in the database", verb_list},
};

/* -- the words ------------------------------------------------------------------------------------------------- */

static const struct cli_verb *verb_of(const char *name)
{
    const struct cli_verb *verb = verbs;

    while (strcmp(verb->name, name) != 0)
        verb++;
    return verb;
}

/* Options and operands, at most so many (-1: any number); false: *ret_status is what is to be returned. */
static bool take_operands(struct words *words, const struct option_row *rows, int least, int most,
                          int *ret_status)
{
    const struct cli_verb *verb = verb_of(words->argv[0]);
    int count;
    char usage[256];

    snprintf(usage, sizeof usage, "acceptance %s %s", verb->name, verb->operands);
    if (!cli_options(rows, usage, words->argc, words->argv, &words->first, ret_status))
        return false;
    count = words->argc - words->first;
    if (count < least || (most >= 0 && count > most)) {
        cli_warn("assay: acceptance %s: expected %s\n", verb->name, verb->operands);
        *ret_status = EXIT_USAGE;
        return false;
    }
    return true;
}

/* Likewise, and the database, which must be there. */
static bool take_words(struct words *words, const struct option_row *rows, int least, int most,
                       int *ret_status)
{
    if (!take_operands(words, rows, least, most, ret_status))
        return false;
    words->store = cli_stored(words->db, &words->err);
    if (words->store == NULL)
        *ret_status = cli_fail(&words->err);
    else
        words->arena = arena_create();
    return words->store != NULL;
}

static int end(struct words *words, int status)
{
    store_close(words->store);
    arena_destroy(words->arena);
    return status;
}

/* -- create ---------------------------------------------------------------------------------------------------- */

static int create(struct words *words, struct question *question)
{
    const char *name = words->argv[words->first];
    const struct plan *plan;
    struct acceptance *draft =
        campaign_draft(words->arena, question, name, words->argc, words->argv, &words->err);

    if (draft != NULL)
        words->store = store_open(cli_database(words->db), false, &words->err);
    if (words->store == NULL || campaign_create(words->store, draft, &words->err) < 0)
        return cli_fail(&words->err);
    plan = question->plan;
    cli_print(
        "acceptance: %s\n%zu host%s, %zu step%s, %zu gate%s; add runs with `assay acceptance add %s RUN%s`\n",
        name, plan->hosts.count, plan->hosts.count == 1 ? "" : "s", plan->steps.count,
        plan->steps.count == 1 ? "" : "s", plan->gate_count, plan->gate_count == 1 ? "" : "s", name,
        cli_database_words(words->arena, words->db));
    return EXIT_ACCEPT;
}

static int verb_create(int argc, char **argv)
{
    struct question question = {0};
    struct words words = {.argc = argc, .argv = argv};
    const struct option_row rows[] = {
        {"hostfile", 'H', OPTION_STRING, "FILE", &question.hostfile, "all hosts and spares"},
        {"suite", 's', OPTION_STRING, "SUITE", &question.suite, "the agreed test plan"},
        CLI_BASELINE_ROW(&question),
        {"contract", 0, OPTION_STRING, "FILE", &question.contract,
         "limits agreed in a contract, which outrank all others"},
        CLI_DB_ROW(&words.db),
        OPTION_END,
    };
    int status;

    if (!take_operands(&words, rows, 1, 1, &status))
        return status;
    words.arena = arena_create();
    return end(&words, create(&words, &question));
}

/* -- how it stands --------------------------------------------------------------------------------------------- */

static void print_lines(const struct acceptance *acceptance)
{
    struct acceptance_line *lines;
    size_t count = acceptance_lines(acceptance->arena, acceptance, &lines);

    for (size_t i = 0; i < count; i++)
        cli_print("%s: %s on %s: %s\n", requirement_state_name(lines[i].state), lines[i].step,
                  reason_english(acceptance->arena, lines[i].targets),
                  reason_english(acceptance->arena, lines[i].why));
    for (size_t i = 0; i < acceptance->conflicts.count; i++)
        cli_print("hardware: %s\n", reason_english(acceptance->arena, acceptance_conflict_text(
                                                                          acceptance->arena, acceptance, i)));
    for (size_t i = 0; i < acceptance->changes.count; i++)
        if (!acceptance->changes.items[i].recorded)
            cli_print("hardware: %s\n",
                      reason_english(acceptance->arena, change_text(acceptance->arena, acceptance,
                                                                    &acceptance->changes.items[i])));
}

static int print_state(const struct acceptance_hint *hint)
{
    const struct acceptance *acceptance = hint->acceptance;
    const struct reason *left_out = acceptance_left_out_text(acceptance->arena, acceptance);
    const struct reason *caveat = caveat_of_acceptance(acceptance->arena, acceptance);

    print_lines(acceptance);
    if (left_out != NULL)
        cli_print("left out: %s\n", reason_english(acceptance->arena, left_out));
    for (size_t i = 1; i < acceptance->verdicts.count; i++)
        cli_print("unit: %s: %s (%s)\n", acceptance->verdicts.items[i].unit,
                  verdict_name(acceptance->verdicts.items[i].word),
                  reason_english(acceptance->arena,
                                 acceptance_counts_text(acceptance->arena, &acceptance->verdicts.items[i])));
    if (caveat != NULL)
        cli_print("note: %s\n", reason_english(acceptance->arena, caveat));
    acceptance_next_print(hint);
    cli_print("acceptance: %s\nverdict: %s\n", acceptance->name,
              reason_english(acceptance->arena, acceptance_verdict_text(acceptance->arena, acceptance)));
    return verdict_exit_status(acceptance->verdicts.items[0].word);
}

static int load_and_print(struct words *words, const char *name)
{
    struct campaign campaign;
    struct acceptance *acceptance = NULL;

    if (campaign_load(words->arena, words->store, name, &campaign, &words->err) == 0)
        acceptance = campaign_now(&campaign, clock_now(), &words->err);
    return acceptance != NULL ? print_state(&(struct acceptance_hint){acceptance, .db = words->db})
                              : cli_fail(&words->err);
}

/* -- add ------------------------------------------------------------------------------------------------------- */

static int add(struct words *words, const char *who, const char *why)
{
    struct campaign campaign;

    if (campaign_load(words->arena, words->store, words->argv[words->first], &campaign, &words->err) < 0)
        return cli_fail(&words->err);
    for (int i = words->first + 1; i < words->argc; i++)
        if (campaign_add(words->store, &campaign, words->argv[i], who, why, &words->err) < 0)
            return cli_fail(&words->err);
    return load_and_print(words, words->argv[words->first]);
}

static int verb_add(int argc, char **argv)
{
    const char *who = NULL, *why = "";
    struct words words = {.argc = argc, .argv = argv};
    const struct option_row rows[] = {
        {"adopt", 0, OPTION_STRING, "WHO", &who, "adopts imported runs, in this name; the report shows it"},
        {"note", 0, OPTION_STRING, "TEXT", &why, "why they are taken in"},
        CLI_DB_ROW(&words.db),
        OPTION_END,
    };
    int status;

    return take_words(&words, rows, 2, -1, &status) ? end(&words, add(&words, who, why)) : status;
}

/* -- event ----------------------------------------------------------------------------------------------------- */

static int read_when(const char *word, double now, double *ret_at, struct error *err)
{
    bool day;

    *ret_at = now;
    return word == NULL ? 0 : cli_time(word, ret_at, &day, err);
}

/* What the words say of it; hosts and UUID come later. */
struct event_words {
    struct acceptance_event event;
    const char *what, *hosts, *when;
};

static int read_kind(const char *word, const char *what, enum event_kind *ret_kind, struct error *err)
{
    if (!event_kind_parse(word, ret_kind) || *ret_kind > EVENT_NOTE)
        return error_set(err, ERROR_USAGE, "'%s' is not an event; expected repair, swap, spare or note",
                         word);
    if (what == NULL)
        return 0;
    if (*ret_kind != EVENT_REPAIR && *ret_kind != EVENT_SWAP)
        return error_set(err, ERROR_USAGE, "--what belongs to repair and swap: what was done");
    return event_what_parse(what, ret_kind)
               ? 0
               : error_set(err, ERROR_USAGE,
                           "--what '%s' is not one of settings, cable, firmware, reseat and part", what);
}

static int read_hosts(struct words *words, int operand, const char *option, struct hostlist *ret_hosts)
{
    bool given = operand < words->argc;

    if (given == (option != NULL))
        return error_set(&words->err, ERROR_USAGE,
                         given ? "the hosts are named twice, as HOSTS and by --hosts"
                               : "name the hosts: HOSTS, or --hosts LIST: node[1-4],node7");
    return hostlist_expand(words->arena, given ? words->argv[operand] : option, ret_hosts, &words->err);
}

static void print_events(const struct words *words, const struct hostlist *hosts,
                         const struct acceptance_event *events)
{
    size_t count = hosts->names.count;
    struct acceptance_event all = events[0];

    if (count > 1)
        all.host = hostlist_fold(words->arena, hosts->names.items, count);
    cli_print("event: %s %s\n", count > 1 ? arena_printf(words->arena, "%zu hosts:", count) : all.uuid,
              reason_english(words->arena, event_text(words->arena, &all)));
}

static int record(struct words *words, struct event_words *told)
{
    struct campaign campaign;
    const struct acceptance_event *events;
    struct hostlist hosts = {0};

    told->event.made = clock_now();
    if (read_kind(words->argv[words->first + 1], told->what, &told->event.kind, &words->err) < 0 ||
        read_hosts(words, words->first + 2, told->hosts, &hosts) < 0 ||
        read_when(told->when, told->event.made, &told->event.at, &words->err) < 0 ||
        campaign_load(words->arena, words->store, words->argv[words->first], &campaign, &words->err) < 0 ||
        campaign_record(words->store, &campaign, &hosts, &told->event, &events, &words->err) < 0)
        return cli_fail(&words->err);
    print_events(words, &hosts, events);
    return load_and_print(words, words->argv[words->first]);
}

static int verb_event(int argc, char **argv)
{
    struct event_words told = {.event = {.item = "", .spare = "", .note = ""}};
    struct words words = {.argc = argc, .argv = argv};
    const struct option_row rows[] = {
        {"item", 0, OPTION_STRING, "NAME", &told.event.item,
         "the part: gpu3, mlx5_0; default: the host as a whole"},
        {"what", 0, OPTION_STRING, "WORK", &told.what,
         "of repair and swap: settings, cable, firmware, reseat or part; only what that touches is required again"},
        {"hosts", 0, OPTION_STRING, "LIST", &told.hosts,
         "the hosts, in the place of HOSTS: node[01-16],node20"},
        CLI_LIMIT_ROW(&told.hosts),
        {"by", 0, OPTION_STRING, "SPARE", &told.event.spare,
         "of a spare: the host (role=spare) that replaces it"},
        {"note", 0, OPTION_STRING, "TEXT", &told.event.note, "what was done, for the report"},
        {"when", 0, OPTION_STRING, "TIME", &told.when,
         "when it happened: 2026-03-01T12:00 (UTC); default: now"},
        CLI_DB_ROW(&words.db),
        OPTION_END,
    };
    int status;

    return take_words(&words, rows, 2, 3, &status) ? end(&words, record(&words, &told)) : status;
}

/* -- withdraw -------------------------------------------------------------------------------------------------- */

static int withdraw(struct words *words, const char *why)
{
    struct campaign campaign;
    struct acceptance_event withdrawal;

    if (*why == '\0')
        error_set(&words->err, ERROR_USAGE, "why is it withdrawn? --note TEXT");
    if (*why == '\0' ||
        campaign_load(words->arena, words->store, words->argv[words->first], &campaign, &words->err) < 0 ||
        campaign_withdraw(words->store, &campaign, words->argv[words->first + 1], why, &withdrawal,
                          &words->err) < 0)
        return cli_fail(&words->err);
    cli_print("event: %s %s\n", withdrawal.uuid,
              reason_english(words->arena, event_text(words->arena, &withdrawal)));
    return load_and_print(words, words->argv[words->first]);
}

static int verb_withdraw(int argc, char **argv)
{
    const char *why = "";
    struct words words = {.argc = argc, .argv = argv};
    const struct option_row rows[] = {
        {"note", 0, OPTION_STRING, "TEXT", &why, "why, for the report"},
        CLI_DB_ROW(&words.db),
        OPTION_END,
    };
    int status;

    return take_words(&words, rows, 2, 2, &status) ? end(&words, withdraw(&words, why)) : status;
}

/* -- status ---------------------------------------------------------------------------------------------------- */

static int print_status(struct words *words, const char *folder)
{
    struct campaign campaign;
    struct campaign_commands commands;
    struct acceptance_hint hint = {.db = words->db};
    struct acceptance *acceptance = NULL;
    struct campaign_next next;

    if (campaign_load(words->arena, words->store, words->argv[words->first], &campaign, &words->err) == 0)
        acceptance = campaign_now(&campaign, clock_now(), &words->err);
    if (acceptance == NULL || campaign_next(&campaign, acceptance, &next, &words->err) < 0)
        return cli_fail(&words->err);
    hint.acceptance = acceptance;
    hint.nothing_to_run = folder != NULL && next.blocks.count == 0;
    if (folder != NULL && next.blocks.count > 0) {
        if (campaign_folder_write(acceptance, &next, folder, words->db, &commands, &words->err) < 0)
            return cli_fail(&words->err);
        hint.commands = &commands;
    }
    return print_state(&hint);
}

static int verb_status(int argc, char **argv)
{
    const char *folder = NULL;
    struct words words = {.argc = argc, .argv = argv};
    const struct option_row rows[] = {
        {"next", 0, OPTION_STRING, "DIR", &folder,
         "writes what the next runs need there, their command lines, and DIR/run, which runs and adds them"},
        CLI_DB_ROW(&words.db),
        OPTION_END,
    };
    int status;

    return take_words(&words, rows, 1, 1, &status) ? end(&words, print_status(&words, folder)) : status;
}

/* -- report and list ------------------------------------------------------------------------------------------- */

struct report_options {
    const char *format, *lang, *output, *key;
};

static int check_report_options(const struct report_options *options, enum report_language *ret_language,
                                struct error *err)
{
    if (acceptance_format_find(options->format) == NULL)
        return error_set(err, ERROR_USAGE, "unknown format '%s'; expected html, text or json",
                         options->format);
    if (!cli_language(options->lang, ret_language))
        return error_set(err, ERROR_USAGE, "unknown language '%s'; expected " LANGUAGES_SAID, options->lang);
    return options->key == NULL || strcmp(options->output, "-") != 0
               ? 0
               : error_set(err, ERROR_USAGE, "what is signed needs a file: -o FILE");
}

static int write_report(struct words *words, const struct campaign *campaign,
                        const struct acceptance *acceptance, enum report_language language,
                        const struct report_options *options)
{
    cleanup_text struct text out = {0};
    struct proof_files files;

    text_init(&out, REPORT_BYTES);
    acceptance_format_find(options->format)->write(acceptance, language, &out);
    if (options->key == NULL)
        return file_write(options->output, out.bytes, out.length, 0644, &words->err);
    if (acceptance_sign(words->store, campaign, acceptance, options->output, &out, options->key, &files,
                        &words->err) < 0)
        return -1;
    cli_print_signed(&files);
    return 0;
}

static int report(struct words *words, const struct report_options *options)
{
    enum report_language language = LANGUAGE_EN;
    struct campaign campaign;
    struct acceptance *acceptance = NULL;

    if (check_report_options(options, &language, &words->err) == 0 &&
        campaign_load(words->arena, words->store, words->argv[words->first], &campaign, &words->err) == 0)
        acceptance = campaign_now(&campaign, clock_now(), &words->err);
    if (acceptance == NULL || campaign_story(&campaign, acceptance, &words->err) < 0 ||
        write_report(words, &campaign, acceptance, language, options) < 0)
        return cli_fail(&words->err);
    /* To standard error, as the exit status is not one of a failure to write. */
    if (strcmp(options->output, "-") != 0)
        cli_warn("assay: %s is written; verdict of acceptance %s: %s\n", options->output,
                 words->argv[words->first], verdict_name(acceptance->verdicts.items[0].word));
    return verdict_exit_status(acceptance->verdicts.items[0].word);
}

static int verb_report(int argc, char **argv)
{
    struct report_options options = {.format = "html", .output = "-"};
    struct words words = {.argc = argc, .argv = argv};
    const struct option_row rows[] = {
        {"format", 'f', OPTION_STRING, "NAME", &options.format, "html, text or json"},
        CLI_LANG_ROW(&options.lang, ", of html and text"),
        CLI_OUTPUT_ROW(&options.output),
        {"sign", 0, OPTION_STRING, "KEY", &options.key,
         "with a manifest of all its runs, documents and events, signed by this SSH key"},
        CLI_DB_ROW(&words.db),
        OPTION_END,
    };
    int status;

    return take_words(&words, rows, 1, 1, &status) ? end(&words, report(&words, &options)) : status;
}

static int list(struct words *words)
{
    struct acceptance_names names;

    if (store_list_acceptances(words->store, words->arena, &names, &words->err) < 0)
        return cli_fail(&words->err);
    for (size_t i = 0; i < names.items.count; i++)
        cli_print("%s\n", names.items.items[i]);
    return EXIT_ACCEPT;
}

static int verb_list(int argc, char **argv)
{
    struct words words = {.argc = argc, .argv = argv};
    const struct option_row rows[] = {
        CLI_DB_ROW(&words.db),
        OPTION_END,
    };
    int status;

    return take_words(&words, rows, 0, 0, &status) ? end(&words, list(&words)) : status;
}

/* -- all of them ----------------------------------------------------------------------------------------------- */

static int help(FILE *out)
{
    enum { INDENT = 12 };
    cleanup_text struct text rows = {0};

    text_init(&rows, HELP_BYTES);
    for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
        text_printf(&rows, *verbs[i].operands != '\0' ? "  %-10s" : "  %s", verbs[i].name);
        options_wrap(&rows, verbs[i].operands, INDENT);
        text_printf(&rows, "%*s", INDENT, "");
        options_wrap(&rows, verbs[i].summary, INDENT);
    }
    fprintf(out, "usage: assay acceptance VERB ...\n\nAn acceptance is a campaign over many runs.\n\n%s",
            rows.bytes);
    fprintf(out, "\nA fail is replaced by a recorded repair or swap followed by three passing\n"
                 "attempts, or by a waiver (`assay waive`); never by running again until it\n"
                 "passes. Exit status as of verdicts: 0 accept, 1 reject, 2 incomplete, 3 accept\n"
                 "with exceptions. `assay acceptance VERB --help` lists the options.\n");
    cli_put_examples(out, "acceptance");
    return out == stdout ? EXIT_ACCEPT : EXIT_USAGE;
}

int command_acceptance(int argc, char **argv)
{
    return cli_verbs("acceptance", verbs, ARRAY_SIZE(verbs), help, argc, argv);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay preflight, or by its older name assay hosts: one look over all hosts. A suite of light steps is made from the one that is going to be run; it is
 * planned, run, judged and stored as any other, and what is to be mended is shown at once, folded over hosts.
 */
#include <stdio.h>
#include <string.h>

#include "access.h"
#include "assay/app/begin.h"
#include "assay/app/production.h"
#include "assay/app/question.h"
#include "assay/base/cleanup.h"
#include "assay/base/clock.h"
#include "assay/model/reason_json.h"
#include "assay/plan/preflight.h"
#include "assay/report/mend.h"
#include "assay/report/report.h"
#include "board.h"
#include "cli.h"

enum { COMMANDS_SHOWN = 8, JSON_BYTES = 64 << 20 };

struct preflight_options {
    struct question plan;
    const char *db, *progress, *format;
    struct access access;
};

struct preflight {
    struct preflight_options options;
    struct running going;
};

/* -- Making it -- */

/* What the suite needs is found over a plan of it that nobody runs: its own limits do not matter yet. */
static const char *derive(struct arena *arena, struct question *question, const struct reason **ret_note,
                          struct error *err)
{
    struct suite *relaxed = arena_new(arena, struct suite);

    if (question_load(arena, question, err) < 0)
        return NULL;
    *relaxed = *question->sources.suite;
    relaxed->delivery = false;
    question->sources.suite = relaxed;
    if (question_build_plan(arena, question, "00000000-0000-0000-0000-000000000000", err) < 0)
        return NULL;
    if (production_concerned(arena, question->plan) != NULL)
        cli_warn("assay: note: %s; `assay run` wants --allow-active for them\n",
                 production_concerned(arena, question->plan));
    return preflight_suite(arena, &question->sources, question->plan, ret_note);
}

static int make_plan(struct arena *arena, struct question *question, struct error *err)
{
    const char *file = arena_printf(arena, "preflight of %s", question->suite), *document;
    const struct reason *note = NULL;
    const struct suite *suite;
    char uuid[UUID_SIZE];

    document = derive(arena, question, &note, err);
    suite = document != NULL ? suite_parse(arena, file, slice_of(document), err) : NULL;
    if (suite == NULL)
        return -1;
    if (note != NULL)
        cli_warn("assay: note: %s\n", reason_english(arena, note));
    question->suite = file;
    question->steps = NULL;
    question->notes = (struct plan_notes){0};
    question->sources.suite = question->sources.limits.suite = suite;
    uuid_create(uuid);
    return question_build_plan(arena, question, uuid, err);
}

static int begin(struct arena *arena, struct preflight *preflight, int argc, char **argv, struct error *err)
{
    const struct begin_options options = {.notes = CLI_NOTES};

    if (make_plan(arena, &preflight->options.plan, err) < 0)
        return -1;
    if (preflight->options.plan.way != NULL)
        cli_warn("assay: note: %s\n", reason_english(arena, preflight->options.plan.way));
    preflight->going.database = cli_database(preflight->options.db);
    return begin_planned(arena, &preflight->going, &preflight->options.plan, &options, argc, argv, err);
}

/* -- Showing it -- */

static const char *label_of(enum outcome_word word)
{
    return word == OUTCOME_RECORDED ? "remark" : outcome_name(word);
}

static size_t count_of(const struct mends *mends)
{
    size_t count = 0;

    for (size_t i = 0; i < mends->items.count; i++)
        count += mends->items.items[i].word != OUTCOME_RECORDED;
    return count;
}

static void print_mend(struct arena *arena, const struct mend *mend)
{
    const char *where = !mend->on_hosts    ? ""
                        : mend->count == 1 ? arena_printf(arena, "on %s: ", mend->hosts)
                                           : "on each of these hosts: ";

    cli_print("%s: %s: %s%s%s: %s\n", label_of(mend->word), mend->hosts, mend->problem,
              *mend->subject != '\0' ? " " : "", mend->subject, reason_english(arena, mend->cause));
    if (mend->remedy != NULL)
        cli_print("    %s\n", reason_english(arena, mend->remedy));
    for (size_t i = 0; i < mend->commands.count && i < COMMANDS_SHOWN; i++)
        cli_print("    %s$ %s\n", where, mend->commands.items[i]);
    if (mend->commands.count > COMMANDS_SHOWN)
        cli_print("    and %zu more alike, see --format json\n", mend->commands.count - COMMANDS_SHOWN);
}

static void print_text(const struct record *record, const struct mends *mends)
{
    for (size_t i = 0; i < mends->items.count; i++)
        print_mend(record->arena, &mends->items.items[i]);
    for (size_t i = 0; i < mends->unasked.count; i++)
        cli_print("not asked: %s: %s\n", mends->unasked.items[i].hosts,
                  reason_english(record->arena, mends->unasked.items[i].steps));
    cli_print("clean: %zu of %zu host%s%s%s\n", mends->clean_count, record->plan->hosts.count,
              record->plan->hosts.count == 1 ? "" : "s", *mends->clean != '\0' ? ": " : "", mends->clean);
    cli_print("run: %lld\nto fix: %zu\n", record->number, count_of(mends));
}

static void put_mend(struct arena *arena, struct json_writer *json, const struct mend *mend)
{
    json_open_object(json);
    json_member(json, "outcome", label_of(mend->word));
    json_member(json, "problem", mend->problem);
    json_member(json, "check", mend->check);
    json_member(json, "metric", mend->metric);
    json_member(json, "subject", mend->subject);
    json_member(json, "hostlist", mend->hosts);
    json_member_array(json, "hosts");
    for (size_t i = 0; i < mend->count; i++)
        json_put_string(json, mend->members[i]->name);
    json_close_array(json);
    reason_write(arena, json, "cause", mend->cause);
    reason_write(arena, json, "remedy", mend->remedy);
    json_member(json, "where", mend->on_hosts ? "hosts" : "controller");
    json_member_array(json, "commands");
    for (size_t i = 0; i < mend->commands.count; i++)
        json_put_string(json, mend->commands.items[i]);
    json_close_array(json);
    json_close_object(json);
}

static void print_json(const struct record *record, const struct mends *mends)
{
    cleanup_text struct text out = {0};
    struct json_writer json;

    text_init(&out, JSON_BYTES);
    json_open_document(&json, &out, 1);
    json_member_integer(&json, "run", record->number);
    json_member(&json, "verdict", standing_verdict(&record->standing, record->judgement.verdicts[0].word));
    json_member_count(&json, "hosts", record->plan->hosts.count);
    json_member(&json, "clean", mends->clean);
    json_member_array(&json, "mend");
    for (size_t i = 0; i < mends->items.count; i++)
        put_mend(record->arena, &json, &mends->items.items[i]);
    json_close_array(&json);
    json_member_array(&json, "not_asked");
    for (size_t i = 0; i < mends->unasked.count; i++) {
        json_open_object(&json);
        json_member(&json, "hostlist", mends->unasked.items[i].hosts);
        json_member(&json, "steps", reason_english(record->arena, mends->unasked.items[i].steps));
        json_close_object(&json);
    }
    json_close_array(&json);
    json_close_object(&json);
    cli_print_lines(out.bytes);
}

/* From the store and not from memory: what is shown is what has been kept. */
static int show(struct arena *arena, const struct preflight *preflight, bool cancelled, struct error *err)
{
    const struct record *record =
        store_load_lean(preflight->going.store, arena, preflight->going.record->number, report_rests_on, err);
    struct mends mends;

    if (record == NULL)
        return cli_fail(err);
    report_mends(arena, record, &mends);
    if (strcmp(preflight->options.format, "json") == 0)
        print_json(record, &mends);
    else
        print_text(record, &mends);
    if (cancelled)
        cli_warn("assay: preflight: cancelled: what was not asked is not among these\n");
    return cancelled ? EXIT_CANCELLED : verdict_exit_status(record->judgement.verdicts[0].word);
}

static int run_all(struct arena *arena, struct preflight *preflight, enum board_kind kind, int argc,
                   char **argv)
{
    struct scheduler_options options = {0};
    struct error err = {0};
    bool cancelled = false;
    struct board *board;
    const struct findings notes = CLI_NOTES;
    int status;

    preflight->options.plan.passwords = access_has_password(&preflight->options.access);
    preflight->options.plan.sudo_password = access_has_sudo_password(&preflight->options.access);
    if (access_ask(&preflight->options.access, &err) < 0 || begin(arena, preflight, argc, argv, &err) < 0)
        return cli_fail(&err);
    options.remote = access_remote(&preflight->options.access);
    board = board_create(kind, preflight->going.record, 0, clock_now());
    preflight->going.watcher = board_watcher(board);
    status = running_carry_out(&preflight->going, &options, &cancelled, &err);
    board_destroy(board);
    begin_tell_release(&preflight->going, &notes);
    return status < 0 ? cli_fail(&err) : show(arena, preflight, cancelled, &err);
}

/* -- The command line -- */

static bool read_options(struct preflight_options *options, int argc, char **argv, int *ret_first,
                         int *ret_status)
{
    const struct option_row rows[] = {
        OPTION_HEADING("Which hosts"),
        {"hostfile", 'H', OPTION_STRING, "FILE", &options->plan.hostfile,
         "the hosts; may also be given without -H"},
        CLI_HOSTS_ROW(&options->plan),
        CLI_LIMIT_ROW(&options->plan.hosts),
        OPTION_HEADING("What is checked"),
        {"suite", 's', OPTION_STRING, "SUITE", &options->plan.suite,
         "the suite that will be run, a file or a built-in name: its tools, launcher and root steps are "
         "looked "
         "for; "
         "default delivery"},
        {"steps", 0, OPTION_STRING, "LIST", &options->plan.steps, "only what these steps of the suite need"},
        CLI_TOOLS_ROW(&options->plan),
        CLI_TOOLS_ROOT_ROW(&options->plan),
        OPTION_HEADING("Output"),
        {"format", 'f', OPTION_STRING, "HOW", &options->format, "text (default) or json"},
        CLI_DB_ROW(&options->db),
        CLI_PROGRESS_ROW(&options->progress),
        ACCESS_OPTIONS(&options->access),
        OPTION_END,
    };

    return cli_options(rows, "preflight HOSTFILE [--suite SUITE]", argc, argv, ret_first, ret_status);
}

/* "" or what is wrong with the command line. */
static const char *usage_fault(struct arena *arena, struct preflight_options *options, int argc, char **argv,
                               int first, enum board_kind *ret_kind)
{
    if (first < argc && options->plan.hostfile == NULL)
        options->plan.hostfile = argv[first++];
    if (first < argc)
        return arena_printf(arena, "unexpected word '%s'", argv[first]);
    if (options->plan.hostfile == NULL)
        return "the hostfile is missing: expected assay preflight HOSTFILE";
    if (strcmp(options->format, "text") != 0 && strcmp(options->format, "json") != 0)
        return arena_printf(arena, "--format '%s'; expected text or json", options->format);
    if (!board_kind_parse(options->progress, ret_kind))
        return arena_printf(arena, "--progress '%s'; expected auto, plain, json or none", options->progress);
    return "";
}

int command_preflight(int argc, char **argv)
{
    struct preflight preflight = {
        .options = {.plan.suite = "delivery", .progress = "auto", .format = "text"}};
    enum board_kind kind = BOARD_NONE;
    cleanup_arena struct arena *arena = NULL;
    const char *fault;
    int first, status;

    if (!read_options(&preflight.options, argc, argv, &first, &status))
        return status;
    arena = arena_create();
    fault = usage_fault(arena, &preflight.options, argc, argv, first, &kind);
    if (*fault != '\0') {
        cli_warn("assay: preflight: %s\n", fault);
        status = EXIT_USAGE;
    } else {
        status = run_all(arena, &preflight, kind, argc, argv);
        access_forget(&preflight.options.access);
    }
    store_close(preflight.going.store);
    return status;
}

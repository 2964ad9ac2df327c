/* SPDX-License-Identifier: Apache-2.0 */
/* `assay run`: the main line, hostfile + suite -> plan -> scheduler -> captures -> readings -> judge -> store -> report. What
   it does is in src/app; here it is asked for, and told. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay/app/campaign.h"
#include "assay/app/detach.h"
#include "assay/app/earlier.h"
#include "assay/app/exclusive.h"
#include "assay/app/preflights.h"
#include "assay/app/report_file.h"
#include "assay/base/cleanup.h"
#include "assay/base/clock.h"
#include "assay/model/sighting.h"
#include "assay/report/report.h"
#include "board.h"
#include "cli.h"
#include "recap.h"
#include "run_options.h"

struct run {
    struct run_options options;
    struct running going;
    struct board *board;
    struct arena *arena;
};

/* What is told at the end is from the store and not from memory: it shows what has been kept. Of a thousand hosts
   either is about a gigabyte, so the one goes before the other comes. */
static int reload(struct run *run, struct error *err)
{
    long long number = run->going.record->number;

    arena_destroy(run->arena);
    run->arena = arena_create();
    run->going.record = store_load_lean(run->going.store, run->arena, number, report_rests_on, err);
    return run->going.record != NULL ? 0 : -1;
}

static int write_report(struct run *run, const char *path, struct error *err)
{
    struct record *record = run->going.record;
    enum report_language language;

    if (earlier_attach(run->going.store, run->arena, record, NULL, err) < 0 ||
        preflight_attach(run->going.store, record, err) < 0)
        return -1;
    cli_language(NULL, &language);
    return report_file_write(record, "html", language, path, err);
}

/* What is not wrong, but undecided or left out, is not to be fixed. */
static const char *call_of(const struct report_line *line)
{
    return line->waived ? "waived" : line->not_asked ? "note" : line->word == OUTCOME_FAIL ? "fix" : "open";
}

/* Of what no single part is to blame, what is wrong is said too: it names the limit that may be. */
static void print_line(const struct report_line *line)
{
    bool advised = *line->remedy != '\0', both = advised && line->extent != EXTENT_PARTS && !line->waived;

    if (line->not_asked) {
        cli_print_sentence("%s: %s%s%s\n", call_of(line), line->problem, advised ? "; " : "", line->remedy);
        return;
    }
    cli_print_sentence("%s: %s%s%s: %s%s%s\n", call_of(line), line->target, *line->part != '\0' ? " " : "",
                       line->part, both ? line->problem : "", both ? "; " : "",
                       advised ? line->remedy : line->problem);
}

/* What is to be done, as the report's first screen says it. */
static void print_answer(const struct run *run)
{
    enum { LINES = 12 };
    struct report_line *lines;
    const char *headline;
    size_t count = report_answer(run->arena, run->going.record, LANGUAGE_EN, &lines, &headline);
    const struct reason *caveat = caveat_of_run(run->arena, run->going.record);

    for (size_t i = 0; i < count && i < LINES; i++)
        if (!lines[i].stopped) /* recap_print_cancelled says how it goes on, and in which database */
            print_line(&lines[i]);
    if (count > LINES)
        cli_print("note: %zu more are in the report\n", count - LINES);
    if (*headline != '\0')
        cli_print_sentence("answer: %s\n", headline);
    if (caveat != NULL)
        cli_print_sentence("note: %s\n", reason_english(run->arena, caveat));
}

/* How those fared who ran in the place of a whole; what the suite asks of the whole stays not run. */
static void print_substitutes(const struct run *run)
{
    const struct plan *plan = run->going.record->plan;
    const struct judgement *judgement = &run->going.record->judgement;

    for (size_t i = 0, at = 0; i < plan->steps.count; i++) {
        const struct step *step = &plan->steps.items[i];
        enum outcome_word worst = OUTCOME_RECORDED;

        for (; at < judgement->outcome_count && judgement->outcomes[at].step == i; at++)
            if (judgement->outcomes[at].word > worst)
                worst = judgement->outcomes[at].word;
        if (step->origin == ORIGIN_SUBSTITUTE && step->member_count > 1)
            cli_print_sentence("substitute: %s: %s %s: %s\n", outcome_name(worst),
                               step_target(run->going.record->arena, step), step->shape->suite_step,
                               reason_english(run->going.record->arena, step->origin_note));
    }
}

/* Where nobody could be told apart; whom the judgement names is an entry (report.h). */
static void print_isolation(const struct record *record)
{
    const struct judgement *judgement = &record->judgement;

    for (size_t i = 0; i < judgement->search_count; i++)
        if (judgement->searches[i].candidates != NULL)
            cli_print_sentence("not isolated: %s among %s: %s\n",
                               record->plan->steps.items[judgement->searches[i].step].shape->suite_step,
                               reason_english(record->arena, judgement->searches[i].candidates),
                               reason_english(record->arena, judgement->searches[i].conclusion));
}

/* What was asked for and refused (somebody is on the host, sudo asks for a password) has a cause of its own; the rest is not run
   because of what is told, or left out. */
static bool is_told(const struct record *record, const struct report_entry *entry)
{
    if (entry->word != OUTCOME_NOT_RUN)
        return true;
    if (entry->not_asked)
        return false;
    if (record->plan->steps.items[entry->step].origin == ORIGIN_LEFT_OUT)
        return true;
    for (size_t i = 0; i < record->attempts.count; i++)
        if (record->attempts.items[i].step == entry->step &&
            record->attempts.items[i].end != ATTEMPT_CANCELLED)
            return true;
    return false;
}

static void print_entries(const struct run *run)
{
    struct arena *arena = run->going.record->arena;
    struct report_entry *entries;
    size_t count = report_entries(arena, run->going.record, &entries);
    size_t not_run = recap_not_run(run->going.record);

    for (size_t i = 0; i < count; i++) {
        if (!is_told(run->going.record, &entries[i]))
            continue;
        cli_print_sentence("%s: %s %s%s%s: %s\n", outcome_name(entries[i].word),
                           reason_english(arena, entries[i].target), entries[i].check,
                           entries[i].subjects != NULL ? " " : "", reason_english(arena, entries[i].subjects),
                           reason_english(arena, entries[i].cause));
    }
    print_isolation(run->going.record);
    if (not_run > 0)
        cli_print("%s: %zu step%s%s\n", outcome_name(OUTCOME_NOT_RUN), not_run, not_run == 1 ? "" : "s",
                  run->going.record->state == RUN_CANCELLED ? "" : " that needed the above");
}

/* Hardware that was changed under the tests: of what they measured before, nobody can say whose it was. */
static void print_conflicts(const struct run *run)
{
    struct sighting_conflicts conflicts;
    struct sightings sightings;

    sightings_of_record(run->going.record->arena, run->going.record, &sightings);
    sightings_check(run->going.record->arena, run->going.record->plan, &sightings, &conflicts);
    for (size_t i = 0; i < conflicts.items.count; i++)
        if (i == 0 || !reason_equal(conflicts.items.items[i].text, conflicts.items.items[i - 1].text))
            cli_print_sentence("hardware: %s\n",
                               reason_english(run->going.record->arena, conflicts.items.items[i].text));
}

/* A part accepts nothing by itself: what it is for stands in its acceptance. */
static void print_next(const struct run *run)
{
    const struct record *record = run->going.record;
    const char *name =
        record->standing.kind == RUN_PART ? campaign_of_suite(run->arena, run->going.store, record) : NULL;

    if (name != NULL)
        cli_print("next: assay acceptance add %s %lld%s\n", name, record->number,
                  cli_database_words(run->arena, run->options.db));
}

static int finish(struct run *run, bool cancelled, struct error *err)
{
    enum verdict_word verdict = run->going.record->judgement.verdicts[0].word;
    long long number = run->going.record->number;
    struct standing standing = standing_of(run->going.record);
    char absolute[PATH_MAX];
    cleanup_free char *path = run->options.report != NULL
                                  ? mem_strdup(run->options.report)
                                  : report_file_name(&standing, cancelled ? RUN_CANCELLED : RUN_ENDED, number,
                                                     run->going.record->uuid, ".html");
    bool loaded = reload(run, err) == 0, written = loaded && write_report(run, path, err) == 0;

    if (loaded) {
        if (cancelled)
            recap_print_headline(run->going.record);
        print_entries(run);
        print_substitutes(run);
        print_conflicts(run);
        recap_print(run->going.record, LANGUAGE_EN);
        print_answer(run);
        cli_print_standing(run->going.record, verdict);
        if (!cancelled)
            print_next(run);
        if (cancelled)
            recap_print_cancelled(run->going.record, run->options.db,
                                  run->going.cancelled_by == SIGINT && isatty(STDERR_FILENO));
    }
    cli_print("run: %lld\nverdict: %s\n", number, standing_verdict(&standing, verdict));
    if (!written) {
        fflush(stdout);
        cli_warn("assay: the run is kept; `assay report %lld -o FILE%s` writes its report\n", number,
                 cli_database_words(run->arena, run->options.db));
        return cli_fail(err);
    }
    cli_print("report: %s\n", realpath(path, absolute) != NULL ? absolute : path);
    return cancelled ? EXIT_CANCELLED : verdict_exit_status(verdict);
}

static int print_detached(struct detaching *detaching, int status)
{
    if (detaching->run != 0)
        cli_print("run: %lld\nlog: %s\n", detaching->run, detaching->log);
    free(detaching->log);
    return status;
}

static int run_all(struct run *run, enum board_kind kind, int argc, char **argv)
{
    struct scheduler_options options = {.cancel = run->options.begin.cancel};
    struct detaching detaching = {0};
    struct error err = {0};
    bool cancelled = false;
    int status;

    /* Before the database is open and a password in locked memory: neither outlives a fork. */
    if (run->options.detach && detach_begin(&detaching, &status, &err))
        return err.code != 0 ? cli_fail(&err) : print_detached(&detaching, status);
    run->options.plan.passwords = access_has_password(&run->options.access);
    run->options.plan.sudo_password = access_has_sudo_password(&run->options.access);
    if (access_ask(&run->options.access, &err) < 0 ||
        begin_run(run->arena, &run->going, &run->options.plan, &run->options.begin, argc, argv, &err) < 0)
        return cli_fail(&err);
    if (run->options.detach && detach_go(&detaching, run->going.record->number, &err) < 0)
        return cli_fail(&err);
    options.remote = access_remote(&run->options.access);
    options.hosts_at_once = run->options.begin.hosts_at_once;
    if (*store_note(run->going.store) != '\0')
        cli_warn("assay: note: %s\n", store_note(run->going.store));
    if (run->going.exclusive != NULL) {
        exclusive_settle(run->going.exclusive);
        cli_warn("assay: %s\n", exclusive_state(run->going.exclusive));
    }
    run->board = board_create(kind, run->going.record, options.hosts_at_once, clock_now());
    run->going.watcher = board_watcher(run->board);
    status = running_carry_out(&run->going, &options, &cancelled, &err);
    board_destroy(run->board);
    if (status < 0) {
        cli_warn(
            "assay: run %lld stopped; what was finished is kept, `assay run --resume %lld%s` continues\n",
            run->going.record->number, run->going.record->number,
            cli_database_words(run->arena, run->options.db));
        return cli_fail(&err);
    }
    begin_tell_release(&run->going, &run->options.begin.notes);
    return finish(run, cancelled, &err);
}

#define EXCLUSIVE_ROWS(exclusive)                                                                                           \
    {"exclusive-via",                                                                                                       \
     0,                                                                                                                     \
     OPTION_STRING,                                                                                                         \
     "VIA",                                                                                                                 \
     &(exclusive)->via,                                                                                                     \
     "slurm: asks Slurm for each host before it is tested, one exclusive job per host, or one for "                         \
     "all that have transport=slurm, also without this unless assay runs in an allocation; slurm:WORDS gives sbatch more, " \
     "\"slurm:--partition=gpu --account=ops\""},                                                                            \
    {                                                                                                                       \
        "exclusive-wait", 0, OPTION_STRING, "MINUTES", &(exclusive)->minutes,                                               \
            "how long to wait for a host that Slurm does not give (default " EXCLUSIVE_MINUTES                              \
            "); then it is not tested"                                                                                      \
    }

/* false: *ret_status is the exit status, and why has been said. */
static bool read_options(struct run_options *options, int argc, char **argv, int *ret_first, int *ret_status)
{
    const struct option_row rows[] = {
        OPTION_HEADING("Which hosts"),
        {"hostfile", 'H', OPTION_STRING, "FILE", &options->plan.hostfile,
         "the hosts; Open MPI's syntax works as it is"},
        CLI_HOSTS_ROW(&options->plan),
        CLI_LIMIT_ROW(&options->plan.hosts),
        {"allow-active", 0, OPTION_FLAG, NULL, &options->begin.allow_active,
         "run tests that load hosts also on hosts in production (use=production in the hostfile)"},
        EXCLUSIVE_ROWS(&options->begin.exclusive),
        OPTION_HEADING("What is run"),
        CLI_SUITE_ROW(&options->plan),
        {"steps", 0, OPTION_STRING, "LIST", &options->plan.steps,
         "only these steps of the suite; the others count as not run, so it accepts nothing"},
        CLI_BASELINE_ROW(&options->plan),
        CLI_CONTRACT_ROW(&options->plan),
        CLI_DURATION_ROW(&options->plan),
        CLI_TOOLS_ROW(&options->plan),
        CLI_TOOLS_ROOT_ROW(&options->plan),
        {"resume", 0, OPTION_STRING, "RUN", &options->begin.resume,
         "continue an interrupted run: what still runs is picked up, what ended is not run again; -H with "
         "hosts added or swapped is accepted, another suite, baseline or contract refused"},
        {"hosts-at-once", 0, OPTION_COUNT, "N", &options->begin.hosts_at_once,
         "hosts at work at a time, if power, cooling or shared storage does not allow more; a test across "
         "more hosts runs alone; default all; holds for --resume too, until that gives another"},
        {"isolate-minutes", 0, OPTION_COUNT, "N", &options->begin.isolate_minutes,
         "most that the search for who makes a test across hosts slow may take (default 60 rounds); a resumed run keeps it"},
        {"detach", 0, OPTION_FLAG, NULL, &options->detach,
         "continue in the background, with a log file; `assay attach` follows, `assay cancel` ends it"},
        OPTION_HEADING("Output"),
        {"report", 'o', OPTION_STRING, "FILE", &options->report,
         "file of the HTML report; default assay-report-RUN.html, and for a run that is not an acceptance "
         "what it is: assay-trial-RUN.html, assay-cancelled-RUN.html"},
        CLI_NAMES_ROWS(&options->plan.names),
        CLI_DB_ROW(&options->db),
        {"max-evidence", 0, OPTION_STRING, "SIZE", &options->plan.max_evidence,
         "most that the run keeps of what hosts print (8G); default 64M per host, at least 1G, and more for "
         "a soak"},
        CLI_PROGRESS_ROW(&options->progress),
        ACCESS_OPTIONS(&options->access),
        OPTION_END,
    };

    return cli_options(rows, "run -H HOSTFILE -s SUITE", argc, argv, ret_first, ret_status);
}

/* Told before hours of tests, not behind them. */
static bool can_write_report(const char *path)
{
    cleanup_free char *folder = path != NULL ? mem_strdup(path) : NULL;
    char *slash = folder != NULL ? strrchr(folder, '/') : NULL;
    const char *place = slash == NULL ? "." : slash == folder ? "/" : folder;

    if (slash != NULL)
        *slash = '\0';
    if (path == NULL || access(place, W_OK | X_OK) == 0)
        return true;
    cli_warn("assay: -o %s: %s: %s; nothing was started\n", path, place, strerror(errno));
    return false;
}

int run_with(const struct run_options *options, int argc, char **argv)
{
    struct run run = {.options = *options};
    enum board_kind kind;
    int status;

    if (!board_kind_parse(options->progress, &kind)) {
        cli_warn("assay: --progress '%s'; expected auto, plain, json or none\n", options->progress);
        return EXIT_USAGE;
    }
    if (options->detach && options->access.ask_jump_code) {
        cli_warn("assay: --ask-jump-code asks while the run goes on, and --detach lets the terminal go: "
                 "give one of them (in tmux or screen a run outlives its terminal too)\n");
        return EXIT_USAGE;
    }
    if (!can_write_report(options->report))
        return EXIT_USAGE;
    run.going.database = cli_database(options->db);
    run.arena = arena_create();
    status = run_all(&run, kind, argc, argv);
    access_forget(&run.options.access);
    store_close(run.going.store);
    arena_destroy(run.arena);
    return status;
}

int command_run(int argc, char **argv)
{
    struct run_options options = {
        .progress = "auto", .begin.exclusive.minutes = EXCLUSIVE_MINUTES, .begin.notes = CLI_NOTES};
    int first, status;

    if (!read_options(&options, argc, argv, &first, &status))
        return status;
    if (first < argc) {
        cli_warn("assay: run: unexpected word '%s'; hostfile and suite are given as -H FILE and -s SUITE\n",
                 argv[first]);
        return EXIT_USAGE;
    }
    return run_with(&options, argc, argv);
}

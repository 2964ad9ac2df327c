/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A person accepts what failed, by name, with a reason and an end. Each waiver makes another judgement of its run;
 * nothing that was judged or waived before is changed.
 */
#include <stdio.h>
#include <string.h>

#include "assay/app/sources.h"
#include "assay/base/clock.h"
#include "assay/judge/judge.h"
#include "assay/report/report.h"
#include "cli.h"

struct waive_options {
    const char *host, *check, *subject, *metric, *who, *why, *until, *withdraw, *adopt, *db;
    bool list;
};

static int load(struct arena *arena, struct store *store, const char *word, struct record **ret_record,
                struct error *err)
{
    *ret_record = cli_load_lean(store, arena, word, sighting_rests_on, err);
    if (*ret_record == NULL)
        return -1;
    if ((*ret_record)->state == RUN_RUNNING)
        return error_set(err, ERROR_USAGE, "run %lld is still going on", (*ret_record)->number);
    (*ret_record)->now = clock_now();
    return 0;
}

static int load_sources(struct arena *arena, const struct record *record, struct plan_sources *ret_sources,
                        struct error *err)
{
    if (sources_of_record(arena, record, NULL, ret_sources, err) < 0)
        return -1;
    return sources_as_judged(arena, record, ret_sources, err);
}

/* What is waived must be what is shown: the last judgement, against the same limits. */
static int judge(struct record *record, const struct plan_sources *sources, const struct reason *shown,
                 struct error *err)
{
    char uuid[UUID_SIZE];

    uuid_create(uuid);
    judge_run(record, &sources->limits, uuid);
    sources_judged_by(record, sources);
    if (shown != NULL && !reason_says_the_same(record->arena, shown, record->judgement.baselines))
        return error_set(err, ERROR_USAGE,
                         "run %lld was last judged against %s, and this would be against %s; judge it again "
                         "first: assay judge %lld",
                         record->number, reason_english(record->arena, shown),
                         reason_english(record->arena, record->judgement.baselines), record->number);
    return 0;
}

static const char *state_text(struct arena *arena, const struct waiver *waiver, double now)
{
    if (waiver->withdrawn.made > 0)
        return arena_printf(arena, "withdrawn by %s at %s: %s", waiver->withdrawn.who,
                            time_text(arena, waiver->withdrawn.made), waiver->withdrawn.why);
    if (waiver->foreign && waiver->adopted.made <= 0)
        return "another party's, and not in force: --adopt lets it count";
    if (waiver->foreign)
        return arena_printf(arena, "%s, adopted by %s at %s: %s",
                            now < waiver->until ? "in force" : "expired", waiver->adopted.who,
                            time_text(arena, waiver->adopted.made), waiver->adopted.why);
    return now < waiver->until ? "in force" : "expired";
}

static const struct step *step_of(const struct record *record, const struct waiver *waiver)
{
    const struct plan *plan = record->plan;
    size_t i = 0;

    while (i + 1 < plan->steps.count && strcmp(plan->steps.items[i].key, waiver->step_key) != 0)
        i++;
    return &plan->steps.items[i];
}

static void print_waiver(struct arena *arena, const struct record *record, const struct waiver *waiver)
{
    const struct step *step = step_of(record, waiver);

    cli_print("waiver: %s %s %s, until %s, by %s: %s (%s)\n", waiver->uuid, step_target(arena, step),
              step->shape->suite_step, time_text(arena, waiver->until), waiver->who, waiver->why,
              state_text(arena, waiver, record->now));
    list_each (item, waiver->items)
        cli_print("    %s%s%s%s%s%s%s\n", item->metric, *item->at != '\0' ? " at " : "", item->at,
                  *item->subject != '\0' ? " of " : "", item->subject, *item->hardware != '\0' ? ", on " : "",
                  item->hardware);
}

static int list_waivers(struct arena *arena, const struct record *record)
{
    for (size_t i = 0; i < record->waivers.count; i++)
        print_waiver(arena, record, &record->waivers.items[i]);
    if (record->waivers.count == 0)
        cli_print("run %lld has no waivers\n", record->number);
    return EXIT_ACCEPT;
}

static int finish(struct store *store, struct record *record, const struct plan_sources *sources,
                  struct error *err)
{
    if (judge(record, sources, NULL, err) < 0 || store_put_judgement(store, record, err) < 0)
        return cli_fail(err);
    cli_print("run: %lld\nverdict: %s\n", record->number,
              reason_english(record->arena,
                             standing_verdict_text(record->arena, &record->standing, &record->judgement)));
    return verdict_exit_status(record->judgement.verdicts[0].word);
}

static struct waiver *find_waiver(struct record *record, const char *uuid, struct error *err)
{
    for (size_t i = 0; i < record->waivers.count; i++)
        if (strcmp(record->waivers.items[i].uuid, uuid) == 0)
            return &record->waivers.items[i];
    error_set(err, ERROR_USAGE, "run %lld has no waiver %s; `assay waive --list %lld` shows them",
              record->number, uuid, record->number);
    return NULL;
}

static int withdraw(struct store *store, struct record *record, const struct waive_options *options,
                    struct error *err)
{
    struct withdrawal withdrawal = {.who = options->who, .why = options->why, .made = record->now};
    struct waiver *waiver = find_waiver(record, options->withdraw, err);
    char uuid[UUID_SIZE];

    uuid_create(uuid);
    withdrawal.uuid = arena_strdup(record->arena, uuid);
    if (waiver == NULL || store_withdraw_waiver(store, waiver, &withdrawal, err) < 0)
        return -1;
    waiver->withdrawn = withdrawal;
    print_waiver(record->arena, record, waiver);
    return 0;
}

static int adopt(struct store *store, struct record *record, const struct waive_options *options,
                 struct error *err)
{
    const struct adoption adoption = {options->who, options->why, record->now};
    struct waiver *waiver = find_waiver(record, options->adopt, err);

    if (waiver == NULL || store_adopt_waiver(store, waiver, &adoption, err) < 0)
        return -1;
    waiver->adopted = adoption;
    print_waiver(record->arena, record, waiver);
    return 0;
}

static bool is_asked_for(const struct step *step, const struct waive_options *options)
{
    if (strcmp(step->shape->suite_step, options->check) != 0 || step->origin == ORIGIN_LEFT_OUT ||
        step->origin == ORIGIN_ISOLATE)
        return false;
    for (size_t i = 0; i < step->member_count; i++)
        if (strcmp(step->members[i]->name, options->host) == 0)
            return true;
    return false;
}

static int waive_step(struct store *store, struct record *record, size_t step,
                      const struct waive_options *options, double until, struct error *err)
{
    struct waiver waiver;
    char uuid[UUID_SIZE];

    if (judge_waive(record, step, options->host, options->metric, options->subject, &waiver, err) < 0)
        return -1;
    uuid_create(uuid);
    waiver.uuid = arena_strdup(record->arena, uuid);
    waiver.who = options->who;
    waiver.why = options->why;
    waiver.made = record->now;
    waiver.until = until;
    if (store_put_waiver(store, record, &waiver, err) < 0)
        return -1;
    *list_push(record->arena, &record->waivers) = waiver;
    print_waiver(record->arena, record, &waiver);
    return 0;
}

/* Of several steps that the words fit, as pairs with this host, those that failed. */
static int waive(struct store *store, struct record *record, const struct waive_options *options,
                 double until, struct error *err)
{
    size_t steps = 0, waived = 0;

    for (size_t i = 0; i < record->plan->steps.count; i++) {
        if (!is_asked_for(&record->plan->steps.items[i], options))
            continue;
        steps++;
        if (waive_step(store, record, i, options, until, err) == 0)
            waived++;
        else if (err->code != ERROR_USAGE)
            return -1;
    }
    if (steps == 0)
        return error_set(err, ERROR_USAGE,
                         "run %lld has no step %s on %s; `assay show %lld` names what failed", record->number,
                         options->check, options->host, record->number);
    return waived > 0 ? 0 : -1;
}

/* A day is over when it ends: until 2026-03-01 is good all through that day, UTC. */
static int read_end(const struct waive_options *options, double now, double *ret_until, struct error *err)
{
    enum { DAY_S = 86400 };
    bool day;

    if (cli_time(options->until, ret_until, &day, err) < 0)
        return error_wrap(err, "--until");
    *ret_until += day ? DAY_S : 0;
    if (*ret_until <= now)
        return error_set(err, ERROR_USAGE, "--until %s is over; a waiver ends at a day to come",
                         options->until);
    return 0;
}

static int do_it(struct store *store, struct arena *arena, const char *word,
                 const struct waive_options *options, struct error *err)
{
    struct plan_sources sources;
    struct record *record;
    double until = 0;

    if (load(arena, store, word, &record, err) < 0)
        return cli_fail(err);
    if (options->list)
        return list_waivers(arena, record);
    if ((options->withdraw == NULL && options->adopt == NULL &&
         read_end(options, record->now, &until, err) < 0) ||
        load_sources(arena, record, &sources, err) < 0 ||
        judge(record, &sources, record->judgement.baselines, err) < 0)
        return cli_fail(err);
    if ((options->withdraw != NULL ? withdraw(store, record, options, err)
         : options->adopt != NULL  ? adopt(store, record, options, err)
                                   : waive(store, record, options, until, err)) < 0)
        return cli_fail(err);
    return finish(store, record, &sources, err);
}

/* NULL, or the option that is missing. */
static const char *missing(const struct waive_options *options)
{
    const struct {
        const char *value, *name;
        bool to_withdraw;
    } owed[] = {{options->host, "--host HOST", false},
                {options->check, "--check STEP", false},
                {options->who, "--who NAME", true},
                {options->why, "--why TEXT", true},
                {options->until, "--until DATE", false}};

    for (size_t i = 0; !options->list && i < ARRAY_SIZE(owed); i++)
        if ((owed[i].value == NULL || *owed[i].value == '\0') &&
            (owed[i].to_withdraw || (options->withdraw == NULL && options->adopt == NULL)))
            return owed[i].name;
    return NULL;
}

int command_waive(int argc, char **argv)
{
    struct waive_options options = {.subject = ""};
    const struct option_row rows[] = {
        {"host", 0, OPTION_STRING, "HOST", &options.host, "the host; for a step across hosts, any of them"},
        {"check", 0, OPTION_STRING, "STEP", &options.check, "the suite's step that failed there"},
        {"subject", 0, OPTION_STRING, "WHAT", &options.subject,
         "only this subject, as the report names it: gpu3, gpu3->gpu5, mlx5_0/1"},
        {"metric", 0, OPTION_STRING, "NAME", &options.metric, "only these metrics; may hold *"},
        {"who", 0, OPTION_STRING, "NAME", &options.who, "who decides it"},
        {"why", 0, OPTION_STRING, "TEXT", &options.why, "why it is accepted"},
        {"until", 0, OPTION_STRING, "DATE", &options.until,
         "2026-03-01 (all that day, UTC) or 2026-03-01T12:00"},
        {"list", 0, OPTION_FLAG, NULL, &options.list,
         "shows the waivers of the run, also ended and withdrawn ones"},
        {"withdraw", 0, OPTION_STRING, "UUID", &options.withdraw,
         "withdraws a waiver, with --who and --why; it stays on record"},
        {"adopt", 0, OPTION_STRING, "UUID", &options.adopt,
         "makes a waiver of an imported run count, with --who and --why"},
        CLI_DB_ROW(&options.db),
        OPTION_END,
    };
    struct error err = {0};
    cleanup_arena struct arena *arena = NULL;
    cleanup_store struct store *store = NULL;
    int first, status;

    if (!cli_options(rows, "waive RUN --host HOST --check STEP --who NAME --why TEXT --until DATE", argc,
                     argv, &first, &status))
        return status;
    if (first + 1 != argc || missing(&options) != NULL) {
        cli_warn("assay: waive: expected %s; `assay waive --help` shows how\n",
                 first + 1 != argc ? "one RUN" : missing(&options));
        return EXIT_USAGE;
    }
    arena = arena_create();
    store = cli_stored(options.db, &err);
    return store != NULL ? do_it(store, arena, argv[first], &options, &err) : cli_fail(&err);
}

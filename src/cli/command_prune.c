/* SPDX-License-Identifier: Apache-2.0 */
/* Old runs go, those that somebody leans on stay; each that stays though it is old enough is told with its reason. */
#include <stdio.h>

#include "assay/app/campaign.h"
#include "assay/base/clock.h"
#include "assay/report/report.h"
#include "cli.h"

enum { DAY_S = 86400, MIB = 1 << 20 };

struct prune_options {
    const char *db;
    unsigned keep, older_than;
    bool dry_run, rejected;
};

struct choice {
    LIST_OF(long long) go;
    size_t stay;
};

/* Nobody picks the runs of an acceptance: what it waits for is not taken out of its way. */
static const char *why_held(struct arena *arena, const struct run_summary *run, const struct held_runs *held)
{
    const char *name = campaign_holding(held, run->number);

    if (name != NULL)
        return arena_printf(
            arena,
            "it answers the question of acceptance %s and is none of its runs: `assay acceptance add %s "
            "%lld`; --rejected takes it out",
            name, name, run->number);
    return held->unread != NULL && !run->imported
               ? arena_printf(arena,
                              "acceptance %s cannot be read, so nobody knows whether it waits for this run; "
                              "--rejected takes it out",
                              held->unread)
               : NULL;
}

/* Why it stays, however old it is; NULL: it may go. */
static const char *why_stays(struct arena *arena, const struct run_summary *run,
                             const struct standing *standing, const struct held_runs *held,
                             const struct prune_options *options)
{
    const char *why;

    if (run->damage != NULL)
        return "it cannot be read, so nobody knows what it says";
    if (run->state == RUN_RUNNING)
        return "it is going on";
    if (run->state == RUN_INTERRUPTED && !run->imported)
        return "it was interrupted: its hosts may still have results, and `assay run --resume` fetches "
               "that";
    if (run->in_acceptance)
        return "it is part of an acceptance";
    if (run->accepted)
        return standing_is_acceptance(standing) ? "it was accepted" : "it passed";
    if (run->waived)
        return "it has a waiver";
    if (options->rejected)
        return NULL;
    why = why_held(arena, run, held);
    if (why != NULL || run->imported || !run->judged || run->worst != VERDICT_REJECT ||
        !standing_is_delivery(standing))
        return why;
    return standing_is_acceptance(standing)
               ? "it was rejected, and later deliveries of its hosts have to tell that; --rejected takes it out"
               : "it failed, and later deliveries of its hosts have to tell that; --rejected takes it out";
}

static void choose(struct store *store, struct arena *arena, const struct run_summary *runs, size_t count,
                   const struct held_runs *held, const struct prune_options *options,
                   struct choice *ret_choice)
{
    double before = clock_now() - (double)options->older_than * DAY_S;
    size_t passed[2] = {0}; /* own and imported: what others send takes no place of our own */

    *ret_choice = (struct choice){0};
    array_each (run, runs, count) {
        struct standing standing = store_run_standing(store, run->number);
        const char *why = why_stays(arena, run, &standing, held, options);

        if (passed[run->imported]++ < options->keep || (options->older_than > 0 && run->started > before)) {
            ret_choice->stay++;
        } else if (why != NULL) {
            ret_choice->stay++;
            cli_print("run %lld of %s stays: %s\n", run->number, time_text(arena, run->started), why);
        } else {
            *list_push(arena, &ret_choice->go) = run->number;
            cli_print("run %lld of %s %s: %s, %s%s\n", run->number, time_text(arena, run->started),
                      options->dry_run ? "would go" : "goes", run->suite,
                      run->judged ? standing_verdict(&standing, run->verdict) : "not judged",
                      run->imported ? ", another party's" : "");
        }
    }
}

static int prune(struct arena *arena, struct store *store, const struct prune_options *options,
                 struct error *err)
{
    struct run_summary *runs;
    struct held_runs held;
    struct choice choice;
    uint64_t before = 0, after = 0;
    size_t count;

    if (store_list_runs(store, arena, 0, &runs, &count, err) < 0 ||
        campaign_held(arena, store, &held, err) < 0)
        return -1;
    choose(store, arena, runs, count, &held, options, &choice);
    if (options->dry_run || choice.go.count == 0) {
        cli_print("%zu would be forgotten, %zu stay\n", choice.go.count, choice.stay);
        return 0;
    }
    if (store_size(store, &before, err) < 0 ||
        store_forget_runs(store, choice.go.items, choice.go.count, err) < 0)
        return -1;
    cli_print("%zu forgotten, %zu stay\n", choice.go.count, choice.stay);
    /* Forgotten they are; that the file does not get smaller is no failure of that. */
    if (store_shrink(store, err) < 0 || store_size(store, &after, err) < 0)
        cli_print("the file keeps its size, and later runs use the room: %s\n", err->text);
    else
        cli_print("database: %.1f MiB, was %.1f MiB\n", (double)after / MIB, (double)before / MIB);
    return 0;
}

int command_prune(int argc, char **argv)
{
    struct prune_options options = {0};
    const struct option_row rows[] = {
        {"keep", 0, OPTION_COUNT, "N", &options.keep, "the newest N runs stay"},
        {"older-than", 0, OPTION_COUNT, "DAYS", &options.older_than,
         "forget only runs that started more than so many days ago"},
        {"rejected", 0, OPTION_FLAG, NULL, &options.rejected,
         "deliveries that were rejected go too, and runs that an acceptance waits for: later ones do not tell of them any more"},
        {"dry-run", 'n', OPTION_FLAG, NULL, &options.dry_run, "only say what would go"},
        CLI_DB_ROW(&options.db),
        OPTION_END,
    };
    struct error err = {0};
    cleanup_arena struct arena *arena = NULL;
    cleanup_store struct store *store = NULL;
    int first, status;

    if (!cli_options(rows, "prune --keep N [--older-than DAYS]", argc, argv, &first, &status))
        return status;
    if (first < argc)
        error_set(&err, ERROR_USAGE,
                  "prune: '%s' is not an option; runs are chosen by --keep and --older-than", argv[first]);
    else if (options.keep == 0 && options.older_than == 0)
        error_set(&err, ERROR_USAGE, "prune: say what stays: --keep N, --older-than DAYS, or both");
    if (err.code != 0)
        return cli_fail(&err);
    arena = arena_create();
    store = cli_stored(options.db, &err);
    return store != NULL && prune(arena, store, &options, &err) == 0 ? EXIT_ACCEPT : cli_fail(&err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Judges stored evidence again: with today's parsers, and with other baselines if asked. Touches no host. */
#include <stdio.h>
#include <string.h>

#include "assay/check.h"
#include "assay/judge.h"
#include "assay/report.h"
#include "cli.h"

/* What is stored of a clipped output is not all that was read: its readings stay as they are. */
static size_t read_again(struct record *record, const struct plan_sources *sources)
{
    size_t kept = 0;

    for (size_t i = 0; i < record->attempts.count; i++) {
        struct attempt *attempt = &record->attempts.items[i];
        struct check_context context;

        if (attempt->state != ATTEMPT_ENDED)
            continue;
        if (attempt_is_clipped(attempt)) {
            kept++;
            continue;
        }
        plan_context(record->arena, sources, &record->plan->steps.items[attempt->step], &context);
        check_read(&context, attempt);
    }
    return kept;
}

static void print_change(const struct record *record, const struct judgement *before)
{
    const struct judgement *after = &record->judgement;
    size_t changed = 0;

    for (size_t i = 0; i < after->outcome_count && i < before->outcome_count; i++) {
        const struct step *step = &record->plan->steps.items[after->outcomes[i].step];
        const struct slot *slot = &step->shape->slots[after->outcomes[i].slot];

        if (after->outcomes[i].word == before->outcomes[i].word)
            continue;
        printf("%s %s %s%s%s: %s -> %s%s%s\n", step_target(record->arena, step), step->shape->suite_step,
               slot->metric, *slot->subject != '\0' ? " " : "", slot->subject,
               outcome_name(before->outcomes[i].word), outcome_name(after->outcomes[i].word),
               *after->outcomes[i].cause != '\0' ? ": " : "", after->outcomes[i].cause);
        changed++;
    }
    printf("%zu of %zu items changed; judged against %s\n", changed, after->outcome_count, after->baselines);
}

static int judge_again(struct store *store, struct arena *arena, const char *word, const char *baseline,
                       const char *contract, struct error *err)
{
    long long number = store_find_run(store, word, err);
    struct record *record = number > 0 ? store_load_run(store, arena, number, true, err) : NULL;
    struct plan_sources sources;
    struct judgement before;
    char uuid[UUID_SIZE];
    size_t kept;

    if (record == NULL || cli_sources_of_record(arena, record, baseline, &sources, err) < 0 ||
        cli_take_contract(arena, contract, &sources, err) < 0)
        return cli_fail(err);
    if (record->state == RUN_RUNNING) {
        error_set(err, ERROR_USAGE, "run %lld is still going on", number);
        return cli_fail(err);
    }
    before = record->judgement;
    record->now = cli_now();
    kept = read_again(record, &sources);
    uuid_create(uuid);
    judge_run(record, &sources.limits, uuid);
    if (store_put_judgement(store, record, err) < 0)
        return cli_fail(err);
    print_change(record, &before);
    if (kept > 0)
        printf("%zu of %zu attempts not read again: of their output head and tail are stored; judged by what "
               "was read of all of it at the time\n",
               kept, record->attempts.count);
    printf("run: %lld\nverdict: %s\n", number, verdict_text(arena, &record->judgement));
    return verdict_exit_status(record->judgement.verdicts[0].word);
}

int command_judge(int argc, char **argv)
{
    const char *db = NULL, *baseline = NULL, *contract = NULL;
    const struct option_row rows[] = {
        {"baseline", 'b', OPTION_STRING, "NAME", &baseline,
         "baseline file or built-in name; default: those of the run"},
        {"contract", 0, OPTION_STRING, "FILE", &contract,
         "limits agreed in a contract, which outrank all others; default: that of the run"},
        {"db", 0, OPTION_STRING, "FILE", &db, "database; default $ASSAY_DB or assay.db"},
        OPTION_END,
    };
    struct error err = {0};
    struct arena *arena;
    struct store *store;
    int first, status;

    if (!cli_options(rows, "judge RUN", argc, argv, &first, &status))
        return status;
    if (first + 1 != argc) {
        fprintf(stderr, "assay: judge: expected one RUN; `assay list` shows them\n");
        return EXIT_USAGE;
    }
    arena = arena_create();
    store = cli_stored(db, &err);
    status =
        store != NULL ? judge_again(store, arena, argv[first], baseline, contract, &err) : cli_fail(&err);
    store_close(store);
    arena_destroy(arena);
    return status;
}

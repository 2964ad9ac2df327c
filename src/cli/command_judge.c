/* SPDX-License-Identifier: Apache-2.0 */
/* Judges stored evidence again: with today's parsers, with other baselines if asked, and several runs as one. Touches no
   host. */
#include <stdio.h>
#include <string.h>

#include "assay/app/judging.h"
#include "assay/report/report.h"
#include "cli.h"

static void print_item(const struct record *record, const struct outcome *before, const struct outcome *after)
{
    const struct step *step = &record->plan->steps.items[after->step];
    const struct slot *slot = &step->shape->slots[after->slot];

    cli_print("%s %s %s%s%s: %s -> %s%s%s\n", step_target(record->arena, step), step->shape->suite_step,
              slot->metric, *slot->subject != '\0' ? " " : "", slot->subject, outcome_name(before->word),
              outcome_name(after->word), after->cause != NULL ? ": " : "",
              reason_english(record->arena, after->cause));
}

/* Items of one step and metric that have another gate now, all of them the same. */
struct gate_change {
    const char *suite_step, *metric;
    const struct reason *before, *after;
    size_t items;
};
struct gate_changes {
    LIST_OF(struct gate_change) items;
};

static void add_gate(const struct record *record, const struct outcome *before, const struct outcome *after,
                     struct gate_changes *changes)
{
    const struct shape *shape = record->plan->steps.items[after->step].shape;
    const char *metric = shape->slots[after->slot].metric;

    for (size_t i = 0; i < changes->items.count; i++) {
        struct gate_change *one = &changes->items.items[i];

        if (strcmp(one->suite_step, shape->suite_step) == 0 && strcmp(one->metric, metric) == 0 &&
            reason_equal(one->before, before->held->gate) && reason_equal(one->after, after->held->gate)) {
            one->items++;
            return;
        }
    }
    *list_push(record->arena, &changes->items) =
        (struct gate_change){shape->suite_step, metric, before->held->gate, after->held->gate, 1};
}

static const char *gate_or_none(struct arena *arena, const struct reason *gate)
{
    return gate != NULL ? reason_english(arena, gate) : "none";
}

/* What a judgement of the same plan says otherwise: items, gates (who is compared with his peers has one of his own, which
   is no limit), and the verdict. */
static void print_change(const struct record *record, const struct judgement *before)
{
    const struct judgement *after = &record->judgement;
    struct gate_changes gates = {0};
    size_t changed = 0;

    if (before->verdict_count == 0) {
        cli_print("run %lld was not judged before; judged against %s\n", record->number,
                  reason_english(record->arena, after->baselines));
        return;
    }
    for (size_t i = 0; i < after->outcome_count && i < before->outcome_count; i++) {
        const struct outcome *was = &before->outcomes[i], *is = &after->outcomes[i];

        if (!reason_says_the_same(record->arena, was->held->gate, is->held->gate) &&
            strcmp(was->held->status, "peers") != 0 && strcmp(is->held->status, "peers") != 0)
            add_gate(record, was, is, &gates);
        if (was->word == is->word)
            continue;
        print_item(record, was, is);
        changed++;
    }
    list_each (gate, gates.items)
        cli_print("gate of %s %s: %s -> %s (%zu item%s)\n", gate->suite_step, gate->metric,
                  gate_or_none(record->arena, gate->before), gate_or_none(record->arena, gate->after),
                  gate->items, gate->items == 1 ? "" : "s");
    cli_print("%zu of %zu items changed; judged against %s\nbefore: judgement %s, %s, against %s\n", changed,
              after->outcome_count, reason_english(record->arena, after->baselines), before->uuid,
              standing_verdict(&record->standing, before->verdicts[0].word),
              reason_english(record->arena, before->baselines));
}

static void print_judged(const struct judged *judged)
{
    const struct record *record = judged->record;

    print_change(record, &judged->before);
    if (judged->kept > 0)
        cli_print("%zu of %zu attempts not read again: only head and tail of their output are stored; judged "
                  "by what "
                  "was read of all of it at the time\n",
                  judged->kept, record->attempts.count);
    cli_print("judgement: %s\nrun: %lld\nverdict: %s\n", record->judgement.uuid, record->number,
              reason_english(record->arena,
                             standing_verdict_text(record->arena, &record->standing, &record->judgement)));
}

/* The exit status is that of the worst verdict. */
static int judge_again(struct store *store, struct arena *arena, const struct judging *judging,
                       struct error *err)
{
    struct judged *judged = arena_array(arena, struct judged, judging->count);
    enum verdict_word worst = VERDICT_ACCEPT;

    if (judge_stored(store, arena, judging, judged, err) < 0)
        return cli_fail(err);
    for (size_t i = 0; i < judging->count; i++) {
        enum verdict_word word = judged[i].record->judgement.verdicts[0].word;

        print_judged(&judged[i]);
        worst = word > worst ? word : worst;
    }
    return verdict_exit_status(worst);
}

int command_judge(int argc, char **argv)
{
    struct judging judging = {0};
    const char *db = NULL;
    const struct option_row rows[] = {
        {"baseline", 'b', OPTION_STRING, "NAME", &judging.baseline,
         "baseline file or built-in name; default: those of the run"},
        {"contract", 0, OPTION_STRING, "FILE", &judging.contract,
         "limits agreed in a contract, which outrank all others; default: that of the run"},
        CLI_DB_ROW(&db),
        OPTION_END,
    };
    struct error err = {0};
    cleanup_arena struct arena *arena = NULL;
    cleanup_store struct store *store = NULL;
    int first, status;

    if (!cli_options(rows, "judge RUN [RUN...]", argc, argv, &first, &status))
        return status;
    if (first == argc) {
        cli_warn(
            "assay: judge: expected a RUN, or several that are judged as one; `assay list` shows them\n");
        return EXIT_USAGE;
    }
    judging.words = (const char *const *)&argv[first];
    judging.count = (size_t)(argc - first);
    arena = arena_create();
    store = cli_stored(db, &err);
    return store != NULL ? judge_again(store, arena, &judging, &err) : cli_fail(&err);
}

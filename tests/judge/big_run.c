/* SPDX-License-Identifier: Apache-2.0 */
#include "big_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What may exist once: of each run, host and part another one; of parts that tell none, what any number may have. */
static const char *once(struct arena *arena, const struct big_run *run, size_t step, const struct slot *slot,
                        const struct limit *limit)
{
    if (run->serials == SERIALS_UNTOLD && limit->text != NULL)
        return arena_strndup(arena, limit->text, strcspn(limit->text, "|"));
    return run->serials == SERIALS_ONE
               ? "the only one"
               : arena_printf(arena, "%lld-%zu-%s", run->record.number, step, slot->subject);
}

/* A fact, or a number a little better than what is asked of it, different on each host, with few decimals, as tools print it. */
static void put_value(struct reading *reading, const struct slot *slot, const struct slot_limits *limits,
                      const struct big_run *run, size_t step)
{
    /* Of two dice, as of healthy hosts most are near the middle and few at the ends. */
    double number = 100, little = 1 + 0.0005 * (double)(step % 37 + step % 41), bound = NAN;
    const char *text = NULL;
    bool same = false;
    const struct metric *metric = metric_find(slot->metric);

    for (size_t i = 0; i < limits->limits.count; i++) {
        const struct limit *limit = limits->limits.items[i];

        if (limit->rule == RULE_EQUAL || limit->rule == RULE_MIN_VERSION)
            text = limit->text;
        else if (limit->rule == RULE_ONE_OF || limit->rule == RULE_READ)
            text = arena_strndup(reading->arena, limit->text, strcspn(limit->text, "|"));
        else if (limit->rule == RULE_SAME)
            same = true;
        else if (limit->rule == RULE_DISTINCT)
            text = once(reading->arena, run, step, slot, limit);
        else if (limit->rule == RULE_NEAR)
            text = "-0.001 to 0.001 s";
        else if (limit->rule == RULE_FLOOR || limit->rule == RULE_RANGE)
            number = ceil((bound = limit_gate(limit)) * little * 1000) / 1000;
        else if (limit->rule == RULE_CEILING)
            number = floor((bound = limit_gate(limit)) / little * 1000) / 1000;
    }
    /* A number that all must have alike is just what is asked of it. */
    if (same && !isnan(bound))
        number = bound;
    else if (same && text == NULL)
        text = "the same";
    if (text != NULL)
        reading_fact(reading, slot->metric, slot->subject, slice_of(text));
    else {
        struct measurement *measurement =
            reading_measure(reading, slot->metric, slot->subject, number, metric != NULL ? metric->unit : "");
        struct slice rest = slice_of(slot->at), word;

        while (scan_word(&rest, &word)) {
            size_t equals = slice_find(word, "=");

            reading_at_text(reading, measurement, arena_strndup(reading->arena, word.bytes, equals),
                            slice_from(word, equals + 1));
        }
    }
}

struct attempt *big_run_try(struct big_run *run, size_t index, bool up)
{
    struct arena *arena = run->record.arena;
    const struct step *step = &run->record.plan->steps.items[index];
    struct attempt *attempt = list_push(arena, &run->record.attempts);

    *attempt = (struct attempt){.step = index,
                                .n = 1,
                                .uuid = "11111111-1111-4111-8111-111111111111",
                                .state = ATTEMPT_ENDED,
                                .end = up ? ATTEMPT_RAN : ATTEMPT_UNREACHABLE,
                                .what = up ? NULL : reason_text(arena, "no route to host"),
                                .boot_id = "",
                                .command = "",
                                .captures = {{.stream = "stdout"}, {.stream = "stderr"}}};
    reading_init(&attempt->reading, arena, step->shape->check);
    attempt->reading.status = READING_COMPLETE;
    for (size_t i = 0; up && i < step->shape->slot_count; i++) {
        struct slot_limits limits;

        slot_limits_find(arena, &run->sources.limits, step->shape, &step->shape->slots[i], &limits);
        put_value(&attempt->reading, &step->shape->slots[i], &limits, run, index);
    }
    return attempt;
}

/* As if the suite had no others: what they owe is not asked for, and nothing waits for them. */
static void keep_steps(struct plan *plan, const char *const *names)
{
    size_t kept = 0;

    for (size_t i = 0; i < plan->steps.count; i++)
        for (size_t k = 0; names[k] != NULL; k++)
            if (strcmp(plan->steps.items[i].shape->suite_step, names[k]) == 0) {
                plan->steps.items[kept] = plan->steps.items[i];
                plan->steps.items[kept++].need_count = 0;
                break;
            }
    plan->steps.count = kept;
}

void big_run_plan(struct arena *arena, const char *hostfile, const char *suite, const char *const *steps,
                  struct big_run *ret_run)
{
    struct plan_options options = {.run_uuid = "00000000-0000-4000-8000-000000000000"};
    struct error err = {0};
    struct plan_notes notes;
    struct plan_sources *sources = &ret_run->sources;
    const struct hostfile *hosts = hostfile_parse(arena, "hosts", slice_of(hostfile), &err);
    const struct suite *loaded =
        *suite == '{' ? suite_parse(arena, "suite", slice_of(suite), &err) : suite_load(arena, suite, &err);

    *ret_run = (struct big_run){.record = {.arena = arena, .state = RUN_ENDED}};
    if (hosts != NULL && loaded != NULL && plan_sources_load(arena, hosts, loaded, NULL, sources, &err) == 0)
        ret_run->record.plan = plan_build(arena, sources, &options, &notes, &err);
    if (ret_run->record.plan == NULL) {
        fprintf(stderr, "%s\n", err.text);
        exit(70);
    }
    if (steps != NULL)
        keep_steps(ret_run->record.plan, steps);
    for (size_t i = 0; i < ret_run->record.plan->steps.count; i++)
        ret_run->items += ret_run->record.plan->steps.items[i].shape->slot_count;
}

void big_run_make(struct arena *arena, size_t hosts, double share_of_hosts_up, enum big_serials serials,
                  struct big_run *ret_run)
{
    const char *hostfile = arena_printf(arena, "n[1-%zu] platform=hgx-h100 slots=8\n", hosts);

    big_run_plan(arena, hostfile, "smoke", NULL, ret_run);
    ret_run->serials = serials;
    for (size_t i = 0; i < ret_run->record.plan->steps.count; i++) {
        const char *name = ret_run->record.plan->steps.items[i].members[0]->name;

        big_run_try(ret_run, i, (double)(strtoul(name + 1, NULL, 10)) <= share_of_hosts_up * (double)hosts);
    }
}

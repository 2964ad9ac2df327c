/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What only one host can have (RULE_DISTINCT: its machine, its GPUs, their boards), asked over all runs: each of them may have been
 * over some hosts only. What two names showed, in whichever runs, is nobody's: the passes of both in these runs are void. A part
 * may move: it is no conflict where the host that it was in was seen without it since, or where work on either of the two is
 * on record in between. A name that stood for another machine by mistake is cleared by a run in which it stands for its own; that
 * machine is then whoever's it was before and is again since, and otherwise nobody's.
 */
#include <stdlib.h>
#include <string.h>

#include "acceptance_private.h"
#include "assay/reasons/judge.h"
#include "judge_private.h"

struct seen {
    const char *metric, *value, *host;
    const char *subject; /* "gpu3"; "" the host itself */
    size_t run;
};
struct seen_list {
    LIST_OF(struct seen) items;
};

/* All that one name showed of a value. */
struct holder {
    const struct seen *seen;
    size_t count;
    bool gone; /* a later run showed others of this metric there, and not this one */
};

struct doubles {
    struct acceptance *acceptance;
    struct seen_list seen; /* by metric, value, host and run */
};

static int compare_seen(const void *one, const void *other)
{
    const struct seen *a = one, *b = other;
    int order = strcmp(a->metric, b->metric);

    if (order == 0)
        order = strcmp(a->value, b->value);
    if (order == 0)
        order = strcmp(a->host, b->host);
    return order != 0 ? order : a->run < b->run ? -1 : a->run > b->run;
}

/* The rule that says so of this value; some may be had by any number. */
static bool is_distinct(const struct slot *slot, const char *value)
{
    const struct value text = {.text = value, .unit = "", .found = true};

    for (size_t i = 0; i < slot->own_count && slot->duty == DUTY_GATE; i++)
        if (slot->own[i].rule == RULE_DISTINCT && !limit_excepts(&slot->own[i], &text))
            return true;
    return false;
}

static void look_at(struct doubles *doubles, size_t run, const struct outcome *outcome)
{
    const struct step *step = &doubles->acceptance->runs.items[run]->plan->steps.items[outcome->step];
    const struct slot *slot = &step->shape->slots[outcome->slot];
    const char *value;

    if (step->member_count != 1 || slot->own_count == 0 || outcome->measured == NULL ||
        outcome->word != OUTCOME_PASS)
        return;
    value = reason_english(doubles->acceptance->arena, outcome->measured);
    if (is_distinct(slot, value))
        *list_push(doubles->acceptance->arena, &doubles->seen.items) =
            (struct seen){slot->metric, value, step->members[0]->name, slot->subject, run};
}

/* Whether the name showed others of the metric in a later run than that. */
static bool is_seen_since(const struct doubles *doubles, const struct seen *last)
{
    for (size_t i = 0; i < doubles->seen.items.count; i++) {
        const struct seen *one = &doubles->seen.items.items[i];

        if (one->run > last->run && strcmp(one->metric, last->metric) == 0 &&
            strcmp(one->host, last->host) == 0)
            return true;
    }
    return false;
}

static const struct seen *last_of(const struct holder *holder)
{
    return &holder->seen[holder->count - 1];
}

/* Work on it while the part was on its way from the one to the other. */
static bool is_recorded(const struct acceptance *acceptance, const struct seen *from, const struct seen *to)
{
    for (size_t i = 0; i < acceptance->events.count; i++) {
        const struct acceptance_event *event = &acceptance->events.items[i];
        const struct seen *of = strcmp(event->host, to->host) == 0     ? to
                                : strcmp(event->host, from->host) == 0 ? from
                                                                       : NULL;

        if (of != NULL && event_is_work(event) &&
            (*event->item == '\0' || strcmp(event->item, of->subject) == 0) &&
            event->at > acceptance->runs.items[from->run]->started &&
            event->at <= acceptance->runs.items[to->run]->started)
            return true;
    }
    return false;
}

/* Whether what the one showed is its own in spite of the other. */
static bool is_own(const struct doubles *doubles, const struct holder *one, const struct holder *other)
{
    bool part = *one->seen->subject != '\0', first = one->seen->run < other->seen->run;

    if (part && (first ? is_recorded(doubles->acceptance, last_of(one), other->seen)
                       : is_recorded(doubles->acceptance, last_of(other), one->seen)))
        return true;
    if (!other->gone || one->gone)
        return false;
    return part || (first && last_of(one)->run > last_of(other)->run);
}

/* One sentence is enough of what a run showed of a host. */
static bool is_known(const struct acceptance *acceptance, const struct seen *seen)
{
    for (size_t i = 0; i < acceptance->conflicts.count; i++)
        if (acceptance->conflicts.items[i].run == seen->run &&
            strcmp(acceptance->conflicts.items[i].host, seen->host) == 0)
            return true;
    return false;
}

static void add_conflict(struct doubles *doubles, const struct holder *one, const struct holder *other)
{
    struct acceptance *acceptance = doubles->acceptance;
    struct arena *arena = acceptance->arena;

    for (size_t i = 0; i < one->count; i++) {
        const struct seen *seen = &one->seen[i], *beside = last_of(other);
        const struct reason *text = reason(arena, seen_on_two_hosts, seen->metric, seen->value, seen->host,
                                           acceptance->runs.items[seen->run]->number, beside->host,
                                           acceptance->runs.items[beside->run]->number);

        if (!is_known(acceptance, seen))
            *list_push(arena, &acceptance->conflicts) =
                (struct run_conflict){.run = seen->run, .host = seen->host, .text = text, .over_runs = true};
    }
}

/* All that showed one value, if it is more than one name. */
static void compare_holders(struct doubles *doubles, const struct seen *seen, size_t count)
{
    struct arena *arena = doubles->acceptance->arena;
    LIST_OF(struct holder) holders = {0};

    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(seen[i].host, seen[i - 1].host) != 0)
            *list_push(arena, &holders) = (struct holder){.seen = &seen[i]};
        holders.items[holders.count - 1].count++;
    }
    for (size_t i = 0; holders.count > 1 && i < holders.count; i++)
        holders.items[i].gone = is_seen_since(doubles, last_of(&holders.items[i]));
    for (size_t i = 0; i < holders.count; i++)
        for (size_t k = 0; k < holders.count; k++)
            if (i != k && !is_own(doubles, &holders.items[i], &holders.items[k])) {
                add_conflict(doubles, &holders.items[i], &holders.items[k]);
                break;
            }
}

void find_doubles(struct acceptance *acceptance)
{
    struct doubles doubles = {.acceptance = acceptance};
    const struct seen *seen;
    size_t count;

    for (size_t run = 0; run < acceptance->runs.count; run++) {
        const struct judgement *judgement = &acceptance->runs.items[run]->judgement;

        for (size_t i = 0; i < judgement->outcome_count; i++)
            look_at(&doubles, run, &judgement->outcomes[i]);
    }
    seen = doubles.seen.items.items;
    count = doubles.seen.items.count;
    if (count > 0)
        qsort(doubles.seen.items.items, count, sizeof *seen, compare_seen);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && strcmp(seen[end].metric, seen[i].metric) == 0 &&
                          strcmp(seen[end].value, seen[i].value) == 0;
             end++)
            ;
        if (strcmp(seen[i].host, seen[end - 1].host) != 0)
            compare_holders(&doubles, &seen[i], end - i);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "leaf_hosts.h"

#include <fnmatch.h>
#include <string.h>

#include "assay/base/arena.h"

enum { PAIR = 2, PAIRS_LEAST = 2 };

enum speed { SPEED_UNKNOWN, SPEED_FAST, SPEED_SLOW };

struct pairs {
    struct arena *arena;
    const struct record *record;
    const struct judgement *judgement;
    enum speed *speeds; /* of each step between two hosts */
    const char *
        *subjects; /* of each slow one: what it is slow at; "": several things, or the host as a whole */
};

static bool is_speed(const char *metric)
{
    return fnmatch("*busbw", metric, 0) == 0 || fnmatch("*bandwidth", metric, 0) == 0;
}

static void take_outcome(struct pairs *pairs, const struct outcome *outcome)
{
    const struct step *step = &pairs->record->plan->steps.items[outcome->step];
    const struct slot *slot = &step->shape->slots[outcome->slot];
    enum speed *speed = &pairs->speeds[outcome->step];
    const char **subject = &pairs->subjects[outcome->step];

    if (step->member_count != PAIR || step->origin != ORIGIN_SUITE || !is_speed(slot->metric))
        return;
    if (outcome->word == OUTCOME_FAIL) {
        *subject = *speed != SPEED_SLOW || strcmp(*subject, slot->subject) == 0 ? slot->subject : "";
        *speed = SPEED_SLOW;
    } else if (outcome->word == OUTCOME_PASS && *speed == SPEED_UNKNOWN) {
        *speed = SPEED_FAST;
    }
}

static struct pairs pairs_of(struct arena *arena, const struct record *record,
                             const struct judgement *judgement)
{
    size_t count = record->plan->steps.count;
    struct pairs pairs = {arena, record, judgement, arena_array(arena, enum speed, count),
                          arena_array(arena, const char *, count)};

    array_each (outcome, judgement->outcomes, judgement->outcome_count)
        take_outcome(&pairs, outcome);
    return pairs;
}

/* NULL: the host is not in that step of the suite. */
static const struct host *partner_in(const struct step *step, const struct host *host, const char *suite_step)
{
    if (step->member_count != PAIR || strcmp(step->shape->suite_step, suite_step) != 0)
        return NULL;
    return step->members[0] == host ? step->members[1] : step->members[1] == host ? step->members[0] : NULL;
}

static bool is_fast_without(const struct pairs *pairs, const struct host *partner, const struct host *host,
                            const char *suite_step)
{
    for (size_t i = 0; i < pairs->record->plan->steps.count; i++) {
        const struct host *other = pairs->speeds[i] == SPEED_FAST
                                       ? partner_in(&pairs->record->plan->steps.items[i], partner, suite_step)
                                       : NULL;

        if (other != NULL && other != host)
            return true;
    }
    return false;
}

/* What the host is slow at with all its partners of that step of the suite; NULL: it is not. */
static const char *slow_with_all(const struct pairs *pairs, const struct host *host, const char *suite_step)
{
    const char *subject = NULL;
    size_t slow = 0;

    for (size_t i = 0; i < pairs->record->plan->steps.count; i++) {
        const struct host *partner = pairs->speeds[i] != SPEED_UNKNOWN
                                         ? partner_in(&pairs->record->plan->steps.items[i], host, suite_step)
                                         : NULL;

        if (partner == NULL)
            continue;
        if (pairs->speeds[i] == SPEED_FAST || !is_fast_without(pairs, partner, host, suite_step))
            return NULL;
        subject = subject == NULL || strcmp(subject, pairs->subjects[i]) == 0 ? pairs->subjects[i] : "";
        slow++;
    }
    return slow >= PAIRS_LEAST ? subject : NULL;
}

static bool is_accused(const struct judgement *judgement, const struct host *host)
{
    for (size_t i = 0; i < judgement->accusation_count; i++)
        if (judgement->accusations[i].kind == ACCUSED_HOST &&
            strcmp(judgement->accusations[i].subject, host->name) == 0)
            return true;
    return false;
}

/* By any of its tests with another host; an adapter where a test names it. NULL: it is not. */
static const char *slow_at(const struct pairs *pairs, const struct host *host)
{
    const char *at = is_accused(pairs->judgement, host) ? "" : NULL;

    for (size_t i = 0; i < pairs->record->plan->steps.count && (at == NULL || *at == '\0'); i++) {
        const struct step *step = &pairs->record->plan->steps.items[i];
        const char *found =
            pairs->speeds[i] == SPEED_SLOW && partner_in(step, host, step->shape->suite_step) != NULL
                ? slow_with_all(pairs, host, step->shape->suite_step)
                : NULL;

        at = found != NULL ? found : at;
    }
    return at;
}

const char *leaf_slow_host(struct arena *arena, const struct record *record,
                           const struct judgement *judgement, const char *leaf)
{
    struct pairs pairs = pairs_of(arena, record, judgement);
    const char *named = NULL;

    for (size_t i = 0; i < record->plan->hosts.count; i++) {
        const struct host *host = record->plan->hosts.items[i];
        const char *at = strcmp(host->leaf, leaf) == 0 ? slow_at(&pairs, host) : NULL;

        if (at == NULL)
            continue;
        if (named != NULL)
            return NULL;
        named = *at != '\0' ? arena_printf(arena, "%s %s", host->name, at) : host->name;
    }
    return named;
}

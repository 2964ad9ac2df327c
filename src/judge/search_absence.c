/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who dropped out while a search went on: a host that could not be reached any more, so that no test with it is run.
 * Some say so themselves: an attempt, or a reading before or after it, ended without the host. Of the others there are
 * only parts that were never begun although others of their round were: of such a part one member at least is gone. It
 * is the one that nothing excuses; where several are left, each of them alone tells.
 */
#include "search_private.h"

#include <math.h>

/* Numbers of attempts, from 1. */
struct contact {
    size_t lost, seen;
};

static void note(const struct looked *looked, struct contact *contacts, const struct host *host,
                 enum attempt_end end, size_t number)
{
    size_t place = place_among(looked->step, host);

    if (place == looked->step->member_count)
        return;
    if (attempt_end_loses_host(end))
        contacts[place].lost = number;
    else if (end == ATTEMPT_RAN)
        contacts[place].seen = number;
}

/* The command runs on the first member; the readings before and after it on each. */
static void note_attempts(const struct looked *looked, struct contact *contacts)
{
    const struct record *record = looked->record;

    for (size_t i = 0; i < record->attempts.count; i++) {
        const struct attempt *attempt = &record->attempts.items[i];
        const struct step *step = &record->plan->steps.items[attempt->step];

        if (attempt->state != ATTEMPT_ENDED)
            continue;
        note(looked, contacts, step->members[0], attempt->end, i + 1);
        for (size_t k = 0; k < attempt->windows.count; k++)
            note(looked, contacts, step->members[attempt->windows.items[k].member],
                 attempt->windows.items[k].end, i + 1);
    }
}

static bool is_begun(const struct looked *looked, const struct part_value *part)
{
    return looked->attempts[part->step].count > 0;
}

/* What a run that was broken off did not come to says nothing of anybody, nor a round of which nothing was begun. */
static bool round_was_run(const struct looked *looked, unsigned round)
{
    if (round == looked->last_round &&
        (looked->record->state == RUN_INTERRUPTED || looked->record->state == RUN_CANCELLED))
        return false;
    for (size_t i = 0; i < looked->parts.count; i++)
        if (looked->parts.items[i].round == round && is_begun(looked, &looked->parts.items[i]))
            return true;
    return false;
}

/* The last round in which a test with each of them gave a value, or in which it was asked alone and answered. */
static unsigned *rounds_seen(const struct looked *looked)
{
    unsigned *seen = arena_array(looked->arena, unsigned, looked->step->member_count);

    list_each (part, looked->parts) {
        bool tells = (part->known && isfinite(part->value)) || (part->count == 1 && is_begun(looked, part));

        for (size_t k = 0; k < part->count && tells; k++)
            if (part->round > seen[part->hosts[k]])
                seen[part->hosts[k]] = part->round;
    }
    return seen;
}

/* The members that may be why it was not begun; none where one is gone for sure. */
static size_t suspects_of(const struct part_value *part, const bool *out, const unsigned *seen,
                          size_t *ret_hosts)
{
    size_t count = 0;

    for (size_t i = 0; i < part->count; i++) {
        if (out[part->hosts[i]])
            return 0;
        if (seen[part->hosts[i]] < part->round)
            ret_hosts[count++] = part->hosts[i];
    }
    return count;
}

/* The parts that were not begun: marks whom they leave no other explanation for; true: that was somebody new. */
static bool mark(const struct looked *looked, const unsigned *seen, bool *out, bool *doubtful)
{
    size_t members = looked->step->member_count, *hosts = arena_array(looked->arena, size_t, members);
    bool found = false;

    for (size_t i = 0; i < members; i++)
        doubtful[i] = false;
    list_each (part, looked->parts) {
        size_t count = is_begun(looked, part) || !round_was_run(looked, part->round)
                           ? 0
                           : suspects_of(part, out, seen, hosts);

        for (size_t k = 0; k < count; k++)
            doubtful[hosts[k]] = true;
        if (count == 1) {
            out[hosts[0]] = true;
            found = true;
        }
    }
    return found;
}

void find_absence(const struct looked *looked, struct absence *ret_absence)
{
    size_t members = looked->step->member_count;
    struct contact *contacts = arena_array(looked->arena, struct contact, members);
    bool *out = arena_array(looked->arena, bool, members),
         *doubtful = arena_array(looked->arena, bool, members);
    const unsigned *seen = rounds_seen(looked);

    *ret_absence = (struct absence){0};
    note_attempts(looked, contacts);
    for (size_t i = 0; i < members; i++)
        out[i] = contacts[i].lost > contacts[i].seen;
    while (mark(looked, seen, out, doubtful))
        ;
    for (size_t i = 0; i < members; i++)
        if (out[i])
            *list_push(looked->arena, &ret_absence->out) = i;
        else if (doubtful[i])
            *list_push(looked->arena, &ret_absence->doubtful) = i;
}

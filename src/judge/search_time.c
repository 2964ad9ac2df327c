/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much time the searches of a run took, by its attempts alone: so a resumed run, and one that is judged again, stops where
 * the first did, and what lay between an interruption and its resuming counts for nothing.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/scan.h"
#include "assay/reasons/judge.h"
#include "search_private.h"

struct stretch {
    double from, to;
};

static int compare_stretches(const void *a, const void *b)
{
    const struct stretch *left = a, *right = b;

    return (left->from > right->from) - (left->from < right->from);
}

/* What several tests share of the time counts once, s. */
static double time_of(struct stretch *stretches, size_t count)
{
    double sum = 0, covered = 0;

    qsort(stretches, count, sizeof *stretches, compare_stretches);
    for (size_t i = 0; i < count; i++) {
        double from = stretches[i].from > covered ? stretches[i].from : covered;

        if (stretches[i].to <= from)
            continue;
        sum += stretches[i].to - from;
        covered = stretches[i].to;
    }
    return sum;
}

/* Of a round it is that of its first test. */
static bool begins_round(const struct plan *plan, size_t step)
{
    const struct step *one = &plan->steps.items[step], *before = step > 0 ? one - 1 : NULL;

    return before == NULL || before->origin != ORIGIN_ISOLATE || before->parent != one->parent ||
           before->round != one->round;
}

static double searched_s(const struct looked *looked, unsigned *ret_rounds)
{
    const struct record *record = looked->record;
    struct stretch *stretches = arena_array(looked->arena, struct stretch, record->attempts.count + 1);
    size_t count = 0;

    *ret_rounds = 0;
    for (size_t i = 0; i < record->plan->steps.count; i++)
        *ret_rounds += record->plan->steps.items[i].origin == ORIGIN_ISOLATE && begins_round(record->plan, i);
    for (size_t i = 0; i < record->attempts.count; i++) {
        const struct attempt *attempt = &record->attempts.items[i];

        if (record->plan->steps.items[attempt->step].origin == ORIGIN_ISOLATE && attempt->sent > 0 &&
            attempt->ended > attempt->sent)
            stretches[count++] = (struct stretch){attempt->sent, attempt->ended};
    }
    return time_of(stretches, count);
}

unsigned search_minutes(const struct record *record)
{
    const struct document *document = document_find(&record->documents, SEARCH_MINUTES_DOCUMENT);
    struct slice rest, line;
    uint64_t minutes;

    if (document == NULL)
        return 0;
    rest = document->bytes;
    return scan_line(&rest, &line) && scan_u64(line, &minutes) && minutes > 0 && minutes <= UINT_MAX
               ? (unsigned)minutes
               : 0;
}

const struct reason *search_time_spent(const struct looked *looked)
{
    unsigned minutes = search_minutes(looked->record), rounds;
    double spent_s;

    if (minutes == 0)
        return NULL;
    spent_s = searched_s(looked, &rounds);
    /* The next round takes as long as those before it did. */
    if (rounds == 0 || spent_s + spent_s / rounds <= minutes * 60.0)
        return NULL;
    return reason(looked->arena, search_minutes_spent, minutes, rounds);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Who has failed in more than one run. */
#include <stdlib.h>
#include <string.h>

#include "history_private.h"

struct failed_run {
    size_t subject, run;
};

static int compare_failed_runs(const void *a, const void *b)
{
    const struct failed_run *left = a, *right = b;
    int order = compare_sizes(left->subject, right->subject);

    return order != 0 ? order : compare_sizes(left->run, right->run);
}

/* A failed pair of GPUs: which of the two it is, the pair alone does not tell. */
struct failed_pair {
    const struct seat *seat;
    int partner;
};

static int compare_failed_pairs(const void *a, const void *b)
{
    const struct failed_pair *left = a, *right = b;

    return left->seat != right->seat ? (left->seat > right->seat ? 1 : -1)
                                     : (left->partner > right->partner) - (left->partner < right->partner);
}

/* Whether it failed with several partners: then it is the one. */
static bool is_common_end(const struct failed_pair *pairs, size_t count, const struct seat *seat)
{
    size_t partners = 0;

    for (size_t i = 0; i < count; i++)
        partners += pairs[i].seat == seat && (i == 0 || compare_failed_pairs(&pairs[i - 1], &pairs[i]) != 0);
    return partners > 1;
}

static struct failed_pair *failed_pairs(struct work *work, const struct seats *seats, size_t *ret_count)
{
    const struct history *history = work->history;
    struct failed_pair *pairs =
        arena_array(work->arena, struct failed_pair, history->failures.count * PLACES_OF_POSITION);

    *ret_count = 0;
    list_each (failure, history->failures) {
        const int *places = seats->of_position[failure->position];

        for (size_t k = 0; k < PLACES_OF_POSITION && places[1] != NOBODY; k++)
            pairs[(*ret_count)++] = (struct failed_pair){
                seat_at(work, seats, failure->run, failure->target, (size_t)places[k]), places[1 - k]};
    }
    qsort(pairs, *ret_count, sizeof *pairs, compare_failed_pairs);
    return pairs;
}

/* Whose failure it is, at most two; of a pair of which neither end is the common one it is the host's. */
static size_t who_failed(struct work *work, const struct seats *seats, const struct failed_pair *pairs,
                         size_t pair_count, const struct history_failure *failure, size_t *ret_subjects)
{
    const int *places = seats->of_position[failure->position];
    size_t count = 0;

    for (size_t k = 0; k < PLACES_OF_POSITION; k++) {
        const struct seat *seat =
            places[k] == NOBODY ? NULL
                                : seat_at(work, seats, failure->run, failure->target, (size_t)places[k]);

        if (seat != NULL && (places[1] == NOBODY || is_common_end(pairs, pair_count, seat)))
            ret_subjects[count++] = seat->subject;
    }
    if (count == 0)
        ret_subjects[count++] = seat_at(work, seats, failure->run, failure->target, 0)->subject;
    return count;
}

void history_repeats(struct work *work, const struct seats *seats)
{
    const struct history *history = work->history;
    struct failed_run *failed =
        arena_array(work->arena, struct failed_run, history->failures.count * PLACES_OF_POSITION);
    size_t count = 0, pair_count;
    const struct failed_pair *pairs = failed_pairs(work, seats, &pair_count);

    for (size_t i = 0; i < history->failures.count; i++) {
        size_t subjects[PLACES_OF_POSITION];
        size_t of_failure = who_failed(work, seats, pairs, pair_count, &history->failures.items[i], subjects);

        for (size_t k = 0; k < of_failure; k++)
            failed[count++] = (struct failed_run){subjects[k], history->failures.items[i].run};
    }
    qsort(failed, count, sizeof *failed, compare_failed_runs);
    for (size_t i = 0, next; i < count; i = next) {
        size_t runs = 0;

        for (next = i; next < count && failed[next].subject == failed[i].subject; next++)
            runs += next == i || failed[next].run != failed[next - 1].run;
        if (runs > 1)
            *list_push(work->arena, &work->found->findings) =
                (struct history_finding){.kind = HISTORY_REPEAT,
                                         .subject = failed[i].subject,
                                         .runs = runs,
                                         .first_run = failed[i].run};
    }
}

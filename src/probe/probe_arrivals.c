/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rank 0's book of arrivals. In a collective all wait for the last one to come, so a rank with a slow CPU, a
 * throttled GPU or a busy host does not show by a long duration (the others have that) but by coming late.
 * Late means later than the middle rank of the same round.
 */
#include <stdlib.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "probe.h"

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

double median_of(double *values, size_t count)
{
    if (count == 0)
        return 0;
    qsort(values, count, sizeof *values, compare);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void make_room(struct arrivals *book, int ranks, size_t more)
{
    size_t capacity = book->rounds + more;
    float *late = mem_alloc((size_t)ranks * capacity * sizeof *late);
    float *duration = mem_alloc((size_t)ranks * capacity * sizeof *duration);

    if (book->last == NULL)
        book->last = mem_alloc((size_t)ranks * sizeof *book->last);
    for (size_t rank = 0; rank < (size_t)ranks; rank++)
        for (size_t i = 0; i < book->rounds; i++) {
            late[rank * capacity + i] = book->late_us[rank * book->capacity + i];
            duration[rank * capacity + i] = book->duration_us[rank * book->capacity + i];
        }
    free(book->late_us);
    free(book->duration_us);
    book->late_us = late;
    book->duration_us = duration;
    book->capacity = capacity;
}

/* Who was last, if the clocks can tell; the time between the first and the last is the round's spread. */
static double note_last(struct probe *probe, const double *sorted, const double *entered_us, size_t stride)
{
    size_t ranks = (size_t)probe->ranks;

    if (ranks > 1 && sorted[ranks - 1] - sorted[ranks - 2] > 2 * probe->clock_error_us)
        for (size_t rank = 0; rank < ranks; rank++)
            probe->arrivals.last[rank] += entered_us[rank * stride] == sorted[ranks - 1];
    return sorted[ranks - 1] - sorted[0];
}

void arrivals_take(struct probe *probe, size_t size, const double *entered_us, const double *left_us,
                   double *ret_spread_us)
{
    struct arrivals *book = &probe->arrivals;
    size_t ranks = (size_t)probe->ranks, rounds = probe->options.iterations;
    cleanup_free double *column = mem_alloc(ranks * sizeof *column),
                        *spreads = mem_alloc(rounds * sizeof *spreads);

    make_room(book, probe->ranks, rounds);
    for (size_t i = 0; i < rounds; i++) {
        double middle;

        for (size_t rank = 0; rank < ranks; rank++)
            column[rank] = entered_us[rank * rounds + i];
        middle = median_of(column, ranks);
        for (size_t rank = 0; rank < ranks; rank++) {
            size_t at = rank * rounds + i, kept = rank * book->capacity + book->rounds + i;

            book->late_us[kept] = (float)(entered_us[at] - middle);
            book->duration_us[kept] = (float)(left_us[at] - entered_us[at]);
        }
        spreads[i] = note_last(probe, column, entered_us + i, rounds);
        if (probe->options.arrivals)
            output_round(probe, size, i, entered_us, left_us);
    }
    book->rounds += rounds;
    *ret_spread_us = median_of(spreads, rounds);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/spells.h"

#include <math.h>
#include <string.h>

#include "assay/base/robust.h"
#include "assay/model/attempt.h"

enum {
    LENGTHS = 12, /* of runs that are asked for; a longer one is found as one of these */
    TELLING = 5   /* so many in a row, slow by the fail threshold, must stand out */
};

/* Of a normal distribution: a MAD is as good as a standard deviation of so much fewer values. */
static const double mad_efficiency = 0.37;

/* How far below the median each of `length` values in a row has to lie. */
static double threshold(size_t count, size_t length, double sigma, double remark)
{
    double chance = pow(SPELLS_CHANCE / pow(2, (double)length) / (double)count, 1 / (double)length);
    double z = robust_deviation_at(fmin(chance, 0.49));

    return fmax(remark, fmax(z * SPELLS_NOISE, robust_student(z, mad_efficiency * (double)count) * sigma));
}

/* Where the run of values that begins there ends: the first that does not belong to it. */
static size_t end_of_run(const struct spells_series *series, const bool *in, size_t first)
{
    size_t end = first;

    while (end < series->count && in[end] && (end == first || series->apart == NULL || !series->apart[end]))
        end++;
    return end;
}

/* Marks the values of every run of that length and more in which each lies so far below. */
static void mark_runs(const struct spells_series *series, const double *below, size_t length, double least,
                      bool *scratch, bool *slow)
{
    for (size_t i = 0; i < series->count; i++)
        scratch[i] = below[i] >= least;
    for (size_t first = 0, end; first<series->count; first = end> first ? end : first + 1) {
        end = end_of_run(series, scratch, first);
        for (size_t i = first; end - first >= length && i < end; i++)
            slow[i] = true;
    }
}

static void add_spell(struct arena *arena, const double *below, size_t first, size_t count,
                      struct spells *spells)
{
    struct spell spell = {first, count, 0};
    double sum = 0;

    for (size_t i = first; i < first + count; i++)
        sum += below[i];
    spell.below = sum / (double)count;
    *list_push(arena, &spells->items) = spell;
    spells->slow += count;
    spells->worst = fmax(spells->worst, spell.below);
    if (count > spells->items.items[spells->longest].count)
        spells->longest = spells->items.count - 1;
}

/* By how much each is worse than the median, as a fraction of it: linear, for noise on one value is added to it. */
static void measure(const double *values, size_t count, bool less, double *scratch, double *ret_worse,
                    struct spells *spells)
{
    memcpy(scratch, values, count * sizeof *values);
    spells->median = robust_median(scratch, count);
    for (size_t i = 0; i < count; i++)
        ret_worse[i] = (values[i] / spells->median - 1) * (less ? 1 : -1);
    memcpy(scratch, ret_worse, count * sizeof *ret_worse);
    spells->noise = robust_sigma(scratch, count, 0);
}

void spells_find(struct arena *arena, const struct spells_series *series, double remark, double fail,
                 struct spells *ret_spells)
{
    size_t count = series->count;
    double *below = arena_array(arena, double, count), *scratch = arena_array(arena, double, count);
    bool *slow = arena_array(arena, bool, count), *low = arena_array(arena, bool, count);

    *ret_spells = (struct spells){0};
    measure(series->values, count, series->less, scratch, below, ret_spells);
    ret_spells->blind = threshold(count, TELLING, ret_spells->noise, 0) > fail;
    for (size_t length = 1; length <= LENGTHS && length <= count; length++)
        mark_runs(series, below, length, threshold(count, length, ret_spells->noise, remark), low, slow);
    for (size_t first = 0, end; first<count; first = end> first ? end : first + 1) {
        end = end_of_run(series, slow, first);
        if (end > first)
            add_spell(arena, below, first, end - first, ret_spells);
    }
}

double slice_work_s(const struct attempt *attempt)
{
    double up = attempt->up_ended - attempt->up_began, seen = attempt->ended - attempt->began;

    if (attempt->up_began > 0 && up >= 0)
        return up;
    return seen > 0 ? seen : 0;
}

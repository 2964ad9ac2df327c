/* SPDX-License-Identifier: Apache-2.0 */
#include "rates.h"

#include <math.h>
#include <string.h>

#include "assay/base/robust.h"
#include "assay/base/scan.h"

#define COVERED 0.9 /* of a stretch: the last interval may end a little early */

/* An interval lends its rate to each stretch, for as long as it lies in that. */
static void add_interval(struct rates *rates, double *covered, double length_s, double from, double to,
                         double rate)
{
    size_t first = (size_t)(from / length_s);

    for (size_t i = first; i < rates->count && (double)i * length_s < to; i++) {
        double start = fmax(from, (double)i * length_s), end = fmin(to, (double)(i + 1) * length_s);

        rates->values[i] += rate * (end - start);
        covered[i] += end - start;
    }
}

bool rates_cut(struct arena *arena, const char *told, double length_s, double lasts_s,
               struct rates *ret_rates)
{
    struct rates rates = {.count = (size_t)(lasts_s / length_s)};
    double *covered = arena_array(arena, double, rates.count + 1), from = 0, to, rate;
    struct slice rest = slice_of(told), word;

    rates.values = arena_array(arena, double, rates.count + 1);
    while (scan_word(&rest, &word) && scan_double(word, &to) && scan_word(&rest, &word) &&
           scan_double(word, &rate) && to > from) {
        if (from < lasts_s)
            add_interval(&rates, covered, length_s, from, to, rate);
        from = to;
    }
    for (size_t i = 0; i < rates.count; i++) {
        if (covered[i] < length_s * COVERED)
            return false;
        rates.values[i] /= covered[i];
        if (rates.values[i] < rates.values[rates.slowest])
            rates.slowest = i;
    }
    memcpy(covered, rates.values, rates.count * sizeof *covered);
    rates.median = robust_median(covered, rates.count);
    *ret_rates = rates;
    return rates.count > 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as people write them of models: 405B, 15.6T. Anything else is refused, for "8x" is no number. */
#include <string.h>

#include "assay/base/scan.h"
#include "assay/worth/worth.h"

static const double MOST = 1e24; /* nothing that is asked comes near it, and its products are still numbers */

static const struct {
    const char *letters;
    double factor;
} units[] = {{"kK", 1e3}, {"mM", 1e6}, {"bBgG", 1e9}, {"tT", 1e12}};

int worth_number(const char *name, const char *word, double *ret_value, struct error *err)
{
    struct slice digits = slice_of(word);
    double factor = 1, value;

    for (size_t i = 0; digits.length > 0 && i < ARRAY_SIZE(units); i++)
        if (strchr(units[i].letters, word[digits.length - 1]) != NULL) {
            factor = units[i].factor;
            digits.length--;
            break;
        }
    if (!scan_double(digits, &value))
        return error_set(err, ERROR_USAGE,
                         "--%s: '%s' is no number; expected one such as 405B, 15.6T, 1e12 or 16384", name,
                         word);
    if (value * factor > MOST)
        return error_set(err, ERROR_USAGE, "--%s: %s is beyond all measure", name, word);
    if (value <= 0)
        return error_set(err, ERROR_USAGE, "--%s: %s is not above 0", name, word);
    *ret_value = value * factor;
    return 0;
}

const char *worth_amount(struct arena *arena, double value)
{
    static const char *const letters[] = {"", "K", "M", "B", "T"};
    size_t letter = 0;

    for (; value >= 999.5 && letter + 1 < ARRAY_SIZE(letters); letter++)
        value /= 1000;
    return arena_printf(arena, "%.3g%s", value, letters[letter]);
}

int worth_share_range(const char *name, const char *word, double *ret_low, double *ret_high,
                      struct error *err)
{
    const char *dash = strchr(word, '-');
    struct slice first = {word, dash != NULL ? (size_t)(dash - word) : strlen(word)};
    struct slice second = dash != NULL ? slice_of(dash + 1) : first;

    if (!scan_double(first, ret_low) || !scan_double(second, ret_high))
        return error_set(err, ERROR_USAGE, "--%s: '%s' is no range; expected one such as 0.4-0.6 or 0.5",
                         name, word);
    if (*ret_low <= 0 || *ret_high > 1 || *ret_low > *ret_high)
        return error_set(err, ERROR_USAGE,
                         "--%s: '%s' is impossible; expected shares above 0 and up to 1, the lower first",
                         name, word);
    return 0;
}

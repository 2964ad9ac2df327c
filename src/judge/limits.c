/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a value meets a limit. */
#include <math.h>
#include <string.h>

#include "judge_private.h"

/* Takes the next number of a dotted version off the front; what is not a number ends the version. */
static bool next_piece(struct slice *version, uint64_t *ret_piece)
{
    if (!scan_digits(version, ret_piece))
        return false;
    scan_text(version, ".");
    return true;
}

static enum met version_at_least(const char *version, const char *minimum)
{
    struct slice is = slice_of(version), least = slice_of(minimum);
    uint64_t a, b;

    while (next_piece(&least, &b)) {
        if (!next_piece(&is, &a))
            return UNDECIDED; /* "535" is not known to be 535.60 or later */
        if (a != b)
            return a > b ? MET : MISSED;
    }
    return MET;
}

static bool one_of(const char *word, const char *list)
{
    size_t length = strlen(word);

    while (true) {
        size_t next = strcspn(list, "|");

        if (next == length && memcmp(list, word, length) == 0)
            return true;
        if (list[next] == '\0')
            return false;
        list += next + 1;
    }
}

enum met limit_met(const struct limit *limit, const struct value *value, const char *common)
{
    switch (limit->rule) {
    case RULE_FLOOR:
        return isnan(value->number) ? UNDECIDED : value->number >= limit_gate(limit) ? MET : MISSED;
    case RULE_CEILING:
    case RULE_PLAUSIBLE:
        return isnan(value->number) ? UNDECIDED : value->number <= limit_gate(limit) ? MET : MISSED;
    case RULE_EQUAL:
        return strcmp(value->text, limit->text) == 0 ? MET : MISSED;
    case RULE_ONE_OF:
        return one_of(value->text, limit->text) ? MET : MISSED;
    case RULE_MIN_VERSION:
        return version_at_least(value->text, limit->text);
    case RULE_SAME:
        return common != NULL && strcmp(value->text, common) == 0 ? MET : MISSED;
    case RULE_FRACTION: /* slot_limits_find has made a floor of it */
    default:
        return UNDECIDED;
    }
}

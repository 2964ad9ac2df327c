/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a value meets a limit. */
#include <math.h>
#include <string.h>

#include "assay/reasons/judge.h"

#include "judge_private.h"

static enum met version_at_least(const char *version, const char *minimum)
{
    enum version_order order = version_reaches(version, minimum);

    return order == VERSION_REACHED ? MET : order == VERSION_OLDER ? MISSED : UNDECIDED;
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

bool limit_is_in_unit(const struct limit *limit, const struct value *value)
{
    return !limit_is_number(limit) || limit->status == LIMIT_TOOL || limit->unit == NULL ||
           *value->unit == '\0' || strcmp(limit->unit, value->unit) == 0;
}

/* What people mistake, and how that looks: a value that is right but for the factor lies between three quarters of it and all:
   gates stand so far below what is healthy at most. A value of a quarter is no eighth. */
static const struct factor {
    double factor;
    const struct reason *times, *fraction, *cause;
    bool of_bits; /* only where bits and bytes can be mistaken for each other */
} factors[] = {
    {8, REASON(eight_times), REASON(an_eighth_of), REASON(bits_for_bytes), true},
    {1000, REASON(thousand_times), REASON(a_thousandth_of), REASON(wrong_prefix), false},
};
static const double right_at_least = 0.75;

/* The check's own figure, or what the suite's step asks for, is in the check's own unit. What a platform's file declares is
   somebody's figure. */
static bool is_of_check(const struct limit *limit)
{
    return limit->status == LIMIT_TOOL && limit->origin == NULL;
}

const struct reason *factor_hint(struct arena *arena, const struct limit *limit, const struct value *value,
                                 const struct reason *said)
{
    bool range = limit->rule == RULE_RANGE;
    bool over = limit->rule == RULE_CEILING || limit->rule == RULE_PLAUSIBLE ||
                (range && value->number > limit_gate_most(limit));
    double gate = range && over ? limit_gate_most(limit) : limit_gate(limit), off;

    if (is_of_check(limit) || (!limit_is_number(limit) && limit->rule != RULE_PLAUSIBLE) ||
        !(value->number > 0) || gate <= 0)
        return said;
    off = over ? value->number / gate : gate / value->number;
    for (size_t i = 0; i < ARRAY_SIZE(factors); i++)
        if (off <= factors[i].factor && off >= factors[i].factor * right_at_least &&
            (!factors[i].of_bits || strstr(value->unit, "b/s") != NULL || strstr(value->unit, "B/s") != NULL))
            return reason(arena, off_by_factor, said, over ? factors[i].times : factors[i].fraction,
                          factors[i].cause);
    return said;
}

bool span_parse(const char *text, struct span *ret_span)
{
    struct slice rest = slice_of(text);
    size_t to = slice_find(rest, " to "), unit = slice_find(rest, " s");

    return to != (size_t)-1 && unit != (size_t)-1 && unit > to + 4 &&
           scan_double((struct slice){text, to}, &ret_span->from) &&
           scan_double((struct slice){text + to + 4, unit - to - 4}, &ret_span->to) &&
           ret_span->from <= ret_span->to;
}

/* Of one host and its controller nobody knows which of the two is off. */
static enum met is_near(const struct limit *limit, const char *text, const char *common)
{
    struct span span, others = {0, 0};

    if (!span_parse(text, &span) || (common != NULL && !span_parse(common, &others)))
        return UNDECIDED;
    if (span.from - others.to <= limit->value && others.from - span.to <= limit->value)
        return MET;
    return common != NULL ? MISSED : UNDECIDED;
}

bool limit_excepts(const struct limit *limit, const struct value *value)
{
    return limit->text != NULL && one_of(value->text, limit->text);
}

enum met limit_met(const struct limit *limit, const struct value *value, const char *common)
{
    switch (limit->rule) {
    case RULE_FLOOR:
        return isnan(value->number) ? UNDECIDED : value->number >= limit_gate(limit) ? MET : MISSED;
    case RULE_CEILING:
    case RULE_PLAUSIBLE:
        return isnan(value->number) ? UNDECIDED : value->number <= limit_gate(limit) ? MET : MISSED;
    case RULE_RANGE:
        if (isnan(value->number))
            return UNDECIDED;
        return value->number >= limit_gate(limit) && value->number <= limit_gate_most(limit) ? MET : MISSED;
    case RULE_EQUAL:
        return strcmp(value->text, limit->text) == 0 ? MET : MISSED;
    case RULE_ONE_OF:
        return one_of(value->text, limit->text) ? MET : MISSED;
    case RULE_MIN_VERSION:
        return version_at_least(value->text, limit->text);
    case RULE_SAME:
        return common != NULL && strcmp(value->text, common) == 0 ? MET : MISSED;
    case RULE_READ:
        return common == NULL || one_of(value->text, limit->text) ? MET : MISSED;
    case RULE_DISTINCT:
        return common == NULL || limit_excepts(limit, value) ? MET : MISSED;
    case RULE_RACK:
        return common == NULL ? MET : MISSED;
    case RULE_MACHINE:
        return common == NULL || strcmp(value->text, common) == 0 ? MET : MISSED;
    case RULE_NEAR:
        return is_near(limit, value->text, common);
    case RULE_GROUPS:   /* own_groups_judge */
    case RULE_GROWN:    /* by_growth */
    case RULE_SERIES:   /* slices_judge */
    case RULE_FRACTION: /* slot_limits_find has made a floor of it */
    default:
        return UNDECIDED;
    }
}

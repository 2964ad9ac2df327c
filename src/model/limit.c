/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/limit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/scan.h"
#include "assay/model/suite.h"
#include "assay/reasons/any.h"
#include "assay/reasons/model.h"

static const char *const rule_names[] = {
    [RULE_FLOOR] = "floor",
    [RULE_CEILING] = "ceiling",
    [RULE_EQUAL] = "equal",
    [RULE_ONE_OF] = "one_of",
    [RULE_MIN_VERSION] = "min_version",
    [RULE_SAME] = "same",
    [RULE_PLAUSIBLE] = "plausible",
    [RULE_FRACTION] = "fraction_of_ceiling",
    [RULE_RANGE] = "range",
    [RULE_DISTINCT] = "distinct",
    [RULE_NEAR] = "near",
    [RULE_GROUPS] = "fraction_of_groups",
    [RULE_RACK] = "rack",
    [RULE_MACHINE] = "machine",
    [RULE_SERIES] = "series",
    [RULE_READ] = "read",
    [RULE_GROWN] = "grown",
};
_Static_assert(ARRAY_SIZE(rule_names) == LIMIT_RULES, "a name for each rule, and LIMIT_RULES of them");
static const char *const status_names[] = {
    [LIMIT_CONTRACT] = "contract", [LIMIT_DATASHEET] = "datasheet",     [LIMIT_VENDOR] = "vendor",
    [LIMIT_FIELD] = "field",       [LIMIT_PROVISIONAL] = "provisional", [LIMIT_GUESS] = "guess",
    [LIMIT_TOOL] = "tool",         [LIMIT_COMPUTED] = "computed",       [LIMIT_SELF] = "self",
};

/* What is applied is what is printed: 450 and a tenth are 495, and not 6e-14 more. */
static double eased(double value, double by)
{
    char text[32];

    if (by == 0)
        return value;
    (void)snprintf(text, sizeof text, "%.12g", value + fabs(value) * by);
    return strtod(text, NULL);
}

double limit_gate(const struct limit *limit)
{
    switch (limit->rule) {
    case RULE_FLOOR:
    case RULE_RANGE:
        return eased(limit->value, -limit->tolerance);
    case RULE_CEILING:
    case RULE_PLAUSIBLE:
        return eased(limit->value, limit->tolerance);
    case RULE_EQUAL:
    case RULE_ONE_OF:
    case RULE_MIN_VERSION:
    case RULE_SAME:
    case RULE_MACHINE:
    case RULE_DISTINCT:
    case RULE_NEAR:
    case RULE_FRACTION:
    case RULE_GROUPS:
    case RULE_RACK:
    case RULE_SERIES:
    case RULE_READ:
    case RULE_GROWN:
    default:
        return limit->value;
    }
}

double limit_gate_most(const struct limit *limit)
{
    return eased(limit->most, limit->tolerance);
}

bool limit_is_number(const struct limit *limit)
{
    return limit->rule == RULE_FLOOR || limit->rule == RULE_CEILING || limit->rule == RULE_RANGE;
}

static bool has_floor(const struct limit *limit)
{
    return limit->rule == RULE_FLOOR || limit->rule == RULE_RANGE;
}

static bool has_ceiling(const struct limit *limit)
{
    return limit->rule == RULE_CEILING || limit->rule == RULE_RANGE;
}

static double most_of(const struct limit *limit)
{
    return limit->rule == RULE_RANGE ? limit_gate_most(limit) : limit_gate(limit);
}

bool limit_is_as_strict(const struct limit *limit, const struct limit *other)
{
    if (limit == other)
        return true;
    if (limit_is_number(other))
        return (!has_floor(other) || (has_floor(limit) && limit_gate(limit) >= limit_gate(other))) &&
               (!has_ceiling(other) || (has_ceiling(limit) && most_of(limit) <= most_of(other)));
    return limit->rule == other->rule && limit->value >= other->value &&
           (limit->text == other->text ||
            (limit->text != NULL && other->text != NULL && strcmp(limit->text, other->text) == 0));
}

bool limit_enforceable(const struct limit *limit)
{
    return limit->status != LIMIT_GUESS && limit->rule != RULE_PLAUSIBLE;
}

const char *limit_status_name(enum limit_status status)
{
    return status_names[status];
}

const char *limit_rule_name(enum limit_rule rule)
{
    return rule_names[rule];
}

/* " GB/s"; "" for what only counts. */
static const char *unit_behind(struct arena *arena, const struct limit *limit)
{
    return limit->unit != NULL && *limit->unit != '\0' ? arena_printf(arena, " %s", limit->unit) : "";
}

/* "345", or of a range "100 to 200": without its tolerance. */
static const char *stated_number(struct arena *arena, const struct limit *limit)
{
    char value[32], most[32];

    number_text(limit->value, value, sizeof value);
    if (limit->rule != RULE_RANGE)
        return arena_strdup(arena, value);
    return arena_printf(arena, "%s to %s", value, number_text(limit->most, most, sizeof most));
}

/* "5" of 0.05. */
static const char *percent(struct arena *arena, double fraction)
{
    return arena_printf(arena, "%.6g", fraction * 100);
}

static const struct reason *text_of_number(struct arena *arena, const struct limit *limit)
{
    char gate[32], most[32];
    const char *unit = unit_behind(arena, limit);
    const struct reason *bound;

    number_text(limit_gate(limit), gate, sizeof gate);
    if (limit->rule == RULE_RANGE)
        bound =
            reason(arena, at_least_and_at_most, gate,
                   arena_printf(arena, "%s%s", number_text(limit_gate_most(limit), most, sizeof most), unit));
    else if (limit->rule == RULE_FLOOR)
        bound = reason(arena, at_least, gate, unit);
    else
        bound = reason(arena, at_most, gate, unit);
    if (limit->tolerance > 0)
        return reason(arena, bound_eased, bound, stated_number(arena, limit),
                      percent(arena, limit->tolerance));
    if (limit->derived > 0)
        return reason(arena, bound_with_tolerance_in_it, bound, percent(arena, limit->derived));
    return bound;
}

const struct reason *limit_stated(struct arena *arena, const struct limit *limit)
{
    const char *stated;

    if (!limit_is_number(limit) && limit->rule != RULE_PLAUSIBLE)
        return limit_text(arena, limit);
    stated = arena_printf(arena, "%s %s%s", limit_rule_name(limit->rule), stated_number(arena, limit),
                          unit_behind(arena, limit));
    return limit->derived > 0
               ? reason(arena, stated_with_tolerance_in_it, stated, percent(arena, limit->derived))
               : reason(arena, stated_with_tolerance, stated, percent(arena, limit->tolerance));
}

const struct reason *limit_text(struct arena *arena, const struct limit *limit)
{
    switch (limit->rule) {
    case RULE_FLOOR:
    case RULE_RANGE:
    case RULE_CEILING:
    case RULE_PLAUSIBLE:
        return text_of_number(arena, limit);
    case RULE_FRACTION:
        return reason(arena, percent_of_ceiling, limit->value * 100);
    case RULE_GROUPS:
        return reason(arena, percent_of_smaller_groups, limit->value * 100);
    case RULE_EQUAL:
        return reason(arena, exactly, limit->text);
    case RULE_ONE_OF:
        return reason(arena, one_of, limit->text);
    case RULE_MIN_VERSION:
        return reason(arena, version_at_least, limit->text);
    case RULE_DISTINCT:
        return REASON(another_on_each_host);
    case RULE_RACK:
        return REASON(one_in_each_rack);
    case RULE_MACHINE:
        return REASON(same_machine_as_logged_in_to);
    case RULE_READ:
        return REASON(read_where_others_are);
    case RULE_GROWN:
        return limit->most > 0 ? reason(arena, grows_by_at_most_or_hourly, limit->value, limit->most)
                               : reason(arena, grows_by_at_most, limit->value);
    case RULE_SERIES:
        return reason(arena, percent_of_own_slices, limit->value * 100);
    case RULE_NEAR:
        return reason(arena, near_hosts_median,
                      arena_printf(arena, "%g%s", limit->value, unit_behind(arena, limit)));
    case RULE_SAME:
    default:
        return REASON(same_on_all_hosts);
    }
}

/* "345 GB/s" taken apart behind its number; NULL: it begins with none. */
static const struct reason *bound_of_text(struct arena *arena, bool least, struct slice said)
{
    const char *after = memchr(said.bytes, ' ', said.length);
    struct slice number = said;
    double ignored;

    number.length = after != NULL ? (size_t)(after - said.bytes) : said.length;
    if (!scan_double(number, &ignored))
        return NULL;
    said.bytes += number.length;
    said.length -= number.length;
    return least ? reason(arena, at_least, number, said) : reason(arena, at_most, number, said);
}

/* "90% of the ceiling" */
static const struct reason *share_of_text(struct arena *arena, const char *number, const char *percent,
                                          const struct reason *gate)
{
    const struct slice share = {number, (size_t)(percent - number)};
    double ignored;

    if (!scan_double(share, &ignored))
        return gate;
    return strcmp(percent, "% of the ceiling") == 0 ? reason(arena, percent_of_ceiling, share)
                                                    : reason(arena, percent_of_smaller_groups, share);
}

/* A gate that is told in words. */
static const struct reason *gate_of_text(struct arena *arena, const struct reason *gate)
{
    const char *text = reason_argument_text(gate, 1), *and = text != NULL ? strstr(text, " and <= ") : NULL;
    static const char percent[] = "% of the ";
    struct slice said = slice_of(text != NULL ? text : "");
    const struct reason *bound = NULL;

    if (and != NULL && scan_text(&said, ">= "))
        return reason(arena, at_least_and_at_most, ((struct slice){said.bytes, (size_t)(and-said.bytes)}),
                      and+strlen(" and <= "));
    if (text != NULL && strncmp(text, ">= ", 3) == 0 && strstr(text, percent) != NULL)
        return share_of_text(arena, text + 3, strstr(text, percent), gate);
    if (scan_text(&said, ">= version "))
        return reason(arena, version_at_least, said);
    if (scan_text(&said, "= "))
        return reason(arena, exactly, said);
    if (scan_text(&said, ">= "))
        bound = bound_of_text(arena, true, said);
    else if (scan_text(&said, "<= "))
        bound = bound_of_text(arena, false, said);
    return bound != NULL ? bound : gate;
}

const struct reason *limit_gate_of_record(struct arena *arena, const struct reason *gate)
{
    enum { ARGUMENTS_MOST = 3 };
    struct reason_value values[ARGUMENTS_MOST];
    size_t inner = reason_is(gate, gate_of_metric) ? 1 : 0;

    if (reason_is(gate, text))
        return gate_of_text(arena, gate);
    if (!reason_is(gate, gate_of_metric) && !reason_is(gate, bound_eased) &&
        !reason_is(gate, bound_with_tolerance_in_it) && !reason_is(gate, peers_bound_eased))
        return gate;
    for (size_t i = 0; i < gate->count; i++)
        values[i] = (struct reason_value){VALUE_OF_REASON, {.reason = reason_argument(arena, gate, i + 1)}};
    values[inner].reason = limit_gate_of_record(arena, values[inner].reason);
    return reason_make(arena, gate->sentence, values, gate->count);
}

static bool is_floor(const struct reason *bound)
{
    return reason_is(bound, at_least) || reason_is(bound, at_least_and_at_most) ||
           reason_is(bound, percent_of_ceiling) || reason_is(bound, percent_of_smaller_groups) ||
           reason_is(bound, version_at_least);
}

/* The number that the argument begins with. */
static double number_in(const struct reason *bound, size_t argument)
{
    const char *text = reason_argument_text(bound, argument);
    struct slice rest = slice_of(text != NULL ? text : ""), word;
    double value;

    return scan_word(&rest, &word) && scan_double(word, &value) ? value : NAN;
}

struct limit_bound limit_bound_of(const struct reason *bound)
{
    bool most = reason_is(bound, at_most), both = reason_is(bound, at_least_and_at_most);

    return (struct limit_bound){
        .floor = is_floor(bound),
        .ceiling = most || both,
        .least = both || reason_is(bound, at_least) ? number_in(bound, 1) : NAN,
        .most = most   ? number_in(bound, 1)
                : both ? number_in(bound, 2)
                       : NAN,
        .exactly = reason_is(bound, exactly) ? reason_argument_text(bound, 1) : NULL,
    };
}

/* '*' stands for any characters, none too; the last star is the only one that is ever tried again. */
static bool matches(const char *pattern, const char *text)
{
    const char *star = NULL, *resume = NULL;

    while (*text != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            resume = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star + 1;
            text = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

bool limit_applies(const struct limit *limit, const char *metric, const char *subject, const char *scope,
                   unsigned hosts, double size_bytes)
{
    if (!matches(limit->metric, metric) ||
        (limit->subject != NULL && !matches(limit->subject, subject != NULL ? subject : "")))
        return false;
    if (limit->scope != NULL && (scope == NULL || strcmp(limit->scope, scope) != 0))
        return false;
    if ((limit->hosts_min > 0 && hosts < limit->hosts_min) ||
        (limit->hosts_max > 0 && hosts > limit->hosts_max))
        return false;
    if ((limit->size_min > 0 || limit->size_max > 0) && size_bytes <= 0)
        return false;
    return size_bytes >= limit->size_min && (limit->size_max <= 0 || size_bytes <= limit->size_max);
}

bool limit_is_for_racks(const struct limit *limit, unsigned racks, unsigned rack_hosts)
{
    unsigned standing_in = racks > 0 ? racks : 1;

    return standing_in >= limit->racks_min && (limit->racks_max == 0 || standing_in <= limit->racks_max) &&
           (standing_in == 1 || rack_hosts >= limit->rack_hosts_min);
}

static const char *join_words(struct arena *arena, const struct json *list)
{
    const char *joined = NULL;

    json_each (word, list)
        joined = joined == NULL ? word->string : arena_printf(arena, "%s|%s", joined, word->string);
    return joined;
}

static void read_rule(struct arena *arena, const struct json *object, struct limit *limit)
{
    for (size_t rule = 0; rule < ARRAY_SIZE(rule_names); rule++) {
        const struct json *given = json_get(object, rule_names[rule]);
        char number[32];

        if (given == NULL)
            continue;
        limit->rule = (enum limit_rule)rule;
        if (given->type == JSON_STRING)
            limit->text = given->string;
        else if (given->type == JSON_ARRAY && rule != RULE_RANGE)
            limit->text = join_words(arena, given);
        else if (given->type == JSON_NUMBER && rule == RULE_EQUAL)
            limit->text = arena_strdup(arena, number_text(given->number, number, sizeof number));
        limit->value = given->type == JSON_NUMBER ? given->number : 0;
        if (rule == RULE_RANGE) {
            limit->value = given->items->number;
            limit->most = given->items->next->number;
        }
    }
}

/* Leaves 0 when it is not given. */
static int read_size(const struct json *object, const char *key, double *ret_bytes, struct error *err)
{
    const struct json *size = json_get(object, key);

    if (size == NULL || size_parse(size->string, ret_bytes))
        return 0;
    return json_error_add(err, size,
                          "%s is \"%s\"; expected a message size such as \"8G\", at most 2^53 bytes", key,
                          size->string);
}

/* Bounds that exclude each other: such a limit would never apply, and nobody would notice. */
static int check_bounds(const struct json *object, const struct limit *limit, struct error *err)
{
    if (limit->size_max > 0 && limit->size_max < limit->size_min)
        return json_error_add(err, json_get(object, "size_max"),
                              "size_max is \"%s\", less than size_min; expected that or more",
                              json_string(object, "size_max", ""));
    if (limit->hosts_max > 0 && limit->hosts_max < limit->hosts_min)
        return json_error_add(err, json_get(object, "hosts_max"),
                              "hosts_max is %u, less than hosts_min; expected %u or more", limit->hosts_max,
                              limit->hosts_min);
    if (limit->racks_max > 0 && limit->racks_max < limit->racks_min)
        return json_error_add(err, json_get(object, "racks_max"),
                              "racks_max is %u, less than racks_min; expected %u or more", limit->racks_max,
                              limit->racks_min);
    return 0;
}

/* A range that nothing lies in; a tolerance where there is nothing to ease, or on a number that was eased before. */
static int check_numbers(const struct json *object, const struct limit *limit, struct error *err)
{
    const struct json *range = json_get(object, "range"), *tolerance = json_get(object, "tolerance");

    if (range != NULL && (range->count != 2 || limit->most < limit->value))
        return json_error_add(
            err, range, "range has not the form [FLOOR, CEILING]; expected two numbers, the floor first");
    if (limit->status == LIMIT_SELF && limit->rule != RULE_GROUPS)
        return json_error_add(err, json_get(object, "status"),
                              "status is \"self\" with %s; expected this only with fraction_of_groups",
                              limit_rule_name(limit->rule));
    if (tolerance == NULL)
        return 0;
    if (limit->rule == RULE_FRACTION)
        return json_error_add(err, tolerance,
                              "tolerance is used with fraction_of_ceiling, which lowers the ceiling already; "
                              "expected a smaller fraction");
    if (!limit_is_number(limit))
        return json_error_add(err, tolerance, "tolerance is used with %s; expected floor, ceiling or range",
                              limit_rule_name(limit->rule));
    if (limit->derived > 0)
        return json_error_add(err, tolerance,
                              "tolerance is given for a number that already includes a tolerance of %.6g%% "
                              "(derived_tolerance); expected one of the two",
                              limit->derived * 100);
    return 0;
}

static const struct limit_measured *read_measured(struct arena *arena, const struct json *object)
{
    const struct json *given = json_get(object, "measured");
    struct limit_measured *measured;

    if (given == NULL)
        return NULL;
    measured = arena_new(arena, struct limit_measured);
    *measured = (struct limit_measured){.median = json_number(given, "median", 0),
                                        .mad = json_number(given, "mad", 0),
                                        .values = (size_t)json_number(given, "values", 0),
                                        .n = (size_t)json_number(given, "n", 0),
                                        .hosts = (size_t)json_number(given, "hosts", 0)};
    return measured;
}

/* LIMIT_TOOL and LIMIT_COMPUTED are no words of a document: they belong to the checks. */
static enum limit_status read_status(const struct json *object)
{
    const char *word = json_string(object, "status", "guess");

    for (size_t i = 0; i < LIMIT_TOOL; i++)
        if (strcmp(status_names[i], word) == 0)
            return (enum limit_status)i;
    return strcmp(word, status_names[LIMIT_SELF]) == 0 ? LIMIT_SELF : LIMIT_GUESS;
}

/* People must say that they mean a number of something; a metric that counts has no unit, nor has a bit error rate. */
static const char *unit_of(const struct json *object)
{
    const char *unit = json_string(object, "unit", "");

    return strcmp(unit, "count") != 0 && strcmp(unit, "rate") != 0 ? unit : "";
}

int limit_from_json(struct arena *arena, const struct json *object, double derived, struct limit *ret_limit,
                    struct error *err)
{
    struct limit limit = {
        .metric = json_string(object, "metric", ""),
        .subject = json_string(object, "subject", NULL),
        .scope = json_string(object, "scope", NULL),
        .hosts_min = (unsigned)json_number(object, "hosts_min", 0),
        .hosts_max = (unsigned)json_number(object, "hosts_max", 0),
        .racks_min = (unsigned)json_number(object, "racks_min", 0),
        .racks_max = (unsigned)json_number(object, "racks_max", 0),
        .rack_hosts_min = (unsigned)json_number(object, "rack_hosts_min", 0),
        .tolerance = json_number(object, "tolerance", 0),
        .derived = json_number(object, "derived_tolerance", derived),
        .unit = unit_of(object),
        .source = json_string(object, "source", ""),
        .status = read_status(object),
        .measured = read_measured(arena, object),
        .note = reason_word(arena, json_string(object, "note", "")),
        .inconclusive = json_boolean(object, "inconclusive", false),
    };

    if (read_size(object, "size_min", &limit.size_min, err) < 0 ||
        read_size(object, "size_max", &limit.size_max, err) < 0 || check_bounds(object, &limit, err) < 0)
        return -1;
    read_rule(arena, object, &limit);
    if (check_numbers(object, &limit, err) < 0)
        return -1;
    *ret_limit = limit;
    return 0;
}

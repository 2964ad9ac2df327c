/* SPDX-License-Identifier: Apache-2.0 */
/* What speaks against a baseline that its schema lets pass. */
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "assay/judge/derive.h"
#include "assay/parse/parser.h"
#include "judge_private.h"

struct inspection {
    struct arena *arena;
    const struct baseline *baseline;
    const struct platform *const *platforms;
    size_t platform_count;
    struct baseline_flaws *flaws;
};

/* --- limits that stand behind others --------------------------------------------------------------------------------- */

struct counts {
    unsigned least, most; /* most 0: any */
};

static struct counts hosts_of(const struct limit *limit)
{
    unsigned of_scope = limit->scope == NULL                ? 0
                        : strcmp(limit->scope, "host") == 0 ? 1
                        : strcmp(limit->scope, "pair") == 0 ? 2
                                                            : 0;

    if (of_scope > 0)
        return (struct counts){of_scope, of_scope};
    return (struct counts){limit->hosts_min > 0 ? limit->hosts_min : 1, limit->hosts_max};
}

/* One that says no least is for all as one that says 1 is; more racks than hosts there are not. */
static struct counts racks_of(const struct limit *limit)
{
    struct counts hosts = hosts_of(limit);
    unsigned most = limit->racks_max;

    if (hosts.most > 0 && (most == 0 || hosts.most < most))
        most = hosts.most;
    return (struct counts){limit->racks_min > 0 ? limit->racks_min : 1, most};
}

static bool covers(struct counts inner, struct counts outer)
{
    return outer.least <= inner.least && (outer.most == 0 || (inner.most > 0 && inner.most <= outer.most));
}

static bool covers_hosts(const struct limit *limit, const struct limit *before)
{
    struct counts inner = hosts_of(limit),
                  outer = {before->hosts_min > 0 ? before->hosts_min : 1, before->hosts_max};

    const struct counts racks = {before->racks_min > 0 ? before->racks_min : 1, before->racks_max};

    return limit->rack_hosts_min >= before->rack_hosts_min && covers(racks_of(limit), racks) &&
           covers(inner, outer);
}

static bool covers_sizes(const struct limit *limit, const struct limit *before)
{
    if (before->size_min <= 0 && before->size_max <= 0)
        return true;
    if (limit->size_min <= 0 && limit->size_max <= 0)
        return false;
    return before->size_min <= limit->size_min &&
           (before->size_max <= 0 || (limit->size_max > 0 && limit->size_max <= before->size_max));
}

bool limit_is_behind(const struct limit *limit, const struct limit *before)
{
    return fnmatch(before->metric, limit->metric, 0) == 0 &&
           (before->subject == NULL ||
            (limit->subject != NULL && fnmatch(before->subject, limit->subject, 0) == 0)) &&
           (before->scope == NULL || (limit->scope != NULL && strcmp(before->scope, limit->scope) == 0)) &&
           covers_hosts(limit, before) && covers_sizes(limit, before);
}

/* --- flaws ----------------------------------------------------------------------------------------------------------- */

static void add(const struct inspection *inspection, const struct json *at, bool remark, const char *text)
{
    *list_push(inspection->arena, &inspection->flaws->items) = (struct baseline_flaw){at, text, remark};
}

/* The key in the file that the flaw is about, else the limit itself. */
static const struct json *place(const struct json *at, const char *key)
{
    const struct json *found = json_get(at, key);

    return found != NULL ? found : at;
}

static void check_order(const struct inspection *inspection, size_t index)
{
    const struct baseline *baseline = inspection->baseline;

    for (size_t i = 0; i < index; i++)
        if (limit_is_behind(&baseline->limits.items[index], &baseline->limits.items[i])) {
            add(inspection, baseline->at.items[index], false,
                arena_printf(inspection->arena,
                             "limits[%zu], of %s, never applies: limits[%zu] on line %u comes before it and "
                             "speaks of all that it does",
                             index, baseline->limits.items[index].metric, i, baseline->at.items[i]->line));
            return;
        }
}

static void check_unit(const struct inspection *inspection, size_t index)
{
    const struct limit *limit = &inspection->baseline->limits.items[index];
    const struct metric *metric = metric_find(limit->metric);
    const struct json *at = inspection->baseline->at.items[index];

    if (!limit_is_number(limit))
        return;
    if (metric == NULL && strchr(limit->metric, '*') == NULL && strncmp(limit->metric, "window.", 7) != 0)
        add(inspection, place(at, "metric"), true,
            arena_printf(
                inspection->arena,
                "limits[%zu]: no check of assay measures %s; it is for a command of your own, or not "
                "the right word",
                index, limit->metric));
    if (metric != NULL && strcmp(metric->unit, limit->unit) != 0)
        add(inspection, place(at, "unit"), false,
            arena_printf(inspection->arena, "limits[%zu].unit is \"%s\", and %s is measured in \"%s\"", index,
                         *limit->unit != '\0' ? limit->unit : "count", limit->metric,
                         *metric->unit != '\0' ? metric->unit : "count"));
}

/* By all counts of hosts that it is for a floor must be one that the parts can reach; the ends of them tell. */
static void check_wire(const struct inspection *inspection, size_t index)
{
    const struct limit *limit = &inspection->baseline->limits.items[index];
    const struct json *at = inspection->baseline->at.items[index];
    struct counts hosts = hosts_of(limit);
    const unsigned ends[] = {hosts.least, hosts.most > 0 ? hosts.most : hosts.least};

    if (limit->rule != RULE_FLOOR && limit->rule != RULE_RANGE)
        return;
    for (size_t i = 0; i < inspection->platform_count; i++)
        for (size_t k = 0; k < ARRAY_SIZE(ends); k++) {
            const struct capacity *rate =
                check_capacity(inspection->arena, inspection->platforms[i], limit->metric, ends[k]);

            if (rate == NULL || strcmp(rate->unit, limit->unit) != 0 || limit->value <= rate->most)
                continue;
            add(inspection, place(at, limit_rule_name(limit->rule)), false,
                arena_printf(inspection->arena,
                             "limits[%zu]: a floor of %.6g %s for %s is more than platform %s can reach over "
                             "%u host%s, %s",
                             index, limit->value, limit->unit, limit->metric, inspection->platforms[i]->name,
                             ends[k], ends[k] == 1 ? "" : "s", rate->text));
            return;
        }
}

static void check_derived(const struct inspection *inspection, size_t index)
{
    const struct limit *limit = &inspection->baseline->limits.items[index];
    const struct limit_measured *measured = limit->measured;
    const struct json *at = inspection->baseline->at.items[index];
    bool ceiling = limit->rule == RULE_CEILING;
    double bound, slack;

    if (measured == NULL)
        return;
    if (measured->n < DERIVE_LEAST || measured->hosts < DERIVE_LEAST_HOSTS || measured->values < measured->n)
        add(inspection, place(at, "measured"), false,
            arena_printf(
                inspection->arena,
                "limits[%zu]: %zu values of %zu independent items on %zu hosts are too few for a figure; "
                "it takes %d on %d",
                index, measured->values, measured->n, measured->hosts, DERIVE_LEAST, DERIVE_LEAST_HOSTS));
    bound = derive_bound(measured, ceiling);
    /* The fourth digit, to which figures are rounded. */
    slack = 1e-3 * measured->median;
    if (isnan(bound) || (limit->rule != RULE_FLOOR && !ceiling))
        return;
    if (ceiling ? limit->value < bound - slack : limit->value > bound + slack)
        add(inspection, place(at, limit_rule_name(limit->rule)), false,
            arena_printf(
                inspection->arena,
                "limits[%zu]: a %s of %.6g %s does not follow from what was measured, median %.6g, MAD "
                "%.6g, n %zu: that gives %.4g",
                index, limit_rule_name(limit->rule), limit->value, limit->unit, measured->median,
                measured->mad, measured->n, bound));
}

static void check_source(const struct inspection *inspection, size_t index)
{
    enum { SHORTEST_SOURCE = 8 }; /* "nccl#212" */
    const struct limit *limit = &inspection->baseline->limits.items[index];
    const struct json *at = inspection->baseline->at.items[index];

    if (limit->status == LIMIT_GUESS)
        add(inspection, place(at, "status"), true,
            arena_printf(
                inspection->arena,
                "limits[%zu], of %s, is a guess: it may remark, and neither fails nor passes anything", index,
                limit->metric));
    else if (strlen(limit->source) < SHORTEST_SOURCE)
        add(inspection, place(at, "source"), false,
            arena_printf(inspection->arena,
                         "limits[%zu].source is \"%s\": unfounded; expected what can be looked up, or status "
                         "guess",
                         index, limit->source));
    if (limit->status == LIMIT_CONTRACT)
        add(inspection, place(at, "status"), true,
            arena_printf(
                inspection->arena,
                "limits[%zu], of %s, has status contract, and in a baseline outranks nothing; clauses "
                "stand in a contract (--contract)",
                index, limit->metric));
}

void judge_baseline(struct arena *arena, const struct baseline *baseline,
                    const struct platform *const *platforms, size_t platform_count,
                    struct baseline_flaws *ret_flaws)
{
    const struct inspection inspection = {arena, baseline, platforms, platform_count, ret_flaws};

    *ret_flaws = (struct baseline_flaws){0};
    for (size_t i = 0; i < baseline->limits.count; i++) {
        check_order(&inspection, i);
        check_unit(&inspection, i);
        check_wire(&inspection, i);
        check_derived(&inspection, i);
        check_source(&inspection, i);
    }
}

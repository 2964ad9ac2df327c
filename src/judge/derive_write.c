/* SPDX-License-Identifier: Apache-2.0 */
/* What was derived, in words and as a document. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "assay/judge/derive.h"
#include "assay/model/suite.h"

const char *derived_name(struct arena *arena, const struct derived *derived)
{
    const char *racks = derived->racks > 0 ? arena_printf(arena, " in %u rack%s", derived->racks,
                                                          derived->racks == 1 ? "" : "s")
                                           : "";

    return arena_printf(arena, "%s over %u host%s%s%s%s", derived->metric, derived->hosts,
                        derived->hosts == 1 ? "" : "s", racks, derived->size_bytes > 0 ? " at " : "",
                        derived->size_bytes > 0 ? size_text(arena, derived->size_bytes) : "");
}

static const char *origin_text(struct arena *arena, const struct derived *derived)
{
    const struct limit_measured *measured = &derived->measured;

    if (*derived->note != '\0')
        return arena_printf(arena, "%s", derived->note);
    return arena_printf(arena, "median %.6g %s %.3g x 1.4826 x MAD %.6g", measured->median,
                        derived->ceiling ? "and" : "less", derived->factor, measured->mad);
}

const char *derived_text(struct arena *arena, const struct derived *derived)
{
    const struct limit_measured *measured = &derived->measured;

    return arena_printf(arena, "%s %.6g %s: %s; n %zu (%zu values, %zu hosts)",
                        derived->ceiling ? "ceiling" : "floor", derived->value, derived->unit,
                        origin_text(arena, derived), measured->n, measured->values, measured->hosts);
}

static struct limit limit_of(struct arena *arena, const struct derived *derived)
{
    return (struct limit){
        .metric = derived->metric,
        .hosts_min = derived->hosts > 1 ? derived->hosts : 0,
        .hosts_max = derived->hosts,
        .racks_min = derived->racks,
        .racks_max = derived->racks,
        .rack_hosts_min = derived->rack_hosts,
        .size_min = derived->size_bytes,
        .size_max = derived->size_bytes,
        .rule = derived->ceiling ? RULE_CEILING : RULE_FLOOR,
        .value = derived->value,
        .derived = fabs(derived->value / derived->measured.median - 1),
        .unit = derived->unit,
        .status = LIMIT_FIELD,
        .source = arena_printf(
            arena,
            "accepted runs, see derived_from: %s; median %.6g %s, MAD %.6g, n %zu (%zu values, "
            "%zu hosts)",
            origin_text(arena, derived), derived->measured.median, derived->unit, derived->measured.mad,
            derived->measured.n, derived->measured.values, derived->measured.hosts),
        .measured = &derived->measured};
}

static void put_size(struct json_writer *writer, struct arena *arena, const char *key, double size)
{
    if (size > 0)
        json_member(writer, key, size_text(arena, size));
}

static void put_count(struct json_writer *writer, const char *key, size_t count)
{
    if (count == 0)
        return;
    json_member_count(writer, key, count);
}

static void put_limit(struct json_writer *writer, struct arena *arena, const struct limit *limit)
{
    json_open_object(writer);
    json_member(writer, "metric", limit->metric);
    put_count(writer, "hosts_min", limit->hosts_min);
    put_count(writer, "hosts_max", limit->hosts_max);
    put_count(writer, "racks_min", limit->racks_min);
    put_count(writer, "racks_max", limit->racks_max);
    put_count(writer, "rack_hosts_min", limit->rack_hosts_min);
    put_size(writer, arena, "size_min", limit->size_min);
    put_size(writer, arena, "size_max", limit->size_max);
    json_member_number(writer, limit_rule_name(limit->rule), limit->value);
    json_member(writer, "unit", limit->unit);
    /* The schema has none of 0: the worst accepted value was the median. */
    if (limit->derived > 0)
        json_member_number(writer, "derived_tolerance", ceil(limit->derived * 1e4) / 1e4);
    json_member(writer, "status", limit_status_name(limit->status));
    json_member(writer, "source", limit->source);
    json_member_object(writer, "measured");
    json_member_number(writer, "median", limit->measured->median);
    json_member_number(writer, "mad", limit->measured->mad);
    put_count(writer, "values", limit->measured->values);
    put_count(writer, "n", limit->measured->n);
    put_count(writer, "hosts", limit->measured->hosts);
    json_close_object(writer);
    json_close_object(writer);
}

static const char *date_text(struct arena *arena, double when)
{
    time_t seconds = (time_t)when;
    char text[32];
    struct tm parts;

    if (gmtime_r(&seconds, &parts) == NULL || strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        return "unknown";
    return arena_strdup(arena, text);
}

static void put_runs(struct json_writer *writer, struct arena *arena, const struct record *const *records,
                     size_t count)
{
    json_member_array(writer, "derived_from");
    for (size_t i = 0; i < count; i++) {
        json_open_object(writer);
        json_member(writer, "run", records[i]->uuid);
        json_member(writer, "judgement", records[i]->judgement.uuid);
        json_member(writer, "judged_against", reason_english(arena, records[i]->judgement.baselines));
        json_member(writer, "suite", records[i]->suite);
        json_member(writer, "started", date_text(arena, records[i]->started));
        json_close_object(writer);
    }
    json_close_array(writer);
}

/* Behind the new ones what base has, but for what can never apply there. */
static void put_limits(struct json_writer *writer, struct arena *arena, const struct derivation *derivation,
                       const struct baseline *base)
{
    LIST_OF(struct limit) limits = {0};

    json_member_array(writer, "limits");
    for (size_t i = 0; i < derivation->figures.count; i++) {
        struct limit *limit;

        if (derivation->figures.items[i].refused != NULL)
            continue;
        limit = list_push(arena, &limits);
        *limit = limit_of(arena, &derivation->figures.items[i]);
        put_limit(writer, arena, limit);
    }
    for (size_t i = 0; base != NULL && i < base->limits.count; i++) {
        bool behind = false;

        for (size_t k = 0; k < limits.count; k++)
            behind |= limit_is_behind(&base->limits.items[i], &limits.items[k]);
        if (!behind)
            json_put(writer, base->at.items[i]);
    }
    json_close_array(writer);
}

void derivation_write(struct arena *arena, const struct derivation *derivation,
                      const struct record *const *records, size_t count, const struct platform *platform,
                      const struct baseline *base, const char *name, struct text *out)
{
    const struct json *eased = base != NULL ? json_get(base->document, "derived_tolerance") : NULL;
    struct json_writer writer;

    json_writer_init(&writer, out, false);
    json_open_object(&writer);
    json_member(&writer, "name", name);
    json_member(&writer, "title", arena_printf(arena, "%s, as measured here", platform->title));
    if (base != NULL)
        json_member(
            &writer, "note",
            arena_printf(arena, "Derived figures come first; those of baseline %s follow.", base->name));
    json_member_array(&writer, "platforms");
    json_put_string(&writer, platform->name);
    json_close_array(&writer);
    put_runs(&writer, arena, records, count);
    if (eased != NULL)
        json_member_number(&writer, "derived_tolerance", eased->number);
    put_limits(&writer, arena, derivation, base);
    json_close_object(&writer);
}

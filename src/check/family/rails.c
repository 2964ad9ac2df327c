/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

#include "rails.h"
#include "rules.h"

#include <string.h>

#define CLOSE_TO 0.99 /* of the fastest link's rate: what the tools round */

/* "4X" lanes of "106.25 Gbps" */
void rails_read_link(struct arena *arena, const char *width, const char *speed, struct neighbour *neighbour)
{
    struct slice rest, word;
    uint64_t lanes;
    double lane;

    if (width == NULL || speed == NULL)
        return;
    neighbour->link = arena_printf(arena, "%s %s", width, speed);
    rest = slice_of(width);
    if (!scan_digits(&rest, &lanes) || !scan_text(&rest, "X") || rest.length > 0)
        return;
    rest = slice_of(speed);
    if (scan_word(&rest, &word) && scan_double(word, &lane) && slice_equal(slice_trim(rest), "Gbps"))
        neighbour->rate = (double)lanes * lane;
}

/* --- where it belongs --- */

/* "leaf3" is also "leaf3.dc1.example" and "MF0;leaf3:MQM9700/U1". */
static bool is_switch(const char *declared, const struct neighbour *neighbour)
{
    struct slice name = slice_of(neighbour->name);
    size_t at;

    if (neighbour->guid != NULL && slice_equal_nocase(slice_of(neighbour->guid), declared))
        return true;
    if (slice_equal_nocase(name, declared))
        return true;
    at = slice_find(name, ";");
    if (at != (size_t)-1) {
        name = slice_from(name, at + 1);
        at = slice_find(name, ":");
    } else {
        at = slice_find(name, ".");
    }
    if (at != (size_t)-1)
        name.length = at;
    return slice_equal_nocase(name, declared);
}

static bool ends_there(const struct host_rail *rail, const struct neighbour *neighbour)
{
    if (!is_switch(rail->switch_name, neighbour))
        return false;
    return *rail->port == '\0' ||
           (neighbour->port != NULL && slice_equal_nocase(slice_of(neighbour->port), rail->port)) ||
           (neighbour->port_alias != NULL && slice_equal_nocase(slice_of(neighbour->port_alias), rail->port));
}

static const struct reason *place_of(struct arena *arena, const struct neighbour *neighbour)
{
    return neighbour->port != NULL ? reason(arena, port_of_switch, neighbour->name, neighbour->port)
                                   : reason(arena, text, neighbour->name);
}

/* NULL where the host does not declare the rail. */
static const struct reason *judge_rail(struct arena *arena, const struct host *host, const char *hca,
                                       const struct neighbour *neighbour)
{
    const struct reason *others = NULL, *place = place_of(arena, neighbour);
    bool declared = false;

    list_each (rail, host->rails) {
        bool own = strcmp(rail->hca, hca) == 0;

        declared |= own;
        if (!ends_there(rail, neighbour))
            continue;
        if (own)
            return REASON(as_declared);
        others =
            others != NULL ? reason(arena, one_or_other, others, rail->hca) : reason(arena, text, rail->hca);
    }
    if (!declared)
        return NULL;
    return others != NULL ? reason(arena, plugged_where_other_belongs, others, place)
                          : reason(arena, plugged_into, place);
}

void rails_tell(const struct host *host, const char *hca, const char *subject,
                const struct neighbour *neighbour, struct reading *out)
{
    const struct reason *rail;

    if (neighbour->unread != NULL) {
        reading_unread(out, "cabling.rail", subject, neighbour->unread);
        reading_unread(out, "cabling.neighbour", subject, neighbour->unread);
        return;
    }
    rail = judge_rail(out->arena, host, hca, neighbour);
    reading_fact_said(out, "cabling.neighbour", subject, place_of(out->arena, neighbour));
    if (rail != NULL)
        reading_fact_said(out, "cabling.rail", subject, rail);
    else
        reading_unread(out, "cabling.rail", subject, REASON(no_rail_declared));
}

void rails_tell_link(const char *subject, const struct neighbour *neighbour, const char *fastest_subject,
                     const struct neighbour *fastest, struct reading *out)
{
    if (neighbour->link == NULL || neighbour->rate <= 0) {
        reading_unread(out, "cabling.link", subject, REASON(no_link_of_known_speed));
        reading_unread(out, "cabling.speed", subject, REASON(no_link_of_known_speed));
        return;
    }
    reading_fact(out, "cabling.link", subject, slice_of(neighbour->link));
    reading_fact_said(
        out, "cabling.speed", subject,
        neighbour->rate >= CLOSE_TO * fastest->rate
            ? REASON(as_fast_as_the_others)
            : reason(out->arena, slower_than_against, fastest_subject, neighbour->link, fastest->link));
}

/* --- what is owed --- */

const struct limit rails_rules[] = RULES_EQUAL("cabling.rail", "as declared", "the hostfile's rails");
const struct limit rails_speed_rules[] =
    RULES_EQUAL("cabling.speed", "like the others", "assay: rails are alike");

/* Of the platform, or of a step of a check of cables: one may be for other adapters. */
static bool is_known(const struct check_context *context, const char *hca)
{
    for (size_t i = 0; i < context->platform->hcas.count; i++)
        if (strcmp(context->platform->hcas.items[i], hca) == 0)
            return true;
    for (size_t i = 0; i < context->suite->steps.count; i++) {
        struct check_context other = *context;
        const char *name;

        other.step = &context->suite->steps.items[i];
        if (strncmp(other.step->check, "cabling", strlen("cabling")) != 0)
            continue;
        for (size_t k = 0; (name = check_hca(&other, k)) != NULL; k++)
            if (strcmp(name, hca) == 0)
                return true;
    }
    return false;
}

static const struct host_rail *find_rail(const struct host *host, const char *hca)
{
    for (size_t i = 0; i < host->rails.count; i++)
        if (strcmp(host->rails.items[i].hca, hca) == 0)
            return &host->rails.items[i];
    return NULL;
}

int rails_host_valid(const struct check_context *context, const char *hostfile, struct error *err)
{
    const struct host *host = context->members[0];
    const char *hca;

    list_each (rail, host->rails)
        if (!is_known(context, rail->hca))
            return error_set(
                err, ERROR_USAGE,
                "%s:%u:%u: host '%s': unknown HCA in 'rail.%s'; neither platform %s nor a step of check "
                "'%s' names it",
                hostfile, rail->line, rail->column, host->name, rail->hca, context->platform->name,
                context->check->name);
    for (size_t i = 0; (hca = check_hca(context, i)) != NULL; i++)
        if (find_rail(host, hca) == NULL)
            return error_set(
                err, ERROR_USAGE,
                "%s:%u:%u: host '%s' declares no rail for %s, which step '%s' holds its cable against; "
                "expected rail.%s=SWITCH[:PORT] on its line or on a defaults line",
                hostfile, host->line, host->column, host->name, hca, context->step->name, hca);
    return 0;
}

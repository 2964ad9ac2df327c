/* SPDX-License-Identifier: Apache-2.0 */
/* Of Ethernet nobody knows what a flow crossed: what was expected is told, what counters saw is proven, and siblings are compared. */
#include <math.h>

#include "assay/base/robust.h"
#include "assay/fabric/ethernet.h"
#include "assay/fabric/tiers.h"
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

#include "links_evidence.h"
#include "part_file.h"

/* --- what was written --- */

/* Where there are none, the first line that was said of it. */
static bool take_cables(const struct attempt *attempt, struct reading *out, struct slice *ret_cables)
{
    const struct part *part = attempt_part(attempt, "cables");

    if (part == NULL || !part->ended || part->rc == 0)
        return fabric_take(attempt, "cables", out, ret_cables);
    reading_set(out, READING_PARTIAL,
                reason(out->arena, about, "cables",
                       part_with_complaint(out->arena, part, REASON(command_not_ended))));
    return false;
}

bool ethernet_read_files(struct evidence *evidence, const struct attempt *attempt)
{
    struct reading *out = evidence->out;
    struct fabric_cabling *cabling = fabric_cabling_new(out->arena);
    const struct fabric_cabling_options all = {.host_gbits = 0};
    struct fabric_remarks remarks;
    struct slice cables, flows, counters;
    struct error err = {0};

    if (!take_cables(attempt, out, &cables) || !links_take_results(evidence, attempt, &flows, &counters))
        return false;
    evidence->fabric = fabric_new(out->arena);
    if (fabric_cabling_read_plan(cabling, "cables", cables, &err) < 0 ||
        fabric_cabling_build(cabling, &all, evidence->fabric, &remarks, &err) < 0 ||
        fabric_read_flows(out->arena, evidence->fabric, "flows", flows, &evidence->measured, &err) < 0 ||
        fabric_read_counter_readings(out->arena, evidence->fabric, cabling, "counters", counters,
                                     &evidence->counted, &err) < 0)
        return links_lack(out, &err);
    return links_add_up(evidence);
}

/* --- what follows from it --- */

/* As the program planned: by the same cables, for the same adapters. */
static void plan_again(struct evidence *evidence)
{
    struct arena *arena = evidence->out->arena;
    size_t hcas = evidence->count / evidence->context->member_count;
    uint32_t *ports = arena_array(arena, uint32_t, evidence->count);
    uint32_t *hosts = arena_array(arena, uint32_t, evidence->count);
    struct fabric_question question = {
        .ports = ports,
        .hosts = hosts,
        .rounds_most = (unsigned)check_number(evidence->context, "rounds"),
    };

    for (size_t i = 0; i < evidence->count; i++)
        if (evidence->ports[i] != FABRIC_NONE) {
            ports[question.count] = evidence->ports[i];
            hosts[question.count++] = (uint32_t)(i / hcas);
        }
    evidence->question = question;
    evidence->plan = fabric_ecmp_plan(arena, evidence->fabric, &evidence->question,
                                      (unsigned)check_number(evidence->context, "streams"));
}

/* Of a flow's way nothing is known but the links of both of its hosts. */
static void mark_flows(struct evidence *evidence)
{
    double *shares = arena_array(evidence->out->arena, double, evidence->measured.flows.count);
    size_t count = 0;

    list_each (seen, evidence->measured.flows) {
        uint32_t last = evidence->fabric->ports.items[seen->flow.to].far;

        if (isnan(seen->share))
            continue;
        shares[count++] = seen->share;
        evidence->reached[seen->flow.from] = evidence->reached[last] = true;
    }
    evidence->suspects.measured = count;
    evidence->suspects.typical = count > 0 ? robust_median(shares, count) : NAN;
}

void ethernet_work_out(struct evidence *evidence)
{
    struct arena *arena = evidence->out->arena;
    size_t rounds = evidence->measured.ends.count;
    const struct fabric_counters *readings = evidence->counted.readings.items;

    links_find_members(evidence);
    links_make_room(evidence);
    plan_again(evidence);
    evidence->gaps = evidence->plan->schedule->gaps;
    evidence->peers = fabric_find_peers(arena, evidence->fabric, evidence->gaps);
    mark_flows(evidence);
    fabric_prove(arena, evidence->fabric, readings, rounds, evidence->seconds, evidence->gaps,
                 &evidence->proven);
    evidence->differing_count =
        fabric_compare_ends(arena, evidence->fabric, readings, rounds, evidence->seconds, evidence->gaps,
                            evidence->differing, &evidence->untied);
}

/* --- slow --- */

static const struct reason *said_slow(const struct evidence *evidence, const struct fabric_sibling *sibling)
{
    struct arena *arena = evidence->out->arena;

    return reason(arena, link_below_siblings, fabric_link_name(evidence->fabric, sibling->link),
                  arena_printf(arena, "%.0f", 100 * sibling->up),
                  arena_printf(arena, "%.0f", 100 * sibling->down));
}

static void tell_siblings(struct evidence *evidence, const struct fabric_siblings *siblings)
{
    struct arena *arena = evidence->out->arena;
    struct fabric_list slow = {0};

    for (size_t i = 0; i < siblings->items.count && !siblings->uneven; i++)
        fabric_list_add(evidence->out, evidence->fabric, &slow, "links.slow", siblings->items.items[i].link,
                        said_slow(evidence, &siblings->items.items[i]));
    if (siblings->uneven)
        reading_unread(evidence->out, "links.slow", "", reason(arena, hash_is_uneven, siblings->items.count));
    else if (slow.count > 0)
        reading_unread(evidence->out, "links.slow", "", fabric_list_said(arena, &slow));
    else if (siblings->compared == 0 && evidence->proven.covered < evidence->proven.links)
        reading_unread(evidence->out, "links.slow", "",
                       reason(arena, siblings_not_compared, FABRIC_ROUNDS_LEAST, FABRIC_LEAVES_LEAST));
    else
        fabric_tell(evidence->out, "links.slow", NULL, "none");
}

void ethernet_tell_slow(struct evidence *evidence)
{
    struct arena *arena = evidence->out->arena;
    const struct fabric_ecmp *ecmp = fabric_ecmp_new(arena, evidence->fabric, &evidence->question);
    double *carried = arena_array(arena, double, evidence->fabric->ports.count);
    struct fabric_siblings siblings = {0};
    size_t rounds = evidence->measured.ends.count, planned = evidence->plan->schedule->ends.count;

    for (size_t way = 0; way < evidence->fabric->ports.count; way++)
        carried[way] = isnan(evidence->proven.most[way]) ? NAN : evidence->proven.bits[way];
    if (rounds >= FABRIC_ROUNDS_LEAST && fabric_ecmp_leaves(ecmp) >= FABRIC_LEAVES_LEAST)
        fabric_compare_siblings(arena, ecmp, carried, evidence->proven.ways, &siblings);
    tell_siblings(evidence, &siblings);
    if (!isnan(evidence->suspects.typical))
        reading_measure(evidence->out, "links.typical", "", 100 * evidence->suspects.typical, "%");
    if (planned > 0)
        reading_measure(evidence->out, "links.expected", "", 100 * evidence->plan->expected[planned - 1],
                        "%");
}

/* --- proof --- */

static const struct reason *lone_leaves(const struct evidence *evidence)
{
    const struct fabric_port *ports = evidence->fabric->ports.items;
    struct arena *arena = evidence->out->arena;
    struct fabric_list lone = {0};
    size_t leaves = 0;

    for (uint32_t i = 0; i < evidence->fabric->nodes.count; i++) {
        const struct fabric_node *node = &evidence->fabric->nodes.items[i];
        bool leaf = false, up = false;

        for (unsigned k = 1; k < node->port_count && node->kind == FABRIC_SWITCH; k++) {
            uint32_t way = node->ports[k];

            if (way == FABRIC_NONE || ports[way].far == FABRIC_NONE)
                continue;
            leaf |= fabric_is_host_link(evidence->fabric, way) && evidence->gaps[way] != FABRIC_UNTESTED;
            up |= !fabric_is_host_link(evidence->fabric, way);
        }
        leaves += leaf;
        if (leaf && !up)
            fabric_list_name(arena, &lone, reason(arena, text, node->name));
    }
    return leaves > 1 && lone.count > 0
               ? reason(arena, leaves_without_uplinks, lone.count, fabric_list_said(arena, &lone))
               : NULL;
}

/* What a declared link would have counted. */
static const struct reason *leaking_leaves(const struct evidence *evidence)
{
    const struct fabric *fabric = evidence->fabric;
    struct arena *arena = evidence->out->arena;
    struct fabric_leaf *leaves = arena_array(arena, struct fabric_leaf, fabric->nodes.count);
    struct fabric_list leaking = {0}, untold = {0};

    fabric_weigh_leaves(arena, fabric, &evidence->measured, evidence->counted.readings.items, leaves);
    for (uint32_t i = 0; i < fabric->nodes.count; i++) {
        const char *name = fabric->nodes.items[i].name;

        if (leaves[i].untold)
            fabric_list_name(arena, &untold, reason(arena, text, name));
        else if (leaves[i].share < fabric_leaf_bound(leaves[i].links))
            fabric_list_name(arena, &leaking,
                             reason(arena, leaf_sent_share, name, leaves[i].links,
                                    arena_printf(arena, "%.1f", 100 * leaves[i].share)));
    }
    return reason_also(
        arena,
        leaking.count > 0
            ? reason(arena, leaves_sent_elsewhere, leaking.count, fabric_list_said(arena, &leaking))
            : NULL,
        untold.count > 0 ? reason(arena, leaves_not_weighed, untold.count, fabric_list_said(arena, &untold))
                         : NULL);
}

const struct reason *ethernet_undeclared(const struct evidence *evidence)
{
    return reason_also(evidence->out->arena, lone_leaves(evidence), leaking_leaves(evidence));
}

void ethernet_remark_rates(const struct evidence *evidence, struct fabric_list *list)
{
    const struct fabric_port *ports = evidence->fabric->ports.items;
    struct arena *arena = evidence->out->arena;
    const uint8_t *levels = fabric_find_levels(arena, evidence->fabric, evidence->ports, evidence->count);
    LIST_OF(struct links_peer) up = {0};

    for (uint32_t way = 0; way < evidence->fabric->ports.count; way++) {
        uint32_t node = ports[way].node;
        uint8_t level = ports[way].far != FABRIC_NONE ? levels[ports[ports[way].far].node] : 0;

        if (!fabric_is_host_link(evidence->fabric, way) && levels[node] < level)
            *list_push(arena, &up) = (struct links_peer){
                .kind = (uint64_t)node << 8 | level, .value = ports[way].gbits, .number = way};
    }
    links_find_usual(up.items, up.count);
    for (size_t i = 0; i < up.count; i++)
        if (up.items[i].value != up.items[i].usual)
            fabric_list_name(arena, list,
                             reason(arena, link_declared_unlike,
                                    fabric_link_name(evidence->fabric, up.items[i].number),
                                    arena_printf(arena, "%g", up.items[i].value),
                                    arena_printf(arena, "%g", up.items[i].usual)));
}

const struct reason *ethernet_why_unproven(const struct evidence *evidence, uint32_t way)
{
    uint32_t far = evidence->fabric->ports.items[way].far;
    double there = evidence->proven.most[way], back = evidence->proven.most[far];
    const char *name = fabric_link_name(evidence->fabric, way);
    struct arena *arena = evidence->out->arena;

    if (isnan(there) || isnan(back))
        return reason(arena, link_octets_untold, name);
    if (there == 0 && back == 0 &&
        (evidence->gaps[way] == FABRIC_NO_FLOW || evidence->gaps[far] == FABRIC_NO_FLOW))
        return reason(arena, link_without_flow, name);
    return reason(arena, link_carried_at_most, name, arena_printf(arena, "%.0f", 100 * there),
                  arena_printf(arena, "%.0f", 100 * back));
}

/* What no link can carry: growth of a longer time, or a rate that is not the link's. */
#define BEYOND 1.1

void ethernet_tell_agreement(struct evidence *evidence)
{
    struct arena *arena = evidence->out->arena;
    struct fabric_list differing = {0}, beyond = {0};

    for (uint32_t way = 0; way < evidence->fabric->ports.count; way++) {
        const struct reason *name = reason(arena, text, fabric_link_name(evidence->fabric, way));

        if (evidence->differing[way])
            fabric_list_add(evidence->out, evidence->fabric, &differing, "links.agree", way, name);
        if (evidence->proven.most[way] > BEYOND)
            fabric_list_add(evidence->out, evidence->fabric, &beyond, "links.agree", way, name);
    }
    if (beyond.count > 0)
        reading_unread(evidence->out, "links.agree", "",
                       reason(arena, links_beyond_rate, beyond.count, fabric_list_said(arena, &beyond)));
    else if (differing.count > 0)
        reading_unread(evidence->out, "links.agree", "",
                       reason(arena, ends_differ, differing.count, fabric_list_said(arena, &differing)));
    else if (evidence->untied > 0)
        reading_unread(evidence->out, "links.agree", "",
                       reason(arena, ends_not_compared, evidence->untied, evidence->proven.links));
    else
        fabric_tell(evidence->out, "links.agree", NULL, "yes");
}

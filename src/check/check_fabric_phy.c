/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every link of an InfiniBand fabric below the counters, as the switches tell it: bit error rates, correction, modules and cables.
 * The first host of the step asks all ports in one sweep of ibdiagnet. Hosts' own ends are ib-phy; what is made of the switches'
 * is worked out here: family/fabric_phy.h, docs/guide/links.md. It stands behind what loads the links: rates count from when a
 * link came up, and say little of one that carried nothing.
 *
 * By the first adapter alone, as fabric-links. Needs root on the head: /dev/infiniband/umad*.
 */
#include "assay/reasons/check.h"

#include "fabric_phy.h"
#include "link_quality.h"
#include "rules.h"
#include "script.h"

static void sweep(const struct check_context *context, struct text *out)
{
    script_begin(out, "ibdiagnet -i HCA -p 1 --get_phy_info --get_cable_info");
    text_put(out, "set --");
    script_word(out, check_hca(context, 0));
    text_put(out, "\n");
    script_tool(context, out, "ibdiagnet", "ibdiagnet");
    text_put(out, script_fabric_phy_sweep);
}

/* A port answers some twenty questions. */
static unsigned expected_s(const struct check_context *context)
{
    return 180 + 2 * (unsigned)context->member_count;
}

#define METHOD "assay: docs/guide/links.md"
#define MODULES "the module's own alarm and limits"

static const struct limit host_rules[] = RULES_EQUAL("quality.host", "good", LINK_QUALITY_SOURCE);
static const struct limit links_rules[] = RULES_EQUAL("quality.links", "none", LINK_QUALITY_SOURCE);
static const struct limit modules_rules[] = RULES_EQUAL("quality.modules", "none", MODULES);
static const struct limit untold_rules[] =
    RULES_EQUAL("quality.untold", "none", METHOD, .inconclusive = true);

#define ALIKE(metric) metric, PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_EQUAL(metric, "alike", METHOD)

const struct check check_fabric_phy = {
    .name = "fabric-phy",
    .title = "Quality of the fabric's links",
    .summary =
        "bit error rates, FEC, transceivers and cables of every link at its switches, by one sweep of an InfiniBand fabric",
    .on = ON_HCAS,
    .scopes = SCOPE_PAIR | SCOPE_GROUP | SCOPE_CLUSTER,
    .exclusive = EXCLUSIVE_FABRIC,
    .loads = LOAD_PORTS,
    .as_root = true,
    .own_names = true,
    .arguments = ARGUMENTS(HCAS_ARGUMENT_ROW),
    .arguments_fault = check_hcas_fault,
    .parts = PARTS(
        {"sweep", "ibdiagnet", sweep, NULL},
        {.name = "links", .script = "cat \"$ASSAY_DIR\"/*/ibdiagnet2.lst", .typed = "cat ibdiagnet2.lst"},
        {.name = "ports", .script = script_fabric_phy_ports, .typed = "cat ibdiagnet2.net_dump_ext"},
        {.name = "cables",
         .script = script_fabric_phy_cables,
         .typed = "sed -n /START_CABLE_INFO/,/END_CABLE_INFO/p ibdiagnet2.db_csv"}),
    .items = ITEMS({"quality.host", PER_MEMBER_HCA, NULL, DUTY_GATE, host_rules},
                   {"quality.links", PER_TARGET, NULL, DUTY_GATE, links_rules},
                   {"quality.modules", PER_TARGET, NULL, DUTY_GATE, modules_rules},
                   {"quality.untold", PER_TARGET, NULL, DUTY_GATE, untold_rules}, {ALIKE("quality.fec")},
                   {ALIKE("quality.type")}, {ALIKE("quality.cable")}, {ALIKE("quality.length")},
                   {ALIKE("quality.part")}, {ALIKE("quality.firmware")},
                   {"quality.ports", PER_TARGET, NULL, DUTY_RECORD, NULL}),
    .remedies =
        REMEDIES({"quality.untold", REASON(let_switches_tell)}, {"quality.host", REASON(clean_switch_ends)},
                 {"quality.links", REASON(clean_switch_ends)}, {"quality.modules", REASON(clean_switch_ends)},
                 {"quality.*", REASON(compare_ends_of_links)}, {"sound", REASON(install_ibdiagnet)}),
    .expected = expected_s,
    .read = fabric_phy_read,
};

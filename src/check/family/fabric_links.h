/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What came of flows over every link of a fabric, from the evidence: links and routes as the sweep had them, what the flows
 * reached and what the ports counted. By the module fabric; nothing that a host judged itself is taken.
 *
 *   links.host        of "node3 mlx5_0": "good", or what is wrong with the link between it and its switch
 *   links.slow        "none", or the links between switches over which all flows were slow
 *   links.errors      "none", or those with too many errors
 *   links.unproven    "none", or the links of which no counter shows that they carried half of their rate; up to 0.1% of all
 *                     are "none" too, and findings name each
 *   links.agree       "yes", or the ways of which the counters saw less than the flows say to have sent
 *   links.unexplained "none", or how many flows were slow over links that carried others fast
 *   links.typical     the median of all flows, % of their rate
 *   links.uplinks     "alike", or the leaves that have fewer links to other switches than others like them; on Ethernet also links that
 *                     are declared with a lower rate than one beside them
 *   links.proven      the links that the counters prove, %
 */
#ifndef ASSAY_CHECK_FABRIC_LINKS_H
#define ASSAY_CHECK_FABRIC_LINKS_H

#include "assay/check/check.h"

/* seconds: how long each round was under load. The parts are links, routes, main, flows, counters and sweep. */
void fabric_links_read(const struct check_context *context, const struct attempt *attempt, double seconds,
                       struct reading *out);

/*
 * The same of Ethernet; the parts are cables, main, flows and counters. links.slow names what carried less than its siblings, and fails
 * nothing: it is undecided then. links.agree: "yes", or where the counters of both ends of a link differ. links.expected: the links
 * that are expected to have carried it, %. There is no links.unexplained.
 */
void ethernet_links_read(const struct check_context *context, const struct attempt *attempt, double seconds,
                         struct reading *out);

#endif

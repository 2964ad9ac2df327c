/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the switches of a fabric tell of their ports, from a sweep of ibdiagnet: bit error rates, correction, modules and cables, of
 * the links of the members and of all links above them. Judged as a host's own end is (link_quality.h).
 *
 *   quality.host      of "node3 mlx5_0": "good", or what is wrong at the switch's end of its link
 *   quality.links     "none", or the links between switches with too many errors
 *   quality.modules   "none", or those with a module outside its own bounds
 *   quality.untold    "none", or the links of which no rate is told, or one of too few errors to judge
 *   quality.fec, .type, .cable, .length, .part, .firmware   "alike", or the ports that differ from those of their kind: of the same
 *                     devices at the same levels (assay/fabric/tiers.h)
 *   quality.ports     switches' ports whose rates were told
 */
#ifndef ASSAY_CHECK_FABRIC_PHY_H
#define ASSAY_CHECK_FABRIC_PHY_H

#include "assay/check/check.h"

/* The parts are sweep, links, ports and cables. */
void fabric_phy_read(const struct check_context *context, const struct attempt *attempt, struct reading *out);

#endif

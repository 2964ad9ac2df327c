/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What bit error rates of a link may be: one table for the hosts' ends (ib-phy, by mlxlink) and for the switches' ends
 * (fabric-phy, by ibdiagnet).
 *
 * By NVIDIA's bring-up procedure for InfiniBand a rate is judged when the link has been counted for 125 minutes. Before that it
 * is bad only with more errors than it may have in all of them.
 */
#ifndef ASSAY_CHECK_LINK_QUALITY_H
#define ASSAY_CHECK_LINK_QUALITY_H

#include "assay/check/check.h"

enum { LINK_QUALITY_LEAST_S = 125 * 60 };
#define LINK_QUALITY_SOURCE \
    "NVIDIA, InfiniBand Cluster Bring-up Procedure: link quality; Ethernet: IEEE 802.3"

struct link_quality {
    const char *speed, *fec;   /* stand in what the port tells; NULL: any */
    const char *rate, *errors; /* "phy.ber.effective", "phy.errors.effective" */
    double warning, error;
};

/* speed: "IB-NDR", "100G"; fec: as a tool names it; NULL: not told. NULL: there is no figure. */
const struct link_quality *link_quality_of(const char *speed, const char *fec, const char *rate);
/* How many errors a link of so many bits a second may have in the least time. */
double link_quality_errors(const struct link_quality *quality, double bits_s);
/* "symbol bit error rate 1e-12, expected <= 1e-14" */
const struct reason *link_quality_above(struct arena *arena, const struct link_quality *quality, double rate,
                                        double bound);
/* The limit that such a reason says to be missed; metric NULL: it is no such reason. */
struct limit link_quality_limit(const struct reason *what);

#endif

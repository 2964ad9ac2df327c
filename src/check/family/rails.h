/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was seen at the end of a cable, held against the rails that the hostfile declares: shared by the checks that
 * ask for it in different ways. The subject is the HCA, on its host ("mlx5_0") or on any ("node3 mlx5_0").
 */
#ifndef ASSAY_RAILS_H
#define ASSAY_RAILS_H

#include "assay/check/check.h"

/* The other end of a cable, and the link over it. NULL: not told. */
struct neighbour {
    const char *name, *guid, *port, *port_alias;
    const char *link; /* "4X 106.25 Gbps" */
    double rate;      /* for comparing; 0: not known */
    const struct reason *unread;
};

/* "4X" lanes of "106.25 Gbps"; either may be NULL. */
void rails_read_link(struct arena *arena, const char *width, const char *speed, struct neighbour *neighbour);

/* Facts cabling.neighbour and cabling.rail of the host's HCA, or findings METRIC.unread with the reason. */
void rails_tell(const struct host *host, const char *hca, const char *subject,
                const struct neighbour *neighbour, struct reading *out);
/* Facts cabling.link and cabling.speed; the fastest is the one it is compared with. */
void rails_tell_link(const char *subject, const struct neighbour *neighbour, const char *fastest_subject,
                     const struct neighbour *fastest, struct reading *out);

extern const struct limit rails_rules[];       /* of cabling.rail */
extern const struct limit rails_speed_rules[]; /* of cabling.speed */

/* check->host_valid: the host declares a rail for each HCA of the step, and none of an HCA that nobody knows. */
int rails_host_valid(const struct check_context *context, const char *hostfile, struct error *err);

#endif

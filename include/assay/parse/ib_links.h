/* SPDX-License-Identifier: Apache-2.0 */
/* One line of a fabric's list of links, for who reads all of them: ibdiagnet2.lst, opensm-subnet.lst. */
#ifndef ASSAY_IB_LINKS_H
#define ASSAY_IB_LINKS_H

#include <stdbool.h>

#include "assay/base/arena.h"
#include "assay/base/scan.h"

struct ib_link_end {
    const char *node;        /* "CA", "Switch", "Router", "" */
    struct slice guid, name; /* "0x9c63c00300a1b2c8"; the node's description */
    struct slice lid, port;  /* decimal */
    unsigned device;         /* DevID; 0: not told */
};
struct ib_link {
    struct ib_link_end ends[2];
    struct slice width;    /* "4X" */
    struct slice state;    /* "Active" */
    struct slice physical; /* "": this file does not tell */
    struct slice speed;    /* Gb/s of a lane: "100"; "": not told */
};

/*
 *   { CA Ports:01 SystemGUID:.. NodeGUID:.. PortGUID:.. VenID:.. DevID:.. Rev:.. {gpu1 mlx5_0} LID:01F4 PN:01 }
 *   { SW ... {MF0;leaf1:MQM9700/U1} LID:000C PN:21 } PHY=4x LOG=ACT SPD=100
 *
 * on one line. False: it is no such line. What is new is in the arena, the rest points into the line.
 */
bool ib_link_scan(struct arena *arena, struct slice line, struct ib_link *ret_link);

#endif

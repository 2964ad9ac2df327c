/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The links of a fabric as ibdiagnet writes them into its files, and opensm (opensm-subnet.lst):
 *
 *   .lst       { CA Ports:01 SystemGUID:.. NodeGUID:.. PortGUID:.. VenID:.. DevID:.. Rev:.. {gpu1 mlx5_0} LID:01F4 PN:01 }
 *              { SW ... {MF0;leaf1:MQM9700/U1} LID:000C PN:21 } PHY=4x LOG=ACT SPD=100
 *              one line a link; LIDs and port numbers are hexadecimal, and SPD is Gb/s of one lane
 *   .net_dump  "MF0;leaf1:MQM9700/U1", Mellanox, 0x9c63c00300d1e2f0, LID 12
 *              1/1 : 1 : ACT : LINK UP : 5 : 4x : 100 : ... : 0x9c63c00300a1b2c8 : 1 : 341 : "gpu1 mlx5_0"
 *              each switch and its ports
 *
 * subject  "0x9c63c00300a1b2c8/1", the GUID of the node and the port: descriptions need not differ. Of a link between an
 *          adapter and a switch the adapter, whichever of them stands first (.lst); the switch (.net_dump)
 * facts    ib.link.name (its description), .node ("CA", "Switch", "Router"), .lid, .state, .physical_state, .width ("4X"),
 *          .speed ("100 Gbps"), and of the other end .remote (its description), .remote_port, .remote_lid, .remote_guid
 */
#ifndef ASSAY_IBDIAGNET_LINKS_H
#define ASSAY_IBDIAGNET_LINKS_H

#include "assay/model/reading.h"

struct ibdiagnet_links {
    size_t count;
    struct slice switch_guid, switch_name, switch_lid; /* of .net_dump: the one whose ports follow */
    struct slice unread; /* the first line that should be a link and is not one that is known */
};

/* Whether the line is one of such a file. */
bool ibdiagnet_read_link(struct ibdiagnet_links *links, struct slice line, struct reading *reading);

#endif

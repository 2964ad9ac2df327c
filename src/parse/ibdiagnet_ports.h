/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ports of a fabric as ibdiagnet writes them into ibdiagnet2.net_dump_ext and section CABLE_INFO of ibdiagnet2.db_csv
 * (assay/parse/ib_ports.h), in the words that mlxlink's parser has for a host's port.
 *
 * subject  "0x9c63c00300d1e2f0/33", the GUID of the node and the port
 * facts    phy.state (as the file has it), .fec, .retransmission   module.vendor, .part, .serial, .revision, .firmware, .type,
 *          .cable, .length (as the file has it)   module.temperature.range "-5..75"
 * metrics  phy.ber.raw, .effective, .symbol   phy.errors.effective, .symbol   module.temperature C
 */
#ifndef ASSAY_IBDIAGNET_PORTS_H
#define ASSAY_IBDIAGNET_PORTS_H

#include "assay/model/reading.h"
#include "assay/parse/ib_ports.h"

struct ibdiagnet_ports {
    struct ib_ports table;
    size_t count;
    struct slice unread; /* the first line that should be a row or a heading and is not one that is known */
};

/* Whether the line is one of such a file. */
bool ibdiagnet_read_port(struct ibdiagnet_ports *ports, struct slice line, struct reading *reading);

#endif

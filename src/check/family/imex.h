/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `nvidia-imex-ctl -N` prints of an IMEX domain: its nodes, whether each is ready, who is connected with whom, and the
 * state of the whole. A domain is not all there while one of its hosts is not, and only that host is to blame for it: so a
 * host's own node is judged, and the state of the domain is said beside it.
 *
 *     Node #0   - 172.31.48.81    - READY                - Version: 570.172
 *
 *      Nodes From\To  0   1
 *            0        C   C
 *     Domain State: UP
 */
#ifndef ASSAY_CHECK_IMEX_H
#define ASSAY_CHECK_IMEX_H

#include "assay/base/scan.h"
#include "assay/model/reading.h"

/* Nobody answered it: its command service is off (IMEX_CMD_ENABLED). */
#define IMEX_NOT_TOLD "not told"

/*
 * addresses: `hostname -I` of the host.
 *
 * facts    imex.node    READY: ready, and connected with most nodes that are; else what it is, or that the domain has no node of
 *                       the host; where a node is not told by an address that can be compared, nothing is told of the host's
 *          imex.nodes   the addresses of the domain's nodes, in their order, of many the first, the last and a hash of all; one list
 *                       on all hosts of a rack: hosts that list none but themselves are each in a domain that is UP; unread where
 *                       the table has none, or was cut
 *          imex.domain  UP, or the state with how many of its nodes are ready
 */
void imex_read(struct reading *out, struct slice addresses, struct slice printed);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What no host of a run has read, for want of a tool or of the right to it (RULE_READ): nothing is said of it, on any host. */
#ifndef ASSAY_REPORT_UNREAD_H
#define ASSAY_REPORT_UNREAD_H

#include "assay/model/record.h"

/* Of an item why it was not read, "NVMe health (nvme) is read on no host of the run: ..."; NULL: it is none of these. */
const struct reason *unread_cause(const struct outcome *outcome);

/* "NVMe health (nvme) on node[1-2], ib-phy (mlxlink) on node[1-2]", of these runs together; NULL: there is nothing. */
const struct reason *unread_names(struct arena *arena, const struct record *const *records, size_t count);

#endif

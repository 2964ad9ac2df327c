/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an Xid (the driver's number for a GPU error) and an SXid (the same for NVSwitch) mean, what to do, and
 * whether it speaks against a delivery. No Xid alone is a reason to replace hardware: that follows a failed
 * remap, a failed field diagnosis or a recurrence after the reset.
 */
#ifndef ASSAY_XID_CATALOG_H
#define ASSAY_XID_CATALOG_H

#include <stdbool.h>

#include "assay/model/reading.h"

enum xid_action {
    XID_IGNORE,
    XID_RESTART_APP,
    XID_RESET_GPU,
    XID_RESTART_NODE,
    XID_CHECK_POWER,
    XID_UPDATE,
    XID_INVESTIGATE, /* several causes: the vendor's workflow for this number decides */
    XID_FOLLOW_TEXT, /* the message itself says what to do */
    XID_CONTACT_SUPPORT,
};

struct xid_meaning {
    unsigned number;
    const struct reason *meaning;
    enum xid_action action;
    enum severity severity; /* SEVERITY_FAULT: fails a delivery */
};

/* Never NULL: a number that is not in the catalog gets a warning that says so. */
const struct xid_meaning *xid_find(unsigned number);
const struct xid_meaning *sxid_find(unsigned number, bool fatal);
/* In the imperative: "reset the GPU". */
const struct reason *xid_action_said(enum xid_action action);

#endif

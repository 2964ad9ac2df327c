/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_FOLLOWS_H
#define ASSAY_REPORT_FOLLOWS_H

#include "view.h"

/* The bad value of the same test of which it is a consequence that this item is not known: of a host that cannot
   be logged in to nothing else can be asked, and all together cannot be launched on; of a host with too few GPUs the last numbers
   have none. NULL: it is a point of its own. */
const struct outcome *follows_from(const struct view *view, const struct outcome *outcome);
/* Likewise, of a test of a host alone: a counter that is stuck there can be read around no test in which the host takes part. */
const struct outcome *follows_from_host(const struct view *view, const struct outcome *outcome);

#endif

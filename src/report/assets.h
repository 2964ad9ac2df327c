/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that a host is made of, as a check with assets read them: the asset list. */
#ifndef ASSAY_REPORT_ASSETS_H
#define ASSAY_REPORT_ASSETS_H

#include "view.h"

struct asset {
    const char *part, *place; /* "memory", "P1-DIMMA1" */
    const char *model, *serial;
};

struct assets {
    const struct host *host;
    const struct step_view *step;
    LIST_OF(struct asset) items; /* in the order of parts, and of places as the tools list them */
};

/* One for each host of which the check has read anything, by the last step that did; in the order of steps. Returns how
 * many. */
size_t assets_collect(const struct view *view, struct assets **ret_assets);

/* "8 x MZQL23T8HCLS 3840755982336 B" as people say it, "... 3.841 TB": in the arena, or text itself. */
const char *assets_readable(struct arena *arena, const char *text);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Two runs beside each other, item by item. Plain data; judge_compare makes it. */
#ifndef ASSAY_COMPARE_H
#define ASSAY_COMPARE_H

#include "assay/record.h"

/* The same item of the same target in both. */
struct item_change {
    const char *target; /* "node3" */
    const struct slot *slot;
    const char *suite_step;
    const struct outcome *before, *after;
};

struct comparison {
    LIST_OF(struct item_change)
    worse, better;                     /* another outcome: from pass to fail, to not run, to no
                                                      verdict of its own */
    LIST_OF(struct item_change) texts; /* another text with the same outcome: a version, a serial number */
    size_t same;                       /* items with the same outcome and text, or a number */
    size_t only_before, only_after;    /* items that one of them does not have */
};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Two runs beside each other, item by item. Plain data; judge_compare makes it. */
#ifndef ASSAY_COMPARE_H
#define ASSAY_COMPARE_H

#include "assay/model/deliveries.h"
#include "assay/model/history.h"
#include "assay/model/record.h"

/* The same item of the same target in both. */
struct item_change {
    const char *target;               /* "node3" */
    const struct reason *target_said; /* the same for people */
    const struct slot *slot;
    const char *suite_step;
    const struct outcome *before, *after; /* NULL: that run does not have it */
};

struct comparison {
    LIST_OF(struct item_change)
    worse, better; /* another outcome: from pass to fail, to not run, to no
                                                      verdict of its own */
    LIST_OF(struct item_change)
    judged; /* only recorded in the first, and passed in the second: neither better nor worse */
    LIST_OF(struct item_change) texts; /* another text with the same outcome: a version, a serial number */
    size_t same;                       /* items with the same outcome and text, or a number */
    size_t only_before, only_after;    /* items that one of them does not have: */
    LIST_OF(struct item_change) gone, added;
};

/* The run that a report compares its own with: the last accepted one of the same hosts and suite, or the one that a
   person chose. */
struct earlier {
    long long number; /* 0: there is none */
    const char *uuid;
    double started; /* Unix time, s */
    enum verdict_word verdict;
    struct standing standing;
    /* Deliveries over these hosts before this one that its reader has to know of; whatever it is compared with. */
    struct other_deliveries others;
    struct comparison comparison;
    const struct history *history;           /* of these two runs, */
    const struct history_findings *findings; /* and which rates are lower in it beyond what noise explains */
};

#endif

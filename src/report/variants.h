/* SPDX-License-Identifier: Apache-2.0 */
/* The variants of a step of the suite, compared on the same hosts: what each measured, and what that advises. */
#ifndef ASSAY_REPORT_VARIANTS_H
#define ASSAY_REPORT_VARIANTS_H

#include "spread.h"
#include "view.h"

struct variant_point {
    struct spread spread;     /* over the attempts that came to their end, GB/s */
    struct contrast contrast; /* with the first variant's; of the first itself: unknown */
};
struct variant_column {
    const char *name;              /* "qps4" */
    const struct reason *settings; /* "with NCCL_IB_QPS_PER_CONNECTION=4" */
    size_t step;                   /* index into the plan */
    const struct reason
        *trouble; /* why it is not compared: wrong data, a crash, a number that nobody believes; NULL */
    struct variant_point *points; /* by size */
};
struct tuning {
    const char *suite_step;
    const struct reason *hosts; /* "4 hosts: node[1-4]" */
    const char *metric;         /* "nccl.all_reduce.algbw" */
    LIST_OF(double) sizes;      /* ascending, bytes */
    LIST_OF(struct variant_column) columns;
    LIST_OF(const struct reason *) advice; /* "at 1G `qps4` is 6.0% faster than `default`, noise 2.0%" */
};
/* The formats for people have a table of so many; of all others the advice alone. */
enum { TUNINGS_TABLED = 12 };
struct tunings {
    LIST_OF(struct tuning) items;
};
/* In plan order; none where no step of the run has variants. */
void tunings_collect(const struct view *view, struct tunings *ret_tunings);

/* "181.0 (180.2 to 181.9)", "no number" */
const struct reason *spread_text(struct arena *arena, const struct spread *spread);
/* "6.0% faster", "no difference", "too few repeats to tell"; NULL of the first variant and of one in trouble. */
const struct reason *contrast_text(struct arena *arena, const struct tuning *tuning, size_t column,
                                   size_t size);

#endif

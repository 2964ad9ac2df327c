/* SPDX-License-Identifier: Apache-2.0 */
/* What is different between two runs, folded to lines for people. */
#ifndef ASSAY_REPORT_CHANGES_H
#define ASSAY_REPORT_CHANGES_H

#include "assay/report/report.h"
#include "language.h"

struct change_row {
    const struct item_change *first;
    size_t count; /* items that this is said of */
};
struct change_rows {
    LIST_OF(struct change_row) items;
    size_t left_out; /* items that are in none of the rows */
};
/*
 * At most so many rows. The same change of the same metric is one, on however many hosts; what has no value any more is
 * one for each step of a host; what only one of the runs has is one for each metric.
 */
void changes_fold(struct arena *arena, const struct item_change *changes, size_t count, size_t most,
                  struct change_rows *ret_rows);

/* In the language, in the arena: "node3 gpu2", "8 items, first node3 gpu2". */
const char *change_who(struct arena *arena, enum report_language language, const struct change_row *row);
/* "pass, 379.1 GB/s"; "not there" */
const char *side_text(struct arena *arena, enum report_language language, const struct outcome *outcome);
/* "node3 gpu2, gpu-burn gpu_burn.gflops: pass, 42900 GFLOP/s -> fail, 1200 GFLOP/s" */
const char *change_row_text(struct arena *arena, enum report_language language, const struct change_row *row);
/* Of the finding with this index: "GPU-5a0e... (node5 gpu3): gpu-burn gpu_burn.gflops: 42900 -> 40100 GFLOP/s, -6.5%" */
const char *drop_text(struct arena *arena, const struct earlier *earlier, size_t finding);
/* Which run it was, and what is different in numbers; or that there is none. */
const char *earlier_sentence(struct arena *arena, enum report_language language,
                             const struct earlier *earlier);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far one missed limit reaches. Where all parts of a host miss it, it is that host's; where everything that was measured
 * in a run misses it, it is a matter of the limit or of the whole cluster: neither is a list of culprits.
 */
#ifndef ASSAY_REPORT_EXTENTS_H
#define ASSAY_REPORT_EXTENTS_H

#include "assay/report/report.h"
#include "view.h"

struct report_extents {
    enum report_extent *
        *of; /* by step, and in it by slot; NULL: nothing of the step reaches further than its parts */
};

/*
 * Only of tests of one host, of amounts with a bound that is not 0 (errors are counted, and each is a fault of its own), and
 * of four items and more. EXTENT_RUN: two hosts and more, no item of its kind passed, and all were judged by one gate.
 * EXTENT_HOST: all items of its kind in the step failed, each by a limit or each by its peers. A waiver covers all of them
 * or none. An outlier among them (peers.h) stays an entry of its own, unless all parts of its host are.
 */
void report_extents_of(const struct view *view, struct report_extents *ret_extents);
enum report_extent extent_of(const struct report_extents *extents, const struct outcome *outcome);

/* What is wrong with all of these, of one metric and one extent: from the worst value to the best, and what was required. */
const struct reason *extent_cause(const struct view *view, enum report_extent extent,
                                  const struct outcome *const *outcomes, size_t count);
/* What to do about it. outcome: one of them; remedy: what the check says. */
const struct reason *extent_remedy(struct arena *arena, enum report_extent extent,
                                   const struct outcome *outcome, const struct reason *remedy);

#endif

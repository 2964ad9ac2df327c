/* SPDX-License-Identifier: Apache-2.0 */
/* The words beside a matrix of what is between GPUs, of every format that shows it. */
#ifndef ASSAY_REPORT_PAIRS_H
#define ASSAY_REPORT_PAIRS_H

#include "language.h"
#include "series.h"

/* "node3: a pair did not pass" */
const char *heat_map_title(struct arena *arena, enum report_language language, const struct view *view,
                           const struct heat_map *map);
/* "Of p2p.unidirectional.enabled: 0.99 times at the median of 168 pairs, 0.96 to 1.02."; NULL: nobody else measured it. */
const char *pair_agreement_text(struct arena *arena, enum report_language language, const struct view *view,
                                const struct pair_metric *of);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Several runs of a tool in one text: each is a reading of its own, and one reading speaks for all. */
#ifndef ASSAY_RUNS_H
#define ASSAY_RUNS_H

#include "assay/model/reading.h"

/* Complete, and nothing is said against it yet. */
void reading_whole(struct reading *reading);
/* A new run at the end of reading->runs, complete until something is said against it; the pointer is good until the next call. */
struct reading *runs_begin(struct reading *reading);

/*
 * Fills the top level from the runs: content of the last, findings of all, status and reason of the worst
 * ("run 2 of 3: ..."). With a single run the top level is that run and `runs` stays empty. Findings that
 * already stand at top level are kept. Does nothing when there is no run.
 */
void runs_finish(struct reading *reading);

#endif

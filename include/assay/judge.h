/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judge: plan + attempts + limits -> outcomes and verdicts. Pure: no clock, no files, no globals, so a
 * run can be judged again years later against another baseline.
 *
 * An outcome is a function of all attempts; the number shown is the worst. A pass needs a value read in full
 * from a command that ended as it should, and an enforceable limit that it meets.
 */
#ifndef ASSAY_JUDGE_H
#define ASSAY_JUDGE_H

#include "assay/record.h"
#include "assay/run_limits.h"

/*
 * Judges the whole run into record->judgement, everything in record->arena. uuid names the judgement. A run
 * that has not ended is judged as if it ended now: what has no attempt is `not run`.
 */
void judge_run(struct record *record, const struct run_limits *limits, const char *uuid);

/* While a run goes on: by limits only, without what needs other hosts (RULE_SAME, crashes that others do not
 * have). */
enum step_state judge_step(const struct record *record, const struct run_limits *limits, size_t step);

#endif

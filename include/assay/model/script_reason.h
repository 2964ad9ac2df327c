/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a script on a host says to people is a line of codes: that of a sentence (reason.h) and its arguments, each behind a
 * tab.
 *
 *     slurm_job_of<TAB>12<TAB>bob
 *
 * A host may print what it likes, so it can say the given sentences only; its arguments are quoted, and a line that is none
 * of them is a text.
 */
#ifndef ASSAY_SCRIPT_REASON_H
#define ASSAY_SCRIPT_REASON_H

#include "assay/model/reason.h"

/* sentences: end with NULL. */
const struct reason *script_reason(struct arena *arena, struct slice line,
                                   const struct sentence *const *sentences);
/* The sentence that the line is; NULL: none of them. */
const struct sentence *script_sentence(struct slice line, const struct sentence *const *sentences);

/* The sentences of reasons/script.def: what any script may complain of. */
extern const struct sentence *const script_sentences[];
/* The first line that is neither blank nor a rule, as one of these or as a text; NULL: there is none. */
const struct reason *script_complaint(struct arena *arena, struct slice lines);

/* The line of a reason, for a script that has to say it. Its arguments as they are in English. */
const char *script_line(struct arena *arena, const struct reason *reason);

#endif

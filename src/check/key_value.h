/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part that collects single values: a small script of the rows that the parser key-value reads. Between
 * start and end a check writes shell lines of its own with these functions:
 *
 *   put NAME SUBJECT VALUE        a row
 *   lack NAME SUBJECT WHY         a row without a value: the item stays undecided, and says why
 *   take NAME SUBJECT COMMAND...  the first line that the command prints, or why it printed none
 *
 * What is not there is never a value: "no such file" on all hosts would be the same on all hosts.
 */
#ifndef ASSAY_CHECK_KEY_VALUE_H
#define ASSAY_CHECK_KEY_VALUE_H

#include "assay/text.h"

void key_value_start(struct text *out);
void key_value_end(struct text *out);

/* The functions `limit WHAT` of /proc/self/limits, and `memlock`: "unlimited", "unlimited (CAP_IPC_LOCK)" or "65536
 * bytes", of which MEMLOCK_WORDS will do. */
void key_value_memlock(struct text *out);
#define MEMLOCK_WORDS "unlimited|unlimited (CAP_IPC_LOCK)"

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What time it is. */
#ifndef ASSAY_CLOCK_H
#define ASSAY_CLOCK_H

/* Unix time, s. */
double clock_now(void);

/*
 * The same, as this process saw it first, plus what has passed since by a clock that nobody sets and that goes on while
 * the machine sleeps: of two times of one process the difference is what passed, also where the wall clock was set in between. For what is timed: attempts,
 * windows, runs.
 */
double clock_steady(void);

#endif

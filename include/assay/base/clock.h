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

/* Of this boot of the machine: what clock_steady is ahead of the time since it. */
double clock_base(void);
/* What another process timed by clock_steady is gone on with: by its base, where that is of this boot (NAN: it is not, and
   the wall clock is what there is), and never before `last`, the latest that it wrote down: a clock that was set back in
   between would let what comes after seem to come before. */
void clock_go_on(double base, double last);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What no part of any kind can show: 2147483686 C is a number that wrapped, 700000 W a unit that was misread, and neither
 * is a measurement. The bounds do not judge: they are wide enough for every part that is sold or announced, so that what
 * lies outside is an error of the tool, of its driver or of our reader, and never a bad part that a limit has to find.
 */
#ifndef ASSAY_PLAUSIBLE_H
#define ASSAY_PLAUSIBLE_H

#include "assay/model/reading.h"

/* By metric and unit; both bounds are plausible themselves. False: nothing is known of the unit. */
bool plausible_bounds(const char *metric, const char *unit, double *ret_least, double *ret_most);

/*
 * Takes each such number out of the reading and leaves a finding METRIC.unread in its place (a warning, with the value), by
 * which whatever is judged of that metric and subject is inconclusive. reading_settle calls it.
 */
void reading_drop_implausible(struct reading *reading);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A clock that several hosts have in common, for the test power. By it the schedule begins; the schedule itself is followed on
 * this host's own clock that only goes forward (gpu_now_s), so that a time service that sets the host's clock moves nothing.
 *
 *   realtime   this host's CLOCK_REALTIME, as good as its time service
 *   stdin      that of whoever started the probe: a line {"ping": N} on stdout is answered on stdin by a line with its seconds
 *              since 1970. The answer was made between the two moments, so each round trip bounds how far the clocks are
 *              apart, and the shortest one bounds it best
 */
#ifndef ASSAY_PROBE_POWER_CLOCK_H
#define ASSAY_PROBE_POWER_CLOCK_H

#include <stdbool.h>

struct power_clock {
    double ahead_s;     /* gpu_now_s less the common clock */
    double uncertain_s; /* by which that may be wrong, to either side */
};

enum { POWER_PINGS = 30 };

/* false: nobody answered within some seconds, or with something else. */
bool power_clock_read(bool by_stdin, struct power_clock *ret_clock) __attribute__((warn_unused_result));

/* Of round trips: bounds that are as tight as all of them make it. Begun with power_bounds_none. */
struct power_bounds {
    double least, most; /* of ahead_s */
};
struct power_bounds power_bounds_none(void);
void power_bounds_take(struct power_bounds *bounds, double asked_s, double answer_s, double came_s);
/* false: they contradict each other, for one of the clocks was set in between; or there was none. */
bool power_bounds_clock(const struct power_bounds *bounds, struct power_clock *ret_clock);

#endif

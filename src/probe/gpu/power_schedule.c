/* SPDX-License-Identifier: Apache-2.0 */
#include "power_schedule.h"

#include <math.h>

/* Beats of one period each. hz 0: a ramp, whose share of work grows to all of the period. */
static bool add_segment(struct power_schedule *schedule, double hz, double period, double seconds)
{
    const unsigned beats = (unsigned)ceil(seconds / period - 1e-9);
    struct power_segment *segment = &schedule->segments[schedule->segment_count++];

    *segment = (struct power_segment){hz, schedule->end, schedule->end + beats * period, schedule->beat_count,
                                      beats};
    if (beats > POWER_BEATS_MOST - schedule->beat_count)
        return false;
    for (unsigned i = 0; i < beats; i++) {
        const double on = segment->from + i * period, share = hz > 0 ? 0.5 : (i + 1.0) / beats;

        schedule->beats[schedule->beat_count++] = (struct power_beat){on, on + share * period};
    }
    schedule->edges += hz > 0 ? 2 * beats : 0;
    schedule->end = segment->to;
    return true;
}

bool power_schedule_make(const struct power_plan *plan, struct power_schedule *ret_schedule)
{
    ret_schedule->segment_count = ret_schedule->beat_count = ret_schedule->edges = 0;
    ret_schedule->end = 0;
    for (unsigned i = 0; i < plan->waves; i++) {
        ret_schedule->end += i > 0 ? POWER_PAUSE_S : 0;
        if (!add_segment(ret_schedule, plan->hz[i], 1 / plan->hz[i], plan->seconds))
            return false;
    }
    if (plan->ramp_s <= 0)
        return true;
    ret_schedule->end += plan->waves > 0 ? POWER_PAUSE_S : 0;
    return add_segment(ret_schedule, 0, POWER_RAMP_PERIOD_S, plan->ramp_s);
}

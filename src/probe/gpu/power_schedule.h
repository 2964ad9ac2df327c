/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the test power loads the GPUs, in seconds since its begin: square waves, half of each period at work, one frequency
 * after the other with a pause between them, and then a ramp from idle to full load. A ramp is made of short periods, of which
 * a growing share is work: too short for a power supply to follow.
 */
#ifndef ASSAY_PROBE_POWER_SCHEDULE_H
#define ASSAY_PROBE_POWER_SCHEDULE_H

#include <stdbool.h>

enum { POWER_WAVES_MOST = 8, POWER_SEGMENTS_MOST = POWER_WAVES_MOST + 1, POWER_BEATS_MOST = 8192 };
#define POWER_HZ_LEAST 0.05
#define POWER_HZ_MOST 3.0
#define POWER_PAUSE_S 2.0
#define POWER_RAMP_PERIOD_S 0.0125

struct power_plan {
    double hz[POWER_WAVES_MOST];
    unsigned waves;
    double seconds; /* of each wave, rounded up to whole periods */
    double ramp_s;  /* 0: no ramp */
};

struct power_segment {
    double hz; /* 0: the ramp */
    double from, to;
    unsigned first, beats;
};

/* Work from `on` to `off`. */
struct power_beat {
    double on, off;
};

struct power_schedule {
    struct power_segment segments[POWER_SEGMENTS_MOST];
    unsigned segment_count;
    struct power_beat beats[POWER_BEATS_MOST];
    unsigned beat_count;
    unsigned edges; /* of the waves: two a beat. The ramp has none */
    double end;
};

/* false: it has more beats than POWER_BEATS_MOST. */
bool power_schedule_make(const struct power_plan *plan, struct power_schedule *ret_schedule)
    __attribute__((warn_unused_result));

#endif

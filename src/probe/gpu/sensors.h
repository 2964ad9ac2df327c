/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the driver says of GPUs while they are tested: clock, power, temperature, and why the clock is not higher. By NVML,
 * which comes with the driver; a thread asks it as often as the test wants. Where it is not there, or does not know a GPU,
 * there is nothing, and the test is what it is.
 */
#ifndef ASSAY_PROBE_SENSORS_H
#define ASSAY_PROBE_SENSORS_H

#include "gpu.h"

struct sensors;

/* Over a span of time; 0: not told. */
struct sensor_span {
    unsigned samples;
    double clock_mhz, power_w;            /* means */
    double clock_least_mhz, power_peak_w; /* the lowest and the highest sample */
    double temperature_c;                 /* the highest */
    uint64_t reasons;                     /* all that were given, bits of NVML */
};

/* What a sample of power is. */
enum sensor_power {
    SENSOR_POWER_MEAN,   /* NVML's own: on most GPUs since Ampere a mean of the last second */
    SENSOR_POWER_INSTANT /* of that moment, where the driver tells it; else the mean, see sensors_power */
};
struct sensor_how {
    unsigned period_ms;
    unsigned
        near_ms; /* so old the last sample before a span may be that stands for one without any; 0: none does */
    enum sensor_power power;
};

enum { SENSOR_REASONS_BYTES = 200 };

/* NULL: nobody tells anything. */
struct sensors *sensors_start(const struct gpu_probe *probe, struct sensor_how how);
/* What was sampled between the two times (gpu_now_s), or near before where nothing was (near_ms). sensors may be NULL. */
struct sensor_span sensors_over(struct sensors *sensors, unsigned gpu, double from, double to);
/* Two spans as one. */
struct sensor_span sensors_joined(struct sensor_span one, struct sensor_span other);
/* ms since the start in which the driver held the GPU below its clocks: for the voltage at which it is reliable, for a limit of its
   board, and below its base clock for whatever reason. Of counters, so that what lies between two samples is in it too. */
struct sensor_held {
    bool known;
    double reliability_ms, board_ms, below_base_ms;
};
struct sensor_held sensors_held(const struct sensors *sensors, unsigned gpu);
/* What the samples of this GPU's power were. */
enum sensor_power sensors_power(const struct sensors *sensors, unsigned gpu);
/* Since when (gpu_now_s) NVML has called the GPU lost; 0: it has not. */
double sensors_lost(struct sensors *sensors, unsigned gpu);
void sensors_stop(struct sensors *sensors);
/* "sw_power_cap, hw_slowdown", as nvidia-smi names its fields; "none". */
void sensors_name_reasons(uint64_t reasons, char ret_text[SENSOR_REASONS_BYTES]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "sensors.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "nvml.h"

enum { SAMPLES_MOST = 16384 /* of a GPU; older ones are overwritten */ };

struct sample {
    double at_s;
    unsigned clock_mhz, power_mw, temperature_c;
    unsigned long long reasons;
};

struct log {
    nvml_device device; /* NULL: NVML does not know it */
    struct sample *samples;
    size_t count;            /* that were taken */
    bool instant;            /* its power is of the moment */
    double lost;             /* since when; 0 */
    struct sensor_held held; /* since the driver was loaded, at the start */
};

struct sensors {
    struct nvml nvml;
    struct sensor_how how;
    unsigned gpus;
    struct log logs[GPU_MOST];
    pthread_mutex_t lock;
    pthread_t thread;
    bool started, stops;
};

/* false: the driver does not count it. */
static bool violation(const struct nvml *nvml, nvml_device device, enum nvml_policy policy, double *ret_ms)
{
    struct nvml_violation violation = {0};

    if (nvml->violation == NULL || nvml->violation(device, (int)policy, &violation) != NVML_DONE)
        return false;
    *ret_ms = (double)violation.ns / 1e6;
    return true;
}

static struct sensor_held held_now(const struct nvml *nvml, nvml_device device)
{
    struct sensor_held held = {0};

    held.known = violation(nvml, device, NVML_POLICY_RELIABILITY, &held.reliability_ms) &&
                 violation(nvml, device, NVML_POLICY_BOARD_LIMIT, &held.board_ms) &&
                 violation(nvml, device, NVML_POLICY_BASE_CLOCKS, &held.below_base_ms);
    return held;
}

static bool power_now(const struct nvml *nvml, nvml_device device, unsigned *ret_mw)
{
    struct nvml_field field = {.id = NVML_POWER_INSTANT};

    if (nvml->fields == NULL || nvml->fields(device, 1, &field) != NVML_DONE || field.status != NVML_DONE)
        return false;
    *ret_mw = field.value.number;
    return true;
}

/* All of it or none: what could not be asked is not zero. */
static int take_sample(const struct nvml *nvml, const struct log *log, struct sample *ret_sample)
{
    int status = NVML_DONE;

    ret_sample->at_s = gpu_now_s();
    if (!log->instant || !power_now(nvml, log->device, &ret_sample->power_mw))
        status = nvml->power(log->device, &ret_sample->power_mw);
    if (status == NVML_DONE)
        status = nvml->clock(log->device, NVML_CLOCK_SM, &ret_sample->clock_mhz);
    if (status == NVML_DONE)
        status = nvml->temperature(log->device, NVML_TEMPERATURE_GPU, &ret_sample->temperature_c);
    return status == NVML_DONE ? nvml->reasons(log->device, &ret_sample->reasons) : status;
}

static bool is_over(struct sensors *sensors)
{
    bool over;

    (void)pthread_mutex_lock(&sensors->lock);
    over = sensors->stops;
    (void)pthread_mutex_unlock(&sensors->lock);
    return over;
}

static void sample_gpu(struct sensors *sensors, struct log *log)
{
    struct sample sample;
    int status;

    if (log->device == NULL)
        return;
    status = take_sample(&sensors->nvml, log, &sample);
    (void)pthread_mutex_lock(&sensors->lock);
    if (status == NVML_DONE)
        log->samples[log->count++ % SAMPLES_MOST] = sample;
    else if (status == NVML_LOST && log->lost <= 0)
        log->lost = sample.at_s;
    (void)pthread_mutex_unlock(&sensors->lock);
}

static void *work(void *data)
{
    struct sensors *sensors = data;

    while (!is_over(sensors)) {
        for (unsigned gpu = 0; gpu < sensors->gpus; gpu++)
            sample_gpu(sensors, &sensors->logs[gpu]);
        (void)nanosleep(&(struct timespec){0, sensors->how.period_ms * 1000000L}, NULL);
    }
    return NULL;
}

/* false: of none. */
static bool find_all(struct sensors *sensors, const struct gpu_probe *probe)
{
    bool found = false;
    unsigned milliwatts;

    sensors->gpus = probe->device_count;
    for (unsigned gpu = 0; gpu < sensors->gpus; gpu++) {
        struct log *log = &sensors->logs[gpu];

        if (sensors->nvml.find(probe->devices[gpu].uuid, &log->device) != NVML_DONE)
            log->device = NULL;
        if (log->device != NULL)
            log->samples = calloc(SAMPLES_MOST, sizeof *log->samples);
        if (log->samples == NULL)
            log->device = NULL;
        log->instant = log->device != NULL && sensors->how.power == SENSOR_POWER_INSTANT &&
                       power_now(&sensors->nvml, log->device, &milliwatts);
        if (log->device != NULL)
            log->held = held_now(&sensors->nvml, log->device);
        found = found || log->device != NULL;
    }
    return found;
}

static void release(struct sensors *sensors)
{
    for (unsigned gpu = 0; gpu < sensors->gpus; gpu++)
        free(sensors->logs[gpu].samples);
    nvml_close(&sensors->nvml);
    (void)pthread_mutex_destroy(&sensors->lock);
    free(sensors);
}

struct sensors *sensors_start(const struct gpu_probe *probe, struct sensor_how how)
{
    struct sensors *sensors = calloc(1, sizeof *sensors);

    if (sensors == NULL)
        return NULL;
    sensors->how = how;
    (void)pthread_mutex_init(&sensors->lock, NULL);
    if (!nvml_open(&sensors->nvml)) {
        release(sensors);
        return NULL;
    }
    if (find_all(sensors, probe))
        sensors->started = pthread_create(&sensors->thread, NULL, work, sensors) == 0;
    if (sensors->started)
        return sensors;
    release(sensors);
    return NULL;
}

void sensors_stop(struct sensors *sensors)
{
    if (sensors == NULL)
        return;
    (void)pthread_mutex_lock(&sensors->lock);
    sensors->stops = true;
    (void)pthread_mutex_unlock(&sensors->lock);
    (void)pthread_join(sensors->thread, NULL);
    release(sensors);
}

struct sensor_span sensors_joined(struct sensor_span one, struct sensor_span other)
{
    const double all = one.samples + other.samples, share = all > 0 ? one.samples / all : 0;

    if (one.samples == 0 || other.samples == 0)
        return one.samples == 0 ? other : one;
    return (struct sensor_span){
        .samples = one.samples + other.samples,
        .clock_mhz = one.clock_mhz * share + other.clock_mhz * (1 - share),
        .power_w = one.power_w * share + other.power_w * (1 - share),
        .clock_least_mhz = fmin(one.clock_least_mhz, other.clock_least_mhz),
        .power_peak_w = fmax(one.power_peak_w, other.power_peak_w),
        .temperature_c = fmax(one.temperature_c, other.temperature_c),
        .reasons = one.reasons | other.reasons,
    };
}

static void add(struct sensor_span *span, const struct sample *sample)
{
    const double watts = sample->power_mw / 1e3;

    *span = sensors_joined(*span, (struct sensor_span){1, sample->clock_mhz, watts, sample->clock_mhz, watts,
                                                       sample->temperature_c, sample->reasons});
}

struct sensor_held sensors_held(const struct sensors *sensors, unsigned gpu)
{
    const struct log *log = sensors != NULL ? &sensors->logs[gpu] : NULL;
    struct sensor_held now = {0};

    if (log == NULL || log->device == NULL || !log->held.known)
        return now;
    now = held_now(&sensors->nvml, log->device);
    now.reliability_ms = fmax(now.reliability_ms - log->held.reliability_ms, 0);
    now.board_ms = fmax(now.board_ms - log->held.board_ms, 0);
    now.below_base_ms = fmax(now.below_base_ms - log->held.below_base_ms, 0);
    return now;
}

enum sensor_power sensors_power(const struct sensors *sensors, unsigned gpu)
{
    return sensors != NULL && sensors->logs[gpu].instant ? SENSOR_POWER_INSTANT : SENSOR_POWER_MEAN;
}

double sensors_lost(struct sensors *sensors, unsigned gpu)
{
    double since;

    if (sensors == NULL)
        return 0;
    (void)pthread_mutex_lock(&sensors->lock);
    since = sensors->logs[gpu].lost;
    (void)pthread_mutex_unlock(&sensors->lock);
    return since;
}

struct sensor_span sensors_over(struct sensors *sensors, unsigned gpu, double from, double to)
{
    const struct log *log = sensors != NULL ? &sensors->logs[gpu] : NULL;
    const struct sample *before = NULL;
    struct sensor_span span = {0};

    if (log == NULL || log->device == NULL)
        return span;
    (void)pthread_mutex_lock(&sensors->lock);
    for (size_t i = log->count > SAMPLES_MOST ? log->count - SAMPLES_MOST : 0; i < log->count; i++) {
        const struct sample *sample = &log->samples[i % SAMPLES_MOST];

        if (sample->at_s < from)
            before = sample;
        else if (sample->at_s <= to)
            add(&span, sample);
    }
    if (span.samples == 0 && before != NULL && from - before->at_s < sensors->how.near_ms / 1e3)
        add(&span, before);
    (void)pthread_mutex_unlock(&sensors->lock);
    return span;
}

void sensors_name_reasons(uint64_t reasons, char ret_text[SENSOR_REASONS_BYTES])
{
    static const char *const names[] = {"gpu_idle",
                                        "applications_clocks_setting",
                                        "sw_power_cap",
                                        "hw_slowdown",
                                        "sync_boost",
                                        "sw_thermal_slowdown",
                                        "hw_thermal_slowdown",
                                        "hw_power_brake_slowdown",
                                        "display_clock_setting"};
    const unsigned known = sizeof names / sizeof names[0];
    size_t at = (size_t)snprintf(ret_text, SENSOR_REASONS_BYTES, "%s", reasons == 0 ? "none" : "");

    for (unsigned i = 0; i < 64; i++) {
        if ((reasons >> i & 1) == 0 || at + 40 > SENSOR_REASONS_BYTES)
            continue;
        at += (size_t)snprintf(ret_text + at, SENSOR_REASONS_BYTES - at, "%s", at > 0 ? ", " : "");
        if (i < known)
            at += (size_t)snprintf(ret_text + at, SENSOR_REASONS_BYTES - at, "%s", names[i]);
        else
            at += (size_t)snprintf(ret_text + at, SENSOR_REASONS_BYTES - at, "bit %u", i);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test power: all GPUs of the host between idle and full load at moments that other hosts have too (power_schedule.h), by a
 * clock that they have in common (power_clock.h). Load is products of matrices in slices of about a millisecond.
 *
 *   {"clock": "before", ..}  how well this host's clock is known beside the common one, in ms; then it begins. "after": the
 *                            same when all is over, and how far the one has moved against the other since
 *   {"segment": 0, ..}       each wave and the ramp: W of all GPUs together at work and idle, and the peaks added up
 *   {"gpu": 0, ..}           edges that it came to, how late the latest was and 99 in a hundred are (early ones count as well),
 *                            and what the driver said: W, clock at work, temperature, why that was not higher (only where it was
 *                            asked in all waves and the ramp, or something was found), how long it was held below its clocks for
 *                            its voltage's sake (where the driver counts it); or since which second of the test the GPU is lost
 *
 * Without NVML there are no figures but those of time. What the GPU draws follows an edge by a few ms, which nobody sees from here.
 */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gemm.h"
#include "gpu_output.h"
#include "gpu_threads.h"
#include "power_clock.h"
#include "power_schedule.h"
#include "sensors.h"

enum { PERIOD_MS = 20, LEAD_S = 2 /* where no moment is asked for */, STOP_EVERY_MS = 100 };
#define SLICE_S 0.001
#define WARMUP_S 0.5
/* Of a beat, after its edge: until then power is between both. */
#define SETTLED 0.4
/* Of each wave, at work and idle, and of the ramp: with fewer samples nobody knows that nothing was slowed down. */
#define WATCHED_HZ 5.0
enum { WATCHED_LEAST = 5 };
/* Bits of NVML: what the hardware slows down for. */
enum { HW_SLOWDOWN = 1 << 3, HW_THERMAL_SLOWDOWN = 1 << 6, HW_POWER_BRAKE_SLOWDOWN = 1 << 7 };

struct power_gpu {
    void *products; /* NULL: they could not be made */
    unsigned times; /* products of a slice */
    double slice_s;
    double owed_s; /* of planned work; what a beat has too much or too little is made good by the next one */
    struct gpu_series late; /* of each edge, s below zero, so that the least is the latest */
    double lost_s;          /* since the begin, NAN: it is not */
    char why[GPU_NAME_BYTES * 2];
};

struct power_run {
    struct gpu_probe *probe;
    struct power_schedule schedule;
    struct sensors *sensors; /* NULL: nobody tells */
    struct power_clock clock;
    bool agreed;                  /* on when it begins */
    double begin;                 /* gpu_now_s */
    char why[GPU_NAME_BYTES * 2]; /* it did not begin; "" */
    pthread_barrier_t ready;
    struct power_gpu gpus[GPU_MOST];
};

/* --- the work --- */

static int measure_slice(const struct gpu_gemm *gemm, struct power_gpu *own, struct error *err)
{
    const double end = gpu_now_s() + WARMUP_S;
    double began;

    own->times = 1;
    do {
        const unsigned times = own->times;
        double seconds;

        began = gpu_now_s();
        if (gemm->run(own->products, times, &seconds, err) < 0)
            return -1;
        own->slice_s = gpu_now_s() - began;
        own->times = (unsigned)fmax(1, round(SLICE_S * times / fmax(own->slice_s, 1e-7)));
    } while (gpu_now_s() < end && !gpu_stop_asked());
    return 0;
}

/* Half of what compute takes: more of them fit into a slice. */
static int prepare(struct power_run *run, unsigned gpu, struct error *err)
{
    const struct gpu_gemm *gemm = run->probe->backend->gemm;
    struct power_gpu *own = &run->gpus[gpu];
    char why[GEMM_WHY_BYTES] = "";

    own->lost_s = NAN;
    own->products = gemm->open(run->probe, gpu, GEMM_BF16, gemm->sizes[0] / 2, why, err);
    if (own->products == NULL)
        return *why != '\0' ? error_set(err, ERROR_INTERNAL, "GPU %u: %s", gpu, why) : -1;
    return measure_slice(gemm, own, err);
}

/* false: the end is asked for. */
static bool wait_until(double moment)
{
    double left;

    while ((left = moment - gpu_now_s()) > 0) {
        const double part = fmin(left, STOP_EVERY_MS / 1e3);

        if (gpu_stop_asked())
            return false;
        (void)nanosleep(&(struct timespec){0, (long)(part * 1e9)}, NULL);
    }
    return !gpu_stop_asked();
}

static void note_edge(struct power_gpu *own, double planned)
{
    if (own->late.count < GPU_WINDOWS_MOST)
        own->late.values[own->late.count++] = -fabs(gpu_now_s() - planned);
}

/* As the last one, but one that was held up for long says nothing of the next. */
static double next_slice_s(const struct power_gpu *own)
{
    return fmin(own->slice_s, 4 * SLICE_S);
}

/* A wave's end is a moment; of the ramp the work counts, of which a period has only some slices. */
static int work_beat(const struct power_run *run, struct power_gpu *own, const struct power_beat *beat,
                     bool wave, struct error *err)
{
    const double off = run->begin + beat->off;
    double seconds, began;

    if (wave)
        note_edge(own, run->begin + beat->on);
    own->owed_s = wave ? 0 : own->owed_s + beat->off - beat->on;
    while (!gpu_stop_asked() && gpu_now_s() + next_slice_s(own) / 2 < off &&
           (wave || own->owed_s > next_slice_s(own) / 2)) {
        began = gpu_now_s();
        if (run->probe->backend->gemm->run(own->products, own->times, &seconds, err) < 0)
            return -1;
        own->slice_s = gpu_now_s() - began;
        own->owed_s = wave ? 0 : fmax(own->owed_s - own->slice_s, -POWER_RAMP_PERIOD_S);
    }
    if (wave)
        note_edge(own, off);
    return 0;
}

static int follow(const struct power_run *run, struct power_gpu *own, struct error *err)
{
    for (unsigned s = 0; s < run->schedule.segment_count; s++) {
        const struct power_segment *segment = &run->schedule.segments[s];

        own->owed_s = 0;
        for (unsigned i = 0; i < segment->beats; i++) {
            const struct power_beat *beat = &run->schedule.beats[segment->first + i];

            if (!wait_until(run->begin + beat->on))
                return 0;
            if (work_beat(run, own, beat, segment->hz > 0, err) < 0)
                return -1;
        }
    }
    return 0;
}

/* --- all GPUs --- */

static void put_clock(const char *when, const struct power_clock *clock, double moved_s)
{
    struct probe_line line;

    probe_line_begin(&line);
    json_member(&line.writer, "clock", when);
    line_rate(&line, "uncertain_ms", clock->uncertain_s * 1e3);
    line_rate(&line, "moved_ms", moved_s * 1e3);
    probe_line_end(&line);
}

/* NULL: all can. */
static const char *why_unready(const struct power_run *run)
{
    for (unsigned gpu = 0; gpu < run->probe->device_count; gpu++)
        if (run->gpus[gpu].why[0] != '\0')
            return run->gpus[gpu].why;
    return NULL;
}

/* By one of the threads, once all have prepared their GPUs. Without a library or memory a GPU is not lost: then none begins. */
static void agree(struct power_run *run)
{
    const struct gpu_options *options = &run->probe->options;
    const char *unready = why_unready(run);

    if (unready != NULL) {
        (void)snprintf(run->why, sizeof run->why, "%s", unready);
        return;
    }
    if (!power_clock_read(options->clock_by_stdin, &run->clock)) {
        (void)snprintf(run->why, sizeof run->why, "nobody told what time it is");
        return;
    }
    run->begin = options->at_s > 0 ? options->at_s + run->clock.ahead_s : gpu_now_s() + LEAD_S;
    if (run->begin <= gpu_now_s()) {
        (void)snprintf(run->why, sizeof run->why, "it was ready %.1f s after the moment at which all begin",
                       gpu_now_s() - run->begin);
        return;
    }
    put_clock("before", &run->clock, 0);
    run->agreed = true;
}

static void say_why(struct power_gpu *own, const struct error *err)
{
    (void)snprintf(own->why, sizeof own->why, "%.*s", (int)sizeof own->why - 1, err->text);
}

/* What fails on one GPU leaves the others at work. */
static int work_gpu(struct gpu_probe *probe, unsigned gpu, void *state, struct error *err)
{
    struct power_run *run = state;
    struct power_gpu *own = &run->gpus[gpu];
    int status = prepare(run, gpu, err);

    if (status < 0)
        say_why(own, err);
    if (pthread_barrier_wait(&run->ready) == PTHREAD_BARRIER_SERIAL_THREAD)
        agree(run);
    (void)pthread_barrier_wait(&run->ready);
    if (status == 0 && run->agreed && follow(run, own, err) < 0) {
        own->lost_s = fmax(gpu_now_s() - run->begin, 0);
        say_why(own, err);
    }
    if (own->products != NULL)
        probe->backend->gemm->close(own->products);
    return 0;
}

/* --- what is told --- */

static void head(const struct gpu_probe *probe, struct probe_line *line)
{
    const struct power_run *run = probe->state;

    probe_line_number(line, "rows", run->schedule.segment_count + 2);
    probe_line_number(line, "edges", run->schedule.edges);
    probe_line_number(line, "lasts_s", run->schedule.end);
    json_member(&line->writer, "clock_by", probe->options.clock_by_stdin ? "stdin" : "realtime");
}

/* At work, or idle after it, but for the time in which it changes. */
static struct sensor_span sense(const struct power_run *run, unsigned gpu,
                                const struct power_segment *segment, bool at_work)
{
    struct sensor_span all = {0};

    for (unsigned i = 0; i < segment->beats; i++) {
        const struct power_beat *beat = &run->schedule.beats[segment->first + i];
        const double half = beat->off - beat->on, from = at_work ? beat->on : beat->off;

        all = sensors_joined(all, sensors_over(run->sensors, gpu, run->begin + from + SETTLED * half,
                                               run->begin + from + half));
    }
    return all;
}

static struct sensor_span sense_share(const struct power_run *run, unsigned gpu,
                                      const struct power_segment *segment, double from, double to)
{
    const double length = segment->to - segment->from;

    return sensors_over(run->sensors, gpu, run->begin + segment->from + from * length,
                        run->begin + segment->from + to * length);
}

/* All GPUs together. */
struct watts {
    double on, off, peak, growth;
    bool known; /* of each GPU */
};

/* The ramp's ends are its first and last fifth, whose middles lie four fifths of it apart. */
static struct watts watts_of(const struct power_run *run, const struct power_segment *segment)
{
    struct watts all = {.known = true};

    for (unsigned gpu = 0; gpu < run->probe->device_count; gpu++) {
        const bool wave = segment->hz > 0;
        const struct sensor_span on =
            wave ? sense(run, gpu, segment, true) : sense_share(run, gpu, segment, 0.8, 1);
        const struct sensor_span off =
            wave ? sense(run, gpu, segment, false) : sense_share(run, gpu, segment, 0, 0.2);

        all.known = all.known && on.samples > 0 && off.samples > 0;
        all.on += on.power_w;
        all.off += off.power_w;
        all.peak += sense_share(run, gpu, segment, 0, 1).power_peak_w;
    }
    all.growth = (all.on - all.off) / (0.8 * (segment->to - segment->from));
    return all;
}

static void put_segment(const struct power_run *run, unsigned number)
{
    const struct power_segment *segment = &run->schedule.segments[number];
    const struct watts watts = watts_of(run, segment);
    struct probe_line line;

    probe_line_begin(&line);
    probe_line_number(&line, "segment", number);
    probe_line_number(&line, "hz", segment->hz);
    probe_line_number(&line, "from_s", segment->from);
    probe_line_number(&line, "to_s", segment->to);
    if (watts.known) {
        line_rate(&line, "on_w", watts.on);
        line_rate(&line, "off_w", watts.off);
        line_rate(&line, "peak_w", watts.peak);
        if (segment->hz <= 0)
            line_rate(&line, "ramp_w_per_s", watts.growth);
    }
    probe_line_end(&line);
}

static bool is_enough(struct sensor_span span, double seconds)
{
    return span.samples >= fmax(WATCHED_LEAST, WATCHED_HZ * seconds);
}

static bool is_watched(const struct power_run *run, unsigned gpu, const struct power_segment *segment)
{
    const double length = segment->to - segment->from, settled = length / 2 * (1 - SETTLED);

    return segment->hz > 0 ? is_enough(sense(run, gpu, segment, true), settled) &&
                                 is_enough(sense(run, gpu, segment, false), settled)
                           : is_enough(sense_share(run, gpu, segment, 0, 1), length);
}

/* What was found is true however seldom the driver was asked; that nothing was is not. */
static void put_reasons(struct probe_line *line, const struct power_run *run, unsigned gpu, uint64_t reasons)
{
    char text[SENSOR_REASONS_BYTES];
    bool watched = true;

    for (unsigned i = 0; i < run->schedule.segment_count; i++)
        watched = watched && is_watched(run, gpu, &run->schedule.segments[i]);
    if (!watched && (reasons & (HW_SLOWDOWN | HW_THERMAL_SLOWDOWN | HW_POWER_BRAKE_SLOWDOWN)) == 0)
        return;
    sensors_name_reasons(reasons, text);
    json_member(&line->writer, "reasons", text);
}

static void put_held(struct probe_line *line, struct sensor_held held)
{
    if (!held.known)
        return;
    line_rate(line, "reliability_ms", held.reliability_ms);
    line_rate(line, "board_limit_ms", held.board_ms);
    line_rate(line, "below_base_ms", held.below_base_ms);
}

static void put_sensed(struct probe_line *line, const struct power_run *run, unsigned gpu)
{
    struct sensor_span all = sensors_over(run->sensors, gpu, run->begin, run->begin + run->schedule.end);
    struct sensor_span on = {0}, off = {0};

    for (unsigned i = 0; i < run->schedule.segment_count; i++)
        if (run->schedule.segments[i].hz > 0) {
            on = sensors_joined(on, sense(run, gpu, &run->schedule.segments[i], true));
            off = sensors_joined(off, sense(run, gpu, &run->schedule.segments[i], false));
        }
    put_reasons(line, run, gpu, all.reasons);
    put_held(line, sensors_held(run->sensors, gpu));
    if (all.samples == 0 || on.samples == 0 || off.samples == 0)
        return;
    json_member(&line->writer, "power",
                sensors_power(run->sensors, gpu) == SENSOR_POWER_INSTANT ? "instant" : "mean of a second");
    line_rate(line, "peak_w", all.power_peak_w);
    line_rate(line, "on_w", on.power_w);
    line_rate(line, "off_w", off.power_w);
    line_rate(line, "clock_mhz", on.clock_mhz);
    line_rate(line, "clock_least_mhz", on.clock_least_mhz);
    line_rate(line, "temperature_c", all.temperature_c);
}

static bool is_lost(struct power_run *run, unsigned gpu)
{
    struct power_gpu *own = &run->gpus[gpu];
    const double since = sensors_lost(run->sensors, gpu);

    if (isnan(own->lost_s) && since > 0) {
        own->lost_s = fmax(since - run->begin, 0);
        (void)snprintf(own->why, sizeof own->why, "NVML: GPU is lost");
    }
    return !isnan(own->lost_s);
}

static void put_gpu(struct power_run *run, unsigned gpu)
{
    struct power_gpu *own = &run->gpus[gpu];
    const unsigned edges = own->late.count;
    const struct gpu_summary late = gpu_summarise(&own->late);
    struct probe_line line;

    line_begin_gpu(&line, run->probe, gpu);
    probe_line_number(&line, "edges", edges);
    if (edges > 0) {
        line_rate(&line, "late_ms", -late.least * 1e3);
        line_rate(&line, "late_p99_ms", -late.p1 * 1e3);
    }
    put_sensed(&line, run, gpu);
    if (is_lost(run, gpu)) {
        line_rate(&line, "lost_s", own->lost_s);
        json_member(&line.writer, "why", own->why);
    }
    probe_line_end(&line);
}

static int end(struct power_run *run, double began)
{
    struct power_clock after;
    bool wrong = false;

    if (!gpu_stop_asked() && power_clock_read(run->probe->options.clock_by_stdin, &after))
        put_clock("after", &after, fabs(after.ahead_s - run->clock.ahead_s));
    for (unsigned i = 0; i < run->schedule.segment_count; i++)
        put_segment(run, i);
    for (unsigned gpu = 0; gpu < run->probe->device_count; gpu++) {
        put_gpu(run, gpu);
        wrong = wrong || is_lost(run, gpu);
    }
    return gpu_output_done(wrong, run->schedule.beat_count, gpu_now_s() - began);
}

static int run_scheduled(struct power_run *run, struct gpu_probe *probe)
{
    const double began = gpu_now_s();
    struct error err = {0};
    int status;

    if (pthread_barrier_init(&run->ready, NULL, probe->device_count) != 0)
        return gpu_refuse(probe, GPU_BROKEN, "no memory");
    gpu_output_head(probe);
    run->sensors =
        sensors_start(probe, (struct sensor_how){.period_ms = PERIOD_MS, .power = SENSOR_POWER_INSTANT});
    status = gpu_all(probe, work_gpu, run, &err);
    gpu_deadline_stop();
    if (status < 0)
        status = gpu_refuse(probe, GPU_BROKEN, err.text);
    else
        status = run->agreed ? end(run, began) : gpu_refuse(probe, GPU_UNFIT, run->why);
    sensors_stop(run->sensors);
    (void)pthread_barrier_destroy(&run->ready);
    return status;
}

static int run_power(struct gpu_probe *probe)
{
    struct power_run *run = calloc(1, sizeof *run);
    int status;

    if (run == NULL)
        return gpu_refuse(probe, GPU_BROKEN, "no memory");
    run->probe = probe;
    probe->state = run;
    status = power_schedule_make(&probe->options.power, &run->schedule)
                 ? run_scheduled(run, probe)
                 : gpu_refuse(probe, GPU_USAGE, "so long a schedule is not supported");
    probe->state = NULL;
    free(run);
    return status;
}

const struct gpu_test gpu_test_power = {
    .name = "power",
    .summary = "Idle and full load in turns, at moments that other hosts have too, and a ramp:\n"
               "  how late, W, what the driver held back, and who is lost. It swings what a site\n"
               "  draws: agree it with the facility.",
    .head = head,
    .run = run_power,
};

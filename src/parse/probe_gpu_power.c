/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-gpu power: all GPUs of a host between idle and full load, at moments that other hosts have too.
 *
 * facts    power.state (gpu0) = at work to the end | lost after 12.3 s: what CUDA or NVML said
 *          power.reasons (gpu0) = sw_power_cap: why its clock was not higher, all that were given   power.sensor (gpu0)
 * metrics  power.uncertain, .moved (before, after)   power.on, .off, .peak ("0.2 Hz", "ramp")   power.ramp
 *          power.edge, .edge.p99, .on, .off, .peak, .clock, .clock.least, .temperature (gpu0)
 *          power.held.reliability, .board, .base (gpu0): ms
 * findings power.lost (gpu0)
 */
#include "assay/reasons/parse.h"
#include "probe_gpu.h"

#include <string.h>

static const struct probe_gpu_metric of_segment[] = {
    {"on_w", "power.on", "W"}, {"off_w", "power.off", "W"}, {"peak_w", "power.peak", "W"}, {0}};
static const struct probe_gpu_metric of_ramp[] = {{"ramp_w_per_s", "power.ramp", "W/s"}, {0}};
static const struct probe_gpu_metric of_edges[] = {
    {"late_ms", "power.edge", "ms"}, {"late_p99_ms", "power.edge.p99", "ms"}, {0}};
static const struct probe_gpu_metric of_gpu[] = {
    {"on_w", "power.on", "W"},
    {"off_w", "power.off", "W"},
    {"peak_w", "power.peak", "W"},
    {"clock_mhz", "power.clock", "MHz"},
    {"clock_least_mhz", "power.clock.least", "MHz"},
    {"temperature_c", "power.temperature", "C"},
    {0},
};
static const struct probe_gpu_metric of_held[] = {{"reliability_ms", "power.held.reliability", "ms"},
                                                  {"board_limit_ms", "power.held.board", "ms"},
                                                  {"below_base_ms", "power.held.base", "ms"},
                                                  {0}};

static void take_head(struct probe_gpu *probe, const struct json *line)
{
    (void)probe_gpu_count(probe, line, "edges", 1e6, &probe->edges);
}

static void take_clock(struct probe_gpu *probe, const struct json *line)
{
    static const char *const whens[] = {"before", "after", NULL};
    const char *when = probe_gpu_one_of(probe, line, "clock", whens);
    double uncertain, moved;

    if (when == NULL || !probe_gpu_number(probe, line, "uncertain_ms", 1e9, &uncertain) ||
        !probe_gpu_number(probe, line, "moved_ms", 1e9, &moved))
        return;
    probe->rows_seen++;
    reading_measure(probe->frame.reading, "power.uncertain", when, uncertain, "ms");
    reading_measure(probe->frame.reading, "power.moved", when, moved, "ms");
}

/* A ramp's power at its ends is its own matter: of waves there is more than one. */
static void take_segment(struct probe_gpu *probe, const struct json *line)
{
    struct reading *reading = probe->frame.reading;
    double hz;

    if (!probe_gpu_number(probe, line, "hz", 1e3, &hz))
        return;
    probe->rows_seen++;
    probe_gpu_measure(probe, line, of_segment, hz > 0 ? arena_printf(reading->arena, "%g Hz", hz) : "ramp");
    if (!(hz > 0))
        probe_gpu_measure(probe, line, of_ramp, "");
}

static void take_lost(struct probe_gpu *probe, const struct json *line, unsigned gpu)
{
    struct arena *arena = probe->frame.reading->arena;
    const char *uuid = json_string(line, "uuid", "?"), *why = json_string(line, "why", "?"), *when;
    double lost;

    if (!probe_gpu_number(probe, line, "lost_s", 1e6, &lost))
        return;
    when = arena_printf(arena, "%.1f", lost);
    probe->wrong_told++;
    probe_gpu_wrong(probe, gpu, reason(arena, power_gpu_lost, uuid, when, why), "power.lost",
                    reason(arena, power_gpu_lost, uuid, when, why));
}

static void take_gpu(struct probe_gpu *probe, const struct json *line, unsigned gpu, const char *subject)
{
    struct reading *reading = probe->frame.reading;
    const char *reasons = json_string(line, "reasons", NULL), *sensor = json_string(line, "power", NULL);
    const bool lost = json_get(line, "lost_s") != NULL;
    double edges;

    if (!probe_gpu_count(probe, line, "edges", 1e6, &edges))
        return;
    probe_gpu_measure(probe, line, of_edges, subject);
    probe_gpu_measure(probe, line, of_gpu, subject);
    probe_gpu_measure(probe, line, of_held, subject);
    if (reasons != NULL)
        reading_fact(reading, "power.reasons", subject, slice_of(reasons));
    if (sensor != NULL)
        reading_fact(reading, "power.sensor", subject, slice_of(sensor));
    if (lost)
        take_lost(probe, line, gpu);
    else if (edges < probe->edges || edges > probe->edges)
        probe->damage = REASON(power_edges_missing);
}

static void tell(struct probe_gpu *probe)
{
    probe_gpu_tell_wrong(probe, "power.state", REASON(power_at_work));
}

static const struct probe_gpu_kind kinds[] = {{"clock", take_clock}, {"segment", take_segment}, {0}};

const struct probe_gpu_test probe_gpu_power = {.name = "power",
                                               .prefix = "power",
                                               .announced = "rows",
                                               .kinds = kinds,
                                               .head = take_head,
                                               .gpu = take_gpu,
                                               .tell = tell};

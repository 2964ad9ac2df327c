/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sampler: one nvidia-smi that repeats a line a GPU every few seconds while the main part runs, and is ended
 * with it. All its lines stay in the capture; what is kept as values is the worst of them, and a course of few
 * points for plots.
 *
 * facts    window.watched = to the end, gpuN: its lines reach over the test; none where they do not
 *          window.clock.held_down = no | "1200 of 1980 MHz", gpuN: at work, without a reason, and never near its highest
 *          window.throttle.REASON = Active | Not Active, gpuN: Active when any sample has it; Not Active only of a
 *          sampler that was still there when the main part had ended, else nobody knows
 *          window.course.temperature C, .power W, .clock MHz, gpuN = "every 4 s: 45 61 - 62": at most 32 points, each the
 *          worst of as many samples (the lowest clock at work, else the highest); "-" where none has a number
 * metrics  window.samples, gpuN; window.temperature.max, window.memory_temperature.max C; window.power.max W;
 *          window.clock.min MHz, window.pcie.generation.min, of the samples in which the GPU was at work
 *          window.power.limit W, the lowest that was enforced; window.power.of_others %, of the median of the host's other GPUs;
 *          window.temperature.above_others C, above the median of theirs
 *          window.temperature.margin C, the least of what nvidia-smi calls T.Limit; heat.c says what it means
 *
 * A line that is cut or damaged is left out; what no line tells has no value.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "assay/base/robust.h"
#include "assay/model/spells.h"
#include "assay/reasons/check.h"

#include "frames.h"
#include "samples.h"
#include "script.h"

/* OTHERS_LEAST: with fewer others nobody knows which of them is the odd one. */
enum { OTHERS_LEAST = 3 };
enum {
    GPUS_MOST = 64,
    SAMPLES_AIM = 360,
    SHORTEST_S = 2,
    LONGEST_S = 60,
    SLACK_S = 2 * LONGEST_S, /* of a test that is shorter than two lines apart nothing is asked */
    AT_WORK_PERCENT = 50,
    CELLS = 12,
    CELLS_LEAST = 9
};

/* "Clocks are as high as possible", says nvml.h of a GPU without any reason: then a clock so far below its highest is held
   there by a hand (nvidia-smi -lgc). The hundredths between are what boards and generations round differently. */
#define HELD_BELOW 0.9

/* In the order of the query; the timestamp before them is for plots. */
enum cell {
    TIMESTAMP,
    INDEX,
    TEMPERATURE,
    MEMORY_TEMPERATURE,
    POWER,
    CLOCK,
    GENERATION,
    UTILIZATION,
    REASONS,
    CLOCK_MOST, /* captures of before have no such cells */
    POWER_LIMIT,
    MARGIN /* nor has a driver that does not know the field */
};

/* That a display sets clocks is no reason on a server. */
enum { REASON_DISPLAY = 0x100 };

#define THROTTLE "window.throttle."

/* Bits of clocks_event_reasons.active, as nvml.h has them. */
static const struct {
    unsigned bit;
    const char *fact;
    bool slows; /* no healthy GPU in a healthy host has it */
} reasons[] = {
    {0x004, THROTTLE "sw_power_cap", false},           {0x008, THROTTLE "hw_slowdown", true},
    {0x020, THROTTLE "sw_thermal_slowdown", true},     {0x040, THROTTLE "hw_thermal_slowdown", true},
    {0x080, THROTTLE "hw_power_brake_slowdown", true},
};

enum { REASON_COUNT = ARRAY_SIZE(reasons) };

/* What is drawn over time, from these cells of a sample. At work only where the lowest counts: at rest clocks are low. */
enum { COURSE_POINTS = 32 };
static const struct check_course courses[] = {
    {"window.course.temperature", "temperature", "C", false},
    {"window.course.power", "power", "W", false},
    {"window.course.clock", "SM clock", "MHz", true},
};
static const enum cell course_cells[] = {TEMPERATURE, POWER, CLOCK};

enum { COURSE_COUNT = ARRAY_SIZE(courses) };

const struct check_course *check_courses(size_t *ret_count)
{
    *ret_count = COURSE_COUNT;
    return courses;
}

struct gpu_samples {
    unsigned count, reasons_count;
    uint64_t reasons;                              /* or-ed */
    double temperature, memory_temperature, power; /* largest; NAN: none */
    double clock, generation;                      /* smallest at work */
    double power_limit, clock_most;                /* smallest that was enforced; what the GPU can do */
    double margin;                                 /* smallest */
    double first, last;                         /* its samples' times by the host's clock, s; NAN: not read */
    unsigned at_work, free;                     /* samples at work, and of those without a reason */
    double free_clock;                          /* largest of these */
    unsigned passed;                            /* of its samples, on the way to the course */
    double course[COURSE_COUNT][COURSE_POINTS]; /* NAN: no number */
};

/* Few enough that three days stay small, often enough that a short test has some. */
unsigned samples_interval_s(const struct check_context *context)
{
    unsigned expected = check_expected_s(context), interval = expected / SAMPLES_AIM;

    return interval < SHORTEST_S ? SHORTEST_S : interval > LONGEST_S ? LONGEST_S : interval;
}

static void command(const struct check_context *context, struct text *out)
{
    script_begin(out, "nvidia-smi --query-gpu=... -l");
    script_set_number(out, "every_s", samples_interval_s(context), 0);
    script_tool_exec(context, out, "nvidia_smi", "nvidia-smi");
    text_put(out, script_samples);
}

const struct part_row samples_row = {.name = "samples", .command = command, .aside = true};

void put_samples_start(const struct check_context *context, struct text *out)
{
    text_put(out, "( " FRAMES_FORGET);
    command(context, out);
    text_put(out, " ) >\"$ASSAY_DIR/samples.out\" 2>\"$ASSAY_DIR/samples.err\" </dev/null &\nsampler=$!\n");
}

void put_samples_end(struct text *out)
{
    /* Ended by us is well, ended before is not, whatever it says; a sampler that hangs in the driver is not waited
       for, the guard sweeps it. */
    text_put(
        out,
        "if kill $sampler 2>/dev/null; then rc=0; else wait $sampler; rc=$?; [ $rc -ne 0 ] || rc=1; fi\n");
    frames_put_begin(out, samples_row.name);
    text_put(out, "cat \"$ASSAY_DIR/samples.out\"; cat \"$ASSAY_DIR/samples.err\" >&2\n");
    frames_put_end(out, samples_row.name);
}

static bool split(struct slice line, struct slice cells[CELLS])
{
    size_t count = 0, comma = 0;

    while (comma != (size_t)-1 && count < CELLS) {
        comma = slice_find(line, ",");
        cells[count++] = slice_trim((struct slice){line.bytes, comma != (size_t)-1 ? comma : line.length});
        line = comma != (size_t)-1 ? slice_from(line, comma + 1) : slice_of("");
    }
    if (comma != (size_t)-1 || (count != CELLS && count != MARGIN && count != CELLS_LEAST))
        return false;
    while (count < CELLS)
        cells[count++] = slice_of("");
    return true;
}

/* "0x0000000000000004" */
bool samples_read_reasons(struct slice cell, uint64_t *ret_reasons)
{
    static const char digits[] = "0123456789abcdef";

    *ret_reasons = 0;
    if (!scan_text(&cell, "0x") || cell.length == 0 || cell.length > 16)
        return false;
    for (size_t i = 0; i < cell.length; i++) {
        char lower =
            (char)(cell.bytes[i] >= 'A' && cell.bytes[i] <= 'F' ? cell.bytes[i] + 32 : cell.bytes[i]);
        const char *digit = lower != '\0' ? strchr(digits, lower) : NULL;

        if (digit == NULL)
            return false;
        *ret_reasons = *ret_reasons << 4 | (uint64_t)(digit - digits);
    }
    return true;
}

const char *samples_slowdowns(struct arena *arena, uint64_t active)
{
    const char *names = NULL;

    for (size_t i = 0; i < REASON_COUNT; i++)
        if (reasons[i].slows && (active & reasons[i].bit) != 0)
            names = arena_printf(arena, "%s%s%s", names != NULL ? names : "", names != NULL ? ", " : "",
                                 reasons[i].fact + strlen(THROTTLE));
    return names;
}

static void keep_largest(double *kept, struct slice cell)
{
    double value;

    if (scan_double(cell, &value) && !(value <= *kept))
        *kept = value;
}

static void keep_smallest(double *kept, struct slice cell)
{
    double value;

    if (scan_double(cell, &value) && !(value >= *kept))
        *kept = value;
}

static bool at_work(const struct slice cells[CELLS])
{
    double utilization;

    return scan_double(cells[UTILIZATION], &utilization) && utilization >= AT_WORK_PERCENT;
}

/* "2026/05/01 12:34:56.789", in seconds of no clock in particular; NAN: it is no such time. */
static double time_of(struct slice cell)
{
    struct tm date = {0};
    char text[32];
    const char *rest;

    if (cell.length >= sizeof text)
        return NAN;
    memcpy(text, cell.bytes, cell.length);
    text[cell.length] = '\0';
    rest = strptime(text, "%Y/%m/%d %H:%M:%S", &date);
    return rest != NULL ? (double)timegm(&date) : NAN;
}

/* One that hangs is still there at the end, and has seen nothing since: its lines reach over half of the test at least. A
   clock that was set back, or a line without a time, tells nothing of that. */
static bool saw_to_the_end(const struct attempt *attempt, const struct part *part,
                           const struct gpu_samples *gpu)
{
    double span = gpu->last - gpu->first, lasted = slice_work_s(attempt);

    return part->ended && part->rc == 0 && !(span >= 0 && span < lasted / 2 - SLACK_S);
}

static void add_sample(struct gpu_samples *gpu, const struct slice cells[CELLS])
{
    uint64_t active;

    gpu->count++;
    gpu->last = time_of(cells[TIMESTAMP]);
    if (gpu->count == 1)
        gpu->first = gpu->last;
    keep_largest(&gpu->temperature, cells[TEMPERATURE]);
    keep_largest(&gpu->memory_temperature, cells[MEMORY_TEMPERATURE]);
    keep_largest(&gpu->power, cells[POWER]);
    keep_smallest(&gpu->power_limit, cells[POWER_LIMIT]);
    keep_largest(&gpu->clock_most, cells[CLOCK_MOST]);
    keep_smallest(&gpu->margin, cells[MARGIN]);
    if (at_work(cells)) {
        keep_smallest(&gpu->clock, cells[CLOCK]);
        keep_smallest(&gpu->generation, cells[GENERATION]);
    }
    if (!samples_read_reasons(cells[REASONS], &active))
        return;
    gpu->reasons |= active;
    gpu->reasons_count++;
    if (!at_work(cells))
        return;
    gpu->at_work++;
    if ((active & ~(uint64_t)REASON_DISPLAY) == 0) {
        gpu->free++;
        keep_largest(&gpu->free_clock, cells[CLOCK]);
    }
}

static void measure(struct reading *out, const char *metric, const char *subject, double value,
                    const char *unit)
{
    if (!isnan(value))
        reading_measure(out, metric, subject, value, unit);
}

/* For most of its work nothing limited it. */
static bool is_held_down(const struct gpu_samples *gpu)
{
    return gpu->free * 2 > gpu->at_work && gpu->free_clock < HELD_BELOW * gpu->clock_most;
}

static void tell_held_down(struct reading *out, const char *subject, const struct gpu_samples *gpu)
{
    if (gpu->at_work == 0 || isnan(gpu->clock) || isnan(gpu->clock_most))
        return;
    if (is_held_down(gpu))
        reading_fact_said(out, "window.clock.held_down", subject,
                          reason(out->arena, clock_of_highest,
                                 arena_printf(out->arena, "%.0f", gpu->free_clock),
                                 arena_printf(out->arena, "%.0f", gpu->clock_most)));
    else
        reading_fact(out, "window.clock.held_down", subject, slice_of("no"));
}

static double power_of(const struct gpu_samples *gpu)
{
    return gpu->power;
}

static double temperature_of(const struct gpu_samples *gpu)
{
    return gpu->temperature;
}

/* The median of the host's other GPUs; NAN: there are too few of them. */
static double median_of_others(const struct gpu_samples *gpus, unsigned number,
                               double (*value_of)(const struct gpu_samples *gpu))
{
    double others[GPUS_MOST];
    size_t count = 0;

    for (unsigned i = 0; i < GPUS_MOST; i++)
        if (i != number && gpus[i].count > 0 && !isnan(value_of(&gpus[i])))
            others[count++] = value_of(&gpus[i]);
    if (count < OTHERS_LEAST)
        return NAN;
    robust_sort(others, count);
    return (others[(count - 1) / 2] + others[count / 2]) / 2;
}

/* The GPU's largest values beside the others': GPUs of one host do the same work. */
static void tell_beside_others(struct reading *out, const char *subject, const struct gpu_samples *gpus,
                               unsigned number)
{
    double power = median_of_others(gpus, number, power_of);

    if (power > 0)
        measure(out, "window.power.of_others", subject, floor(1000 * gpus[number].power / power) / 10, "%");
    measure(out, "window.temperature.above_others", subject,
            gpus[number].temperature - median_of_others(gpus, number, temperature_of), "C");
}

/* to_the_end: the sampler saw all of the test. */
static void tell_gpu(struct reading *out, const char *subject, const struct gpu_samples *gpu, bool to_the_end)
{
    reading_measure(out, "window.samples", subject, gpu->count, "");
    measure(out, "window.temperature.max", subject, gpu->temperature, "C");
    measure(out, "window.temperature.margin", subject, gpu->margin, "C");
    measure(out, "window.memory_temperature.max", subject, gpu->memory_temperature, "C");
    measure(out, "window.power.max", subject, gpu->power, "W");
    measure(out, "window.power.limit", subject, gpu->power_limit, "W");
    measure(out, "window.clock.min", subject, gpu->clock, "MHz");
    measure(out, "window.pcie.generation.min", subject, gpu->generation, "");
    for (size_t i = 0; i < REASON_COUNT && gpu->reasons_count > 0; i++) {
        bool active = (gpu->reasons & reasons[i].bit) != 0;

        if (active || to_the_end)
            reading_fact(out, reasons[i].fact, subject, slice_of(active ? "Active" : "Not Active"));
    }
}

static unsigned samples_a_point(const struct gpu_samples *gpu)
{
    return (gpu->count + COURSE_POINTS - 1) / COURSE_POINTS;
}

/* Of the second time around, when it is known how many samples there are. */
static void add_to_course(struct gpu_samples *gpu, const struct slice cells[CELLS])
{
    unsigned point = gpu->passed++ / samples_a_point(gpu);

    for (size_t i = 0; i < COURSE_COUNT; i++)
        if (!courses[i].lowest)
            keep_largest(&gpu->course[i][point], cells[course_cells[i]]);
        else if (at_work(cells))
            keep_smallest(&gpu->course[i][point], cells[course_cells[i]]);
}

static void tell_course(const struct check_context *context, struct reading *out, const char *subject,
                        const struct gpu_samples *gpu)
{
    unsigned every = samples_a_point(gpu), points = (gpu->count + every - 1) / every;

    for (size_t i = 0; points > 1 && i < COURSE_COUNT; i++) {
        const char *text = arena_printf(out->arena, "every %u s:", every * samples_interval_s(context));
        bool any = false;

        for (unsigned k = 0; k < points; k++) {
            double value = gpu->course[i][k];

            any |= !isnan(value);
            text = isnan(value) ? arena_printf(out->arena, "%s -", text)
                                : arena_printf(out->arena, "%s %.0f", text, value);
        }
        if (any)
            reading_fact(out, courses[i].fact, subject, slice_of(text));
    }
}

/* The sampler's next line of a GPU. The last one may have been cut when it was ended: it counts only with its newline. */
static bool next_sample(struct slice *rest, struct slice cells[CELLS], uint64_t *ret_index)
{
    struct slice line;

    while (slice_contains(*rest, "\n") && scan_line(rest, &line))
        if (split(line, cells) && scan_u64(cells[INDEX], ret_index) && *ret_index < GPUS_MOST)
            return true;
    return false;
}

static void begin(struct gpu_samples *gpu)
{
    *gpu = (struct gpu_samples){.temperature = NAN,
                                .memory_temperature = NAN,
                                .power = NAN,
                                .clock = NAN,
                                .generation = NAN,
                                .power_limit = NAN,
                                .clock_most = NAN,
                                .margin = NAN,
                                .free_clock = NAN};
    for (size_t i = 0; i < COURSE_COUNT; i++)
        for (size_t k = 0; k < COURSE_POINTS; k++)
            gpu->course[i][k] = NAN;
}

void read_samples(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    const struct part *part = attempt_part(attempt, samples_row.name);
    struct slice all = part != NULL ? part->out : slice_of(""), rest, cells[CELLS];
    struct gpu_samples gpus[GPUS_MOST];
    uint64_t index;

    for (size_t i = 0; i < GPUS_MOST; i++)
        begin(&gpus[i]);
    for (rest = all; next_sample(&rest, cells, &index);)
        add_sample(&gpus[index], cells);
    for (rest = all; next_sample(&rest, cells, &index);)
        add_to_course(&gpus[index], cells);
    for (unsigned i = 0; i < GPUS_MOST; i++)
        if (gpus[i].count > 0) {
            const char *subject = arena_printf(out->arena, "gpu%u", i);

            if (saw_to_the_end(attempt, part, &gpus[i]))
                reading_fact(out, SAMPLES_WATCHED, subject, slice_of("to the end"));
            tell_gpu(out, subject, &gpus[i], reading_get_fact(out, SAMPLES_WATCHED, subject) != NULL);
            tell_held_down(out, subject, &gpus[i]);
            tell_beside_others(out, subject, gpus, i);
            tell_course(context, out, subject, &gpus[i]);
        }
}

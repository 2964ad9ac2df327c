/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test compute: how fast each GPU multiplies matrices, all GPUs at once, one type and size after the other.
 *
 *   {"gemm": "bf16", "size": 8192, "gpu": 0, ..}   TFLOP/s over windows after the warm-up: median, p1, least, best. A type that
 *                                                  could not be tried has "not_measured" instead, and why. Where the driver
 *                                                  tells them, beside it clock, power, temperature, why the clock is not
 *                                                  higher, and the same of each window ("series")
 *   {"gpu": 0, ..}                                 each GPU, and how many products were measured on it
 *
 * A product of two matrices of N x N is 2 N^3 operations. The numbers are random: with zeros a GPU takes less power, and so
 * runs faster than with any real work. Whether the products are right is not looked at: that is what sdc is for.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gemm.h"
#include "gpu_output.h"
#include "gpu_threads.h"
#include "sensors.h"

const char *const gemm_names[GEMM_TYPES] = {"bf16", "fp16", "fp8", "tf32", "fp64", "int8"};

/* A window, and what the driver said of the GPU in it. */
struct gemm_window {
    double rate; /* TFLOP/s */
    struct sensor_span sensed;
};

enum { WINDOWS_TOLD = 64 /* one by one: the first of them */ };

/* Of a type and size on one GPU. */
struct gemm_result {
    struct gpu_summary rates;  /* TFLOP/s */
    struct sensor_span sensed; /* in all windows */
    struct gemm_window windows[WINDOWS_TOLD];
    char why[GEMM_WHY_BYTES]; /* it was not measured; "" */
};

struct compute_run {
    const struct gpu_gemm *gemm;
    struct sensors *sensors; /* NULL: nobody tells */
    enum gemm_type type;     /* of the round */
    unsigned size;
    struct gemm_result results[GPU_MOST]; /* of the round */
    unsigned measured[GPU_MOST];          /* in all rounds */
    uint64_t rounds;
};

static unsigned size_of(const struct gpu_probe *probe, unsigned i)
{
    const struct gpu_gemm *gemm = probe->backend->gemm;

    if (probe->options.size_count > 0)
        return i < probe->options.size_count ? probe->options.sizes[i] : 0;
    return i < ARRAY_SIZE(gemm->sizes) ? gemm->sizes[i] : 0;
}

/* Windows of time, until the test's are over. */
static int measure(const struct compute_run *run, const struct gpu_probe *probe, unsigned gpu, void *own,
                   struct gpu_series *series, struct gemm_result *result, struct error *err)
{
    const struct gpu_options *options = &probe->options;
    const double operations = 2 * pow(run->size, 3), window_s = options->seconds / options->windows;
    double seconds, each, end, began, from;
    unsigned times;

    if (run->gemm->run(own, 1, &seconds, err) < 0)
        return -1;
    for (end = gpu_now_s() + options->warmup_s; gpu_now_s() < end && !gpu_stop_asked();)
        if (run->gemm->run(own, (unsigned)fmin(ceil(0.05 / fmax(seconds, 1e-6)), 1e4), &each, err) < 0)
            return -1;
    if (run->gemm->run(own, 2, &each, err) < 0)
        return -1;
    times = (unsigned)fmin(fmax(ceil(2 * window_s / fmax(each, 1e-6)), 1), 1e6);
    began = gpu_now_s();
    for (end = began + options->seconds; (series->count == 0 || gpu_now_s() < end) &&
                                         series->count < GPU_WINDOWS_MOST && !gpu_stop_asked();) {
        const double rate_of_one = operations / 1e12 * injection_speed(probe, gpu);

        from = gpu_now_s();
        if (run->gemm->run(own, times, &seconds, err) < 0)
            return -1;
        if (series->count < WINDOWS_TOLD)
            result->windows[series->count] =
                (struct gemm_window){rate_of_one * times / fmax(seconds, 1e-9),
                                     sensors_over(run->sensors, gpu, from, gpu_now_s())};
        series->values[series->count++] = rate_of_one * times / fmax(seconds, 1e-9);
    }
    result->sensed = sensors_over(run->sensors, gpu, began, gpu_now_s());
    return 0;
}

static int test_gpu(struct gpu_probe *probe, unsigned gpu, void *state, struct error *err)
{
    struct compute_run *run = state;
    struct gemm_result *result = &run->results[gpu];
    struct gpu_series *series = calloc(1, sizeof *series);
    void *own = series != NULL ? run->gemm->open(probe, gpu, run->type, run->size, result->why, err) : NULL;
    int status = 0;

    if (series == NULL)
        status = error_set(err, ERROR_INTERNAL, "no memory");
    else if (own != NULL)
        status = measure(run, probe, gpu, own, series, result, err);
    else if (result->why[0] == '\0')
        status = -1;
    if (own != NULL)
        run->gemm->close(own);
    if (status == 0 && series->count > 0) {
        result->rates = gpu_summarise(series);
        run->measured[gpu]++;
    } else if (result->why[0] == '\0') {
        (void)snprintf(result->why, sizeof result->why, "%.*s", GEMM_WHY_BYTES - 1,
                       status < 0 ? err->text : "it was ended before");
    }
    free(series);
    return status;
}

/* Each window in the order of time: TFLOP/s; and where the driver was asked in it MHz, W, C, why the clock is not higher. */
static void put_windows(struct probe_line *line, const struct gemm_result *result)
{
    char reasons[SENSOR_REASONS_BYTES];

    json_member_array(&line->writer, "series");
    for (unsigned i = 0; i < WINDOWS_TOLD && i < result->rates.windows; i++) {
        const struct gemm_window *window = &result->windows[i];
        char text[32];

        (void)snprintf(text, sizeof text, "%.5g", window->rate);
        json_open_array(&line->writer);
        json_put_number(&line->writer, strtod(text, NULL));
        if (window->sensed.samples > 0) {
            sensors_name_reasons(window->sensed.reasons, reasons);
            json_put_number(&line->writer, floor(window->sensed.clock_mhz));
            json_put_number(&line->writer, floor(window->sensed.power_w));
            json_put_number(&line->writer, window->sensed.temperature_c);
            json_put_string(&line->writer, reasons);
        }
        json_close_array(&line->writer);
    }
    json_close_array(&line->writer);
}

static void put_sensed(struct probe_line *line, const struct gemm_result *result)
{
    char reasons[SENSOR_REASONS_BYTES];

    if (result->sensed.samples == 0)
        return;
    sensors_name_reasons(result->sensed.reasons, reasons);
    line_rate(line, "clock_mhz", result->sensed.clock_mhz);
    line_rate(line, "power_w", result->sensed.power_w);
    line_rate(line, "temperature_c", result->sensed.temperature_c);
    json_member(&line->writer, "reasons", reasons);
    put_windows(line, result);
}

static void put_result(const struct compute_run *run, unsigned gpu)
{
    const struct gemm_result *result = &run->results[gpu];
    struct probe_line line;

    probe_line_begin(&line);
    json_member(&line.writer, "gemm", gemm_names[run->type]);
    probe_line_number(&line, "size", run->size);
    probe_line_number(&line, "gpu", gpu);
    if (result->rates.windows > 0) {
        line_rate(&line, "tflops", result->rates.median);
        line_rate(&line, "p1", result->rates.p1);
        line_rate(&line, "least", result->rates.least);
        line_rate(&line, "best", result->rates.best);
        probe_line_number(&line, "windows", result->rates.windows);
        put_sensed(&line, result);
    }
    line_known(&line, "not_measured", result->why);
    probe_line_end(&line);
}

static int round_of(struct compute_run *run, struct gpu_probe *probe, enum gemm_type type, unsigned size,
                    struct error *err)
{
    int status;

    run->type = type;
    run->size = size;
    memset(run->results, 0, sizeof run->results);
    status = gpu_all(probe, test_gpu, run, err);
    for (unsigned gpu = 0; gpu < probe->device_count; gpu++)
        put_result(run, gpu);
    run->rounds++;
    return status;
}

static void head(const struct gpu_probe *probe, struct probe_line *line)
{
    char library[GPU_NAME_BYTES] = "";
    unsigned types = 0, sizes = 0;

    for (unsigned type = 0; type < GEMM_TYPES; type++)
        types += probe->options.types[type];
    while (size_of(probe, sizes) > 0)
        sizes++;
    probe->backend->gemm->library(library);
    probe_line_number(line, "rows", probe->device_count * types * sizes);
    line_known(line, "library", library);
    json_member(&line->writer, "data", "random");
    probe_line_number(line, "warmup_seconds", probe->options.warmup_s);
    probe_line_number(line, "seconds", probe->options.seconds);
}

static int run_all(struct compute_run *run, struct gpu_probe *probe, struct error *err)
{
    for (unsigned i = 0; size_of(probe, i) > 0; i++)
        for (unsigned type = 0; type < GEMM_TYPES && !gpu_stop_asked(); type++)
            if (probe->options.types[type] &&
                round_of(run, probe, (enum gemm_type)type, size_of(probe, i), err) < 0)
                return -1;
    return 0;
}

static int run_compute(struct gpu_probe *probe)
{
    struct compute_run *run = calloc(1, sizeof *run);
    double began = gpu_now_s();
    struct error err = {0};
    uint64_t rounds;
    int status;

    if (run == NULL)
        return gpu_refuse(probe, GPU_BROKEN, "no memory");
    run->gemm = probe->backend->gemm;
    gpu_output_head(probe);
    run->sensors = sensors_start(probe, (struct sensor_how){.period_ms = 100, .near_ms = 500});
    status = run_all(run, probe, &err);
    gpu_deadline_stop();
    sensors_stop(run->sensors);
    for (unsigned gpu = 0; gpu < probe->device_count; gpu++) {
        struct probe_line line;

        line_begin_gpu(&line, probe, gpu);
        probe_line_number(&line, "measured", run->measured[gpu]);
        probe_line_end(&line);
    }
    rounds = run->rounds;
    free(run);
    return status < 0 ? gpu_refuse(probe, GPU_BROKEN, err.text)
                      : gpu_output_done(false, rounds, gpu_now_s() - began);
}

const struct gpu_test gpu_test_compute = {
    .name = "compute",
    .summary = "Multiplies matrices of random numbers, in each type that the GPU has, for a\n"
               "  while: TFLOP/s after a warm-up.",
    .head = head,
    .run = run_compute,
};

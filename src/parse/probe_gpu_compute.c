/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-gpu compute: how fast each GPU multiplies matrices.
 *
 * facts    gpu_compute.bf16.8192 (gpu0) = measured | not measured: there is no libcublasLt.so
 * metrics  gpu_compute.bf16.8192.random.warm (gpu0): TFLOP/s, the median of its windows, with random numbers and after a
 *          warm-up; gpu_compute.bf16.8192.p1 .least .best   .clock .power .temperature, and the fact .reasons: why the clock
 *          was not higher, where the driver told it
 */
#include "assay/reasons/parse.h"
#include "probe_gpu.h"

static void measure(struct probe_gpu *probe, const struct json *line, const char *name, const char *subject)
{
    static const char *const keys[][2] = {
        {"tflops", "random.warm"}, {"p1", "p1"}, {"least", "least"}, {"best", "best"}};
    struct reading *reading = probe->frame.reading;
    double value;

    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (probe_gpu_number(probe, line, keys[i][0], 1e6, &value))
            reading_measure(reading, arena_printf(reading->arena, "%s.%s", name, keys[i][1]), subject, value,
                            "TFLOP/s");
}

/* What the driver said of the GPU meanwhile, where it did. */
static void measure_state(struct probe_gpu *probe, const struct json *line, const char *name,
                          const char *subject)
{
    static const char *const keys[][3] = {
        {"clock_mhz", "clock", "MHz"}, {"power_w", "power", "W"}, {"temperature_c", "temperature", "C"}};
    struct reading *reading = probe->frame.reading;
    const char *reasons = json_string(line, "reasons", NULL);
    double value;

    if (reasons == NULL)
        return;
    reading_fact(reading, arena_printf(reading->arena, "%s.reasons", name), subject, slice_of(reasons));
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (probe_gpu_number(probe, line, keys[i][0], 1e5, &value))
            reading_measure(reading, arena_printf(reading->arena, "%s.%s", name, keys[i][1]), subject, value,
                            keys[i][2]);
}

static void take_gemm(struct probe_gpu *probe, const struct json *line)
{
    static const char *const types[] = {"bf16", "fp16", "fp8", "tf32", "fp64", "int8", NULL};
    const char *type = probe_gpu_one_of(probe, line, "gemm", types),
               *why = json_string(line, "not_measured", NULL);
    struct arena *arena = probe->frame.reading->arena;
    const char *subject, *name;
    unsigned gpu;
    double size;

    subject = probe_gpu_subject(probe, line, "gpu", &gpu);
    if (subject == NULL || type == NULL || !probe_gpu_count(probe, line, "size", 1e6, &size))
        return;
    probe->rows_seen++;
    name = arena_printf(arena, "gpu_compute.%s.%.0f", type, size);
    reading_fact_said(probe->frame.reading, name, subject,
                      why != NULL ? reason(arena, product_not_measured, why) : REASON(product_measured));
    if (why == NULL) {
        measure(probe, line, name, subject);
        measure_state(probe, line, name, subject);
    }
}

static const struct probe_gpu_kind kinds[] = {{"gemm", take_gemm}, {0}};

const struct probe_gpu_test probe_gpu_compute = {
    .name = "compute", .prefix = "gpu_compute", .announced = "rows", .kinds = kinds};

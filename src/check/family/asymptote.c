/* SPDX-License-Identifier: Apache-2.0 */
#include "asymptote.h"

#include <math.h>
#include <string.h>

#include "ceiling.h"

/* Smaller messages go by other protocols (LL, LL128), with another bandwidth. */
static const double least_bytes = 1024.0 * 1024 * 1024;
/* Two always lie on a line, and would not show that it is none. */
enum { SIZES_LEAST = 3 };

static bool is_ring(const char *collective)
{
    return strcmp(collective, "all_gather") == 0 || strcmp(collective, "reduce_scatter") == 0;
}

bool asymptote_is_measured(const char *collective, const double *sizes, size_t count)
{
    size_t large = 0;

    for (size_t i = 0; i < count; i++)
        large += sizes[i] >= least_bytes;
    return is_ring(collective) && large >= SIZES_LEAST;
}

const char *asymptote_metric(const struct check_context *context, const char *collective)
{
    bool racks = context->platform->nvlink_domain_hosts > 1 && !ceiling_in_domain(context);

    return arena_printf(context->arena, "nccl.%s.asymptotic%s", collective, racks ? ".racks" : "");
}

/* Sums over sizes, each with the weight 1 / time^2. */
struct sums {
    size_t count;
    double weight, size, size_size, time, time_size;
};

/* The time is that of n / (n - 1) of the bytes, so that the slope is 1 / bus bandwidth. */
static void add(struct sums *sums, double size, double busbw)
{
    double time = size / busbw, weight = 1 / (time * time);

    sums->count++;
    sums->weight += weight;
    sums->size += weight * size;
    sums->size_size += weight * size * size;
    sums->time += weight * time;
    sums->time_size += weight * time * size;
}

/* The size of an out-of-place value; 0: it is another one. */
static double size_of(const struct measurement *measurement)
{
    double size = 0;
    bool out = false;

    list_each (field, measurement->at) {
        if (strcmp(field->key, "place") == 0)
            out = strcmp(field->text, "out") == 0;
        else if (strcmp(field->key, "size_bytes") == 0 && !scan_double(slice_of(field->text), &size))
            size = 0;
    }
    return out ? size : 0;
}

/* As many digits as the tool prints. Noise of each time, as a fraction of it, goes into the slope as so many times that
   fraction. */
static void put(const struct check_context *context, const char *collective, const struct sums *sums,
                struct reading *out)
{
    const char *metric = asymptote_metric(context, collective);
    double spread = sums->weight * sums->size_size - sums->size * sums->size;
    double slope = (sums->weight * sums->time_size - sums->size * sums->time) / spread;

    /* Larger messages that take no longer are no ring's. */
    if (!(slope > 0))
        return;
    (void)reading_measure(out, metric, "", round(100 / slope) / 100, "GB/s");
    (void)reading_measure(out, arena_printf(context->arena, "%s.noise", metric), "",
                          round(1000 * sqrt(sums->weight / spread) / slope) / 1000, "");
}

void asymptote_read(const struct check_context *context, const char *collective, struct reading *out)
{
    const char *busbw = arena_printf(context->arena, "nccl.%s.busbw", collective);
    struct sums sums = {0};

    for (size_t i = 0; is_ring(collective) && i < out->measurements.count; i++) {
        const struct measurement *measurement = &out->measurements.items[i];
        double size = strcmp(measurement->metric, busbw) == 0 ? size_of(measurement) : 0;

        if (size >= least_bytes && measurement->value > 0)
            add(&sums, size, measurement->value);
    }
    if (sums.count >= SIZES_LEAST)
        put(context, collective, &sums, out);
}

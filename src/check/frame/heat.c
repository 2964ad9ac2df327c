/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How near GPUs came under load to where they slow down, by their own word, so that it is judged on every part, whether a
 * platform declares a figure or not.
 *
 * Newer parts tell a margin, nvidia-smi's T.Limit: 0 where the software slows them down, and the hardware at what they
 * call the slowdown's T.Limit, -2 on H100 (docs.nvidia.com/nvsentinel/runbooks/gpu-thermal-margin; 0 where they do not say).
 * Older ones tell the temperature.
 *
 * fact     window.temperature.slowdown, gpuN = not reached | 90 C reached, slowdown at 89 C |
 *              T.Limit of -4 C reached, slowdown at -2 C | not told
 *          None of a sampler that was gone before the test had ended, unless it has seen enough.
 * metric   window.temperature.to_slowdown C, gpuN: what was left
 */
#include <math.h>
#include <string.h>

#include "assay/reasons/check.h"

#include "heat.h"
#include "samples.h"

static double of_gpu(const struct reading *out, const char *metric, const char *gpu)
{
    const struct measurement *found = reading_get(out, metric, gpu);

    return found != NULL ? found->value : NAN;
}

static const char *degrees(const struct reading *out, double value)
{
    return arena_printf(out->arena, "%.0f", value);
}

/* What it came to, and where it slows down, in its own terms: a margin does not tell at which temperature that is. */
static const struct reason *say_reached(const struct reading *out, double reached, double at, bool is_margin)
{
    const char *one = degrees(out, reached), *other = degrees(out, at);

    return is_margin ? reason(out->arena, reached_slowdown_margin, one, other)
                     : reason(out->arena, reached_slowdown, one, other);
}

/* most: its highest temperature. */
static void tell_gpu(struct reading *out, const char *gpu, double most, bool to_the_end)
{
    double margin = of_gpu(out, "window.temperature.margin", gpu);
    double at = of_gpu(out, "window.temperature.slows_at", gpu);
    bool is_margin = !isnan(margin);
    double left;

    if (is_margin) {
        at = of_gpu(out, "window.temperature.slows_at_margin", gpu);
        at = isnan(at) ? 0 : at;
    }
    /* None slows down at 0 C: a driver that says so does not tell. */
    left = is_margin ? margin - at : at > 0 ? at - most : NAN;
    if (!isnan(left))
        reading_measure(out, "window.temperature.to_slowdown", gpu, left, "C");
    if (left <= 0)
        reading_fact_said(out, HEAT_SLOWDOWN, gpu,
                          say_reached(out, is_margin ? margin : most, at, is_margin));
    else if (to_the_end)
        reading_fact(out, HEAT_SLOWDOWN, gpu, slice_of(isnan(left) ? HEAT_NOT_TOLD : HEAT_NOT_REACHED));
}

void read_heat(struct reading *out)
{
    size_t count = out->measurements.count;

    for (size_t i = 0; i < count; i++) {
        const struct measurement found = out->measurements.items[i];

        if (strcmp(found.metric, "window.temperature.max") == 0)
            tell_gpu(out, found.subject, found.value,
                     reading_get_fact(out, SAMPLES_WATCHED, found.subject) != NULL);
    }
}

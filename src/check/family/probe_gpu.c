/* SPDX-License-Identifier: Apache-2.0 */
#include "probe_gpu.h"

#include <math.h>
#include <string.h>

#include "rules.h"

void probe_gpu_command(const struct check_context *context, struct text *out, const char *test)
{
    command_tool(context, out, "assay-probe-gpu");
    text_printf(out, " %s --backend %s", test, check_text(context, "backend"));
    command_probe_deadline(out);
}

double probe_gpu_seconds(const struct check_context *context, const char *argument)
{
    return ceil(check_number(context, argument) / context->timescale);
}

void probe_gpu_slots(const struct check_context *context, struct slot_list *slots)
{
    slot_add(context, slots, "probe.backend", "", NULL, DUTY_GATE, rules_new(context, PROBE_GPU_ON_CUDA));
}

int probe_gpu_valid(const struct check_context *context, struct error *err)
{
    const char *backend = check_text(context, "backend");

    if (strcmp(backend, "cuda") != 0 && strcmp(backend, "host") != 0)
        return json_error(err, json_get(context->step->arguments, "backend"),
                          "backend: '%s'; expected cuda or host", backend);
    return 0;
}

int probe_gpu_steps_valid(const struct check_context *context, struct error *err)
{
    enum { STEPS_LEAST = 4, STEPS_MOST = 2000 };
    const double steps = check_number(context, "steps");

    if (steps < STEPS_LEAST || steps > STEPS_MOST)
        return json_error(err, json_get(context->step->arguments, "steps"),
                          "steps: %.0f; expected %d to %d, of which three are a warm-up", steps, STEPS_LEAST,
                          STEPS_MOST);
    return probe_gpu_valid(context, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Settings that every later test stands on: a GPU in another mode would be slow, or fail, for no fault of its
 * own. */
#include <math.h>
#include <string.h>

#include "smi.h"

static const struct part_row parts[] = {{"nvidia-smi", "nvidia-smi", command_nvidia_smi_query, NULL}, {0}};

/* fact = yes when both numbers are there and equal, no when they differ; no fact when one is missing. */
static void compare(struct reading *out, const char *subject, const char *fact, const char *current,
                    const char *standard)
{
    const struct measurement *is = reading_get(out, current, subject),
                             *should = reading_get(out, standard, subject);

    if (is != NULL && should != NULL)
        reading_fact(out, fact, subject, slice_of(fabs(is->value - should->value) < 0.5 ? "yes" : "no"));
}

static void read_clocks(struct reading *out, const char *gpu)
{
    static const char application[] = "gpu.clock.graphics.application";

    /* Newer drivers have no application clocks: where the other clocks were told, there is nothing to be
     * locked. */
    if (reading_get(out, application, gpu) == NULL && reading_get(out, "gpu.clock.graphics.max", gpu) != NULL)
        reading_fact(out, "gpu.clocks_unlocked", gpu, slice_of("N/A"));
    else
        compare(out, gpu, "gpu.clocks_unlocked", application, "gpu.clock.graphics.application_default");
}

static void read_settings(const struct check_context *context, const struct attempt *attempt,
                          struct reading *out)
{
    read_parts(context, attempt, out);
    smi_leave_to_owner(context, out);
    for (unsigned i = 0; i < context->platform->gpu_count; i++) {
        const char *gpu = arena_printf(context->arena, "gpu%u", i);

        compare(out, gpu, "gpu.power_limit_is_default", "gpu.power_limit", "gpu.power_limit_default");
        read_clocks(out, gpu);
    }
}

#define WORD(metric_, rule_, text_)                                                                 \
    (const struct limit[])                                                                          \
    {                                                                                               \
        {.metric = metric_, .rule = rule_, .text = text_, .source = "assay", .status = LIMIT_TOOL}, \
        {                                                                                           \
            0                                                                                       \
        }                                                                                           \
    }

/* Another one's process on a GPU leaves every number undecided; it is no fault of the host. */
static const struct limit idle_rules[] = {{.metric = "gpu.compute_processes",
                                           .rule = RULE_CEILING,
                                           .value = 0,
                                           .unit = "",
                                           .source = "assay",
                                           .status = LIMIT_TOOL,
                                           .inconclusive = true},
                                          {0}};

static const struct item items[] = {
    {"gpu.persistence", PER_GPU, NULL, DUTY_GATE, WORD("gpu.persistence", RULE_EQUAL, "Enabled")},
    {"gpu.mig", PER_GPU, NULL, DUTY_GATE, WORD("gpu.mig", RULE_ONE_OF, "Disabled|N/A")},
    {"ecc.mode", PER_GPU, NULL, DUTY_GATE, WORD("ecc.mode", RULE_EQUAL, "Enabled")},
    {"gpu.power_limit_is_default", PER_GPU, NULL, DUTY_GATE,
     WORD("gpu.power_limit_is_default", RULE_EQUAL, "yes")},
    {"gpu.clocks_unlocked", PER_GPU, NULL, DUTY_GATE, WORD("gpu.clocks_unlocked", RULE_ONE_OF, "yes|N/A")},
    {"gpu.compute_processes", PER_GPU, NULL, DUTY_GATE, idle_rules},
    {"gpu.power_limit", PER_GPU, NULL, DUTY_RECORD, NULL},
    {0},
};

static const struct remedy remedies[] = {
    {"gpu.persistence", "as root: nvidia-smi -pm 1 (and enable nvidia-persistenced, so that it stays)"},
    {"gpu.mig", "as root: nvidia-smi -mig 0, then reset the GPUs or reboot"},
    {"ecc.mode", "as root: nvidia-smi -e 1, then reboot"},
    {"gpu.power_limit_is_default",
     "as root: nvidia-smi -pl with the default limit that `nvidia-smi -q -d POWER` shows"},
    {"gpu.clocks_unlocked", "as root: nvidia-smi -rac and nvidia-smi -rgc"},
    {"gpu.compute_processes", "somebody else's process runs on the GPU: have it ended, then test again"},
    {0},
};

const struct check check_gpu_settings = {
    .name = "gpu-settings",
    .title = "GPU settings",
    .summary = "persistence on, MIG off, ECC on, power and clocks at their defaults, GPUs idle",
    .on = ON_GPUS,
    .concerns = OF_GPU,
    .scopes = SCOPE_HOST,
    .passive = true,
    .parts = parts,
    .items = items,
    .remedies = remedies,
    .expected_s = 5,
    .read = read_settings,
};

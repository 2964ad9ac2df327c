/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Burn-in. gpu_burn exits 0 with faulty GPUs and calls a GPU OK that did no work, so its exit status decides
 * nothing: each GPU needs its own verdict, no errors at any time, and work done. The sampler beside it shows
 * what the load does to clocks and temperature.
 */
#include "rules.h"

static const struct argument arguments[] = {
    {"seconds", ARGUMENT_COUNT, "1800", "how long to burn; 30 minutes or more for a delivery"},
    {"flags", ARGUMENT_TEXT, "", "further flags of gpu_burn: \"-tc\" uses tensor cores, \"-d\" doubles"},
    {0},
};

static void command(const struct check_context *context, struct text *out)
{
    command_gpu_burn(context, out, check_text(context, "flags"));
}

static const struct part_row parts[] = {
    {"main", "gpu-burn", command, NULL},
    {0},
};

static const struct item items[] = {
    {"gpu_burn.verdict", PER_GPU, NULL, DUTY_GATE, LIMITS RULES_EQUAL("gpu_burn.verdict", "ok", "assay")},
    {"gpu_burn.errors", PER_GPU, NULL, DUTY_GATE, LIMITS RULES_MOST("gpu_burn.errors", 0, "assay")},
    {"gpu_burn.temperature", PER_GPU, NULL, DUTY_RECORD, NULL},
    {"gpu_burn.gflops", PER_GPU, NULL, DUTY_RECORD, NULL},
    {"window.throttle.hw_slowdown", PER_GPU, NULL, DUTY_GATE,
     LIMITS RULES_EQUAL("window.throttle.hw_slowdown", "Not Active", "assay")},
    {"window.throttle.hw_thermal_slowdown", PER_GPU, NULL, DUTY_GATE,
     LIMITS RULES_EQUAL("window.throttle.hw_thermal_slowdown", "Not Active", "assay")},
    {"window.throttle.sw_thermal_slowdown", PER_GPU, NULL, DUTY_GATE,
     LIMITS RULES_EQUAL("window.throttle.sw_thermal_slowdown", "Not Active", "assay")},
    {"window.power.max", PER_GPU, NULL, DUTY_RECORD, NULL},
    {"window.temperature.max", PER_GPU, NULL, DUTY_RECORD, NULL},
    {"window.clock.min", PER_GPU, NULL, DUTY_RECORD, NULL},
    {0},
};

static const struct remedy remedies[] = {
    {"gpu_burn.*", "run gpu_burn again on that GPU alone (-i N); look for Xid lines in dmesg; if it stays, "
                   "have the GPU replaced"},
    {"window.throttle.*",
     "check fans, air flow or coolant and the heat sink's seat of that GPU; then burn again"},
    {"sound", "see the evidence of this attempt; look for Xid lines in dmesg"},
    {0},
};

static unsigned expected_s(const struct check_context *context)
{
    return (unsigned)check_number(context, "seconds") + 30; /* start-up and the final comparison */
}

const struct check check_gpu_burn = {
    .name = "gpu-burn",
    .title = "GPU burn-in",
    .summary = "gpu_burn on all GPUs: no errors, work done by each, no thermal slowdown, no Xid",
    .on = ON_GPUS,
    .concerns = OF_GPU,
    .scopes = SCOPE_HOST,
    .as_root = true,
    .exclusive = EXCLUSIVE_HOST,
    .window = true,
    .arguments = arguments,
    .parts = parts,
    .items = items,
    .remedies = remedies,
    .expected = expected_s,
    .read = read_parts,
};

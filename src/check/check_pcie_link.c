/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PCIe link of each GPU while it works: at rest a link trains down to save power, so that what it can do
 * shows under a load only. gpu_burn is that load; whether it burns well is another check's matter. Of a GPU
 * that did not work while it was looked at, nothing is known.
 */
#include <string.h>

#include "smi.h"

static const struct argument arguments[] = {
    {"seconds", ARGUMENT_COUNT, "30", "how long the GPUs are kept busy; the links are read half-way"},
    {0},
};

/* gpu_burn looks for compare.ptx in its working folder: without one from the suite it runs where it lies. */
static void command_load(const struct check_context *context, struct text *out)
{
    const struct suite_tool *tool = suite_tool(context->arena, context->suite, "gpu_burn");

    if (tool->folder == NULL) {
        text_put(out, "p=$(command -v ");
        text_shell_quote(out, tool->path);
        text_put(out, ") || exit 127; cd \"$(dirname \"$(readlink -f \"$p\")\")\" && ");
    }
    command_tool(context, out, "gpu_burn");
    text_printf(out, " %.0f", check_number(context, "seconds"));
}

/* Until every GPU works, or ten seconds more: gpu_burn takes its time to start. */
static void command_sample(const struct check_context *context, struct text *out)
{
    text_put(out, "i=0; while [ $i -lt 50 ] && ");
    command_tool(context, out, "nvidia-smi");
    text_put(out, " --query-gpu=utilization.gpu --format=csv,noheader,nounits | grep -qx 0; do sleep 0.2; "
                  "i=$((i + 1)); done; ");
    command_nvidia_smi_query(context, out);
}

static double half_way(const struct check_context *context)
{
    return check_number(context, "seconds") / context->timescale / 2;
}

static const struct part_row parts[] = {
    {"load", NULL, command_load, NULL},
    {"under-load", "nvidia-smi", command_sample, half_way},
    {0},
};

static const struct measurement *find(const struct reading *reading, const char *metric, const char *subject)
{
    for (size_t i = 0; i < reading->measurements.count; i++)
        if (strcmp(reading->measurements.items[i].metric, metric) == 0 &&
            strcmp(reading->measurements.items[i].subject, subject) == 0)
            return &reading->measurements.items[i];
    return NULL;
}

/* What an idle link shows is no value of the link. */
static void drop_idle(struct reading *out, const char *gpu)
{
    size_t kept = 0;

    for (size_t i = 0; i < out->measurements.count; i++) {
        const struct measurement *measurement = &out->measurements.items[i];

        if (strcmp(measurement->subject, gpu) != 0 || (strcmp(measurement->metric, "pcie.generation") != 0 &&
                                                       strcmp(measurement->metric, "pcie.width") != 0))
            out->measurements.items[kept++] = *measurement;
    }
    out->measurements.count = kept;
}

/* Against what the GPU and the slot can do together, which nvidia-smi calls the maximum. */
static void compare(struct reading *out, const char *gpu)
{
    const struct measurement *generation = find(out, "pcie.generation", gpu),
                             *generation_max = find(out, "pcie.generation.max", gpu),
                             *width = find(out, "pcie.width", gpu),
                             *width_max = find(out, "pcie.width.max", gpu);

    if (generation == NULL || generation_max == NULL || width == NULL || width_max == NULL)
        return;
    if (generation->value >= generation_max->value && width->value >= width_max->value)
        reading_fact(out, "pcie.at_maximum", gpu, slice_of("yes"));
    else
        reading_fact(
            out, "pcie.at_maximum", gpu,
            slice_of(arena_printf(out->arena, "no (generation %.0f of %.0f, width %.0f of %.0f)",
                                  generation->value, generation_max->value, width->value, width_max->value)));
}

static void read_links(const struct check_context *context, const struct attempt *attempt,
                       struct reading *out)
{
    read_parts(context, attempt, out);
    smi_leave_to_owner(context, out);
    for (unsigned i = 0; i < context->platform->gpu_count; i++) {
        const char *gpu = arena_printf(out->arena, "gpu%u", i);
        const struct measurement *utilization = find(out, "gpu.utilization", gpu);
        bool busy = utilization != NULL && utilization->value > 0;

        if (utilization != NULL)
            reading_fact(out, "pcie.under_load", gpu, slice_of(busy ? "yes" : "no"));
        if (busy)
            compare(out, gpu);
        else
            drop_idle(out, gpu);
    }
}

static const struct limit load_rules[] = {{.metric = "pcie.under_load",
                                           .rule = RULE_EQUAL,
                                           .text = "yes",
                                           .source = "assay: an idle link trains down",
                                           .status = LIMIT_TOOL,
                                           .inconclusive = true},
                                          {0}};
static const struct limit maximum_rules[] = {{.metric = "pcie.at_maximum",
                                              .rule = RULE_EQUAL,
                                              .text = "yes",
                                              .source = "nvidia-smi",
                                              .status = LIMIT_TOOL},
                                             {0}};

static const struct item items[] = {
    {"pcie.under_load", PER_GPU, NULL, DUTY_GATE, load_rules},
    {"pcie.at_maximum", PER_GPU, NULL, DUTY_GATE, maximum_rules},
    {"pcie.generation", PER_GPU, NULL, DUTY_GATE, NULL},
    {"pcie.width", PER_GPU, NULL, DUTY_GATE, NULL},
    {"pcie.replays", PER_GPU, NULL, DUTY_RECORD, NULL},
    {0},
};

static const struct remedy remedies[] = {
    {"pcie.under_load",
     "the GPU did not work while its link was read: see the evidence of gpu_burn, and raise "
     "\"seconds\" where it takes long to start"},
    {"pcie.*",
     "see `lspci -vvv` of the GPU and of the switch above it (LnkSta); check the BIOS settings of the "
     "slot; reseat the baseboard or its cables, then have it replaced"},
    {"sound", "see both streams in the evidence; does a CUDA program start on the host at all?"},
    {0},
};

static unsigned expected_s(const struct check_context *context)
{
    return (unsigned)check_number(context, "seconds") + 30;
}

const struct check check_pcie_link = {
    .name = "pcie-link",
    .title = "PCIe links of GPUs",
    .summary = "generation and width of each GPU's PCIe link while gpu_burn keeps it busy",
    .scopes = SCOPE_HOST,
    .window = true,
    .as_root = true,
    .exclusive = EXCLUSIVE_HOST,
    .arguments = arguments,
    .parts = parts,
    .items = items,
    .remedies = remedies,
    .expected_s = expected_s,
    .read = read_links,
};

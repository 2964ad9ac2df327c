/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PCIe link of each GPU while it works: at rest a link trains down to save power, so that what it can do
 * shows under a load only. gpu_burn is that load; whether it burns well is another check's matter. Of a GPU
 * that did not work while it was looked at, nothing is known. The links of the compute HCAs, which do not train
 * down, are read from the kernel's own files, which need neither a tool nor a right.
 */
#include <string.h>

#include "assay/check/loads.h"
#include "assay/reasons/check.h"

#include "rules.h"
#include "script.h"
#include "smi.h"

static void command_load(const struct check_context *context, struct text *out)
{
    command_gpu_burn(context, out, "");
}

static void command_sample(const struct check_context *context, struct text *out)
{
    script_begin(out, "nvidia-smi -q -x, when every GPU works");
    script_tool(context, out, "nvidia_smi", "nvidia-smi");
    text_put(out, script_pcie_under_load);
}

static double half_way(const struct check_context *context)
{
    return check_number(context, "seconds") / context->timescale / 2;
}

static void command_hcas(const struct check_context *context, struct text *out)
{
    script_begin(out, "cat of current_link_speed and current_link_width of each HCA");
    script_set_hcas(context, out);
    text_put(out, script_pcie_hcas);
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

/* Against what device and slot can do together, which nvidia-smi calls the maximum. */
static void compare(struct reading *out, const char *device)
{
    const struct measurement *generation = reading_get(out, "pcie.generation", device),
                             *generation_max = reading_get(out, "pcie.generation.max", device),
                             *width = reading_get(out, "pcie.width", device),
                             *width_max = reading_get(out, "pcie.width.max", device);

    if (generation == NULL || generation_max == NULL || width == NULL || width_max == NULL)
        return;
    if (generation->value >= generation_max->value && width->value >= width_max->value)
        reading_fact(out, "pcie.at_maximum", device, slice_of("yes"));
    else
        reading_fact_said(out, "pcie.at_maximum", device,
                          reason(out->arena, pcie_below_maximum, generation->value, generation_max->value,
                                 width->value, width_max->value));
}

/* "32.0 GT/s PCIe" is generation 5; 0 of what is no speed ("Unknown"). */
static double generation_of(struct slice speed)
{
    static const char *const speeds[] = {"2.5", "5", "8", "16", "32", "64"};
    struct slice word, number = {"", 0};
    double given, known;

    if (!scan_word(&speed, &number) || !scan_word(&speed, &word) || !slice_equal(word, "GT/s") ||
        !scan_double(number, &given))
        return 0;
    for (size_t i = 0; i < ARRAY_SIZE(speeds); i++)
        if (scan_double(slice_of(speeds[i]), &known) && known == given)
            return (double)(i + 1);
    return 0;
}

/* "16"; 0 and 255 are the kernel's words for a width that it does not know. */
static double lanes_of(struct slice width)
{
    uint64_t lanes;

    return scan_u64(slice_trim(width), &lanes) && lanes <= 32 ? (double)lanes : 0;
}

/* A number of the HCA; 0 where it is not known. */
static double number_of(const struct reading *out, const char *what, const char *when, const char *hca)
{
    const char *text = reading_get_fact(out, arena_printf(out->arena, "pcie.%s_%s", when, what), hca);

    if (text == NULL)
        return 0;
    return strncmp(what, "speed", 5) == 0 ? generation_of(slice_of(text)) : lanes_of(slice_of(text));
}

static const struct reason *why_unread(const struct reading *out, const char *hca)
{
    for (size_t i = 0; i < out->findings.count; i++)
        if (strcmp(out->findings.items[i].subject, hca) == 0 &&
            strncmp(out->findings.items[i].code, "pcie.link_", strlen("pcie.link_")) == 0)
            return out->findings.items[i].what;
    return REASON(pcie_link_not_told);
}

/* One of both numbers of the link, and its maximum. Above an adapter of a virtual machine there may be nothing. */
static bool measure_link(struct reading *out, const char *what, const char *metric, const char *hca)
{
    double now = number_of(out, what, "link", hca);
    double most = number_of(out, arena_printf(out->arena, "%s_max", what), "link", hca);
    double slot = number_of(out, arena_printf(out->arena, "%s_max", what), "slot", hca);

    if (now > 0)
        reading_measure(out, metric, hca, now, "");
    if (most > 0)
        reading_measure(out, arena_printf(out->arena, "%s.max", metric), hca,
                        slot > 0 && slot < most ? slot : most, "");
    return now > 0 && most > 0;
}

static void read_hca(struct reading *out, const char *hca)
{
    bool generation = measure_link(out, "speed", "pcie.generation", hca);
    bool width = measure_link(out, "width", "pcie.width", hca);

    if (generation && width)
        compare(out, hca);
    else
        reading_unread(out, "pcie.at_maximum", hca, why_unread(out, hca));
    if (!width)
        reading_unread(out, "pcie.width", hca, why_unread(out, hca));
}

static void read_links(const struct check_context *context, const struct attempt *attempt,
                       struct reading *out)
{
    const char *hca;

    read_parts(context, attempt, out);
    for (size_t i = 0; (hca = check_hca(context, i)) != NULL; i++)
        read_hca(out, hca);
    smi_leave_to_owner(context, out);
    for (unsigned i = 0; i < context->platform->gpu_count; i++) {
        const char *gpu = arena_printf(out->arena, "gpu%u", i);
        const struct measurement *utilization = reading_get(out, "gpu.utilization", gpu);
        bool busy = utilization != NULL && utilization->value > 0;

        if (utilization != NULL)
            reading_fact(out, "pcie.under_load", gpu, slice_of(busy ? "yes" : "no"));
        if (busy)
            compare(out, gpu);
        else
            drop_idle(out, gpu);
    }
}

static const struct limit load_rules[] =
    RULES_EQUAL("pcie.under_load", "yes", "assay: an idle link trains down", .inconclusive = true);
static const struct limit maximum_rules[] = RULES_EQUAL("pcie.at_maximum", "yes", "nvidia-smi");
static const struct limit hca_rules[] = RULES_EQUAL(
    "pcie.at_maximum", "yes", "kernel: max_link_speed and max_link_width of the HCA and its slot");

static unsigned expected_s(const struct check_context *context)
{
    return (unsigned)check_number(context, "seconds") + 30;
}

const struct check check_pcie_link = {
    .name = "pcie-link",
    .title = "PCIe links",
    .summary =
        "generation and width of the PCIe links of each GPU, kept busy by gpu_burn, and of each compute HCA",
    .on = ON_GPUS,
    .window = true,
    .loads = LOAD_GPUS,
    .slight = loads_slightly,
    .as_root = true,
    .exclusive = EXCLUSIVE_HOST,
    .arguments = ARGUMENTS({"seconds", ARGUMENT_COUNT, "30",
                            "how long the GPUs are kept busy; the links are read half-way", MORE_IS_MORE},
                           HCAS_ARGUMENT_ROW),
    .arguments_fault = check_hcas_fault,
    .parts = PARTS({"load", NULL, command_load, NULL}, {"under-load", "nvidia-smi", command_sample, half_way},
                   {.name = "hcas", .parser = "key-value", .command = command_hcas, .aside = true}),
    .items = ITEMS({"pcie.under_load", PER_GPU, NULL, DUTY_GATE, load_rules},
                   {"pcie.at_maximum", PER_GPU, NULL, DUTY_GATE, maximum_rules},
                   {"pcie.generation", PER_GPU, NULL, DUTY_GATE, NULL},
                   {"pcie.width", PER_GPU, NULL, DUTY_GATE, NULL},
                   {"pcie.replays", PER_GPU, NULL, DUTY_RECORD, NULL},
                   {"pcie.at_maximum", PER_HCA, NULL, DUTY_GATE, hca_rules},
                   {"pcie.width", PER_HCA, NULL, DUTY_GATE, NULL},
                   {"pcie.generation", PER_HCA, NULL, DUTY_RECORD, NULL}),
    .remedies = REMEDIES({"pcie.under_load", REASON(gpu_idle_while_read)},
                         {"pcie.*", REASON(see_link_status_and_reseat)}, {"sound", REASON(does_cuda_start)}),
    .plain = PLAIN_WORDS(
        {"pcie.width*", PLAIN(pcie_has_fewer_lanes, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)},
        {"pcie.generation*", PLAIN(pcie_is_of_older_generation, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)}),
    .expected = expected_s,
    .read = read_links,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each NVLink of each GPU: up, and at the speed that the platform has. One link that is down costs a pair a
 * little and NCCL almost nothing, so that no bandwidth test need show it.
 */
#include <string.h>

#include "assay/reasons/check.h"

#include "rules.h"

static void command_nvlink(const struct check_context *context, struct text *out, const char *option)
{
    command_tool(context, out, "nvidia-smi");
    text_printf(out, " nvlink %s", option);
}

static void command_status(const struct check_context *context, struct text *out)
{
    command_nvlink(context, out, "-s");
}

static void command_errors(const struct check_context *context, struct text *out)
{
    command_nvlink(context, out, "-e");
}

static const struct part_row parts[] = {{"status", "nvidia-smi-nvlink", command_status, NULL},
                                        {"errors", "nvidia-smi-nvlink", command_errors, NULL},
                                        {0}};

/* A link that the tool calls inactive carries nothing; of one that it does not list nothing is known. */
static void add_inactive(struct reading *out, const char *gpu, unsigned link)
{
    const char *subject = arena_printf(out->arena, "%s.link%u", gpu, link);
    const char *state = reading_get_fact(out, "nvlink.link.state", subject);
    const struct measurement *active = reading_get(out, "nvlink.link.active", gpu);
    bool none = state == NULL && active != NULL && active->value == 0;

    if (reading_get(out, "nvlink.link.speed", subject) == NULL &&
        (none || (state != NULL && strcmp(state, "inactive") == 0)))
        reading_measure(out, "nvlink.link.speed", subject, 0, "GB/s");
}

/* Over all links of the GPU: four counters a link would drown the report. */
static void add_errors(struct reading *out, const struct reading *errors, const char *gpu, const char *name)
{
    const char *metric = arena_printf(out->arena, "nvlink.link.errors.%s", name);
    const char *links = arena_printf(out->arena, "%s.", gpu);
    double sum = 0;
    bool found = false;

    for (size_t i = 0; i < errors->measurements.count; i++) {
        const struct measurement *counter = &errors->measurements.items[i];

        if (strcmp(counter->metric, metric) != 0 || !slice_starts(slice_of(counter->subject), links))
            continue;
        sum += counter->value;
        found = true;
    }
    if (found)
        reading_measure(out, arena_printf(out->arena, "nvlink.errors.%s", name), gpu, sum, "");
}

static void read_links(const struct check_context *context, const struct attempt *attempt,
                       struct reading *out)
{
    static const char *const counters[] = {"replay", "recovery", "crc"};
    const struct part *errors = attempt_part(attempt, "errors");
    const struct platform *platform = context->platform;

    read_parts(context, attempt, out);
    for (unsigned i = 0; i < platform->gpu_count; i++) {
        const char *gpu = arena_printf(out->arena, "gpu%u", i);

        for (unsigned link = 0; link < platform->nvlink_links; link++)
            add_inactive(out, gpu, link);
        for (size_t k = 0; errors != NULL && k < ARRAY_SIZE(counters); k++)
            add_errors(out, &errors->reading, gpu, counters[k]);
    }
}

static const struct item items[] = {
    {"nvlink.errors.replay", PER_GPU, NULL, DUTY_RECORD, NULL},
    {"nvlink.errors.recovery", PER_GPU, NULL, DUTY_RECORD,
     LIMITS RULES(RULE_NOT_GROWN("nvlink.errors.recovery"))},
    {"nvlink.errors.crc", PER_GPU, NULL, DUTY_RECORD, NULL},
    {0},
};

static void slots_of_platform(const struct check_context *context, struct slot_list *slots)
{
    const struct platform *platform = context->platform;
    const struct limit *speed =
        rules_new(context, LIMITS RULES(.metric = "nvlink.link.speed", .rule = RULE_FLOOR,
                                        .value = platform->nvlink_gbs, .unit = "GB/s",
                                        .source = RULES_OF_PLATFORM(context), .status = LIMIT_TOOL,
                                        .note = REASON(zero_is_link_down)));

    for (unsigned i = 0; i < platform->gpu_count; i++)
        for (unsigned link = 0; link < platform->nvlink_links; link++)
            slot_add(context, slots, "nvlink.link.speed",
                     arena_printf(context->arena, "gpu%u.link%u", i, link), NULL, DUTY_GATE, speed);
}

static const struct remedy remedies[] = {
    {"nvlink.link.speed", REASON(look_for_nvlink_xids)},
    {"sound", REASON(does_nvidia_smi_answer)},
    {0},
};

static bool applies(const struct platform *platform)
{
    return platform->nvlink_links > 0 && platform->nvlink_gbs > 0;
}

const struct check check_nvlink = {
    .name = "nvlink",
    .title = "NVLinks",
    .summary = "nvidia-smi nvlink: every link of every GPU is up at full speed; error counters",
    .on = ON_GPUS,
    .concerns = OF_GPU,
    .scopes = SCOPE_HOST,
    .passive = true,
    .loads = LOAD_NVLINKS,
    .applies = applies,
    .parts = parts,
    .items = items,
    .remedies = remedies,
    .more_slots = slots_of_platform,
    .expected_s = 10,
    .read = read_links,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each NVLink of each GPU: up, and at the speed that the platform has. One link that is down costs a pair a
 * little and NCCL almost nothing, so that no bandwidth test need show it.
 */
#include <math.h>
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

/* Over all links of the GPU: four counters a link would drown the report. NAN: it is not told. */
static double sum_of(const struct reading *errors, const char *links, const char *metric)
{
    double sum = NAN;

    for (size_t i = 0; i < errors->measurements.count; i++) {
        const struct measurement *counter = &errors->measurements.items[i];

        if (strcmp(counter->metric, metric) == 0 && slice_starts(slice_of(counter->subject), links))
            sum = (isnan(sum) ? 0 : sum) + counter->value;
    }
    return sum;
}

/* From NVLink 5 on recoveries that succeeded and that failed are told apart. */
static const struct {
    const char *name, *counter;
} counters[] = {
    {"replay", "replay"},
    {"recovery", "recovery"},
    {"recovery", "link_recovery_successful_events"},
    {"recovery", "link_recovery_failed_events"},
    {"crc", "crc"},
};

static void add_errors(struct reading *out, const struct reading *errors, const char *gpu)
{
    const char *links = arena_printf(out->arena, "%s.", gpu);

    for (size_t i = 0; i < ARRAY_SIZE(counters);) {
        const char *name = counters[i].name;
        double sum = NAN;

        for (; i < ARRAY_SIZE(counters) && strcmp(counters[i].name, name) == 0; i++) {
            double more =
                sum_of(errors, links, arena_printf(out->arena, "nvlink.link.errors.%s", counters[i].counter));

            if (!isnan(more))
                sum = (isnan(sum) ? 0 : sum) + more;
        }
        if (!isnan(sum))
            reading_measure(out, arena_printf(out->arena, "nvlink.errors.%s", name), gpu, sum, "");
    }
}

static void read_links(const struct check_context *context, const struct attempt *attempt,
                       struct reading *out)
{
    const struct part *errors = attempt_part(attempt, "errors");
    const struct platform *platform = context->platform;

    read_parts(context, attempt, out);
    for (unsigned i = 0; i < platform->gpu_count; i++) {
        const char *gpu = arena_printf(out->arena, "gpu%u", i);

        for (unsigned link = 0; link < platform->nvlink_links; link++)
            add_inactive(out, gpu, link);
        if (errors != NULL)
            add_errors(out, &errors->reading, gpu);
    }
}

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

/* One more since the run's first look is one too many: its health watch fails a GPU by the first. */
static void slots_of_recoveries(const struct check_context *context, struct slot_list *slots)
{
    static const struct limit none_more[] =
        RULES(.metric = "nvlink.errors.recovery", .rule = RULE_GROWN, .unit = "", .status = LIMIT_TOOL,
              .source = "NVIDIA/DCGM health watch, DCGM_FR_NVLINK_ERROR_CRITICAL: should always be 0");
    bool again = rules_look_again(context);

    for (unsigned i = 0; i < context->platform->gpu_count; i++)
        slot_add(context, slots, "nvlink.errors.recovery", arena_printf(context->arena, "gpu%u", i), NULL,
                 again ? DUTY_GATE : DUTY_RECORD, again ? none_more : NULL);
}

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    slots_of_platform(context, slots);
    slots_of_recoveries(context, slots);
}

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
    .passive = true,
    .loads = LOAD_NVLINKS,
    .applies = applies,
    .parts = PARTS({"status", "nvidia-smi-nvlink", command_status, NULL},
                   {"errors", "nvidia-smi-nvlink", command_errors, NULL}),
    .items = ITEMS({"nvlink.errors.replay", PER_GPU, NULL, DUTY_RECORD, NULL},
                   {"nvlink.errors.crc", PER_GPU, NULL, DUTY_RECORD, NULL}),
    .remedies = REMEDIES({"nvlink.errors.recovery", REASON(look_for_nvlink_xids)},
                         {"nvlink.link.speed", REASON(look_for_nvlink_xids)},
                         {"sound", REASON(does_nvidia_smi_answer)}),
    .more_slots = more_slots,
    .expected_s = 10,
    .read = read_links,
};

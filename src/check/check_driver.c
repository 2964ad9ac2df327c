/* SPDX-License-Identifier: Apache-2.0 */
/* The driver: new enough for the platform, and the same on all hosts. */
#include "assay/reasons/check.h"

#include "rules.h"
#include "smi.h"

static void read_driver(const struct check_context *context, const struct attempt *attempt,
                        struct reading *out)
{
    read_parts(context, attempt, out);
    smi_leave_to_owner(context, out);
}

static void slots_of_platform(const struct check_context *context, struct slot_list *slots)
{
    struct limit *rules = arena_array(context->arena, struct limit, 3);
    size_t count = 0;

    if (context->platform->driver_minimum != NULL)
        rules[count++] = (struct limit){.metric = "driver.version",
                                        .rule = RULE_MIN_VERSION,
                                        .text = context->platform->driver_minimum,
                                        .source = RULES_OF_PLATFORM(context),
                                        .status = LIMIT_VENDOR};
    rules[count] = (struct limit){.metric = "driver.version",
                                  .rule = RULE_SAME,
                                  .source = "assay: one driver on all hosts",
                                  .status = LIMIT_TOOL};
    slot_add(context, slots, "driver.version", "", NULL, DUTY_GATE, rules);
}

const struct check check_driver = {
    .name = "driver",
    .title = "Driver",
    .summary = "the driver is new enough and the same on all hosts",
    .on = ON_GPUS,
    .concerns = OF_GPU,
    .passive = true,
    .parts = PARTS({"nvidia-smi", "nvidia-smi", command_nvidia_smi_query, NULL}),
    .items = ITEMS({"cuda.version", PER_TARGET, NULL, DUTY_RECORD, NULL}),
    .remedies = REMEDIES({"driver.version", REASON(install_same_driver)},
                         {"*", .problem = "driver", .on_hosts = true}),
    .more_slots = slots_of_platform,
    .listed = LISTED({LISTED_HOSTS, "driver.version", REASON(title_driver)},
                     {LISTED_HOSTS, "cuda.version", REASON(title_cuda)}),
    .expected_s = 5,
    .read = read_driver,
};

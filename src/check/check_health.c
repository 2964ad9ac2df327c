/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GPUs at rest: what they say of themselves before anything is asked of them. A GPU that is hot or slowed
 * down without a load has a cooling or power fault that a test would only blur, and one that must be reset
 * gives numbers that mean nothing.
 */
#include <string.h>

#include "assay/reasons/check.h"

#include "rules.h"
#include "smi.h"
#include "window_growth.h"

/* Newer drivers tell in one field what two told before: of the form that is not there the other one stands for it. */
static void leave_other_form(struct reading *out, const char *shown, const char *other)
{
    size_t count = out->facts.count;

    for (size_t i = 0; i < count; i++)
        if (strcmp(out->facts.items[i].name, shown) == 0 &&
            reading_get_fact(out, other, out->facts.items[i].subject) == NULL)
            reading_fact_said(out, other, out->facts.items[i].subject, REASON(not_in_this_driver));
}

static void read_health(const struct check_context *context, const struct attempt *attempt,
                        struct reading *out)
{
    read_parts(context, attempt, out);
    smi_leave_to_owner(context, out);
    if (out->status != READING_COMPLETE)
        return;
    leave_other_form(out, "gpu.recovery_action", "gpu.reset_required");
    leave_other_form(out, "gpu.recovery_action", "gpu.drain_recommended");
    leave_other_form(out, "gpu.reset_required", "gpu.recovery_action");
    /* Seen in the output of 535 and later, and of none before. */
    smi_field_missing(out, "gpu.reset_required", 535);
    smi_field_missing(out, "gpu.drain_recommended", 535);
    smi_field_missing(out, "gpu.recovery_action", 535);
}

/* Packets that PCIe sent again, since the driver was loaded. A first look has nothing to compare with. */
static void slots_of_replays(const struct check_context *context, struct slot_list *slots)
{
    bool again = rules_look_again(context);

    for (unsigned i = 0; i < context->platform->gpu_count; i++)
        slot_add(context, slots, "pcie.replays", arena_printf(context->arena, "gpu%u", i), NULL,
                 again ? DUTY_GATE : DUTY_RECORD, again ? growth_since_begin(context, "pcie.replays") : NULL);
}

const struct check check_health = {
    .name = "health",
    .title = "GPU health at rest",
    .summary = "no GPU is hot or slowed down at rest, none is lost, none waits for a reset",
    .on = ON_GPUS,
    .passive = true,
    .loads = LOAD_GPUS,
    .parts = PARTS({"nvidia-smi", "nvidia-smi", command_nvidia_smi_query, NULL}),
    .items = ITEMS({"gpu.reset_required", PER_GPU, NULL, DUTY_GATE,
                    LIMITS RULES_ONE_OF("gpu.reset_required", "No|N/A|" SMI_NOT_IN_DRIVER, "nvidia-smi")},
                   {"gpu.drain_recommended", PER_GPU, NULL, DUTY_GATE,
                    LIMITS RULES_ONE_OF("gpu.drain_recommended", "No|N/A|" SMI_NOT_IN_DRIVER, "nvidia-smi")},
                   {"gpu.recovery_action", PER_GPU, NULL, DUTY_GATE,
                    LIMITS RULES_ONE_OF("gpu.recovery_action", "None|N/A|" SMI_NOT_IN_DRIVER, "nvidia-smi")},
                   {"gpu.temperature", PER_GPU, NULL, DUTY_GATE, NULL},
                   {"gpu.throttle.hw_slowdown", PER_GPU, NULL, DUTY_GATE,
                    LIMITS RULES_EQUAL("gpu.throttle.hw_slowdown", "Not Active", "nvidia-smi")},
                   {"gpu.throttle.hw_thermal_slowdown", PER_GPU, NULL, DUTY_GATE,
                    LIMITS RULES_EQUAL("gpu.throttle.hw_thermal_slowdown", "Not Active", "nvidia-smi")},
                   {"gpu.throttle.hw_power_brake", PER_GPU, NULL, DUTY_GATE,
                    LIMITS RULES_EQUAL("gpu.throttle.hw_power_brake", "Not Active", "nvidia-smi")},
                   {"gpu.throttle.sw_thermal_slowdown", PER_GPU, NULL, DUTY_GATE,
                    LIMITS RULES_EQUAL("gpu.throttle.sw_thermal_slowdown", "Not Active", "nvidia-smi")},
                   {"gpu.temperature_margin", PER_GPU, NULL, DUTY_RECORD, NULL},
                   {"gpu.temperature_memory", PER_GPU, NULL, DUTY_RECORD, NULL},
                   {"gpu.power", PER_GPU, NULL, DUTY_RECORD, NULL},
                   {"gpu.clock.sm", PER_GPU, NULL, DUTY_RECORD, NULL},
                   {"gpu.performance_state", PER_GPU, NULL, DUTY_RECORD, NULL}),
    .more_slots = slots_of_replays,
    .remedies = REMEDIES({"pcie.*", REASON(reseat_device_test_again)},
                         {"gpu.reset_required", REASON(reset_gpu_number_test_again)},
                         {"gpu.drain_recommended", REASON(reset_gpu_number_test_again)},
                         {"gpu.recovery_action", REASON(do_recovery_action)},
                         {"gpu.throttle.hw_power_brake", REASON(check_baseboard_power)},
                         {"gpu.t*", REASON(check_cooling_of_gpu)}, {"sound", REASON(see_xid_lines_of_gpu)}),
    .plain =
        PLAIN_WORDS({"gpu.temperature*", PLAIN(part_is_hot, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)}),
    .expected_s = 5,
    .read = read_health,
};

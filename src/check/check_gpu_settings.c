/* SPDX-License-Identifier: Apache-2.0 */
/* Settings that every later test stands on: a GPU in another mode would be slow, or fail, for no fault of its
 * own. */
#include <math.h>
#include <string.h>

#include "assay/reasons/check.h"

#include "rules.h"
#include "smi.h"

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
        /* Newer drivers tell one limit only, which is what is enforced. */
        if (reading_get(out, "gpu.power_limit_enforced", gpu) == NULL &&
            reading_get(out, "gpu.power_limit", gpu) != NULL)
            reading_fact(out, "gpu.power_enforced_is_default", gpu, slice_of("N/A"));
        else
            compare(out, gpu, "gpu.power_enforced_is_default", "gpu.power_limit_enforced",
                    "gpu.power_limit_default");
        read_clocks(out, gpu);
    }
}

/* Another one's process on a GPU leaves every number undecided; it is no fault of the host. */
static const struct limit idle_rules[] =
    RULES_MOST("gpu.compute_processes", 0, "assay", .inconclusive = true);

/* A GPU whose own default is below its kind's is another part, or was made one by its firmware. */
static void slots_of_power(const struct check_context *context, struct slot_list *slots)
{
    const struct platform *platform = context->platform;
    const struct limit *rules =
        platform->power_limit_w > 0
            ? LIMITS RULES(.metric = "gpu.power_limit_default", .rule = RULE_FLOOR,
                           .value = platform->power_limit_w, .unit = "W", .status = LIMIT_TOOL,
                           .source = RULES_OF_PLATFORM(context))
            : LIMITS RULES_SAME("gpu.power_limit_default", "assay: hosts of one platform are built alike");

    rules = rules_new(context, rules);
    for (unsigned i = 0; i < platform->gpu_count; i++)
        slot_add(context, slots, "gpu.power_limit_default", arena_printf(context->arena, "gpu%u", i), NULL,
                 DUTY_GATE, rules);
}

const struct check check_gpu_settings = {
    .name = "gpu-settings",
    .title = "GPU settings",
    .summary = "persistence on, MIG off, ECC on, power and clocks at their defaults, GPUs idle",
    .on = ON_GPUS,
    .concerns = OF_GPU,
    .passive = true,
    .parts = PARTS({"nvidia-smi", "nvidia-smi", command_nvidia_smi_query, NULL}),
    .items =
        ITEMS({"gpu.persistence", PER_GPU, NULL, DUTY_GATE,
               LIMITS RULES_EQUAL("gpu.persistence", "Enabled", "assay")},
              {"gpu.mig", PER_GPU, NULL, DUTY_GATE, LIMITS RULES_ONE_OF("gpu.mig", "Disabled|N/A", "assay")},
              {"ecc.mode", PER_GPU, NULL, DUTY_GATE, LIMITS RULES_EQUAL("ecc.mode", "Enabled", "assay")},
              {"gpu.power_limit_is_default", PER_GPU, NULL, DUTY_GATE,
               LIMITS RULES_EQUAL("gpu.power_limit_is_default", "yes", "assay")},
              {"gpu.power_enforced_is_default", PER_GPU, NULL, DUTY_GATE,
               LIMITS RULES_ONE_OF("gpu.power_enforced_is_default", "yes|N/A", "assay")},
              {"gpu.clocks_unlocked", PER_GPU, NULL, DUTY_GATE,
               LIMITS RULES_ONE_OF("gpu.clocks_unlocked", "yes|N/A", "assay")},
              {"gpu.compute_processes", PER_GPU, NULL, DUTY_GATE, idle_rules},
              {"gpu.power_limit", PER_GPU, NULL, DUTY_RECORD, NULL}),
    .remedies = REMEDIES({"gpu.persistence", REASON(enable_persistence_mode)},
                         {"gpu.mig", REASON(disable_mig)}, {"ecc.mode", REASON(enable_ecc)},
                         {"gpu.power_limit_is_default", REASON(restore_power_limit)},
                         {"gpu.power_enforced_is_default", REASON(see_what_holds_power_down)},
                         {"gpu.power_limit_default", REASON(compare_gpu_part_number)},
                         {"gpu.clocks_unlocked", REASON(reset_gpu_clocks)},
                         {"gpu.compute_processes", REASON(have_gpu_process_ended)}),
    .more_slots = slots_of_power,
    .plain = PLAIN_WORDS({"gpu.persistence*", PLAIN(persistence_mode_is_off, PLAIN_MEASURED)},
                         {"gpu.power_limit_is_default*", PLAIN(power_limit_is_not_default, PLAIN_PART)},
                         {"ecc.mode*", PLAIN(ecc_is_off, PLAIN_MEASURED)},
                         {"gpu.mig*", PLAIN(mig_mode_is_on, PLAIN_MEASURED)}),
    .expected_s = 5,
    .read = read_settings,
};

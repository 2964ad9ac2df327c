/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fabric Manager: without it, or with one of another version, NVSwitch systems give GPUs that look healthy
 * and cannot talk to each other. The service must run, start by itself, and be of the driver's full version;
 * and every GPU must say itself that its fabric is up, because a service that runs has been seen to prove
 * nothing.
 */
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

#include "rules.h"
#include "script.h"
#include "smi.h"

static void command_version(const struct check_context *context, struct text *out)
{
    command_tool(context, out, "nv-fabricmanager");
    text_put(out, " --version");
}

/* Each part tells one thing; what another part says beside it (status shows enabled too) is left out. */
static void take_fact(struct reading *out, const struct attempt *attempt, const char *part_name,
                      const char *fact)
{
    const struct part *part = attempt_part(attempt, part_name);
    const char *value = part != NULL ? reading_get_fact(&part->reading, fact, "") : NULL;

    if (value != NULL)
        reading_fact(out, fact, "", slice_of(value));
}

static void read_service(const struct check_context *context, const struct attempt *attempt,
                         struct reading *out)
{
    const char *version, *driver;

    take_fact(out, attempt, "status", "fabric_manager.state");
    take_fact(out, attempt, "enabled", "fabric_manager.enabled");
    take_fact(out, attempt, "version", "fabric_manager.version");
    if (!smi_merge(context, attempt, out))
        return;
    version = reading_get_fact(out, "fabric_manager.version", "");
    driver = reading_get_fact(out, "driver.version", "");
    if (version != NULL && driver != NULL && strcmp(version, driver) == 0)
        reading_fact(out, "fabric_manager.matches_driver", "", slice_of("yes"));
    else if (version != NULL && driver != NULL)
        reading_fact_said(out, "fabric_manager.matches_driver", "",
                          reason(out->arena, fabric_manager_not_of_driver, version, driver));
    reading_set(out, READING_COMPLETE, NULL);
}

static const struct limit state_rules[] = RULES_EQUAL("fabric.state", "Completed", "NVIDIA Fabric Manager");
static const struct limit status_rules[] = RULES_EQUAL("fabric.status", "Success", "NVIDIA Fabric Manager");

static void slots_of_platform(const struct check_context *context, struct slot_list *slots)
{
    /* On A100 the fabric's state is N/A: the driver has no such thing, so nothing is owed. */
    for (unsigned i = 0; context->platform->fabric_state && i < context->platform->gpu_count; i++) {
        const char *gpu = arena_printf(context->arena, "gpu%u", i);

        slot_add(context, slots, "fabric.state", gpu, NULL, DUTY_GATE, state_rules);
        slot_add(context, slots, "fabric.status", gpu, NULL, DUTY_GATE, status_rules);
    }
}

static bool applies(const struct platform *platform)
{
    return platform->nvswitch;
}

const struct check check_fabric_manager = {
    .name = "fabric-manager",
    .title = "Fabric Manager",
    .summary = "the service runs, is enabled and of the driver's version; every GPU's fabric is up",
    .on = ON_GPUS,
    .concerns = OF_GPU,
    .passive = true,
    .applies = applies,
    .parts = PARTS({.name = "status",
                    .parser = "fabric-manager",
                    .script = script_fabric_manager,
                    .typed = "systemctl status nvidia-fabricmanager"},
                   {.name = "enabled",
                    .parser = "fabric-manager",
                    .script = "systemctl is-enabled nvidia-fabricmanager; [ $? -le 1 ]"},
                   {"version", "fabric-manager", command_version, NULL},
                   {"nvidia-smi", "nvidia-smi", command_nvidia_smi_query, NULL}),
    .items = ITEMS({"fabric_manager.state", PER_TARGET, NULL, DUTY_GATE,
                    LIMITS RULES_EQUAL("fabric_manager.state", "active", "NVIDIA Fabric Manager")},
                   {"fabric_manager.enabled", PER_TARGET, NULL, DUTY_GATE,
                    LIMITS RULES_EQUAL("fabric_manager.enabled", "enabled", "NVIDIA Fabric Manager")},
                   {"fabric_manager.matches_driver", PER_TARGET, NULL, DUTY_GATE,
                    LIMITS RULES_EQUAL("fabric_manager.matches_driver", "yes", "NVIDIA Fabric Manager")},
                   {"fabric_manager.version", PER_TARGET, NULL, DUTY_RECORD, NULL}),
    .remedies = REMEDIES({"fabric_manager.state", REASON(start_fabric_manager)},
                         {"fabric_manager.enabled", REASON(enable_fabric_manager)},
                         {"fabric_manager.matches_driver", REASON(install_matching_fabric_manager)},
                         {"fabric.*", REASON(restart_fabric_manager)}),
    .more_slots = slots_of_platform,
    .plain = PLAIN_WORDS(
        {"fabric_manager.matches_driver*", PLAIN(fabric_manager_is_of_other_version, PLAIN_MEASURED)},
        {"fabric_manager.state*", PLAIN(fabric_manager_does_not_run, PLAIN_MEASURED, PLAIN_REQUIRED)}),
    .listed = LISTED({LISTED_HOSTS, "fabric_manager.version", REASON(title_fabric_manager)},
                     {LISTED_HOSTS, "fabric_manager.state", REASON(title_fabric_manager_state)}),
    .expected_s = 10,
    .read = read_service,
};

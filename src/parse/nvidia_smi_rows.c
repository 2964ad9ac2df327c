/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of nvidia-smi as data: what each is called here, in which unit, and which values are alarming.
 */
#include "assay/reasons/parse.h"

#include "nvidia_smi_rows.h"

const struct smi_row smi_rows[] = {
#define FIELD(name, kind, unit, ...) {name, kind, unit, {__VA_ARGS__}},
#include "nvidia_smi_rows.def"
#undef FIELD
};

const size_t smi_row_count = ARRAY_SIZE(smi_rows);

_Static_assert(ARRAY_SIZE(smi_rows) <= SMI_FIELDS_MOST, "struct smi keeps one flag for each row");

/* Values that speak against the device. */
const struct smi_alarm smi_alarms[] = {
    {"remapped_rows.failure", "Yes", "gpu.remap_failure", SEVERITY_FAULT, REASON(row_not_remapped)},
    {"remapped_rows.pending", "Yes", "gpu.remap_pending", SEVERITY_WARNING, REASON(row_remap_pending)},
    {"retired_pages.pending", "Yes", "gpu.retirement_pending", SEVERITY_WARNING,
     REASON(page_retirement_pending)},
    {"ecc.sram_threshold_exceeded", "Yes", "gpu.sram_threshold", SEVERITY_FAULT,
     REASON(sram_errors_beyond_allowed)},
    {"ecc.unrepairable_memory", "Yes", "gpu.unrepairable_memory", SEVERITY_FAULT,
     REASON(memory_unrepairable)},
    {"ecc.channel_repair_pending", "Yes", "gpu.repair_pending", SEVERITY_WARNING,
     REASON(channel_repair_pending)},
    {"ecc.tpc_repair_pending", "Yes", "gpu.repair_pending", SEVERITY_WARNING,
     REASON(compute_unit_repair_pending)},
    {"gpu.reset_required", "Yes", "gpu.reset_required", SEVERITY_FAULT, REASON(gpu_must_be_reset)},
    {"gpu.drain_recommended", "Yes", "gpu.drain_recommended", SEVERITY_WARNING,
     REASON(driver_recommends_drain)},
    {"gpu.throttle.hw_slowdown", "Active", "gpu.hw_slowdown", SEVERITY_WARNING, REASON(slowed_by_hardware)},
    {"gpu.throttle.hw_thermal_slowdown", "Active", "gpu.hw_thermal_slowdown", SEVERITY_WARNING,
     REASON(slowed_by_hardware_for_heat)},
    {"gpu.throttle.hw_power_brake", "Active", "gpu.hw_power_brake", SEVERITY_WARNING,
     REASON(slowed_by_power_brake)},
    {"gpu.throttle.sw_thermal_slowdown", "Active", "gpu.sw_thermal_slowdown", SEVERITY_WARNING,
     REASON(slowed_by_driver_for_heat)},
};

const size_t smi_alarm_count = ARRAY_SIZE(smi_alarms);

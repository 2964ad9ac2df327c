/* SPDX-License-Identifier: Apache-2.0 */
/* What each field of nvidia-smi is called here, in which unit it is, and which values are alarming. */
#include <ctype.h>
#include <string.h>

#include "nvidia_smi.h"
#include "pci_address.h"

enum kind {
    IDENTITY, /* a fact when there is one */
    STATE,    /* a fact; "N/A" is one too: the device has no such thing */
    SWITCH,   /* a state whose On and Off are told as Enabled and Disabled */
    NUMBER,
};

struct field {
    const char *name;
    enum kind kind;
    const char *unit;
    const char
        *paths[3]; /* by notation; alternatives with '|' between them; the first that has a value wins */
};

static const struct field fields[] = {
    {"gpu.name", IDENTITY, "", {"Product Name", "product_name", "name|gpu_name"}},
    {"gpu.uuid", IDENTITY, "", {"GPU UUID", "uuid", "uuid|gpu_uuid"}},
    {"gpu.serial", IDENTITY, "", {"Serial Number", "serial", "serial|gpu_serial"}},
    {"gpu.brand", IDENTITY, "", {"Product Brand", "product_brand", ""}},
    {"gpu.architecture", IDENTITY, "", {"Product Architecture", "product_architecture", ""}},
    {"gpu.minor", IDENTITY, "", {"Minor Number", "minor_number", ""}},
    {"gpu.module_id", IDENTITY, "", {"Module ID|Module Id", "gpu_module_id|platformInfo/module_id", ""}},
    {"gpu.vbios", IDENTITY, "", {"VBIOS Version", "vbios_version", "vbios_version"}},
    {"gpu.part_number", IDENTITY, "", {"Board Part Number", "board_part_number", ""}},
    {"gpu.gsp_firmware",
     IDENTITY,
     "",
     {"GSP Firmware Version", "gsp_firmware_version", "gsp_firmware_version"}},
    {"gpu.persistence", SWITCH, "", {"Persistence Mode", "persistence_mode", "persistence_mode"}},
    {"gpu.mig", STATE, "", {"MIG Mode/Current", "mig_mode/current_mig", "mig.mode.current"}},
    {"gpu.mig_pending", STATE, "", {"MIG Mode/Pending", "mig_mode/pending_mig", "mig.mode.pending"}},
    {"gpu.compute_mode", STATE, "", {"Compute Mode", "compute_mode", "compute_mode"}},
    {"gpu.performance_state", STATE, "", {"Performance State", "performance_state", "pstate"}},
    {"gpu.addressing_mode", STATE, "", {"Addressing Mode", "addressing_mode", "addressing_mode"}},
    {"gpu.reset_required",
     STATE,
     "",
     {"GPU Reset Status/Reset Required", "gpu_reset_status/reset_required", "reset_status.reset_required"}},
    {"gpu.drain_recommended",
     STATE,
     "",
     {"GPU Reset Status/Drain and Reset Recommended", "gpu_reset_status/drain_and_reset_recommended",
      "reset_status.drain_and_reset_recommended"}},
    {"gpu.recovery_action", STATE, "", {"GPU Recovery Action", "gpu_recovery_action", "gpu_recovery_action"}},
    {"gpu.temperature",
     NUMBER,
     "C",
     {"Temperature/GPU Current Temp", "temperature/gpu_temp", "temperature.gpu"}},
    {"gpu.temperature_margin",
     NUMBER,
     "C",
     {"Temperature/GPU T.Limit Temp", "temperature/gpu_temp_tlimit", "temperature.gpu.tlimit"}},
    {"gpu.temperature_memory",
     NUMBER,
     "C",
     {"Temperature/Memory Current Temp", "temperature/memory_temp", "temperature.memory"}},
    {"gpu.temperature_slowdown",
     NUMBER,
     "C",
     {"Temperature/GPU Slowdown Temp", "temperature/gpu_temp_slow_threshold", ""}},
    {"gpu.temperature_shutdown",
     NUMBER,
     "C",
     {"Temperature/GPU Shutdown Temp", "temperature/gpu_temp_max_threshold", ""}},
    {"gpu.temperature_max",
     NUMBER,
     "C",
     {"Temperature/GPU Max Operating Temp", "temperature/gpu_temp_max_gpu_threshold", ""}},
    {"gpu.fan", NUMBER, "%", {"Fan Speed", "fan_speed", "fan.speed"}},
    {"gpu.power",
     NUMBER,
     "W",
     {"GPU Power Readings/Power Draw|GPU Power Readings/Average Power Draw|"
      "GPU Power Readings/Instantaneous Power Draw|Power Readings/Power Draw",
      "gpu_power_readings/power_draw|gpu_power_readings/average_power_draw|"
      "gpu_power_readings/instant_power_draw|power_readings/power_draw",
      "power.draw|power.draw.average|power.draw.instant"}},
    {"gpu.power_limit",
     NUMBER,
     "W",
     {"GPU Power Readings/Current Power Limit|Power Readings/Power Limit|GPU Power Readings/Power Limit",
      "gpu_power_readings/current_power_limit|power_readings/power_limit|gpu_power_readings/power_limit",
      "power.limit"}},
    {"gpu.power_limit_requested",
     NUMBER,
     "W",
     {"GPU Power Readings/Requested Power Limit", "gpu_power_readings/requested_power_limit", ""}},
    {"gpu.power_limit_enforced",
     NUMBER,
     "W",
     {"Power Readings/Enforced Power Limit|GPU Power Readings/Enforced Power Limit",
      "power_readings/enforced_power_limit|gpu_power_readings/enforced_power_limit", "enforced.power.limit"}},
    {"gpu.power_limit_default",
     NUMBER,
     "W",
     {"GPU Power Readings/Default Power Limit|Power Readings/Default Power Limit",
      "gpu_power_readings/default_power_limit|power_readings/default_power_limit", "power.default_limit"}},
    {"gpu.power_limit_min",
     NUMBER,
     "W",
     {"GPU Power Readings/Min Power Limit|Power Readings/Min Power Limit",
      "gpu_power_readings/min_power_limit|power_readings/min_power_limit", "power.min_limit"}},
    {"gpu.power_limit_max",
     NUMBER,
     "W",
     {"GPU Power Readings/Max Power Limit|Power Readings/Max Power Limit",
      "gpu_power_readings/max_power_limit|power_readings/max_power_limit", "power.max_limit"}},
    {"gpu.memory_total", NUMBER, "MiB", {"FB Memory Usage/Total", "fb_memory_usage/total", "memory.total"}},
    {"gpu.memory_used", NUMBER, "MiB", {"FB Memory Usage/Used", "fb_memory_usage/used", "memory.used"}},
    {"gpu.memory_free", NUMBER, "MiB", {"FB Memory Usage/Free", "fb_memory_usage/free", "memory.free"}},
    {"gpu.memory_reserved",
     NUMBER,
     "MiB",
     {"FB Memory Usage/Reserved", "fb_memory_usage/reserved", "memory.reserved"}},
    {"gpu.utilization",
     NUMBER,
     "%",
     {"Utilization/Gpu|Utilization/GPU", "utilization/gpu_util", "utilization.gpu"}},
    {"gpu.memory_utilization",
     NUMBER,
     "%",
     {"Utilization/Memory", "utilization/memory_util", "utilization.memory"}},
    {"gpu.clock.graphics",
     NUMBER,
     "MHz",
     {"Clocks/Graphics", "clocks/graphics_clock", "clocks.current.graphics|clocks.gr"}},
    {"gpu.clock.sm", NUMBER, "MHz", {"Clocks/SM", "clocks/sm_clock", "clocks.current.sm|clocks.sm"}},
    {"gpu.clock.memory",
     NUMBER,
     "MHz",
     {"Clocks/Memory", "clocks/mem_clock", "clocks.current.memory|clocks.mem"}},
    {"gpu.clock.graphics.max",
     NUMBER,
     "MHz",
     {"Max Clocks/Graphics", "max_clocks/graphics_clock", "clocks.max.graphics|clocks.max.gr"}},
    {"gpu.clock.sm.max", NUMBER, "MHz", {"Max Clocks/SM", "max_clocks/sm_clock", "clocks.max.sm"}},
    {"gpu.clock.memory.max",
     NUMBER,
     "MHz",
     {"Max Clocks/Memory", "max_clocks/mem_clock", "clocks.max.memory|clocks.max.mem"}},
    {"gpu.clock.graphics.application",
     NUMBER,
     "MHz",
     {"Applications Clocks/Graphics", "applications_clocks/graphics_clock",
      "clocks.applications.graphics|clocks.applications.gr"}},
    {"gpu.clock.memory.application",
     NUMBER,
     "MHz",
     {"Applications Clocks/Memory", "applications_clocks/mem_clock",
      "clocks.applications.memory|clocks.applications.mem"}},
    {"gpu.clock.graphics.application_default",
     NUMBER,
     "MHz",
     {"Default Applications Clocks/Graphics", "default_applications_clocks/graphics_clock",
      "clocks.default_applications.graphics|clocks.default_applications.gr"}},
    {"gpu.clock.memory.application_default",
     NUMBER,
     "MHz",
     {"Default Applications Clocks/Memory", "default_applications_clocks/mem_clock",
      "clocks.default_applications.memory|clocks.default_applications.mem"}},
    {"gpu.throttle.active", STATE, "", {"", "", "clocks_event_reasons.active"}},
    {"gpu.throttle.idle",
     STATE,
     "",
     {"Clocks Event Reasons/Idle", "clocks_event_reasons/clocks_event_reason_gpu_idle",
      "clocks_event_reasons.gpu_idle"}},
    {"gpu.throttle.applications_clocks",
     STATE,
     "",
     {"Clocks Event Reasons/Applications Clocks Setting",
      "clocks_event_reasons/clocks_event_reason_applications_clocks_setting",
      "clocks_event_reasons.applications_clocks_setting"}},
    {"gpu.throttle.sw_power_cap",
     STATE,
     "",
     {"Clocks Event Reasons/SW Power Cap", "clocks_event_reasons/clocks_event_reason_sw_power_cap",
      "clocks_event_reasons.sw_power_cap"}},
    {"gpu.throttle.hw_slowdown",
     STATE,
     "",
     {"Clocks Event Reasons/HW Slowdown", "clocks_event_reasons/clocks_event_reason_hw_slowdown",
      "clocks_event_reasons.hw_slowdown"}},
    {"gpu.throttle.hw_thermal_slowdown",
     STATE,
     "",
     {"Clocks Event Reasons/HW Slowdown/HW Thermal Slowdown|Clocks Event Reasons/HW Thermal Slowdown",
      "clocks_event_reasons/clocks_event_reason_hw_thermal_slowdown",
      "clocks_event_reasons.hw_thermal_slowdown"}},
    {"gpu.throttle.hw_power_brake",
     STATE,
     "",
     {"Clocks Event Reasons/HW Slowdown/HW Power Brake Slowdown|Clocks Event Reasons/HW Power Brake Slowdown",
      "clocks_event_reasons/clocks_event_reason_hw_power_brake_slowdown",
      "clocks_event_reasons.hw_power_brake_slowdown"}},
    {"gpu.throttle.sync_boost",
     STATE,
     "",
     {"Clocks Event Reasons/Sync Boost", "clocks_event_reasons/clocks_event_reason_sync_boost",
      "clocks_event_reasons.sync_boost"}},
    {"gpu.throttle.sw_thermal_slowdown",
     STATE,
     "",
     {"Clocks Event Reasons/SW Thermal Slowdown",
      "clocks_event_reasons/clocks_event_reason_sw_thermal_slowdown",
      "clocks_event_reasons.sw_thermal_slowdown"}},
    {"gpu.throttle.display_clock",
     STATE,
     "",
     {"Clocks Event Reasons/Display Clock Setting",
      "clocks_event_reasons/clocks_event_reason_display_clocks_setting", ""}},
    {"pcie.generation",
     NUMBER,
     "",
     {"PCI/GPU Link Info/PCIe Generation/Current", "pci/pci_gpu_link_info/pcie_gen/current_link_gen",
      "pcie.link.gen.current|pcie.link.gen.gpucurrent"}},
    {"pcie.generation.max",
     NUMBER,
     "",
     {"PCI/GPU Link Info/PCIe Generation/Max", "pci/pci_gpu_link_info/pcie_gen/max_link_gen",
      "pcie.link.gen.max"}},
    {"pcie.width",
     NUMBER,
     "",
     {"PCI/GPU Link Info/Link Width/Current", "pci/pci_gpu_link_info/link_widths/current_link_width",
      "pcie.link.width.current"}},
    {"pcie.width.max",
     NUMBER,
     "",
     {"PCI/GPU Link Info/Link Width/Max", "pci/pci_gpu_link_info/link_widths/max_link_width",
      "pcie.link.width.max"}},
    {"pcie.replays",
     NUMBER,
     "",
     {"PCI/Replays Since Reset|PCI/Replays since reset", "pci/replay_counter", ""}},
    {"pcie.replay_rollovers", NUMBER, "", {"PCI/Replay Number Rollovers", "pci/replay_rollover_counter", ""}},
    {"ecc.mode",
     STATE,
     "",
     {"ECC Mode/Current|Ecc Mode/Current", "ecc_mode/current_ecc", "ecc.mode.current"}},
    {"ecc.mode_pending",
     STATE,
     "",
     {"ECC Mode/Pending|Ecc Mode/Pending", "ecc_mode/pending_ecc", "ecc.mode.pending"}},
    {"ecc.volatile.corrected",
     NUMBER,
     "",
     {"ECC Errors/Volatile/Single Bit/Total", "ecc_errors/volatile/single_bit/total",
      "ecc.errors.corrected.volatile.total"}},
    {"ecc.volatile.uncorrected",
     NUMBER,
     "",
     {"ECC Errors/Volatile/Double Bit/Total", "ecc_errors/volatile/double_bit/total",
      "ecc.errors.uncorrected.volatile.total"}},
    {"ecc.aggregate.corrected",
     NUMBER,
     "",
     {"ECC Errors/Aggregate/Single Bit/Total", "ecc_errors/aggregate/single_bit/total",
      "ecc.errors.corrected.aggregate.total"}},
    {"ecc.aggregate.uncorrected",
     NUMBER,
     "",
     {"ECC Errors/Aggregate/Double Bit/Total", "ecc_errors/aggregate/double_bit/total",
      "ecc.errors.uncorrected.aggregate.total"}},
    {"ecc.volatile.sram_corrected",
     NUMBER,
     "",
     {"ECC Errors/Volatile/SRAM Correctable", "ecc_errors/volatile/sram_correctable",
      "ecc.errors.corrected.volatile.sram"}},
    {"ecc.volatile.dram_corrected",
     NUMBER,
     "",
     {"ECC Errors/Volatile/DRAM Correctable", "ecc_errors/volatile/dram_correctable",
      "ecc.errors.corrected.volatile.dram"}},
    {"ecc.volatile.dram_uncorrected",
     NUMBER,
     "",
     {"ECC Errors/Volatile/DRAM Uncorrectable", "ecc_errors/volatile/dram_uncorrectable",
      "ecc.errors.uncorrected.volatile.dram"}},
    {"ecc.aggregate.sram_corrected",
     NUMBER,
     "",
     {"ECC Errors/Aggregate/SRAM Correctable", "ecc_errors/aggregate/sram_correctable",
      "ecc.errors.corrected.aggregate.sram"}},
    {"ecc.aggregate.dram_corrected",
     NUMBER,
     "",
     {"ECC Errors/Aggregate/DRAM Correctable", "ecc_errors/aggregate/dram_correctable",
      "ecc.errors.corrected.aggregate.dram"}},
    {"ecc.aggregate.dram_uncorrected",
     NUMBER,
     "",
     {"ECC Errors/Aggregate/DRAM Uncorrectable", "ecc_errors/aggregate/dram_uncorrectable",
      "ecc.errors.uncorrected.aggregate.dram"}},
    {"ecc.sram_threshold_exceeded",
     STATE,
     "",
     {"ECC Errors/Aggregate/SRAM Threshold Exceeded", "ecc_errors/aggregate/sram_threshold_exceeded", ""}},
    {"ecc.channel_repair_pending",
     STATE,
     "",
     {"ECC Errors/Channel Repair Pending", "ecc_errors/channel_repair_pending", ""}},
    {"ecc.tpc_repair_pending",
     STATE,
     "",
     {"ECC Errors/TPC Repair Pending", "ecc_errors/tpc_repair_pending", ""}},
    {"ecc.unrepairable_memory",
     STATE,
     "",
     {"ECC Errors/Unrepairable Memory", "ecc_errors/unrepairable_memory", ""}},
    {"retired_pages.single_bit",
     NUMBER,
     "",
     {"Retired Pages/Single Bit ECC", "retired_pages/multiple_single_bit_retirement/retired_count",
      "retired_pages.single_bit_ecc.count|retired_pages.sbe"}},
    {"retired_pages.double_bit",
     NUMBER,
     "",
     {"Retired Pages/Double Bit ECC", "retired_pages/double_bit_retirement/retired_count",
      "retired_pages.double_bit.count|retired_pages.dbe"}},
    {"retired_pages.pending",
     STATE,
     "",
     {"Retired Pages/Pending Page Blacklist|Retired Pages/Pending",
      "retired_pages/pending_blacklist|retired_pages/pending_retirement", "retired_pages.pending"}},
    {"remapped_rows.correctable",
     NUMBER,
     "",
     {"Remapped Rows/Correctable Error", "remapped_rows/remapped_row_corr", "remapped_rows.correctable"}},
    {"remapped_rows.uncorrectable",
     NUMBER,
     "",
     {"Remapped Rows/Uncorrectable Error", "remapped_rows/remapped_row_unc", "remapped_rows.uncorrectable"}},
    {"remapped_rows.pending",
     STATE,
     "",
     {"Remapped Rows/Pending|Remapped Rows", "remapped_rows/remapped_row_pending|remapped_rows",
      "remapped_rows.pending"}},
    {"remapped_rows.failure",
     STATE,
     "",
     {"Remapped Rows/Remapping Failure Occurred|Remapped Rows",
      "remapped_rows/remapped_row_failure|remapped_rows", "remapped_rows.failure"}},
    {"remapped_rows.banks_max",
     NUMBER,
     "",
     {"Remapped Rows/Bank Remap Availability Histogram/Max",
      "remapped_rows/row_remapper_histogram/row_remapper_histogram_max", "remapped_rows.histogram.max"}},
    {"remapped_rows.banks_high",
     NUMBER,
     "",
     {"Remapped Rows/Bank Remap Availability Histogram/High",
      "remapped_rows/row_remapper_histogram/row_remapper_histogram_high", "remapped_rows.histogram.high"}},
    {"remapped_rows.banks_partial",
     NUMBER,
     "",
     {"Remapped Rows/Bank Remap Availability Histogram/Partial",
      "remapped_rows/row_remapper_histogram/row_remapper_histogram_partial",
      "remapped_rows.histogram.partial"}},
    {"remapped_rows.banks_low",
     NUMBER,
     "",
     {"Remapped Rows/Bank Remap Availability Histogram/Low",
      "remapped_rows/row_remapper_histogram/row_remapper_histogram_low", "remapped_rows.histogram.low"}},
    {"remapped_rows.banks_none",
     NUMBER,
     "",
     {"Remapped Rows/Bank Remap Availability Histogram/None",
      "remapped_rows/row_remapper_histogram/row_remapper_histogram_none", "remapped_rows.histogram.none"}},
    {"fabric.state", STATE, "", {"Fabric/State", "fabric/state", "fabric.state"}},
    {"fabric.status", STATE, "", {"Fabric/Status", "fabric/status", "fabric.status"}},
    {"fabric.clique",
     IDENTITY,
     "",
     {"Fabric/CliqueId|Fabric/Clique ID", "fabric/cliqueId", "fabric.cliqueId"}},
    {"fabric.cluster",
     IDENTITY,
     "",
     {"Fabric/ClusterUUID|Fabric/Cluster UUID", "fabric/clusterUuid", "fabric.clusterUuid"}},
    {"fabric.health",
     STATE,
     "",
     {"Fabric/Health/Summary|Fabric/Health", "fabric/health/summary", "fabric.health.summary"}},
    {"fabric.bandwidth",
     STATE,
     "",
     {"Fabric/Health/Bandwidth", "fabric/health/bandwidth", "fabric.health.bandwidth"}},
};

enum { FIELD_COUNT = sizeof fields / sizeof fields[0] };
_Static_assert((int)FIELD_COUNT <= (int)SMI_FIELDS_MOST, "struct smi keeps one flag for each field");

/* Values that speak against the device. */
static const struct {
    const char *name, *value, *code;
    enum severity severity;
    const char *text;
} alarms[] = {
    {"remapped_rows.failure", "Yes", "gpu.remap_failure", SEVERITY_FAULT,
     "a row could not be remapped: replace"},
    {"remapped_rows.pending", "Yes", "gpu.remap_pending", SEVERITY_WARNING,
     "rows wait for their remapping: reset the GPU and test again"},
    {"retired_pages.pending", "Yes", "gpu.retirement_pending", SEVERITY_WARNING,
     "pages wait for their retirement: reset the GPU and test again"},
    {"ecc.sram_threshold_exceeded", "Yes", "gpu.sram_threshold", SEVERITY_FAULT,
     "more uncorrectable SRAM errors than its maker allows: replace"},
    {"ecc.unrepairable_memory", "Yes", "gpu.unrepairable_memory", SEVERITY_FAULT,
     "memory that cannot be repaired: replace"},
    {"ecc.channel_repair_pending", "Yes", "gpu.repair_pending", SEVERITY_WARNING,
     "a memory channel waits for its repair: reset the GPU and test again"},
    {"ecc.tpc_repair_pending", "Yes", "gpu.repair_pending", SEVERITY_WARNING,
     "a compute unit waits for its repair: reset the GPU and test again"},
    {"gpu.reset_required", "Yes", "gpu.reset_required", SEVERITY_FAULT, "the GPU must be reset"},
    {"gpu.drain_recommended", "Yes", "gpu.drain_recommended", SEVERITY_WARNING,
     "the driver recommends to drain and reset the GPU"},
    {"gpu.throttle.hw_slowdown", "Active", "gpu.hw_slowdown", SEVERITY_WARNING, "slowed down by hardware"},
    {"gpu.throttle.hw_thermal_slowdown", "Active", "gpu.hw_thermal_slowdown", SEVERITY_WARNING,
     "slowed down by hardware because it is hot"},
    {"gpu.throttle.hw_power_brake", "Active", "gpu.hw_power_brake", SEVERITY_WARNING,
     "slowed down by the power brake signal of the system"},
    {"gpu.throttle.sw_thermal_slowdown", "Active", "gpu.sw_thermal_slowdown", SEVERITY_WARNING,
     "slowed down by the driver because it is hot"},
};

static void raise_alarm(struct smi *smi, const char *name, const char *value)
{
    for (size_t i = 0; i < sizeof alarms / sizeof alarms[0]; i++)
        if (strcmp(alarms[i].name, name) == 0 && strcmp(alarms[i].value, value) == 0)
            reading_finding(smi->reading, alarms[i].severity, alarms[i].code, smi->subject, "%s: %s (%s)",
                            name, value, alarms[i].text);
    if (strcmp(name, "gpu.recovery_action") == 0 && strcmp(value, "None") != 0 && strcmp(value, "N/A") != 0)
        reading_finding(smi->reading, SEVERITY_FAULT, "gpu.recovery_action", smi->subject,
                        "the driver asks for a recovery: %s", value);
    if (strcmp(name, "fabric.status") == 0 && strcmp(value, "Success") != 0 && strcmp(value, "N/A") != 0)
        reading_finding(smi->reading, SEVERITY_WARNING, "gpu.fabric_status", smi->subject,
                        "fabric.status: %s", value);
}

bool smi_not_available(struct slice value)
{
    static const char *const words[] = {
        "",
        "N/A",
        "[N/A]",
        "Not Supported",
        "[Not Supported]",
        "Not Available",
        "[Not Available]",
        "Not Found",
        "[Not Found]",
        "Insufficient Permissions",
        "[Insufficient Permissions]",
        "No data",
        "[No data]",
        "Function Not Found",
        "[Function Not Found]",
        "Requested functionality has been deprecated",
        "[Requested functionality has been deprecated]",
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (slice_equal_nocase(value, words[i]))
            return true;
    return false;
}

bool smi_faulty_value(struct smi *smi, const char *what, struct slice value)
{
    static const struct {
        const char *word, *code;
    } faults[] = {
        {"Unknown Error", "gpu.unknown_error"},
        {"GPU is lost", "gpu.lost"},
        {"GPU requires reset", "gpu.reset_required"},
        {"Requires Reset", "gpu.reset_required"},
    };

    if (slice_starts(value, "ERR!")) {
        reading_finding(smi->reading, SEVERITY_FAULT, "gpu.err", smi->subject, "%s: ERR!", what);
        return true;
    }
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        if (slice_contains(value, faults[i].word) && value.length <= strlen(faults[i].word) + 2) {
            if (!smi->faulty)
                reading_finding(smi->reading, SEVERITY_FAULT, faults[i].code, smi->subject, "%s: %.*s", what,
                                slice_print(value));
            smi->faulty = true;
            return true;
        }
    return false;
}

/* Whether one of the alternatives is path. */
static bool matches(const char *alternatives, const char *path)
{
    size_t length = strlen(path);

    while (length > 0 && *alternatives != '\0') {
        size_t next = strcspn(alternatives, "|");

        if (next == length && memcmp(alternatives, path, length) == 0)
            return true;
        alternatives += alternatives[next] == '|' ? next + 1 : next;
    }
    return false;
}

/* What was called throttling is now called an event; one spelling serves both. */
static const char *current_spelling(struct arena *arena, const char *path)
{
    static const struct {
        const char *old, *now;
    } words[] = {{"Clocks Throttle Reasons", "Clocks Event Reasons"},
                 {"clocks_throttle_reason", "clocks_event_reason"}};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *at;

        while ((at = strstr(path, words[i].old)) != NULL)
            path = arena_printf(arena, "%.*s%s%s", (int)(at - path), path, words[i].now,
                                at + strlen(words[i].old));
    }
    return path;
}

/* "27 C", "16x", "72.11 W", "639 bank(s)", "0"; header_unit is what a CSV header says. */
static bool read_number(struct slice value, const char *unit, struct slice header_unit, bool bare,
                        double *ret_value)
{
    struct slice number = value, rest;
    size_t length = 0;

    while (length < value.length && strchr("0123456789.-+", value.bytes[length]) != NULL)
        length++;
    number.length = length;
    rest = slice_trim(slice_from(value, length));
    if (rest.length == 0) {
        if (header_unit.length > 0 ? !slice_equal(header_unit, unit) : unit[0] != '\0' && !bare)
            return false;
    } else if (unit[0] == '\0' ? !slice_equal(rest, "x") && !slice_equal(rest, "bank(s)")
                               : !slice_equal(rest, unit)) {
        return false;
    }
    return scan_double(number, ret_value);
}

static void set_state(struct smi *smi, const struct field *field, struct slice value)
{
    const char *text = utf8_clean(smi->reading->arena, value);

    if (smi_not_available(value))
        text = "N/A";
    if (field->kind == SWITCH && strcmp(text, "On") == 0)
        text = "Enabled";
    if (field->kind == SWITCH && strcmp(text, "Off") == 0)
        text = "Disabled";
    reading_fact(smi->reading, field->name, smi->subject, slice_of(text));
    raise_alarm(smi, field->name, text);
}

static void set_field(struct smi *smi, size_t row, struct slice value, struct slice unit)
{
    const struct field *field = &fields[row];
    bool none = smi_not_available(value);
    double number;

    if (field->kind == NUMBER) {
        /* Clocks and power in CSV without units have them in the header; temperatures never do. */
        if (none || !read_number(value, field->unit, unit, smi->notation == SMI_CSV, &number))
            return;
        reading_measure(smi->reading, field->name, smi->subject, number, field->unit);
    } else if (field->kind == IDENTITY) {
        if (none || value.length == 0)
            return;
        reading_fact(smi->reading, field->name, smi->subject, value);
    } else {
        set_state(smi, field, value);
    }
    smi->seen[row] = true;
}

static void end_ecc(struct smi *smi)
{
    struct smi_ecc *ecc = &smi->ecc;
    struct arena *arena = smi->reading->arena;

    if (ecc->section != NULL && !ecc->unknown && ecc->corrected_parts > 0)
        reading_measure(smi->reading, arena_printf(arena, "ecc.%s.corrected", ecc->section), smi->subject,
                        ecc->corrected, "");
    if (ecc->section != NULL && !ecc->unknown && ecc->uncorrected_parts > 0)
        reading_measure(smi->reading, arena_printf(arena, "ecc.%s.uncorrected", ecc->section), smi->subject,
                        ecc->uncorrected, "");
    *ecc = (struct smi_ecc){0};
}

/* Adds up "SRAM Uncorrectable Parity", "DRAM Correctable", ... of one section; it is over at the next path.
 */
static void add_ecc(struct smi *smi, const char *path, struct slice value)
{
    static const struct {
        const char *prefix, *section;
    } sections[] = {
        {"ECC Errors/Volatile/", "volatile"},
        {"ECC Errors/Aggregate/", "aggregate"},
        {"ecc_errors/volatile/", "volatile"},
        {"ecc_errors/aggregate/", "aggregate"},
    };
    const char *section = NULL, *part = "";
    double number;

    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (strncmp(path, sections[i].prefix, strlen(sections[i].prefix)) == 0) {
            section = sections[i].section;
            part = path + strlen(sections[i].prefix);
        }
    if (strchr(part, '/') != NULL)
        section = NULL; /* older GPUs count by single and double bit, with a total of their own */
    if (section == NULL || (smi->ecc.section != NULL && strcmp(section, smi->ecc.section) != 0))
        end_ecc(smi);
    if (section == NULL || strstr(part, "orrectable") == NULL)
        return;
    smi->ecc.section = section;
    if (!read_number(value, "", slice_of(""), false, &number)) {
        smi->ecc.unknown = true;
    } else if (strstr(part, "ncorrectable") != NULL) {
        smi->ecc.uncorrected += number;
        smi->ecc.uncorrected_parts++;
    } else {
        smi->ecc.corrected += number;
        smi->ecc.corrected_parts++;
    }
}

void smi_compute_processes(struct smi *smi, const char *subject, unsigned count)
{
    reading_measure(smi->reading, "gpu.compute_processes", subject, count, "");
}

static void add_process(struct smi *smi, const char *path, struct slice value)
{
    if (strcmp(path, "Processes") == 0 || strcmp(path, "processes") == 0) {
        smi->processes = slice_equal(value, "None") || value.length == 0;
    } else if (matches("Processes/Process ID|processes/process_info/pid", path)) {
        smi->processes = true;
        smi->pid = value;
    } else if (matches("Processes/Process ID/Type|processes/process_info/type", path)) {
        smi->compute_processes += slice_contains(value, "C");
    } else if (matches("Processes/Process ID/Name|processes/process_info/process_name", path)) {
        reading_fact(smi->reading,
                     arena_printf(smi->reading->arena, "gpu.process.%.*s", slice_print(smi->pid)),
                     smi->subject, value);
    }
}

void smi_field(struct smi *smi, const char *path, struct slice value, struct slice unit)
{
    if (smi->subject == NULL)
        return;
    path = current_spelling(smi->reading->arena, path);
    if (smi->notation != SMI_CSV) {
        add_ecc(smi, path, value);
        add_process(smi, path, value);
    }
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (smi->seen[i] || !matches(fields[i].paths[smi->notation], path))
            continue;
        if (smi_faulty_value(smi, fields[i].name, value))
            return;
        set_field(smi, i, value, unit);
    }
}

bool smi_csv_column(struct slice name)
{
    struct arena *arena = arena_create();
    const char *column = current_spelling(arena, arena_strndup(arena, name.bytes, name.length));
    bool found =
        matches("index|pci.bus_id|gpu_bus_id|driver_version|count|timestamp|pci.domain|pci.bus", column);

    for (size_t i = 0; i < FIELD_COUNT && !found; i++)
        found = matches(fields[i].paths[SMI_CSV], column);
    arena_destroy(arena);
    return found;
}

void smi_begin_gpu_index(struct smi *smi, unsigned index)
{
    smi->subject = arena_printf(smi->reading->arena, "gpu%u", index);
    memset(smi->seen, 0, sizeof smi->seen);
    smi->faulty = false;
    smi->ecc = (struct smi_ecc){0};
    smi->pid = (struct slice){"", 0};
    smi->compute_processes = 0;
    smi->processes = false;
}

static bool is_lost(const struct smi *smi, unsigned index)
{
    for (size_t i = 0; i < smi->lost.count; i++)
        if (smi->lost.items[i] == index)
            return true;
    return false;
}

void smi_begin_gpu(struct smi *smi)
{
    while (is_lost(smi, smi->next))
        smi->next++;
    smi_begin_gpu_index(smi, smi->next++);
}

void smi_address(struct smi *smi, struct slice address)
{
    const char *normal = pci_address(smi->reading->arena, address);

    if (normal == NULL || reading_get_fact(smi->reading, "gpu.pci", smi->subject) != NULL)
        return;
    reading_fact(smi->reading, "gpu.pci", smi->subject, address);
    reading_fact(smi->reading, "gpu.pci_address", smi->subject, slice_of(normal));
}

void smi_end_gpu(struct smi *smi, bool whole)
{
    if (smi->subject == NULL)
        return;
    if (whole)
        end_ecc(smi);
    if (whole && smi->processes)
        smi_compute_processes(smi, smi->subject, smi->compute_processes);
    smi->subject = NULL;
}

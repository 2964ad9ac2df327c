/* SPDX-License-Identifier: Apache-2.0 */
/* nvidia-smi -q as text and as XML, which are one tree in two notations, and --query-gpu. */
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "assay/scan.h"
#include "lab_private.h"

/* Text: "Key   : value" under indented headings. XML: <key>value</key>. `display` keeps only some parts. */
struct writer {
    bool xml;
    unsigned depth;
    bool skipping;
    const char *display;
};

static void put(const struct writer *writer, const char *text, const char *tag, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void put(const struct writer *writer, const char *text, const char *tag, const char *format, ...)
{
    va_list arguments;
    int indent = (int)writer->depth * 4;

    if (writer->skipping)
        return;
    if (writer->xml)
        printf("%*s<%s>", indent, "", tag);
    else
        printf("%*s%-*s: ", indent, "", 42 - indent, text);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    if (writer->xml)
        printf("</%s>", tag);
    printf("\n");
}

static void open_part(struct writer *writer, const char *text, const char *tag)
{
    if (!writer->skipping)
        printf(writer->xml ? "%*s<%s>\n" : "%*s%s\n", (int)writer->depth * 4, "", writer->xml ? tag : text);
    writer->depth++;
}

static void close_part(struct writer *writer, const char *tag)
{
    writer->depth--;
    if (writer->xml && !writer->skipping)
        printf("%*s</%s>\n", (int)writer->depth * 4, "", tag);
}

/* What follows belongs to this part of -d; "" belongs to none. */
static void section(struct writer *writer, const char *name)
{
    writer->skipping =
        writer->display != NULL && (*name == '\0' || strcasestr(writer->display, name) == NULL);
}

static const char *enabled(bool on)
{
    return on ? "Enabled" : "Disabled";
}

static const char *active(bool on)
{
    return on ? "Active" : "Not Active";
}

static const char *fabric_state(const struct lab_host *host, const struct lab_gpu *gpu)
{
    if (!host->profile->fabric_state)
        return "N/A";
    return gpu->fabric_ready ? "Completed" : "In Progress";
}

static const char *fabric_status(const struct lab_host *host, const struct lab_gpu *gpu)
{
    return host->profile->fabric_state && gpu->fabric_ready ? "Success" : "N/A";
}

/* The reasons why the clocks are where they are. */
struct reasons {
    bool idle, power_cap, thermal;
};

static struct reasons reasons_of(const struct lab_gpu *gpu, const struct gpu_now *now)
{
    return (struct reasons){
        .idle = !now->loaded,
        .power_cap = now->loaded && !gpu->throttled,
        .thermal = now->loaded && gpu->throttled,
    };
}

static void write_identity(struct writer *w, const struct lab_host *host, const struct lab_gpu *gpu,
                           int index)
{
    const struct lab_profile *profile = host->profile;

    put(w, "Product Name", "product_name", "%s", profile->gpu_name);
    put(w, "Product Brand", "product_brand", "NVIDIA");
    put(w, "Product Architecture", "product_architecture", "%s", profile->architecture);
    put(w, "Display Mode", "display_mode", "Disabled");
    put(w, "Display Active", "display_active", "Disabled");
    put(w, "Persistence Mode", "persistence_mode", "%s", enabled(gpu->persistence));
    put(w, "Addressing Mode", "addressing_mode", "None");
    open_part(w, "MIG Mode", "mig_mode");
    put(w, "Current", "current_mig", "%s", enabled(gpu->mig));
    put(w, "Pending", "pending_mig", "%s", enabled(gpu->mig));
    close_part(w, "mig_mode");
    if (w->xml)
        put(w, "", "mig_devices", "None");
    put(w, "Accounting Mode", "accounting_mode", "Disabled");
    put(w, "Accounting Mode Buffer Size", "accounting_mode_buffer_size", "4000");
    open_part(w, "Driver Model", "driver_model");
    put(w, "Current", "current_dm", "N/A");
    put(w, "Pending", "pending_dm", "N/A");
    close_part(w, "driver_model");
    put(w, "Serial Number", "serial", "%s", gpu->serial);
    put(w, "GPU UUID", "uuid", "%s", gpu->uuid);
    put(w, "Minor Number", "minor_number", "%d", index);
    put(w, "VBIOS Version", "vbios_version", "%s", profile->vbios);
    put(w, "MultiGPU Board", "multigpu_board", "No");
    put(w, "Board ID", "board_id", "0x%x", gpu->pci_bus << 8);
    put(w, "Board Part Number", "board_part_number", "%s", profile->board_part);
    put(w, "GPU Part Number", "gpu_part_number", "%s", profile->gpu_part);
    put(w, "FRU Part Number", "gpu_fru_part_number", "N/A");
    put(w, "Module ID", "gpu_module_id", "%d", gpu->number + 1);
    open_part(w, "Inforom Version", "inforom_version");
    put(w, "Image Version", "img_version", "%s", profile->image);
    put(w, "OEM Object", "oem_object", "2.1");
    put(w, "ECC Object", "ecc_object", "%s", profile->inforom_ecc);
    put(w, "Power Management Object", "pwr_object", "N/A");
    close_part(w, "inforom_version");
    put(w, "GSP Firmware Version", "gsp_firmware_version", "%s", host->driver);
    open_part(w, "GPU Reset Status", "gpu_reset_status");
    put(w, "Reset Required", "reset_required", "%s", gpu->remap_pending ? "Yes" : "No");
    put(w, "Drain and Reset Recommended", "drain_and_reset_recommended", "No");
    close_part(w, "gpu_reset_status");
}

static void write_pci(struct writer *w, const struct lab_host *host, const struct lab_gpu *gpu)
{
    const struct lab_profile *profile = host->profile;
    char device[16], subsystem[16];

    for (int i = 0; i < 5; i++) {
        device[i] = (char)(profile->device_id[i] >= 'a' ? profile->device_id[i] - 32 : profile->device_id[i]);
        subsystem[i] = (char)(profile->subsystem_id[i] >= 'a' ? profile->subsystem_id[i] - 32
                                                              : profile->subsystem_id[i]);
    }
    open_part(w, "PCI", "pci");
    put(w, "Bus", "pci_bus", "%s%02X", w->xml ? "" : "0x", gpu->pci_bus);
    put(w, "Device", "pci_device", "%s00", w->xml ? "" : "0x");
    put(w, "Domain", "pci_domain", "%s0000", w->xml ? "" : "0x");
    put(w, "Device Id", "pci_device_id", "%s%s10DE", w->xml ? "" : "0x", device);
    put(w, "Bus Id", "pci_bus_id", "00000000:%02X:00.0", gpu->pci_bus);
    put(w, "Sub System Id", "pci_sub_system_id", "%s%s10DE", w->xml ? "" : "0x", subsystem);
    open_part(w, "GPU Link Info", "pci_gpu_link_info");
    open_part(w, "PCIe Generation", "pcie_gen");
    put(w, "Max", "max_link_gen", "%u", profile->pcie_generation);
    put(w, "Current", "current_link_gen", "%u", profile->pcie_generation);
    put(w, "Device Current", "device_current_link_gen", "%u", profile->pcie_generation);
    put(w, "Device Max", "max_device_link_gen", "%u", profile->pcie_generation);
    put(w, "Host Max", "max_host_link_gen", "%u", profile->pcie_generation);
    close_part(w, "pcie_gen");
    open_part(w, "Link Width", "link_widths");
    put(w, "Max", "max_link_width", "16x");
    put(w, "Current", "current_link_width", "16x");
    close_part(w, "link_widths");
    close_part(w, "pci_gpu_link_info");
    open_part(w, "Bridge Chip", "pci_bridge_chip");
    put(w, "Type", "bridge_chip_type", "N/A");
    put(w, "Firmware", "bridge_chip_fw", "N/A");
    close_part(w, "pci_bridge_chip");
    put(w, "Replays Since Reset", "replay_counter", "0");
    put(w, "Replay Number Rollovers", "replay_rollover_counter", "0");
    put(w, "Tx Throughput", "tx_util", "612 KB/s");
    put(w, "Rx Throughput", "rx_util", "540 KB/s");
    close_part(w, "pci");
}

static void write_reasons(struct writer *w, const struct lab_gpu *gpu, const struct gpu_now *now)
{
    struct reasons reasons = reasons_of(gpu, now);

    section(w, "PERFORMANCE");
    put(w, "Fan Speed", "fan_speed", "N/A");
    put(w, "Performance State", "performance_state", "P0");
    open_part(w, "Clocks Event Reasons", "clocks_event_reasons");
    put(w, "Idle", "clocks_event_reason_gpu_idle", "%s", active(reasons.idle));
    put(w, "Applications Clocks Setting", "clocks_event_reason_applications_clocks_setting", "Not Active");
    put(w, "SW Power Cap", "clocks_event_reason_sw_power_cap", "%s", active(reasons.power_cap));
    put(w, "HW Slowdown", "clocks_event_reason_hw_slowdown", "%s", active(reasons.thermal));
    w->depth += w->xml ? 0 : 1;
    put(w, "HW Thermal Slowdown", "clocks_event_reason_hw_thermal_slowdown", "%s", active(reasons.thermal));
    put(w, "HW Power Brake Slowdown", "clocks_event_reason_hw_power_brake_slowdown", "Not Active");
    w->depth -= w->xml ? 0 : 1;
    put(w, "Sync Boost", "clocks_event_reason_sync_boost", "Not Active");
    put(w, "SW Thermal Slowdown", "clocks_event_reason_sw_thermal_slowdown", "%s", active(reasons.thermal));
    put(w, "Display Clock Setting", "clocks_event_reason_display_clocks_setting", "Not Active");
    close_part(w, "clocks_event_reasons");
}

static void write_memory(struct writer *w, const struct lab_host *host, const struct gpu_now *now)
{
    const struct lab_profile *profile = host->profile;

    section(w, "MEMORY");
    open_part(w, "FB Memory Usage", "fb_memory_usage");
    put(w, "Total", "total", "%u MiB", profile->memory_mib);
    put(w, "Reserved", "reserved", "%u MiB", profile->reserved_mib);
    put(w, "Used", "used", "%u MiB", now->memory_used_mib);
    put(w, "Free", "free", "%u MiB", profile->memory_mib - profile->reserved_mib - now->memory_used_mib);
    close_part(w, "fb_memory_usage");
    open_part(w, "BAR1 Memory Usage", "bar1_memory_usage");
    put(w, "Total", "total", "131072 MiB");
    put(w, "Used", "used", "1 MiB");
    put(w, "Free", "free", "131071 MiB");
    close_part(w, "bar1_memory_usage");
    section(w, "COMPUTE");
    put(w, "Compute Mode", "compute_mode", "Default");
    section(w, "UTILIZATION");
    open_part(w, "Utilization", "utilization");
    put(w, "Gpu", "gpu_util", "%u %%", now->utilization);
    put(w, "Memory", "memory_util", "%u %%", now->utilization / 2);
    put(w, "Encoder", "encoder_util", "0 %%");
    put(w, "Decoder", "decoder_util", "0 %%");
    close_part(w, "utilization");
}

static void write_ecc_counters(struct writer *w, const char *text, const char *tag, const struct lab_gpu *gpu,
                               bool aggregate)
{
    const char *zero = gpu->ecc ? "0" : "N/A";

    open_part(w, text, tag);
    put(w, "SRAM Correctable", "sram_correctable", "%s", zero);
    put(w, "SRAM Uncorrectable Parity", "sram_uncorrectable_parity", "%s", zero);
    put(w, "SRAM Uncorrectable SEC-DED", "sram_uncorrectable_secded", "%s", zero);
    put(w, "DRAM Correctable", "dram_correctable", "%s", zero);
    put(w, "DRAM Uncorrectable", "dram_uncorrectable", "%s",
        gpu->ecc && aggregate && gpu->remap_pending ? "1" : zero);
    if (aggregate)
        put(w, "SRAM Threshold Exceeded", "sram_threshold_exceeded", "%s", gpu->ecc ? "No" : "N/A");
    close_part(w, tag);
}

static void write_ecc(struct writer *w, const struct lab_host *host, const struct lab_gpu *gpu)
{
    section(w, "ECC");
    open_part(w, "ECC Mode", "ecc_mode");
    put(w, "Current", "current_ecc", "%s", enabled(gpu->ecc));
    put(w, "Pending", "pending_ecc", "%s", enabled(gpu->ecc));
    close_part(w, "ecc_mode");
    open_part(w, "ECC Errors", "ecc_errors");
    write_ecc_counters(w, "Volatile", "volatile", gpu, false);
    write_ecc_counters(w, "Aggregate", "aggregate", gpu, true);
    close_part(w, "ecc_errors");
    section(w, "PAGE_RETIREMENT");
    open_part(w, "Retired Pages", "retired_pages");
    if (w->xml) {
        open_part(w, "", "multiple_single_bit_retirement");
        put(w, "", "retired_count", "N/A");
        put(w, "", "retired_pagelist", "N/A");
        close_part(w, "multiple_single_bit_retirement");
        open_part(w, "", "double_bit_retirement");
        put(w, "", "retired_count", "N/A");
        put(w, "", "retired_pagelist", "N/A");
        close_part(w, "double_bit_retirement");
        put(w, "", "pending_blacklist", "N/A");
        put(w, "", "pending_retirement", "N/A");
    } else {
        put(w, "Single Bit ECC", "", "N/A");
        put(w, "Double Bit ECC", "", "N/A");
        put(w, "Pending Page Blacklist", "", "N/A");
    }
    close_part(w, "retired_pages");
    section(w, "ROW_REMAPPER");
    open_part(w, "Remapped Rows", "remapped_rows");
    put(w, "Correctable Error", "remapped_row_corr", "0");
    put(w, "Uncorrectable Error", "remapped_row_unc", "%d", gpu->remap_pending ? 1 : 0);
    put(w, "Pending", "remapped_row_pending", "%s", gpu->remap_pending ? "Yes" : "No");
    put(w, "Remapping Failure Occurred", "remapped_row_failure", "No");
    open_part(w, "Bank Remap Availability Histogram", "row_remapper_histogram");
    put(w, "Max", "row_remapper_histogram_max", "%u bank(s)",
        host->profile->remap_banks - (gpu->remap_pending ? 1 : 0));
    put(w, "High", "row_remapper_histogram_high", "%d bank(s)", gpu->remap_pending ? 1 : 0);
    put(w, "Partial", "row_remapper_histogram_partial", "0 bank(s)");
    put(w, "Low", "row_remapper_histogram_low", "0 bank(s)");
    put(w, "None", "row_remapper_histogram_none", "0 bank(s)");
    close_part(w, "row_remapper_histogram");
    close_part(w, "remapped_rows");
}

static void write_temperature(struct writer *w, const struct lab_host *host, const struct gpu_now *now)
{
    unsigned memory =
        host->profile->memory_temperature + (now->temperature - host->profile->temperature_idle) / 2;

    section(w, "TEMPERATURE");
    open_part(w, "Temperature", "temperature");
    put(w, "GPU Current Temp", "gpu_temp", "%u C", now->temperature);
    if (host->profile->temperature_limits) {
        put(w, "GPU T.Limit Temp", "gpu_temp_tlimit", "%d C", 87 - (int)now->temperature);
        put(w, "GPU Shutdown T.Limit Temp", "gpu_temp_max_tlimit_threshold", "-8 C");
        put(w, "GPU Slowdown T.Limit Temp", "gpu_temp_slow_tlimit_threshold", "-2 C");
        put(w, "GPU Max Operating T.Limit Temp", "gpu_temp_max_gpu_tlimit_threshold", "0 C");
    } else {
        put(w, "GPU T.Limit Temp", "gpu_temp_tlimit", "N/A");
        put(w, "GPU Shutdown Temp", "gpu_temp_max_threshold", "92 C");
        put(w, "GPU Slowdown Temp", "gpu_temp_slow_threshold", "89 C");
        put(w, "GPU Max Operating Temp", "gpu_temp_max_gpu_threshold", "85 C");
    }
    put(w, "GPU Target Temperature", "gpu_target_temperature", "N/A");
    put(w, "Memory Current Temp", "memory_temp", "%u C", memory);
    if (host->profile->temperature_limits)
        put(w, "Memory Max Operating T.Limit Temp", "gpu_temp_max_mem_tlimit_threshold", "0 C");
    else
        put(w, "Memory Max Operating Temp", "gpu_temp_max_mem_threshold", "95 C");
    close_part(w, "temperature");
}

static void write_power(struct writer *w, const struct lab_host *host, const struct gpu_now *now)
{
    const struct lab_profile *profile = host->profile;

    section(w, "POWER");
    open_part(w, "GPU Power Readings", "gpu_power_readings");
    if (w->xml)
        put(w, "", "power_state", "P0");
    put(w, "Power Draw", "power_draw", "%.2f W", now->power);
    put(w, "Current Power Limit", "current_power_limit", "%u.00 W", profile->power_limit);
    put(w, "Requested Power Limit", "requested_power_limit", "%u.00 W", profile->power_limit);
    put(w, "Default Power Limit", "default_power_limit", "%u.00 W", profile->power_limit);
    put(w, "Min Power Limit", "min_power_limit", "%u.00 W", profile->power_min);
    put(w, "Max Power Limit", "max_power_limit", "%u.00 W", profile->power_limit);
    close_part(w, "gpu_power_readings");
    section(w, "CLOCK");
    open_part(w, "Clocks", "clocks");
    put(w, "Graphics", "graphics_clock", "%u MHz", now->clock_mhz);
    put(w, "SM", "sm_clock", "%u MHz", now->clock_mhz);
    put(w, "Memory", "mem_clock", "%u MHz", profile->clock_memory);
    put(w, "Video", "video_clock", "%u MHz", profile->clock_max / 3);
    close_part(w, "clocks");
    open_part(w, "Applications Clocks", "applications_clocks");
    put(w, "Graphics", "graphics_clock", "%u MHz", profile->clock_max);
    put(w, "Memory", "mem_clock", "%u MHz", profile->clock_memory);
    close_part(w, "applications_clocks");
    open_part(w, "Default Applications Clocks", "default_applications_clocks");
    put(w, "Graphics", "graphics_clock", "%u MHz", profile->clock_max);
    put(w, "Memory", "mem_clock", "%u MHz", profile->clock_memory);
    close_part(w, "default_applications_clocks");
    open_part(w, "Max Clocks", "max_clocks");
    put(w, "Graphics", "graphics_clock", "%u MHz", profile->clock_max);
    put(w, "SM", "sm_clock", "%u MHz", profile->clock_max);
    put(w, "Memory", "mem_clock", "%u MHz", profile->clock_memory);
    put(w, "Video", "video_clock", "%u MHz", profile->clock_max * 7 / 9);
    close_part(w, "max_clocks");
}

static void write_processes(struct writer *w, const struct lab_host *host, const struct lab_gpu *gpu)
{
    struct gpu_process process;

    section(w, "PIDS");
    if (!gpu_process(host, gpu, &process)) {
        if (w->xml)
            printf("%*s<processes>\n%*s</processes>\n", (int)w->depth * 4, "", (int)w->depth * 4, "");
        else
            put(w, "Processes", "", "None");
        return;
    }
    open_part(w, "Processes", "processes");
    if (w->xml)
        open_part(w, "", "process_info");
    put(w, "GPU instance ID", "gpu_instance_id", "N/A");
    put(w, "Compute instance ID", "compute_instance_id", "N/A");
    put(w, "Process ID", "pid", "%d", process.pid);
    w->depth += w->xml ? 0 : 1;
    put(w, "Type", "type", "C");
    put(w, "Name", "process_name", "%s", process.name);
    put(w, "Used GPU Memory", "used_memory", "%u MiB", process.memory_mib);
    w->depth -= w->xml ? 0 : 1;
    if (w->xml)
        close_part(w, "process_info");
    close_part(w, "processes");
}

static void write_gpu(struct writer *w, const struct lab_host *host, int index)
{
    const struct lab_gpu *gpu = &host->gpus[index];
    struct gpu_now now = gpu_now(host, gpu);

    w->skipping = false;
    w->depth = w->xml ? 1 : 0;
    if (w->xml)
        printf("    <gpu id=\"00000000:%02X:00.0\">\n", gpu->pci_bus);
    else
        printf("GPU 00000000:%02X:00.0\n", gpu->pci_bus);
    w->depth++;
    section(w, "");
    write_identity(w, host, gpu, index);
    write_pci(w, host, gpu);
    write_reasons(w, gpu, &now);
    write_memory(w, host, &now);
    write_ecc(w, host, gpu);
    write_temperature(w, host, &now);
    write_power(w, host, &now);
    section(w, "");
    open_part(w, "Fabric", "fabric");
    put(w, "State", "state", "%s", fabric_state(host, gpu));
    put(w, "Status", "status", "%s", fabric_status(host, gpu));
    close_part(w, "fabric");
    write_processes(w, host, gpu);
    w->skipping = false;
    printf(w->xml ? "    </gpu>\n" : "\n");
}

int nvidia_smi_query(struct tool *tool, bool xml, const char *display, int only)
{
    const struct lab_host *host = tool->host;
    struct writer writer = {.xml = xml, .display = display};
    time_t now = time(NULL);
    struct tm local;
    char date[64];

    strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y", localtime_r(&now, &local));
    if (xml) {
        printf("<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v12.dtd\">\n"
               "<nvidia_smi_log>\n");
        writer.depth = 1;
    } else {
        printf("\n==============NVSMI LOG==============\n\n");
    }
    put(&writer, "Timestamp", "timestamp", "%s", date);
    put(&writer, "Driver Version", "driver_version", "%s", host->driver);
    put(&writer, "CUDA Version", "cuda_version", "%s", host->profile->cuda);
    if (!xml)
        printf("\n");
    put(&writer, "Attached GPUs", "attached_gpus", "%d", host->gpu_count);
    for (int i = 0; i < host->gpu_count; i++)
        if (only < 0 || only == i)
            write_gpu(&writer, host, i);
    if (xml)
        printf("</nvidia_smi_log>\n");
    return 0;
}

/* --query-gpu: a row a field. */

enum field_kind {
    FIELD_TEXT, /* `text` is a fixed value */
    FIELD_TIMESTAMP,
    FIELD_DRIVER,
    FIELD_COUNT,
    FIELD_NAME,
    FIELD_SERIAL,
    FIELD_UUID,
    FIELD_INDEX,
    FIELD_BUS_ID,
    FIELD_VBIOS,
    FIELD_GENERATION,
    FIELD_PERSISTENCE,
    FIELD_MIG,
    FIELD_TEMPERATURE,
    FIELD_MEMORY_TEMPERATURE,
    FIELD_UTILIZATION,
    FIELD_MEMORY_TOTAL,
    FIELD_MEMORY_RESERVED,
    FIELD_MEMORY_USED,
    FIELD_MEMORY_FREE,
    FIELD_POWER,
    FIELD_POWER_LIMIT,
    FIELD_POWER_MIN,
    FIELD_CLOCK,
    FIELD_CLOCK_MAX,
    FIELD_CLOCK_MEMORY,
    FIELD_ECC,
    FIELD_ECC_COUNT,
    FIELD_REMAP_UNCORRECTABLE,
    FIELD_REMAP_PENDING,
    FIELD_FABRIC_STATE,
    FIELD_FABRIC_STATUS,
    FIELD_REASONS,
    FIELD_REASON_IDLE,
    FIELD_REASON_POWER,
    FIELD_REASON_THERMAL,
};

static const struct field {
    const char *name;
    enum field_kind kind;
    const char *unit; /* shown in the header and after the value */
    const char *text;
} fields[] = {
    {"timestamp", FIELD_TIMESTAMP, NULL, NULL},
    {"driver_version", FIELD_DRIVER, NULL, NULL},
    {"count", FIELD_COUNT, NULL, NULL},
    {"name", FIELD_NAME, NULL, NULL},
    {"gpu_name", FIELD_NAME, NULL, NULL},
    {"serial", FIELD_SERIAL, NULL, NULL},
    {"gpu_serial", FIELD_SERIAL, NULL, NULL},
    {"uuid", FIELD_UUID, NULL, NULL},
    {"gpu_uuid", FIELD_UUID, NULL, NULL},
    {"index", FIELD_INDEX, NULL, NULL},
    {"pci.bus_id", FIELD_BUS_ID, NULL, NULL},
    {"gpu_bus_id", FIELD_BUS_ID, NULL, NULL},
    {"vbios_version", FIELD_VBIOS, NULL, NULL},
    {"pcie.link.gen.current", FIELD_GENERATION, NULL, NULL},
    {"pcie.link.gen.gpucurrent", FIELD_GENERATION, NULL, NULL},
    {"pcie.link.gen.max", FIELD_GENERATION, NULL, NULL},
    {"pcie.link.gen.gpumax", FIELD_GENERATION, NULL, NULL},
    {"pcie.link.gen.hostmax", FIELD_GENERATION, NULL, NULL},
    {"pcie.link.width.current", FIELD_TEXT, NULL, "16"},
    {"pcie.link.width.max", FIELD_TEXT, NULL, "16"},
    {"display_mode", FIELD_TEXT, NULL, "Disabled"},
    {"display_active", FIELD_TEXT, NULL, "Disabled"},
    {"persistence_mode", FIELD_PERSISTENCE, NULL, NULL},
    {"mig.mode.current", FIELD_MIG, NULL, NULL},
    {"mig.mode.pending", FIELD_MIG, NULL, NULL},
    {"compute_mode", FIELD_TEXT, NULL, "Default"},
    {"pstate", FIELD_TEXT, NULL, "P0"},
    {"fan.speed", FIELD_TEXT, "%", "[N/A]"},
    {"temperature.gpu", FIELD_TEMPERATURE, NULL, NULL},
    {"temperature.memory", FIELD_MEMORY_TEMPERATURE, NULL, NULL},
    {"utilization.gpu", FIELD_UTILIZATION, "%", NULL},
    {"utilization.memory", FIELD_UTILIZATION, "%", NULL},
    {"memory.total", FIELD_MEMORY_TOTAL, "MiB", NULL},
    {"memory.reserved", FIELD_MEMORY_RESERVED, "MiB", NULL},
    {"memory.used", FIELD_MEMORY_USED, "MiB", NULL},
    {"memory.free", FIELD_MEMORY_FREE, "MiB", NULL},
    {"power.draw", FIELD_POWER, "W", NULL},
    {"power.draw.average", FIELD_POWER, "W", NULL},
    {"power.draw.instant", FIELD_POWER, "W", NULL},
    {"power.limit", FIELD_POWER_LIMIT, "W", NULL},
    {"enforced.power.limit", FIELD_POWER_LIMIT, "W", NULL},
    {"power.default_limit", FIELD_POWER_LIMIT, "W", NULL},
    {"power.min_limit", FIELD_POWER_MIN, "W", NULL},
    {"power.max_limit", FIELD_POWER_LIMIT, "W", NULL},
    {"clocks.current.graphics", FIELD_CLOCK, "MHz", NULL},
    {"clocks.gr", FIELD_CLOCK, "MHz", NULL},
    {"clocks.current.sm", FIELD_CLOCK, "MHz", NULL},
    {"clocks.sm", FIELD_CLOCK, "MHz", NULL},
    {"clocks.current.memory", FIELD_CLOCK_MEMORY, "MHz", NULL},
    {"clocks.mem", FIELD_CLOCK_MEMORY, "MHz", NULL},
    {"clocks.max.graphics", FIELD_CLOCK_MAX, "MHz", NULL},
    {"clocks.max.gr", FIELD_CLOCK_MAX, "MHz", NULL},
    {"clocks.max.sm", FIELD_CLOCK_MAX, "MHz", NULL},
    {"clocks.max.memory", FIELD_CLOCK_MEMORY, "MHz", NULL},
    {"clocks.max.mem", FIELD_CLOCK_MEMORY, "MHz", NULL},
    {"ecc.mode.current", FIELD_ECC, NULL, NULL},
    {"ecc.mode.pending", FIELD_ECC, NULL, NULL},
    {"ecc.errors.corrected.volatile.total", FIELD_ECC_COUNT, NULL, NULL},
    {"ecc.errors.corrected.aggregate.total", FIELD_ECC_COUNT, NULL, NULL},
    {"ecc.errors.uncorrected.volatile.total", FIELD_ECC_COUNT, NULL, NULL},
    {"ecc.errors.uncorrected.volatile.dram", FIELD_ECC_COUNT, NULL, NULL},
    {"ecc.errors.uncorrected.volatile.sram", FIELD_ECC_COUNT, NULL, NULL},
    {"ecc.errors.uncorrected.aggregate.total", FIELD_ECC_COUNT, NULL, "aggregate"},
    {"retired_pages.single_bit_ecc.count", FIELD_TEXT, NULL, "[N/A]"},
    {"retired_pages.double_bit.count", FIELD_TEXT, NULL, "[N/A]"},
    {"retired_pages.pending", FIELD_TEXT, NULL, "[N/A]"},
    {"remapped_rows.correctable", FIELD_TEXT, NULL, "0"},
    {"remapped_rows.uncorrectable", FIELD_REMAP_UNCORRECTABLE, NULL, NULL},
    {"remapped_rows.pending", FIELD_REMAP_PENDING, NULL, NULL},
    {"remapped_rows.failure", FIELD_TEXT, NULL, "No"},
    {"fabric.state", FIELD_FABRIC_STATE, NULL, NULL},
    {"fabric.status", FIELD_FABRIC_STATUS, NULL, NULL},
    {"clocks_event_reasons.active", FIELD_REASONS, NULL, NULL},
    {"clocks_event_reasons.gpu_idle", FIELD_REASON_IDLE, NULL, NULL},
    {"clocks_event_reasons.applications_clocks_setting", FIELD_TEXT, NULL, "Not Active"},
    {"clocks_event_reasons.sw_power_cap", FIELD_REASON_POWER, NULL, NULL},
    {"clocks_event_reasons.hw_slowdown", FIELD_REASON_THERMAL, NULL, NULL},
    {"clocks_event_reasons.hw_thermal_slowdown", FIELD_REASON_THERMAL, NULL, NULL},
    {"clocks_event_reasons.hw_power_brake_slowdown", FIELD_TEXT, NULL, "Not Active"},
    {"clocks_event_reasons.sw_thermal_slowdown", FIELD_REASON_THERMAL, NULL, NULL},
    {"clocks_event_reasons.sync_boost", FIELD_TEXT, NULL, "Not Active"},
};

/* The older name of the same group of fields. */
#define OLD_REASONS "clocks_throttle_reasons."
#define NEW_REASONS "clocks_event_reasons."

static const struct field *find_field(struct slice name)
{
    bool old = slice_starts(name, OLD_REASONS);

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (slice_equal(name, fields[i].name))
            return &fields[i];
        if (old && strncmp(fields[i].name, NEW_REASONS, strlen(NEW_REASONS)) == 0 &&
            slice_equal(slice_from(name, strlen(OLD_REASONS)), fields[i].name + strlen(NEW_REASONS)))
            return &fields[i];
    }
    return NULL;
}

static const char *reason_mask(const struct reasons *reasons)
{
    if (reasons->thermal)
        return "0x0000000000000068";
    return reasons->power_cap ? "0x0000000000000004" : "0x0000000000000001";
}

static const char *field_text(struct tool *tool, const struct field *field, int index)
{
    const struct lab_host *host = tool->host;
    const struct lab_profile *profile = host->profile;
    const struct lab_gpu *gpu = &host->gpus[index];
    struct gpu_now now = gpu_now(host, gpu);
    struct reasons reasons = reasons_of(gpu, &now);
    struct arena *arena = tool->arena;
    struct timespec clock;
    struct tm local;
    char date[64];

    switch (field->kind) {
    case FIELD_TEXT:
        return field->text;
    case FIELD_TIMESTAMP:
        clock_gettime(CLOCK_REALTIME, &clock);
        strftime(date, sizeof date, "%Y/%m/%d %H:%M:%S", localtime_r(&clock.tv_sec, &local));
        return arena_printf(arena, "%s.%03ld", date, clock.tv_nsec / 1000000);
    case FIELD_DRIVER:
        return host->driver;
    case FIELD_COUNT:
        return arena_printf(arena, "%d", host->gpu_count);
    case FIELD_NAME:
        return profile->gpu_name;
    case FIELD_SERIAL:
        return gpu->serial;
    case FIELD_UUID:
        return gpu->uuid;
    case FIELD_INDEX:
        return arena_printf(arena, "%d", index);
    case FIELD_BUS_ID:
        return arena_printf(arena, "00000000:%02X:00.0", gpu->pci_bus);
    case FIELD_VBIOS:
        return profile->vbios;
    case FIELD_GENERATION:
        return arena_printf(arena, "%u", profile->pcie_generation);
    case FIELD_PERSISTENCE:
        return enabled(gpu->persistence);
    case FIELD_MIG:
        return enabled(gpu->mig);
    case FIELD_TEMPERATURE:
        return arena_printf(arena, "%u", now.temperature);
    case FIELD_MEMORY_TEMPERATURE:
        return arena_printf(arena, "%u",
                            profile->memory_temperature + (now.temperature - profile->temperature_idle) / 2);
    case FIELD_UTILIZATION:
        return arena_printf(arena, "%u", now.utilization);
    case FIELD_MEMORY_TOTAL:
        return arena_printf(arena, "%u", profile->memory_mib);
    case FIELD_MEMORY_RESERVED:
        return arena_printf(arena, "%u", profile->reserved_mib);
    case FIELD_MEMORY_USED:
        return arena_printf(arena, "%u", now.memory_used_mib);
    case FIELD_MEMORY_FREE:
        return arena_printf(arena, "%u", profile->memory_mib - profile->reserved_mib - now.memory_used_mib);
    case FIELD_POWER:
        return arena_printf(arena, "%.2f", now.power);
    case FIELD_POWER_LIMIT:
        return arena_printf(arena, "%u.00", profile->power_limit);
    case FIELD_POWER_MIN:
        return arena_printf(arena, "%u.00", profile->power_min);
    case FIELD_CLOCK:
        return arena_printf(arena, "%u", now.clock_mhz);
    case FIELD_CLOCK_MAX:
        return arena_printf(arena, "%u", profile->clock_max);
    case FIELD_CLOCK_MEMORY:
        return arena_printf(arena, "%u", profile->clock_memory);
    case FIELD_ECC:
        return enabled(gpu->ecc);
    case FIELD_ECC_COUNT:
        if (!gpu->ecc)
            return "[N/A]";
        return field->text != NULL && gpu->remap_pending ? "1" : "0";
    case FIELD_REMAP_UNCORRECTABLE:
        return gpu->remap_pending ? "1" : "0";
    case FIELD_REMAP_PENDING:
        return gpu->remap_pending ? "Yes" : "No";
    case FIELD_FABRIC_STATE:
        return profile->fabric_state ? fabric_state(host, gpu) : "[N/A]";
    case FIELD_FABRIC_STATUS:
        return profile->fabric_state ? fabric_status(host, gpu) : "[N/A]";
    case FIELD_REASONS:
        return reason_mask(&reasons);
    case FIELD_REASON_IDLE:
        return active(reasons.idle);
    case FIELD_REASON_POWER:
        return active(reasons.power_cap);
    case FIELD_REASON_THERMAL:
        return active(reasons.thermal);
    default:
        return "[N/A]";
    }
}

/* The next word of a comma list; false at its end. */
static bool next_word(struct slice *rest, struct slice *ret_word)
{
    size_t comma = slice_find(*rest, ",");

    if (rest->length == 0)
        return false;
    if (comma == (size_t)-1)
        comma = rest->length;
    *ret_word = slice_trim((struct slice){rest->bytes, comma});
    *rest = slice_from(*rest, comma < rest->length ? comma + 1 : comma);
    return true;
}

static void print_header(const char *list)
{
    struct slice rest = slice_of(list), word;
    const char *separator = "";

    while (next_word(&rest, &word)) {
        const struct field *field = find_field(word);

        printf("%s%s", separator, field->name);
        if (field->unit != NULL)
            printf(" [%s]", field->unit);
        separator = ", ";
    }
    printf("\n");
}

int nvidia_smi_query_csv(struct tool *tool, const char *list, const char *format, int only)
{
    struct slice rest = slice_of(list), word;
    bool units = strstr(format, "nounits") == NULL;

    if (strncmp(format, "csv", 3) != 0) {
        printf("\"--format=\" switch is missing. Please run 'nvidia-smi -h' for help.\n");
        return 1;
    }
    while (next_word(&rest, &word))
        if (find_field(word) == NULL) {
            printf("Field \"%.*s\" is not a valid field to query.\n\n", slice_print(word));
            return 2;
        }
    if (strstr(format, "noheader") == NULL)
        print_header(list);
    for (int i = 0; i < tool->host->gpu_count; i++) {
        const char *separator = "";

        if (only >= 0 && only != i)
            continue;
        for (rest = slice_of(list); next_word(&rest, &word); separator = ", ") {
            const struct field *field = find_field(word);
            const char *text = field_text(tool, field, i);

            printf("%s%s", separator, text);
            if (units && field->unit != NULL && *text != '[')
                printf(" %s", field->unit);
        }
        printf("\n");
    }
    return 0;
}

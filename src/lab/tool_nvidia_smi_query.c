/* SPDX-License-Identifier: Apache-2.0 */
/* nvidia-smi -q as text and as XML, which are one tree in two notations. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nvidia_smi_words.h"

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
    put(w, "Pending", "pending_mig", "%s", enabled(gpu->mig_pending));
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
    put(w, "VBIOS Version", "vbios_version", "%s", gpu->vbios);
    put(w, "MultiGPU Board", "multigpu_board", "No");
    put(w, "Board ID", "board_id", "0x%x", gpu->pci_bus << 8);
    put(w, "Board Part Number", "board_part_number", "%s", gpu->board_part);
    put(w, "GPU Part Number", "gpu_part_number", "%s", profile->gpu_part);
    put(w, "FRU Part Number", "gpu_fru_part_number", "N/A");
    put(w, "Module ID", "gpu_module_id", "%d", gpu->number + 1);
    open_part(w, "Inforom Version", "inforom_version");
    put(w, "Image Version", "img_version", "%s", gpu->image);
    put(w, "OEM Object", "oem_object", "2.1");
    put(w, "ECC Object", "ecc_object", "%s", profile->inforom_ecc);
    put(w, "Power Management Object", "pwr_object", "N/A");
    close_part(w, "inforom_version");
    put(w, "GSP Firmware Version", "gsp_firmware_version", "%s", gpu->gsp);
    open_part(w, "GPU Reset Status", "gpu_reset_status");
    put(w, "Reset Required", "reset_required", "%s", gpu->reset_required ? "Yes" : "No");
    put(w, "Drain and Reset Recommended", "drain_and_reset_recommended", "%s",
        gpu->drain_recommended ? "Yes" : "No");
    close_part(w, "gpu_reset_status");
}

static void write_pci(struct writer *w, const struct lab_host *host, const struct lab_gpu *gpu,
                      const struct gpu_now *now)
{
    const struct lab_profile *profile = host->profile;
    char device[16], subsystem[16], bus[24];

    for (int i = 0; i < 5; i++) {
        device[i] = (char)(profile->device_id[i] >= 'a' ? profile->device_id[i] - 32 : profile->device_id[i]);
        subsystem[i] = (char)(profile->subsystem_id[i] >= 'a' ? profile->subsystem_id[i] - 32
                                                              : profile->subsystem_id[i]);
    }
    open_part(w, "PCI", "pci");
    put(w, "Bus", "pci_bus", "%s%02X", w->xml ? "" : "0x", gpu->pci_bus);
    put(w, "Device", "pci_device", "%s00", w->xml ? "" : "0x");
    put(w, "Domain", "pci_domain", "%s%04X", w->xml ? "" : "0x", gpu->pci_domain);
    put(w, "Device Id", "pci_device_id", "%s%s10DE", w->xml ? "" : "0x", device);
    put(w, "Bus Id", "pci_bus_id", "%s", lab_bus_id(gpu, bus));
    put(w, "Sub System Id", "pci_sub_system_id", "%s%s10DE", w->xml ? "" : "0x", subsystem);
    open_part(w, "GPU Link Info", "pci_gpu_link_info");
    open_part(w, "PCIe Generation", "pcie_gen");
    put(w, "Max", "max_link_gen", "%u", gpu->generation_max);
    put(w, "Current", "current_link_gen", "%u", pcie_generation(host, now));
    put(w, "Device Current", "device_current_link_gen", "%u", pcie_generation(host, now));
    put(w, "Device Max", "max_device_link_gen", "%u",
        profile->pcie_device_generation > 0 ? profile->pcie_device_generation : profile->pcie_generation);
    put(w, "Host Max", "max_host_link_gen", "%u", profile->pcie_generation);
    close_part(w, "pcie_gen");
    open_part(w, "Link Width", "link_widths");
    put(w, "Max", "max_link_width", "%ux", gpu->width_max);
    put(w, "Current", "current_link_width", "%ux", gpu->pcie_width);
    close_part(w, "link_widths");
    close_part(w, "pci_gpu_link_info");
    open_part(w, "Bridge Chip", "pci_bridge_chip");
    put(w, "Type", "bridge_chip_type", "N/A");
    put(w, "Firmware", "bridge_chip_fw", "N/A");
    close_part(w, "pci_bridge_chip");
    put(w, "Replays Since Reset", "replay_counter", "%llu",
        lab_counted(host, FAULT_GPU_COUNTS, gpu->number, "pcie-replays"));
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

static void write_memory(struct writer *w, const struct lab_host *host, const struct lab_gpu *gpu,
                         const struct gpu_now *now)
{
    const struct lab_profile *profile = host->profile;

    section(w, "MEMORY");
    open_part(w, "FB Memory Usage", "fb_memory_usage");
    put(w, "Total", "total", "%u MiB", gpu->memory_mib);
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

/* What a test has brought of one of its errors; `ever`: since the GPU was made only. */
static void put_errors(struct writer *w, const struct lab_host *host, const struct lab_gpu *gpu,
                       const char *text, const char *tag, const char *word, bool ever)
{
    char also[32];

    snprintf(also, sizeof also, "%s-ever", word);
    if (!gpu->ecc) {
        put(w, text, tag, "N/A");
        return;
    }
    put(w, text, tag, "%llu",
        lab_counted(host, FAULT_GPU_COUNTS, gpu->number, word) +
            (ever ? lab_counted(host, FAULT_GPU_COUNTS, gpu->number, also) : 0));
}

static void write_ecc_counters(struct writer *w, const char *text, const char *tag,
                               const struct lab_host *host, const struct lab_gpu *gpu, bool aggregate)
{
    const char *zero = gpu->ecc ? "0" : "N/A";
    unsigned long long ever = lab_counted(host, FAULT_GPU_COUNTS, gpu->number, "uncorrected-ever");
    bool threshold = lab_counted(host, FAULT_GPU_COUNTS, gpu->number, "sram-threshold") > 0;

    open_part(w, text, tag);
    put_errors(w, host, gpu, "SRAM Correctable", "sram_correctable", "sram-corrected", aggregate);
    put(w, "SRAM Uncorrectable Parity", "sram_uncorrectable_parity", "%s", zero);
    put(w, "SRAM Uncorrectable SEC-DED", "sram_uncorrectable_secded", "%s", zero);
    put_errors(w, host, gpu, "DRAM Correctable", "dram_correctable", "dram-corrected", aggregate);
    if (gpu->ecc)
        put(w, "DRAM Uncorrectable", "dram_uncorrectable", "%llu",
            gpu->ecc_uncorrected + (aggregate ? ever + gpu->remap_pending : 0));
    else
        put(w, "DRAM Uncorrectable", "dram_uncorrectable", "N/A");
    if (aggregate)
        put(w, "SRAM Threshold Exceeded", "sram_threshold_exceeded", "%s",
            !gpu->ecc   ? "N/A"
            : threshold ? "Yes"
                        : "No");
    close_part(w, tag);
}

static void write_pages(struct writer *w, const char *tag, const char *count, bool has)
{
    open_part(w, "", tag);
    put(w, "", "retired_count", "%s", count);
    put(w, "", "retired_pagelist", "%s", has ? "" : "N/A");
    close_part(w, tag);
}

/* What GPUs without a row remapper have in its place. */
static void write_retired(struct writer *w, const struct lab_host *host, const struct lab_gpu *gpu)
{
    bool has = host->profile->remap_banks == 0;
    const char *no = has ? "No" : "N/A";
    char single[24] = "N/A", twice[24] = "N/A";

    if (has) {
        snprintf(single, sizeof single, "%llu",
                 lab_counted(host, FAULT_GPU_COUNTS, gpu->number, "pages-single"));
        snprintf(twice, sizeof twice, "%llu",
                 lab_counted(host, FAULT_GPU_COUNTS, gpu->number, "pages-double"));
        no = lab_counted(host, FAULT_GPU_COUNTS, gpu->number, "pages-pending") > 0 ? "Yes" : "No";
    }
    if (w->xml) {
        write_pages(w, "multiple_single_bit_retirement", single, has);
        write_pages(w, "double_bit_retirement", twice, has);
        put(w, "", "pending_blacklist", "%s", no);
        put(w, "", "pending_retirement", "%s", no);
    } else {
        put(w, "Single Bit ECC", "", "%s", single);
        put(w, "Double Bit ECC", "", "%s", twice);
        put(w, "Pending Page Blacklist", "", "%s", no);
    }
}

static void write_ecc(struct writer *w, const struct lab_host *host, const struct lab_gpu *gpu)
{
    section(w, "ECC");
    open_part(w, "ECC Mode", "ecc_mode");
    put(w, "Current", "current_ecc", "%s", enabled(gpu->ecc));
    put(w, "Pending", "pending_ecc", "%s", enabled(gpu->ecc_pending));
    close_part(w, "ecc_mode");
    open_part(w, "ECC Errors", "ecc_errors");
    write_ecc_counters(w, "Volatile", "volatile", host, gpu, false);
    write_ecc_counters(w, "Aggregate", "aggregate", host, gpu, true);
    close_part(w, "ecc_errors");
    section(w, "PAGE_RETIREMENT");
    open_part(w, "Retired Pages", "retired_pages");
    write_retired(w, host, gpu);
    close_part(w, "retired_pages");
    section(w, "ROW_REMAPPER");
    if (host->profile->remap_banks == 0) {
        put(w, "Remapped Rows", "remapped_rows", "N/A");
        return;
    }
    open_part(w, "Remapped Rows", "remapped_rows");
    put(w, "Correctable Error", "remapped_row_corr", "%llu",
        lab_counted(host, FAULT_GPU_COUNTS, gpu->number, "rows-corrected"));
    put(w, "Uncorrectable Error", "remapped_row_unc", "%d", gpu->remap_pending ? 1 : 0);
    put(w, "Pending", "remapped_row_pending", "%s", gpu->remap_pending ? "Yes" : "No");
    put(w, "Remapping Failure Occurred", "remapped_row_failure", "%s",
        lab_counted(host, FAULT_GPU_COUNTS, gpu->number, "rows-failed") > 0 ? "Yes" : "No");
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
    section(w, "TEMPERATURE");
    open_part(w, "Temperature", "temperature");
    put(w, "GPU Current Temp", "gpu_temp", "%u C", now->temperature);
    if (host->profile->temperature_limits) {
        put(w, "GPU T.Limit Temp", "gpu_temp_tlimit", "%d C",
            LAB_SOFTWARE_SLOWDOWN_C - (int)now->temperature);
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
    put(w, "Memory Current Temp", "memory_temp", "%u C", memory_temperature(host, now));
    if (host->profile->temperature_limits)
        put(w, "Memory Max Operating T.Limit Temp", "gpu_temp_max_mem_tlimit_threshold", "0 C");
    else
        put(w, "Memory Max Operating Temp", "gpu_temp_max_mem_threshold", "95 C");
    close_part(w, "temperature");
}

static void write_power(struct writer *w, const struct lab_host *host, const struct lab_gpu *gpu,
                        const struct gpu_now *now)
{
    const struct lab_profile *profile = host->profile;

    section(w, "POWER");
    open_part(w, "GPU Power Readings", "gpu_power_readings");
    if (w->xml)
        put(w, "", "power_state", "P0");
    put(w, "Power Draw", "power_draw", "%.2f W", now->power);
    put(w, "Current Power Limit", "current_power_limit", "%u.00 W", gpu->power_limit);
    put(w, "Requested Power Limit", "requested_power_limit", "%u.00 W", gpu->power_limit);
    put(w, "Default Power Limit", "default_power_limit", "%u.00 W", gpu->power_default);
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
    put(w, "Graphics", "graphics_clock", "%u MHz", gpu->clock_limit);
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

/* The domain and its health are told from driver 560 on. */
static void write_fabric(struct writer *w, const struct lab_host *host, const struct lab_gpu *gpu)
{
    bool known = host->profile->fabric_state && gpu->fabric_ready, member = fabric_domain(host, gpu);
    char uuid[40];

    open_part(w, "Fabric", "fabric");
    put(w, "State", "state", "%s", fabric_state(host, gpu));
    put(w, "Status", "status", "%s", fabric_status(host, gpu));
    if (strtoul(host->driver, NULL, 10) >= 560) {
        put(w, "CliqueId", "cliqueId", known ? "%u" : "N/A", gpu->clique);
        put(w, "ClusterUUID", "clusterUuid", "%s", known ? lab_domain_uuid(gpu->domain, uuid) : "N/A");
        open_part(w, "Health", "health");
        put(w, "Bandwidth", "bandwidth", "%s", !member ? "N/A" : gpu->fabric_degraded ? "Degraded" : "Full");
        close_part(w, "health");
    }
    close_part(w, "fabric");
}

static void write_gpu(struct writer *w, const struct lab_host *host, int index)
{
    const struct lab_gpu *gpu = &host->gpus[index];
    struct gpu_now now = gpu_now(host, gpu);
    char bus[24];

    w->skipping = false;
    w->depth = w->xml ? 1 : 0;
    if (w->xml)
        printf("    <gpu id=\"%s\">\n", lab_bus_id(gpu, bus));
    else
        printf("GPU %s\n", lab_bus_id(gpu, bus));
    w->depth++;
    section(w, "");
    write_identity(w, host, gpu, index);
    write_pci(w, host, gpu, &now);
    write_reasons(w, gpu, &now);
    write_memory(w, host, gpu, &now);
    write_ecc(w, host, gpu);
    write_temperature(w, host, &now);
    write_power(w, host, gpu, &now);
    section(w, "");
    write_fabric(w, host, gpu);
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
    for (int i = 0; i < host->gpu_count; i++)
        if (host->gpus[i].inforom_bad)
            printf("WARNING: infoROM is corrupted at gpu %04X:%02X:00.0\n", host->gpus[i].pci_domain,
                   host->gpus[i].pci_bus);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvidia-smi: its table, `-L`, `--query-gpu=... --format=csv`, `-q` and `-q -x`.
 *
 * Subject "gpuN" is nvidia-smi's index; where it prints none, the order of the GPUs, less those that an error
 * line names. In the lists below F is a fact, M a measurement.
 *
 * Of the host (subject ""):
 *   F driver.version  cuda.version
 *   F gpu.count       GPUs reported, in -q what `Attached GPUs` says; also M where the tool says it or closes its
 *                     list (not of -L and CSV: of a list cut between two lines it would be another number)
 *   M gpu.attached    what `Attached GPUs` says (-q, XML)
 * Of each GPU:
 *   F gpu.name .uuid .serial .brand .architecture .minor .module_id .vbios .part_number .gsp_firmware .inforom_image
 *   F gpu.pci         as printed: 00000000:19:00.0
 *   F gpu.pci_address as lspci and xid say it: 0000:19:00.0
 *   F gpu.persistence Enabled, Disabled (On and Off of the table too)
 *   F gpu.mig .mig_pending .compute_mode .performance_state .addressing_mode
 *   F gpu.reset_required .drain_recommended .recovery_action
 *   M gpu.temperature .temperature_memory .temperature_margin .temperature_slowdown .temperature_slowdown_margin
 *     .temperature_shutdown .temperature_max C
 *   M gpu.fan %
 *   M gpu.power .power_limit .power_limit_requested .power_limit_enforced .power_limit_default .power_limit_min
 *     .power_limit_max W
 *   M gpu.memory_total .memory_used .memory_free .memory_reserved MiB   gpu.utilization .memory_utilization %
 *   M gpu.clock.graphics .sm .memory   .graphics.max .sm.max .memory.max
 *     .graphics.application .memory.application .graphics.application_default .memory.application_default MHz
 *   F gpu.throttle.idle .applications_clocks .sw_power_cap .hw_slowdown .hw_thermal_slowdown .hw_power_brake
 *     .sync_boost .sw_thermal_slowdown .display_clock = Active, Not Active     .active = CSV's bit mask
 *   M gpu.compute_processes   F gpu.process.PID = its name
 *   M pcie.generation .generation.max .width .width.max .replays .replay_rollovers
 *   F ecc.mode .mode_pending .sram_threshold_exceeded .channel_repair_pending .tpc_repair_pending
 *     .unrepairable_memory
 *   M ecc.volatile.corrected .uncorrected   ecc.aggregate.corrected .uncorrected   (sums of the parts printed)
 *     ecc.{volatile,aggregate}.{sram_corrected,dram_corrected,dram_uncorrected}
 *   M retired_pages.single_bit .double_bit    F retired_pages.pending
 *   M remapped_rows.correctable .uncorrectable .banks_max .banks_high .banks_partial .banks_low .banks_none
 *   F remapped_rows.pending .failure = Yes, No
 *   F fabric.state .status .clique .cluster .health .bandwidth
 * A state that the GPU does not have is the fact "N/A"; a number that it does not have is no measurement.
 *
 * Findings (subject gpuN, or the PCI address where the tool gives no index):
 *   fault    gpu.lost  gpu.unknown_error  gpu.err (ERR!)  gpu.reset_required  gpu.recovery_action
 *            gpu.remap_failure  gpu.sram_threshold  gpu.unrepairable_memory  gpu.driver  gpu.none
 *   warning  gpu.remap_pending  gpu.retirement_pending  gpu.repair_pending  gpu.drain_recommended
 *            gpu.hw_slowdown  gpu.hw_thermal_slowdown  gpu.hw_power_brake  gpu.sw_thermal_slowdown
 *            gpu.fabric_state  gpu.fabric_status  gpu.inforom  gpu.not_reported  gpu.retired_page
 */
#include <ctype.h>
#include <string.h>

#include "assay/parse/parser.h"
#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"
#include "loose_json.h"
#include "nvidia_smi.h"
#include "pci_address.h"
#include "runs.h"

void smi_host_fact(struct smi *smi, const char *name, struct slice value)
{
    if (!smi_not_available(value) && reading_get_fact(smi->reading, name, "") == NULL)
        reading_fact(smi->reading, name, "", value);
}

void smi_count(struct smi *smi, unsigned count, bool measured)
{
    smi_host_fact(smi, "gpu.count", slice_of(arena_printf(smi->reading->arena, "%u", count)));
    if (measured)
        reading_measure(smi->reading, "gpu.count", "", count, "");
}

/* "GPU3: 0000:04:00.0: ...", "GPU 0000:05:00.0: ...", "GPU0000:05:00.0: ...": gpu3, or the address. */
static const char *device_of(struct smi *smi, struct slice text)
{
    struct arena *arena = smi->reading->arena;
    size_t colon;
    uint64_t index;

    if (!scan_text(&text, "GPU") && !scan_text(&text, "gpu"))
        return "";
    text = slice_trim(text);
    colon = slice_find(text, ": ");
    text.length = colon != (size_t)-1 ? colon : text.length;
    if (pci_address(arena, text) != NULL)
        return pci_address(arena, text);
    if (!scan_digits(&text, &index) || index >= SMI_GPUS_MOST || text.length > 0)
        return "";
    *list_push(arena, &smi->lost) = (unsigned)index;
    return arena_printf(arena, "gpu%u", (unsigned)index);
}

static void lost_gpu(struct smi *smi, struct slice line, struct slice device)
{
    bool lost = slice_contains(line, "is lost") || slice_contains(line, "fallen off");

    reading_finding(smi->reading, SEVERITY_FAULT, lost ? "gpu.lost" : "gpu.unknown_error",
                    device_of(smi, device), reason(smi->reading->arena, text, line));
}

static bool driver_failure(struct slice line)
{
    return slice_starts_one(line, "NVIDIA-SMI has failed", "Failed to initialize NVML",
                            "Unable to initialize NVML", "NVIDIA-SMI couldn't");
}

bool smi_error_line(struct smi *smi, struct slice line)
{
    static const char handle[] = "Unable to determine the device handle for ";
    static const char inforom[] = "infoROM is corrupted at ";
    struct slice rest = line;
    size_t at = slice_find(line, inforom);

    if (scan_text(&rest, handle)) {
        lost_gpu(smi, line, rest);
    } else if (slice_starts(line, "GPU ") && slice_contains(line, "GPU is lost")) {
        lost_gpu(smi, line, line);
    } else if (driver_failure(line)) {
        smi->failure = smi->failure.length > 0 ? smi->failure : line;
        reading_finding(smi->reading, SEVERITY_FAULT, "gpu.driver", "",
                        reason(smi->reading->arena, text, line));
    } else if (slice_starts(line, "No devices were found") || slice_starts(line, "No devices found")) {
        smi->no_devices = true;
        reading_finding(smi->reading, SEVERITY_FAULT, "gpu.none", "",
                        reason(smi->reading->arena, text, line));
    } else if (at != (size_t)-1) {
        const char *address;

        rest = slice_trim(slice_from(line, at + strlen(inforom)));
        scan_text(&rest, "gpu ");
        address = pci_address(smi->reading->arena, rest);
        reading_finding(smi->reading, SEVERITY_WARNING, "gpu.inforom", address != NULL ? address : "",
                        reason(smi->reading->arena, text, line));
    } else {
        return false;
    }
    return true;
}

static bool has_line(const struct lines *lines, const char *beginning, const char *part)
{
    for (size_t i = 0; i < lines->count; i++) {
        struct slice line = slice_trim(lines->items[i].text);

        if (slice_starts(line, beginning) && slice_contains(line, part))
            return true;
    }
    return false;
}

static bool is_query(const struct lines *lines)
{
    return has_line(lines, "=====", "NVSMI LOG") || has_line(lines, "Attached GPUs ", " : ") ||
           has_line(lines, "Driver Version ", " : ");
}

static bool is_list(const struct lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        struct slice line = slice_trim(lines->items[i].text);

        if (slice_starts(line, "GPU ") && line.length > 4 && isdigit((unsigned char)line.bytes[4]) &&
            slice_contains(line, " (UUID: "))
            return true;
    }
    return false;
}

/* A complaint that is not ended by a newline but has said already which GPU, and what is wrong. */
static bool is_said(struct slice tail)
{
    return driver_failure(tail) || slice_starts(tail, "No devices were found") ||
           slice_contains(tail, " is lost") || slice_contains(tail, ": Unknown Error");
}

/* Nothing but errors, or nothing that we know. */
static void read_rest(struct smi *smi, const struct lines *lines)
{
    struct slice first = {"", 0}, tail = slice_trim(lines->tail);

    for (size_t i = 0; i < lines->count; i++) {
        struct slice line = slice_trim(lines->items[i].text);

        first = first.length > 0 ? first : line;
        if (!smi_error_line(smi, line) && smi->failure.length == 0 &&
            slice_contains(line, "command not found"))
            smi->failure = line;
    }
    first = first.length > 0 ? first : tail;
    if (is_said(tail) && smi_error_line(smi, tail))
        tail.length = 0;
    if (smi->no_devices && tail.length == 0 && smi->failure.length == 0) {
        smi_count(smi, 0, true);
        return;
    }
    if (smi->failure.length > 0)
        reading_failed(smi->reading, reason(smi->reading->arena, text, smi->failure));
    if (smi->reading->findings.count > 0)
        reading_failed(smi->reading, smi->reading->findings.items[0].what);
    reading_strange(smi->reading,
                    first.length > 0 ? reason_quote(smi->reading->arena, first) : REASON(empty));
}

static void parse_part(const struct lines *lines, struct reading *reading)
{
    struct smi smi = {.reading = reading, .failure = {"", 0}};
    struct slice text = lines_join(reading->arena, lines);

    if (slice_contains(text, "<nvidia_smi_log"))
        smi_read_xml(&smi, text);
    else if (has_line(lines, "| NVIDIA-SMI ", ""))
        smi_read_table(&smi, lines);
    else if (is_query(lines))
        smi_read_query(&smi, lines);
    else if (is_list(lines))
        smi_read_list(&smi, lines);
    else if (smi_looks_like_csv(lines))
        smi_read_csv(&smi, lines);
    else
        read_rest(&smi, lines);
    if (smi.failure.length > 0)
        reading_lacks(reading, reason(reading->arena, text, smi.failure));
}

static void parse(struct slice bytes, struct reading *reading)
{
    struct slice header = slice_of("");
    struct lines lines, part;
    size_t from = 0;

    lines_read(reading->arena, bytes, 0, &lines);
    while (smi_next_part(reading->arena, &lines, &from, &header, &part))
        parse_part(&part, runs_begin(reading));
    runs_finish(reading);
}

const struct parser parse_nvidia_smi = {
    .name = "nvidia-smi",
    .version = 2,
    .summary = "nvidia-smi: table, -L, --query-gpu CSV, -q and -q -x",
    .metrics = METRICS(
        {"gpu.count", "", BETTER_HIGHER, "GPUs that nvidia-smi reports"},
        {"gpu.attached", "", BETTER_HIGHER, "GPUs that the driver says are attached"},
        {"gpu.temperature", "C", BETTER_LOWER, "temperature of the GPU"},
        {"gpu.temperature_memory", "C", BETTER_LOWER, "temperature of its memory"},
        {"gpu.temperature_margin", "C", BETTER_HIGHER, "distance to the limit at which it slows down"},
        {"gpu.temperature_slowdown", "C", BETTER_NEITHER, "temperature at which the hardware slows down"},
        {"gpu.temperature_slowdown_margin", "C", BETTER_NEITHER, "margin at which the hardware slows down"},
        {"gpu.temperature_shutdown", "C", BETTER_NEITHER, "temperature at which the hardware switches off"},
        {"gpu.temperature_max", "C", BETTER_NEITHER, "highest temperature to operate at"},
        {"gpu.fan", "%", BETTER_NEITHER, "fan speed"}, {"gpu.power", "W", BETTER_NEITHER, "power drawn"},
        {"gpu.power_limit", "W", BETTER_NEITHER, "power limit that is set"},
        {"gpu.power_limit_*", "W", BETTER_NEITHER, "power limits: requested, enforced, default, min, max"},
        {"gpu.memory_total", "MiB", BETTER_HIGHER, "memory of the GPU"},
        {"gpu.memory_used", "MiB", BETTER_LOWER, "memory in use"},
        {"gpu.memory_free", "MiB", BETTER_HIGHER, "memory that is free"},
        {"gpu.memory_reserved", "MiB", BETTER_NEITHER, "memory that the driver keeps"},
        {"gpu.memory_utilization", "%", BETTER_NEITHER, "time in which memory was read or written"},
        {"gpu.utilization", "%", BETTER_NEITHER, "time in which the GPU was at work"},
        {"gpu.clock.*", "MHz", BETTER_HIGHER, "clocks: now, .max, .application"},
        {"gpu.compute_processes", "", BETTER_LOWER, "compute processes on the GPU"},
        {"pcie.generation", "", BETTER_HIGHER,
         "PCIe generation of the link as it is now; idle links slow down"},
        {"pcie.generation.max", "", BETTER_HIGHER, "PCIe generation that GPU and host are capable of"},
        {"pcie.width", "", BETTER_HIGHER, "PCIe lanes in use"},
        {"pcie.width.max", "", BETTER_HIGHER, "PCIe lanes that GPU and host are capable of"},
        {"pcie.replays", "", BETTER_LOWER, "PCIe packets sent again since the last reset"},
        {"pcie.replay_rollovers", "", BETTER_LOWER, "overflows of the replay counter"},
        {"ecc.volatile.*", "", BETTER_LOWER, "ECC errors since the driver was loaded"},
        {"ecc.aggregate.*", "", BETTER_LOWER, "ECC errors in the life of the GPU"},
        {"retired_pages.*", "", BETTER_LOWER, "memory pages taken out of use"},
        {"remapped_rows.correctable", "", BETTER_LOWER, "rows remapped after correctable errors"},
        {"remapped_rows.uncorrectable", "", BETTER_LOWER, "rows remapped after uncorrectable errors"},
        {"remapped_rows.banks_max", "", BETTER_HIGHER, "banks that have all their spare rows"},
        {"remapped_rows.banks_*", "", BETTER_LOWER, "banks that have used spare rows"}),
    .parse = parse,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* nvidia-smi --query-gpu: a row a field. */
#include <string.h>
#include <time.h>

#include "assay/base/scan.h"
#include "nvidia_smi_words.h"

struct cell {
    struct arena *arena;
    const struct lab_host *host;
    const struct lab_gpu *gpu;
    int index;
    struct gpu_now now;
    struct reasons why;
    const char *fixed; /* of the field's row */
};

typedef const char *field_text(const struct cell *cell);

static const char *number(const struct cell *cell, unsigned value)
{
    return arena_printf(cell->arena, "%u", value);
}

static const char *fixed(const struct cell *cell)
{
    return cell->fixed;
}

static const char *timestamp(const struct cell *cell)
{
    struct timespec clock;
    struct tm local;
    char date[64];

    clock_gettime(CLOCK_REALTIME, &clock);
    strftime(date, sizeof date, "%Y/%m/%d %H:%M:%S", localtime_r(&clock.tv_sec, &local));
    return arena_printf(cell->arena, "%s.%03ld", date, clock.tv_nsec / 1000000);
}

static const char *driver(const struct cell *cell)
{
    return cell->host->driver;
}

static const char *count(const struct cell *cell)
{
    return number(cell, (unsigned)cell->host->gpu_count);
}

static const char *name(const struct cell *cell)
{
    return cell->host->profile->gpu_name;
}

static const char *serial(const struct cell *cell)
{
    return cell->gpu->serial;
}

static const char *uuid(const struct cell *cell)
{
    return cell->gpu->uuid;
}

static const char *index_(const struct cell *cell)
{
    return number(cell, (unsigned)cell->index);
}

static const char *bus_id(const struct cell *cell)
{
    char bus[24];

    return arena_strdup(cell->arena, lab_bus_id(cell->gpu, bus));
}

static const char *vbios(const struct cell *cell)
{
    return cell->gpu->vbios;
}

static const char *generation(const struct cell *cell)
{
    return number(cell, cell->host->profile->pcie_generation);
}

static const char *persistence(const struct cell *cell)
{
    return enabled(cell->gpu->persistence);
}

static const char *mig(const struct cell *cell)
{
    return enabled(cell->gpu->mig);
}

static const char *generation_now(const struct cell *cell)
{
    return number(cell, pcie_generation(cell->host, &cell->now));
}

static const char *width(const struct cell *cell)
{
    return number(cell, cell->gpu->pcie_width);
}

static const char *temperature(const struct cell *cell)
{
    return number(cell, cell->now.temperature);
}

static const char *temperature_margin(const struct cell *cell)
{
    if (!cell->host->profile->temperature_limits)
        return "[N/A]";
    return arena_printf(cell->arena, "%d", LAB_SOFTWARE_SLOWDOWN_C - (int)cell->now.temperature);
}

static const char *hbm_temperature(const struct cell *cell)
{
    return number(cell, memory_temperature(cell->host, &cell->now));
}

static const char *utilization(const struct cell *cell)
{
    return number(cell, cell->now.utilization);
}

static const char *memory_total(const struct cell *cell)
{
    return number(cell, cell->host->profile->memory_mib);
}

static const char *memory_reserved(const struct cell *cell)
{
    return number(cell, cell->host->profile->reserved_mib);
}

static const char *memory_used(const struct cell *cell)
{
    return number(cell, cell->now.memory_used_mib);
}

static const char *memory_free(const struct cell *cell)
{
    const struct lab_profile *profile = cell->host->profile;

    return number(cell, profile->memory_mib - profile->reserved_mib - cell->now.memory_used_mib);
}

static const char *power(const struct cell *cell)
{
    return arena_printf(cell->arena, "%.2f", cell->now.power);
}

static const char *power_limit(const struct cell *cell)
{
    return arena_printf(cell->arena, "%u.00", cell->gpu->power_limit);
}

static const char *power_default(const struct cell *cell)
{
    return arena_printf(cell->arena, "%u.00", cell->gpu->power_default);
}

static const char *power_min(const struct cell *cell)
{
    return arena_printf(cell->arena, "%u.00", cell->host->profile->power_min);
}

static const char *clock_now(const struct cell *cell)
{
    return number(cell, cell->now.clock_mhz);
}

static const char *clock_max(const struct cell *cell)
{
    return number(cell, cell->host->profile->clock_max);
}

static const char *clock_application(const struct cell *cell)
{
    return number(cell, cell->gpu->clock_limit);
}

static const char *clock_memory(const struct cell *cell)
{
    return number(cell, cell->host->profile->clock_memory);
}

static const char *ecc_mode(const struct cell *cell)
{
    return enabled(cell->gpu->ecc);
}

static const char *ecc_count(const struct cell *cell)
{
    return cell->gpu->ecc ? "0" : "[N/A]";
}

static const char *ecc_uncorrected(const struct cell *cell)
{
    bool remapped = cell->fixed != NULL && cell->gpu->remap_pending;

    return cell->gpu->ecc ? number(cell, cell->gpu->ecc_uncorrected + (remapped ? 1 : 0)) : "[N/A]";
}

static const char *remap_uncorrectable(const struct cell *cell)
{
    return cell->gpu->remap_pending ? "1" : "0";
}

static const char *remap_pending(const struct cell *cell)
{
    return cell->gpu->remap_pending ? "Yes" : "No";
}

static const char *state(const struct cell *cell)
{
    return cell->host->profile->fabric_state ? fabric_state(cell->host, cell->gpu) : "[N/A]";
}

static const char *status(const struct cell *cell)
{
    return cell->host->profile->fabric_state ? fabric_status(cell->host, cell->gpu) : "[N/A]";
}

static const char *reasons(const struct cell *cell)
{
    if (cell->why.thermal)
        return "0x0000000000000068";
    if (cell->why.power_cap)
        return "0x0000000000000004";
    return cell->why.idle ? "0x0000000000000001" : "0x0000000000000000";
}

static const char *reason_idle(const struct cell *cell)
{
    return active(cell->why.idle);
}

static const char *reason_power(const struct cell *cell)
{
    return active(cell->why.power_cap);
}

static const char *reason_thermal(const struct cell *cell)
{
    return active(cell->why.thermal);
}

static const struct field {
    const char *name;
    field_text *text;
    const char *unit;  /* shown in the header and after the value */
    const char *fixed; /* the value itself, or what its function makes of it */
} fields[] = {
    {"timestamp", timestamp, NULL, NULL},
    {"driver_version", driver, NULL, NULL},
    {"count", count, NULL, NULL},
    {"name", name, NULL, NULL},
    {"gpu_name", name, NULL, NULL},
    {"serial", serial, NULL, NULL},
    {"gpu_serial", serial, NULL, NULL},
    {"uuid", uuid, NULL, NULL},
    {"gpu_uuid", uuid, NULL, NULL},
    {"index", index_, NULL, NULL},
    {"pci.bus_id", bus_id, NULL, NULL},
    {"gpu_bus_id", bus_id, NULL, NULL},
    {"vbios_version", vbios, NULL, NULL},
    {"pcie.link.gen.current", generation_now, NULL, NULL},
    {"pcie.link.gen.gpucurrent", generation_now, NULL, NULL},
    {"pcie.link.gen.max", generation, NULL, NULL},
    {"pcie.link.gen.gpumax", generation, NULL, NULL},
    {"pcie.link.gen.hostmax", generation, NULL, NULL},
    {"pcie.link.width.current", width, NULL, NULL},
    {"pcie.link.width.max", fixed, NULL, "16"},
    {"display_mode", fixed, NULL, "Disabled"},
    {"display_active", fixed, NULL, "Disabled"},
    {"persistence_mode", persistence, NULL, NULL},
    {"mig.mode.current", mig, NULL, NULL},
    {"mig.mode.pending", mig, NULL, NULL},
    {"compute_mode", fixed, NULL, "Default"},
    {"pstate", fixed, NULL, "P0"},
    {"fan.speed", fixed, "%", "[N/A]"},
    {"temperature.gpu", temperature, NULL, NULL},
    {"temperature.gpu.tlimit", temperature_margin, NULL, NULL},
    {"temperature.memory", hbm_temperature, NULL, NULL},
    {"utilization.gpu", utilization, "%", NULL},
    {"utilization.memory", utilization, "%", NULL},
    {"memory.total", memory_total, "MiB", NULL},
    {"memory.reserved", memory_reserved, "MiB", NULL},
    {"memory.used", memory_used, "MiB", NULL},
    {"memory.free", memory_free, "MiB", NULL},
    {"power.draw", power, "W", NULL},
    {"power.draw.average", power, "W", NULL},
    {"power.draw.instant", power, "W", NULL},
    {"power.limit", power_limit, "W", NULL},
    {"enforced.power.limit", power_limit, "W", NULL},
    {"power.default_limit", power_default, "W", NULL},
    {"power.min_limit", power_min, "W", NULL},
    {"power.max_limit", power_default, "W", NULL},
    {"clocks.current.graphics", clock_now, "MHz", NULL},
    {"clocks.gr", clock_now, "MHz", NULL},
    {"clocks.current.sm", clock_now, "MHz", NULL},
    {"clocks.sm", clock_now, "MHz", NULL},
    {"clocks.current.memory", clock_memory, "MHz", NULL},
    {"clocks.mem", clock_memory, "MHz", NULL},
    {"clocks.max.graphics", clock_max, "MHz", NULL},
    {"clocks.max.gr", clock_max, "MHz", NULL},
    {"clocks.max.sm", clock_max, "MHz", NULL},
    {"clocks.max.memory", clock_memory, "MHz", NULL},
    {"clocks.max.mem", clock_memory, "MHz", NULL},
    {"clocks.applications.graphics", clock_application, "MHz", NULL},
    {"clocks.applications.memory", clock_memory, "MHz", NULL},
    {"clocks.default_applications.graphics", clock_max, "MHz", NULL},
    {"clocks.default_applications.memory", clock_memory, "MHz", NULL},
    {"ecc.mode.current", ecc_mode, NULL, NULL},
    {"ecc.mode.pending", ecc_mode, NULL, NULL},
    {"ecc.errors.corrected.volatile.total", ecc_count, NULL, NULL},
    {"ecc.errors.corrected.aggregate.total", ecc_count, NULL, NULL},
    {"ecc.errors.uncorrected.volatile.total", ecc_uncorrected, NULL, NULL},
    {"ecc.errors.uncorrected.volatile.dram", ecc_uncorrected, NULL, NULL},
    {"ecc.errors.uncorrected.volatile.sram", ecc_count, NULL, NULL},
    {"ecc.errors.uncorrected.aggregate.total", ecc_uncorrected, NULL, "aggregate"},
    {"retired_pages.single_bit_ecc.count", fixed, NULL, "[N/A]"},
    {"retired_pages.double_bit.count", fixed, NULL, "[N/A]"},
    {"retired_pages.pending", fixed, NULL, "[N/A]"},
    {"remapped_rows.correctable", fixed, NULL, "0"},
    {"remapped_rows.uncorrectable", remap_uncorrectable, NULL, NULL},
    {"remapped_rows.pending", remap_pending, NULL, NULL},
    {"remapped_rows.failure", fixed, NULL, "No"},
    {"fabric.state", state, NULL, NULL},
    {"fabric.status", status, NULL, NULL},
    {"clocks_event_reasons.active", reasons, NULL, NULL},
    {"clocks_event_reasons.gpu_idle", reason_idle, NULL, NULL},
    {"clocks_event_reasons.applications_clocks_setting", fixed, NULL, "Not Active"},
    {"clocks_event_reasons.sw_power_cap", reason_power, NULL, NULL},
    {"clocks_event_reasons.hw_slowdown", reason_thermal, NULL, NULL},
    {"clocks_event_reasons.hw_thermal_slowdown", reason_thermal, NULL, NULL},
    {"clocks_event_reasons.hw_power_brake_slowdown", fixed, NULL, "Not Active"},
    {"clocks_event_reasons.sw_thermal_slowdown", reason_thermal, NULL, NULL},
    {"clocks_event_reasons.sync_boost", fixed, NULL, "Not Active"},
};

/* The older name of the same group of fields. */
#define OLD_REASONS "clocks_throttle_reasons."
#define NEW_REASONS "clocks_event_reasons."

static const struct field *find_field(struct slice name)
{
    bool old = slice_starts(name, OLD_REASONS);

    for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
        if (slice_equal(name, fields[i].name))
            return &fields[i];
        if (old && strncmp(fields[i].name, NEW_REASONS, strlen(NEW_REASONS)) == 0 &&
            slice_equal(slice_from(name, strlen(OLD_REASONS)), fields[i].name + strlen(NEW_REASONS)))
            return &fields[i];
    }
    return NULL;
}

static const char *cell_text(struct tool *tool, const struct field *field, int index)
{
    struct cell cell = {.arena = tool->arena,
                        .host = tool->host,
                        .gpu = &tool->host->gpus[index],
                        .index = index,
                        .fixed = field->fixed};

    cell.now = gpu_now(cell.host, cell.gpu);
    cell.why = reasons_of(cell.gpu, &cell.now);
    return field->text(&cell);
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
            const char *text = cell_text(tool, field, i);

            printf("%s%s", separator, text);
            if (units && field->unit != NULL && *text != '[')
                printf(" %s", field->unit);
        }
        printf("\n");
    }
    return 0;
}

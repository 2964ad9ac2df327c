/* SPDX-License-Identifier: Apache-2.0 */
/* Tells a field of a GPU, in any notation, by its row: as a fact or a measurement, with what is alarming
 * about it. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "nvidia_smi_rows.h"
#include "pci_address.h"

static void raise_alarm(struct smi *smi, const char *name, const char *value)
{
    for (size_t i = 0; i < smi_alarm_count; i++)
        if (strcmp(smi_alarms[i].name, name) == 0 && strcmp(smi_alarms[i].value, value) == 0)
            reading_finding(smi->reading, smi_alarms[i].severity, smi_alarms[i].code, smi->subject,
                            reason(smi->reading->arena, noted,
                                   reason(smi->reading->arena, about, name, value), smi_alarms[i].what));
    if (strcmp(name, "gpu.recovery_action") == 0 && strcmp(value, "None") != 0 && strcmp(value, "N/A") != 0)
        reading_finding(smi->reading, SEVERITY_FAULT, "gpu.recovery_action", smi->subject,
                        reason(smi->reading->arena, driver_asks_for_recovery, value));
    if (strcmp(name, "fabric.state") == 0 && strcmp(value, "Completed") != 0 && strcmp(value, "N/A") != 0 &&
        strcmp(value, "Not Supported") != 0)
        reading_finding(smi->reading, SEVERITY_WARNING, "gpu.fabric_state", smi->subject,
                        reason(smi->reading->arena, about, name, value));
    if (strcmp(name, "fabric.status") == 0 && strcmp(value, "Success") != 0 && strcmp(value, "N/A") != 0)
        reading_finding(smi->reading, SEVERITY_WARNING, "gpu.fabric_status", smi->subject,
                        reason(smi->reading->arena, about, name, value));
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

    /* Most values are numbers. */
    if (value.length > 0 && strchr("0123456789", value.bytes[0]) != NULL)
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
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
        reading_finding(smi->reading, SEVERITY_FAULT, "gpu.err", smi->subject,
                        reason(smi->reading->arena, about, what, "ERR!"));
        return true;
    }
    for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
        if (value.length <= strlen(faults[i].word) + 2 && slice_contains(value, faults[i].word)) {
            if (!smi->faulty)
                reading_finding(smi->reading, SEVERITY_FAULT, faults[i].code, smi->subject,
                                reason(smi->reading->arena, about, what, value));
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

static int compare_paths(const void *a, const void *b)
{
    const struct smi_path *one = a, *other = b;
    int order = strcmp(one->path, other->path);

    return order != 0 ? order : (one->row > other->row) - (one->row < other->row);
}

/* The rows by their paths: a document has thousands of lines, and the table more than a hundred rows. */
static void index_rows(struct smi *smi)
{
    struct arena *arena = smi->reading->arena;

    for (size_t i = 0; i < smi_row_count; i++)
        for (const char *at = smi_rows[i].paths[smi->notation]; *at != '\0';) {
            size_t length = strcspn(at, "|");

            *list_push(arena, &smi->paths) = (struct smi_path){arena_strndup(arena, at, length), i};
            at += length + (at[length] == '|');
        }
    qsort(smi->paths.items, smi->paths.count, sizeof smi->paths.items[0], compare_paths);
}

/* Where the rows of path are in the index, or would be. */
static size_t first_of(const struct smi *smi, const char *path)
{
    size_t low = 0, high = smi->paths.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(smi->paths.items[middle].path, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What was called throttling is now called an event; one spelling serves both. */
static const char *current_spelling(struct arena *arena, const char *path)
{
    static const struct {
        const char *old, *now;
    } words[] = {{"Clocks Throttle Reasons", "Clocks Event Reasons"},
                 {"clocks_throttle_reason", "clocks_event_reason"}};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
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

static void set_state(struct smi *smi, const struct smi_row *field, struct slice value)
{
    const char *text = utf8_clean(smi->reading->arena, value);

    if (smi_not_available(value))
        text = "N/A";
    if (field->kind == SMI_SWITCH && strcmp(text, "On") == 0)
        text = "Enabled";
    if (field->kind == SMI_SWITCH && strcmp(text, "Off") == 0)
        text = "Disabled";
    reading_fact(smi->reading, field->name, smi->subject, slice_of(text));
    raise_alarm(smi, field->name, text);
}

static void set_field(struct smi *smi, size_t row, struct slice value, struct slice unit)
{
    const struct smi_row *field = &smi_rows[row];
    bool none = smi_not_available(value);
    double number;

    if (field->kind == SMI_NUMBER) {
        /* Clocks and power in CSV without units have them in the header; temperatures never do. */
        if (none || !read_number(value, field->unit, unit, smi->notation == SMI_CSV, &number))
            return;
        reading_measure(smi->reading, field->name, smi->subject, number, field->unit);
    } else if (field->kind == SMI_IDENTITY) {
        if (none || value.length == 0)
            return;
        reading_fact(smi->reading, field->name, smi->subject, value);
    } else {
        set_state(smi, field, value);
    }
    smi->seen[row] = true;
}

static void put_ecc_sum(const struct smi *smi, const char *which, const struct smi_ecc_sum *sum)
{
    if (smi->ecc.section != NULL && !smi->ecc.unknown && sum->sram && sum->dram)
        reading_measure(smi->reading, arena_printf(smi->reading->arena, "ecc.%s.%s", smi->ecc.section, which),
                        smi->subject, sum->number, "");
}

static void end_ecc(struct smi *smi)
{
    put_ecc_sum(smi, "corrected", &smi->ecc.corrected);
    put_ecc_sum(smi, "uncorrected", &smi->ecc.uncorrected);
    smi->ecc = (struct smi_ecc){0};
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
    struct smi_ecc_sum *sum;
    double number;

    for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
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
    sum = strstr(part, "ncorrectable") != NULL ? &smi->ecc.uncorrected : &smi->ecc.corrected;
    if (!read_number(value, "", slice_of(""), false, &number) || number < 0) {
        smi->ecc.unknown = true;
        return;
    }
    sum->number += number;
    sum->sram |= strncasecmp(part, "sram", 4) == 0;
    sum->dram |= strncasecmp(part, "dram", 4) == 0;
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
    if (smi->paths.count == 0)
        index_rows(smi);
    for (size_t i = first_of(smi, path); i < smi->paths.count && strcmp(smi->paths.items[i].path, path) == 0;
         i++) {
        size_t row = smi->paths.items[i].row;

        if (smi->seen[row])
            continue;
        if (smi_faulty_value(smi, smi_rows[row].name, value))
            return;
        set_field(smi, row, value, unit);
    }
}

bool smi_csv_column(struct slice name)
{
    cleanup_arena struct arena *arena = arena_create();
    const char *column = current_spelling(arena, arena_strndup(arena, name.bytes, name.length));
    bool found =
        matches("index|pci.bus_id|gpu_bus_id|driver_version|count|timestamp|pci.domain|pci.bus", column);

    for (size_t i = 0; i < smi_row_count && !found; i++)
        found = matches(smi_rows[i].paths[SMI_CSV], column);
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

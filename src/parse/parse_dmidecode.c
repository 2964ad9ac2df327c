/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dmidecode: the board's own list of what it is made of, whole or by type (-t memory, -t 4,17, ...).
 *
 * facts, of one thing each (subject "")
 *   bios.vendor .version .date   system.manufacturer .product .serial .uuid   chassis.manufacturer .serial
 *   board.manufacturer .product .serial   subject "" for the first one, "2", "3" for further boards
 * of several (subject: the socket, slot or bay as the board names it)
 *   cpu.model .cores .threads .serial     of populated sockets
 *   dimm.size .type .speed .configured_speed .manufacturer .part_number .serial    of slots with a module
 *   psu.name .manufacturer .model .serial .power .status
 * of all together, only when the table's end was printed (subject "")
 *   cpu.kinds "2 x Intel(R) Xeon(R) Platinum 8480+"   dimm.kinds "32 x 64 GB DDR5 4800 MT/s"
 *   psu.kinds   dimm.count, dimm.slots   dimm.empty "CPU1_DIMM_C1, CPU1_DIMM_C2" or "none"
 *
 * dmidecode ends each structure with a blank line, and the memory arrays announce how many slots they have: an
 * output with fewer is not complete. Only type 127, "End Of Table", tells that nothing more follows, so ask
 * for it too (-t 4,17,127): without it nothing is counted.
 */
#include <string.h>

#include "assay/reasons/parse.h"

#include "frame.h"

enum dmi_type {
    DMI_BIOS = 0,
    DMI_SYSTEM = 1,
    DMI_BOARD = 2,
    DMI_CHASSIS = 3,
    DMI_CPU = 4,
    DMI_ARRAY = 16,
    DMI_DIMM = 17,
    DMI_PSU = 39,
    DMI_END = 127
};

static const struct field {
    enum dmi_type type;
    const char *key, *fact;
} fields[] = {
    {DMI_BIOS, "Vendor", "bios.vendor"},
    {DMI_BIOS, "Version", "bios.version"},
    {DMI_BIOS, "Release Date", "bios.date"},
    {DMI_SYSTEM, "Manufacturer", "system.manufacturer"},
    {DMI_SYSTEM, "Product Name", "system.product"},
    {DMI_SYSTEM, "Serial Number", "system.serial"},
    {DMI_SYSTEM, "UUID", "system.uuid"},
    {DMI_BOARD, "Manufacturer", "board.manufacturer"},
    {DMI_BOARD, "Product Name", "board.product"},
    {DMI_BOARD, "Serial Number", "board.serial"},
    {DMI_CHASSIS, "Manufacturer", "chassis.manufacturer"},
    {DMI_CHASSIS, "Serial Number", "chassis.serial"},
    {DMI_CPU, "Version", "cpu.model"},
    {DMI_CPU, "Core Count", "cpu.cores"},
    {DMI_CPU, "Thread Count", "cpu.threads"},
    {DMI_CPU, "Serial Number", "cpu.serial"},
    {DMI_DIMM, "Type", "dimm.type"},
    {DMI_DIMM, "Speed", "dimm.speed"},
    {DMI_DIMM, "Configured Memory Speed", "dimm.configured_speed"},
    {DMI_DIMM, "Configured Clock Speed", "dimm.configured_speed"}, /* before 3.2 */
    {DMI_DIMM, "Manufacturer", "dimm.manufacturer"},
    {DMI_DIMM, "Part Number", "dimm.part_number"},
    {DMI_DIMM, "Serial Number", "dimm.serial"},
    {DMI_PSU, "Name", "psu.name"},
    {DMI_PSU, "Manufacturer", "psu.manufacturer"},
    {DMI_PSU, "Model Part Number", "psu.model"},
    {DMI_PSU, "Serial Number", "psu.serial"},
    {DMI_PSU, "Max Power Capacity", "psu.power"},
    {DMI_PSU, "Status", "psu.status"},
};

/* What firmware writes where it has nothing to say. */
static const char *const nothings[] = {
    "",        "Not Specified",  "Not Provided",           "Not Present",           "Unknown", "None",
    "NO DIMM", "Default string", "To Be Filled By O.E.M.", "To be filled by O.E.M."};

struct pair {
    struct slice key, value;
};

struct kinds {
    LIST_OF(struct kind {
        const char *text;
        unsigned count;
    })
    items;
};

struct table {
    struct frame frame;
    bool inside; /* a structure's lines are being read */
    uint64_t type;
    LIST_OF(struct pair) pairs; /* of this structure */
    unsigned structures, boards, slots, modules, announced;
    bool arrays, end, closed; /* closed: the last structure was ended by its blank line */
    const char *empty;
    struct kinds cpus, dimms, psus;
};

static struct slice get(const struct table *table, const char *key)
{
    for (size_t i = 0; i < table->pairs.count; i++)
        if (slice_equal(table->pairs.items[i].key, key))
            return table->pairs.items[i].value;
    return (struct slice){"", 0};
}

static bool says_nothing(struct slice value)
{
    for (size_t i = 0; i < ARRAY_SIZE(nothings); i++)
        if (slice_equal(value, nothings[i]))
            return true;
    return false;
}

static const char *text_of(const struct table *table, struct slice slice)
{
    return utf8_clean(table->frame.reading->arena, slice);
}

static void add_fields(struct table *table, const char *subject)
{
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
        struct slice value = get(table, fields[i].key);

        if (fields[i].type == table->type && !says_nothing(value))
            reading_fact(table->frame.reading, fields[i].fact, subject, value);
    }
}

static void count_kind(struct table *table, struct kinds *kinds, const char *text)
{
    struct kind *kind;

    for (size_t i = 0; i < kinds->items.count; i++)
        if (strcmp(kinds->items.items[i].text, text) == 0) {
            kinds->items.items[i].count++;
            return;
        }
    kind = list_push(table->frame.reading->arena, &kinds->items);
    *kind = (struct kind){text, 1};
}

/* Boards name the slots of both sockets alike at times: then the bank tells them apart. */
static const char *place_of(const struct table *table, const char *fact, const char *key, const char *other)
{
    struct arena *arena = table->frame.reading->arena;
    struct slice name = get(table, key), bank = get(table, other);
    const char *place = says_nothing(name) ? arena_printf(arena, "%u", table->structures)
                                           : arena_strndup(arena, name.bytes, name.length);

    place = utf8_clean(arena, slice_of(place));
    if (reading_get_fact(table->frame.reading, fact, place) == NULL)
        return place;
    return arena_printf(arena, "%s %s", says_nothing(bank) ? "second" : text_of(table, bank), place);
}

/* "65536 MB" and "64 GB" are the same module, told by an older and a newer dmidecode. */
static const char *size_text(struct table *table, struct slice size)
{
    struct slice rest = size;
    uint64_t number;

    if (scan_digits(&rest, &number) && slice_equal(slice_trim(rest), "MB") && number % 1024 == 0)
        return arena_printf(table->frame.reading->arena, "%llu GB", (unsigned long long)number / 1024);
    return text_of(table, size);
}

static void end_dimm(struct table *table)
{
    struct arena *arena = table->frame.reading->arena;
    struct slice size = get(table, "Size"), speed = get(table, "Configured Memory Speed");
    const char *place = place_of(table, "dimm.size", "Locator", "Bank Locator");

    table->slots++;
    if (slice_equal(size, "No Module Installed")) {
        table->empty = arena_add_word(arena, table->empty, place);
        return;
    }
    table->modules++;
    reading_fact(table->frame.reading, "dimm.size", place, slice_of(size_text(table, size)));
    add_fields(table, place);
    if (speed.length == 0)
        speed = get(table, "Configured Clock Speed");
    if (speed.length == 0)
        speed = get(table, "Speed");
    count_kind(table, &table->dimms,
               arena_printf(arena, "%s %s %s", size_text(table, size), text_of(table, get(table, "Type")),
                            text_of(table, speed)));
}

static void end_cpu(struct table *table)
{
    if (!slice_starts(get(table, "Status"), "Populated"))
        return;
    add_fields(table, place_of(table, "cpu.model", "Socket Designation", "Asset Tag"));
    count_kind(table, &table->cpus, text_of(table, get(table, "Version")));
}

static void end_psu(struct table *table)
{
    struct slice model = get(table, "Model Part Number"), status = get(table, "Status");

    if (slice_starts(status, "Not Present"))
        return;
    add_fields(table, place_of(table, "psu.name", "Location", "Name"));
    count_kind(table, &table->psus,
               says_nothing(model) ? text_of(table, get(table, "Name")) : text_of(table, model));
}

static void end_array(struct table *table)
{
    uint64_t devices;

    /* Further arrays are flash and caches, whose devices are of another kind. */
    if (!slice_equal(get(table, "Use"), "System Memory") ||
        !scan_u64(get(table, "Number Of Devices"), &devices) || devices > 100000)
        return;
    table->arrays = true;
    table->announced += (unsigned)devices;
}

static void end_structure(struct table *table)
{
    if (!table->inside)
        return;
    table->inside = false;
    table->structures++;
    switch (table->type) {
    case DMI_BOARD:
        table->boards++;
        add_fields(table,
                   table->boards == 1 ? "" : arena_printf(table->frame.reading->arena, "%u", table->boards));
        break;
    case DMI_CPU:
        end_cpu(table);
        break;
    case DMI_ARRAY:
        end_array(table);
        break;
    case DMI_DIMM:
        end_dimm(table);
        break;
    case DMI_PSU:
        end_psu(table);
        break;
    case DMI_END:
        table->end = true;
        break;
    default:
        add_fields(table, "");
        break;
    }
}

/* "Handle 0x0028, DMI type 17, 92 bytes"; before 2.9 with a full stop at the end, and parted in two lines. */
static bool begin_structure(struct table *table, struct slice line)
{
    struct slice rest = line;

    if (!scan_text(&rest, "Handle 0x") || !scan_past(&rest, "DMI type "))
        return false;
    end_structure(table);
    table->inside = scan_digits(&rest, &table->type);
    table->pairs.count = 0;
    table->closed = false;
    return true;
}

static bool is_failure(struct slice line)
{
    return slice_contains_one(line, "Permission denied", "Operation not permitted",
                              "No SMBIOS nor DMI entry point found", "Can't read memory from", "Can't mmap");
}

static void read_line(void *state, struct slice line)
{
    struct table *table = state;
    struct pair pair;

    if (begin_structure(table, line))
        return;
    if (slice_trim(line).length == 0) {
        table->closed = table->closed || table->inside;
        end_structure(table);
    } else if (!table->inside && is_failure(line)) {
        frame_fail(&table->frame, slice_trim(line));
    } else if (table->inside && line.bytes[0] == '\t' && line.bytes[1] != '\t' &&
               slice_part(line, ":", &pair.key, &pair.value)) {
        /* Lists stand below their key with two tabs. */
        *list_push(table->frame.reading->arena, &table->pairs) = pair;
    }
}

static void add_kinds(struct table *table, const char *fact, const struct kinds *kinds)
{
    struct arena *arena = table->frame.reading->arena;
    const char *text = "";

    for (size_t i = 0; i < kinds->items.count; i++)
        text = arena_printf(arena, "%s%s%u x %s", text, i > 0 ? ", " : "", kinds->items.items[i].count,
                            kinds->items.items[i].text);
    if (*text != '\0')
        reading_fact(table->frame.reading, fact, "", slice_of(text));
}

static void add_totals(struct table *table)
{
    struct reading *reading = table->frame.reading;

    add_kinds(table, "cpu.kinds", &table->cpus);
    add_kinds(table, "dimm.kinds", &table->dimms);
    add_kinds(table, "psu.kinds", &table->psus);
    if (table->slots == 0)
        return;
    reading_count(reading, "dimm.count", table->modules);
    reading_count(reading, "dimm.slots", table->slots);
    reading_fact(reading, "dimm.empty", "", slice_of(*table->empty != '\0' ? table->empty : "none"));
}

static void begin(void *state)
{
    struct table *table = state;

    table->empty = "";
}

static void end(void *state)
{
    struct table *table = state;

    if (table->structures > 0)
        table->frame.failure.length = 0; /* what it could not read is not among these */
    else if (!table->inside)
        frame_strange(&table->frame);
    if (!table->closed)
        reading_lacks(table->frame.reading, REASON(last_structure_not_ended));
    if (table->arrays && table->slots != table->announced)
        reading_lacks(table->frame.reading, reason(table->frame.reading->arena, memory_slots_not_listed,
                                                   table->announced, table->slots));
    if (frame_is_complete(&table->frame) && table->end)
        add_totals(table);
}

const struct parser parse_dmidecode = {
    .name = "dmidecode",
    .version = 1,
    .summary = "dmidecode: firmware, board, processors, memory modules, power supplies, with serial numbers",
    .grammar = GRAMMAR(.state_bytes = sizeof(struct table), .flags = FRAME_RAW, .begin = begin,
                       .line = read_line, .end = end),
};

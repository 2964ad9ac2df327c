/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/sighting.h"

#include <stdlib.h>
#include <string.h>

#include "assay/reasons/model.h"

#define GPU_SERIAL "gpu.serial"

static const char *const names[ITEM_KINDS] = {"GPU",          "HCA",          "chassis", "driver",
                                              "GPU firmware", "HCA firmware", "BIOS"};

/* Which fact of which tool tells what. Of the same kind the first that a reading has counts. */
static const struct row {
    enum item_kind kind;
    const char *tool, *fact;
} rows[] = {
    {ITEM_GPU, "nvidia-smi", "gpu.uuid"},           {ITEM_DRIVER, "nvidia-smi", "driver.version"},
    {ITEM_GPU_FIRMWARE, "nvidia-smi", "gpu.vbios"}, {ITEM_HCA, "ib-sysfs", "ib.node_guid"},
    {ITEM_HCA_FIRMWARE, "ib-sysfs", "ib.firmware"}, {ITEM_BIOS, "dmidecode", "bios.version"},
    {ITEM_CHASSIS, "dmidecode", "chassis.serial"},  {ITEM_CHASSIS, "dmidecode", "system.serial"},
};

bool sighting_rests_on(const char *tool, const char *fact)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (strcmp(rows[i].tool, tool) == 0 &&
            (strcmp(rows[i].fact, fact) == 0 || (rows[i].kind == ITEM_GPU && strcmp(fact, GPU_SERIAL) == 0)))
            return true;
    return false;
}

const char *item_kind_name(enum item_kind kind)
{
    return names[kind];
}

bool item_kind_is_hardware(enum item_kind kind)
{
    return kind <= ITEM_CHASSIS;
}

const struct reason *item_at(struct arena *arena, enum item_kind kind, const char *position)
{
    const struct reason *word = reason_word(arena, names[kind]);

    return *position != '\0' ? reason(arena, part_at_place, word, position) : word;
}

/* What makers and tools write where nothing was filled in. Zeros are a GUID or a serial that nobody set. */
static bool says_nothing(const char *value)
{
    static const char *const nothings[] = {"N/A",     "[N/A]", "[Not Supported]",
                                           "Unknown", "None",  "0123456789"};

    for (size_t i = 0; i < ARRAY_SIZE(nothings); i++)
        if (strcmp(value, nothings[i]) == 0)
            return true;
    return value[strspn(value, "0:x-. ")] == '\0';
}

static bool is_there(const struct sightings *sightings, const struct sighting *wanted)
{
    list_each (one, sightings->items)
        if (one->host == wanted->host && one->kind == wanted->kind &&
            strcmp(one->position, wanted->position) == 0 && strcmp(one->identity, wanted->identity) == 0)
            return true;
    return false;
}

static bool earlier_row_tells(const struct row *row, const struct reading *reading)
{
    for (const struct row *other = rows; other < row; other++) {
        const char *value = other->kind == row->kind ? reading_get_fact(reading, other->fact, "") : NULL;

        if (value != NULL && !says_nothing(value))
            return true;
    }
    return false;
}

static void add_fact(struct arena *arena, const struct reading *reading, const struct fact *fact,
                     const struct row *row, size_t host, struct sightings *sightings)
{
    const char *serial = row->kind == ITEM_GPU ? reading_get_fact(reading, GPU_SERIAL, fact->subject) : NULL;
    struct sighting sighting = {.host = host,
                                .position = fact->subject,
                                .kind = row->kind,
                                .identity = fact->value,
                                .serial = serial != NULL && !says_nothing(serial) ? serial : ""};

    if (!says_nothing(fact->value) && !earlier_row_tells(row, reading) && !is_there(sightings, &sighting))
        *list_push(arena, &sightings->items) = sighting;
}

static void add_reading(struct arena *arena, const struct reading *reading, size_t host,
                        struct sightings *sightings)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        for (size_t k = 0; strcmp(reading->tool, rows[i].tool) == 0 && k < reading->facts.count; k++)
            if (strcmp(reading->facts.items[k].name, rows[i].fact) == 0)
                add_fact(arena, reading, &reading->facts.items[k], &rows[i], host, sightings);
}

/* Most readings tell nothing of parts, and their host is not looked for. */
static bool tells_of_parts(const struct reading *reading)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (reading->status == READING_COMPLETE && strcmp(reading->tool, rows[i].tool) == 0)
            return true;
    return false;
}

/* places: NULL where one attempt is asked for, which is not worth sorting all hosts of the plan. */
static size_t place_of(const struct plan *plan, const struct host_places *places, const struct host *host)
{
    size_t place = 0;

    if (places != NULL)
        return host_place(places, host);
    while (place < plan->hosts.count && plan->hosts.items[place] != host)
        place++;
    return place;
}

/* A command of a step over several hosts is run by the first of them. */
static void add_attempt(struct arena *arena, const struct plan *plan, const struct host_places *places,
                        const struct attempt *attempt, struct sightings *sightings)
{
    const struct step *step = &plan->steps.items[attempt->step];

    list_each (part, attempt->parts) {
        size_t member = part->window > 0 ? attempt->windows.items[part->window - 1].member : 0, host;

        if (member >= step->member_count || !tells_of_parts(&part->reading))
            continue;
        host = place_of(plan, places, step->members[member]);
        if (host < plan->hosts.count)
            add_reading(arena, &part->reading, host, sightings);
    }
}

void sightings_of_attempt(struct arena *arena, const struct plan *plan, const struct attempt *attempt,
                          struct sightings *ret_sightings)
{
    *ret_sightings = (struct sightings){0};
    add_attempt(arena, plan, NULL, attempt, ret_sightings);
}

static int compare_places(const struct sighting *a, const struct sighting *b)
{
    int order = a->host < b->host ? -1 : a->host > b->host;

    if (order == 0)
        order = (int)a->kind - (int)b->kind;
    return order != 0 ? order : strcmp(a->position, b->position);
}

static int compare_in_full(const void *one, const void *other)
{
    const struct sighting *a = one, *b = other;
    int order = compare_places(a, b);

    if (order == 0)
        order = strcmp(a->identity, b->identity);
    return order != 0 ? order : a->attempt < b->attempt ? -1 : a->attempt > b->attempt;
}

static int compare_by_time(const void *one, const void *other)
{
    const struct sighting *a = one, *b = other;
    int order = compare_places(a, b);

    if (order == 0)
        order = a->attempt < b->attempt ? -1 : a->attempt > b->attempt;
    return order != 0 ? order : strcmp(a->identity, b->identity);
}

/* Of those that are the same but for the attempt, which stand together, the first. */
static void keep_first(struct sightings *sightings)
{
    size_t kept = 0;

    for (size_t i = 0; i < sightings->items.count; i++) {
        const struct sighting *one = &sightings->items.items[i];
        struct sighting *last = kept > 0 ? &sightings->items.items[kept - 1] : NULL;

        if (last == NULL || compare_places(last, one) != 0 || strcmp(last->identity, one->identity) != 0)
            sightings->items.items[kept++] = *one;
        else if (*last->serial == '\0')
            last->serial = one->serial;
    }
    sightings->items.count = kept;
}

void sightings_of_record(struct arena *arena, const struct record *record, struct sightings *ret_sightings)
{
    const struct host_places *places = host_places_create(arena, record->plan);

    *ret_sightings = (struct sightings){0};
    for (size_t i = 0; i < record->attempts.count; i++) {
        struct sightings of_attempt = {0};

        add_attempt(arena, record->plan, places, &record->attempts.items[i], &of_attempt);
        for (size_t k = 0; k < of_attempt.items.count; k++) {
            of_attempt.items.items[k].attempt = i;
            *list_push(arena, &ret_sightings->items) = of_attempt.items.items[k];
        }
    }
    if (ret_sightings->items.count == 0)
        return;
    qsort(ret_sightings->items.items, ret_sightings->items.count, sizeof(struct sighting), compare_in_full);
    keep_first(ret_sightings);
    qsort(ret_sightings->items.items, ret_sightings->items.count, sizeof(struct sighting), compare_by_time);
}

static int compare_by_identity(const void *one, const void *other)
{
    const struct sighting *a = *(const struct sighting *const *)one,
                          *b = *(const struct sighting *const *)other;
    int order = strcmp(a->identity, b->identity);

    return order != 0 ? order : a->host < b->host ? -1 : a->host > b->host;
}

/* Hosts of one chassis may share its serial number; no two share a GPU. */
static void find_doubles(struct arena *arena, const struct plan *plan, const struct sightings *sightings,
                         struct sighting_conflicts *conflicts)
{
    const struct sighting **gpus = arena_array(arena, const struct sighting *, sightings->items.count);
    size_t count = 0;

    for (size_t i = 0; i < sightings->items.count; i++)
        if (sightings->items.items[i].kind == ITEM_GPU)
            gpus[count++] = &sightings->items.items[i];
    if (count > 0)
        qsort(gpus, count, sizeof *gpus, compare_by_identity);
    for (size_t i = 1; i < count; i++) {
        const struct reason *text;

        if (strcmp(gpus[i]->identity, gpus[i - 1]->identity) != 0 || gpus[i]->host == gpus[i - 1]->host)
            continue;
        text = reason(arena, gpu_on_two_hosts, plan->hosts.items[gpus[i - 1]->host]->name,
                      plan->hosts.items[gpus[i]->host]->name, gpus[i]->identity);
        *list_push(arena, &conflicts->items) = (struct sighting_conflict){gpus[i - 1]->host, text};
        *list_push(arena, &conflicts->items) = (struct sighting_conflict){gpus[i]->host, text};
    }
}

void sightings_check(struct arena *arena, const struct plan *plan, const struct sightings *sightings,
                     struct sighting_conflicts *ret_conflicts)
{
    *ret_conflicts = (struct sighting_conflicts){0};
    for (size_t i = 1; i < sightings->items.count; i++) {
        const struct sighting *was = &sightings->items.items[i - 1], *is = &sightings->items.items[i];

        if (compare_places(was, is) == 0)
            *list_push(arena, &ret_conflicts->items) = (struct sighting_conflict){
                is->host, reason(arena, part_became_another, item_at(arena, is->kind, is->position),
                                 plan->hosts.items[is->host]->name, was->identity, is->identity)};
    }
    find_doubles(arena, plan, sightings, ret_conflicts);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What files tell of cables. */
#include <string.h>

#include "assay/parse/parser.h"
#include "cabling.h"
#include "comma_fields.h"

/* --- a plan --- */

enum { NEAR_NODE, NEAR_PORT, FAR_NODE, FAR_PORT, RATE, PLAN_FIELDS };

static const char *copy_of(struct arena *arena, struct slice text)
{
    return arena_strndup(arena, text.bytes, text.length);
}

static void add_plan(struct fabric_cabling *cabling, const struct slice *fields, double gbits,
                     const char *where)
{
    struct arena *arena = cabling->arena;
    uint32_t near = cabling_node(cabling, fields[NEAR_NODE]), far = cabling_node(cabling, fields[FAR_NODE]);

    cabling->nodes.items[far].is_second = true;
    *list_push(arena, &cabling->rows) =
        (struct cabled_row){.near = cabling_port(cabling, near, fields[NEAR_PORT]),
                            .node = copy_of(arena, fields[FAR_NODE]),
                            .port = copy_of(arena, fields[FAR_PORT]),
                            .gbits = gbits,
                            .where = where,
                            .both = true};
}

static bool is_plan_line(const struct slice *fields, size_t count, double *ret_gbits)
{
    if (count != PLAN_FIELDS || !scan_double(fields[RATE], ret_gbits) || *ret_gbits <= 0)
        return false;
    for (size_t i = 0; i < RATE; i++)
        if (fields[i].length == 0)
            return false;
    return true;
}

int fabric_cabling_read_plan(struct fabric_cabling *cabling, const char *file, struct slice text,
                             struct error *err)
{
    struct slice line, fields[PLAN_FIELDS];
    unsigned number = 0;

    while (scan_line(&text, &line)) {
        size_t count = comma_fields(slice_trim(line), fields, ARRAY_SIZE(fields));
        double gbits;

        number++;
        if (slice_trim(line).length == 0 || slice_starts(slice_trim(line), "#"))
            continue;
        if (is_plan_line(fields, count, &gbits))
            add_plan(cabling, fields, gbits, arena_printf(cabling->arena, "%s:%u", file, number));
        else if (number > 1 || count != PLAN_FIELDS || scan_double(fields[RATE], &gbits))
            return error_set(err, ERROR_USAGE,
                             "%s:%u: '%.*s': expected a link as node,port,node,port,GBITS, such as "
                             "leaf1,Ethernet1/1,spine1,Ethernet1/7,400",
                             file, number, (int)(line.length < 120 ? line.length : 120), line.bytes);
    }
    if (slice_trim(text).length > 0)
        return error_set(err, ERROR_USAGE, "%s: its last line breaks off: no line break ends it", file);
    return cabling->rows.count > 0 ? 0 : error_set(err, ERROR_USAGE, "%s: no link is in it", file);
}

/* --- LLDP --- */

static void add_neighbour(struct fabric_cabling *cabling, const char *file, uint32_t node,
                          const struct fact *chassis, const struct reading *reading)
{
    struct arena *arena = cabling->arena;
    const char *port = reading_get_fact(reading, "lldp.port", chassis->subject);
    const char *alias = reading_get_fact(reading, "lldp.port_description", chassis->subject);
    uint32_t near = cabling_port(cabling, node, slice_of(chassis->subject));

    cabling->ports.items[near].told = true;
    *list_push(arena, &cabling->rows) =
        (struct cabled_row){.near = near,
                            .node = arena_strdup(arena, chassis->value),
                            .port = arena_strdup(arena, port != NULL    ? port
                                                        : alias != NULL ? alias
                                                                        : ""),
                            .alias = alias != NULL ? arena_strdup(arena, alias) : NULL,
                            .where = arena_printf(arena, "%s: %s", file, chassis->subject)};
}

static bool is_forwarder(const struct reading *reading, const char *interface)
{
    list_each (fact, reading->facts)
        if (strcmp(fact->name, "lldp.capability") == 0 && strcmp(fact->subject, interface) == 0 &&
            (strcmp(fact->value, "Bridge") == 0 || strcmp(fact->value, "Router") == 0))
            return true;
    return false;
}

/* Of one that tells no name nobody knows who it is. */
static void note_nameless(struct fabric_cabling *cabling, const char *file, const struct reading *reading)
{
    list_each (fact, reading->facts)
        if (strcmp(fact->name, "lldp.chassis_id") == 0 &&
            reading_get_fact(reading, "lldp.chassis", fact->subject) == NULL)
            *list_push(cabling->arena, &cabling->nameless) =
                arena_printf(cabling->arena, "%s: %s", file, fact->subject);
}

int fabric_cabling_read_lldp(struct fabric_cabling *cabling, const char *file, const char *node,
                             struct slice text, struct error *err)
{
    cleanup_arena struct arena *scratch = arena_create();
    uint32_t own = cabling_node(cabling, slice_of(node));
    struct reading reading;

    if (cabling->nodes.items[own].file != NULL)
        return error_set(err, ERROR_USAGE, "%s: %s is the same node, '%s'", file,
                         cabling->nodes.items[own].file, node);
    cabling->nodes.items[own].name = arena_strdup(cabling->arena, node);
    cabling->nodes.items[own].file = arena_strdup(cabling->arena, file);
    cabling->nodes.items[own].first_row = cabling->rows.count;
    parser_run(parser_find("lldp"), text, scratch, &reading);
    if (reading.status != READING_COMPLETE)
        return error_set(err, ERROR_USAGE, "%s: not all of it is what lldpctl prints: %s", file,
                         reason_english(scratch, reading.reason));
    list_each (fact, reading.facts) {
        if (strcmp(fact->name, "lldp.chassis") != 0)
            continue;
        add_neighbour(cabling, file, own, fact, &reading);
        if (is_forwarder(&reading, fact->subject))
            cabling->nodes.items[cabling_node(cabling, slice_of(fact->value))].is_forwarder = true;
    }
    cabling->nodes.items[own].row_count = cabling->rows.count - cabling->nodes.items[own].first_row;
    note_nameless(cabling, file, &reading);
    return 0;
}

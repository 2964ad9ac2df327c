/* SPDX-License-Identifier: Apache-2.0 */
/* What LLDP tells of cables. */
#include <string.h>

#include "assay/parse/parser.h"
#include "cabling.h"

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

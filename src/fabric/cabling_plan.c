/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan tells of cables. */
#include "cabling.h"
#include "comma_fields.h"

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

/* A cable without a digit in its ports and its rate is none. */
static bool is_heading(struct slice line, size_t count)
{
    for (size_t i = 0; i < line.length; i++)
        if (line.bytes[i] >= '0' && line.bytes[i] <= '9')
            return false;
    return count == PLAN_FIELDS;
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
        else if (number > 1 || !is_heading(line, count))
            return error_set(err, ERROR_USAGE,
                             "%s:%u: '%.*s': expected a link as node,port,node,port,GBITS, such as "
                             "leaf1,Ethernet1/1,spine1,Ethernet1/7,400",
                             file, number, (int)(line.length < 120 ? line.length : 120), line.bytes);
    }
    if (slice_trim(text).length > 0)
        return error_set(err, ERROR_USAGE, "%s: its last line breaks off: no line break ends it", file);
    return cabling->rows.count > 0 ? 0 : error_set(err, ERROR_USAGE, "%s: no link is in it", file);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "assay/base/json.h"
#include "assay/check/loads.h"

/* A set is: any load, and per level GPUs, NVLinks, all ports, and single ones. What is there in earnest is there slightly too. */
enum { KINDS = 3, PORTS = 28, SLIGHT = 1 + KINDS + PORTS };
#define ANY ((load_set)1 << 63)
#define LEVEL (((load_set)1 << (KINDS + PORTS)) - 1)
#define ALL_PORTS ((load_set)LOAD_PORTS)
#define EACH_PORT (LEVEL & ~((load_set)LOAD_GPUS | LOAD_NVLINKS | LOAD_PORTS))

/* Beyond so many names, more than hosts have ports, the rest share a number. */
static load_set port_of(struct arena *arena, struct load_ports *ports, const char *name)
{
    size_t number = 0;

    while (number < ports->names.count && strcmp(ports->names.items[number], name) != 0)
        number++;
    if (number == ports->names.count)
        *list_push(arena, &ports->names) = name;
    return (load_set)1 << (KINDS + (number < PORTS ? number : PORTS - 1));
}

static load_set ports_of(const struct check_context *context, struct load_ports *ports)
{
    const struct json *given = json_get(context->step->arguments, HCAS_ARGUMENT);
    load_set set = 0;

    if (context->step->by != NULL && strcmp(context->step->by, "rail") == 0 && *context->variant != '\0')
        return port_of(context->arena, ports, context->variant);
    if (given == NULL)
        return ALL_PORTS;
    json_each (name, given)
        set |= port_of(context->arena, ports, name->string);
    return set;
}

load_set check_loads(const struct check_context *context, struct load_ports *ports)
{
    const struct check *check = context->check;
    unsigned kinds = check->loads | (context->member_count > 1 ? check->loads_across : 0);
    load_set set = kinds & (LOAD_GPUS | LOAD_NVLINKS);

    if (!check->window)
        return 0;
    if (check_beside(context->step) != NULL)
        set |= LOAD_GPUS;
    if ((kinds & LOAD_PORTS) != 0)
        set |= ports_of(context, ports);
    return ANY | set << SLIGHT | (check->slight != NULL && check->slight(context) ? 0 : set);
}

/* Of one level of what is planned. A test over all ports stands for those over each. */
static load_set owed_of(unsigned kinds, load_set planned)
{
    load_set owed = planned & kinds & (LOAD_GPUS | LOAD_NVLINKS);

    if ((kinds & LOAD_PORTS) != 0)
        owed |= (planned & ALL_PORTS) != 0 ? ALL_PORTS : planned & EACH_PORT;
    return owed;
}

load_set check_loads_owed(const struct check *look, load_set planned)
{
    static const unsigned kinds[KINDS] = {LOAD_GPUS, LOAD_NVLINKS, LOAD_PORTS};
    unsigned looked_at = look->loads != 0 ? look->loads : LOAD_GPUS | LOAD_NVLINKS | LOAD_PORTS;
    load_set owed = 0;

    for (size_t i = 0; i < KINDS; i++) {
        load_set earnest = owed_of(looked_at & kinds[i], planned & LEVEL),
                 slight = owed_of(looked_at & kinds[i], planned >> SLIGHT & LEVEL);

        owed |= earnest != 0 ? earnest : slight << SLIGHT;
    }
    return owed != 0 ? owed : planned & ANY;
}

static load_set widened(load_set level)
{
    return (level & ALL_PORTS) != 0 ? level | EACH_PORT : level;
}

load_set loads_missing(load_set owed, load_set done)
{
    load_set there = (done & ANY) | widened(done & LEVEL) | widened(done >> SLIGHT & LEVEL) << SLIGHT;

    return owed & ~there;
}

enum load_kind loads_kind(load_set missing)
{
    load_set kinds = (missing | missing >> SLIGHT) & LEVEL;

    if ((kinds & (ALL_PORTS | EACH_PORT)) != 0)
        return LOAD_PORTS;
    return (kinds & LOAD_GPUS) != 0 ? LOAD_GPUS : (enum load_kind)(kinds & LOAD_NVLINKS);
}

bool loads_slightly(const struct check_context *context)
{
    (void)context;
    return true;
}

const struct suite_step *loads_begin(const struct suite *suite, const struct suite_step *look)
{
    const struct suite_step *begin = suite->steps.items;

    for (size_t i = 0; i < look->needs.count; i++) {
        const struct suite_step *needed = suite_step_find(suite, look->needs.items[i]), *after;
        const struct check *check = needed != NULL ? check_find(needed->check) : NULL;

        if (needed == NULL)
            continue;
        after = loads_begin(suite, needed);
        if (check != NULL && check->window && needed + 1 > after)
            after = needed + 1;
        if (after > begin)
            begin = after;
    }
    return begin;
}

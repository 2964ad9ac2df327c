/* SPDX-License-Identifier: Apache-2.0 */
/* What most hosts of a rack have, and no other rack's: RULE_RACK. */
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/reasons/any.h"
#include "assay/reasons/judge.h"

#include "owners.h"

static struct rack find_rack(struct whole_run *run, const struct owners *owners,
                             const struct judged_part *part, const char *name)
{
    cleanup_free const char **values = mem_alloc((owners->items.count + 1) * sizeof *values);
    struct rack rack = {.part = part, .name = name};
    size_t count = 0;

    for (size_t i = 0; i < owners->items.count; i++)
        if (owners->items.items[i].part == part && strcmp(owners->items.items[i].rack, name) == 0 &&
            strcmp(owners->items.items[i].value, "none") != 0)
            values[count++] = owners->items.items[i].value;
    rack.value = majority(values, count);
    rack.kinds = rack.value == NULL ? say_kinds(run->arena, values, count) : "";
    return rack;
}

/* Hosts of one rack mostly come one after the other. */
static struct rack rack_of(struct whole_run *run, struct owners *owners, const struct judged_part *part,
                           const char *name)
{
    for (size_t i = 0; i < owners->racks.count; i++) {
        size_t place = (owners->last + i) % owners->racks.count;
        const struct rack *rack = &owners->racks.items[place];

        if (rack->part == part && strcmp(rack->name, name) == 0) {
            owners->last = place;
            return *rack;
        }
    }
    owners->last = owners->racks.count;
    *list_push(run->arena, &owners->racks) = find_rack(run, owners, part, name);
    return owners->racks.items[owners->last];
}

static const struct reason *name_of_rack(struct arena *arena, const char *rack)
{
    return *rack != '\0' ? reason(arena, text, rack) : REASON(without_a_name);
}

/* Who has none is told by another item: nvlink.domain.one, imex.service. Where two racks have one value, a host that is odd in its own
   is not what joins them. */
const struct reason *whole_odd_in_rack(struct arena *arena, struct whole_run *run, size_t index,
                                       const struct slot *slot, const char *value)
{
    const struct step *step = &run->together.plan->steps.items[index];
    struct owners *owners = owners_of(run, step->shape->suite_step, slot);
    const struct judged_part *part = together_part(&run->together, index);
    const char *name_of_own = step->members[0]->rack;
    const struct rack rack = rack_of(run, owners, part, name_of_own);
    const struct reason *name = name_of_rack(arena, name_of_own);
    const struct owner *others;
    size_t count;

    if (strcmp(value, "none") == 0)
        return NULL;
    if (rack.value == NULL)
        return reason(arena, rack_does_not_agree, name, rack.kinds);
    if (strcmp(rack.value, value) != 0)
        return reason(arena, while_most_of_rack_have, name, rack.value);
    others = owners_with(owners, value, &count);
    array_each (other, others, count) {
        const char *most;

        if (other->part == part && strcmp(other->rack, name_of_own) == 0)
            continue;
        most = rack_of(run, owners, other->part, other->rack).value;
        name = name_of_rack(arena, other->rack);
        if (most != NULL && strcmp(most, value) == 0)
            return reason(
                arena, which_most_of_rack_have_too,
                other->part == part ? name : reason(arena, rack_of_run, name, other->part->record->number));
    }
    return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* How a test over many hosts stands beside the same over smaller groups of its run: RULE_GROUPS. */
#include <math.h>
#include <string.h>

#include "whole_run.h"

/* How much of the noise of what was measured goes into it, where the check says so: METRIC.noise. 0: it does not. */
static double noise_of(struct arena *arena, struct whole_run *run, size_t step, const struct slot *slot)
{
    struct slot noise = *slot;
    double mean;

    noise.metric = arena_printf(arena, "%s.noise", slot->metric);
    mean = whole_mean(arena, run, step, &noise);
    return isnan(mean) ? 0 : mean;
}

static const struct slot *same_slot(const struct shape *shape, const struct slot *slot)
{
    for (size_t i = 0; i < shape->slot_count; i++)
        if (strcmp(shape->slots[i].metric, slot->metric) == 0 &&
            strcmp(shape->slots[i].subject, slot->subject) == 0 && strcmp(shape->slots[i].at, slot->at) == 0)
            return &shape->slots[i];
    return NULL;
}

/* Smaller groups of the suite's own, in the same run, whose fabric it is: parts of a search are of hosts that are suspected,
   variants are set otherwise. */
static bool is_smaller_group(const struct step *step, const struct step *than)
{
    return step->member_count > 1 && step->member_count < than->member_count &&
           step->origin != ORIGIN_ISOLATE && *step->shape->variant == '\0' &&
           strcmp(step->shape->platform, than->shape->platform) == 0;
}

struct own_standing whole_beside_groups(struct arena *arena, struct whole_run *run, size_t index,
                                        const struct slot *slot, double value, double fraction,
                                        struct own_groups *ret_groups)
{
    const struct plan *plan = run->together.plan;
    const struct judged_part *part = together_part(&run->together, index);
    struct own_value *values = arena_array(arena, struct own_value, part->step_count);
    size_t count = 0;

    for (size_t i = part->first_step; i < part->first_step + part->step_count; i++) {
        const struct step *step = &plan->steps.items[i];
        const struct slot *same =
            is_smaller_group(step, &plan->steps.items[index]) ? same_slot(step->shape, slot) : NULL;
        double mean = same != NULL ? whole_mean(arena, run, i, same) : NAN;

        if (!isnan(mean))
            values[count++] = (struct own_value){mean, noise_of(arena, run, i, same)};
    }
    *ret_groups = own_groups_of(arena, values, count);
    return own_groups_judge(ret_groups, (struct own_value){value, noise_of(arena, run, index, slot)},
                            fraction);
}

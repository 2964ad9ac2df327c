/* SPDX-License-Identifier: Apache-2.0 */
/* Between what the median of the hosts' clocks lies, by that of a run's controller: RULE_NEAR. */
#include <math.h>
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/base/robust.h"
#include "assay/reasons/any.h"
#include "assay/reasons/judge.h"

#include "owners.h"

/* By the clock of that run's controller. */
struct common_span {
    const struct judged_part *part;
    const struct shape *shape;
    const struct slot *slot;
    const char *value; /* NULL: there is one host */
};
struct whole_clocks {
    LIST_OF(struct common_span) spans;
};

/* Of one run: another's are by the clock of another controller. The median of spans lies between that of where they begin and
   that of where they end. The controller, which is at 0, is one more where the hosts are an even number, so that the median is
   always somebody's. false: there is one host. */
static bool middle_of_spans(const struct owners *owners, const struct judged_part *part,
                            struct span *ret_middle)
{
    cleanup_arena struct arena *aside = arena_create();
    double *from = arena_array(aside, double, owners->items.count + 1),
           *to = arena_array(aside, double, owners->items.count + 1);
    size_t count = 0;

    for (size_t i = 0; i < owners->items.count; i++) {
        struct span span;

        if (owners->items.items[i].part != part || !span_parse(owners->items.items[i].value, &span))
            continue;
        from[count] = span.from;
        to[count++] = span.to;
    }
    if (count < 2)
        return false;
    count += count % 2 == 0;
    robust_sort(from, count);
    robust_sort(to, count);
    *ret_middle = (struct span){from[count / 2], to[count / 2]};
    return true;
}

const char *whole_common_span(struct whole_run *run, size_t step, const struct slot *slot)
{
    const struct judged_part *part = together_part(&run->together, step);
    const struct shape *shape = run->together.plan->steps.items[step].shape;
    struct common_span *common;
    struct span middle;

    if (run->clocks == NULL)
        run->clocks = arena_new(run->arena, struct whole_clocks);
    list_each (known, run->clocks->spans)
        if (known->part == part && known->shape == shape && known->slot == slot)
            return known->value;
    common = list_push(run->arena, &run->clocks->spans);
    *common = (struct common_span){.part = part, .shape = shape, .slot = slot};
    if (middle_of_spans(owners_of(run, shape->suite_step, slot), part, &middle))
        common->value = arena_printf(run->arena, "%.3f to %.3f s", middle.from, middle.to);
    return common->value;
}

/* Beyond the limit of a passed item that is measured by the controller's count, the controller is off; else 0, s. */
static double controller_off(struct whole_run *run, const struct outcome *outcome)
{
    const struct slot *slot = &run->together.plan->steps.items[outcome->step].shape->slots[outcome->slot];
    const char *common = NULL;
    struct span hosts;

    if (outcome->word == OUTCOME_PASS && slot->own_count > 0 && slot->own[0].rule == RULE_NEAR)
        common = whole_common_span(run, outcome->step, slot);
    if (common == NULL || !span_parse(common, &hosts))
        return 0;
    if (hosts.from > slot->own[0].value)
        return hosts.from;
    return hosts.to < -slot->own[0].value ? hosts.to : 0;
}

void remark_controllers(struct whole_run *run, struct judgement *judgement)
{
    const struct judged_part *told = NULL;

    for (size_t i = 0; i < judgement->outcome_count; i++) {
        struct outcome *outcome = &judgement->outcomes[i];
        const struct judged_part *part = together_part(&run->together, outcome->step);
        double off = part != told ? controller_off(run, outcome) : 0;

        if (fabs(off) > 0) {
            outcome->remark = true;
            outcome->cause = reason(
                run->arena, remark,
                off > 0
                    ? reason(run->arena, controllers_clock_behind, arena_printf(run->arena, "%.1f", off))
                    : reason(run->arena, controllers_clock_ahead, arena_printf(run->arena, "%.1f", -off)));
            told = part;
        }
    }
}

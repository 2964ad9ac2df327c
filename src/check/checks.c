/* SPDX-License-Identifier: Apache-2.0 */
/* The table of checks, and what a step of one owes. */
#include "assay/check.h"

#include <fnmatch.h>
#include <string.h>

#define CHECK(name) extern const struct check check_##name;
#include "checks.def"
#undef CHECK

static const struct check *const checks[] = {
#define CHECK(name) &check_##name,
#include "checks.def"
#undef CHECK
};

enum { CHECK_COUNT = sizeof checks / sizeof checks[0] };

const struct check *check_find(const char *name)
{
    for (size_t i = 0; i < CHECK_COUNT; i++)
        if (strcmp(checks[i]->name, name) == 0)
            return checks[i];
    return NULL;
}

const struct check *const *check_list(size_t *ret_count)
{
    *ret_count = CHECK_COUNT;
    return checks;
}

const char *check_remedy(const struct check *check, const char *metric)
{
    for (const struct remedy *row = check->remedies; row != NULL && row->metric != NULL; row++)
        if (fnmatch(row->metric, metric, 0) == 0)
            return row->text;
    return "";
}

struct slot *slot_add(const struct check_context *context, struct slot_list *slots, const char *metric,
                      const char *subject, const char *at, enum duty duty, const struct limit *rules)
{
    struct slot *slot = list_push(context->arena, &slots->slots);

    slot->metric = metric;
    slot->subject = subject;
    slot->at = at != NULL ? at : "";
    slot->duty = duty;
    slot->duty_note = "";
    slot->own = rules;
    while (rules != NULL && rules[slot->own_count].metric != NULL)
        slot->own_count++;
    return slot;
}

static void add_item(const struct check_context *context, struct slot_list *slots, const struct item *item)
{
    unsigned gpus = item->per == PER_TARGET ? 1 : context->platform->gpu_count;

    for (unsigned i = 0; i < gpus; i++) {
        const char *subject = item->per == PER_TARGET ? "" : arena_printf(context->arena, "gpu%u", i);

        if (item->per != PER_GPU_PAIR)
            slot_add(context, slots, item->metric, subject, item->at, item->duty, item->rules);
        for (unsigned k = 0; item->per == PER_GPU_PAIR && k < gpus; k++)
            if (k != i)
                slot_add(context, slots, item->metric, arena_printf(context->arena, "%s->gpu%u", subject, k),
                         item->at, item->duty, item->rules);
    }
}

void check_slots(const struct check_context *context, struct slot_list *slots)
{
    static const struct limit sound_rules[] = {
        {.metric = SOUND_METRIC, .rule = RULE_EQUAL, .text = "yes", .source = "assay", .status = LIMIT_TOOL},
        {0}};

    slot_add(context, slots, SOUND_METRIC, "", NULL, DUTY_GATE, sound_rules);
    for (const struct item *item = context->check->items; item != NULL && item->metric != NULL; item++)
        add_item(context, slots, item);
    if (context->check->more_slots != NULL)
        context->check->more_slots(context, slots);
}

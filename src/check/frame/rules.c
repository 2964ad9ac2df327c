/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/reasons/check.h"

#include "rules.h"

#include <string.h>

const struct limit *rules_new(const struct check_context *context, const struct limit *rules)
{
    struct limit *copy;
    size_t count = 0;

    while (rules[count].metric != NULL)
        count++;
    copy = arena_array(context->arena, struct limit, count + 1);
    memcpy(copy, rules, count * sizeof *copy);
    return copy;
}

const struct limit *rules_alike(const struct check_context *context, const char *metric, const char *stated,
                                const char *stated_source, const char *alike_source)
{
    const struct limit rules[] = {
        {.metric = metric, .rule = RULE_EQUAL, .text = stated, .source = stated_source, .status = LIMIT_TOOL},
        {.metric = metric, .rule = RULE_SAME, .source = alike_source, .status = LIMIT_TOOL},
        {0}};

    return rules_new(context, stated != NULL ? rules : rules + 1);
}

bool rules_look_again(const struct check_context *context)
{
    const struct suite *suite = context->suite;

    /* The context's own may be a copy. */
    const struct suite_step *step = suite_step_find(suite, context->step->name);

    for (size_t i = 0; step != NULL && i < suite->steps.count; i++)
        if (strcmp(suite->steps.items[i].check, context->check->name) == 0 &&
            suite_step_before(&suite->steps.items[i], step))
            return true;
    return false;
}

const struct limit *rules_or_allowed(const struct check_context *context, const char *metric,
                                     const struct limit *rules)
{
    const char *allowed = json_string(json_get(context->step->arguments, ALLOWED_ARGUMENT), metric, NULL);

    if (allowed == NULL)
        return rules;
    return rules_new(context, LIMITS RULES_ONE_OF(metric, allowed, "assay: argument allowed"));
}

void rules_advise(const struct check_context *context, struct slot_list *slots, const char *metric,
                  const struct limit *advice)
{
    if (json_string(json_get(context->step->arguments, ALLOWED_ARGUMENT), metric, NULL) == NULL)
        slot_add(context, slots, advice->metric, "", NULL, DUTY_RECORD, advice);
}

static bool is_compared(const struct check *check, const char *metric)
{
    for (const struct item *item = check->items; item != NULL && item->metric != NULL; item++)
        if (item->rules != NULL && item->rules->rule == RULE_SAME && strcmp(item->metric, metric) == 0)
            return true;
    return false;
}

const char *rules_allowed_fault(const struct check_context *context)
{
    json_each (value, json_get(context->step->arguments, ALLOWED_ARGUMENT))
        if (!is_compared(context->check, value->key))
            return arena_printf(context->arena, "\"allowed\" names %s, which is nothing that is compared",
                                value->key);
    return NULL;
}

const char *rules_platform(const struct check_context *context)
{
    return reason_english(context->arena, rules_platform_said(context));
}

const struct reason *rules_platform_said(const struct check_context *context)
{
    return reason(context->arena, platform_declares, context->platform->name);
}

enum duty rules_duty(const struct check_context *context, const char *metric, const char *subject)
{
    for (size_t i = 0; i < context->step->limits.count; i++)
        if (limit_applies(&context->step->limits.items[i], metric, subject, context->step->scope,
                          (unsigned)context->member_count, 0))
            return DUTY_GATE;
    return DUTY_RECORD;
}

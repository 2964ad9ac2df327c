/* SPDX-License-Identifier: Apache-2.0 */
/* What every check asks of its step: members, adapters, variant, and the slots that it owes. */
#include <string.h>
#include <strings.h>

#include "assay/check/check.h"

unsigned check_accelerators(const struct platform *platform)
{
    return platform->gpu_count > 0 ? platform->gpu_count : platform->npu_count;
}

unsigned check_expected_s(const struct check_context *context)
{
    const struct check *check = context->check;

    return check->expected != NULL ? check->expected(context) : check->expected_s;
}

static size_t count_rules(const struct limit *rules)
{
    size_t count = 0;

    while (rules != NULL && rules[count].metric != NULL)
        count++;
    return count;
}

/* The check's own, and what the links can carry, where the check does not say that itself. */
static const struct limit *with_capacity_limit(const struct check_context *context, const char *metric,
                                               const struct limit *rules)
{
    const struct limit *most = check_capacity_limit(context, metric);
    size_t count = count_rules(rules);
    struct limit *all;

    for (size_t i = 0; i < count; i++)
        if (rules[i].rule == RULE_PLAUSIBLE)
            return rules;
    if (most == NULL || count == 0)
        return most != NULL ? most : rules;
    all = arena_array(context->arena, struct limit, count + 2);
    memcpy(all, rules, count * sizeof *all);
    all[count] = *most;
    return all;
}

struct slot *slot_add(const struct check_context *context, struct slot_list *slots, const char *metric,
                      const char *subject, const char *at, enum duty duty, const struct limit *rules)
{
    struct slot *slot = list_push(context->arena, &slots->slots);

    slot->metric = metric;
    slot->subject = subject;
    slot->at = at != NULL ? at : "";
    slot->duty = duty;
    slot->duty_note = NULL;
    slot->own = with_capacity_limit(context, metric, rules);
    slot->own_count = count_rules(slot->own);
    return slot;
}

int check_rail(const struct check_context *context)
{
    const struct platform *platform = context->platform;

    for (size_t i = 0; context->variant != NULL && i < platform->hcas.count; i++)
        if (context->step->by != NULL && strcmp(context->step->by, "rail") == 0 &&
            strcmp(platform->hcas.items[i], context->variant) == 0)
            return (int)i;
    return -1;
}

const struct suite_variant *check_variant(const struct check_context *context)
{
    return suite_variant_find(context->step, context->variant);
}

const char *check_hca(const struct check_context *context, size_t i)
{
    const struct json *given = json_get(context->step->arguments, HCAS_ARGUMENT);

    if (given != NULL) {
        json_each (name, given) {
            if (i-- == 0)
                return name->string;
        }
        return NULL;
    }
    return i < context->platform->hcas.count ? context->platform->hcas.items[i] : NULL;
}

const char *check_member_hca(const struct check_context *context, size_t i)
{
    size_t hcas = 0;

    while (check_hca(context, hcas) != NULL)
        hcas++;
    return i < hcas * context->member_count
               ? arena_printf(context->arena, "%s %s", context->members[i / hcas]->name,
                              check_hca(context, i % hcas))
               : NULL;
}

const char *check_hcas_fault(const struct check_context *context)
{
    const struct json *given = json_get(context->step->arguments, HCAS_ARGUMENT);

    json_each (name, given) {
        if (*name->string == '\0' || strpbrk(name->string, "/:*= \t") != NULL)
            return "hcas names devices, such as mlx5_0, without a port";
    }
    /* A step that owes nothing would pass. */
    return given != NULL && given->count == 0 ? "hcas is empty" : NULL;
}

/* Whatever domain and case they have. */
static bool is_same_name(const char *a, const char *b)
{
    const size_t length = strcspn(a, ".");

    return strcspn(b, ".") == length && strncasecmp(a, b, length) == 0;
}

static const char *own_name(const struct check_own_names *names, const char *host)
{
    for (size_t i = 0; i < names->items.count; i++)
        if (strcmp(names->items.items[i].host, host) == 0)
            return names->items.items[i].own;
    return NULL;
}

static bool is_of_another(const struct check_own_names *names, const char *host, const char *name)
{
    for (size_t i = 0; i < names->items.count; i++)
        if (is_same_name(names->items.items[i].own, name) && strcmp(names->items.items[i].host, host) != 0)
            return true;
    return false;
}

size_t check_names_of_member(const struct check_context *context, size_t member,
                             const char *ret_names[CHECK_NAMES_MOST])
{
    static const struct check_own_names nobody;
    const struct check_own_names *names = context->own_names != NULL ? context->own_names : &nobody;
    const char *host = context->members[member]->name, *own = own_name(names, host);
    size_t count = 0;

    if (own != NULL && !is_of_another(names, host, own))
        ret_names[count++] = own;
    if (!is_of_another(names, host, host) && (count == 0 || !is_same_name(own, host)))
        ret_names[count++] = host;
    return count;
}

static bool is_called(const struct host *host, const char *subject)
{
    const size_t length = strcspn(subject, "/");

    return strncmp(host->name, subject, length) == 0 && host->name[length] == '\0';
}

static bool is_called_without_domain(const struct host *host, const char *subject)
{
    const size_t length = strcspn(subject, "./");

    return strcspn(host->name, ".") == length && strncmp(host->name, subject, length) == 0;
}

size_t check_member_of(const struct check_context *context, const char *subject, size_t near)
{
    if (near < context->member_count && is_called(context->members[near], subject))
        return near;
    for (size_t i = 0; i < context->member_count; i++)
        if (is_called(context->members[i], subject))
            return i;
    for (size_t i = 0; i < context->member_count; i++)
        if (is_called_without_domain(context->members[i], subject))
            return i;
    return context->member_count;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What most hosts have for an item: RULE_SAME. */
#include <stdlib.h>
#include <string.h>

#include "assay/base/cleanup.h"

#include "whole_run.h"

struct common {
    const char *value; /* NULL: no majority */
    const char *kinds; /* then what there is: "2 x 550.54.15, 2 x 550.90.07" */
};

/* What the slots of a shape have in common, each asked for when it is first needed; siblings share it. */
struct commons {
    const struct shape *shape;
    const struct common **of_slot;
};
struct whole_same {
    LIST_OF(struct commons) commons;
    size_t last; /* of them */
};

static int compare_texts(const void *a, const void *b)
{
    const char *left = *(const char *const *)a, *right = *(const char *const *)b;

    return left == right ? 0 : strcmp(left, right);
}

const char *majority(const char **values, size_t count)
{
    const char *middle;
    size_t same = 0;

    if (count == 0)
        return NULL;
    qsort(values, count, sizeof *values, compare_texts);
    middle = values[count / 2];
    for (size_t i = 0; i < count; i++)
        same += values[i] == middle || strcmp(values[i], middle) == 0;
    return 2 * same > count ? middle : NULL;
}

bool is_gpu(const char *subject)
{
    size_t digits = strncmp(subject, "gpu", 3) == 0 ? strspn(subject + 3, "0123456789") : 0;

    return digits > 0 && subject[3 + digits] == '\0';
}

/* GPUs of one platform are bought alike in whatever place they sit, so each is compared with all; what else there are
   several of in a host may differ by place. */
static bool are_siblings(const struct slot *slot, const struct slot *other)
{
    return strcmp(slot->metric, other->metric) == 0 &&
           (slot == other || (is_gpu(slot->subject) && is_gpu(other->subject)));
}

/* The first of them, under which their common value is kept. */
static const struct slot *first_sibling(const struct shape *shape, const struct slot *slot)
{
    for (size_t i = 0; i < shape->slot_count; i++)
        if (are_siblings(slot, &shape->slots[i]))
            return &shape->slots[i];
    return slot;
}

const char *say_kinds(struct arena *arena, const char **values, size_t count)
{
    const char *text = "";
    size_t kinds = 0;

    for (size_t i = 0, end; i < count; i = end, kinds++) {
        for (end = i + 1; end < count && strcmp(values[end], values[i]) == 0; end++)
            ;
        if (kinds < KINDS_TOLD)
            text = arena_printf(arena, "%s%s%zu x %s", text, i > 0 ? ", " : "", end - i, values[i]);
    }
    return kinds > KINDS_TOLD ? arena_printf(arena, "%s, ...", text) : text;
}

struct texts {
    const char **items;
    size_t count, capacity;
};

/* Of a slot and its siblings on all hosts; equal ones that come one after the other are one text. */
static void gather_values(struct arena *arena, struct whole_run *run, const struct shape *shape,
                          const struct slot *slot, struct texts *values)
{
    const struct plan *plan = run->together.plan;
    const struct slot **siblings = arena_array(arena, const struct slot *, shape->slot_count);
    cleanup_arena struct arena *aside = arena_create();
    const char *last = "";
    size_t count = 0;

    for (size_t i = 0; i < shape->slot_count; i++)
        if (are_siblings(slot, &shape->slots[i]))
            siblings[count++] = &shape->slots[i];
    for (size_t i = 0; i < plan->steps.count; i++) {
        if (plan->steps.items[i].shape != shape)
            continue;
        for (size_t k = 0; k < count; k++) {
            const char *value = whole_value(aside, run, i, siblings[k]);

            if (value == NULL)
                continue;
            last = strcmp(value, last) == 0 ? last : arena_strdup(arena, value);
            *list_push(arena, values) = last;
        }
        arena_clear(aside);
    }
}

static const struct common *find_common(struct whole_run *run, const struct shape *shape,
                                        const struct slot *slot)
{
    struct common *common = arena_new(run->arena, struct common);
    cleanup_arena struct arena *aside = arena_create();
    struct texts values = {0};

    gather_values(aside, run, shape, slot, &values);
    common->value = majority(values.items, values.count);
    common->kinds = common->value == NULL ? say_kinds(run->arena, values.items, values.count) : "";
    if (common->value != NULL)
        common->value = arena_strdup(run->arena, common->value);
    return common;
}

/* Steps of one shape mostly come one after the other. */
static const struct common **commons_of(struct whole_run *run, const struct shape *shape)
{
    struct whole_same *same = run->same;
    struct commons *commons;

    if (same == NULL)
        same = run->same = arena_new(run->arena, struct whole_same);
    for (size_t i = 0; i < same->commons.count; i++) {
        size_t place = (same->last + i) % same->commons.count;

        if (same->commons.items[place].shape == shape) {
            same->last = place;
            return same->commons.items[place].of_slot;
        }
    }
    commons = list_push(run->arena, &same->commons);
    commons->shape = shape;
    commons->of_slot = arena_array(run->arena, const struct common *, shape->slot_count);
    return commons->of_slot;
}

static const struct common *common_of(struct whole_run *run, size_t step, const struct slot *slot)
{
    const struct shape *shape = run->together.plan->steps.items[step].shape;
    const struct common **of_slot = commons_of(run, shape), **own = &of_slot[slot - shape->slots], **first;

    if (*own != NULL)
        return *own;
    slot = first_sibling(shape, slot);
    first = &of_slot[slot - shape->slots];
    if (*first == NULL)
        *first = find_common(run, shape, slot);
    *own = *first;
    return *own;
}

const char *whole_common_value(struct whole_run *run, size_t step, const struct slot *slot)
{
    return common_of(run, step, slot)->value;
}

const char *whole_common_kinds(struct whole_run *run, size_t step, const struct slot *slot)
{
    return common_of(run, step, slot)->kinds;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that claim the same hosts or leaves come one after the other. */
#include <stdlib.h>

#include "assay/plan/plan_build.h"

/* Which of some steps has a host as a member. */
struct membership {
    const struct host *host;
    size_t step;
};

static int compare_memberships(const void *a, const void *b)
{
    const struct membership *left = a, *right = b;

    return (left->host > right->host) - (left->host < right->host);
}

static size_t first_of_host(const struct membership *rows, size_t count, const struct host *host)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (rows[middle].host < host)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The most steps that have a host in common with one of them, itself among these. */
static size_t longest_queue_on_hosts(struct arena *arena, const struct step *const *steps, size_t count)
{
    struct membership *rows;
    size_t *counted_for = arena_array(arena, size_t, count), members = 0, at = 0, longest = 0;

    for (size_t i = 0; i < count; i++)
        members += steps[i]->member_count;
    rows = arena_array(arena, struct membership, members);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < steps[i]->member_count; k++)
            rows[at++] = (struct membership){steps[i]->members[k], i};
    if (members > 1)
        qsort(rows, members, sizeof *rows, compare_memberships);
    for (size_t i = 0; i < count; i++) {
        size_t queue = 0;

        for (size_t k = 0; k < steps[i]->member_count; k++)
            for (at = first_of_host(rows, members, steps[i]->members[k]);
                 at < members && rows[at].host == steps[i]->members[k]; at++) {
                queue += counted_for[rows[at].step] != i + 1;
                counted_for[rows[at].step] = i + 1;
            }
        longest = queue > longest ? queue : longest;
    }
    return longest;
}

/* The same, where more than a host is claimed: steps on leaves, of which there are few. */
static size_t longest_queue_on_leaves(const struct step *const *steps, size_t count)
{
    size_t longest = 0;

    for (size_t i = 0; i < count; i++) {
        size_t queue = 0;

        for (size_t k = 0; k < count; k++)
            queue += steps_share_fabric(steps[i], steps[k]) || steps_share_host(steps[i], steps[k]);
        longest = queue > longest ? queue : longest;
    }
    return longest;
}

/* Looked for from the last one on: steps of one shape mostly come one after the other, and shapes in the order of steps. */
static size_t place_of_shape(const struct plan *plan, const struct shape *shape, size_t near)
{
    for (size_t i = 0; i < plan->shapes.count; i++) {
        size_t place = (near + i) % plan->shapes.count;

        if (plan->shapes.items[place] == shape)
            return place;
    }
    return near;
}

struct shape_steps *plan_steps_by_shape(struct arena *arena, const struct plan *plan)
{
    struct shape_steps *steps = arena_array(arena, struct shape_steps, plan->shapes.count);
    size_t place = 0;

    for (size_t i = 0; i < plan->steps.count; i++) {
        place = place_of_shape(plan, plan->steps.items[i].shape, place);
        steps[place].count++;
    }
    for (size_t i = 0; i < plan->shapes.count; i++) {
        steps[i].items = arena_array(arena, const struct step *, steps[i].count);
        steps[i].count = 0;
    }
    for (size_t i = 0; i < plan->steps.count; i++) {
        place = place_of_shape(plan, plan->steps.items[i].shape, place);
        steps[place].items[steps[place].count++] = &plan->steps.items[i];
    }
    return steps;
}

size_t plan_longest_queue(struct arena *arena, const struct shape *shape, const struct shape_steps *steps)
{
    if (shape->exclusive == EXCLUSIVE_FABRIC)
        return steps->count;
    return shape->exclusive == EXCLUSIVE_LEAF ? longest_queue_on_leaves(steps->items, steps->count)
                                              : longest_queue_on_hosts(arena, steps->items, steps->count);
}

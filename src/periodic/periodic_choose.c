/* SPDX-License-Identifier: Apache-2.0 */
/* The greedy choice: hosts share nothing but the hours, so each keeps its next best test, and the best of all is taken. */
#include <stdlib.h>

#include "periodic_private.h"

struct candidate {
    double worth; /* defects an hour; 0: nothing is left */
    size_t host, test;
};

struct choosing {
    struct arena *arena;
    const struct periodic_fleet *fleet;
    const struct periodic_rates *rates;
    struct periodic_choice *choice;
    double left_h;
    struct candidate *heap; /* of hosts that have a next one, the best first */
    size_t count;
};

static double cost_of(const struct choosing *choosing, periodic_set tests)
{
    double hours = 0;

    for (; tests != 0; tests &= tests - 1)
        hours += choosing->rates->cost_h[__builtin_ctzll(tests)];
    return hours;
}

/* The test with what it needs, as far as that may run there and is not chosen yet. */
static periodic_set bundle_of(const struct choosing *choosing, size_t host, size_t test)
{
    return ((periodic_set)1 << test | choosing->fleet->tests.items[test].needs) &
           choosing->fleet->hosts.items[host].applies & ~choosing->choice->of_host[host];
}

static struct candidate next_of(const struct choosing *choosing, size_t host)
{
    struct candidate best = {.host = host};
    periodic_set chosen = choosing->choice->of_host[host];
    struct periodic_view view;
    double before;

    periodic_look_at(choosing->fleet, choosing->rates, host, &view);
    before = periodic_value(&view, chosen);
    for (size_t i = 0; i < choosing->fleet->tests.count; i++) {
        periodic_set bundle = bundle_of(choosing, host, i);
        double hours = cost_of(choosing, bundle), gain;

        if (!(bundle >> i & 1) || hours > choosing->left_h)
            continue;
        gain = periodic_value(&view, chosen | bundle) - before;
        if (gain > 0 && gain > best.worth * hours)
            best = (struct candidate){gain / hours, host, i};
    }
    return best;
}

static void sift(struct choosing *choosing, size_t at)
{
    struct candidate *heap = choosing->heap, moved = heap[at];

    for (size_t child; (child = 2 * at + 1) < choosing->count; at = child) {
        if (child + 1 < choosing->count && heap[child + 1].worth > heap[child].worth)
            child++;
        if (heap[child].worth <= moved.worth)
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

/* Each of the bundle is a pick of its own, with what it adds. */
static void pick(struct choosing *choosing, size_t host, periodic_set bundle, periodic_set again)
{
    struct periodic_choice *choice = choosing->choice;
    struct periodic_view view;

    periodic_look_at(choosing->fleet, choosing->rates, host, &view);
    for (; bundle != 0; bundle &= bundle - 1) {
        size_t test = (size_t)__builtin_ctzll(bundle);
        periodic_set chosen = choice->of_host[host], with = chosen | (periodic_set)1 << test;
        double found = periodic_value(&view, with) - periodic_value(&view, chosen);

        *list_push(choosing->arena, &choice->picks) =
            (struct periodic_pick){host, test, found, again >> test & 1};
        choice->of_host[host] = with;
        choice->found += found;
        choice->hours += choosing->rates->cost_h[test];
        choosing->left_h -= choosing->rates->cost_h[test];
    }
}

/* Tests that failed on the host and have not passed since. */
static periodic_set again_on(const struct periodic_host *host)
{
    periodic_set again = 0;

    for (unsigned k = 0; k < PERIODIC_CLASSES; k++)
        if (host->past[k].open)
            again |= host->past[k].saw;
    return again & host->applies;
}

static void pick_again(struct choosing *choosing)
{
    for (size_t i = 0; i < choosing->fleet->hosts.count; i++) {
        periodic_set again = again_on(&choosing->fleet->hosts.items[i]);

        for (periodic_set rest = again; rest != 0; rest &= rest - 1) {
            periodic_set bundle = bundle_of(choosing, i, (size_t)__builtin_ctzll(rest));

            if (cost_of(choosing, bundle) <= choosing->left_h)
                pick(choosing, i, bundle, again);
        }
    }
}

static void count_all(struct choosing *choosing)
{
    for (size_t i = 0; i < choosing->fleet->hosts.count; i++) {
        struct periodic_view view;

        periodic_look_at(choosing->fleet, choosing->rates, i, &view);
        choosing->choice->hidden += periodic_hidden(&view);
        choosing->choice->all_found += periodic_value(&view, choosing->fleet->hosts.items[i].applies);
        choosing->choice->all_hours += cost_of(choosing, choosing->fleet->hosts.items[i].applies);
    }
}

static void fill_heap(struct choosing *choosing)
{
    choosing->heap = arena_array(choosing->arena, struct candidate, choosing->fleet->hosts.count + 1);
    for (size_t i = 0; i < choosing->fleet->hosts.count; i++) {
        struct candidate next = next_of(choosing, i);

        if (next.worth > 0)
            choosing->heap[choosing->count++] = next;
    }
    for (size_t i = choosing->count / 2; i-- > 0;)
        sift(choosing, i);
}

void periodic_choose(struct arena *arena, const struct periodic_fleet *fleet,
                     const struct periodic_rates *rates, double hours, struct periodic_choice *ret_choice)
{
    struct choosing choosing = {arena, fleet, rates, ret_choice, 0, NULL, 0};

    *ret_choice = (struct periodic_choice){0};
    ret_choice->of_host = arena_array(arena, periodic_set, fleet->hosts.count + 1);
    count_all(&choosing);
    choosing.left_h = hours > 0 ? hours : ret_choice->all_hours + 1;
    pick_again(&choosing);
    fill_heap(&choosing);
    while (choosing.count > 0) {
        struct candidate *best = &choosing.heap[0];
        periodic_set bundle = bundle_of(&choosing, best->host, best->test);

        if (cost_of(&choosing, bundle) <= choosing.left_h)
            pick(&choosing, best->host, bundle, 0);
        *best = next_of(&choosing, best->host);
        if (best->worth <= 0)
            choosing.heap[0] = choosing.heap[--choosing.count];
        sift(&choosing, 0);
    }
}

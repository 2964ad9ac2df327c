/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The greedy choice: hosts share nothing but the hours, so each keeps its next best set of tests, and the best of all is
 * taken. First any test may follow. Where that makes more groups of hosts than are wanted, it is done again with the sets of
 * those groups that find most, and with no others.
 */
#include <stdlib.h>
#include <string.h>

#include "periodic_private.h"

/* What a host would get in place of what it has. */
struct candidate {
    double worth; /* more defects for one more hour; 0: nothing is left */
    size_t host;
    periodic_set tests;
};

struct sets {
    LIST_OF(struct set {
        periodic_set tests;
        double found;
    })
    items;
};

struct choosing {
    struct arena *arena;
    const struct periodic_fleet *fleet;
    const struct periodic_rates *rates;
    const struct sets *only; /* NULL: any test may follow */
    periodic_set *again;     /* by host: what is repeated there first, with what that needs */
    periodic_set *of_host;
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

/* The test with what it needs, as far as that may run there. */
static periodic_set with_needs(const struct choosing *choosing, size_t host, size_t test)
{
    return ((periodic_set)1 << test | choosing->fleet->tests.items[test].needs) &
           choosing->fleet->hosts.items[host].applies;
}

static periodic_set option_of(const struct choosing *choosing, size_t host, size_t i)
{
    if (choosing->only == NULL)
        return choosing->of_host[host] | with_needs(choosing, host, i);
    return choosing->again[host] |
           (choosing->only->items.items[i].tests & choosing->fleet->hosts.items[host].applies);
}

static struct candidate next_of(const struct choosing *choosing, size_t host)
{
    size_t options = choosing->only != NULL ? choosing->only->items.count : choosing->fleet->tests.count;
    double before, cost_before = cost_of(choosing, choosing->of_host[host]);
    struct candidate best = {.host = host};
    struct periodic_view view;

    periodic_look_at(choosing->fleet, choosing->rates, host, &view);
    before = periodic_value(&view, choosing->of_host[host]);
    for (size_t i = 0; i < options; i++) {
        periodic_set tests = option_of(choosing, host, i);
        double hours = cost_of(choosing, tests) - cost_before, gain;

        if (tests == choosing->of_host[host] || hours < 0 || hours > choosing->left_h)
            continue;
        gain = periodic_value(&view, tests) - before;
        if (gain > 0 && gain > best.worth * hours)
            best = (struct candidate){gain / hours, host, tests};
    }
    return best;
}

/* Of equal ones the first host of the fleet. */
static bool is_before(const struct candidate *a, const struct candidate *b)
{
    return a->worth > b->worth || (!(a->worth < b->worth) && a->host < b->host);
}

static void sift(struct choosing *choosing, size_t at)
{
    struct candidate *heap = choosing->heap, moved = heap[at];

    for (size_t child; (child = 2 * at + 1) < choosing->count; at = child) {
        if (child + 1 < choosing->count && is_before(&heap[child + 1], &heap[child]))
            child++;
        if (!is_before(&heap[child], &moved))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static void give(struct choosing *choosing, size_t host, periodic_set tests)
{
    choosing->left_h -= cost_of(choosing, tests) - cost_of(choosing, choosing->of_host[host]);
    choosing->of_host[host] = tests;
}

/* Tests that failed on the host and have not passed since, as far as they fit. */
static void give_again(struct choosing *choosing, size_t host)
{
    const struct periodic_host *row = &choosing->fleet->hosts.items[host];

    for (periodic_set again = periodic_again(row); again != 0; again &= again - 1) {
        periodic_set tests =
            choosing->of_host[host] | with_needs(choosing, host, (size_t)__builtin_ctzll(again));

        if (cost_of(choosing, tests) - cost_of(choosing, choosing->of_host[host]) <= choosing->left_h)
            give(choosing, host, tests);
    }
    choosing->again[host] = choosing->of_host[host];
}

static void fill_heap(struct choosing *choosing)
{
    choosing->count = 0;
    for (size_t i = 0; i < choosing->fleet->hosts.count; i++) {
        struct candidate next = next_of(choosing, i);

        if (next.worth > 0)
            choosing->heap[choosing->count++] = next;
    }
    for (size_t i = choosing->count / 2; i-- > 0;)
        sift(choosing, i);
}

static void spend(struct choosing *choosing, double hours)
{
    choosing->left_h = hours;
    memset(choosing->of_host, 0, choosing->fleet->hosts.count * sizeof *choosing->of_host);
    for (size_t i = 0; i < choosing->fleet->hosts.count; i++)
        give_again(choosing, i);
    fill_heap(choosing);
    while (choosing->count > 0) {
        struct candidate *best = &choosing->heap[0];
        double more_h = cost_of(choosing, best->tests) - cost_of(choosing, choosing->of_host[best->host]);

        if (more_h <= choosing->left_h)
            give(choosing, best->host, best->tests);
        *best = next_of(choosing, best->host);
        if (best->worth <= 0)
            choosing->heap[0] = choosing->heap[--choosing->count];
        sift(choosing, 0);
    }
}

/* -- Groups ------------------------------------------------------------------------------------------------- */

static int compare_sets(const void *a, const void *b)
{
    const struct set *left = a, *right = b;

    if (left->found > right->found || left->found < right->found)
        return left->found < right->found ? 1 : -1;
    return (left->tests > right->tests) - (left->tests < right->tests);
}

/* The different sets that hosts have, those that find most first; without hosts whose repair is to be proven, which have their own. */
static void gather_sets(const struct choosing *choosing, struct sets *sets)
{
    for (size_t host = 0; host < choosing->fleet->hosts.count; host++) {
        struct periodic_view view;
        size_t i = 0;

        if (choosing->of_host[host] == 0 || choosing->again[host] != 0)
            continue;
        while (i < sets->items.count && sets->items.items[i].tests != choosing->of_host[host])
            i++;
        if (i == sets->items.count)
            list_push(choosing->arena, &sets->items)->tests = choosing->of_host[host];
        periodic_look_at(choosing->fleet, choosing->rates, host, &view);
        sets->items.items[i].found += periodic_value(&view, choosing->of_host[host]);
    }
    if (sets->items.count > 1)
        qsort(sets->items.items, sets->items.count, sizeof *sets->items.items, compare_sets);
}

static void hold_groups(struct choosing *choosing, double hours, size_t groups)
{
    struct sets sets = {0};

    gather_sets(choosing, &sets);
    if (groups == 0 || sets.items.count <= groups)
        return;
    sets.items.count = groups;
    choosing->only = &sets;
    spend(choosing, hours);
}

/* -- What was chosen ---------------------------------------------------------------------------------------- */

static int compare_picks(const void *a, const void *b)
{
    const struct periodic_pick *left = a, *right = b;

    if (left->found > right->found || left->found < right->found)
        return left->found < right->found ? 1 : -1;
    if (left->host != right->host)
        return left->host < right->host ? -1 : 1;
    return (left->test > right->test) - (left->test < right->test);
}

static void count_host(const struct choosing *choosing, size_t host, struct periodic_choice *choice)
{
    const struct periodic_host *row = &choosing->fleet->hosts.items[host];
    periodic_set before = 0;
    struct periodic_view view;

    periodic_look_at(choosing->fleet, choosing->rates, host, &view);
    choice->hidden += periodic_hidden(&view);
    choice->all_found += periodic_value(&view, row->applies);
    choice->found += periodic_value(&view, choosing->of_host[host]);
    choice->hours += cost_of(choosing, choosing->of_host[host]);
    for (periodic_set rest = choosing->of_host[host]; rest != 0; rest &= rest - 1) {
        periodic_set bit = rest & -rest;

        *list_push(choosing->arena, &choice->picks) =
            (struct periodic_pick){host, (size_t)__builtin_ctzll(bit),
                                   periodic_value(&view, before | bit) - periodic_value(&view, before),
                                   (periodic_again(row) & bit) != 0};
        before |= bit;
    }
}

double periodic_all_hours(const struct periodic_fleet *fleet, const struct periodic_rates *rates)
{
    struct choosing choosing = {.fleet = fleet, .rates = rates};
    double hours = 0;

    for (size_t i = 0; i < fleet->hosts.count; i++)
        hours += cost_of(&choosing, fleet->hosts.items[i].applies);
    return hours;
}

void periodic_choose(struct arena *arena, const struct periodic_fleet *fleet,
                     const struct periodic_rates *rates, double hours, size_t groups,
                     struct periodic_choice *ret_choice)
{
    size_t hosts = fleet->hosts.count + 1;
    struct choosing choosing = {.arena = arena,
                                .fleet = fleet,
                                .rates = rates,
                                .again = arena_array(arena, periodic_set, hosts),
                                .of_host = arena_array(arena, periodic_set, hosts),
                                .heap = arena_array(arena, struct candidate, hosts)};

    *ret_choice =
        (struct periodic_choice){.of_host = choosing.of_host, .all_hours = periodic_all_hours(fleet, rates)};
    spend(&choosing, hours);
    hold_groups(&choosing, hours, groups);
    for (size_t i = 0; i < fleet->hosts.count; i++)
        count_host(&choosing, i, ret_choice);
    if (ret_choice->picks.count > 1)
        qsort(ret_choice->picks.items, ret_choice->picks.count, sizeof *ret_choice->picks.items,
              compare_picks);
}

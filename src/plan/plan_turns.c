/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All hosts, those of different leaves taking turns: a ring over them goes from each host to another leaf, so that all send
 * over their uplinks at once. In the order of the hostfile it would cross the border of each leaf once.
 */
#include <stdlib.h>
#include <string.h>

#include "plan_private.h"

struct place {
    const struct host *host;
    size_t number; /* in the order of the hostfile */
    size_t leaf;   /* of its leaf's first host there */
    double turn;   /* from 0 to 1: where a leaf has more hosts they come closer together */
};

static int by_leaf(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    int names = strcmp(a->host->leaf, b->host->leaf);

    return names != 0 ? names : (a->number > b->number) - (a->number < b->number);
}

static int by_turn(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    if (a->turn != b->turn)
        return a->turn < b->turn ? -1 : 1;
    return (a->leaf > b->leaf) - (a->leaf < b->leaf);
}

/* Those of each leaf are evenly spread over all turns. */
static void give_turns(struct place *places, size_t count)
{
    size_t end;

    for (size_t begin = 0; begin < count; begin = end) {
        for (end = begin + 1; end < count && strcmp(places[end].host->leaf, places[begin].host->leaf) == 0;)
            end++;
        for (size_t i = begin; i < end; i++) {
            places[i].leaf = places[begin].number;
            places[i].turn = ((double)(i - begin) + 0.5) / (double)(end - begin);
        }
    }
}

/* The head stays who it is: it is the one that was seen to reach the others. */
const struct host **plan_turns(struct arena *arena, const struct host *const *hosts, size_t count)
{
    const struct host **order = arena_array(arena, const struct host *, count);
    struct place *places = arena_array(arena, struct place, count);
    size_t head = 0;

    for (size_t i = 0; i < count; i++)
        places[i] = (struct place){.host = hosts[i], .number = i};
    if (count > 0)
        qsort(places, count, sizeof *places, by_leaf);
    give_turns(places, count);
    if (count > 0)
        qsort(places, count, sizeof *places, by_turn);
    while (head < count && places[head].number != 0)
        head++;
    for (size_t i = 0; i < count; i++)
        order[i] = places[(head + i) % count].host;
    return order;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/plan.h"

#include <stdlib.h>

struct place {
    const struct host *host;
    size_t at;
};
struct host_places {
    struct place *items;
    size_t count;
};

static int compare_hosts(const void *a, const void *b)
{
    const struct place *left = a, *right = b;

    return left->host < right->host ? -1 : left->host > right->host;
}

const struct host_places *host_places_create(struct arena *arena, const struct plan *plan)
{
    struct host_places *places = arena_new(arena, struct host_places);

    places->count = plan->hosts.count;
    places->items = arena_array(arena, struct place, plan->hosts.count + 1);
    for (size_t i = 0; i < plan->hosts.count; i++)
        places->items[i] = (struct place){plan->hosts.items[i], i};
    qsort(places->items, places->count, sizeof *places->items, compare_hosts);
    return places;
}

size_t host_place(const struct host_places *places, const struct host *host)
{
    const struct place wanted = {.host = host}, *found;

    found = bsearch(&wanted, places->items, places->count, sizeof wanted, compare_hosts);
    return found != NULL ? found->at : (size_t)-1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts by their unit, rack or leaf: sorted by name, for a site has thousands of leaves with some hosts each. */
#include <stdlib.h>
#include <string.h>

#include "plan_private.h"

/* A host, its place, and where it stands among the hosts. */
struct placed {
    const char *name;
    const struct host *host;
    size_t at;
};

static const char *place_of(const struct host *host, const char *by)
{
    return strcmp(by, "unit") == 0 ? host->unit : strcmp(by, "rack") == 0 ? host->rack : host->leaf;
}

static int compare_placed(const void *a, const void *b)
{
    const struct placed *left = a, *right = b;
    int names = strcmp(left->name, right->name);

    return names != 0 ? names : (left->at > right->at) - (left->at < right->at);
}

static int compare_places(const void *a, const void *b)
{
    const struct plan_place *left = a, *right = b;

    return (left->first > right->first) - (left->first < right->first);
}

static struct placed *sort_hosts(struct arena *arena, const struct host *const *hosts, size_t count,
                                 const char *by)
{
    struct placed *sorted = arena_array(arena, struct placed, count);

    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct placed){place_of(hosts[i], by), hosts[i], i};
    if (count > 1)
        qsort(sorted, count, sizeof *sorted, compare_placed);
    return sorted;
}

struct plan_places plan_places(struct arena *arena, const struct host *const *hosts, size_t count,
                               const char *by)
{
    const struct placed *sorted = sort_hosts(arena, hosts, count, by);
    const struct host **ordered = arena_array(arena, const struct host *, count);
    struct plan_places places = {.items = arena_array(arena, struct plan_place, count)};

    for (size_t i = 0; i < count; i++) {
        ordered[i] = sorted[i].host;
        if (i == 0 || strcmp(sorted[i].name, sorted[i - 1].name) != 0)
            places.items[places.count++] = (struct plan_place){sorted[i].name, sorted[i].at, &ordered[i], 0};
        places.items[places.count - 1].count++;
    }
    if (places.count > 1)
        qsort(places.items, places.count, sizeof *places.items, compare_places);
    return places;
}

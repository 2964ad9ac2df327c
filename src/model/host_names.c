/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "assay/model/plan.h"

/* Sorted by name, and those of one name as they stood. */
struct named {
    const struct host *host;
    size_t at;
};
struct host_names {
    struct named *items;
    size_t count;
};

static int compare_names(const void *a, const void *b)
{
    const struct named *left = a, *right = b;
    int order = strcmp(left->host->name, right->host->name);

    return order != 0 ? order : (left->at > right->at) - (left->at < right->at);
}

static struct host_names *with_room(struct arena *arena, size_t count)
{
    struct host_names *names = arena_new(arena, struct host_names);

    *names = (struct host_names){arena_array(arena, struct named, count + 1), count};
    return names;
}

const struct host_names *host_names_of_plan(struct arena *arena, const struct plan *plan)
{
    struct host_names *names = with_room(arena, plan->hosts.count);

    for (size_t i = 0; i < names->count; i++)
        names->items[i] = (struct named){plan->hosts.items[i], i};
    qsort(names->items, names->count, sizeof *names->items, compare_names);
    return names;
}

const struct host_names *host_names_of_file(struct arena *arena, const struct hostfile *hostfile)
{
    struct host_names *names = with_room(arena, hostfile->hosts.count);

    for (size_t i = 0; i < names->count; i++)
        names->items[i] = (struct named){&hostfile->hosts.items[i], i};
    qsort(names->items, names->count, sizeof *names->items, compare_names);
    return names;
}

const struct host *host_by_name(const struct host_names *names, const char *name)
{
    size_t low = 0, high = names->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(names->items[middle].host->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < names->count && strcmp(names->items[low].host->name, name) == 0 ? names->items[low].host
                                                                                 : NULL;
}

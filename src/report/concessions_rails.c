/* SPDX-License-Identifier: Apache-2.0 */
/* A hostfile that was written after the cables: what was swapped is declared as it was plugged, and passes. On one leaf the
   same adapter of all hosts goes to the same switch, so a host that is declared otherwise than most is named. So is a leaf of
   hosts that have no switch in common, or that shares one with another: with such leaves tests between leaves cross no uplink. */
#include <stdlib.h>
#include <string.h>

#include "assay/base/text.h"
#include "assay/model/hostfile.h"
#include "concessions.h"

/* With fewer hosts on a leaf nobody knows which of them is the odd one. */
enum { PEERS_FEWEST = 3 };

/* A host with its rails, which go to the same switches where the texts are equal: " mlx5_0=leaf1 mlx5_1=leaf2". */
struct railed {
    const struct host *host;
    const char *pattern;
};

static int compare_rails(const void *a, const void *b)
{
    return strcmp((*(const struct host_rail *const *)a)->hca, (*(const struct host_rail *const *)b)->hca);
}

static const char *pattern_of(struct arena *arena, const struct host *host)
{
    const struct host_rail **rails = arena_array(arena, const struct host_rail *, host->rails.count + 1);
    const char *text = "";

    for (size_t i = 0; i < host->rails.count; i++)
        rails[i] = &host->rails.items[i];
    qsort(rails, host->rails.count, sizeof *rails, compare_rails);
    for (size_t i = 0; i < host->rails.count; i++)
        text = arena_printf(arena, "%s %s=%s", text, rails[i]->hca, rails[i]->switch_name);
    return text;
}

static bool share_a_leaf(const struct host *a, const struct host *b)
{
    return strcmp(a->leaf, b->leaf) == 0 && is_same_word(a->platform, b->platform);
}

/* The pattern of most hosts on the leaf of this one; NULL: they are too few, or do not agree. */
static const char *usual(struct arena *arena, const struct railed *hosts, size_t count,
                         const struct host *host)
{
    const char **patterns = arena_array(arena, const char *, count + 1), *middle;
    size_t peers = 0, same = 0;

    for (size_t i = 0; i < count; i++)
        if (share_a_leaf(hosts[i].host, host))
            patterns[peers++] = hosts[i].pattern;
    if (peers < PEERS_FEWEST)
        return NULL;
    qsort(patterns, peers, sizeof *patterns, text_compare);
    middle = patterns[peers / 2];
    for (size_t i = 0; i < peers; i++)
        same += strcmp(patterns[i], middle) == 0;
    return 2 * same > peers ? middle : NULL;
}

/* "node2 (mlx5_2, mlx5_3)": with those that stand otherwise in the pattern. */
static const char *odd_hcas(struct arena *arena, const struct host *host, const char *pattern)
{
    const char *names = "", *padded = arena_printf(arena, "%s ", pattern);

    list_each (rail, host->rails)
        if (strstr(padded, arena_printf(arena, " %s=%s ", rail->hca, rail->switch_name)) == NULL)
            names = arena_add_word(arena, names, rail->hca);
    return *names != '\0' ? arena_printf(arena, "%s (%s)", host->name, names) : host->name;
}

static bool share_a_switch(const struct host *a, const struct host *b)
{
    list_each (one, a->rails)
        list_each (other, b->rails)
            if (strcmp(one->switch_name, other->switch_name) == 0)
                return true;
    return false;
}

static bool is_listed(const struct concessions *concessions, const char *leaf)
{
    list_each (known, concessions->odd_leaves)
        if (strcmp(*known, leaf) == 0)
            return true;
    return false;
}

static void add_leaf(struct arena *arena, struct concessions *concessions, const char *leaf)
{
    if (!is_listed(concessions, leaf))
        *list_push(arena, &concessions->odd_leaves) = leaf;
}

/* Hosts of one leaf have a switch in common. */
static void find_split_leaves(struct arena *arena, const struct railed *hosts, size_t count,
                              struct concessions *concessions)
{
    for (size_t i = 0, first = 0; i < count; i++) {
        if (i == 0 || !share_a_leaf(hosts[i].host, hosts[i - 1].host))
            for (first = 0; !share_a_leaf(hosts[first].host, hosts[i].host);)
                first++;
        if (!share_a_switch(hosts[first].host, hosts[i].host))
            add_leaf(arena, concessions, hosts[i].host->leaf);
    }
}

/* A switch at which hosts of a leaf are declared. */
struct served {
    const char *switch_name, *leaf;
};

static int compare_served(const void *a, const void *b)
{
    const struct served *one = a, *other = b;
    int order = strcmp(one->switch_name, other->switch_name);

    return order != 0 ? order : strcmp(one->leaf, other->leaf);
}

/* One switch is one leaf's: traffic between two leaves that share it crosses no uplink. */
static void find_shared_switches(struct arena *arena, const struct railed *hosts, size_t count,
                                 struct concessions *concessions)
{
    LIST_OF(struct served) served = {0};

    for (size_t i = 0; i < count; i++)
        list_each (rail, hosts[i].host->rails)
            *list_push(arena, &served) = (struct served){rail->switch_name, hosts[i].host->leaf};
    if (served.count > 0)
        qsort(served.items, served.count, sizeof *served.items, compare_served);
    for (size_t i = 1; i < served.count; i++) {
        const struct served *one = &served.items[i - 1], *other = &served.items[i];

        if (strcmp(one->switch_name, other->switch_name) != 0 || strcmp(one->leaf, other->leaf) == 0)
            continue;
        add_leaf(arena, concessions, one->leaf);
        add_leaf(arena, concessions, other->leaf);
    }
}

void concessions_of_rails(struct arena *arena, const struct hostfile *hostfile,
                          struct concessions *concessions)
{
    struct railed *hosts = arena_array(arena, struct railed, hostfile->hosts.count + 1);
    const char *most = NULL;
    size_t count = 0;

    list_each (host, hostfile->hosts) {
        if (host->role == ROLE_COMPUTE && host->rails.count > 0 && *host->leaf != '\0')
            hosts[count++] = (struct railed){host, pattern_of(arena, host)};
    }
    for (size_t i = 0; i < count; i++) {
        /* Hosts of one leaf mostly come one after the other. */
        if (i == 0 || !share_a_leaf(hosts[i].host, hosts[i - 1].host))
            most = usual(arena, hosts, count, hosts[i].host);
        if (most != NULL && strcmp(hosts[i].pattern, most) != 0)
            *list_push(arena, &concessions->odd_rails) = odd_hcas(arena, hosts[i].host, most);
    }
    find_split_leaves(arena, hosts, count, concessions);
    find_shared_switches(arena, hosts, count, concessions);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Over which hosts the steps of one step of the suite run: one set of members each. A host is a set of one, the
 * cluster is the set of all. Every host of the platform is in at least one set: one that is left over joins
 * others or is a set that cannot run, and says why; so what is owed is never less than the suite asks.
 */
#include <string.h>

#include "assay/reasons/plan.h"

#include "plan_private.h"

enum { FEWEST = 2 /* members of a step above host scope */ };

struct finder {
    struct arena *arena; /* of words that stay; all else is aside */
    struct arena *aside;
    const struct plan_sources *sources;
    const struct suite_step *step;
    const struct platform *platform;
    const struct host **hosts; /* of the platform */
    size_t count;
    struct member_sets *sets;
};

static struct member_set *add_set(const struct finder *finder, const struct host *const *members,
                                  size_t count)
{
    struct member_set *set = list_push(finder->aside, &finder->sets->sets);

    *set = (struct member_set){
        .members = arena_array(finder->aside, const struct host *, count), .count = count, .variant = ""};
    memcpy(set->members, members, count * sizeof *members);
    return set;
}

/* `where` is what has too few: "unit su3". */
static void add_wide_set(const struct finder *finder, const struct host *const *members, size_t count,
                         const char *where)
{
    struct member_set *set = add_set(finder, members, count);

    if (count < FEWEST)
        set->left_out =
            *where != '\0'
                ? reason(finder->arena, needs_hosts_in, FEWEST, finder->platform->name, where, count)
                : reason(finder->arena, needs_hosts, FEWEST, finder->platform->name, count);
}

static void add_pair(const struct finder *finder, const struct host *a, const struct host *b)
{
    const struct host *members[] = {a, b};

    add_wide_set(finder, members, 2, "");
}

/* Hosts of one leaf one after the other, so that most pairs stay within it and some go across each border. */
static const struct host **along_leaves(const struct finder *finder)
{
    const struct host **order = arena_array(finder->aside, const struct host *, finder->count);
    struct plan_places leaves = plan_places(finder->aside, finder->hosts, finder->count, "leaf");
    size_t count = 0;

    for (size_t i = 0; i < leaves.count; i++) {
        memcpy(order + count, leaves.items[i].hosts, leaves.items[i].count * sizeof *order);
        count += leaves.items[i].count;
    }
    return order;
}

/* Each with the next one and the last with the first: every host is in two pairs. */
static void find_ring(const struct finder *finder)
{
    const struct host **order = along_leaves(finder);

    if (finder->count < FEWEST) {
        add_wide_set(finder, order, finder->count, "");
        return;
    }
    for (size_t i = 0; i < finder->count; i++)
        if (i + 1 < finder->count)
            add_pair(finder, order[i], order[i + 1]);
        else if (finder->count > FEWEST)
            add_pair(finder, order[i], order[0]);
}

/* Every host is in one pair; of an odd number the last one goes with a host that has had its turn. */
static void find_disjoint(const struct finder *finder)
{
    const struct host **order = along_leaves(finder);
    size_t i = 0;

    if (finder->count < FEWEST) {
        add_wide_set(finder, order, finder->count, "");
        return;
    }
    for (; i + 1 < finder->count; i += 2)
        add_pair(finder, order[i], order[i + 1]);
    if (i < finder->count)
        add_pair(finder, order[i - 1], order[i]);
}

static int refuse_nowhere(const struct finder *finder, const struct host *host, const char *by,
                          struct error *err)
{
    return error_set(err, ERROR_USAGE,
                     "%s:%u:%u: host '%s' has no %s, and step '%s' of the suite groups hosts by it; "
                     "expected %s=NAME on its line or on the defaults line",
                     finder->sources->hostfile->path, host->line, host->column, host->name, by,
                     finder->step->name, by);
}

/* refuse_nowhere for the first host that is in no place. */
static int check_placed(const struct finder *finder, const struct plan_places *places, const char *by,
                        struct error *err)
{
    for (size_t i = 0; i < places->count; i++)
        if (*places->items[i].name == '\0')
            return refuse_nowhere(finder, places->items[i].hosts[0], by, err);
    return 0;
}

static int find_by_place(const struct finder *finder, struct error *err)
{
    const char *by = finder->step->by;
    struct plan_places places = plan_places(finder->aside, finder->hosts, finder->count, by);

    if (check_placed(finder, &places, by, err) < 0)
        return -1;
    list_each (place, places)
        add_wide_set(finder, place->hosts, place->count,
                     arena_printf(finder->arena, "%s %s", by, place->name));
    return 0;
}

/* So many hosts each, in the order of the hostfile. The last group takes what is left over: fewer hosts, or
   one more where only one is left. */
static void find_by_size(const struct finder *finder)
{
    size_t size = finder->step->by_size;

    for (size_t at = 0; at < finder->count;) {
        size_t left = finder->count - at, take = left <= size || left == size + 1 ? left : size;

        add_wide_set(finder, finder->hosts + at, take, "");
        at += take;
    }
}

static int find_rails(const struct finder *finder, struct error *err)
{
    const struct platform *platform = finder->platform;

    if (platform->hcas.count != platform->gpu_count || platform->gpu_count == 0)
        return json_error(
            err, json_get(finder->step->at, "by"),
            "step '%s' goes by rail, and platform %s has %u GPUs and %zu HCAs; expected as many, "
            "in the order in which they belong together",
            finder->step->name, platform->name, platform->gpu_count, platform->hcas.count);
    for (size_t i = 0; i < platform->hcas.count; i++) {
        add_wide_set(finder, finder->hosts, finder->count, "");
        finder->sets->sets.items[finder->sets->sets.count - 1].variant = platform->hcas.items[i];
    }
    return 0;
}

/* Hosts of both take turns, so that a ring goes from each of them to the other leaf: all send over the uplinks at once. Of
   the larger one some are left over at the end; with its other neighbour they may have their turn. */
static void add_leaves(const struct finder *finder, const struct plan_place *a, const struct plan_place *b)
{
    const struct host **members = arena_array(finder->aside, const struct host *, a->count + b->count);
    size_t count = 0;

    for (size_t i = 0; i < a->count || i < b->count; i++) {
        if (i < a->count)
            members[count++] = a->hosts[i];
        if (i < b->count)
            members[count++] = b->hosts[i];
    }
    add_wide_set(finder, members, count, "");
    finder->sets->sets.items[finder->sets->sets.count - 1].variant =
        arena_printf(finder->arena, LEAVES_VARIANT "%s and %s", a->name, b->name);
}

/* Each leaf with the next one and the last with the first: a slow one is slow with both of its neighbours. Where the run
   is asked for hosts of one leaf only there is none. */
static int find_pairs_of_leaves(const struct finder *finder, struct error *err)
{
    struct plan_places leaves = plan_places(finder->aside, finder->hosts, finder->count, "leaf");

    if (check_placed(finder, &leaves, "leaf", err) < 0)
        return -1;
    for (size_t i = 0; leaves.count > 1 && i < leaves.count; i++)
        if (i + 1 < leaves.count)
            add_leaves(finder, &leaves.items[i], &leaves.items[i + 1]);
        else if (leaves.count > 2)
            add_leaves(finder, &leaves.items[i], &leaves.items[0]);
    return 0;
}

static void find_pairs(const struct finder *finder)
{
    if (strcmp(finder->step->by, "ring") == 0)
        find_ring(finder);
    else
        find_disjoint(finder);
}

/*
 * Where the NVLinks of a rack join its hosts, pairs stay in their rack: over its border they would go by the adapters,
 * with another bandwidth, and be held against what NVLinks reach. What crosses borders the steps over all hosts load,
 * with all adapters of a rack. A host that is alone in its rack is a set that cannot run. What goes by adapters alone does
 * so in a rack too, and pairs all hosts.
 */
static int find_pairs_of_domains(const struct finder *finder, struct error *err)
{
    struct plan_places racks = plan_places(finder->aside, finder->hosts, finder->count, "rack");
    struct finder rack = *finder;

    if (finder->count > finder->platform->nvlink_domain_hosts &&
        check_placed(finder, &racks, "rack", err) < 0)
        return -1;
    for (size_t i = 0; i < racks.count; i++) {
        rack.hosts = racks.items[i].hosts;
        rack.count = racks.items[i].count;
        if (rack.count >= FEWEST)
            find_pairs(&rack);
        else
            add_wide_set(finder, rack.hosts, 1, arena_printf(finder->arena, "rack %s", racks.items[i].name));
    }
    return 0;
}

static int find_groups(const struct finder *finder, struct error *err)
{
    if (strcmp(finder->step->by, "leaves") == 0)
        return find_pairs_of_leaves(finder, err);
    if (strcmp(finder->step->by, "rail") == 0)
        return find_rails(finder, err);
    if (finder->step->by_size == 0)
        return find_by_place(finder, err);
    find_by_size(finder);
    return 0;
}

/* The variants of one set come one after the other, so that little has changed meanwhile. */
static void spread_over_variants(const struct finder *finder)
{
    struct member_sets once = *finder->sets;

    *finder->sets = (struct member_sets){0};
    for (size_t i = 0; i < once.sets.count; i++)
        for (size_t k = 0; k < finder->step->variants.count; k++) {
            struct member_set *set = list_push(finder->aside, &finder->sets->sets);

            *set = once.sets.items[i];
            set->variant = finder->step->variants.items[k].name;
        }
}

/* Each host by itself; where the step goes by line, each line of each: check_hosts has refused hosts without any where it is for all. */
static void find_alone(const struct finder *finder)
{
    for (size_t i = 0; i < finder->count; i++) {
        const struct host *host = finder->hosts[i];

        if (finder->step->by == NULL)
            (void)add_set(finder, &host, 1);
        for (size_t k = 0; finder->step->by != NULL && k < host->lines.count; k++)
            add_set(finder, &host, 1)->variant = host->lines.items[k].name;
    }
}

void plan_sets_alone(struct arena *arena, const struct suite_step *step, const struct host *host,
                     struct member_sets *ret_sets)
{
    const struct finder finder = {.aside = arena, .step = step, .hosts = &host, .count = 1, .sets = ret_sets};

    *ret_sets = (struct member_sets){0};
    find_alone(&finder);
}

int plan_member_sets(struct arena *arena, const struct plan_sources *sources, const struct suite_step *step,
                     const struct platform *platform, const struct plan *plan, struct member_sets *ret_sets,
                     struct error *err)
{
    struct finder finder = {.arena = plan->arena,
                            .aside = arena,
                            .sources = sources,
                            .step = step,
                            .platform = platform,
                            .hosts = arena_array(arena, const struct host *, plan->hosts.count),
                            .sets = ret_sets};

    *ret_sets = (struct member_sets){0};
    for (size_t i = 0; i < plan->hosts.count; i++)
        if (host_platform(sources, plan->hosts.items[i]) == platform)
            finder.hosts[finder.count++] = plan->hosts.items[i];
    if (finder.count == 0)
        return 0;
    if (strcmp(step->scope, "group") == 0 && find_groups(&finder, err) < 0)
        return -1;
    if (strcmp(step->scope, "cluster") == 0)
        add_wide_set(&finder, step->by != NULL ? plan_turns(arena, finder.hosts, finder.count) : finder.hosts,
                     finder.count, "");
    if (strcmp(step->scope, "pair") == 0 &&
        (platform->nvlink_domain_hosts == 0 || check_find(step->check)->on == ON_HCAS))
        find_pairs(&finder);
    else if (strcmp(step->scope, "pair") == 0 && find_pairs_of_domains(&finder, err) < 0)
        return -1;
    if (strcmp(step->scope, "host") == 0)
        find_alone(&finder);
    if (step->variants.count > 0)
        spread_over_variants(&finder);
    return 0;
}

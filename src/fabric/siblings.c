/* SPDX-License-Identifier: Apache-2.0 */
/* Links beside those that a hash gives as much. */
#include <math.h>

#include "assay/base/robust.h"
#include "assay/fabric/suspects.h"
#include "ecmp_private.h"

enum { SIBLINGS_LEAST = 4, UNEVEN_LEAST = 4 };
#define UNEVEN 0.01 /* of all that are compared */

/* A link beside its siblings, and the level of its lower switch. */
struct compared {
    struct fabric_sibling found;
    uint8_t level;
};

struct comparison {
    const struct fabric_ecmp *ecmp;
    struct arena *arena;
    const double *carried;
    const bool *proven;
    double *values; /* room for the links of a switch, and for all that are compared */
    LIST_OF(struct compared) links;
};

static double gbits_of(const struct comparison *comparison, size_t edge)
{
    return comparison->ecmp->fabric->ports.items[comparison->ecmp->edges[edge].way].gbits;
}

static uint32_t far_of(const struct comparison *comparison, size_t edge)
{
    return comparison->ecmp->fabric->ports.items[comparison->ecmp->edges[edge].way].far;
}

static uint32_t far_end(const struct comparison *comparison, uint32_t link)
{
    return comparison->ecmp->fabric->ports.items[link].far;
}

/* Whether the link leads one level up, has that rate, and was counted both ways. */
static bool is_sibling(const struct comparison *comparison, uint32_t at, size_t edge, double gbits)
{
    const struct fabric_ecmp *ecmp = comparison->ecmp;

    return ecmp->level[at] != ECMP_FAR && ecmp->level[ecmp->edges[edge].to] == ecmp->level[at] + 1 &&
           gbits_of(comparison, edge) == gbits && !isnan(comparison->carried[ecmp->edges[edge].way]) &&
           !isnan(comparison->carried[far_of(comparison, edge)]);
}

/* down: of the ways from above. *ret_count: of how many. */
static double median_of(const struct comparison *comparison, uint32_t at, double gbits, bool down,
                        size_t *ret_count)
{
    const struct fabric_ecmp *ecmp = comparison->ecmp;

    *ret_count = 0;
    for (size_t i = ecmp->first[at]; i < ecmp->first[at + 1]; i++)
        if (is_sibling(comparison, at, i, gbits))
            comparison->values[(*ret_count)++] =
                comparison->carried[down ? far_of(comparison, i) : ecmp->edges[i].way];
    return robust_median(comparison->values, *ret_count);
}

static bool is_first_of_rate(const struct comparison *comparison, uint32_t at, size_t edge)
{
    for (size_t i = comparison->ecmp->first[at]; i < edge; i++)
        if (is_sibling(comparison, at, i, gbits_of(comparison, edge)))
            return false;
    return is_sibling(comparison, at, edge, gbits_of(comparison, edge));
}

/* The links of a switch that have the rate of this one, the first. */
static void compare_group(struct comparison *comparison, uint32_t at, size_t first)
{
    const struct fabric_ecmp *ecmp = comparison->ecmp;
    double gbits = gbits_of(comparison, first);
    size_t count;
    double up = median_of(comparison, at, gbits, false, &count);
    double down = median_of(comparison, at, gbits, true, &count);

    if (count < SIBLINGS_LEAST || !(up > 0) || !(down > 0))
        return;
    for (size_t i = first; i < ecmp->first[at + 1]; i++)
        if (is_sibling(comparison, at, i, gbits))
            *list_push(comparison->arena, &comparison->links) =
                (struct compared){{fabric_link_of(ecmp->fabric, ecmp->edges[i].way),
                                   comparison->carried[ecmp->edges[i].way] / up,
                                   comparison->carried[far_of(comparison, i)] / down},
                                  ecmp->level[at]};
}

/* Below what a link of this level has one way, of so many, by chance alone, where the other way is as low. */
static double bound_of(const struct comparison *comparison, uint8_t level, bool down, double *values)
{
    double chance = sqrt(FABRIC_BY_NOISE / (double)comparison->links.count), middle;
    size_t count = 0;

    list_each (link, comparison->links)
        if (link->level == level)
            values[count++] = down ? link->found.down : link->found.up;
    middle = robust_median(values, count);
    return fmin(FABRIC_SIBLING_SLOW,
                middle - robust_deviation_at(chance) * robust_sigma(values, count, middle));
}

static void find_low(const struct comparison *comparison, struct fabric_siblings *siblings)
{
    double *values = arena_array(comparison->arena, double, comparison->links.count);

    for (unsigned level = 0; level < comparison->ecmp->levels; level++) {
        double up = bound_of(comparison, (uint8_t)level, false, values),
               down = bound_of(comparison, (uint8_t)level, true, values);

        list_each (link, comparison->links)
            if (link->level == level && link->found.up < up && link->found.down < down &&
                !comparison->proven[link->found.link] &&
                !comparison->proven[far_end(comparison, link->found.link)])
                *list_push(comparison->arena, &siblings->items) = link->found;
    }
}

void fabric_compare_siblings(struct arena *arena, const struct fabric_ecmp *ecmp, const double *carried,
                             const bool *proven, struct fabric_siblings *ret_siblings)
{
    struct comparison comparison = {.ecmp = ecmp,
                                    .arena = arena,
                                    .carried = carried,
                                    .proven = proven,
                                    .values = arena_array(arena, double, ecmp->first[ecmp->switches])};

    *ret_siblings = (struct fabric_siblings){0};
    for (uint32_t at = 0; at < ecmp->switches; at++)
        for (size_t i = ecmp->first[at]; i < ecmp->first[at + 1]; i++)
            if (is_first_of_rate(&comparison, at, i))
                compare_group(&comparison, at, i);
    ret_siblings->compared = comparison.links.count;
    if (comparison.links.count > 0)
        find_low(&comparison, ret_siblings);
    ret_siblings->uneven = ret_siblings->items.count >= UNEVEN_LEAST &&
                           (double)ret_siblings->items.count > UNEVEN * (double)ret_siblings->compared;
}

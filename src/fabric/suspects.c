/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/fabric/suspects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/robust.h"

/* --- slow --- */

/* The ways of all slow flows, one after the other. */
struct slow_flow {
    uint32_t ways[FABRIC_HOPS_MAX];
    unsigned count;
    double share;
    bool is_noise; /* it may be as slow by chance: it accuses nothing */
    bool explained;
};

struct search {
    const struct fabric *fabric;
    struct arena *arena;
    bool *cleared;  /* of each way */
    uint32_t *hits; /* of each way: slow flows that are not explained yet */
    LIST_OF(struct slow_flow) slow;
};

/* Their median, and below what none of so many lies by noise. */
static double median_share(struct arena *arena, const struct fabric_seen *seen, size_t count,
                           size_t *ret_measured, double *ret_beyond_noise)
{
    double *shares = arena_array(arena, double, count), median;

    *ret_measured = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(seen[i].share))
            shares[(*ret_measured)++] = seen[i].share;
    median = robust_median(shares, *ret_measured);
    *ret_beyond_noise = *ret_measured > 0
                            ? median - robust_deviation_at(FABRIC_BY_NOISE / (double)*ret_measured) *
                                           robust_sigma(shares, *ret_measured, median)
                            : NAN;
    return median;
}

static void take_flow(struct search *search, const struct fabric_seen *seen, double bound,
                      double beyond_noise)
{
    struct slow_flow flow = {.share = seen->share, .is_noise = seen->share >= beyond_noise};

    flow.count = fabric_route(search->fabric, seen->flow.from, seen->flow.to, flow.ways);
    if (seen->share < bound) {
        *list_push(search->arena, &search->slow) = flow;
        return;
    }
    for (unsigned i = 0; i < flow.count; i++)
        search->cleared[flow.ways[i]] = true;
}

static void count_hits(struct search *search, const struct slow_flow *flow, int step)
{
    for (unsigned i = 0; i < flow->count && !flow->is_noise; i++)
        if (!search->cleared[flow->ways[i]])
            search->hits[flow->ways[i]] += (uint32_t)step;
}

static bool crosses(const struct slow_flow *flow, uint32_t way)
{
    for (unsigned i = 0; i < flow->count; i++)
        if (flow->ways[i] == way)
            return true;
    return false;
}

/* The way that most slow flows crossed which nothing explains; FABRIC_NONE: there is none. */
static uint32_t worst_way(const struct search *search)
{
    uint32_t worst = FABRIC_NONE;

    for (size_t i = 0; i < search->slow.count; i++) {
        const struct slow_flow *flow = &search->slow.items[i];

        for (unsigned k = 0; k < flow->count && !flow->explained && !flow->is_noise; k++) {
            uint32_t way = flow->ways[k];

            if (!search->cleared[way] && (worst == FABRIC_NONE || search->hits[way] > search->hits[worst]))
                worst = way;
        }
    }
    return worst;
}

/* Whether the slow flows that are not explained cross either both ways or none. */
static bool are_alike(const struct search *search, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < search->slow.count; i++)
        if (!search->slow.items[i].explained && !search->slow.items[i].is_noise &&
            crosses(&search->slow.items[i], a) != crosses(&search->slow.items[i], b))
            return false;
    return true;
}

static void add_link(struct search *search, struct fabric_suspect *suspect, uint32_t way)
{
    uint32_t link = fabric_link_of(search->fabric, way);

    for (size_t i = 0; i < suspect->count; i++)
        if (suspect->links[i] == link)
            return;
    suspect->links[suspect->count++] = link;
}

/* The way and those that cannot be told from it: they are all on the way of any flow that crosses it. */
static void gather_links(struct search *search, uint32_t way, struct fabric_suspect *suspect)
{
    suspect->links = arena_array(search->arena, uint32_t, FABRIC_HOPS_MAX);
    for (size_t i = 0; i < search->slow.count; i++) {
        const struct slow_flow *flow = &search->slow.items[i];

        if (flow->explained || flow->is_noise || !crosses(flow, way))
            continue;
        for (unsigned k = 0; k < flow->count; k++)
            if (!search->cleared[flow->ways[k]] && are_alike(search, way, flow->ways[k]))
                add_link(search, suspect, flow->ways[k]);
        return;
    }
}

/* A link that is slow one way explains what is slow on it the other way too. */
static void explain(struct search *search, uint32_t way, struct fabric_suspect *suspect)
{
    double *shares = arena_array(search->arena, double, search->slow.count);
    uint32_t far = search->fabric->ports.items[way].far;

    for (size_t i = 0; i < search->slow.count; i++) {
        struct slow_flow *flow = &search->slow.items[i];

        if (flow->explained ||
            !(crosses(flow, way) || (suspect->count == 1 && !search->cleared[far] && crosses(flow, far))))
            continue;
        count_hits(search, flow, -1);
        flow->explained = true;
        shares[suspect->flows++] = flow->share;
    }
    suspect->share = robust_median(shares, suspect->flows);
}

void fabric_suspect_slow(struct arena *arena, const struct fabric *fabric, const struct fabric_seen *seen,
                         size_t count, double below, struct fabric_suspects *ret_suspects)
{
    struct search search = {.fabric = fabric,
                            .arena = arena,
                            .cleared = arena_array(arena, bool, fabric->ports.count),
                            .hits = arena_array(arena, uint32_t, fabric->ports.count)};
    double beyond_noise;
    uint32_t way;

    *ret_suspects = (struct fabric_suspects){0};
    ret_suspects->typical = median_share(arena, seen, count, &ret_suspects->measured, &beyond_noise);
    for (size_t i = 0; i < count; i++)
        if (!isnan(seen[i].share))
            take_flow(&search, &seen[i], below * ret_suspects->typical, beyond_noise);
    ret_suspects->slow = search.slow.count;
    for (size_t i = 0; i < search.slow.count; i++)
        count_hits(&search, &search.slow.items[i], 1);
    while ((way = worst_way(&search)) != FABRIC_NONE) {
        struct fabric_suspect *suspect = list_push(arena, &ret_suspects->items);

        gather_links(&search, way, suspect);
        explain(&search, way, suspect);
    }
    for (size_t i = 0; i < search.slow.count; i++)
        ret_suspects->unexplained += !search.slow.items[i].explained;
}

/* --- errors --- */

/* The chance of fewer than `count` where `mean` are expected. */
static double fewer_than(double count, double mean)
{
    double sum = 0;

    if (mean <= 0)
        return count > 0 ? 1 : 0;
    for (double k = 0; k < count; k++)
        sum += exp(k * log(mean) - mean - lgamma(k + 1));
    return fmin(sum, 1);
}

/* The chance of `count` or more; its terms fall, since nobody asks where they do not. */
static double at_least(double count, double mean)
{
    double term = exp(count * log(mean) - mean - lgamma(count + 1)), sum = 0;

    for (double k = count; term > sum * 1e-12 && term > 0; k++) {
        sum += term;
        term *= mean / (k + 1);
    }
    return sum;
}

bool fabric_errors_tell(double errors, double bits, double limit)
{
    double mean = bits * limit;

    return errors > mean && mean > 0 && at_least(errors, mean) < FABRIC_CHANCE;
}

static double least_telling(double bits, double limit)
{
    double errors = 1;

    while (!fabric_errors_tell(errors, bits, limit))
        errors++;
    return errors;
}

double fabric_bits_to_tell(double rate, double limit, double miss)
{
    double bits = 1 / rate;

    while (fewer_than(least_telling(bits, limit), bits * rate) > miss)
        bits *= 1.02;
    return bits;
}

/* --- proof --- */

void fabric_proof(const struct fabric *fabric, const struct fabric_counted *counted, double seconds,
                  bool *proven)
{
    for (size_t way = 0; way < fabric->ports.count; way++) {
        const struct fabric_port *port = &fabric->ports.items[way];
        double least = FABRIC_SHARE * port->gbits * 1e9 * seconds;

        if (port->far != FABRIC_NONE && least > 0 &&
            (counted[way].sent_bits >= least || counted[way].received_bits >= least))
            proven[way] = true;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "assay/fabric/flows.h"

double fabric_flow_gbits(const struct fabric *fabric, struct fabric_flow flow)
{
    return fmin(fabric->ports.items[flow.from].gbits, fabric->ports.items[flow.to].gbits);
}

/* NAN where it went back or was not told both times. */
static double growth(const double *before, const double *after, size_t at)
{
    return after[at] >= before[at] ? after[at] - before[at] : NAN;
}

static void add_round(const struct fabric *fabric, const struct fabric_counters counters[2], double seconds,
                      struct fabric_counted *round, struct fabric_proven *proven)
{
    for (size_t way = 0; way < fabric->ports.count; way++) {
        uint32_t far = fabric->ports.items[way].far;
        double most;

        round[way].sent_bits = growth(counters[0].sent, counters[1].sent, way);
        round[way].received_bits =
            far == FABRIC_NONE ? NAN : growth(counters[0].received, counters[1].received, far);
        /* Where nobody counted, all that it can carry: errors of too few bits would accuse. */
        most = fmax(round[way].sent_bits, round[way].received_bits);
        proven->most[way] = fmax(proven->most[way], most / (fabric->ports.items[way].gbits * 1e9 * seconds));
        proven->bits[way] += isnan(most) ? fabric->ports.items[way].gbits * 1e9 * seconds : most;
    }
    fabric_proof(fabric, round, seconds, proven->ways);
}

/* Between the readings that told: one that did not hides no errors of the others. */
static void add_errors(const struct fabric_counters *counters, size_t readings, uint32_t far,
                       double *ret_errors, bool *ret_told)
{
    double last = counters[0].errors[far];

    *ret_told = !isnan(last) && !isnan(counters[readings - 1].errors[far]);
    for (size_t i = 1; i < readings; i++) {
        double now = counters[i].errors[far];

        if (isnan(now))
            continue;
        if (now >= last)
            *ret_errors = (isnan(*ret_errors) ? 0 : *ret_errors) + now - last;
        else if (!isnan(last))
            *ret_told = false;
        last = now;
    }
}

void fabric_prove(struct arena *arena, const struct fabric *fabric, const struct fabric_counters *counters,
                  size_t rounds, double seconds, const enum fabric_gap *gaps,
                  struct fabric_proven *ret_proven)
{
    size_t ways = fabric->ports.count;
    struct fabric_counted *round = arena_array(arena, struct fabric_counted, ways);

    *ret_proven = (struct fabric_proven){.ways = arena_array(arena, bool, ways),
                                         .bits = arena_array(arena, double, ways),
                                         .errors = arena_array(arena, double, ways),
                                         .told = arena_array(arena, bool, ways),
                                         .most = arena_array(arena, double, ways)};
    for (size_t way = 0; way < ways; way++)
        ret_proven->most[way] = NAN;
    for (size_t i = 0; i < rounds; i++)
        add_round(fabric, &counters[i], seconds, round, ret_proven);
    for (uint32_t way = 0; way < ways; way++) {
        uint32_t far = fabric->ports.items[way].far;

        ret_proven->errors[way] = NAN;
        if (far != FABRIC_NONE)
            add_errors(counters, rounds + 1, far, &ret_proven->errors[way], &ret_proven->told[way]);
        if (far == FABRIC_NONE || far < way || gaps[way] == FABRIC_UNTESTED)
            continue;
        ret_proven->links++;
        ret_proven->covered += ret_proven->ways[way] && ret_proven->ways[far];
    }
}

/* --- what the flows say beside what the counters say --- */

static void claim(const struct fabric *fabric, const struct fabric_measured *measured, size_t round,
                  double seconds, double *claimed)
{
    size_t at = round > 0 ? measured->ends.items[round - 1] : 0;

    for (size_t way = 0; way < fabric->ports.count; way++)
        claimed[way] = 0;
    for (; at < measured->ends.items[round]; at++) {
        const struct fabric_seen *seen = &measured->flows.items[at];
        uint32_t ways[FABRIC_HOPS_MAX];
        unsigned count = fabric_route(fabric, seen->flow.from, seen->flow.to, ways);

        for (unsigned i = 0; i < count && !isnan(seen->share); i++)
            claimed[ways[i]] += seen->share * fabric_flow_gbits(fabric, seen->flow) * 1e9 * seconds;
    }
}

size_t fabric_contradict(struct arena *arena, const struct fabric *fabric,
                         const struct fabric_measured *measured, const struct fabric_counters *counters,
                         double seconds, bool *ret_ways)
{
    double *claimed = arena_array(arena, double, fabric->ports.count);
    size_t count = 0;

    for (size_t round = 0; round < measured->ends.count; round++) {
        const struct fabric_counters *before = &counters[round], *after = &counters[round + 1];

        claim(fabric, measured, round, seconds, claimed);
        for (size_t way = 0; way < fabric->ports.count; way++) {
            uint32_t far = fabric->ports.items[way].far;
            double sent = growth(before->sent, after->sent, way);
            double received = far == FABRIC_NONE ? NAN : growth(before->received, after->received, far);

            if (!ret_ways[way] && fmax(sent, received) < FABRIC_SHARE * claimed[way]) {
                ret_ways[way] = true;
                count++;
            }
        }
    }
    return count;
}

/* --- what both ends of a link say --- */

/* In all rounds. */
static bool is_told(const double *const *readings, size_t rounds, uint32_t port)
{
    for (size_t round = 0; round < rounds; round++)
        if (isnan(growth(readings[round], readings[round + 1], port)))
            return false;
    return true;
}

static bool differs(double sent, double received, double little)
{
    double most = fmax(sent, received);

    return most >= little && fmin(sent, received) < FABRIC_SLOW * most;
}

/* What one end alone tells is as good as what its switch says of the hosts below it. */
static size_t count_untied(struct arena *arena, const struct fabric *fabric, const bool *sent,
                           const bool *received, const enum fabric_gap *gaps)
{
    bool *tied = arena_array(arena, bool, fabric->nodes.count);
    const struct fabric_port *ports = fabric->ports.items;
    size_t untied = 0;

    for (int last = 0; last < 2; last++)
        for (uint32_t port = 0; port < fabric->ports.count; port++) {
            uint32_t far = ports[port].far;
            bool own = sent[port] || received[port], both;

            if (far == FABRIC_NONE || gaps[port] == FABRIC_UNTESTED)
                continue;
            both = sent[port] && received[far] && sent[far] && received[port];
            if (!last)
                tied[ports[port].node] |= both && fabric_is_host_link(fabric, port);
            else
                untied += own && !both && !tied[ports[port].node];
        }
    return untied;
}

size_t fabric_compare_ends(struct arena *arena, const struct fabric *fabric,
                           const struct fabric_counters *counters, size_t rounds, double seconds,
                           const enum fabric_gap *gaps, bool *ret_ways, size_t *ret_untied)
{
    const double **sent = arena_array(arena, const double *, rounds + 1);
    const double **received = arena_array(arena, const double *, rounds + 1);
    bool *sends = arena_array(arena, bool, fabric->ports.count);
    bool *receives = arena_array(arena, bool, fabric->ports.count);
    size_t count = 0;

    for (size_t round = 0; round <= rounds; round++) {
        sent[round] = counters[round].sent;
        received[round] = counters[round].received;
    }
    for (uint32_t way = 0; way < fabric->ports.count; way++) {
        uint32_t far = fabric->ports.items[way].far;
        double little = FABRIC_LITTLE * fabric->ports.items[way].gbits * 1e9 * seconds;

        sends[way] = is_told(sent, rounds, way);
        receives[way] = is_told(received, rounds, way);
        for (size_t round = 0; round < rounds && far != FABRIC_NONE && !ret_ways[way]; round++)
            ret_ways[way] = differs(growth(sent[round], sent[round + 1], way),
                                    growth(received[round], received[round + 1], far), little);
        count += ret_ways[way];
    }
    *ret_untied = count_untied(arena, fabric, sends, receives, gaps);
    return count;
}

/* --- what leaves a leaf --- */

/* By the counter of that end, where it was told, else of the other one. */
static double carried(const struct fabric *fabric, const struct fabric_counters counters[2], uint32_t way,
                      uint32_t end)
{
    double sent = growth(counters[0].sent, counters[1].sent, way);
    double received = growth(counters[0].received, counters[1].received, fabric->ports.items[way].far);
    double own = end == way ? sent : received;

    return isnan(own) ? fmax(sent, received) : own;
}

/* Bits of one leaf. */
struct weight {
    double away, sent; /* by its hosts to other leaves, and by its known links; NAN of one of them stays */
    size_t flows;
};

static void weigh_round(const struct fabric *fabric, const struct fabric_measured *measured, size_t round,
                        const struct fabric_counters counters[2], struct weight *weights)
{
    const struct fabric_port *ports = fabric->ports.items;

    for (size_t node = 0; node < fabric->nodes.count; node++)
        weights[node] = (struct weight){0};
    for (size_t at = round > 0 ? measured->ends.items[round - 1] : 0; at < measured->ends.items[round];
         at++) {
        const struct fabric_flow flow = measured->flows.items[at].flow;
        uint32_t leaf = ports[ports[flow.from].far].node;

        if (leaf == ports[ports[flow.to].far].node)
            continue;
        weights[leaf].away += carried(fabric, counters, flow.from, ports[flow.from].far);
        weights[leaf].flows++;
    }
    for (uint32_t way = 0; way < fabric->ports.count; way++)
        if (ports[way].far != FABRIC_NONE && !fabric_is_host_link(fabric, way))
            weights[ports[way].node].sent += carried(fabric, counters, way, way);
}

static void take_round(const struct weight *now, struct weight *told, struct fabric_leaf *leaf)
{
    bool known = !isnan(now->away) && !isnan(now->sent);

    if (now->flows == 0 || leaf->links == 0)
        return;
    if (known) {
        told->away += now->away;
        told->sent += now->sent;
        told->flows += now->flows;
    }
    leaf->untold = told->flows == 0;
}

void fabric_weigh_leaves(struct arena *arena, const struct fabric *fabric,
                         const struct fabric_measured *measured, const struct fabric_counters *counters,
                         struct fabric_leaf *ret_leaves)
{
    size_t nodes = fabric->nodes.count;
    struct weight *now = arena_array(arena, struct weight, nodes);
    struct weight *told = arena_array(arena, struct weight, nodes);

    for (size_t node = 0; node < nodes; node++)
        ret_leaves[node] = (struct fabric_leaf){.share = NAN};
    for (uint32_t way = 0; way < fabric->ports.count; way++)
        if (fabric->ports.items[way].far != FABRIC_NONE && !fabric_is_host_link(fabric, way))
            ret_leaves[fabric->ports.items[way].node].links++;
    for (size_t round = 0; round < measured->ends.count; round++) {
        weigh_round(fabric, measured, round, &counters[round], now);
        for (size_t node = 0; node < nodes; node++)
            take_round(&now[node], &told[node], &ret_leaves[node]);
    }
    for (size_t node = 0; node < nodes; node++)
        if (told[node].away > 0 && ret_leaves[node].links > 0)
            ret_leaves[node].share = told[node].sent / told[node].away;
}

double fabric_leaf_bound(size_t links)
{
    return 1 - fmax(0.5 / (double)(links + 1), FABRIC_FRAMES);
}

/* --- what the flows of rounds put on each way --- */

static void load_round(const struct fabric *fabric, const struct fabric_measured *measured, size_t round,
                       double *load)
{
    size_t at = round > 0 ? measured->ends.items[round - 1] : 0;

    for (size_t way = 0; way < fabric->ports.count; way++)
        load[way] = 0;
    for (; at < measured->ends.items[round]; at++) {
        const struct fabric_flow flow = measured->flows.items[at].flow;
        uint32_t ways[FABRIC_HOPS_MAX];
        unsigned count = fabric_route(fabric, flow.from, flow.to, ways);

        for (unsigned i = 0; i < count; i++)
            load[ways[i]] += fabric_flow_gbits(fabric, flow);
    }
}

static enum fabric_gap gap_of(const struct fabric *fabric, uint32_t way, const bool *takes_part, double most)
{
    const struct fabric_port *port = &fabric->ports.items[way];
    uint32_t ends[2] = {way, port->far};

    for (int i = 0; i < 2 && port->far != FABRIC_NONE; i++)
        if (fabric->nodes.items[fabric->ports.items[ends[i]].node].kind == FABRIC_ADAPTER &&
            !takes_part[ends[i]])
            return FABRIC_UNTESTED;
    if (port->far == FABRIC_NONE || port->inactive)
        return FABRIC_INACTIVE;
    return most <= 0                             ? FABRIC_NO_FLOW
           : most < FABRIC_PLANNED * port->gbits ? FABRIC_TOO_LITTLE
                                                 : FABRIC_COVERED;
}

void fabric_cover(struct arena *arena, const struct fabric *fabric, const struct fabric_measured *measured,
                  const bool *takes_part, enum fabric_gap *ret_gaps)
{
    double *load = arena_array(arena, double, fabric->ports.count);
    double *most = arena_array(arena, double, fabric->ports.count);

    for (size_t round = 0; round < measured->ends.count; round++) {
        load_round(fabric, measured, round, load);
        for (size_t way = 0; way < fabric->ports.count; way++)
            most[way] = fmax(most[way], load[way]);
    }
    for (uint32_t way = 0; way < fabric->ports.count; way++)
        ret_gaps[way] = gap_of(fabric, way, takes_part, most[way]);
}

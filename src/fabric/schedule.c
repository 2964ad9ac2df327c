/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most ways are covered from the senders: destinations behind each way out of their leaf, the ways that still lack load
 * first. When few are left, each is looked for by itself: destinations that its switch sends over it, from leaves on whose
 * route to them it lies. Then those that are alike are parted: a destination that a way is known to lead to is sent to
 * from its own leaf, from the next one, from 2, 4, 8, ... further on, which in a tree turns at every height. What a flow is
 * worth is the ways it covers, and then the classes it parts.
 */
#include "assay/fabric/schedule.h"

#include <stdlib.h>
#include <string.h>

enum {
    TRIES = 96,     /* flows that are weighed for one sender, */
    TRIES_PORT = 6, /* over one way out of its leaf */
    LOOKS = 2048,   /* and destinations that are looked at before, most of them taken */
    FEW = 16,       /* one way in so many is left: they are looked for one by one */
    COVERS = 100,   /* a way that is covered is worth more than all that a flow can part */
};

/* A switch that has ports of the question, which are order[first] to order[first + count - 1]. */
struct leaf {
    uint32_t node;
    size_t first, count;
};

struct planner {
    const struct fabric *fabric;
    const struct fabric_question *question;
    struct arena *arena;
    struct fabric_schedule *schedule;
    LIST_OF(struct leaf) leaves;
    uint32_t *order;    /* indexes of the question's ports, by leaf, */
    uint32_t *place;    /* and where each stands there */
    uint32_t *leaf_of;  /* of each index: its leaf */
    uint32_t *index_of; /* of each port: its index in the question, or FABRIC_NONE */
    bool *busy;         /* of each index: in a flow of this round */
    double *load;       /* of each way in this round, Gb/s */
    double *most;       /* the most in a round */
    bool *usable;       /* of each way: a route crosses it, */
    uint32_t *leads[2]; /* such as those to the first and the last of these destinations, */
    uint32_t *comes[2]; /* and from these leaves */
    uint32_t *classes;  /* of each way */
    uint32_t *sizes;    /* of each class */
    uint32_t class_count;
    size_t usable_count;
    /* Of the leaf at hand: indexes of destinations by the port that they go out by. */
    uint32_t *behind, starts[FABRIC_PORTS_MAX + 3];
    size_t round;
};

/* A flow that is weighed. */
struct candidate {
    uint32_t from, to; /* indexes */
    uint32_t ways[FABRIC_HOPS_MAX];
    unsigned count, worth;
};

static const struct fabric_port *port_of(const struct planner *planner, uint32_t way)
{
    return &planner->fabric->ports.items[way];
}

/* --- what is there --- */

static int by_leaf(const void *a, const void *b, void *context)
{
    const struct planner *planner = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint32_t node_x = port_of(planner, port_of(planner, planner->question->ports[x])->far)->node;
    uint32_t node_y = port_of(planner, port_of(planner, planner->question->ports[y])->far)->node;

    return node_x != node_y ? (node_x > node_y) - (node_x < node_y) : (x > y) - (x < y);
}

static void find_leaves(struct planner *planner)
{
    size_t count = planner->question->count;
    struct leaf *last = NULL;

    for (size_t i = 0; i < count; i++) {
        planner->order[i] = (uint32_t)i;
        planner->index_of[planner->question->ports[i]] = (uint32_t)i;
    }
    qsort_r(planner->order, count, sizeof *planner->order, by_leaf, planner);
    for (size_t i = 0; i < count; i++) {
        uint32_t far = port_of(planner, planner->question->ports[planner->order[i]])->far;
        uint32_t node = port_of(planner, far)->node;

        if (last == NULL || last->node != node) {
            last = list_push(planner->arena, &planner->leaves);
            *last = (struct leaf){.node = node, .first = i};
        }
        last->count++;
        planner->place[planner->order[i]] = (uint32_t)i;
        planner->leaf_of[planner->order[i]] = (uint32_t)(planner->leaves.count - 1);
    }
}

/* Nodes from which a destination is reached, found once for each: all routes to it make one tree. */
struct walk {
    uint32_t *stamp; /* of each node: the destination that it was last looked at for, and */
    bool *reaches;   /* whether it gets there */
};

static void note_lead(struct planner *planner, uint32_t way, uint32_t index, uint32_t leaf)
{
    for (unsigned i = planner->usable[way] ? 1 : 0; i < ARRAY_SIZE(planner->leads); i++) {
        planner->leads[i][way] = index;
        planner->comes[i][way] = leaf;
    }
    planner->usable[way] = true;
}

/* Whether the destination is reached from this leaf; marks the ways of a walk that does. */
static bool walk_from(struct planner *planner, struct walk *walk, size_t leaf, size_t index)
{
    uint32_t ways[FABRIC_HOPS_MAX], passed[FABRIC_HOPS_MAX];
    const struct fabric *fabric = planner->fabric;
    uint32_t node = planner->leaves.items[leaf].node, to = planner->question->ports[index];
    uint32_t stamp = (uint32_t)index + 1;
    uint16_t lid = port_of(planner, to)->lid;
    unsigned count = 0;
    bool reaches = false;

    while (count < FABRIC_HOPS_MAX) {
        const struct fabric_node *at = &fabric->nodes.items[node];
        uint32_t way =
            at->routes != NULL && at->routes[lid] < at->port_count ? at->ports[at->routes[lid]] : FABRIC_NONE;

        if (walk->stamp[node] == stamp) {
            reaches = walk->reaches[node];
            break;
        }
        passed[count] = node;
        ways[count++] = way;
        if (way == FABRIC_NONE || port_of(planner, way)->far == FABRIC_NONE ||
            port_of(planner, way)->inactive)
            break;
        reaches = port_of(planner, way)->far == to;
        if (reaches)
            break;
        node = port_of(planner, port_of(planner, way)->far)->node;
    }
    for (unsigned i = 0; i < count; i++) {
        walk->stamp[passed[i]] = stamp;
        walk->reaches[passed[i]] = reaches;
        if (reaches)
            note_lead(planner, ways[i], (uint32_t)index, (uint32_t)leaf);
    }
    return reaches;
}

static void find_usable(struct planner *planner)
{
    const struct fabric_question *question = planner->question;
    size_t nodes = planner->fabric->nodes.count;
    struct walk walk = {arena_array(planner->arena, uint32_t, nodes),
                        arena_array(planner->arena, bool, nodes)};
    bool *sends = arena_array(planner->arena, bool, planner->leaves.count);

    for (size_t i = 0; i < question->count; i++)
        for (size_t k = 0; k < planner->leaves.count; k++) {
            const struct leaf *leaf = &planner->leaves.items[k];
            size_t at = leaf->first;

            while (at < leaf->first + leaf->count &&
                   question->hosts[planner->order[at]] == question->hosts[i])
                at++;
            if (at < leaf->first + leaf->count && walk_from(planner, &walk, k, i))
                sends[k] = true;
        }
    for (size_t i = 0; i < question->count; i++)
        planner->usable[question->ports[i]] =
            sends[planner->leaf_of[i]] && !port_of(planner, question->ports[i])->inactive;
}

/* --- what a flow is worth --- */

static double rate_of(const struct planner *planner, const struct candidate *flow)
{
    double from = port_of(planner, planner->question->ports[flow->from])->gbits,
           to = port_of(planner, planner->question->ports[flow->to])->gbits;

    return from < to ? from : to;
}

/* Of a link whose rate is not told one flow is all. */
static bool has_room(const struct planner *planner, uint32_t way, double rate)
{
    double gbits = port_of(planner, way)->gbits;

    return planner->usable[way] && !port_of(planner, way)->inactive &&
           (planner->load[way] == 0 || planner->load[way] + rate <= gbits * 1.001);
}

static bool is_covered(const struct planner *planner, uint32_t way)
{
    double most = planner->most[way] > planner->load[way] ? planner->most[way] : planner->load[way];

    return most > 0 && most >= FABRIC_PLANNED * port_of(planner, way)->gbits;
}

/* What this flow adds in one round. */
static double added_by(double rate)
{
    return rate > 0 ? rate : 1;
}

/* A way that needs several flows gets them in one round only if one that completes it is worth more than one that begins. */
static unsigned worth_of(const struct planner *planner, uint32_t way, double rate)
{
    double load = planner->load[way] + added_by(rate);

    if (is_covered(planner, way))
        return 0;
    return load >= FABRIC_PLANNED * port_of(planner, way)->gbits ? COVERS : COVERS / 2;
}

static unsigned of_class(const struct planner *planner, const struct candidate *flow, unsigned at)
{
    unsigned count = 0;

    for (unsigned i = 0; i < flow->count; i++)
        count += planner->classes[flow->ways[i]] == planner->classes[flow->ways[at]];
    return count;
}

/* 0: it cannot be, or would bring nothing. */
static unsigned weigh(const struct planner *planner, struct candidate *flow)
{
    const struct fabric_question *question = planner->question;
    double rate = rate_of(planner, flow);

    flow->worth = 0;
    if (question->hosts[flow->from] == question->hosts[flow->to])
        return 0;
    flow->count =
        fabric_route(planner->fabric, question->ports[flow->from], question->ports[flow->to], flow->ways);
    for (unsigned i = 0; i < flow->count; i++)
        if (!has_room(planner, flow->ways[i], rate))
            return 0;
    for (unsigned i = 0; i < flow->count; i++) {
        flow->worth += worth_of(planner, flow->ways[i], rate);
        if (of_class(planner, flow, i) < planner->sizes[planner->classes[flow->ways[i]]])
            flow->worth++;
    }
    return flow->worth;
}

static void part(struct planner *planner, const struct candidate *flow)
{
    uint32_t was[FABRIC_HOPS_MAX], now[FABRIC_HOPS_MAX];

    for (unsigned i = 0; i < flow->count; i++) {
        unsigned first = 0;

        was[i] = planner->classes[flow->ways[i]];
        while (first < i && was[first] != was[i])
            first++;
        now[i] = first < i                                             ? now[first]
                 : of_class(planner, flow, i) < planner->sizes[was[i]] ? planner->class_count++
                                                                       : was[i];
    }
    for (unsigned i = 0; i < flow->count; i++)
        if (now[i] != was[i]) {
            planner->sizes[was[i]]--;
            planner->sizes[now[i]]++;
            planner->classes[flow->ways[i]] = now[i];
        }
}

static void take(struct planner *planner, const struct candidate *flow)
{
    const struct fabric_question *question = planner->question;

    for (unsigned i = 0; i < flow->count; i++)
        planner->load[flow->ways[i]] += added_by(rate_of(planner, flow));
    part(planner, flow);
    planner->busy[flow->from] = planner->busy[flow->to] = true;
    *list_push(planner->arena, &planner->schedule->flows) =
        (struct fabric_flow){question->ports[flow->from], question->ports[flow->to]};
}

/* --- from a sender --- */

static unsigned out_port(const struct planner *planner, const struct leaf *leaf, size_t index)
{
    const struct fabric_node *node = &planner->fabric->nodes.items[leaf->node];
    uint16_t lid = port_of(planner, planner->question->ports[index])->lid;

    return node->routes != NULL && node->routes[lid] < node->port_count ? node->routes[lid] : 0;
}

/* Destinations that are free, by the port that they go out by. */
static void sort_behind(struct planner *planner, const struct leaf *leaf)
{
    size_t count = planner->question->count;

    /* First starts[port + 1] is their number, then the end of the port's part, and at last its beginning. */
    memset(planner->starts, 0, sizeof planner->starts);
    for (size_t i = 0; i < count; i++)
        if (!planner->busy[i])
            planner->starts[out_port(planner, leaf, i) + 1]++;
    for (size_t i = 1; i < ARRAY_SIZE(planner->starts); i++)
        planner->starts[i] += planner->starts[i - 1];
    for (size_t i = count; i-- > 0;)
        if (!planner->busy[i])
            planner->behind[--planner->starts[out_port(planner, leaf, i) + 1]] = (uint32_t)i;
}

/* Tries destinations behind one port. Returns how many were weighed. */
static unsigned try_port(const struct planner *planner, unsigned port, uint32_t from, struct candidate *best,
                         unsigned *looks)
{
    uint32_t first = planner->starts[port + 1], count = planner->starts[port + 2] - first;
    unsigned tries = 0;

    for (uint32_t i = 0; i < count && tries<TRIES_PORT && * looks> 0; i++, (*looks)--) {
        /* Senders begin at different places, so that not all want the same one. */
        struct candidate flow = {
            .from = from,
            .to = planner->behind[first + (i + from * 7 + (uint32_t)planner->round * 13) % count]};

        if (planner->busy[flow.to] || flow.to == from)
            continue;
        tries++;
        if (weigh(planner, &flow) > best->worth)
            *best = flow;
        if (best->worth >= COVERS * best->count && best->worth > 0)
            break;
    }
    return tries;
}

static void send_from(struct planner *planner, const struct leaf *leaf, uint32_t from)
{
    const struct fabric_node *node = &planner->fabric->nodes.items[leaf->node];
    struct candidate best = {0};
    unsigned tries = 0, looks = LOOKS;

    for (int covered = 0; covered <= 1 && (best.worth < COVERS || covered == 0); covered++)
        for (unsigned i = 1; i < node->port_count && tries < TRIES; i++) {
            unsigned port = 1 + (i + from + (unsigned)planner->round) % (node->port_count - 1);

            if (node->ports[port] == FABRIC_NONE || is_covered(planner, node->ports[port]) != (covered == 1))
                continue;
            tries += try_port(planner, port, from, &best, &looks);
            if (best.worth > 0 && best.worth >= COVERS * best.count)
                break;
        }
    if (best.worth > 0)
        take(planner, &best);
}

static void send_from_leaves(struct planner *planner)
{
    size_t leaves = planner->leaves.count;

    for (size_t i = 0; i < leaves; i++) {
        const struct leaf *leaf = &planner->leaves.items[(i + planner->round * (leaves / 2 + 1)) % leaves];

        sort_behind(planner, leaf);
        for (int covered = 0; covered <= 1; covered++)
            for (size_t k = leaf->first; k < leaf->first + leaf->count; k++) {
                uint32_t from = planner->order[k];

                if (!planner->busy[from] &&
                    is_covered(planner, planner->question->ports[from]) == (covered == 1))
                    send_from(planner, leaf, from);
            }
    }
}

/* --- from a way that is left --- */

static bool crosses(const struct candidate *flow, uint32_t way)
{
    for (unsigned i = 0; i < flow->count; i++)
        if (flow->ways[i] == way)
            return true;
    return false;
}

/* From one free sender of the leaf. */
static void try_leaf(const struct planner *planner, uint32_t way, const struct leaf *leaf, uint32_t to,
                     struct candidate *best)
{
    for (size_t k = 0; k < leaf->count; k++) {
        struct candidate flow = {.from = planner->order[leaf->first + (k + planner->round) % leaf->count],
                                 .to = to};

        if (planner->busy[flow.from] || flow.from == to || weigh(planner, &flow) == 0)
            continue;
        if (flow.worth > best->worth && crosses(&flow, way))
            *best = flow;
        return;
    }
}

/* The best flow to that destination over the way: from that leaf, and from 1, 2, 4, ... leaves further on and back. */
static void try_leaves(const struct planner *planner, uint32_t way, size_t first, uint32_t to,
                       struct candidate *best)
{
    size_t leaves = planner->leaves.count;

    try_leaf(planner, way, &planner->leaves.items[first], to, best);
    for (size_t away = 1; away < leaves; away *= 2) {
        try_leaf(planner, way, &planner->leaves.items[(first + away) % leaves], to, best);
        try_leaf(planner, way, &planner->leaves.items[(first + leaves - away) % leaves], to, best);
    }
}

/* From that sender, to 1, 2, 4, ... ports further on. */
static void try_ports(const struct planner *planner, uint32_t from, struct candidate *best)
{
    size_t count = planner->question->count;

    for (size_t away = 1; away < count; away *= 2) {
        struct candidate flow = {.from = from, .to = planner->order[(planner->place[from] + away) % count]};

        if (!planner->busy[flow.to] && weigh(planner, &flow) > best->worth)
            *best = flow;
    }
}

static void lead_to(const struct planner *planner, uint32_t way, unsigned lead, struct candidate *best)
{
    uint32_t to = planner->leads[lead][way];

    if (planner->busy[to] || best->worth > 0)
        return;
    try_leaves(planner, way, planner->leaf_of[to], to, best);
    if (best->worth == 0)
        try_leaves(planner, way, planner->comes[lead][way], to, best);
}

/* To what the way is known to lead to; where that is taken and the way has no load yet, to others that its switch sends
   over it. */
static bool load_way(struct planner *planner, uint32_t way, bool covered)
{
    const struct fabric_port *port = port_of(planner, way);
    const struct fabric_node *node = &planner->fabric->nodes.items[port->node];
    size_t count = planner->question->count;
    struct candidate best = {0};
    unsigned tried = 0;

    if (node->kind == FABRIC_ADAPTER) {
        if (!planner->busy[planner->index_of[way]])
            try_ports(planner, planner->index_of[way], &best);
    } else {
        lead_to(planner, way, 0, &best);
        lead_to(planner, way, 1, &best);
        for (size_t i = 0; i < count && !covered && best.worth == 0 && tried < TRIES_PORT; i++) {
            size_t to = (i + planner->round * 31) % count;

            if (planner->busy[to] ||
                node->routes[port_of(planner, planner->question->ports[to])->lid] != port->number)
                continue;
            tried++;
            try_leaves(planner, way, planner->comes[tried % 2][way], (uint32_t)to, &best);
        }
    }
    if (best.worth > 0)
        take(planner, &best);
    return best.worth > 0;
}

static void load_each(struct planner *planner)
{
    uint32_t ways = (uint32_t)planner->fabric->ports.count;

    for (uint32_t way = 0; way < ways; way++)
        while (planner->usable[way] && !is_covered(planner, way) && load_way(planner, way, false))
            ;
    for (uint32_t way = 0; way < ways; way++)
        if (planner->usable[way] && planner->sizes[planner->classes[way]] > 1)
            load_way(planner, way, true);
}

static size_t count_left(const struct planner *planner)
{
    size_t left = 0;

    for (size_t way = 0; way < planner->fabric->ports.count; way++)
        left += planner->usable[way] && !is_covered(planner, (uint32_t)way);
    return left;
}

/* --- rounds --- */

static void begin_round(struct planner *planner)
{
    memset(planner->load, 0, planner->fabric->ports.count * sizeof *planner->load);
    memset(planner->busy, 0, planner->question->count * sizeof *planner->busy);
}

static void end_round(struct planner *planner, size_t left_before)
{
    for (size_t way = 0; way < planner->fabric->ports.count; way++)
        if (planner->load[way] > planner->most[way])
            planner->most[way] = planner->load[way];
    *list_push(planner->arena, &planner->schedule->ends) = planner->schedule->flows.count;
    if (count_left(planner) < left_before)
        planner->schedule->covering = planner->schedule->ends.count;
}

static void plan_rounds(struct planner *planner)
{
    unsigned most = planner->question->rounds_most;
    bool each = false;

    for (planner->round = 0; most == 0 || planner->round < most; planner->round++) {
        size_t before = planner->schedule->flows.count, left = count_left(planner);
        uint32_t classes = planner->class_count;

        begin_round(planner);
        each |= left * FEW <= planner->usable_count;
        if (each)
            load_each(planner);
        else
            send_from_leaves(planner);
        if (count_left(planner) != left || planner->class_count != classes) {
            end_round(planner, left);
            continue;
        }
        /* Ways of which no round can load enough are tried again and again: a round that brings nothing is the last one,
           once each was looked for by itself. */
        planner->schedule->flows.count = before;
        if (each)
            break;
        each = true;
    }
}

/* --- what came of it --- */

static enum fabric_gap gap_of(const struct planner *planner, uint32_t way)
{
    const struct fabric_port *port = port_of(planner, way);
    const struct fabric_node *nodes = planner->fabric->nodes.items;
    uint32_t adapter = nodes[port->node].kind == FABRIC_ADAPTER ? way : port->far;

    if (port->far == FABRIC_NONE || port->inactive)
        return FABRIC_INACTIVE;
    if (nodes[port_of(planner, adapter)->node].kind == FABRIC_ADAPTER &&
        planner->index_of[adapter] == FABRIC_NONE)
        return FABRIC_UNTESTED;
    if (is_covered(planner, way))
        return FABRIC_COVERED;
    return !planner->usable[way]    ? FABRIC_NO_FLOW
           : planner->most[way] > 0 ? FABRIC_TOO_LITTLE
                                    : FABRIC_NO_ROUND;
}

static void count_links(struct planner *planner)
{
    struct fabric_schedule *schedule = planner->schedule;
    size_t ways = planner->fabric->ports.count;

    for (size_t way = 0; way < ways; way++)
        schedule->gaps[way] = gap_of(planner, (uint32_t)way);
    for (uint32_t way = 0; way < ways; way++) {
        uint32_t far = port_of(planner, way)->far;

        if (far == FABRIC_NONE || far < way || schedule->gaps[way] == FABRIC_UNTESTED)
            continue;
        schedule->links++;
        if (schedule->gaps[way] != FABRIC_COVERED || schedule->gaps[far] != FABRIC_COVERED)
            continue;
        schedule->covered++;
        schedule->alike +=
            planner->sizes[planner->classes[way]] > 1 || planner->sizes[planner->classes[far]] > 1;
    }
}

/* A port is once a sender and once a receiver; and each flow takes one port of the leaf whose uplinks it loads. */
static size_t least_rounds(const struct planner *planner)
{
    size_t least = 2;

    list_each (leaf, planner->leaves) {
        const struct fabric_node *node = &planner->fabric->nodes.items[leaf->node];
        size_t ways = 0;

        for (unsigned k = 1; k < node->port_count; k++)
            if (node->ports[k] != FABRIC_NONE && port_of(planner, node->ports[k])->far != FABRIC_NONE &&
                !fabric_is_host_link(planner->fabric, node->ports[k]))
                ways +=
                    planner->usable[node->ports[k]] + planner->usable[port_of(planner, node->ports[k])->far];
        if ((ways + leaf->count - 1) / leaf->count > least)
            least = (ways + leaf->count - 1) / leaf->count;
    }
    return least;
}

static void make_room(struct planner *planner)
{
    size_t ways = planner->fabric->ports.count, count = planner->question->count;
    struct arena *arena = planner->arena;

    planner->order = arena_array(arena, uint32_t, count);
    planner->place = arena_array(arena, uint32_t, count);
    planner->leaf_of = arena_array(arena, uint32_t, count);
    planner->behind = arena_array(arena, uint32_t, count);
    planner->busy = arena_array(arena, bool, count);
    planner->index_of = arena_array(arena, uint32_t, ways);
    for (size_t i = 0; i < ways; i++)
        planner->index_of[i] = FABRIC_NONE;
    planner->load = arena_array(arena, double, ways);
    planner->most = arena_array(arena, double, ways);
    planner->usable = arena_array(arena, bool, ways);
    for (unsigned i = 0; i < ARRAY_SIZE(planner->leads); i++) {
        planner->leads[i] = arena_array(arena, uint32_t, ways);
        planner->comes[i] = arena_array(arena, uint32_t, ways);
    }
    planner->classes = arena_array(arena, uint32_t, ways);
    planner->sizes = arena_array(arena, uint32_t, ways + 1);
    planner->schedule->gaps = arena_array(arena, enum fabric_gap, ways);
    planner->schedule->classes = planner->classes;
}

struct fabric_schedule *fabric_plan(struct arena *arena, const struct fabric *fabric,
                                    const struct fabric_question *question)
{
    struct planner planner = {.fabric = fabric,
                              .question = question,
                              .arena = arena,
                              .schedule = arena_new(arena, struct fabric_schedule),
                              .class_count = 1};

    make_room(&planner);
    find_leaves(&planner);
    find_usable(&planner);
    for (size_t way = 0; way < fabric->ports.count; way++)
        planner.usable_count += planner.usable[way];
    planner.sizes[0] = (uint32_t)planner.usable_count;
    if (question->count > 1)
        plan_rounds(&planner);
    count_links(&planner);
    planner.schedule->least = least_rounds(&planner);
    return planner.schedule;
}

const char *fabric_gap_word(enum fabric_gap gap)
{
    static const char *const words[] = {
        [FABRIC_COVERED] = "covered",
        [FABRIC_INACTIVE] = "the link is not active",
        [FABRIC_UNTESTED] = "it ends at an adapter that takes no part",
        [FABRIC_NO_FLOW] = "no route between adapters that take part crosses it",
        [FABRIC_TOO_LITTLE] = "all that a round puts on it is too little to prove half of its rate",
        [FABRIC_NO_ROUND] = "no round has a flow that crosses it",
    };

    return words[gap];
}

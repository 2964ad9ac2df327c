/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each way carries when all flows of a round run: first as if nothing shared a link, which says how much of a stream each
 * way lets through; then with each stream as slow as its other ways make it.
 *
 * Of a load three sums are kept, over all streams with their chance p to cross the way and their size s: of p s, of p s^2, and
 * of (p s)^2. They give its mean and variance, and so the binomial that has both: exact where all p and s are the same.
 */
#include <math.h>
#include <string.h>

#include "ecmp_private.h"

enum { CACHE = 4096, SHIFTS_MOST = 64 };
#define GAIN_LEAST 1e-7 /* what a further round must add to the share of links that is expected */
#define GAIN_NEARLY 0.9 /* as much as the best one adds, nearly */

struct load {
    double mean, square, same;
};

/* What a way does to the streams that cross it, as shares of their size: the mean, and the mean square. */
struct kept {
    double first, second;
};

/* A step of a stream to a leaf, and what came before it. */
struct step {
    uint32_t edge, at;
    double chance;
    struct kept before;
};

/* Of each switch on the way to the leaf at hand. */
struct passed {
    double chance;
    struct kept sum;  /* of what arrives there, each with its chance */
    struct kept rest; /* from there to the leaf */
};

struct answer {
    float mean, square, same, gbits; /* what was asked */
    bool known;
    struct kept kept;
    double chance;
};

struct spreader {
    const struct fabric_ecmp *ecmp;
    struct arena *arena;
    unsigned streams;
    struct load *loads; /* of each way */
    struct kept *kept;
    struct passed *passed; /* of each switch; all zero between two pairs of leaves */
    uint32_t *queue;
    LIST_OF(struct step) steps;
    struct answer *answers;
};

/* --- a load --- */

/* As a binomial: so many streams of one size, each with that chance. */
struct binomial {
    double size, chance, streams;
};

static struct binomial binomial_of(const struct load *load)
{
    struct binomial found = {.size = load->square / load->mean, .chance = load->same / load->square};

    found.streams = load->mean / (found.size * found.chance);
    return found;
}

static bool is_certain(const struct load *load)
{
    return load->square - load->same <= 1e-9 * load->square;
}

/* What a way lets through of each stream, where all that cross it share it evenly: seen from a stream, which sees a full way
   the more often the more are on it. */
static struct kept let_through(const struct load *load, double gbits)
{
    struct binomial streams = binomial_of(load);
    struct kept kept = {0};
    double mean = load->mean / streams.size, around = 10 * sqrt(fmax(mean, 1)) + 10;

    if (is_certain(load)) {
        kept.first = fmin(1, gbits / load->mean);
        kept.second = kept.first * kept.first;
        return kept;
    }
    for (double k = fmax(1, floor(mean - around)); k <= fmin(streams.streams, mean + around); k++) {
        double share = fmin(1, gbits / (k * streams.size));
        double weight = k / mean *
                        exp(lgamma(streams.streams + 1) - lgamma(k + 1) - lgamma(streams.streams - k + 1) +
                            k * log(streams.chance) + (streams.streams - k) * log1p(-streams.chance));

        kept.first += weight * share;
        kept.second += weight * share * share;
    }
    return (struct kept){fmin(kept.first, 1), fmin(kept.second, 1)};
}

static double chance_to_reach(const struct load *load, double need)
{
    struct binomial streams;

    if (load->mean <= 0)
        return 0;
    if (is_certain(load))
        return load->mean >= need * (1 - 1e-6);
    streams = binomial_of(load);
    return fabric_streams_chance(streams.streams, streams.chance, ceil(need / streams.size - 1e-6));
}

/* Links of a tree are alike, but for the last bits of their sums. */
static const struct answer *ask(struct spreader *spreader, const struct load *load, double gbits)
{
    struct answer asked = {(float)load->mean, (float)load->square, (float)load->same, (float)gbits};
    struct load rounded = {asked.mean, asked.square, fmin(asked.same, asked.square)};
    uint32_t words[4], hash = 0;
    struct answer *answer;

    memcpy(words, &asked, sizeof words);
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        hash = (hash ^ words[i]) * 0x9e3779b1u;
    answer = &spreader->answers[(hash >> 8) % CACHE];
    if (answer->known && memcmp(answer, &asked, 4 * sizeof(float)) == 0)
        return answer;
    asked.known = true;
    asked.kept = rounded.mean > 0 ? let_through(&rounded, asked.gbits) : (struct kept){1, 1};
    asked.chance = chance_to_reach(&rounded, FABRIC_PLANNED * asked.gbits);
    *answer = asked;
    return answer;
}

/* A host's link carries all streams of a flow, each as slow as chance makes it: a sum of many, of which the normal distribution
   tells how often it is too low. */
static double chance_of_host(const struct load *load, double gbits)
{
    double need = FABRIC_PLANNED * gbits, variance = load->square - load->same;

    if (load->mean <= 0)
        return 0;
    if (is_certain(load))
        return load->mean >= need * (1 - 1e-6);
    return 0.5 * erfc((need - load->mean) / sqrt(2 * variance));
}

/* --- the streams from one leaf to another --- */

static struct kept product(struct kept a, struct kept b)
{
    return (struct kept){a.first * b.first, a.second * b.second};
}

static void add_part(struct kept *sum, double chance, struct kept part)
{
    sum->first += chance * part.first;
    sum->second += chance * part.second;
}

/* From a switch on, of the same chance over each link that leads nearer. */
static void step_from(struct spreader *spreader, uint32_t at, const uint8_t *distance, size_t *tail)
{
    const struct fabric_ecmp *ecmp = spreader->ecmp;
    struct passed *here = &spreader->passed[at];
    struct kept before = {here->sum.first / here->chance, here->sum.second / here->chance};
    size_t count = 0;

    for (size_t i = ecmp->first[at]; i < ecmp->first[at + 1]; i++)
        count += distance[ecmp->edges[i].to] + 1u == distance[at];
    for (size_t i = ecmp->first[at]; i < ecmp->first[at + 1]; i++) {
        const struct ecmp_edge *edge = &ecmp->edges[i];
        double chance = here->chance / (double)count;

        if (distance[edge->to] + 1u != distance[at])
            continue;
        *list_push(spreader->arena, &spreader->steps) = (struct step){(uint32_t)i, at, chance, before};
        if (spreader->passed[edge->to].chance == 0)
            spreader->queue[(*tail)++] = edge->to;
        spreader->passed[edge->to].chance += chance;
        add_part(&spreader->passed[edge->to].sum, chance, product(before, spreader->kept[edge->way]));
    }
}

static void add_load(struct load *load, double streams, double chance, double size, struct kept kept)
{
    load->mean += streams * chance * size * kept.first;
    load->square += streams * chance * size * size * kept.second;
    load->same += streams * chance * size * kept.first * chance * size * kept.first;
}

/* Puts so many streams of that size on the ways between two leaves. Returns what arrives of each. */
static struct kept spread(struct spreader *spreader, uint32_t from, uint32_t to, double streams, double size)
{
    const struct fabric_ecmp *ecmp = spreader->ecmp;
    const uint8_t *distance = ecmp_distances(ecmp, to);
    uint32_t last = ecmp->leaves.items[to].node;
    size_t head = 0, tail = 1;
    struct kept arrived;

    spreader->steps.count = 0;
    spreader->queue[0] = ecmp->leaves.items[from].node;
    spreader->passed[spreader->queue[0]] = (struct passed){.chance = 1, .sum = {1, 1}};
    /* A switch is reached from those one step further away only, all of which stand before it in the queue. */
    for (; head < tail; head++)
        if (spreader->queue[head] != last)
            step_from(spreader, spreader->queue[head], distance, &tail);
    arrived = spreader->passed[last].sum;
    spreader->passed[last].rest = (struct kept){1, 1};
    for (size_t i = spreader->steps.count; i-- > 0;) {
        const struct step *step = &spreader->steps.items[i];
        const struct ecmp_edge *edge = &ecmp->edges[step->edge];
        struct kept rest = spreader->passed[edge->to].rest;

        add_part(&spreader->passed[step->at].rest, step->chance / spreader->passed[step->at].chance,
                 product(spreader->kept[edge->way], rest));
        add_load(&spreader->loads[edge->way], streams, step->chance, size, product(step->before, rest));
    }
    for (size_t i = 0; i < tail; i++)
        spreader->passed[spreader->queue[i]] = (struct passed){0};
    return arrived;
}

/* --- a shift of all adapters --- */

struct pair {
    uint32_t from, to; /* indexes of the question's ports */
    uint32_t leaves[2];
    double gbits;
};

/* The flow of the adapter at that place; false: there is none. */
static bool pair_at(const struct fabric_ecmp *ecmp, size_t place, size_t shift, struct pair *ret_pair)
{
    const struct fabric_question *question = ecmp->question;
    const struct fabric_port *ports = ecmp->fabric->ports.items;
    uint32_t from = ecmp->order[place], to = ecmp->order[(place + shift) % question->count];
    const struct fabric_port *near = &ports[question->ports[from]], *far = &ports[question->ports[to]];

    *ret_pair =
        (struct pair){from, to, {ecmp->leaf_of[from], ecmp->leaf_of[to]}, fmin(near->gbits, far->gbits)};
    return question->hosts[from] != question->hosts[to] && !near->inactive && !far->inactive &&
           ecmp_distances(ecmp, ret_pair->leaves[1])[ecmp->leaves.items[ret_pair->leaves[0]].node] <=
               FABRIC_HOPS_MAX - 2;
}

static bool goes_with(const struct pair *a, const struct pair *b)
{
    return a->leaves[0] == b->leaves[0] && a->leaves[1] == b->leaves[1] && a->gbits == b->gbits;
}

/* Flows of the same leaves and rate stand one behind the other. */
static void load_shift(struct spreader *spreader, size_t shift)
{
    const struct fabric_ecmp *ecmp = spreader->ecmp;
    const struct fabric_question *question = ecmp->question;
    double streams = spreader->streams;

    memset(spreader->loads, 0, ecmp->fabric->ports.count * sizeof *spreader->loads);
    for (size_t i = 0; i < question->count;) {
        struct pair first, next;
        size_t end = i + 1, flows = 1;
        struct kept arrived = {1, 1};

        if (!pair_at(ecmp, i, shift, &first)) {
            i++;
            continue;
        }
        for (; end < question->count && pair_at(ecmp, end, shift, &next) && goes_with(&first, &next); end++)
            flows++;
        if (first.leaves[0] != first.leaves[1])
            arrived = spread(spreader, first.leaves[0], first.leaves[1], (double)flows * streams,
                             first.gbits / streams);
        for (; i < end; i++) {
            uint32_t from = question->ports[ecmp->order[i]],
                     to = question->ports[ecmp->order[(i + shift) % question->count]];

            add_load(&spreader->loads[from], streams, 1, first.gbits / streams, arrived);
            add_load(&spreader->loads[ecmp->fabric->ports.items[to].far], streams, 1, first.gbits / streams,
                     arrived);
        }
    }
}

/* ret_chances: of each way, what the shift gives it. */
static void expect_shift(struct spreader *spreader, size_t shift, float *ret_chances)
{
    const struct fabric *fabric = spreader->ecmp->fabric;
    const struct fabric_port *ports = fabric->ports.items;

    for (size_t way = 0; way < fabric->ports.count; way++)
        spreader->kept[way] = (struct kept){1, 1};
    load_shift(spreader, shift);
    for (uint32_t way = 0; way < fabric->ports.count; way++)
        if (spreader->loads[way].mean > 0 && !fabric_is_host_link(fabric, way))
            spreader->kept[way] = ask(spreader, &spreader->loads[way], ports[way].gbits)->kept;
    load_shift(spreader, shift);
    for (uint32_t way = 0; way < fabric->ports.count; way++)
        ret_chances[way] = (float)(spreader->loads[way].mean <= 0 ? 0
                                   : fabric_is_host_link(fabric, way)
                                       ? chance_of_host(&spreader->loads[way], ports[way].gbits)
                                       : ask(spreader, &spreader->loads[way], ports[way].gbits)->chance);
}

/* --- which shifts --- */

struct chooser {
    const struct fabric *fabric;
    struct fabric_ecmp_plan *plan;
    size_t shifts[SHIFTS_MOST], shift_count;
    float *chances[SHIFTS_MOST]; /* of each way */
    unsigned taken[SHIFTS_MOST]; /* by how many rounds */
    double *missed;              /* of each way: the chance that no round so far loaded it */
};

static void add_shift(struct chooser *chooser, size_t shift, size_t count)
{
    for (size_t i = 0; i < chooser->shift_count; i++)
        if (chooser->shifts[i] == shift)
            return;
    if (shift > 0 && shift < count && chooser->shift_count < SHIFTS_MOST)
        chooser->shifts[chooser->shift_count++] = shift;
}

/* Eighths of all, the far ones first; the same and one more, where those join adapters of one host; and a sixteenth, and half
   of that, down to one. */
static void list_shifts(struct chooser *chooser, size_t count)
{
    static const unsigned eighths[] = {4, 2, 6, 3, 5, 1, 7};

    for (size_t more = 0; more <= 1; more++)
        for (size_t i = 0; i < ARRAY_SIZE(eighths); i++)
            add_shift(chooser, count * eighths[i] / 8 + more, count);
    for (size_t shift = count / 16; shift > 0; shift /= 2)
        add_shift(chooser, shift, count);
    add_shift(chooser, 1, count);
}

static bool counts(const struct chooser *chooser, uint32_t link)
{
    uint32_t far = chooser->fabric->ports.items[link].far;

    return far != FABRIC_NONE && far > link && chooser->plan->schedule->gaps[link] != FABRIC_UNTESTED;
}

/* The share of links that are expected to be covered once there is a round with these chances; NULL: as it is. */
static double expected_with(const struct chooser *chooser, const float *chances)
{
    const struct fabric_port *ports = chooser->fabric->ports.items;
    double sum = 0;

    for (uint32_t link = 0; link < chooser->fabric->ports.count; link++) {
        uint32_t far = ports[link].far;

        if (!counts(chooser, link))
            continue;
        sum += (1 - chooser->missed[link] * (chances != NULL ? 1 - (double)chances[link] : 1)) *
               (1 - chooser->missed[far] * (chances != NULL ? 1 - (double)chances[far] : 1));
    }
    return chooser->plan->schedule->links > 0 ? sum / (double)chooser->plan->schedule->links : 0;
}

/* Of those that add nearly as much as the best one the one that was taken least: between the same two leaves a link up and
   one down again carry the same streams where a tree has one way each, and only other leaves tell them apart. */
static size_t best_shift(const struct chooser *chooser, double now, double *ret_expected)
{
    double expected[SHIFTS_MOST], most = now;
    size_t best = FABRIC_NONE;

    for (size_t i = 0; i < chooser->shift_count; i++) {
        expected[i] = expected_with(chooser, chooser->chances[i]);
        most = fmax(most, expected[i]);
    }
    *ret_expected = now;
    if (most <= now + GAIN_LEAST && now < FABRIC_ENOUGH)
        return best;
    for (size_t i = 0; i < chooser->shift_count; i++)
        if (expected[i] - now >= GAIN_NEARLY * (most - now) &&
            (best == FABRIC_NONE || chooser->taken[i] < chooser->taken[best]))
            best = i;
    *ret_expected = best != FABRIC_NONE ? expected[best] : now;
    return best;
}

static void take_shift(struct chooser *chooser, struct arena *arena, const struct fabric_ecmp *ecmp,
                       size_t chosen)
{
    struct fabric_schedule *schedule = chooser->plan->schedule;

    for (size_t way = 0; way < chooser->fabric->ports.count; way++)
        chooser->missed[way] *= 1 - (double)chooser->chances[chosen][way];
    for (size_t i = 0; i < ecmp->question->count; i++) {
        struct pair pair;

        if (pair_at(ecmp, i, chooser->shifts[chosen], &pair))
            *list_push(arena, &schedule->flows) =
                (struct fabric_flow){ecmp->question->ports[pair.from], ecmp->question->ports[pair.to]};
    }
    *list_push(arena, &schedule->ends) = schedule->flows.count;
}

static void choose_rounds(struct chooser *chooser, struct arena *arena, const struct fabric_ecmp *ecmp)
{
    unsigned most = ecmp->question->rounds_most;
    double now = 0, next;

    if (most == 0 || most > FABRIC_ROUNDS_MOST)
        most = FABRIC_ROUNDS_MOST;
    for (unsigned round = 0; round < most && (now < FABRIC_ENOUGH || round < FABRIC_ROUNDS_LEAST); round++) {
        size_t best = best_shift(chooser, now, &next);

        if (best == FABRIC_NONE)
            return;
        chooser->taken[best]++;
        take_shift(chooser, arena, ecmp, best);
        chooser->plan->expected[round] = now = next;
    }
}

/* --- the plan --- */

/* Which links count at all. */
static void mark_untested(const struct fabric_ecmp *ecmp, struct arena *arena,
                          struct fabric_schedule *schedule)
{
    const struct fabric *fabric = ecmp->fabric;
    bool *takes_part = arena_array(arena, bool, fabric->ports.count);

    for (size_t i = 0; i < ecmp->question->count; i++)
        takes_part[ecmp->question->ports[i]] = true;
    for (uint32_t way = 0; way < fabric->ports.count; way++) {
        uint32_t far = fabric->ports.items[way].far, adapter;

        schedule->gaps[way] = FABRIC_INACTIVE;
        if (far == FABRIC_NONE)
            continue;
        adapter = ecmp->switch_of[fabric->ports.items[way].node] == FABRIC_NONE ? way : far;
        if (ecmp->switch_of[fabric->ports.items[adapter].node] == FABRIC_NONE && !takes_part[adapter])
            schedule->gaps[way] = FABRIC_UNTESTED;
        schedule->links += far > way && schedule->gaps[way] != FABRIC_UNTESTED;
    }
}

static enum fabric_gap gap_of(const struct chooser *chooser, size_t way)
{
    bool crossed = false;

    if (chooser->fabric->ports.items[way].inactive)
        return FABRIC_INACTIVE;
    if (chooser->missed[way] <= 0.5)
        return FABRIC_COVERED;
    for (size_t i = 0; i < chooser->shift_count; i++)
        crossed |= chooser->chances[i][way] > 0;
    return crossed ? FABRIC_TOO_LITTLE : FABRIC_NO_FLOW;
}

static void count_links(struct chooser *chooser)
{
    struct fabric_schedule *schedule = chooser->plan->schedule;
    const struct fabric_port *ports = chooser->fabric->ports.items;

    for (size_t way = 0; way < chooser->fabric->ports.count; way++) {
        if (ports[way].far == FABRIC_NONE || schedule->gaps[way] == FABRIC_UNTESTED)
            continue;
        schedule->gaps[way] = gap_of(chooser, way);
        chooser->plan->chances[way] = 1 - chooser->missed[way];
    }
    for (uint32_t way = 0; way < chooser->fabric->ports.count; way++)
        schedule->covered += counts(chooser, way) && schedule->gaps[way] == FABRIC_COVERED &&
                             schedule->gaps[ports[way].far] == FABRIC_COVERED;
    schedule->covering = schedule->ends.count;
}

static void expect_shifts(struct chooser *chooser, struct arena *arena, struct spreader *spreader)
{
    size_t ways = chooser->fabric->ports.count;

    spreader->loads = arena_array(arena, struct load, ways);
    spreader->kept = arena_array(arena, struct kept, ways);
    spreader->passed = arena_array(arena, struct passed, spreader->ecmp->switches);
    spreader->queue = arena_array(arena, uint32_t, spreader->ecmp->switches + 1);
    spreader->answers = arena_array(arena, struct answer, CACHE);
    for (size_t i = 0; i < chooser->shift_count; i++) {
        chooser->chances[i] = arena_array(arena, float, ways);
        expect_shift(spreader, chooser->shifts[i], chooser->chances[i]);
    }
}

struct fabric_ecmp_plan *fabric_ecmp_plan(struct arena *arena, const struct fabric *fabric,
                                          const struct fabric_question *question, unsigned streams)
{
    struct arena *scratch = arena_create();
    struct spreader spreader = {
        .ecmp = fabric_ecmp_new(scratch, fabric, question), .arena = scratch, .streams = streams};
    struct fabric_ecmp_plan *plan = arena_new(arena, struct fabric_ecmp_plan);
    struct chooser chooser = {.fabric = fabric, .plan = plan};

    plan->schedule = arena_new(arena, struct fabric_schedule);
    plan->schedule->gaps = arena_array(arena, enum fabric_gap, fabric->ports.count);
    plan->chances = arena_array(arena, double, fabric->ports.count);
    chooser.missed = arena_array(scratch, double, fabric->ports.count);
    for (size_t way = 0; way < fabric->ports.count; way++)
        chooser.missed[way] = 1;
    mark_untested(spreader.ecmp, scratch, plan->schedule);
    list_shifts(&chooser, question->count);
    expect_shifts(&chooser, scratch, &spreader);
    choose_rounds(&chooser, arena, spreader.ecmp);
    count_links(&chooser);
    arena_destroy(scratch);
    return plan;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hosts, or leaves, in pairs. Which of two is to blame is told by what each shows with others: of a slow pair
 * it is the one that has been slow more often.
 */
#include "isolate_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAIR = 2,
    TRIPLE = 3,
    CLEARING = 2,    /* tests that a unit needs to be cleared */
    ACCUSING = 3,    /* low tests, and partners in them, that accuse one */
    TESTS_MOST = 14, /* of one unit: what is open then stays open */
    TESTS_MOST_FOR_TIMES = 28
};

/* How far from the middle, in standard deviations of the mean, it clears or accuses. */
static const double sure_deviations = 1.2;

/* One path in 10,000 is slow: tests of the same hosts, however many, tell no more of one of them. And without those that
 * tell most, which one slow path may explain, the others must be as sure. */
static const double path_most = 9.2, sure_of_others = 9.0;

/* Ten fast tests: where the fault comes and goes, of 1,000 that are slow every second time one is cleared by them. */
static const double sure_of_times = 6.9;

/* A unit that is slow at times is so in every second test. */
static const double half = 0.5;

/* What makes hosts and leaves alike. */
struct kind {
    struct unit *units;
    size_t count;
    size_t (*unit_of)(const struct isolate *isolate, size_t host);
    bool (*speaks)(const struct isolate *isolate, const struct isolate_test *test);
    bool same_leaf; /* partners are of one leaf */
};

static size_t host_itself(const struct isolate *isolate, size_t host)
{
    (void)isolate;
    return host;
}

static size_t leaf_of(const struct isolate *isolate, size_t host)
{
    return isolate->problem->hosts[host].leaf;
}

static bool speaks_of_hosts(const struct isolate *isolate, const struct isolate_test *test)
{
    return test->count >= PAIR && test->count <= TRIPLE &&
           !isolate_crosses_leaves(isolate, test->members, test->count);
}

static bool speaks_of_leaves(const struct isolate *isolate, const struct isolate_test *test)
{
    return test->count == PAIR && isolate_crosses_leaves(isolate, test->members, test->count);
}

static struct kind hosts_of(struct isolate *isolate)
{
    return (struct kind){isolate->hosts, isolate->problem->host_count, host_itself, speaks_of_hosts, true};
}

static struct kind leaves_of(struct isolate *isolate)
{
    return (struct kind){isolate->leaves, isolate->leaf_count, leaf_of, speaks_of_leaves, false};
}

static bool is_low(const struct isolate *isolate, const struct isolate_test *test)
{
    return isolate_share(isolate, test) < isolate_middle(isolate);
}

static void count_low(const struct isolate *isolate, const struct kind *kind)
{
    list_each (test, isolate->so_far->tests) {
        bool low = is_low(isolate, test);

        for (size_t k = 0; kind->speaks(isolate, test) && k < test->count; k++) {
            struct unit *unit = &kind->units[kind->unit_of(isolate, test->members[k])];

            unit->low += low;
            unit->high += !low;
        }
    }
}

/* Whether one of the first tests had them both: any, or a low one. */
static bool met_before(const struct isolate *isolate, const struct kind *kind, size_t tests, bool low,
                       size_t a, size_t b)
{
    for (size_t i = 0; i < tests; i++) {
        const struct isolate_test *test = &isolate->so_far->tests.items[i];
        bool has_a = false, has_b = false;

        if (!kind->speaks(isolate, test) || (low && !is_low(isolate, test)))
            continue;
        for (size_t k = 0; k < test->count; k++) {
            has_a = has_a || kind->unit_of(isolate, test->members[k]) == a;
            has_b = has_b || kind->unit_of(isolate, test->members[k]) == b;
        }
        if (has_a && has_b)
            return true;
    }
    return false;
}

static bool is_partner(const struct isolate *isolate, const struct kind *kind, size_t self, size_t other)
{
    const struct isolate_host *hosts = isolate->problem->hosts;

    return other != self && (!kind->same_leaf || hosts[other].leaf == hosts[self].leaf);
}

/* So many that are slow with it accuse a unit: three, or all where there are fewer. */
static unsigned partners_needed(const struct isolate *isolate, const struct kind *kind, size_t self)
{
    unsigned found = 0;

    for (size_t i = 0; i < kind->count && found < ACCUSING; i++)
        found += is_partner(isolate, kind, self, i);
    return found;
}

/* What the slow ones of just these hosts tell among the first tests, as odds. */
static double told_by(const struct isolate *isolate, const struct isolate_test *test, size_t tests)
{
    double sum = 0;

    for (size_t i = 0; i < tests; i++) {
        const struct isolate_test *other = &isolate->so_far->tests.items[i];

        if (other->count == test->count && is_low(isolate, other) &&
            memcmp(other->members, test->members, test->count * sizeof *test->members) == 0)
            sum += isolate_at_times(isolate_evidence(isolate, other), half);
    }
    return fmin(path_most, sum);
}

/* How the test of that number bears on one of its members. */
static void bear(const struct isolate *isolate, const struct kind *kind, size_t number, size_t member)
{
    const struct isolate_test *test = &isolate->so_far->tests.items[number];
    size_t self = kind->unit_of(isolate, test->members[member]);
    struct unit *unit = &kind->units[self];
    bool low = is_low(isolate, test), excused = false, alone_to_blame = low, is_new = true;
    double share = isolate_share(isolate, test),
           says = isolate_at_times(isolate_evidence(isolate, test), half);

    for (size_t k = 0; low && k < test->count; k++) {
        size_t partner = kind->unit_of(isolate, test->members[k]);
        const struct unit *other = &kind->units[partner];

        if (other == unit)
            continue;
        excused = excused || other->low > unit->low;
        alone_to_blame = alone_to_blame && other->low < unit->low && other->high > 0;
        is_new = is_new && !met_before(isolate, kind, number, true, self, partner);
    }
    unit->own += !excused;
    unit->own_sum += excused ? 0 : share;
    if (alone_to_blame) {
        double told = told_by(isolate, test, number + 1);

        unit->odds += told - told_by(isolate, test, number);
        unit->of_one = fmax(unit->of_one, told);
        unit->blamed_hosts |= unit->blamed_host > 0 && unit->blamed_host != test->members[member] + 1;
        unit->blamed_host = test->members[member] + 1;
    } else if (low) {
        unit->unexplained += excused ? 0 : says;
    } else {
        unit->odds += says;
    }
    unit->blamed += alone_to_blame;
    unit->blamed_sum += alone_to_blame ? share : 0;
    unit->partners += alone_to_blame && is_new;
}

/* For hosts that are slow at times; leaves are not asked for that. */
static bool looks_for_times(const struct isolate *isolate, const struct kind *kind)
{
    return isolate->at_times && kind->same_leaf;
}

static enum standing standing_of(const struct isolate *isolate, const struct kind *kind,
                                 const struct unit *unit)
{
    double middle = isolate_middle(isolate);
    unsigned partners = partners_needed(isolate, kind, (size_t)(unit - kind->units));

    if (unit->blamed >= ACCUSING && unit->partners >= partners && unit->odds > isolate_sure(kind->count) &&
        unit->odds - unit->of_one > sure_of_others &&
        unit->blamed_sum / unit->blamed < middle - sure_deviations * isolate_deviation(isolate, 1))
        return STANDING_ACCUSED;
    if (looks_for_times(isolate, kind))
        return unit->odds + unit->unexplained < -sure_of_times ? STANDING_CLEARED : STANDING_OPEN;
    if (unit->own >= CLEARING &&
        unit->own_sum / unit->own > middle + sure_deviations * isolate_deviation(isolate, unit->own))
        return STANDING_CLEARED;
    return STANDING_OPEN;
}

static void weigh(const struct isolate *isolate, const struct kind *kind)
{
    count_low(isolate, kind);
    for (size_t i = 0; i < isolate->so_far->tests.count; i++) {
        const struct isolate_test *test = &isolate->so_far->tests.items[i];

        for (size_t k = 0; kind->speaks(isolate, test) && k < test->count; k++)
            bear(isolate, kind, i, k);
    }
    for (size_t i = 0; i < kind->count; i++)
        kind->units[i].standing = standing_of(isolate, kind, &kind->units[i]);
}

void isolate_weigh_hosts(struct isolate *isolate)
{
    struct kind kind = hosts_of(isolate);

    weigh(isolate, &kind);
}

void isolate_weigh_leaves(struct isolate *isolate)
{
    struct kind kind = leaves_of(isolate);

    weigh(isolate, &kind);
}

/* splitmix64: any good mixing of round and seed does. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static size_t *shuffled(const struct isolate *isolate, size_t count)
{
    size_t *order = arena_array(isolate->arena, size_t, count);
    uint64_t state = isolate->problem->seed + isolate->round;

    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i > 1; i--) {
        size_t k = next_random(&state) % i, kept = order[i - 1];

        order[i - 1] = order[k];
        order[k] = kept;
    }
    return order;
}

static bool may_stand_for(const struct isolate *isolate, const struct kind *kind, size_t host, size_t unit,
                          bool cleared)
{
    return kind->unit_of(isolate, host) == unit && !isolate->excluded[host] &&
           (!cleared || isolate->hosts[host].standing == STANDING_CLEARED);
}

/* A host that stands for the unit: itself, or of the leaf another one each time, of those that are cleared if there are. */
static size_t host_for(const struct isolate *isolate, const struct kind *kind, size_t unit)
{
    size_t hosts = isolate->problem->host_count, turn = kind->units[unit].low + kind->units[unit].high;

    if (kind->same_leaf)
        return isolate->excluded[unit] ? hosts : unit;
    for (int cleared = 1; cleared >= 0; cleared--) {
        size_t found = 0, before = 0;

        for (size_t i = 0; i < hosts; i++)
            found += may_stand_for(isolate, kind, i, unit, cleared);
        for (size_t i = 0; i < hosts && found > 0; i++)
            if (may_stand_for(isolate, kind, i, unit, cleared) && before++ == turn % found)
                return i;
    }
    return hosts;
}

static bool may_pair(const struct isolate *isolate, const struct kind *kind, size_t a, size_t b)
{
    return is_partner(isolate, kind, a, b) && kind->units[b].standing != STANDING_ACCUSED;
}

/* Asks for a test of the two; false when something that it needs is taken. */
static bool take_pair(struct isolate *isolate, const struct kind *kind, size_t a, size_t b)
{
    size_t members[PAIR] = {host_for(isolate, kind, a), host_for(isolate, kind, b)};

    if (members[0] >= isolate->problem->host_count || members[1] >= isolate->problem->host_count)
        return false;
    if (members[0] > members[1]) {
        size_t kept = members[0];

        members[0] = members[1];
        members[1] = kept;
    }
    return isolate_take(isolate, members, PAIR);
}

/* A partner for the unit: cleared ones first, new ones first. */
static bool find_partner(struct isolate *isolate, const struct kind *kind, const size_t *order, size_t a)
{
    for (int wish = 0; wish < 4; wish++) {
        bool must_be_clear = wish == 0 || wish == 2, must_be_new = wish < 2;

        for (size_t i = 0; i < kind->count; i++) {
            size_t b = order[i];

            if (!may_pair(isolate, kind, a, b) ||
                (must_be_clear && kind->units[b].standing != STANDING_CLEARED) ||
                (kind->same_leaf && isolate->host_taken[b]) ||
                (must_be_new && met_before(isolate, kind, isolate->so_far->tests.count, false, a, b)))
                continue;
            if (take_pair(isolate, kind, a, b))
                return true;
        }
    }
    return false;
}

static bool is_worth_asking(const struct isolate *isolate, const struct kind *kind, const struct unit *unit)
{
    unsigned most = looks_for_times(isolate, kind) ? TESTS_MOST_FOR_TIMES : TESTS_MOST;

    if (partners_needed(isolate, kind, (size_t)(unit - kind->units)) < PAIR)
        most = ACCUSING; /* of two, none is told from the other */
    return unit->standing == STANDING_OPEN && unit->low + unit->high < most;
}

/* The unit waits when all its partners are taken; where it has none at all there is nothing to ask. */
static bool ask(struct isolate *isolate, const struct kind *kind)
{
    size_t *order = shuffled(isolate, kind->count);

    for (size_t i = 0; i < kind->count; i++) {
        size_t a = order[i];

        if (is_worth_asking(isolate, kind, &kind->units[a]) && !(kind->same_leaf && isolate->host_taken[a]))
            find_partner(isolate, kind, order, a);
    }
    return isolate->next->tests.count > 0;
}

bool isolate_ask_hosts(struct isolate *isolate)
{
    struct kind kind = hosts_of(isolate);

    return ask(isolate, &kind);
}

bool isolate_ask_leaves(struct isolate *isolate)
{
    struct kind kind = leaves_of(isolate);

    return ask(isolate, &kind);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two leaves that are slow together. What all pairs across them have in common are the uplinks of both, so if all are slow, it is
 * the one leaf, the other, or what lies between them, and no test of these hosts tells which: none has one of the two without the
 * other. Every pair across is then a slow path by itself, which is why this comes before the search for a path.
 *
 * A host that is alone on its leaf, or with one other, has too few partners there to be told from them. Those of the other leaf
 * tell: of two hosts one that is slow with three of these while its neighbour is fast with them is to blame, for both go the
 * same way. One that is alone goes its way alone, and is not told from it; but for a fault inside it, which it shows alone.
 */
#include <math.h>

#include "isolate_private.h"

enum {
    PAIR = 2,
    SMALL = 2,    /* hosts of a leaf that are not told apart within it */
    ACCUSING = 3, /* partners, or tests alone */
    ASKED = 5,    /* tests of a host of a small leaf, or of a leaf */
    LEAVES = 2
};
/* As in isolate_units.c: one path in 10,000 is slow, and without it the others must be as sure. */
static const double path_most = 9.2, sure_of_others = 9.0, clear = 9.2;
/* Slow at times is slow in every second test. */
static const double half = 0.5;

struct side {
    unsigned leaf;
    size_t *hosts, count; /* that nothing explains so far */
};

/* What tests across, or alone, tell of something. */
struct told {
    unsigned tests, slow; /* slow: with so many different hosts of the other side */
    double
        odds; /* that it is slow, at times perhaps: for each two hosts at most what a slow path between them would do */
    double of_one; /* the most that one such pair tells */
    double fast;   /* that it never is */
    double sum;    /* of shares */
};

/* False where hosts of one leaf are left, or of more than two. */
static bool find_sides(const struct isolate *isolate, struct side sides[LEAVES])
{
    size_t hosts = isolate->problem->host_count, found = 0;

    for (size_t i = 0; i < hosts; i++) {
        unsigned leaf = isolate->problem->hosts[i].leaf;
        size_t side = 0;

        if (isolate->excluded[i])
            continue;
        while (side < found && sides[side].leaf != leaf)
            side++;
        if (side == LEAVES)
            return false;
        if (side == found)
            sides[found++] = (struct side){.leaf = leaf, .hosts = arena_array(isolate->arena, size_t, hosts)};
        sides[side].hosts[sides[side].count++] = i;
    }
    return found == LEAVES;
}

static void tell_pair(const struct isolate *isolate, size_t a, size_t b, struct told *told)
{
    double odds = 0;
    bool slow = false;

    list_each (test, isolate->so_far->tests) {
        double says = isolate_evidence(isolate, test);

        if (test->count != PAIR || test->members[0] != (a < b ? a : b) || test->members[1] != (a < b ? b : a))
            continue;
        odds += isolate_at_times(says, half);
        slow |= says > 0;
        told->tests++;
        told->fast -= says;
        told->sum += isolate_share(isolate, test);
    }
    odds = fmin(path_most, odds);
    told->odds += odds;
    told->of_one = fmax(told->of_one, odds);
    told->slow += slow;
}

/* One host, or with host == NULL all of the first side, with those of the other. */
static struct told told_across(const struct isolate *isolate, const struct side sides[LEAVES],
                               const size_t *host)
{
    const struct side *of = host == NULL ? &sides[0] : NULL, *to = &sides[1];
    struct told told = {0};

    if (host != NULL && isolate->problem->hosts[*host].leaf == sides[1].leaf)
        to = &sides[0];
    for (size_t i = 0; i < (of != NULL ? of->count : 1); i++)
        for (size_t k = 0; k < to->count; k++)
            tell_pair(isolate, of != NULL ? of->hosts[i] : *host, to->hosts[k], &told);
    return told;
}

static bool is_slow(const struct isolate *isolate, const struct told *told, unsigned partners)
{
    return told->slow >= partners && told->odds > isolate_sure(isolate->problem->host_count) &&
           told->odds - told->of_one > sure_of_others;
}

/* The host with the next one of the other side. */
static void ask_across(struct isolate *isolate, const struct side *other, size_t host, unsigned turn)
{
    for (size_t i = 0; i < other->count; i++) {
        size_t partner = other->hosts[(turn + i) % other->count];
        size_t pair[PAIR] = {partner < host ? partner : host, partner < host ? host : partner};

        if (isolate_take(isolate, pair, PAIR))
            return;
    }
}

static void accuse(struct isolate *isolate, size_t host, const struct told *told, bool inside)
{
    *list_push(isolate->arena, &isolate->result->accusations) = (struct isolate_accusation){
        .kind = ISOLATE_HOST,
        .a = host,
        .inside = inside,
        .slow_tests = told->tests,
        .doubt = isolate_doubt(isolate, told->sum / told->tests, told->tests, isolate->problem->host_count)};
    isolate->excluded[host] = true;
}

/* Of two hosts of a leaf: one is slow across, and its neighbour fast. */
static enum two_leaves tell_two(struct isolate *isolate, const struct side sides[LEAVES],
                                const struct side *small, const struct side *large)
{
    struct told told[SMALL];
    bool open = false;

    for (size_t i = 0; i < SMALL; i++)
        told[i] = told_across(isolate, sides, &small->hosts[i]);
    for (size_t i = 0; i < SMALL; i++)
        if (is_slow(isolate, &told[i], ACCUSING) && told[!i].fast > clear) {
            accuse(isolate, small->hosts[i], &told[i], false);
            return TWO_LEAVES_FOUND;
        }
    for (size_t i = 0; i < SMALL; i++) {
        bool decided = is_slow(isolate, &told[i], ACCUSING) || told[i].fast > clear;

        if (!decided && told[i].tests < ASKED) {
            ask_across(isolate, large, small->hosts[i], told[i].tests);
            open = true;
        }
    }
    return open ? TWO_LEAVES_ASKING : TWO_LEAVES_ELSE;
}

static enum two_leaves tell_all(struct isolate *isolate, const struct side sides[LEAVES])
{
    struct told told = told_across(isolate, sides, NULL);

    if (is_slow(isolate, &told, ACCUSING) && told.fast < 0)
        return TWO_LEAVES_SLOW;
    if (told.fast > clear || told.tests >= 2 * ASKED)
        return TWO_LEAVES_ELSE;
    ask_across(isolate, &sides[1], sides[0].hosts[told.tests % sides[0].count], told.tests);
    return isolate->next->tests.count > 0 ? TWO_LEAVES_ASKING : TWO_LEAVES_ELSE;
}

enum two_leaves isolate_two_leaves(struct isolate *isolate)
{
    struct side sides[LEAVES];

    if (!find_sides(isolate, sides))
        return TWO_LEAVES_ELSE;
    for (size_t i = 0; i < LEAVES; i++)
        if (sides[i].count == SMALL && sides[!i].count >= ACCUSING) {
            enum two_leaves answer = tell_two(isolate, sides, &sides[i], &sides[!i]);

            if (answer != TWO_LEAVES_ELSE)
                return answer;
        }
    return tell_all(isolate, sides);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A path between two good hosts. All together are slow; of two halves each alone is fast: then it lies between
 * them. Each half is cut into parts, and the parts of one are tried with those of the other, as many pairs of
 * parts at once as there are parts, until one pair of hosts is left. That must be slow again and again, while
 * each of the two is fast with somebody else.
 *
 * The search keeps no state: each call walks the same way through the tests so far and stops where the answer
 * to the next question is not there yet. Where parts of what was slow are all fast, noise has misled it: the
 * whole is measured once more, and each answer about its parts rests on as many tests as that about the whole.
 */
#include "isolate_private.h"

#include <string.h>

enum { CONFIRMING = 3, ELSEWHERE = 3, PARTS = 4, TESTS_MOST = 6 };

static const double sure_deviations = 1.2;

/* Hosts, ascending, as tests keep them. */
struct part {
    const size_t *members;
    size_t count;
};

/* The number-th of so many parts, as equal as can be. */
static struct part part_of(struct part whole, size_t number, size_t parts)
{
    size_t begin = whole.count * number / parts, end = whole.count * (number + 1) / parts;

    return (struct part){whole.members + begin, end - begin};
}

static struct part joined(const struct isolate *isolate, struct part a, struct part b)
{
    size_t *members = arena_array(isolate->arena, size_t, a.count + b.count + 1), i = 0, k = 0, n = 0;

    while (i < a.count || k < b.count)
        members[n++] =
            k == b.count || (i < a.count && a.members[i] < b.members[k]) ? a.members[i++] : b.members[k++];
    return (struct part){members, n};
}

/* PACE_UNSURE: asked for, as soon as nothing else needs the same. */
static enum pace pace_together(struct isolate *isolate, struct part hosts, unsigned tests)
{
    enum pace pace;

    if (hosts.count < 2)
        return PACE_FAST;
    pace = isolate_pace_of(isolate, hosts.members, hosts.count, tests);
    if (pace == PACE_UNSURE)
        isolate_take(isolate, hosts.members, hosts.count);
    return pace;
}

/* Nothing lies between a part and nobody. */
static enum pace pace_between(struct isolate *isolate, struct part a, struct part b, unsigned tests)
{
    return a.count == 0 || b.count == 0 ? PACE_FAST : pace_together(isolate, joined(isolate, a, b), tests);
}

/* All parts of it are fast: measured once more, unless that was done often enough. */
static enum link_search ask_again(struct isolate *isolate, struct part hosts, unsigned tests)
{
    if (tests >= TESTS_MOST)
        return LINK_NOT_FOUND;
    isolate_take(isolate, hosts.members, hosts.count);
    return LINK_ASKING;
}

static bool has(const struct isolate_test *test, size_t host)
{
    for (size_t i = 0; i < test->count; i++)
        if (test->members[i] == host)
            return true;
    return false;
}

/* The round in which the two were first tried alone. The search has led there by what was slow and what was not,
 * so that only later tests are witnesses. */
static unsigned round_of_pair(const struct isolate *isolate, const size_t pair[2])
{
    unsigned first = isolate->round;

    for (size_t i = 0; i < isolate->so_far->tests.count; i++) {
        const struct isolate_test *test = &isolate->so_far->tests.items[i];

        if (test->count == 2 && test->members[0] == pair[0] && test->members[1] == pair[1] &&
            test->round < first)
            first = test->round;
    }
    return first;
}

/* Later tests with the one and without the other: how many there are, and how many of them are low. */
static unsigned tests_without(const struct isolate *isolate, unsigned after, size_t host, size_t other,
                              unsigned *ret_low)
{
    unsigned count = 0;

    *ret_low = 0;
    for (size_t i = 0; i < isolate->so_far->tests.count; i++) {
        const struct isolate_test *test = &isolate->so_far->tests.items[i];

        if (test->round <= after || !has(test, host) || has(test, other))
            continue;
        count++;
        *ret_low += isolate_share(isolate, test) < isolate_middle(isolate);
    }
    return count;
}

/* Asks for one more pair of the host, another one each round. */
static void ask_elsewhere(struct isolate *isolate, struct part hosts, size_t host, size_t other)
{
    for (size_t i = 0; i < hosts.count; i++) {
        size_t partner = hosts.members[(host + isolate->round + i) % hosts.count];
        size_t pair[2] = {partner < host ? partner : host, partner < host ? host : partner};

        if (partner != host && partner != other && isolate_take(isolate, pair, 2))
            return;
    }
}

/* Whether the host is fast without the other, each time but one at most: PACE_UNSURE while that is not known. */
static enum pace pace_elsewhere(struct isolate *isolate, struct part hosts, unsigned after, size_t host,
                                size_t other)
{
    unsigned low, count = tests_without(isolate, after, host, other, &low);

    if (low > 1)
        return PACE_SLOW;
    if (count >= ELSEWHERE * (1 + 2 * low))
        return PACE_FAST;
    ask_elsewhere(isolate, hosts, host, other);
    return PACE_UNSURE;
}

/* The path is to blame when the pair is slow each time, and neither of the two is with others. */
static enum link_search confirm(struct isolate *isolate, struct part hosts, size_t a, size_t b,
                                struct isolate_accusation *ret_link)
{
    size_t pair[2] = {a < b ? a : b, a < b ? b : a};
    double mean;
    unsigned tests = isolate_mean(isolate, pair, 2, &mean);
    enum pace pace_a, pace_b;

    if (tests < CONFIRMING)
        isolate_take(isolate, pair, 2);
    pace_a = pace_elsewhere(isolate, hosts, round_of_pair(isolate, pair), a, b);
    pace_b = pace_elsewhere(isolate, hosts, round_of_pair(isolate, pair), b, a);
    if (pace_a == PACE_SLOW || pace_b == PACE_SLOW)
        return LINK_NOT_FOUND;
    if (tests < CONFIRMING || pace_a == PACE_UNSURE || pace_b == PACE_UNSURE)
        return LINK_ASKING;
    if (mean > isolate_middle(isolate) - sure_deviations * isolate_deviation(isolate, 1))
        return LINK_NOT_FOUND;
    *ret_link = (struct isolate_accusation){.kind = ISOLATE_LINK,
                                            .a = pair[0],
                                            .b = pair[1],
                                            .slow_tests = tests,
                                            .doubt = isolate_doubt(isolate, mean, tests, 1)};
    return LINK_FOUND;
}

/* Leaves in a and b one part of each that are slow together; LINK_FOUND: it has. */
static enum link_search narrow(struct isolate *isolate, struct part *a, struct part *b)
{
    struct part whole = joined(isolate, *a, *b);
    double mean;
    unsigned tests = isolate_mean(isolate, whole.members, whole.count, &mean);
    bool known = true;

    /* Between all of a and all of b nobody asked yet: what was slow were they and more. */
    tests = tests > 0 ? tests : 1;
    for (size_t turn = 0; turn < PARTS; turn++)
        for (size_t i = 0; i < PARTS; i++) {
            struct part of_a = part_of(*a, i, PARTS), of_b = part_of(*b, (i + turn) % PARTS, PARTS);
            enum pace pace = pace_between(isolate, of_a, of_b, tests);

            known = known && pace != PACE_UNSURE;
            if (pace == PACE_SLOW) {
                *a = of_a;
                *b = of_b;
                return LINK_FOUND;
            }
        }
    return known ? ask_again(isolate, whole, tests) : LINK_ASKING;
}

/* Leaves in whole the smallest half of a half that is slow by itself, and in a and b its halves, that are not. */
static enum link_search halve(struct isolate *isolate, struct part whole, struct part *ret_a,
                              struct part *ret_b)
{
    unsigned both = 0;

    while (true) {
        struct part a = part_of(whole, 0, 2), b = part_of(whole, 1, 2);
        double mean;
        unsigned tests = isolate_mean(isolate, whole.members, whole.count, &mean);
        enum pace first = pace_together(isolate, a, tests), second = pace_together(isolate, b, tests);

        *ret_a = a;
        *ret_b = b;
        if (first == PACE_FAST && second == PACE_FAST)
            return LINK_FOUND;
        if (first != PACE_SLOW && second != PACE_SLOW)
            return LINK_ASKING;
        /* Where every part is slow it is not a path: so many at once are too many, or the reference is wrong. */
        both = first == PACE_SLOW && second == PACE_SLOW ? both + 1 : 0;
        if (both == 2)
            return LINK_EVERYWHERE;
        whole = first == PACE_SLOW ? a : b;
    }
}

enum link_search isolate_search_link(struct isolate *isolate, struct isolate_accusation *ret_link)
{
    size_t *members = arena_array(isolate->arena, size_t, isolate->problem->host_count);
    struct part all = {members, 0}, a, b;
    enum link_search answer;

    for (size_t i = 0; i < isolate->problem->host_count; i++)
        if (!isolate->excluded[i])
            members[all.count++] = i;
    answer = halve(isolate, all, &a, &b);
    while (answer == LINK_FOUND && (a.count > 1 || b.count > 1))
        answer = narrow(isolate, &a, &b);
    return answer == LINK_FOUND ? confirm(isolate, all, a.members[0], b.members[0], ret_link) : answer;
}

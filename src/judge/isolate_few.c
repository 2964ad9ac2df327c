/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a healthy pair of few hosts shows is not known from the best of them: of four hosts with one that is slow, half of the pairs
 * are slow, and with the noise of some values the mean of all passes for healthy. So before all are called fast, each host is
 * asked for: are the pairs better explained by one value for all, or by one for those without it and less for those with it?
 * Both are fitted to the same pairs, so that nothing has to be known before.
 */
#include <string.h>

#include "isolate_private.h"

enum {
    FEW_HOSTS = 8,    /* the upper quartile of more is one of healthy ones */
    FEWEST_HOSTS = 4, /* of three a slow one and a slow path look alike */
    TESTS_MOST = 4,   /* of a pair: what these do not tell is no whole fault */
};
static const double clear_odds = 9.2; /* 10,000 to 1 */

static bool is_pair(const struct isolate_test *test)
{
    return test->count == 2 && test->reference <= 0 && test->value > 0;
}

static bool has(const struct isolate_test *pair, size_t host)
{
    return pair->members[0] == host || pair->members[1] == host;
}

/* The healthy value that explains the pairs best if that host is slow (no such host: none is), and what is left unexplained:
   the sum of squares. */
static double fit(const struct isolate *isolate, size_t host, double *ret_healthy)
{
    const struct isolate_test *tests = isolate->so_far->tests.items;
    double products = 0, squares = 0, left = 0, slow = 1 - isolate->problem->slow;

    for (size_t i = 0; i < isolate->so_far->tests.count; i++)
        if (is_pair(&tests[i])) {
            double share = has(&tests[i], host) ? slow : 1;

            products += share * tests[i].value;
            squares += share * share;
        }
    *ret_healthy = squares > 0 ? products / squares : 0;
    for (size_t i = 0; i < isolate->so_far->tests.count; i++)
        if (is_pair(&tests[i])) {
            double off = tests[i].value - *ret_healthy * (has(&tests[i], host) ? slow : 1);

            left += off * off;
        }
    return left;
}

static unsigned times_tested(const struct isolate *isolate, size_t a, size_t b)
{
    unsigned times = 0;

    for (size_t i = 0; i < isolate->so_far->tests.count; i++)
        times += is_pair(&isolate->so_far->tests.items[i]) && has(&isolate->so_far->tests.items[i], a) &&
                 has(&isolate->so_far->tests.items[i], b);
    return times;
}

/* Those first that were tested least. */
static bool ask_pairs(struct isolate *isolate)
{
    size_t count = isolate->problem->host_count;
    bool asking = false;

    isolate->next->tests.count = 0;
    memset(isolate->host_taken, 0, count * sizeof *isolate->host_taken);
    for (unsigned times = 0; times < TESTS_MOST; times++)
        for (size_t a = 0; a < count; a++)
            for (size_t b = a + 1; b < count; b++)
                if (times_tested(isolate, a, b) == times)
                    asking |= isolate_take(isolate, (const size_t[]){a, b}, 2);
    return asking;
}

enum few isolate_ask_few(struct isolate *isolate)
{
    size_t count = isolate->problem->host_count;
    double noise = isolate->problem->noise * isolate->healthy, healthy, best = 0, all, odds = 0;

    if (count < FEWEST_HOSTS || count > FEW_HOSTS || isolate->leaf_count > 1 ||
        isolate->problem->healthy > 0 || isolate->out_count > 0 || !(noise > 0))
        return FEW_ARE_FAST;
    all = fit(isolate, count, &healthy);
    for (size_t i = 0; i < count; i++) {
        double without, now = (all - fit(isolate, i, &without)) / (2 * noise * noise);

        if (i == 0 || now > odds) {
            odds = now;
            best = without;
        }
    }
    if (odds > clear_odds) {
        isolate->healthy = best;
        return FEW_ARE_SLOWER;
    }
    return odds > -clear_odds && ask_pairs(isolate) ? FEW_ASKING : FEW_ARE_FAST;
}

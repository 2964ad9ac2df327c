/* SPDX-License-Identifier: Apache-2.0 */
/* What may be hidden on one host, in slices of age between the last looks of its tests. */
#include <math.h>
#include <stdlib.h>

#include "periodic_private.h"

struct past_look {
    double age_h; /* of that look; INFINITY: none */
    size_t test;
};

static int compare_ages(const void *a, const void *b)
{
    const struct past_look *left = a, *right = b;

    return (left->age_h > right->age_h) - (left->age_h < right->age_h);
}

/* Hours of these ages, each as likely as that it has not shown itself yet. */
static double hidden_h(double from_h, double to_h)
{
    return PERIODIC_HIDDEN_H * (exp(-from_h / PERIODIC_HIDDEN_H) - exp(-to_h / PERIODIC_HIDDEN_H));
}

/* Tests that can see something of the class there, the last to look first. */
static size_t order_looks(const struct periodic_fleet *fleet, const struct periodic_rates *rates,
                          const struct periodic_host *host, enum periodic_class class,
                          struct past_look looks[PERIODIC_TESTS_MOST])
{
    size_t count = 0;

    for (size_t i = 0; i < fleet->tests.count; i++) {
        double last = host->last[i][class];

        if ((host->applies >> i & 1) && rates->cover[i][class] > 0)
            looks[count++] =
                (struct past_look){last > 0 ? fmax(rates->now - last, 0) / 3600 : (double)INFINITY, i};
    }
    qsort(looks, count, sizeof *looks, compare_ages);
    return count;
}

/* The youngest defects nobody has looked for; of the older ones there are less, for some were seen. */
static void slice_class(const struct periodic_fleet *fleet, const struct periodic_rates *rates,
                        const struct periodic_host *host, enum periodic_class class,
                        struct periodic_view *view)
{
    struct past_look looks[PERIODIC_TESTS_MOST];
    size_t count = order_looks(fleet, rates, host, class, looks);
    periodic_set open = 0;
    double from_h = 0, unseen = 1;

    for (size_t i = 0; i < count; i++)
        open |= (periodic_set)1 << looks[i].test;
    view->counts[class] = 0;
    for (size_t i = 0; i <= count; i++) {
        double to_h = i < count ? looks[i].age_h : (double)INFINITY;

        if (to_h > from_h)
            view->slices[class][view->counts[class]++] =
                (struct periodic_slice){unseen * hidden_h(from_h, to_h), open};
        if (i == count)
            break;
        from_h = to_h;
        open &= ~((periodic_set)1 << looks[i].test);
        unseen *= 1 - rates->cover[looks[i].test][class];
    }
}

void periodic_look_at(const struct periodic_fleet *fleet, const struct periodic_rates *rates, size_t host,
                      struct periodic_view *ret_view)
{
    ret_view->tests = fleet->tests.count;
    ret_view->cover = rates->cover;
    for (unsigned k = 0; k < PERIODIC_CLASSES; k++) {
        ret_view->hazard[k] = rates->host[host][k];
        slice_class(fleet, rates, &fleet->hosts.items[host], (enum periodic_class)k, ret_view);
    }
}

/* That none of the tests sees a defect of this age. */
static double missed(const struct periodic_view *view, periodic_set tests, unsigned class)
{
    double missed = 1;

    for (; tests != 0; tests &= tests - 1)
        missed *= 1 - view->cover[__builtin_ctzll(tests)][class];
    return missed;
}

double periodic_value(const struct periodic_view *view, periodic_set tests)
{
    double value = 0;

    for (unsigned k = 0; k < PERIODIC_CLASSES; k++) {
        double found_h = 0;

        for (size_t i = 0; i < view->counts[k]; i++)
            found_h += view->slices[k][i].weight * (1 - missed(view, tests & view->slices[k][i].open, k));
        value -= expm1(-view->hazard[k] * found_h);
    }
    return value;
}

double periodic_hidden(const struct periodic_view *view)
{
    double value = 0;

    for (unsigned k = 0; k < PERIODIC_CLASSES; k++) {
        double hours = 0;

        for (size_t i = 0; i < view->counts[k]; i++)
            hours += view->slices[k][i].weight;
        value -= expm1(-view->hazard[k] * hours);
    }
    return value;
}

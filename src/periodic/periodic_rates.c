/* SPDX-License-Identifier: Apache-2.0 */
/* From counts to rates: each level is the prior of the one below it. The header has the formulas. */
#include <math.h>

#include "periodic_private.h"

static const double weight_public = 1, weight_platform = 4, weight_age = 10, weight_cover = 4;
static const double cover_loads = 0.8, cover_reads = 0.4, cover_most = 0.95;
static const double spread_few = 0.05, spread_alike = 100, spread_unknown = 1;
enum { SPREAD_LEAST = 5 }; /* defects that tell how much hosts differ */

/* Gamma prior with this mean that weighs as so many defects; then so many were found in so many hours. */
static double posterior(double weight, double mean, double found, double hours)
{
    return (weight + found) / (weight / mean + hours);
}

static unsigned found_of(const struct periodic_past *past)
{
    unsigned found = 0;

    for (unsigned age = 0; age < PERIODIC_AGES; age++)
        found += past->found[age];
    return found;
}

/* Hours in which it was watched; at that age, and of all, as they count by their age. */
static double hours_at(const struct periodic_host *host, enum periodic_class class, unsigned age)
{
    const struct periodic_past *past = &host->past[class];

    return periodic_age_hours(age, (past->first - host->first) / 3600, (past->last - host->first) / 3600);
}

static double hours_of(const struct periodic_rates *rates, const struct periodic_host *host,
                       enum periodic_class class)
{
    double hours = 0;

    for (unsigned age = 0; age < PERIODIC_AGES; age++)
        hours += rates->age[age] * hours_at(host, class, age);
    return hours;
}

/* By the ages as they count now; all are alike at first. */
static void estimate_all(const struct periodic_fleet *fleet, struct periodic_rates *rates)
{
    for (unsigned k = 0; k < PERIODIC_CLASSES; k++) {
        enum periodic_class class = (enum periodic_class)k;

        rates->found[k] = 0;
        rates->hours[k] = 0;
        for (size_t i = 0; i < fleet->hosts.count; i++) {
            rates->found[k] += found_of(&fleet->hosts.items[i].past[k]);
            rates->hours[k] += hours_of(rates, &fleet->hosts.items[i], class);
        }
        rates->all[k] =
            posterior(weight_public, periodic_public_rate(class), rates->found[k], rates->hours[k]);
    }
}

static void estimate_ages(const struct periodic_fleet *fleet, struct periodic_rates *rates)
{
    for (unsigned age = 0; age < PERIODIC_AGES; age++) {
        double found = 0, expected = 0;

        for (size_t i = 0; i < fleet->hosts.count; i++)
            for (unsigned k = 0; k < PERIODIC_CLASSES; k++) {
                found += fleet->hosts.items[i].past[k].found[age];
                expected += rates->all[k] * hours_at(&fleet->hosts.items[i], (enum periodic_class)k, age);
            }
        rates->age[age] = (weight_age + found) / (weight_age + expected);
    }
}

/* Method of moments of the negative binomial that counts of such hosts have. */
static double spread_of(const struct periodic_fleet *fleet, const struct periodic_rates *rates,
                        const double *platforms, enum periodic_class class)
{
    double squares = 0, excess = 0;

    if (rates->found[class] < SPREAD_LEAST)
        return spread_unknown;
    list_each (host, fleet->hosts) {
        double mu = platforms[host->platform] * hours_of(rates, host, class);
        double off = found_of(&host->past[class]) - mu;

        squares += mu * mu;
        excess += off * off - mu;
    }
    if (excess <= 0)
        return spread_alike;
    return fmin(fmax(squares / excess, spread_few), spread_alike);
}

static void estimate_platforms(const struct periodic_fleet *fleet, const struct periodic_rates *rates,
                               double *hours, double *platforms, enum periodic_class class)
{
    for (size_t i = 0; i < fleet->platforms; i++)
        hours[i] = platforms[i] = 0;
    list_each (host, fleet->hosts) {
        hours[host->platform] += hours_of(rates, host, class);
        platforms[host->platform] += found_of(&host->past[class]);
    }
    for (size_t i = 0; i < fleet->platforms; i++)
        platforms[i] = posterior(weight_platform, rates->all[class], platforms[i], hours[i]);
}

static void estimate_hosts(const struct periodic_fleet *fleet, struct periodic_rates *rates,
                           const double *platforms, enum periodic_class class)
{
    double spread = rates->spread[class] = spread_of(fleet, rates, platforms, class);

    for (size_t i = 0; i < fleet->hosts.count; i++) {
        const struct periodic_host *host = &fleet->hosts.items[i];
        double age_h = host->first > 0 ? (rates->now - host->first) / 3600 : 0;

        rates->host[i][class] = rates->age[periodic_age(age_h)] * posterior(spread, platforms[host->platform],
                                                                            found_of(&host->past[class]),
                                                                            hours_of(rates, host, class));
    }
}

/* What is assumed of all tests of its kind together, in equal parts: a suite that has more steps sees no more by that. */
static double cover_before(const struct periodic_fleet *fleet, const struct periodic_test *test, unsigned k)
{
    unsigned alike = 0;

    if (!(test->own & (1u << k)))
        return 0;
    for (size_t i = 0; i < fleet->tests.count; i++)
        alike += (fleet->tests.items[i].own & (1u << k)) && fleet->tests.items[i].loads == test->loads;
    return 1 - pow(1 - (test->loads ? cover_loads : cover_reads), 1.0 / alike);
}

static void estimate_tests(const struct periodic_fleet *fleet, struct periodic_rates *rates)
{
    for (size_t i = 0; i < fleet->tests.count; i++) {
        const struct periodic_test *test = &fleet->tests.items[i];

        rates->cost_h[i] = test->measured > 0 ? test->measured_h / (double)test->measured : test->expected_h;
        for (unsigned k = 0; k < PERIODIC_CLASSES; k++)
            rates->cover[i][k] = fmin((weight_cover * cover_before(fleet, test, k) + test->seen[k]) /
                                          (weight_cover + test->looked[k]),
                                      cover_most);
    }
}

void periodic_estimate(struct arena *arena, const struct periodic_fleet *fleet, double now,
                       struct periodic_rates *ret_rates)
{
    double *platforms = arena_array(arena, double, fleet->platforms + 1),
           *hours = arena_array(arena, double, fleet->platforms + 1);

    *ret_rates = (struct periodic_rates){.now = now, .age = {1, 1, 1}};
    ret_rates->host = arena_alloc_array(arena, fleet->hosts.count, sizeof *ret_rates->host);
    ret_rates->cover = arena_alloc_array(arena, fleet->tests.count, sizeof *ret_rates->cover);
    ret_rates->cost_h = arena_array(arena, double, fleet->tests.count);
    estimate_all(fleet, ret_rates);
    estimate_ages(fleet, ret_rates);
    estimate_all(fleet, ret_rates);
    for (unsigned k = 0; k < PERIODIC_CLASSES; k++) {
        estimate_platforms(fleet, ret_rates, hours, platforms, (enum periodic_class)k);
        estimate_hosts(fleet, ret_rates, platforms, (enum periodic_class)k);
    }
    estimate_tests(fleet, ret_rates);
}

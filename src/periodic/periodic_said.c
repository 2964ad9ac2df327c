/* SPDX-License-Identifier: Apache-2.0 */
/* The choice in words: a row a test, a group a set of hosts, and what all that rests on. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "assay/base/robust.h"
#include "assay/reasons/any.h"
#include "assay/reasons/periodic.h"
#include "periodic_private.h"

static const double year_h = 8766;
enum { FEW_DEFECTS = 5 };

struct saying {
    struct arena *arena;
    const struct periodic_fleet *fleet;
    const struct periodic_rates *rates;
    const struct periodic_choice *choice;
    struct periodic_tonight *tonight;
};

static const struct reason *class_said(unsigned k)
{
    switch ((enum periodic_class)k) {
    case PERIODIC_GPU:
        return REASON(periodic_gpus);
    case PERIODIC_NETWORK:
        return REASON(periodic_networks);
    case PERIODIC_DRIVE:
        return REASON(periodic_drives);
    case PERIODIC_HOST:
    case PERIODIC_CLASSES:
    default:
        return REASON(periodic_hosts);
    }
}

static const struct reason *time_said(struct arena *arena, double hours)
{
    return hours < 72 ? reason(arena, periodic_hours, arena_printf(arena, "%.3g", hours))
                      : reason(arena, periodic_days, arena_printf(arena, "%.3g", hours / 24));
}

static const char *day(struct arena *arena, double at)
{
    time_t seconds = (time_t)at;
    struct tm parts;
    char text[32] = "";

    if (gmtime_r(&seconds, &parts) != NULL)
        (void)strftime(text, sizeof text, "%Y-%m-%d", &parts);
    return arena_strdup(arena, text);
}

/* -- Why a test --------------------------------------------------------------------------------------------- */

/* What it finds most of in the fleet. */
static unsigned main_class(const struct saying *saying, size_t test)
{
    unsigned best = 0;

    for (unsigned k = 1; k < PERIODIC_CLASSES; k++)
        if (saying->rates->cover[test][k] * saying->rates->all[k] >
            saying->rates->cover[test][best] * saying->rates->all[best])
            best = k;
    return best;
}

static const struct reason *sees_said(const struct saying *saying, size_t test, unsigned k)
{
    const struct periodic_test *row = &saying->fleet->tests.items[test];
    const char *share = arena_printf(saying->arena, "%.0f", 100 * saying->rates->cover[test][k]);

    return row->looked[k] > 0 ? reason(saying->arena, periodic_sees_counted, share, class_said(k),
                                       row->seen[k], row->looked[k])
                              : reason(saying->arena, periodic_sees_assumed, share, class_said(k));
}

static const struct reason *ran_said(const struct saying *saying, size_t test, unsigned k)
{
    double *ages = arena_array(saying->arena, double, saying->choice->picks.count + 1);
    size_t ran = 0, never = 0;
    const struct reason *median;

    list_each (pick, saying->choice->picks) {
        double last = saying->fleet->hosts.items[pick->host].last[test][k];

        if (pick->test == test && last > 0)
            ages[ran++] = (saying->rates->now - last) / 3600;
        else
            never += pick->test == test;
    }
    if (ran == 0)
        return REASON(periodic_never_ran);
    robust_sort(ages, ran);
    median = time_said(saying->arena, ages[ran / 2]);
    return never == 0 ? reason(saying->arena, periodic_ran_before, median)
                      : reason(saying->arena, periodic_ran_on_some, median, ran, never);
}

/* Why there first; NULL: nothing tells it from others but when it was looked at. */
static const struct reason *leads_said(const struct saying *saying, size_t host, unsigned k)
{
    const struct periodic_host *first = &saying->fleet->hosts.items[host];
    double mean = 0;
    unsigned found = 0;

    for (unsigned age = 0; age < PERIODIC_AGES; age++)
        found += first->past[k].found[age];
    if (found == 0)
        return NULL;
    for (size_t i = 0; i < saying->fleet->hosts.count; i++)
        mean += saying->rates->host[i][k] / (double)saying->fleet->hosts.count;
    return reason(saying->arena, periodic_leads, first->name, found,
                  arena_printf(saying->arena, "%.2g", saying->rates->host[host][k] * year_h),
                  arena_printf(saying->arena, "%.2g", mean * year_h));
}

static const struct reason *why_of(const struct saying *saying, const struct periodic_row *row,
                                   const struct periodic_pick *first)
{
    unsigned k = main_class(saying, row->test);
    const struct reason *why = NULL;

    list_each (pick, saying->choice->picks)
        if (pick->test == row->test && pick->is_again)
            why = reason_also(
                saying->arena, why,
                reason(saying->arena, periodic_again, saying->fleet->hosts.items[pick->host].name));
    if (saying->rates->cover[row->test][k] <= 0 || row->found <= 0)
        return why != NULL ? why : REASON(periodic_needed);
    why = reason_also(saying->arena, why, sees_said(saying, row->test, k));
    why = reason_also(saying->arena, why, ran_said(saying, row->test, k));
    return row->hosts.count < saying->fleet->hosts.count
               ? reason_also(saying->arena, why, leads_said(saying, first->host, k))
               : why;
}

/* -- Rows and groups ---------------------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b)
{
    const struct periodic_row *left = a, *right = b;
    double worth_left = left->found * right->hours, worth_right = right->found * left->hours;

    if (worth_left < worth_right || worth_left > worth_right)
        return worth_left < worth_right ? 1 : -1;
    return (left->test > right->test) - (left->test < right->test);
}

static void say_rows(const struct saying *saying)
{
    struct periodic_tonight *tonight = saying->tonight;

    for (size_t test = 0; test < saying->fleet->tests.count; test++) {
        struct periodic_row row = {.test = test};
        const struct periodic_pick *first = NULL;

        list_each (pick, saying->choice->picks) {
            if (pick->test != test)
                continue;
            first = first != NULL ? first : pick;
            *list_push(saying->arena, &row.hosts) = saying->fleet->hosts.items[pick->host].name;
            row.hours += saying->rates->cost_h[test];
            row.found += pick->found;
        }
        if (first == NULL)
            continue;
        row.why = why_of(saying, &row, first);
        *list_push(saying->arena, &tonight->rows) = row;
    }
    if (tonight->rows.count > 1)
        qsort(tonight->rows.items, tonight->rows.count, sizeof *tonight->rows.items, compare_rows);
}

static struct periodic_group *group_of(const struct saying *saying, periodic_set tests)
{
    struct periodic_tonight *tonight = saying->tonight;
    struct periodic_group *group;

    for (size_t i = 0; i < tonight->groups.count; i++)
        if (tonight->groups.items[i].tests == tests)
            return &tonight->groups.items[i];
    group = list_push(saying->arena, &tonight->groups);
    group->tests = tests;
    return group;
}

static int compare_groups(const void *a, const void *b)
{
    const struct periodic_group *left = a, *right = b;

    if (left->hosts.count != right->hosts.count)
        return left->hosts.count < right->hosts.count ? 1 : -1;
    return (left->tests > right->tests) - (left->tests < right->tests);
}

static void say_groups(const struct saying *saying)
{
    struct periodic_tonight *tonight = saying->tonight;

    for (size_t i = 0; i < saying->fleet->hosts.count; i++) {
        periodic_set tests = saying->choice->of_host[i];
        struct periodic_group *group;

        if (tests == 0)
            continue;
        group = group_of(saying, tests);
        *list_push(saying->arena, &group->hosts) = saying->fleet->hosts.items[i].name;
        for (; tests != 0; tests &= tests - 1)
            group->hours += saying->rates->cost_h[__builtin_ctzll(tests)];
    }
    if (tonight->groups.count > 1)
        qsort(tonight->groups.items, tonight->groups.count, sizeof *tonight->groups.items, compare_groups);
}

/* -- What it rests on --------------------------------------------------------------------------------------- */

static void note(const struct saying *saying, const struct reason *text)
{
    *list_push(saying->arena, &saying->tonight->notes) = text;
}

static void say_rates(const struct saying *saying)
{
    struct arena *arena = saying->arena;
    unsigned found = 0;

    for (unsigned k = 0; k < PERIODIC_CLASSES; k++)
        found += saying->rates->found[k];
    if (found < FEW_DEFECTS)
        note(saying, reason(arena, periodic_few_defects, found));
    for (unsigned k = 0; k < PERIODIC_CLASSES; k++)
        note(saying,
             reason(arena, periodic_rate, class_said(k), saying->rates->found[k],
                    arena_printf(arena, "%.0f", saying->rates->hours[k]),
                    arena_printf(arena, "%.2g", saying->rates->all[k] * year_h),
                    arena_printf(arena, "%.2g", periodic_public_rate((enum periodic_class)k) * year_h)));
}

static void say_known(const struct saying *saying)
{
    for (size_t i = 0; i < saying->fleet->hosts.count; i++)
        for (unsigned k = 0; k < PERIODIC_CLASSES; k++)
            if (saying->fleet->hosts.items[i].past[k].open)
                note(saying,
                     reason(saying->arena, periodic_known, saying->fleet->hosts.items[i].name, class_said(k),
                            day(saying->arena, saying->fleet->hosts.items[i].past[k].since)));
}

void periodic_say(struct arena *arena, const struct periodic_fleet *fleet, const struct periodic_rates *rates,
                  const struct periodic_choice *choice, struct periodic_tonight *ret_tonight)
{
    struct saying saying = {arena, fleet, rates, choice, ret_tonight};

    *ret_tonight = (struct periodic_tonight){0};
    say_rows(&saying);
    say_groups(&saying);
    if (fleet->runs == 0) {
        note(&saying, REASON(periodic_rests_on_public));
    } else {
        note(&saying, reason(arena, periodic_rests_on_runs, fleet->runs, day(arena, fleet->first),
                             day(arena, fleet->last)));
        say_rates(&saying);
        say_known(&saying);
    }
    note(&saying, REASON(periodic_no_health));
}

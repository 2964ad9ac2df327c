/* SPDX-License-Identifier: Apache-2.0 */
/* usage: bench_periodic [FLEETS [NAME]]      one line a figure, for scripts/bench periodic; NAME: scenarios that have it in their
   names. FLEETS: years of other hosts, each. */
#include <stdio.h>
#include <string.h>

#include "assay/base/arena.h"
#include "assay/base/scan.h"
#include "years.h"

enum { HOSTS = 256, FLEETS = 20 };
static const double share = 0.2, aim = 0.9;

static const struct {
    struct scenario scenario;
    bool has_aim;
} rows[] = {
    {{"lemons", 6.5, 1.5, 3, 7, 1, 4}, true}, /* as often as in RSC-1 (Kokolis et al. 2024) */
    {{"few", 2.34, 1.5, 3, 7, 1, 4}, true},   /* as in RSC-2 */
    {{"alike", 6.5, 0, 0, 7, 1, 4}, true},    /* no lemons, no infancy: history tells of no host */
    {{"deep", 6.5, 1.5, 3, 7, 3, 4}, true},   /* most defects show under load only */
    /* Half of them hurt before a day is over. Nothing is promised: 0.89 to 0.90 is what comes out. */
    {{"quick", 6.5, 1.5, 3, 1, 1, 4}, false},
};

static const char *const policies[POLICIES] = {"all", "choice", "round", "reading"};

static void figure(const char *scenario, const char *what, double value, const char *unit,
                   const char *verdict)
{
    printf("bench periodic %s.%s value=%.4g unit=%s %s\n", scenario, what, value, unit, verdict);
    fflush(stdout);
}

static void add(struct year *sum, const struct year *year)
{
    sum->hours += year->hours;
    sum->arose += year->arose;
    sum->caught += year->caught;
    sum->in_day += year->in_day;
}

static void tell_policy(const char *scenario, enum policy policy, const struct year *all,
                        const struct year *year, bool has_aim)
{
    char what[64];
    double found = (double)year->caught / all->caught;

    (void)snprintf(what, sizeof what, "%s.of_what_all_find", policies[policy]);
    if (has_aim && policy == POLICY_CHOICE)
        figure(scenario, what, found, "share", found >= aim ? "aim=>=0.9 met=yes" : "aim=>=0.9 met=no");
    else
        figure(scenario, what, found, "share", "aim=- met=-");
    (void)snprintf(what, sizeof what, "%s.within_a_day", policies[policy]);
    figure(scenario, what, (double)year->in_day / all->in_day, "share", "aim=- met=-");
    (void)snprintf(what, sizeof what, "%s.hours", policies[policy]);
    if (has_aim && policy == POLICY_CHOICE)
        figure(scenario, what, year->hours / all->hours, "share",
               year->hours <= share * all->hours ? "aim=<=0.2 met=yes" : "aim=<=0.2 met=no");
    else
        figure(scenario, what, year->hours / all->hours, "share", "aim=- met=-");
}

static void tell(const struct scenario *scenario, bool has_aim, uint64_t fleets)
{
    struct year sums[POLICIES] = {0};

    for (uint64_t fleet = 0; fleet < fleets; fleet++)
        for (unsigned policy = 0; policy < POLICIES; policy++) {
            struct year year = year_replay(scenario, (enum policy)policy, share, HOSTS, 1000 + fleet);

            add(&sums[policy], &year);
        }
    figure(scenario->name, "arose", (double)sums[POLICY_ALL].arose, "defects", "aim=- met=-");
    figure(scenario->name, "all.caught", (double)sums[POLICY_ALL].caught / sums[POLICY_ALL].arose, "share",
           "aim=- met=-");
    for (unsigned policy = POLICY_CHOICE; policy < POLICIES; policy++)
        tell_policy(scenario->name, (enum policy)policy, &sums[POLICY_ALL], &sums[policy], has_aim);
}

int main(int argc, char **argv)
{
    uint64_t fleets = FLEETS;

    if (argc > 1 && (!scan_u64(slice_of(argv[1]), &fleets) || fleets == 0)) {
        fprintf(stderr, "usage: bench_periodic [FLEETS [NAME]]\n");
        return 64;
    }
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (argc <= 2 || strstr(rows[i].scenario.name, argv[2]) != NULL)
            tell(&rows[i].scenario, rows[i].has_aim, fleets);
    return 0;
}

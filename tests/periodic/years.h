/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synthetic years: hosts on which defects arise, tests that see some of them, and nights in which a policy has so many host hours.
 * What is true here the policy does not know, and it is not made as the model of periodic.h is: kinds of defects with tests of
 * their own, hazards with a heavy tail, defects that a test sees only sometimes and that hurt after different times.
 */
#ifndef ASSAY_TESTS_PERIODIC_YEARS_H
#define ASSAY_TESTS_PERIODIC_YEARS_H

#include <stdbool.h>
#include <stdint.h>

enum { YEAR_NIGHTS = 365, YEAR_TESTS = 14, YEAR_KINDS = 11 };

struct scenario {
    const char *name;
    double per_1000_days; /* defects of a mean host */
    double tail;          /* of hosts' hazards, standard deviation of their logarithm; 0: all alike */
    double infancy;       /* how much more often in the first days, fading over 30 days; 0: no more */
    double hurts_days;    /* median time until a defect ends somebody's job */
    double deep;          /* weight of the defects that only load shows; 1: as in the table */
    unsigned groups;      /* of hosts a night, by the choice; 0: any number */
};

enum policy {
    POLICY_ALL,     /* every test on every host every night */
    POLICY_CHOICE,  /* periodic_choose */
    POLICY_ROUND,   /* every test on as many hosts as the hours allow, in turns */
    POLICY_READING, /* what only reads on all hosts, the others in turns */
    POLICIES
};

struct year {
    double hours;                   /* host hours of all nights */
    unsigned arose, caught, in_day; /* defects; found before they hurt; found within a day */
};
/* share: host hours of a night, of what all tests on all hosts take. The first night is an acceptance: all tests, everywhere. */
struct year year_replay(const struct scenario *scenario, enum policy policy, double share, unsigned hosts,
                        uint64_t seed);

#endif

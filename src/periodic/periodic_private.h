/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this module share. */
#ifndef ASSAY_PERIODIC_PRIVATE_H
#define ASSAY_PERIODIC_PRIVATE_H

#include "assay/periodic/periodic.h"

/* Which age a host of so many hours has; and how many of the hours from one age to another lie in it. */
unsigned periodic_age(double hours);
double periodic_age_hours(unsigned age, double from_h, double to_h);

/* Tests that failed on the host and have not passed since. */
periodic_set periodic_again(const struct periodic_host *host);

/* One host as the choice sees it: what may be hidden there, by age, and who would see it. */
struct periodic_view {
    size_t tests; /* of the fleet */
    double hazard[PERIODIC_CLASSES];
    struct periodic_slice {
        double weight;     /* hours of this age, less what has shown itself, and less what was seen */
        periodic_set open; /* tests that have not looked since */
    } slices[PERIODIC_CLASSES][PERIODIC_TESTS_MOST + 1];
    size_t counts[PERIODIC_CLASSES];
    double (*cover)[PERIODIC_CLASSES];
};
void periodic_look_at(const struct periodic_fleet *fleet, const struct periodic_rates *rates, size_t host,
                      struct periodic_view *ret_view);
/* Defects that these tests are expected to find; and all that are expected to be there. */
double periodic_value(const struct periodic_view *view, periodic_set tests);
double periodic_hidden(const struct periodic_view *view);

#endif

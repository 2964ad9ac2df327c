/* SPDX-License-Identifier: Apache-2.0 */
/* Who has which value of a metric, for the rules that ask for others with a value. */
#ifndef ASSAY_JUDGE_OWNERS_H
#define ASSAY_JUDGE_OWNERS_H

#include "whole_run.h"

struct owner {
    const char *value, *platform, *host, *rack, *subject;
    const struct judged_part *part;
    size_t step, slot;
};

/* What most hosts of a rack have; see racks.c. */
struct rack {
    const struct judged_part *part;
    const char *name, *value, *kinds; /* value: NULL where they do not agree, of which kinds tells */
};

/* Sorted by the value, and then by step, so that each run's come together: hosts, and what is in one of them. */
struct owners {
    const char *suite_step, *metric;
    LIST_OF(struct owner) items;
    LIST_OF(struct rack) racks; /* those that were asked for */
    size_t last;                /* of them */
};

/* Of that step of the suite, over all platforms: hosts of two may be one machine too. */
struct owners *owners_of(struct whole_run *run, const char *suite_step, const struct slot *slot);
/* The first of those that have the value, and how many; NULL: nobody. */
const struct owner *owners_with(const struct owners *owners, const char *value, size_t *ret_count);

#endif

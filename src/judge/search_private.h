/* SPDX-License-Identifier: Apache-2.0 */
/* What search.c knows of one slow step and its parts. */
#ifndef ASSAY_SEARCH_PRIVATE_H
#define ASSAY_SEARCH_PRIVATE_H

#include "assay/judge/isolate.h"
#include "judge_private.h"

/* A part with what it showed. */
struct part_value {
    size_t step; /* index into the plan */
    unsigned round;
    size_t *hosts; /* places among the members of the slow step, ascending */
    size_t count;
    bool known;   /* it says something */
    double value; /* NAN: it broke off */
    bool ended;   /* that it came to its end is all that is looked at; value is 1 */
};

/* Places of members that dropped out while the search went on, and of those of whom it is not known whether they did. */
struct absence {
    LIST_OF(size_t) out, doubtful;
};

struct looked {
    struct arena *arena;
    const struct record *record;
    struct limits_book *book;
    const struct step_attempts *attempts;
    const struct step *step; /* the slow one */
    size_t index;
    const struct slot *slot; /* the item that it failed by */
    LIST_OF(struct part_value) parts;
    unsigned last_round;
    LIST_OF(const char *) leaves;
    struct isolate_problem problem;
    struct isolate_host *hosts; /* the problem's */
    struct absence absence;
};

/* The step's member count where the host is none of them. */
size_t place_among(const struct step *step, const struct host *host);

/* search_time.c: why there is no time for another round; NULL: there is. */
const struct reason *search_time_spent(const struct looked *looked);

/* search_absence.c: from all attempts of the run and the parts of this search. */
void find_absence(const struct looked *looked, struct absence *ret_absence);

#endif

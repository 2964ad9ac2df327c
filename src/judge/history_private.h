/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the history share. The numbers are looked at in this order: */
#ifndef ASSAY_HISTORY_PRIVATE_H
#define ASSAY_HISTORY_PRIVATE_H

#include "assay/judge/judge.h"

/* A run's part is taken from no fewer numbers than this: of fewer, one that gets worse would take its part along. */
enum { LEAST_OF_RUN = 5 };

/* One rate that is looked at. */
struct number {
    size_t run, position, target;
    size_t rate;     /* the same test, metric and place of the measurement, whatever the subject */
    size_t run_part; /* rate in this run */
    double log;      /* larger is better */
    double rest;     /* without the parts of position and run */
};

struct work {
    struct arena *arena;
    const struct history *history;
    struct history_findings *found;
    LIST_OF(struct number) numbers;
    size_t *rate_of, *family_of; /* by position */
    size_t rates, families;
    double *position_part, *run_part;
};

enum { NOBODY = -1, PLACES_OF_POSITION = 2 };

/* The thing at one place of one target in one run. */
struct seat {
    size_t run, target, place, subject;
    const char *identity; /* as that run saw it; NULL: it did not look */
    const char *name;
    bool used;
};

struct seats {
    LIST_OF(const char *) places; /* "gpu3"; "" the target as a whole */
    bool *is_target;              /* a step over several hosts tells them apart: the place is a host */
    int (*of_position)[PLACES_OF_POSITION];
    struct seat *items; /* by run, target and place */
};

/* For qsort. */
static inline int compare_sizes(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

/* history_expect.c: the rates among the values, and what their positions and runs let expect. */
void history_expect(struct work *work);

/* history_seats.c: who sat where in each run. */
void history_seat(struct work *work, struct seats *ret_seats);
struct seat *seat_at(const struct work *work, const struct seats *seats, size_t run, size_t target,
                     size_t place);

/* history_repeat.c: who has failed in more than one run. */
void history_repeats(struct work *work, const struct seats *seats);

/* history_growth.c: which folders take more than before. */
void history_growths(struct work *work);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the same tests have shown in several runs, and who gets worse. Plain data: the store fills a history, the
 * judge finds the outliers in it, reports show both.
 *
 * A series follows the thing and not its place: a GPU by its UUID and an HCA by its GUID where a run has read them, so
 * that a GPU which moved to another host keeps its past.
 */
#ifndef ASSAY_HISTORY_H
#define ASSAY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay/base/arena.h"
#include "assay/model/outcome.h"
#include "assay/model/reading.h"

struct history_run {
    long long number;
    const char *uuid, *suite;
    double started; /* Unix time, s */
    enum verdict_word verdict;
    const char *word; /* of the verdict, as that kind of run has it */
};

/* What is measured: the same test of the same place of a host, in whichever run and on whichever host. */
struct history_position {
    const char *suite_step, *check, *scope, *variant, *platform;
    unsigned hosts; /* members of the step */
    const char *metric, *subject, *at;
};

/* One number: the worst of its item in that run, as the run's last judgement has it. */
struct history_value {
    uint32_t run, position, target; /* indexes */
    double value;
};

/* A gate that failed. */
struct history_failure {
    uint32_t run, position, target;
    const struct reason *cause;
};

/* Which thing was at the place: "gpu3" of node5 in that run. A run that did not look has none of the place: then it is
   taken for what was there before and after, where these are the same or only one of them is known. */
struct history_sighting {
    uint32_t run, target;
    const char *place, *identity;
};

/* A judged run of which nothing is in the history, and why. */
struct history_gap {
    long long run;
    const char *why;
};

struct history {
    LIST_OF(struct history_run) runs; /* oldest first */
    LIST_OF(struct history_position) positions;
    LIST_OF(const char *) targets; /* "node3"; of wider steps "8 hosts: node[1-8]" */
    LIST_OF(struct history_value) values;
    LIST_OF(struct history_failure) failures;
    LIST_OF(struct history_sighting) sightings;
    LIST_OF(struct history_gap) gaps; /* oldest first */
    size_t left_out;                  /* judged runs of other parties, which were not asked for */
};

struct record;
/* The next run, with its plan and its judgement: what the suite asked for, not what was added to find a fault. Its
   strings must live as long as the history. */
void history_add(struct arena *arena, struct history *history, const struct record *record);
/* How far it is; and copies of all strings that were added since, so that the record may go: all but causes, which are gone
   then. */
struct history_mark {
    size_t runs, positions, targets, failures, sightings;
};
struct history_mark history_mark(const struct history *history);
void history_keep(struct arena *arena, struct history *history, const struct history_mark *mark);
/* In the run that was added last, this was at a place of the host; of a host that nothing was measured on it is of no
   account. */
void history_add_sighting(struct arena *arena, struct history *history, const char *host, const char *place,
                          const char *identity);

/* A thing with a past, or a place whose identity nobody has read. */
struct history_subject {
    const char *name;  /* identity: "GPU-1c2d..."; where there is none, the place */
    const char *place; /* where it was last: "node5 gpu3", "node5", "8 hosts: node[1-8]" */
    unsigned places;   /* on how many places it was seen */
};

struct history_point {
    size_t run;       /* index into history.runs */
    size_t items;     /* numbers that it is the median of */
    double value;     /* that median */
    double deviation; /* from what its places and that run let expect: -0.05 is 5% worse */
};
/* One rate of one subject, run by run. */
struct history_series {
    size_t subject;
    const char *suite_step, *metric, *unit;
    LIST_OF(struct history_point) points; /* oldest first */
};

enum history_kind {
    HISTORY_DROP,   /* in its last run it is worse than in those before */
    HISTORY_TREND,  /* it gets worse from run to run */
    HISTORY_REPEAT, /* gates of it have failed in more than one run */
};
struct history_finding {
    enum history_kind kind;
    size_t subject;
    size_t series;    /* of DROP and TREND */
    size_t runs;      /* in which it was measured; of REPEAT: in which it failed */
    size_t first_run; /* index of the first of them */
    double
        change; /* of DROP: from the middle of the runs before; of TREND: over all runs. -0.04 is 4% worse */
    double noise;  /* standard deviation of one point */
    double sigmas; /* how far the change is from none, in its own standard deviations */
};

/* What a whole run did: all of one metric better or worse than in the run before. */
struct history_shift {
    size_t run; /* the later one */
    const char *suite_step, *metric, *at;
    double change; /* -0.03 is 3% worse, in the middle of all */
};

/* A folder (check `space`) that takes more than in the run before. */
struct history_growth {
    const char *target, *folder; /* "node3", "/var/log" */
    size_t before, run;          /* indexes of both runs */
    double size_before, size;    /* MiB */
    double per_day;              /* MiB; NAN: the runs are less than HISTORY_GROWTH_LEAST_DAYS apart */
    double days;                 /* between them */
    double left;                 /* MiB that its file system had free in the later run; NAN: not known */
    double filled;               /* percent of it that was used then; NAN: likewise */
};

struct history_findings {
    LIST_OF(struct history_subject) subjects;
    LIST_OF(struct history_series) series;
    LIST_OF(struct history_finding) findings; /* the surest first */
    LIST_OF(struct history_shift) shifts;     /* of at least HISTORY_LEAST_CHANGE */
    LIST_OF(struct history_growth) growths;   /* whose file system is full first, first */
};

/* A change smaller than this is not told, however sure it is. */
#define HISTORY_LEAST_CHANGE 0.01
/* From so many runs on there can be a trend. */
#define HISTORY_TREND_RUNS 4

/* A folder's growth is told from here on, or where its file system would be full within HISTORY_DAYS_LEFT_FEW. */
#define HISTORY_GROWTH_LEAST_MIB 1024.0
#define HISTORY_GROWTH_LEAST_DAYS 0.5
#define HISTORY_DAYS_LEFT_FEW 30.0
/* Until the file system is full at that rate; INFINITY: nobody knows. */
double history_days_left(const struct history_growth *growth);

const char *history_kind_name(enum history_kind kind); /* "drop", "trend", "repeat" */

#endif

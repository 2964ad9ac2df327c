/* SPDX-License-Identifier: Apache-2.0 */
/* Items folded to what a reader needs of them: one line for each metric and gate. */
#ifndef ASSAY_REPORT_GATES_H
#define ASSAY_REPORT_GATES_H

#include "assay/report/report.h"
#include "view.h"

struct gate_line {
    const char *suite_step, *metric, *status;
    const struct reason *limit, *gate, *source;
    const struct reason *at;      /* where the items are taken */
    LIST_OF(const char *) places; /* the same, each once */
    const struct reason *first_place;
    size_t items, failing, not_passed;
    size_t recorded;   /* of the items: no gates */
    const char *names; /* of an entry's items: their subjects, up to a limit */
    const struct outcome *first, *least,
        *most;                     /* of the items with a number the last two; NULL: there is none */
    const struct reason *subjects; /* them, and how many items there are if there are more */
};
struct gate_lines {
    LIST_OF(struct gate_line) items;
};

/* The gates of one entry, with the subjects named. */
void gate_lines_of_entry(const struct view *view, const struct report_entry *entry,
                         struct gate_lines *ret_lines);
/* "12.1 GB/s to 13 GB/s"; of one value, or where it is no number, that of the first item; NULL: nothing was measured. */
const struct reason *gate_line_measured(struct arena *arena, const struct gate_line *line);
/* All limits that were applied in the run. */
void gate_lines_of_run(const struct view *view, struct gate_lines *ret_lines);
/*
 * Items with a remark. Some miss a limit that can only remark: folded by metric and limit, and what differs from host to host
 * stands before what a guess expects. Of others only how the value came is told, by whatever limit it passed: after an attempt that broke off,
 * or compared with too few; folded by what is told, one for all that one attempt or cause left.
 */
struct remark_line {
    bool missed;                  /* the limit of gate is not met; else no limit is to be named beside it */
    struct gate_line gate;        /* of what is not missed, the first item's */
    const struct reason *targets; /* "12 hosts: node[1-12]" */
    const struct reason *example; /* subject and cause of the first one */
    LIST_OF(const struct host *) hosts;
};
struct remark_lines {
    LIST_OF(struct remark_line) items; /* what is missed first */
    size_t missed;
};
void remark_lines_of_run(const struct view *view, struct remark_lines *ret_lines);
/* The gate without the metric that it is of, which the shown slot has. */
const struct reason *gate_alone(struct arena *arena, const struct reason *gate);
/* ">= 345 GB/s" of a gate, without how it came about; NULL where there is no gate. */
const struct reason *gate_bound(struct arena *arena, const struct reason *gate);
/* Of a gate that is one number, ">= 345 GB/s" or "<= 3 us", the number; most: it is to be no more. false: it is none such. */
struct gate_number {
    double bound;
    bool most;
};
bool gate_number(struct arena *arena, const struct reason *gate, struct gate_number *ret_number);
/* How far the value is from it, as a share of it: 0.05 is 5% better than what is required. NAN: the bound is not above 0. */
double gate_margin(struct gate_number number, double value);
/* The metric of a gate that says how fast something is: a rate, how long a message takes, or whatever is compared with peers. NULL:
   it is no gate, or no such metric. */
const struct metric *gate_speed(const struct slot *slot);
/* "field: nccl#1264"; NULL where there is neither. */
const struct reason *limit_origin(struct arena *arena, const char *status, const struct reason *source);

#endif

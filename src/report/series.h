/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a record in the order in which plots and tables draw them. The worst over all attempts counts.
 */
#ifndef ASSAY_REPORT_SERIES_H
#define ASSAY_REPORT_SERIES_H

#include "view.h"

/* A metric of pairs of GPUs (struct pair_metric) between those of one host, or its median over several. */
struct heat_map {
    size_t step; /* of the host; of a median the first one */
    size_t gpus, hosts;
    double *values; /* gpus * gpus by from, to; NAN: not measured */
    bool *failing;
    bool bad; /* any of its gates did not pass */
};
struct heat_maps {
    LIST_OF(struct heat_map) items; /* hosts with a failing pair, then the median over all others */
    const struct pair_metric *of;
    double highest;
    const struct outcome *gate; /* an item that shows the gate; NULL when none was applied */
};
/* Of each such metric of each check of which the run has measurements. */
struct heat_map_list {
    LIST_OF(struct heat_maps) items;
};
void heat_maps_collect(const struct view *view, struct heat_map_list *ret_list);
/* What one test measured, divided by what the other did, of the same two GPUs of the same host. */
struct agreement {
    size_t pairs; /* that both measured; 0: the others are 0 too */
    double median, least, most;
};
struct agreement pair_agreement(const struct view *view, const struct pair_metric *of);

struct point {
    double size, value;
};
struct curve {
    const struct reason *name; /* the step's target */
    size_t step;
    bool failing;
    LIST_OF(struct point) points; /* by size, ascending */
};
/* One collective of one step of the suite: bus bandwidth by message size. */
struct chart {
    const char *suite_step, *metric;
    LIST_OF(struct curve) curves;
    LIST_OF(struct curve) subsets; /* parts of the targets that isolation tested alone and that passed */
    LIST_OF(struct point) gates;   /* the limits that were applied, at their sizes */
    LIST_OF(struct point)
    earlier;        /* of the run compared with: the median of the same targets, at judged sizes */
    double ceiling; /* what links, and switches that add, can carry at most; NAN: not known */
};
struct charts {
    LIST_OF(struct chart) items;
};
void charts_collect(const struct view *view, struct charts *ret_charts);

/* One number per GPU of one host; NAN where it is missing. */
struct gpu_row {
    size_t step;
    double *values, *temperatures, *powers; /* Gflop/s; C and W: the highest */
    enum outcome_word *words;               /* the worst of the GPU's items in this step */
    bool *odd;                              /* one of them failed or has a remark */
};
/* Of one step of the suite: what tensor cores do is nothing to compare floats with. */
struct gpu_table {
    const char *suite_step;
    size_t gpus;
    LIST_OF(struct gpu_row) rows;
};
struct gpu_tables {
    LIST_OF(struct gpu_table) items; /* in the order of the plan; none: the run has no burn */
};
void gpu_tables_collect(const struct view *view, struct gpu_tables *ret_tables);

/* What the sampler beside one attempt saw of one metric: a line for each GPU. */
enum { COURSE_POINTS = 32, COURSE_GPUS = 64 };
struct course {
    const char *title, *unit;        /* "temperature", "C" */
    bool lowest;                     /* the lowest is the worst */
    double every_s;                  /* between two points */
    size_t gpus, points;             /* of the longest line */
    double (*values)[COURSE_POINTS]; /* by GPU; NAN: no number */
    double low, high;                /* of all */
    size_t worst_gpu, worst_point;
};
struct courses {
    LIST_OF(struct course) items;
};
/* false: nothing was sampled, or too little for a line. */
bool courses_collect(struct arena *arena, const struct attempt *attempt, struct courses *ret_courses);

/* Where the measurement was taken: its message size, if it is out of place (or the tool does not say). */
bool measurement_size(const struct measurement *measurement, double *ret_size);

/* The median of count numbers, NAN ones left out; NAN when none is left. Sorts values. */
double median_of(double *values, size_t count);

/* The fact as the last attempt that read it has it; "" when nobody did. */
const char *step_fact(const struct step_view *step, const char *name, const char *subject);
/* The same of all GPUs, by index. */
enum { FACT_GPUS = 64 };
void step_gpu_facts(const struct step_view *step, const char *name, const char *ret_values[FACT_GPUS]);

#endif

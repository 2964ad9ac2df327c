/* SPDX-License-Identifier: Apache-2.0 */
/* What both sides read first of an acceptance: what is wrong or waived, by its numbers, and what was reached. */
#ifndef ASSAY_REPORT_ACCEPTANCE_TABLES_H
#define ASSAY_REPORT_ACCEPTANCE_TABLES_H

#include "assay/model/acceptance.h"
#include "assay/report/report.h"
#include "gates.h"
#include "marks.h"

/* A fail that stands or is waived: one line for each cause, as the last run that showed it tells it. */
struct acceptance_fault {
    enum requirement_state state; /* REQUIREMENT_FAILED or REQUIREMENT_WAIVED */
    long long run;                /* that showed it; 0: it is seen only over several runs */
    const char *step;
    const char *target;         /* "node2" */
    const char *part;           /* "GPU 2"; "" the host as a whole */
    const char *serial;         /* "GPU 2: 16530...", what is printed on the part; "" where nobody was told */
    struct mark_list marks;     /* the same for people, and where it is plugged in */
    const struct reason *hands; /* who acts, as the pages of repair say it; NULL: none does */
    const char *problem;        /* "GPU 2 -> GPU 5 copies at 12 GB/s; required >= 345 GB/s" */
    const struct reason *source; /* of the limit; NULL */
    struct said_list remedy;     /* or by whom it is waived, why and until when */
};
struct acceptance_faults {
    LIST_OF(struct acceptance_fault) items; /* failed first */
};
void acceptance_faults_of(struct arena *arena, enum report_language language,
                          const struct acceptance *acceptance, struct acceptance_faults *ret_faults);

/* Who waived it, until when, and why. */
const struct reason *acceptance_waiver_text(struct arena *arena, const struct waiver *waiver);
/* "" where nobody knows one. */
const char *fault_remedy(struct arena *arena, const struct acceptance_fault *fault);

/* Of a speed or latency that has a limit the value that is nearest to it, over all passes that count. */
struct acceptance_reached {
    const char *step, *metric;
    const struct outcome *nearest; /* value and gate */
    const struct reason *target;   /* where it was: "node3" */
    const struct reason *at;       /* "size 8G"; NULL */
    const char *subject;           /* "gpu2"; "" */
    const char *bound;             /* ">= 345 GB/s" */
    struct gate_number limit;      /* the same */
    const struct reason *source;
    size_t tests; /* how many hosts, pairs or groups have it */
    double margin;
    const struct requirement *last; /* that was counted */
};
struct acceptance_numbers {
    LIST_OF(struct acceptance_reached) items; /* in the order of the suite */
};
void acceptance_numbers_of(struct arena *arena, const struct acceptance *acceptance,
                           struct acceptance_numbers *ret_numbers);
/* "node3, gpu2, size 8G" */
const char *reached_place(struct arena *arena, enum report_language language,
                          const struct acceptance_reached *reached);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts against steps: the table that every format shows. */
#ifndef ASSAY_REPORT_MATRIX_H
#define ASSAY_REPORT_MATRIX_H

#include "view.h"

struct cell {
    bool planned;
    enum outcome_word word;
    size_t step; /* the one that has this word */
};

struct matrix_row {
    const char *unit;
    const struct reason *name; /* "node3", or "28 hosts: node[1-28]" where rows are folded */
    size_t hosts;
    size_t host;        /* index of the first one in plan->hosts */
    struct cell *cells; /* by column */
};

struct matrix {
    LIST_OF(const char *) columns; /* the suite's names of the steps on single hosts, in plan order */
    LIST_OF(struct matrix_row) rows;
    struct cell *cells; /* of every host, before rows are folded: by index in plan->hosts, then column */
    bool folded;        /* more hosts than can be read one by one: those without a failure fold by unit */
};

struct matrix *matrix_create(const struct view *view);

#endif

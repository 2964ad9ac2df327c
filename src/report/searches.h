/* SPDX-License-Identifier: Apache-2.0 */
/* What the search for who makes a test slow did, as the formats show it. */
#ifndef ASSAY_REPORT_SEARCHES_H
#define ASSAY_REPORT_SEARCHES_H

#include "assay/report/report.h"
#include "view.h"

/* One test of some of the hosts, or several of a round that speak against nobody. */
struct search_line {
    unsigned round;
    size_t tests;
    size_t step;                   /* of the first of them, index into the plan */
    const struct reason *hosts;    /* "2 hosts: node[3,7]"; of several tests "14 tests of 2 hosts each" */
    const struct reason *measured; /* "213.2 GB/s", "340.1 to 356.0 GB/s", or why there is nothing */
    const struct reason *
        accuses; /* who of its hosts is accused, be this test slow or not: "node7, path node3 - node9"; NULL: nobody */
};
struct search_lines {
    LIST_OF(struct search_line) items;
};
/* In the order of the rounds. */
void search_lines_collect(const struct view *view, const struct search *search,
                          struct search_lines *ret_lines);

/* "all-reduce on 64 hosts: node[1-64], by nccl.all_reduce.busbw at 8G" */
const struct reason *search_title(const struct view *view, const struct search *search);
/* "7 rounds, 93 tests" */
const struct reason *search_effort(const struct view *view, const struct search *search);
/* "below 1e-12", "0.02" */
const struct reason *doubt_text(struct arena *arena, double doubt);

#endif

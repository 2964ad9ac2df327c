/* SPDX-License-Identifier: Apache-2.0 */
/* What a run says nothing about, though its suite has it: steps that were not planned, and what was only written down. */
#ifndef ASSAY_REPORT_UNJUDGED_H
#define ASSAY_REPORT_UNJUDGED_H

#include "language.h"
#include "view.h"

enum unjudged_kind {
    UNJUDGED_NOTE,     /* a metric is only recorded; detail says why */
    UNJUDGED_WHEN,     /* the step is for hosts of which detail holds: {"mounts":true} */
    UNJUDGED_PLATFORM, /* hosts of that platform have no such thing */
    UNJUDGED_APART,    /* hosts of these platforms were never tested together */
    UNJUDGED_ABSENT, /* of a delivery by a suite of its own: tests (step) that the built-in delivery has and it has not */
    UNJUDGED_FAST, /* times are divided by detail: the hostfile's timescale, which is for simulated hosts */
    UNJUDGED_KINDS
};
extern const enum text_key
    unjudged_why[UNJUDGED_KINDS]; /* with the detail; of UNJUDGED_NOTE it stands for itself */

struct unjudged {
    enum unjudged_kind kind;
    const char *step, *platform;
    const char *metric;          /* "": the whole step */
    const struct reason *detail; /* NULL: there is none */
};
struct unjudged_list {
    LIST_OF(struct unjudged) items; /* steps in the suite's order, then metrics in the plan's */
};
void unjudged_of_run(const struct view *view, struct unjudged_list *ret_list);
/* For the first screen: that an acceptance has its verdict by a suite that leaves out tests of the built-in delivery, and how
   many; NULL where it leaves out none. */
const struct reason *unjudged_absent(const struct view *view);

#endif

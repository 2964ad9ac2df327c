/* SPDX-License-Identifier: Apache-2.0 */
/* What a run or an acceptance says nothing about, though its suite has it: steps that were not planned, and what was only
   written down; and what less is asked for than by what is built in. */
#ifndef ASSAY_REPORT_UNJUDGED_H
#define ASSAY_REPORT_UNJUDGED_H

#include "assay/model/acceptance.h"
#include "language.h"
#include "view.h"

enum unjudged_kind {
    UNJUDGED_NOTE,     /* a metric is only recorded; detail says why */
    UNJUDGED_WHEN,     /* the step is for hosts that are otherwise than these: detail says why */
    UNJUDGED_PLATFORM, /* hosts of that platform have no such thing */
    UNJUDGED_WITHOUT, /* what a test does only with an argument that the step has not: detail says what, and which */
    UNJUDGED_APART, /* hosts of these platforms were never tested together */
    UNJUDGED_ABSENT, /* of a delivery by a suite of its own: tests (step) that the built-in one has and it has not */
    UNJUDGED_CHANGED, /* likewise: what of a test (step, of the built-in delivery) is less there, or otherwise */
    UNJUDGED_LIMIT, /* of a delivery: a metric is judged by a weaker limit than the built-in one */
    UNJUDGED_DECLARED, /* of a delivery: what the platform's file declares less than the built-in one, or allows more */
    UNJUDGED_SPARE, /* of a delivery: hosts (detail) of the hostfile that were not tested, being spares */
    UNJUDGED_FAST,  /* times are divided by detail: the hostfile's timescale, which is for simulated hosts */
    UNJUDGED_KINDS
};
extern const enum text_key
    unjudged_why[UNJUDGED_KINDS]; /* with the detail; of UNJUDGED_NOTE it stands for itself */
/* For programs: "recorded". */
extern const char *const unjudged_kind_names[UNJUDGED_KINDS];

struct unjudged {
    enum unjudged_kind kind;
    const char *step, *platform;
    const char *metric;          /* "": the whole step */
    const struct reason *detail; /* NULL: there is none */
};
struct unjudged_list {
    /* What is less than built in, then steps in the suite's order, then metrics in the plan's. */
    LIST_OF(struct unjudged) items;
};
/* It is a test of the suite, or a part of one, that hosts were not given; and whether a row before it names the same. */
bool unjudged_is_untested(const struct unjudged *row);
bool unjudged_names_before(const struct unjudged_list *list, size_t index);
/* "gpu-burn, gpu_burn.gflops (hgx-h100): why". */
const char *unjudged_line(struct arena *arena, enum report_language language, const struct unjudged *row);
void unjudged_of_run(const struct view *view, struct unjudged_list *ret_list);
void unjudged_of_acceptance(struct arena *arena, const struct acceptance *acceptance,
                            struct unjudged_list *ret_list);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the documents of a run, or of an acceptance, ask less for than those that are built in: a suite than the built-in
 * delivery, limits than the built-in baseline's, a platform than the one whose hosts they are, a hostfile than one that
 * declares all. Whoever writes the documents
 * may agree on less; who signs must see it. That something is asked for otherwise counts too, where nobody can say that it
 * is not less: another flag of a tool, another rule.
 */
#ifndef ASSAY_REPORT_CONCESSIONS_H
#define ASSAY_REPORT_CONCESSIONS_H

#include <string.h>

#include "assay/model/document.h"
#include "assay/model/hostfile.h"
#include "assay/model/plan.h"
#include "assay/model/run_limits.h"
#include "assay/model/suite.h"

/* Of two words that a document may leave out: NULL. */
static inline bool is_same_word(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

enum concession_kind {
    CONCESSION_ABSENT,   /* the suite has no such test */
    CONCESSION_CHANGED,  /* it has, and asks for less of it, or for something else */
    CONCESSION_LIMIT,    /* a metric is judged by a weaker limit, or by another rule */
    CONCESSION_PLATFORM, /* the platform declares less, or allows more */
};
struct concession {
    enum concession_kind kind;
    const char *step;            /* of the built-in delivery; of a limit, the suite's; of a platform "" */
    const char *platform;        /* of limits and platforms; else "" */
    const char *metric;          /* "": the whole step */
    const struct reason *detail; /* NULL of an absent step */
};
struct concessions {
    LIST_OF(struct concession) items; /* in the order of the kinds, and in each in that of the documents */
    size_t tests;                     /* of the built-in delivery */
    size_t absent, changed;           /* of these; */
    size_t weaker;                    /* steps of the suite with a weaker limit */
    size_t platforms;                 /* that declare less, or allow more */
    LIST_OF(const char *) programs;   /* what the suite says of which are run: "tools gpu_burn" */
    const char
        *undeclared; /* tests of the suite that the hostfile keeps out by what it does not declare; NULL */
    LIST_OF(const char *) odd_leaves; /* "l1": not what the cables of its hosts say */
    LIST_OF(const char *) odd_rails;  /* "node2 (mlx5_2, mlx5_3)": declared unlike most on the leaf */
    size_t spares;           /* hosts of the hostfile that are none of the delivery and were not tested */
    const char *spare_names; /* "node[7-8]"; NULL */
    bool alone;              /* there is one host, so that nothing was tested between hosts */
};

/*
 * Of a delivery; of any other suite there are none, for nobody signs it. documents: those that it was planned from, and
 * judged_by what it was judged by in their place (NULL: nothing). One that this
 * version cannot read is compared with nothing.
 */
void concessions_find(struct arena *arena, const struct plan *plan, const struct documents *documents,
                      const struct documents *judged_by, struct concessions *ret_concessions);
/* The parts of it. matches: by the suite's steps, the step of the delivery that each stands for, or NULL. */
void concessions_of_suite(struct arena *arena, const struct suite *suite, const struct suite *whole,
                          const struct suite_step **ret_matches, struct concessions *concessions);
void concessions_of_programs(struct arena *arena, const struct suite *suite, const struct suite *whole,
                             struct concessions *concessions);
void concessions_of_limits(struct arena *arena, const struct plan *plan, const struct run_limits *limits,
                           const struct suite_step *const *matches, struct concessions *concessions);
void concessions_of_platform(struct arena *arena, const struct platform *platform,
                             struct concessions *concessions);
void concessions_of_hostfile(struct arena *arena, const struct plan *plan, const struct hostfile *hostfile,
                             const struct suite *suite, struct concessions *concessions);
void concessions_of_rails(struct arena *arena, const struct hostfile *hostfile,
                          struct concessions *concessions);

#endif

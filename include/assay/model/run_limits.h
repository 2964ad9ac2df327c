/* SPDX-License-Identifier: Apache-2.0 */
/* Which limits speak of a planned item: the check's own, then the contract, then the suite's step, then the platform's
 * baseline. */
#ifndef ASSAY_RUN_LIMITS_H
#define ASSAY_RUN_LIMITS_H

#include "assay/model/limit.h"
#include "assay/model/outcome.h"
#include "assay/model/plan.h"
#include "assay/model/suite.h"

struct platform_baseline {
    const struct platform *platform;
    const struct baseline *baseline; /* NULL where none fits: its gates are inconclusive and say so */
    /* It is for hosts with another number of HCAs, or with others: what it says of several hosts, or of one of their
       adapters, does not hold here. */
    bool other_fabric, other_adapters;
};

struct run_limits {
    const struct suite *suite;
    const struct contract *contract;             /* NULL: none */
    LIST_OF(struct platform_baseline) baselines; /* one for each platform of the run */
};

/* `baseline` NULL: none fits. */
struct platform_baseline platform_baseline(struct arena *arena, const struct platform *platform,
                                           const struct baseline *baseline);
/* The baseline in the place of those of the platforms that it names. ERROR_USAGE when it names none of the run's: the
 * limits of other hardware decide nothing here. */
int run_limits_take(struct arena *arena, struct run_limits *limits, const struct baseline *baseline,
                    struct error *err) __attribute__((warn_unused_result));

/* What an outcome says of a limit. */
struct held_to limit_words(struct arena *arena, const struct limit *limit);

struct slot_limits {
    LIST_OF(const struct limit *) limits;
    const struct held_to *words; /* of each, in a book (limits_book_find); else NULL */
    const struct suite_peers
        *peers; /* how far the suite's step lets one lie below its like; NULL: no such step */
};

/* The slot's own rules, and the first limit that applies of the contract, when it has none of the suite's step, and when
 * that has none of the baseline. */
void slot_limits_find(struct arena *arena, const struct run_limits *limits, const struct shape *shape,
                      const struct slot *slot, struct slot_limits *ret_limits);

/* Whether one of them can decide the item. */
bool slot_limits_enforceable(const struct slot_limits *limits);
/* A part of a whole has only what the check itself knows; in place of the others. */
void slot_limits_own(struct arena *arena, const struct slot *slot, struct slot_limits *ret_limits);

/* The limits of a plan's items and their words, each found when it is first asked for, and kept in the arena: hosts of one
   shape share it. */
struct limits_book {
    struct arena *arena;
    const struct run_limits *limits;
    struct limits_page {
        const struct shape *shape;
        struct slot_limits *slots;
        bool *found; /* by slot */
    } * items;
    size_t count, capacity, last;
};
const struct slot_limits *limits_book_find(struct limits_book *book, const struct shape *shape, size_t slot);

/* The contract's limit for the item, as it stands there; NULL: no clause speaks of it. */
const struct limit *contract_limit(const struct run_limits *limits, const struct shape *shape,
                                   const struct slot *slot);

/*
 * The limits of the contract (by their places in it) that decide no gate of the plan: a clause that nobody measures must
 * not look agreed. A clause counts as measured if its item is required, also if this run leaves it out: that is `not run`.
 */
struct idle_clauses {
    LIST_OF(size_t) limits;
};
void contract_idle(struct arena *arena, const struct run_limits *limits, const struct plan *plan,
                   struct idle_clauses *ret_idle);
/* "4.2 (gpu_burn.gflops), 6 (nccl.*)"; "" when there are none. */
const char *contract_idle_text(struct arena *arena, const struct run_limits *limits, const struct plan *plan);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of the items that one clause would speak of, found at once by what a clause calls them: plans of thousands of
 * hosts have many items, and few names.
 */
#ifndef ASSAY_CLI_CONTRACT_NAMES_H
#define ASSAY_CLI_CONTRACT_NAMES_H

#include "assay/model/plan.h"

/* One figure or rule, and for which items it stands. */
struct clause {
    const struct shape *shape;
    const struct slot *slot;
    const struct limit *limit;
    bool of_subject;         /* of the slot's subject only */
    const char *recorded_by; /* of `shared`: the step that only records it, and would judge it by a clause */
    double size_max; /* the largest message size that it is about, from the slot's on; 0: the slot's */
};

struct clause_name {
    struct clause clause; /* the first that was asked for */
    const char *subject;  /* of this subject only; NULL: whatever it is */
    size_t hash;
    const char *recorded_by;         /* the first step that only records it; NULL: none does */
    bool without, shared;            /* is in the draft's lists of these names */
    size_t figure, rule, of_subject; /* its place in that list, from 1; 0: it is in none */
};

struct clause_names {
    struct clause_name **slots; /* by hash, NULL between them */
    size_t count, capacity;     /* capacity: 0, or a power of 2 */
};

/* Added where nobody asked for it yet. */
struct clause_name *clause_name_of(struct arena *arena, struct clause_names *names,
                                   const struct clause *clause, const char *subject);

#endif

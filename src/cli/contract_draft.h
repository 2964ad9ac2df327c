/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CLI_CONTRACT_DRAFT_H
#define ASSAY_CLI_CONTRACT_DRAFT_H

#include "assay/app/question.h"
#include "contract_names.h"

struct draft {
    LIST_OF(struct clause) clauses;
    LIST_OF(struct clause) without; /* gates that nothing decides; limit NULL */
    LIST_OF(struct clause) shared;  /* gates of which another step only records the same; likewise */
    LIST_OF(struct clause)
    unsaid; /* gates that go by a check's own rule, which no clause can state for all that have the name */
};

/* contract_ranges.c: those that ask for the same at one size after the other become one. */
void contract_join_sizes(struct arena *arena, const struct plan *plan, struct draft *draft);
/* Everything in the arena. */
void contract_draft(struct arena *arena, const struct question *question, struct draft *ret_draft);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* How the hosts of a run call themselves: what the check reachable was told, for checks that read names of hosts elsewhere. */
#ifndef ASSAY_APP_OWN_NAMES_H
#define ASSAY_APP_OWN_NAMES_H

#include "assay/check/check.h"
#include "assay/model/record.h"
#include "assay/plan/plan_build.h"

/* The context of a step of the record whose output is to be read, with the names where its check goes by them; in the arena. */
void context_to_read(struct arena *arena, const struct plan_sources *sources, const struct record *record,
                     const struct step *step, struct check_context *ret_context);

#endif

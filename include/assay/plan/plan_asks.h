/* SPDX-License-Identifier: Apache-2.0 */
/* A plan that another party says it made, beside the one that its documents make. */
#ifndef ASSAY_PLAN_ASKS_H
#define ASSAY_PLAN_ASKS_H

#include "assay/plan/plan_build.h"

/*
 * Makes the plan of these documents again, for the hosts and steps that the plan is of, and looks for what that asks and the plan
 * does not: a step that is missing, an item that is no gate or has other rules, fewer repetitions, a host of which the hostfile
 * says something else. What the plan has beyond that is no matter: a run that went on has grown.
 * *ret_what: the first of it, in English, in the arena; NULL: there is nothing.
 */
int plan_find_unasked(struct arena *arena, const struct plan *plan, const struct plan_sources *sources,
                      const char **ret_what, struct error *err) __attribute__((warn_unused_result));

#endif

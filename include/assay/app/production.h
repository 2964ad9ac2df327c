/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts that others work on (use=production). */
#ifndef ASSAY_APP_PRODUCTION_H
#define ASSAY_APP_PRODUCTION_H

#include "assay/base/error.h"
#include "assay/model/plan.h"

/* Which hosts in production which steps of the plan load, in words; NULL: none. */
const char *production_concerned(struct arena *arena, const struct plan *plan);
/* -1 where a step of the plan that is not passive has a host in production. */
int production_check(struct arena *arena, const struct plan *plan, struct error *err)
    __attribute__((warn_unused_result));

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Who makes a test across hosts slow, joined to a run: judge says which parts, plan has them added. */
#ifndef ASSAY_APP_ISOLATION_H
#define ASSAY_APP_ISOLATION_H

#include "assay/model/record.h"
#include "assay/plan/plan_build.h"

/* When all else is done: adds the next round of tests that tell. */
void isolation_extend(const struct record *record, const struct plan_sources *sources);

#endif

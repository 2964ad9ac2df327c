/* SPDX-License-Identifier: Apache-2.0 */
/* What a stored run was made from, out of the documents that it keeps. */
#ifndef ASSAY_APP_SOURCES_H
#define ASSAY_APP_SOURCES_H

#include "assay/model/record.h"
#include "assay/plan/plan_build.h"

/* The name of the document of tools that lie where `assay stage` puts them by itself; else it is their place. */
#define TOOLS_STAGED "staged"

/* The plan is the record's. baseline: in the place of the stored ones of the platforms that it names; NULL: those. */
int sources_of_record(struct arena *arena, const struct record *record, const char *baseline,
                      struct plan_sources *ret_sources, struct error *err)
    __attribute__((warn_unused_result));
/* The sources as the record was last judged: with the documents of its judgement in the place of its own. */
int sources_as_judged(struct arena *arena, const struct record *record, struct plan_sources *sources,
                      struct error *err) __attribute__((warn_unused_result));
/* Puts the contract of that file in the place of the run's; of NULL nothing. */
int sources_take_contract(struct arena *arena, const char *file, struct plan_sources *sources,
                          struct error *err) __attribute__((warn_unused_result));
/* Keeps with the record's judgement what it was judged by and is none of the record's own documents. */
void sources_judged_by(struct record *record, const struct plan_sources *sources);

#endif

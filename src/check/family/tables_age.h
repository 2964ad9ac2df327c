/* SPDX-License-Identifier: Apache-2.0 */
/* How old what is known of versions is: tables of advisories and of support dates (advisory.h). */
#ifndef ASSAY_TABLES_AGE_H
#define ASSAY_TABLES_AGE_H

#include "assay/check/check.h"

#define TABLES_CURRENT "current"

/* The day of the attempt, "2026-09-30", so many years before; NULL: it cannot be told. Days of this form sort as words do. */
const char *day_of(struct arena *arena, const struct attempt *attempt, int years_before);
/* metric: TABLES_CURRENT, or which of the tables was reviewed more than a year before. None where there is no table. */
void tables_tell_age(struct reading *out, const char *metric, const struct advisory_tables *tables,
                     const struct attempt *attempt);

#endif

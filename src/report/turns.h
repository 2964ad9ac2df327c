/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_TURNS_H
#define ASSAY_REPORT_TURNS_H

#include "assay/model/acceptance.h"

/* That tests of single hosts never loaded all of them at a time: by the run's own turns (--hosts-at-once), or of an acceptance
   in none of its runs. NULL: they could. */
const struct reason *turns_of_run(struct arena *arena, const struct record *record);
const struct reason *turns_of_acceptance(struct arena *arena, const struct acceptance *acceptance);

#endif

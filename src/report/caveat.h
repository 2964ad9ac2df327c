/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_CAVEAT_H
#define ASSAY_REPORT_CAVEAT_H

#include "concessions.h"

/* How much less is asked for than by what is built in; NULL: no less. caveat_of_run and caveat_of_acceptance (report.h) say
   this and what else a reader of the verdict has to know. */
const struct reason *caveat_of_concessions(struct arena *arena, const struct concessions *found);

#endif

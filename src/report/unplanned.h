/* SPDX-License-Identifier: Apache-2.0 */
/* Why a step of the suite was not planned for the hosts of a platform, in the words in which the plan said it. */
#ifndef ASSAY_REPORT_UNPLANNED_H
#define ASSAY_REPORT_UNPLANNED_H

#include "assay/base/json.h"
#include "assay/model/hostfile.h"
#include "assay/model/reason.h"

/* when: the step's condition. usual: the platform of hosts that declare none; NULL. Returns NULL where the hostfile does not show which
   part of the condition does not hold. */
const struct reason *unplanned_why(struct arena *arena, const struct hostfile *hostfile, const char *usual,
                                   const char *platform, const struct json *when);

#endif

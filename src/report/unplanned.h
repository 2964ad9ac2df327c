/* SPDX-License-Identifier: Apache-2.0 */
/* Why a step of the suite was not planned for the hosts of a platform, in the words in which the plan said it. */
#ifndef ASSAY_REPORT_UNPLANNED_H
#define ASSAY_REPORT_UNPLANNED_H

#include "assay/base/json.h"
#include "assay/model/hostfile.h"
#include "assay/model/plan.h"
#include "assay/model/reason.h"

/* What the hostfile says of the hosts of one platform: it is read once, however many steps are asked about. */
struct unplanned_hosts;
/* platform: as the plan calls it, which has the name that stands in the file where the hostfile names a file. usual: the platform
   of hosts that declare none; NULL. Lives in the arena. */
const struct unplanned_hosts *unplanned_hosts_of(struct arena *arena, const struct hostfile *hostfile,
                                                 const struct plan *plan, const char *usual,
                                                 const char *platform);
/* when: the step's condition. Returns NULL where the hostfile does not show which part of the condition does not hold. */
const struct reason *unplanned_why(const struct unplanned_hosts *hosts, const struct json *when);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A host of the hostfile as the remote layer takes it. */
#ifndef ASSAY_RUN_TARGET_H
#define ASSAY_RUN_TARGET_H

#include "assay/model/hostfile.h"
#include "assay/run/remote.h"

/* Points into the host. */
struct remote_target target_of(const struct host *host);

#endif

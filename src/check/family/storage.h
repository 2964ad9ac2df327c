/* SPDX-License-Identifier: Apache-2.0 */
/* What the checks of storage have in common. */
#ifndef ASSAY_CHECK_FAMILY_STORAGE_H
#define ASSAY_CHECK_FAMILY_STORAGE_H

#include "assay/check/check.h"

/* The i-th mount point that the hostfile declares (mounts=/data,/scratch), in the context's arena; NULL: there are no more. */
const char *storage_declared(const struct check_context *context, size_t i);
/* A gate where the suite has a limit for it, else recorded: there is no figure for storage that fits all. */
enum duty storage_duty(const struct check_context *context, const char *metric, const char *subject);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the checks of storage have in common. */
#ifndef ASSAY_CHECK_FAMILY_STORAGE_H
#define ASSAY_CHECK_FAMILY_STORAGE_H

#include "assay/check/check.h"

/* The i-th mount point that the hostfile declares (mounts=/data,/scratch), in the context's arena; NULL: there are no more. */
const char *storage_declared(const struct check_context *context, size_t i);

#endif

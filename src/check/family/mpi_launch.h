/* SPDX-License-Identifier: Apache-2.0 */
/* What check mpi-launch reads out of the values that its command collected. */
#ifndef ASSAY_CHECK_MPI_LAUNCH_H
#define ASSAY_CHECK_MPI_LAUNCH_H

#include "assay/check/check.h"

/* As the sentences as_on_the_others and all_answered have it. */
#define MPI_LAUNCH_ALIKE "as on the others"
#define MPI_LAUNCH_ALL "all answered"

/* "4 hosts": the subject of a launch of that size. */
const char *mpi_launch_size(struct arena *arena, size_t size);
void mpi_launch_read(const struct check_context *context, const struct attempt *attempt, struct reading *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* How the programs of Slurm are started here: what sessions and a broadcast have in common. */
#ifndef ASSAY_RUN_SLURM_PROGRAM_H
#define ASSAY_RUN_SLURM_PROGRAM_H

#include "arguments.h"

/* srun, with one task on each of the nodes, in that job; NULL: in the one that assay was started in, else in one of its own, of
   which the caller says more. */
void slurm_step_words(struct arguments *arguments, const char *job, const char *nodes, size_t count);
/* Our environment without options of Slurm. The array is the caller's, its rows are ours still. */
char **slurm_environment(void);

#endif

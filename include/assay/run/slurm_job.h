/* SPDX-License-Identifier: Apache-2.0 */
/* What the job does that assay asks for, where steps of it are the way to its hosts: nothing, but that on each of them a task waits for
   its end (cancelled, preempted, over), and then ends there what sessions of it began. */
#ifndef ASSAY_SLURM_JOB_H
#define ASSAY_SLURM_JOB_H

#include "assay/base/arena.h"

/* The text of its batch script. */
const char *slurm_job_script(struct arena *arena);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/run/slurm_job.h"

#include "assay/base/text.h"
#include "remote_scripts.h"

enum { SCRIPT_BYTES = 1 << 16 };

/* Words of the batch script's own environment would hold for srun. The step needs nothing of what the job has but the way to Slurm's
   commands. */
static const char step_words[] =
    "while :; do env -i PATH=\"$PATH\" SLURM_JOB_ID=\"$SLURM_JOB_ID\" ${SLURM_CONF:+\"SLURM_CONF=$SLURM_CONF\"} "
    "srun --overlap --gres=none --mem=0 --mpi=none --export=PATH --chdir=/ --quiet --input=none --output=none "
    "--cpu-bind=none --propagate=NONE --no-kill --kill-on-bad-exit=0 --nodes=\"$SLURM_JOB_NUM_NODES\" "
    "--ntasks=\"$SLURM_JOB_NUM_NODES\" --ntasks-per-node=1 --job-name=assay-watch /bin/sh -c ";

const char *slurm_job_script(struct arena *arena)
{
    struct text text;
    const char *script;

    text_init(&text, SCRIPT_BYTES);
    text_put(&text, step_words);
    text_shell_quote(&text, script_slurm_watch);
    text_put(&text, "; sleep 60; done &\nwhile sleep 10; do :; done");
    script = arena_strndup(arena, text.bytes, text.length);
    text_release(&text);
    return script;
}

# SPDX-License-Identifier: Apache-2.0
# A task on each host of a job that assay asked for, as long as the job is there: also where no controller and no session is, what
# sessions began ends with the job. Where Slurm itself ends all that a step began, there is nothing left to do.

. "$(dirname "$0")/slurm_end.sh"

# told_to_end: Slurm ends this step, which is the job's end only if the job says so: its srun may have died, or somebody cancelled the
# step. A job that is preempted may have a while yet. Where Slurm does not tell, nothing is ended.
told_to_end() {
    trap '' TERM
    while :; do
        if state=$(squeue --noheader --jobs="$SLURM_JOB_ID" --states=all --format=%T 2>&1); then
            # The last line: what is before it are warnings.
            case ${state##*"$newline"} in
            COMPLETING | COMPLETED | CANCELLED | FAILED | TIMEOUT | PREEMPTED | NODE_FAIL | OUT_OF_MEMORY | BOOT_FAIL | DEADLINE | REVOKED) end_job ;;
            esac
        else
            case $state in *'Invalid job id'*) end_job ;; esac
        fi
        sleep 3
    done
}

newline='
'
set +ax
exec 2>/dev/null
trap told_to_end TERM
# Short, as nobody may be left to end it: Slurm's signals can go round just before it begins.
while :; do sleep 10; done

# SPDX-License-Identifier: Apache-2.0
# A task on each host of a job that assay asked for, as long as the job is there: also where no controller and no session is, what
# sessions began ends with the job. Where Slurm itself ends all that a step began, there is nothing left to do.

. "$(dirname "$0")/slurm_end.sh"

set +ax
exec 2>/dev/null
trap end_job TERM
while :; do
    sleep 3600 &
    wait
done

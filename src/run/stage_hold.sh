# SPDX-License-Identifier: Apache-2.0
# usage: FILE. One task a host of the step that sbcast sends FILE to. Where the step ends before somebody has taken it (which a line
# "taken" on stdin says), it goes, however the step ends: stdin does, or Slurm says so.

leave() {
    trap '' TERM
    rm -f "$file"
    sleep 2 # what sbcast had sent already
    rm -f "$file"
    exit 0
}

file=$1
trap leave TERM
echo "@step $SLURM_JOB_ID.$SLURM_STEP_ID"
exec 3<&0
(read -r word <&3 && [ "$word" = taken ]) &
wait $! || leave

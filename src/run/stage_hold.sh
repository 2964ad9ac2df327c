# SPDX-License-Identifier: Apache-2.0
# usage: FILE. One task a host of the step that sbcast sends FILE to. Who takes it gives it another name; what has this one when the
# step ends goes, however it ends: stdin does, or Slurm says so. A line "sent" on stdin: no more comes.

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
(read -r word <&3 && [ "$word" = sent ]) &
wait $! || leave
rm -f "$file"

# SPDX-License-Identifier: Apache-2.0
# usage: NODES. Asks Slurm for one job with those of the nodes that nobody has, or that become free now, and holds it for as long as
# stdin is open: also a controller that is killed gives it back so. "@node NAME" for each of them, then "@job NUMBER".

# A job is given whole or not at all, so one node that stays in the epilog of another job would cost all of them theirs: it is
# waited for, but not for long.
for _ in $(seq 20); do
    states=$(sinfo --noheader --Node --nodes="$1" --format='%N %T') || exit
    case $states in *' completing'*) sleep 1 ;; *) break ;; esac
done
# A "planned" node is idle too: a waiting job may want it later, and the mark outlives that job.
free=$(printf '%s\n' "$states" | sed -n 's/ idle$//p; s/ planned$//p' | sort -u)
[ -n "$free" ] || { echo "none of the nodes is idle: $(printf '%s\n' "$states" | sort -u | head -n 3 | paste -s -d , -)" >&2; exit 1; }
printf '%s\n' "$free" | sed 's/^/@node /'
# shellcheck disable=SC2016 # the job's own number
exec salloc --quiet --exclusive --mem=0 --no-kill --time=60 --immediate=30 --job-name=assay --chdir=/ \
    --nodes="$(printf '%s\n' "$free" | wc -l)" --nodelist="$(printf '%s\n' "$free" | paste -s -d , -)" \
    /bin/sh -c 'echo "@job $SLURM_JOB_ID"; exec cat >/dev/null'

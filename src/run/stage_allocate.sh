# SPDX-License-Identifier: Apache-2.0
# usage: NODES. Asks Slurm for one job with those of the nodes that nobody has, or that become free now, and holds it for as long as
# stdin is open: also a controller that is killed gives it back so. "@node NAME" for each of them, then "@job NUMBER".

states=$(sinfo --noheader --Node --nodes="$1" --format='%N %T' | sort -u)
# A "planned" node is idle too: a waiting job may want it later, and the mark outlives that job.
free=$(printf '%s\n' "$states" | sed -n 's/ idle$//p; s/ planned$//p; s/ completing$//p')
[ -n "$free" ] || { echo "none of the nodes is idle: $(printf '%s\n' "$states" | head -n 3 | paste -s -d , -)" >&2; exit 1; }
printf '%s\n' "$free" | sed 's/^/@node /'
# shellcheck disable=SC2016 # the job's own number
exec salloc --quiet --exclusive --mem=0 --no-kill --time=60 --immediate=30 --job-name=assay --chdir=/ \
    --nodes="$(printf '%s\n' "$free" | wc -l)" --nodelist="$(printf '%s\n' "$free" | paste -s -d , -)" \
    /bin/sh -c 'echo "@job $SLURM_JOB_ID"; exec cat >/dev/null'

# SPDX-License-Identifier: Apache-2.0
# usage: ASSAY_ATTEMPT=UUID [gpu_burn=PROGRAM] [memory_mib=N] [pause_s=N] [rounds=N] sh beside.sh SECONDS PROGRAM...
# Runs PROGRAM while gpu_burn loads all GPUs of this host, at most SECONDS: it begins when each GPU does work, and gpu_burn is
# ended behind it. Of the ranks of one host the first looks after that; the others are the program, and wait for it where they
# wait for one another. gpu_burn is a function that assay puts before it and that replaces its shell; see gpu_burn.sh for its
# folder.
#
# What became of it is left as the text of a symbolic link, for whoever asks the host after the test (window_witness.sh):
# "loaded=yes gpu0=51234:0 gpu1=...", each GPU's last Gflop/s and the most errors that it had at once, -1 where it died;
# loaded: yes | late (it did no work in time) | ended (before the program did).
: "${gpu_burn=gpu_burn}" "${memory_mib:=8192}" "${pause_s:=1}" "${rounds:=120}"
seconds=$1
shift
[ "${OMPI_COMM_WORLD_LOCAL_RANK:-${SLURM_LOCALID:-0}}" = 0 ] || exec "$@"
# What it prints has no name in any folder: nothing is left of it, however this ends.
file=$(mktemp) || exit
exec 4>"$file"
rm -f "$file"
(
    if [ -n "$gpu_burn" ]; then
        p=$(unset -f gpu_burn; command -v "$gpu_burn") || exit 127
        cd "$(dirname "$(readlink -f "$p")")" || exit
    fi
    gpu_burn -tc -m "$memory_mib" "$seconds"
) >&4 2>&1 </dev/null 4>&- &
burn=$!
# gpu_burn forgets its errors at each summary: the most of all updates counts.
said() {
    tr '\r\t' '\n ' <"/proc/self/fd/4" | LC_ALL=C awk -F 'errors:' '
        /proc.d:/ && /temps:/ {
            split($1, front, "proc.d:"); split($2, back, "temps:")
            n = split(front[2], work, " - "); split(back[1], wrong, "- ")
            for (i = 1; i <= n; i++) {
                sub(/.*[(]/, "", work[i]); rate[i] = work[i] + 0
                if (wrong[i] + 0 < 0) most[i] = -1
                if (most[i] >= 0 && wrong[i] + 0 > most[i]) most[i] = wrong[i] + 0
            }
            if (n > seen) seen = n
        }
        END { for (i = 1; i <= seen; i++) printf " gpu%d=%.0f:%.0f", i - 1, rate[i], most[i] }'
}
runs() { kill -0 "$burn" 2>/dev/null; }
n=0
while words=$(said); case $words in *=0:* | '') true ;; *) false ;; esac; do
    if ! runs || [ "$n" -ge "$rounds" ]; then break; fi
    n=$((n + 1))
    sleep "$pause_s"
done
case $words in
*=0:* | '')
    loaded=late rc=75
    printf 'gpu_burn_idles_on_a_gpu\t%s\n' "$(tr '\r\t' '\n ' <"/proc/self/fd/4" | grep . | tail -n 1 | cut -c 1-200)" >&2
    ;;
*)
    "$@" 4>&-
    rc=$?
    if runs; then loaded=yes; else loaded=ended; fi
    ;;
esac
# Its children would only notice at their next word to it.
# shellcheck disable=SC2046 # several numbers
kill "$burn" $(ps -o pid= --ppid "$burn" 2>/dev/null) 2>/dev/null
wait "$burn" 2>/dev/null
ln -sfn "loaded=$loaded$(said)" "$ASSAY_LAB_ROOT/var/tmp/assay-beside-$ASSAY_ATTEMPT"
exit "$rc"

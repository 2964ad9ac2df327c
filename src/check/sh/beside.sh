# SPDX-License-Identifier: Apache-2.0
# usage: ASSAY_ATTEMPT=UUID [gpu_burn=PROGRAM] [memory_mib=N] [pause_s=N] [rounds=N] [every_s=N] sh beside.sh SECONDS PROGRAM...
# Runs PROGRAM while gpu_burn loads all GPUs of this host, at most SECONDS: it begins when each GPU does work, and gpu_burn is
# ended behind it. Of the ranks of one host the first looks after that; the others are the program, and wait for it where they
# wait for one another. gpu_burn is a function that assay puts before it and that replaces its shell; see gpu_burn.sh for its
# folder.
#
# What became of it is left as the text of a symbolic link, for whoever asks the host after the test (window_witness.sh):
# "loaded=yes gpu0=51234:0 gpu1=... watched=yes saw0=71:690:1410:0x24 saw1=...", of each GPU the mean Gflop/s while it did
# work, and the most errors that it had at once, -1 where it died; then what nvidia-smi saw of it, a line every so many
# seconds: its highest temperature and power, its lowest clock at work ("-": no number), and the reasons for a lower clock that
# it had in two lines or more of them, the lowest byte of what nvml.h has ("-": none was read; "untold": the driver has none). Of few lines one will do.
# loaded: yes | late (it did no work in time) | ended (before the program did); watched: yes | ended (fewer than half the lines).
: "${gpu_burn=gpu_burn}" "${memory_mib:=8192}" "${pause_s:=1}" "${rounds:=120}" "${every_s:=5}"
command -v nvidia_smi >/dev/null || nvidia_smi() { exec nvidia-smi "$@"; }
seconds=$1
shift
[ "${OMPI_COMM_WORLD_LOCAL_RANK:-${SLURM_LOCALID:-0}}" = 0 ] || exec "$@"
# What it prints has no name in any folder: nothing is left of it, however this ends.
file=$(mktemp) || exit
exec 4>"$file"
rm -f "$file"
file=$(mktemp) || exit
exec 5>"$file"
rm -f "$file"
(
    if [ -n "$gpu_burn" ]; then
        p=$(unset -f gpu_burn; command -v "$gpu_burn") || exit 127
        cd "$(dirname "$(readlink -f "$p")")" || exit
    fi
    gpu_burn -tc -m "$memory_mib" "$seconds"
) >&4 2>&1 </dev/null 4>&- 5>&- &
burn=$!
# Drivers before 535 know the reasons by their old name only.
(
    exec 4>&-
    r=clocks_event_reasons.active old=clocks_throttle_reasons.active
    knows() { (nvidia_smi --query-gpu="$1" --format=csv) >/dev/null 2>&1; }
    knows "$r" || ! knows "$old" || r=$old
    # One that ends is begun again: a day of slices is not undone by it.
    trap 'kill "$smi"; exit' TERM
    while true; do
        (nvidia_smi --query-gpu=index,temperature.gpu,power.draw,clocks.sm,utilization.gpu,$r --format=csv,noheader,nounits -l "$every_s") &
        smi=$!
        wait "$smi"
        sleep "$pause_s"
    done
) >&5 2>/dev/null </dev/null 5>&- &
watch=$!
# gpu_burn forgets its errors at each summary: the most of all updates counts.
said() {
    tr '\r\t' '\n ' <"/proc/self/fd/4" | LC_ALL=C awk -F 'errors:' '
        /proc.d:/ && /temps:/ {
            split($1, front, "proc.d:"); split($2, back, "temps:")
            n = split(front[2], work, " - "); split(back[1], wrong, "- ")
            for (i = 1; i <= n; i++) {
                sub(/.*[(]/, "", work[i])
                if (work[i] + 0 > 0) { sum[i] += work[i]; at_work[i]++ }
                if (wrong[i] + 0 < 0) most[i] = -1
                if (most[i] >= 0 && wrong[i] + 0 > most[i]) most[i] = wrong[i] + 0
            }
            if (n > seen) seen = n
        }
        END { for (i = 1; i <= seen; i++) printf " gpu%d=%.0f:%.0f", i - 1, at_work[i] ? sum[i] / at_work[i] : 0, most[i] }'
}
# A line that was cut when it was ended has no whole reason.
saw() {
    LC_ALL=C awk -F ', *' -v digits=0123456789abcdef -v every="$every_s" -v lasted="$1" <"/proc/self/fd/5" '
        NF == 6 && $1 ~ /^[0-9]+$/ && ($6 ~ /^0x[0-9a-fA-F]+$/ && length($6) == 18 || $6 ~ /[]]$/) {
            if ($1 + 1 > seen) seen = $1 + 1
            if ($2 ~ /^[0-9.]+$/ && (!($1 in hot) || $2 + 0 > hot[$1])) hot[$1] = $2 + 0
            if ($3 ~ /^[0-9.]+$/ && (!($1 in power) || $3 + 0 > power[$1])) power[$1] = $3 + 0
            if ($4 ~ /^[0-9.]+$/ && $5 + 0 >= 50 && (!($1 in clock) || $4 + 0 < clock[$1])) clock[$1] = $4 + 0
            lines[$1]++
            if ($6 ~ /^0x/) {
                told[$1]++
                low = 16 * (index(digits, substr(tolower($6), 17, 1)) - 1) + index(digits, substr(tolower($6), 18, 1)) - 1
                if ($5 + 0 >= 50) at_work[$1]++
                for (bit = 1; bit <= 128; bit *= 2) if ($5 + 0 >= 50) had[$1, bit] += int(low / bit) % 2
            }
        }
        function number(of, i) { return i in of ? sprintf("%.0f", of[i]) : "-" }
        END {
            least = seen ? lines[0] + 0 : 0
            for (i = 1; i < seen; i++) if (lines[i] + 0 < least) least = lines[i] + 0
            printf " watched=%s", ((least + 2) * 2 * every >= lasted) ? "yes" : "ended"
            for (i = 0; i < seen; i++)
                for (bit = 1; bit <= 128; bit *= 2)
                    if (had[i, bit] > (at_work[i] >= 8)) why[i] += bit
            for (i = 0; i < seen; i++)
                printf " saw%d=%s:%s:%s:%s", i, number(hot, i), number(power, i), number(clock, i), at_work[i] ? sprintf("0x%x", why[i]) : told[i] || !lines[i] ? "-" : "untold"
        }'
}
runs() { kill -0 "$1" 2>/dev/null; }
n=0
while words=$(said); case $words in *=0:* | '') true ;; *) false ;; esac; do
    if ! runs "$burn" || [ "$n" -ge "$rounds" ]; then break; fi
    n=$((n + 1))
    sleep "$pause_s"
done
case $words in
*=0:* | '')
    loaded=late rc=75
    printf 'gpu_burn_idles_on_a_gpu\t%s\n' "$(tr '\r\t' '\n ' <"/proc/self/fd/4" | grep . | tail -n 1 | cut -c 1-200)" >&2
    ;;
*)
    began=$(date +%s)
    "$@" 4>&- 5>&-
    rc=$?
    lasted=$(($(date +%s) - began))
    if runs "$burn"; then loaded=yes; else loaded=ended; fi
    ;;
esac
# Children would only notice at their next word to who is gone. What hangs in the driver is not waited for: the guard sweeps it.
# shellcheck disable=SC2046 # several numbers
kill "$burn" "$watch" $(ps -o pid= --ppid "$burn" 2>/dev/null) 2>/dev/null
wait "$burn" 2>/dev/null
ln -sfn "loaded=$loaded$(said)$(saw "${lasted:-0}")" "$ASSAY_LAB_ROOT/var/tmp/assay-beside-$ASSAY_ATTEMPT"
exit "$rc"

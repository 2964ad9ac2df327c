# SPDX-License-Identifier: Apache-2.0
# usage: [cool_below_c=N] [idle_rounds=N] [cool_rounds=N] [pause_s=N] sh window_gpus.sh
# nvidia-smi -q -x, asked again as long as somebody computes on a GPU (what has just ended may still be listed, others
# are not waited for), at most idle_rounds times; or as a GPU at rest is warmer than cool_below_c, at most cool_rounds
# times. The last answer is printed, and its exit status is that of the script.
. "$(dirname "$0")/nvidia_smi.sh"
: "${cool_below_c:=0}" "${idle_rounds:=3}" "${cool_rounds:=0}" "${pause_s:=5}"
n=0
while x=$(nvidia_smi -q -x); rc=$?; n=$((n + 1))
    printf '%s\n' "$x" | awk -v n=$n -v cool="$cool_below_c" -v idle_rounds="$idle_rounds" -v cool_rounds="$cool_rounds" '
        /<type>.*C/ { busy = 1 }
        /<gpu_temp>/ { gsub(/[^0-9]/, ""); if ($0 + 0 > cool + 0) hot = 1 }
        END { exit !(busy ? n <= idle_rounds + 0 : hot && n <= cool_rounds + 0) }'
do sleep "$pause_s"; done
printf '%s\n' "$x"
exit $rc

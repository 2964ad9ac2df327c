# SPDX-License-Identifier: Apache-2.0
# usage: [cool_below_c=N] [idle_cs=N] [cool_cs=N] [pause_s=N] sh window_gpus.sh
# nvidia-smi -q -x, asked again as long as somebody computes on a GPU (what has just ended may still be listed, others
# are not waited for), for idle_cs hundredths of a second; or as a GPU at rest is warmer than cool_below_c, for cool_cs.
# The last answer is printed, and its exit status is that of the script.
. "$(dirname "$0")/nvidia_smi.sh"
: "${cool_below_c:=0}" "${idle_cs:=1500}" "${cool_cs:=0}" "${pause_s:=5}"
# clock: hundredths of a second of uptime, in $now
clock() { read -r now _ </proc/uptime; now=${now%.*}${now#*.}; }
clock
begun=$now
while x=$(nvidia_smi -q -x); rc=$?; clock
    printf '%s\n' "$x" | awk -v waited=$((now - begun)) -v cool="$cool_below_c" -v idle_cs="$idle_cs" -v cool_cs="$cool_cs" '
        /<type>.*C/ { busy = 1 }
        /<gpu_temp>/ { gsub(/[^0-9]/, ""); if ($0 + 0 > cool + 0) hot = 1 }
        END { exit !(busy ? waited < idle_cs + 0 : hot && waited < cool_cs + 0) }'
do sleep "$pause_s"; done
printf '%s\n' "$x"
exit $rc

# SPDX-License-Identifier: Apache-2.0
# What both guards share. The text is sent over stdin, so nothing is installed on the host.
# Lines that are only a comment, and indentation, do not travel.

# uptime_now: seconds since boot in $now
# shellcheck disable=SC2034 # for who calls it
uptime_now() { read -r now _ </proc/uptime; }

# boot_now: this boot's id in $boot; a simulated host keeps its own in a file
# shellcheck disable=SC2034 # for who calls it
boot_now() { { read -r boot <"${ASSAY_LAB_BOOT_ID:-/proc/sys/kernel/random/boot_id}"; } 2>/dev/null || boot=unknown; }

# centiseconds NOW: in $cs; the 1 keeps "08" from being octal
centiseconds() { cs=$((${1%.*} * 100 + 1${1#*.} - 100)); }

# judge RC BEGAN ENDED DEADLINE: $why and $rc. 124 and 137 are a deadline only when the time was really over:
# a tool may exit with them too. Only the signals 1..31 count as such: tools return 200 and more as errors.
# shellcheck disable=SC2034 # for who calls it
judge() {
    why=exit rc=$1
    centiseconds "$2"; began_cs=$cs
    centiseconds "$3"
    if { [ "$rc" = 124 ] || [ "$rc" = 137 ]; } && [ $((cs - began_cs)) -ge $(($4 * 100 - 5)) ]; then
        why=deadline
    elif [ "$rc" -gt 128 ] && [ "$rc" -lt 160 ]; then
        why=signal rc=$((rc - 128))
    fi
}

# marked: the pids that carry $mark in their environment. grep exits 2 for a plain user even when it matches, and
# zombies have no environment.
marked() {
    pids=''
    # shellcheck disable=SC2013,SC2154 # no path of these has a blank; who calls it has set the mark
    for f in $(grep -lzxF "$mark" /proc/[0-9]*/environ 2>/dev/null); do
        f=${f#/proc/}
        pids="$pids ${f%/environ}"
    done
}

# describe PID: adds PID/STATE/NAME to $left
describe() {
    name=gone state=
    while read -r key value _; do
        case $key in
        Name:) name=$value ;;
        State:) state=$value; break ;;
        esac
    done 2>/dev/null <"/proc/$1/status"
    [ -n "$state" ] && left="$left${left:+,}$1/$state/$name"
}

# sweep SECONDS: kills what carries the mark until none is left; $left names what could not be ended
sweep() {
    left='' round=0
    while marked; [ -n "$pids" ]; do
        # shellcheck disable=SC2086 # words
        kill -s KILL $pids 2>/dev/null
        round=$((round + 1))
        [ "$round" -gt $(($1 * 5)) ] && break
        [ "$round" -gt 1 ] && sleep 0.2
    done
    for pid in $pids; do describe "$pid"; done
}

# SPDX-License-Identifier: Apache-2.0
# usage: sh window_log_start.sh, as root
# The stamp of the last line of the kernel's log; nothing where no line has one. The kernel's own stamps drift from
# /proc/uptime by minutes in months, so a window begins behind the last line that was there before, by the same clock.
log=$(dmesg) && printf '%s\n' "$log" | awk -F'[][]' '$1 == "" && $2 ~ /^ *[0-9]+[.][0-9]+$/ { s = $2 } END { print s }'

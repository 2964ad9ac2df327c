# SPDX-License-Identifier: Apache-2.0
# usage: since=STAMP sh window_log.sh, as root
# What the kernel has logged since. Exit status 3, which is not "nothing", where that cannot be told: an empty log (a
# container, or rights taken away silently), one without stamps, and one whose oldest line is younger than the window,
# so that lines of the window are gone.
: "${since=}"
log=$(dmesg) && [ -n "$log" ] || exit 3
printf '%s\n' "$log" | awk -F'[][]' -v since="$since" '
    $1 == "" && $2 ~ /^ *[0-9]+[.][0-9]+$/ { if (!n++) first = $2 + 0; new = $2 + 0 > since + 0 }
    new
    END { exit !n || (since != "" && first > since + 0) ? 3 : 0 }'

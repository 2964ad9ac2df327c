# SPDX-License-Identifier: Apache-2.0
# usage: sh xid_log.sh, as root
# What the kernel has logged since boot. The ring that dmesg shows turns over on a talkative host: its oldest line is then
# none of the boot's first second. What it lost stands in the journal of this boot, where that reaches back and does not
# say itself that lines passed it by; of that only the first line and those of GPUs and switches, for it may be long.
from_boot() {
    awk -F'[][]' '/Linux version / { early = 1; exit }
        $1 == "" && $2 ~ /^ *[0-9]+[.][0-9]+$/ { early = $2 < 1; exit }
        END { exit !early }'
}
journal() {
    journalctl -k -b -q --no-pager -o short-monotonic 2>/dev/null |
        awk 'NR == 1 || /Xid|NVRM|nvidia-nvswitch/'
}
missed_lines() { journalctl -b -q --no-pager -o cat _TRANSPORT=driver 2>/dev/null | grep -q 'Missed .* kernel messages'; }

log=$(dmesg) || exit
if ! printf '%s\n' "$log" | from_boot; then
    kept=$(journal)
    if printf '%s\n' "$kept" | from_boot && ! missed_lines; then log=$kept; fi
fi
printf '%s\n' "$log"

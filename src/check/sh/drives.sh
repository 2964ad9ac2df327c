# SPDX-License-Identifier: Apache-2.0
# usage: sh drives.sh, as root
# What each NVMe drive says of its own health, as rows of key-value: how many there are; of each its critical warning, as
# a decimal number, and its media errors, or why it did not say. A drive that hangs is waited for 10 s.
. "$(dirname "$0")/key_value.sh"

# number FIELD: of a smart-log, also "0x4" and "1,234".
number() {
    n=$(printf '%s\n' "$log" | sed -n "s/^$1[[:space:]]*:[[:space:]]*\([0-9][0-9a-fA-Fx,]*\).*/\1/p" | tr -d ,)
    case $n in 0x?*) n=$((n)) ;; esac
    printf '%s\n' "$n"
}
cd "$ASSAY_LAB_ROOT/sys/class" || exit
found=0
for drive in nvme/nvme*[0-9]; do
    drive=${drive#nvme/}
    case $drive in *[*]*) continue ;; esac
    found=$((found + 1))
    log=$(LC_ALL=C timeout -k 1 10 nvme smart-log "/dev/$drive" 2>&1)
    rc=$? warning=$(number critical_warning) media=$(number media_errors)
    if [ $rc -eq 0 ] && [ -n "$warning" ] && [ -n "$media" ]; then
        put nvme.warning "$drive" "$warning"
        put nvme.media_errors "$drive" "$media"
    else
        log=$(printf '%s\n' "$log" | first)
        lack nvme.warning "$drive" "nvme smart-log: ${log:-it printed nothing}, exit status $rc"
    fi
done
put nvme.drives '' $found
echo 'key-value end'

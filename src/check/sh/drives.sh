# SPDX-License-Identifier: Apache-2.0
# usage: sh drives.sh, as root
# What each NVMe drive says of its own health, as rows of key-value: its critical warning and its media errors, or why it
# did not say, and how many there are. A drive that hangs is waited for 10 s.
cd "$ASSAY_LAB_ROOT/sys/class" || exit
for drive in nvme/nvme*[0-9]; do
    drive=${drive#nvme/}
    case $drive in *[*]*) continue ;; esac
    echo "== $drive"
    LC_ALL=C timeout -k 1 10 nvme smart-log "/dev/$drive" 2>&1
    echo "== ended $?"
done | awk '
    # "4", "0x4", "1,234"
    function number(text, n, i) {
        gsub(/,/, "", text)
        if (text !~ /^0x/) return text
        for (i = 3; i <= length(text); i++) n = n * 16 + index("0123456789abcdef", tolower(substr(text, i, 1))) - 1
        return n
    }
    /^== ended / {
        if ($3 == 0 && warning != "" && media != "") {
            print "nvme.warning\t" drive "\t" warning
            print "nvme.media_errors\t" drive "\t" media
        } else if (first != "") print "nvme.warning\t" drive "\t\tsmart_log_failed\t" first "\t" $3
        else print "nvme.warning\t" drive "\t\tsmart_log_printed_nothing\t" $3
        next
    }
    /^== nvme/ { drive = $2; first = warning = media = ""; drives++; next }
    first == "" { first = $0; gsub(/\t/, " ", first) }
    /^(critical_warning|media_errors)[ \t]*:[ \t]*[0-9][0-9a-fA-Fx,]*/ {
        split($0, part, /[ \t]*:[ \t]*/)
        sub(/[^0-9a-fA-Fx,].*/, "", part[2])
        if (part[1] == "media_errors") media = number(part[2]); else warning = number(part[2])
    }
    END { print "nvme.drives\t\t" drives + 0; print "key-value end" }'

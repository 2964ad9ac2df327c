# SPDX-License-Identifier: Apache-2.0
# usage: sh pcie_hcas.sh HCA...
# Speed and width of each HCA's link, what its device could do, and what the port above it could, that of a switch or of
# the CPU that its slot is joined to; as rows of key-value. Without a process for each file, which are many.
. "$(dirname "$0")/key_value.sh"

for h in "$@"; do
    for what in speed width; do
        for row in link_$what:current_link_$what link_${what}_max:max_link_$what slot_${what}_max:../max_link_$what; do
            f="$ASSAY_LAB_ROOT/sys/class/infiniband/$h/device/${row#*:}"
            if { read -r value <"$f"; } 2>/dev/null && [ -n "$value" ]; then put "pcie.${row%%:*}" "$h" "$value"
            else lack "pcie.${row%%:*}" "$h" file_not_readable "$f"; fi
        done
    done
done
put pcie.hcas '' $#
echo 'key-value end'

# SPDX-License-Identifier: Apache-2.0
# usage: sh window_hardware.sh
# The kernel's own error counters, as rows of key-value: AER of PCIe devices, EDAC of memory controllers. First how many
# have such counters; then only what is not zero, for a host has hundreds: what is not there counts from zero.
cd "$ASSAY_LAB_ROOT/" || exit
count() { printf '%s\t\t%s\n' "$1" "$(find -L "$2" -mindepth 2 -maxdepth 2 -name "$3" 2>/dev/null | wc -l)"; }
count aer.devices sys/bus/pci/devices aer_dev_correctable
count edac.controllers sys/devices/system/edac/mc ce_count
for row in correctable:COR nonfatal:NONFATAL fatal:FATAL; do
    grep -sH "^TOTAL_ERR_${row#*:} [1-9]" sys/bus/pci/devices/*/aer_dev_"${row%:*}" |
        awk -F'[/ ]' -v name="aer.${row%:*}" '{ print name "\t" $5 "\t" $NF }'
done
for c in ce ue; do
    grep -sH '^[1-9]' sys/devices/system/edac/mc/mc[0-9]*/${c}_count |
        awk -F'[/:]' -v name="edac.$c" '{ print name "\t" $6 "\t" $NF }'
done
echo 'key-value end'

# SPDX-License-Identifier: Apache-2.0
# usage: sh window_hardware.sh
# The kernel's own error counters, as rows of key-value: AER of PCIe devices, EDAC of memory controllers. First how many
# have such counters; then only what is not zero, for a host has hundreds: what is not there counts from zero. Exit status
# 3, and no closing line, where something could not be asked: an empty answer is one only when its status says so. One program
# for all of them: this is asked before and after every test.
cd "$ASSAY_LAB_ROOT/" || exit
line='
'
# count NAME FOLDER FILE: what cannot be listed is not none
count() {
    all=
    if [ -d "$2" ]; then all=$(find -L "$2" -mindepth 2 -maxdepth 2 -name "$3") || [ -n "$all" ] || exit 3; fi
    # shellcheck disable=SC2086 # words
    set -- "$1" $all
    printf '%s\t\t%s\n' "$1" $(($# - 1))
}
count aer.devices sys/bus/pci/devices aer_dev_correctable
count edac.controllers sys/devices/system/edac/mc ce_count
# Of AER the sums, of EDAC the whole file; grep says 1 for none, and 2 for a file that cannot be read or is not there.
found=$(grep -sHE '^(TOTAL_ERR_(COR|NONFATAL|FATAL) )?[1-9]' sys/bus/pci/devices/*/aer_dev_correctable \
    sys/bus/pci/devices/*/aer_dev_nonfatal sys/bus/pci/devices/*/aer_dev_fatal \
    sys/devices/system/edac/mc/mc[0-9]*/ce_count sys/devices/system/edac/mc/mc[0-9]*/ue_count)
[ $? -le 2 ] || exit 3
IFS=$line
for row in $found; do
    device=${row%/*} file=${row##*/}
    case ${file%%:*} in
    aer_dev_*) name=aer.${file#aer_dev_} ;;
    *) name=edac.${file%_count:*} ;;
    esac
    printf '%s\t%s\t%s\n' "${name%%:*}" "${device##*/}" "${row##*[: ]}"
done
echo 'key-value end'

# SPDX-License-Identifier: Apache-2.0
# usage: sh window_hardware.sh
# The kernel's own error counters, as rows of key-value: AER of PCIe devices, EDAC of memory controllers. First how many
# have such counters; then only what is not zero, for a host has hundreds: what is not there counts from zero. Exit status
# 3, and no closing line, where something could not be asked: an empty answer is one only when its status says so.
cd "$ASSAY_LAB_ROOT/" || exit
line='
'
count() {
    all=
    if [ -d "$2" ]; then all=$(find -L "$2" -mindepth 2 -maxdepth 2 -name "$3" -exec echo {} +) || [ -n "$all" ] || exit 3; fi
    # shellcheck disable=SC2086 # words
    set -- "$1" $all
    printf '%s\t\t%s\n' "$1" $(($# - 1))
}
# rows NAME WORD FILE...: of those lines that begin with the word and a number that is not zero; grep says 1 for none, and 2
# for a file that cannot be read or is not there.
rows() {
    name=$1 word=$2
    shift 2
    found=$(grep -sH "^${word}[1-9]" "$@")
    [ $? -le 2 ] || exit 3
    IFS=$line
    for row in $found; do
        device=${row%/*}
        printf '%s\t%s\t%s\n' "$name" "${device##*/}" "${row##*[: ]}"
    done
    unset IFS
}
count aer.devices sys/bus/pci/devices aer_dev_correctable
count edac.controllers sys/devices/system/edac/mc ce_count
for row in correctable:COR nonfatal:NONFATAL fatal:FATAL; do
    rows "aer.${row%:*}" "TOTAL_ERR_${row#*:} " sys/bus/pci/devices/*/aer_dev_"${row%:*}"
done
rows edac.ce '' sys/devices/system/edac/mc/mc[0-9]*/ce_count
rows edac.ue '' sys/devices/system/edac/mc/mc[0-9]*/ue_count
echo 'key-value end'

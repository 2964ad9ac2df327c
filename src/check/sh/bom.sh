# SPDX-License-Identifier: Apache-2.0
# usage: sh bom.sh
# What processors, disks and NVSwitches the host has, as rows of key-value. The other parts of check bom are plain commands.
. "$(dirname "$0")/key_value.sh"

# shellcheck disable=SC2317 # `take` calls it
cpu() { lscpu | sed -n "s/^$1: *//p"; }
take cpu.model_name '' cpu 'Model name'
take cpu.logical '' cpu 'CPU(s)'
take cpu.sockets '' cpu 'Socket(s)'
take numa.nodes '' cpu 'NUMA node(s)'
if disks=$(lsblk -d -n -b -P -o NAME,TYPE,SIZE,MODEL,SERIAL 2>/dev/null); then
    put disk.read '' yes
    printf '%s\n' "$disks" | awk -F'"' '$4 == "disk" {
        print "disk.model\t" $2 "\t" $8; print "disk.size\t" $2 "\t" $6 " B"
        print "disk.serial\t" $2 "\t" $10 }'
else untabbed "$(lsblk 2>&1 >/dev/null)"; lack nvme.kinds '' "$first"; fi
# Those that are devices of this host; switches of an NVL72 stand in trays of their own.
for file in "$ASSAY_LAB_ROOT"/proc/driver/nvidia-nvswitch/devices/*/information; do
    [ -e "$file" ] || continue
    device=${file%/information}
    take nvswitch.firmware "${device##*/}" sed -n 's/^BIOS Version: *//p' "$file"
done
echo 'key-value end'

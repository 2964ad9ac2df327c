# SPDX-License-Identifier: Apache-2.0
# usage: sh os.sh, as the user whose settings are asked for
# Clock, versions, limits and settings of the operating system, as rows of key-value.
. "$(dirname "$0")/key_value.sh"
. "$(dirname "$0")/memlock.sh"

file() { take "$1" '' cat "$ASSAY_LAB_ROOT$2"; }

take os.clock '' date +%s.%N
take os.clock_synchronized '' timedatectl show -p NTPSynchronized --value

take os.kernel '' uname -r
take os.architecture '' uname -m
# PRETTY_NAME may be left out: os-release(5).
release() { sed -n "s/^$1=[\"']\{0,1\}\([^\"']*\).*/\1/p" "$ASSAY_LAB_ROOT"/etc/os-release; }
# shellcheck disable=SC2317 # `take` calls it
release_name()
{
    pretty=$(release PRETTY_NAME) || return
    name=$(release NAME) version=$(release VERSION_ID)
    echo "${pretty:-$name${version:+ $version}}"
}
take os.release '' release_name
file os.command_line /proc/cmdline
file bios.vendor /sys/class/dmi/id/bios_vendor
file bios.version /sys/class/dmi/id/bios_version
file bios.date /sys/class/dmi/id/bios_date
# Of a BMC whose driver is loaded.
for d in "$ASSAY_LAB_ROOT"/sys/devices/platform/ipmi_bmc.*; do
    [ ! -r "$d/firmware_revision" ] || take bmc.firmware '' cat "$d/firmware_revision"
done
for d in "$ASSAY_LAB_ROOT"/sys/class/infiniband/*; do
    [ ! -r "$d/fw_ver" ] || take nic.firmware "${d##*/}" cat "$d/fw_ver"
done

take os.memlock '' memlock
take os.open_files '' limit 'Max open files'

# Where the kernel scales no clocks (firmware does, or a hypervisor), there is no governor to differ.
cpu="$ASSAY_LAB_ROOT"/sys/devices/system/cpu
# shellcheck disable=SC2317 # `take` calls it
governors() { cat "$cpu"/cpu[0-9]*/cpufreq/scaling_governor | sort -u | paste -s -d ' ' -; }
if [ -d "$cpu/cpu0" ] && [ ! -e "$cpu/cpu0/cpufreq" ]; then put os.governor '' none; else take os.governor '' governors; fi
# A kernel that was built without it balances nothing.
kernel="$ASSAY_LAB_ROOT"/proc/sys/kernel
if [ -e "$kernel/osrelease" ] && [ ! -e "$kernel/numa_balancing" ]; then put os.numa_balancing '' none
else file os.numa_balancing /proc/sys/kernel/numa_balancing; fi
take os.transparent_hugepages '' sed 's/.*\[\(.*\)\].*/\1/' "$ASSAY_LAB_ROOT"/sys/kernel/mm/transparent_hugepage/enabled
for row in HugePages_Total:os.hugepages SwapTotal:os.swap; do
    take "${row#*:}" '' sed -n "s/^${row%:*}: *//p" "$ASSAY_LAB_ROOT"/proc/meminfo
done
echo 'key-value end'

# SPDX-License-Identifier: Apache-2.0
# usage: sh md_raid.sh
# Whether this kernel has arrays of drives (md) at all, as rows of key-value: where it has none, there is no /proc/mdstat.
. "$(dirname "$0")/key_value.sh"

proc="$ASSAY_LAB_ROOT"/proc
if [ -e "$proc/mdstat" ]; then put md.driver '' loaded
elif [ -e "$proc/sys/kernel/osrelease" ]; then put md.driver '' none
else lack md.driver '' file_not_readable /proc; fi
echo 'key-value end'

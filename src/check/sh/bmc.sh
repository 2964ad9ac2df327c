# SPDX-License-Identifier: Apache-2.0
# usage: [ipmitool=PROGRAM] sh bmc.sh, as root
# The host's clock and the BMC's, its event log, power supplies, fans and firmware. What ipmitool complains of is the answer; its exit status adds
# nothing to that.
: "${ipmitool:=ipmitool}"
# The function of that name, which assay puts before it, is always there.
(unset -f ipmitool; command -v "$ipmitool") >/dev/null || { echo 'ipmitool: not found'; exit 0; }
echo "host clock $(date -u +%Y-%m-%dT%H:%M:%S)"
{
    ipmitool sel time get && ipmitool sel info && ipmitool sel elist &&
        ipmitool sdr type 'Power Supply' && ipmitool sdr type Fan && ipmitool mc info
} 2>&1
true

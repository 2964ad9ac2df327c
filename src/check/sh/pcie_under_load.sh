# SPDX-License-Identifier: Apache-2.0
# usage: sh pcie_under_load.sh
# nvidia-smi -q -x when every GPU works, or ten seconds later: gpu_burn takes its time to start.
. "$(dirname "$0")/nvidia_smi.sh"
i=0
while [ $i -lt 50 ] && nvidia_smi --query-gpu=utilization.gpu --format=csv,noheader,nounits | grep -qx 0; do
    sleep 0.2
    i=$((i + 1))
done
nvidia_smi -q -x

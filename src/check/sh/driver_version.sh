# SPDX-License-Identifier: Apache-2.0
# driver_version NAME: the version of NVIDIA's driver, as a row of key-value; needs key_value.sh. A driver that is not loaded has no
# such file; whether one is installed nvidia-smi knows, which comes with it.
driver=$ASSAY_LAB_ROOT/proc/driver/nvidia/version
# shellcheck disable=SC2317 # `take` calls it
loaded() { sed -n 's/^NVRM version:.*Kernel Module[^.]* \([0-9][0-9]*\.[0-9][0-9.]*\) .*/\1/p' "$driver"; }
driver_version()
{
    if [ -e "$driver" ]; then take "$1" '' loaded
    elif command -v nvidia-smi >/dev/null; then take "$1" '' timeout 60 nvidia-smi --query-gpu=driver_version --format=csv,noheader
    else put "$1" '' 'not installed'; fi
}

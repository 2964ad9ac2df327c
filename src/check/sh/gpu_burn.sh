# SPDX-License-Identifier: Apache-2.0
# usage: [gpu_burn=PROGRAM] sh gpu_burn.sh [FLAG...] SECONDS
# gpu_burn looks for compare.ptx in its working folder, so it runs where it lies. Where the suite names a folder, gpu_burn
# is empty, and the function of that name, which assay puts before it, goes there.
if [ -n "${gpu_burn=gpu_burn}" ]; then
    p=$(unset -f gpu_burn; command -v "$gpu_burn") || exit 127
    cd "$(dirname "$(readlink -f "$p")")" || exit
fi
gpu_burn "$@"

# SPDX-License-Identifier: Apache-2.0
# usage: ASSAY_ATTEMPT=UUID folder=/data [kib=N] [layout=-F] [transfer=1m] [block=1g] [seconds=30] [further=2] sh storage_ior.sh [FLAG...]
# Three runs of IOR over all hosts, in their text form: all ranks write for so many seconds at most, until each has written as much as
# the fastest; then each reads what a rank of the next host wrote; then of the host that is `further` hosts on, and compares it. IOR
# counts hosts round: of two hosts the second one on is the reader itself, which would compare its own memory.
#
# IOR takes a number (-G) into all that it writes, here the attempt's: what others left there does not look right.
#
# Of the launcher assay puts a function before it:
#   ior WORDS...   starts it on all ranks
. "$(dirname "$0")/storage_parallel.sh"
: "${layout=-F}" "${transfer:=1m}" "${block:=1g}" "${seconds:=30}" "${further:=2}"
run() {
    # shellcheck disable=SC2086 # a flag, or nothing
    ior -a POSIX $layout -t "$transfer" -b "$block" -k -G $((0x${ASSAY_ATTEMPT%%-*} % 2147483647 + 1)) \
        -o "$dir/data" -O stoneWallingStatusFile="$dir/written" "$@"
}
run -w -e -D "$seconds" -O stoneWallingWearOut=1 "$@" &&
    run -r -C -Q 1 "$@" &&
    run -r -R -C -Q "$further" "$@"

# SPDX-License-Identifier: Apache-2.0
# usage: [nccl_program=all_reduce_perf] [interfaces=yes] sh launch_ask.sh HOST
# What the hosts of a launch must have alike, as rows of key-value with the subject HOST. The last of them is
# launch.asked: without it the questions did not come to their end.
. "$(dirname "$0")/key_value.sh"
. "$(dirname "$0")/memlock.sh"
: "${nccl_program:=all_reduce_perf}" "${interfaces:=}"

# What nccl-tests is linked with; a static one holds the library itself.
nccl_file() {
    if program=$(command -v "$nccl_program"); then
        file=$(ldd "$program" 2>/dev/null | sed -n 's/.*libnccl\.so[.0-9]* => \(\/[^ ]*\).*/\1/p')
        echo "${file:-$program}"
    else ldconfig -p | sed -n 's/.*libnccl\.so\.2 .*=> //p' | head -n 1; fi
}
# shellcheck disable=SC2317 # `take` calls it
nccl() {
    file=$(nccl_file)
    [ -n "$file" ] || { echo no_nccl_there >&2; return 1; }
    grep -aom1 'NCCL version [0-9][0-9.]*' "$file" | head -n 1 | sed 's/NCCL version //'
}
# As the check reachable knows it: its boot and its network.
# shellcheck disable=SC2317 # `take` calls it
machine() {
    read -r boot <"${ASSAY_LAB_BOOT_ID:-/proc/sys/kernel/random/boot_id}" &&
        echo "$boot $(readlink /proc/self/ns/net || echo no network namespaces)"
}
take launch.machine "$1" machine
take launch.nccl_version "$1" nccl
take launch.nccl_path "$1" nccl_file
take launch.memlock "$1" memlock
take launch.hostname "$1" hostname
# shellcheck disable=SC2317 # `take` calls it
addresses() { ip -o addr show scope global | awk '{ printf "%s %s ", $2, $4 }'; }
[ -z "$interfaces" ] || take launch.addresses "$1" addresses
put launch.asked "$1" yes

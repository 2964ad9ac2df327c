# SPDX-License-Identifier: Apache-2.0
# Functions of scripts: `limit WHAT` of /proc/self/limits, and `memlock`: "unlimited", "unlimited (CAP_IPC_LOCK)" or
# "65536 bytes".

limit() {
    awk -v what="$1" 'index($0, what) == 1 { sub(what " *", ""); print $1 }' "$ASSAY_LAB_ROOT"/proc/self/limits
}
# A process that may lock memory whatever the limit (root) is not bound by it: bit 14 of CapEff.
# shellcheck disable=SC2317 # `take` calls it
memlock() {
    soft=$(limit 'Max locked memory')
    case $soft in
    '') echo no_such_line_in_limits >&2; return 1 ;;
    unlimited) echo unlimited; return ;;
    esac
    case $(awk '$1 == "CapEff:" { print substr($2, length($2) - 3, 1) }' "$ASSAY_LAB_ROOT"/proc/self/status) in
    [4-7c-f]) echo 'unlimited (CAP_IPC_LOCK)' ;;
    *) echo "$soft bytes" ;;
    esac
}

# SPDX-License-Identifier: Apache-2.0
# usage: [folder_count=N] [gpus=yes] [names=yes] [own=NAME] sh setup.sh [FOLDER...] [NAME...]
# What a login finds on the host, as rows of key-value: space in the first folder_count arguments, open files, whether
# processes outlive a login; with gpus, how many GPUs nvidia-smi lists; with names, whether the other arguments lead to
# other hosts, and where own, the host's own name, leads to. By hand:
#     folder_count=1 names=yes sh setup.sh /var/tmp node1 node2
. "$(dirname "$0")/key_value.sh"
. "$(dirname "$0")/memlock.sh"
. "$(dirname "$0")/nvidia_smi.sh"
: "${folder_count:=0}" "${gpus:=}" "${names:=}" "${own:=}"
# Seconds for all names at once, or for all one by one; for one of them.
ALL_WITHIN_S=30 NAME_WITHIN_S=5

# shellcheck disable=SC2317 # `take` calls them
free() { df -Pk "$1" | awk 'NR == 2 { printf "%d\n", $4 / 1024 }'; }
# A file system that makes inodes as it needs them says 0 or - of all.
# shellcheck disable=SC2317
inodes() { df -Pi "$1" | awk 'NR == 2 { print ($2 + 0 == 0 ? "any" : $4) }'; }
folder() {
    take setup.free "$1" free "$1"
    take setup.inodes "$1" inodes "$1"
    if [ -w "$1" ]; then put setup.writable "$1" yes; else put setup.writable "$1" no; fi
}
while [ "$folder_count" -gt 0 ]; do
    folder "$1"
    folder_count=$((folder_count - 1))
    shift
done

take setup.open_files '' limit 'Max open files'
# systemd may end what outlives its login: then a test ends with its connection.
# shellcheck disable=SC2317 # `take` calls it
lingering() {
    [ -d "$ASSAY_LAB_ROOT"/run/systemd/system ] || { echo no; return; }
    told=$(busctl get-property org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager KillUserProcesses 2>&1)
    case $told in 'b false') echo no ;; 'b true') echo yes ;; *) echo "$told" >&2; return 1 ;; esac
}
take setup.kill_user_processes '' lingering
take setup.hostname '' hostname

# shellcheck disable=SC2317 # `take` calls it
gpus() { nvidia_smi -L | grep -c '^GPU [0-9]'; }
[ -z "$gpus" ] || take setup.gpus '' gpus

# All at once first: only where that fails, or one leads back to this host, are they asked one by one. The host's own
# name is apart: that it may lead to 127.0.1.1 is how Debian sets it up.
back='^(127\.|::1)'
leads_back() { printf '%s\n' "$1" | grep -Eq "$back"; }
seconds() { cut -d . -f 1 /proc/uptime; }
names() {
    [ $# -gt 0 ] || { put setup.names '' all; return; }
    if told=$(timeout $ALL_WITHIN_S getent ahosts "$@"); then
        leads_back "$told" || { put setup.names '' all; return; }
    fi
    bad='' began=$(seconds) code=names_not_right
    for one in "$@"; do
        if [ $(($(seconds) - began)) -ge $ALL_WITHIN_S ]; then code=names_not_right_time_over; break; fi
        if ! told=$(timeout $NAME_WITHIN_S getent ahosts "$one"); then bad="$bad $one"
        elif leads_back "$told"; then bad="$bad $one(itself)"; fi
    done
    if [ -n "$bad" ] || [ $code != names_not_right ]; then put setup.names '' $code "${bad# }"; else put setup.names '' all; fi
}
# shellcheck disable=SC2317 # `take` calls it
own() { getent ahosts "$own" | awk '{ print $1 }'; }
if [ -n "$names" ]; then
    names "$@"
    [ -z "$own" ] || take setup.own_address '' own
fi
echo 'key-value end'

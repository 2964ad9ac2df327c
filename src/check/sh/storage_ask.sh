# SPDX-License-Identifier: Apache-2.0
# usage: ASSAY_ATTEMPT=UUID mount=/data folder=/data [bytes=N] [files=N] [clients=N] [hang_s=10] sh storage_ask.sh HOST
# Whether this host can work in a folder of a shared mount, as rows of key-value with the subject HOST: client.login, then
# client.clock (twice, for whoever reads it to stamp), client.mount, and client.works = yes, or what stops it. Who can work
# leaves a file HOST.here in the attempt's own folder, by which all find out whether it is one folder.
#
# A mount may hang, and what touches it may never end: so that is a process of its own, which is waited for hang_s. It touches
# the mount by programs only whose output it takes, so that none of them holds the output of this script open.
. "$(dirname "$0")/key_value.sh"
: "${mount:?}" "${folder:=$mount}" "${bytes:=1048576}" "${files:=0}" "${clients:=1}" "${hang_s:=10}"
client=$1 dir=$ASSAY_LAB_ROOT$folder/assay-clients-$ASSAY_ATTEMPT

# stopped SAID: who may not write there, or has no such folder, has been given the wrong one; all else is the storage's. Not all
# file systems say when they are full: some have one word for all that fails. What is wrong with all hosts is said alike by all.
stopped() {
    untabbed "$1"
    case $first in
    *"/$client.probe"*) first="${first%%"/$client.probe"*}/probe${first#*"/$client.probe"}" ;;
    *'Stale file handle'*) first='Stale file handle' ;; # to whoever comes first, df or mkdir
    esac
    [ "$(free_of -k)" != 0 ] || first="$first (df: 0 KiB free)"
    case $first in
    *'Permission denied'* | *'Operation not permitted'* | *'No such file'*) lack client.works "$client" folder_not_usable "$folder" "$first" ;;
    *) put client.works "$client" folder_not_usable "$folder" "$first" ;;
    esac
}
# free_of FLAG: what df has in its fourth column, or nothing
free_of() {
    df -P "$1" -- "$folder" 2>/dev/null | {
        read -r _
        read -r _ _ _ has _
        echo "$has"
    }
}
# enough CODE NEEDED FLAG
enough() {
    has=$(free_of "$3")
    case $has in '' | *[!0-9]*) return 0 ;; esac
    [ "$has" -lt "$2" ] || return 0
    lack client.works "$client" "$1" "$has" "$2"
    return 1
}
# The last one of several mounts on one point is the one that is seen.
mounted() {
    findmnt -rn -o TARGET,SOURCE,FSTYPE,OPTIONS | {
        row=
        while read -r target source type options; do
            [ "$target" != "$mount" ] || [ "$type" = autofs ] || row="$target $source $type $options"
        done
        echo "$row"
    }
}
probe() {
    # It is df that mounts, on an automounter.
    said=$(df -P -k -- "$folder" 2>&1 >/dev/null)
    rc=$? row=$(mounted)
    [ -n "$row" ] || { put client.works "$client" nothing_mounted_on "$mount"; return; }
    put client.mount "$client" "$row"
    [ $rc = 0 ] || { stopped "$said"; return; }
    said=$(mkdir -m 700 -- "$dir" 2>&1) || [ -d "$dir" ] || { stopped "$said"; return; }
    said=$(dd if=/dev/zero of="$dir/$client.probe" bs=1M count=1 conv=fsync 2>&1) ||
        { stopped "$said"; return; }
    said=$(rm -f -- "$dir/$client.probe" 2>&1)
    enough no_space_but_kib_of $((bytes * clients / 1024)) -k && enough no_inodes_but_of $((files * clients)) -i || return
    said=$(dd if=/dev/null of="$dir/$client.here" 2>&1) && put client.works "$client" yes
}
# What it made is taken away again where it cannot work.
try() {
    probe
    [ -e "$dir/$client.here" ] || { rm -f -- "$dir/$client.probe"; rmdir -- "$dir"; } 2>/dev/null
}

put client.login "$client" yes
for _ in 1 2; do put client.clock "$client" "$(date +%s.%N)"; done
try </dev/null &
probe=$!
left=$((hang_s * 2))
while kill -0 $probe 2>/dev/null && [ $left -gt 0 ]; do
    sleep 0.5
    left=$((left - 1))
done
if kill -0 $probe 2>/dev/null; then
    put client.works "$client" mount_does_not_answer "$mount" "$hang_s"
    kill -9 $probe
fi

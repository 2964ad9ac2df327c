# SPDX-License-Identifier: Apache-2.0
# usage: [within_s=N] sh space.sh FOLDER...
# How full the host's own file systems are, and how much room folders take, as rows of key-value. FOLDER/* tells of the
# largest of what lies in that folder, too. By hand: sh space.sh /var/log '/home/*'
. "$(dirname "$0")/key_value.sh"
: "${within_s:=120}"
LARGEST=20
# What hosts share is not theirs to fill, and all hosts at once would walk it. df -l knows those whose source has a colon in it
# (NFS, Lustre), and some others.
OWN='-l -x lustre -x gpfs -x wekafs -x beegfs -x ceph -x pvfs2 -x fuse.s3fs -x fuse.sshfs -x fuse.glusterfs -x fuse.juicefs -x fuse.rclone'

seconds() { cut -d . -f 1 /proc/uptime; }

# filled ROWS ITEM COLUMN: a row of percent for each file system of the host's own, and why the item has no answer where one
# could not be read. Images of software are full by design, and those for the system's own notes are nobody's. One that makes
# inodes as it needs them has "-" of them.
filled() {
    rc=0
    # shellcheck disable=SC2086 # words
    told=$(df $OWN --output=fstype,"$3",target 2>/dev/null) || rc=$?
    rows=$(printf '%s\n' "$told" | awk -v name="$1" '
        NR == 1 || $2 !~ /^([0-9]+%|-)$/ { next }
        { type = $1; percent = $2 + 0; at = $0; sub(/^ *[^ ]+ +[^ ]+ +/, "", at) }
        type ~ /^(squashfs|iso9660|efivarfs|devtmpfs|ramfs)$/ || (type == "overlay" && at != "/") || at ~ /^\/(run|sys)(\/|$)/ { next }
        { print name "\t" at "\t" percent }')
    [ -z "$rows" ] || printf '%s\n' "$rows"
    if [ $rc -ne 0 ] || [ -z "$rows" ]; then
        # shellcheck disable=SC2086
        first_of "$(df $OWN --output=target 2>&1 >/dev/null)"
        lack "$2" '' "${first:-df}"
    fi
}
filled space.used space.full pcent
filled space.inodes_used space.inodes_full ipcent

# unknown WHY...: neither the folder's size nor its largest is known
unknown() {
    lack space.size "$subject" "$@"
    case $subject in */\*) lack space.largest "$subject" "$@" ;; esac
}
# sizes DU_OPTION...: KiB and path of what lies there, each ended by a zero, and last how it ended, and of what it complained
# beside what was gone before it was read
sizes() {
    {
        said=$(nice timeout "$left" du -D -x -k -0 "$@" -- "$path" 2>&1 >&3 3>&-)
        printf 'ended %s %s\0' $? "$(printf '%s\n' "$said" | grep -v '^du: .*: No such file or directory$' | head -n 1)"
    } 3>&1
}
# The names are anybody's: a newline or a tab in one makes no row. First comes how it ended.
rows() {
    tr '\n\0' '?\n' | subject=$subject path=$path awk -v most=$LARGEST '
        /^ended / { ended = $0; next }
        { at = index($0, "\t"); kib = substr($0, 1, at - 1); name = substr($0, at + 1); gsub(/\t/, "?", name) }
        name == ENVIRON["path"] { whole = kib; next }
        { sub(/.*\//, "", name); size[++n] = kib; called[n] = name }
        END {
            print ended
            if (whole == "") exit
            print "space.folder\t" ENVIRON["subject"] "\t" whole
            for (k = 1; k <= most && k <= n; k++) {
                best = 0
                for (i = 1; i <= n; i++) if (!(i in told) && (best == 0 || size[i] + 0 > size[best] + 0)) best = i
                told[best] = 1
                print "space.entry\t" ENVIRON["subject"] "\t" size[best] " " called[best]
            }
        }'
}
folder() {
    subject=$1 path=${1%/\*}
    path=${path:-/}
    left=$((began + within_s - $(seconds)))
    if [ "$left" -le 0 ]; then unknown time_for_folders_over "$within_s"; return; fi
    if [ ! -e "$ASSAY_LAB_ROOT$path" ] && { [ "$user" = 0 ] || [ -x "$ASSAY_LAB_ROOT${path%/*}/" ]; }; then
        put space.folder "$subject" 0
        return
    fi
    # shellcheck disable=SC2086
    if ! free=$(df $OWN --output=avail,pcent -- "$path" 2>/dev/null); then
        if type=$(df --output=fstype -- "$path" 2>/dev/null); then unknown folder_is_shared "${type##*"$newline"}"
        else first_of "$(df --output=fstype -- "$path" 2>&1 >/dev/null)"; unknown "${first:-df}"; fi
        return
    fi
    case $subject in
    */\*) found=$(sizes -a -d1 | rows) ;;
    *) found=$(sizes -s | rows) ;;
    esac
    ended=${found%%"$newline"*}
    ended=${ended#ended }
    case $ended in
    124*) unknown time_for_folders_over "$within_s"; return ;;
    '0 '*) ;;
    '1 ') [ "$user" = 0 ] || { unknown du_ended_with 1; return; } ;;
    *' ') unknown du_ended_with "${ended% }"; return ;;
    *) unknown "${ended#* }"; return ;;
    esac
    printf '%s\n' "${found#*"$newline"}"
    # shellcheck disable=SC2086 # words
    set -- ${free##*"$newline"}
    put space.free "$subject" "$1"
    put space.fills "$subject" "${2%\%}"
}
began=$(seconds) user=$(id -u)
for folder; do folder "$folder"; done
echo 'key-value end'

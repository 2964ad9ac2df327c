# SPDX-License-Identifier: Apache-2.0
# usage: ASSAY_ATTEMPT=UUID folder=/data [bytes=N] [slot_s=10] sh storage_shared.sh 'HOST PLACE COUNT BEGIN'
# Whether what one host does on a shared mount is what the others find. HOST is number PLACE, from 0, of COUNT hosts. They work in
# turns of slot_s from the second BEGIN of its own clock on, and twice where one host leads: the first one, then the last one.
# Rows of key-value with the subject HOST, times by its own clock:
#
#   client.begun.lock.ROUND   "SINCE NOW", for whoever reads it to stamp: when it asks for the lock that the leader holds
#   shared.lock.ROUND         "got BEFORE AFTER", "refused BEFORE AFTER", of the leader "held FROM TO"; or what flock said
#   shared.made.WHAT.ROUND    "BEFORE AFTER" the leader made the file, or appended the line
#   shared.seen.WHAT.ROUND    "LAST NOW": when this host began to look in vain for the last time, 0: it never did, and when it had
#                             found it; or shared.unseen.WHAT.ROUND, "LAST": it had not when the time was over
#   shared.wrote              "SUM WHEN": the first digits of the SHA-256 of what it wrote, and when it had
#   shared.read.PLACE         "WHEN SUM SUM ...": when it began to read, and the sums of what it read of the hosts PLACE and after;
#                             "-": nothing is there, or it is not read to its end
#
# All that it writes lies in the attempt's own folder, is named by its place, and goes with it when it ends.
. "$(dirname "$0")/key_value.sh"
: "${folder:?}" "${bytes:=16777216}" "${slot_s:=10}"
# shellcheck disable=SC2086 # words
set -- $1
client=$1 place=$2 count=$3 begin=$4
dir=$ASSAY_LAB_ROOT$folder/assay-clients-$ASSAY_ATTEMPT
. "$(dirname "$0")/storage_turns.sh"

clean() { rm -rf -- "$dir/$place.data" "$dir/$place".*.new "$dir/$place.lock"; }
arrive

# By a program, and opened anew each time: as another program there would find it.
holds() { dd if="$dir/$leader.$round.new" 2>/dev/null | grep -q "$1"; }
# look_for WHAT WORD
look_for() {
    left=$(awk -v slot="$slot_s" 'BEGIN { printf "%d", slot * 8 }') last=0 looked=$(now)
    while ! holds "$2" && [ "$left" -gt 0 ]; do
        last=$looked
        sleep 0.1
        looked=$(now)
        left=$((left - 1))
    done
    if [ "$left" -gt 0 ]; then put "shared.seen.$1.$round" "$client" "$last $(now)"; else put "shared.unseen.$1.$round" "$client" "$last"; fi
}

try_lock() {
    turn_begins 0.4
    put "client.begun.lock.$round" "$client" "$since $(now)"
    before=$(now)
    said=$(flock -n -E 75 "$dir/$leader.lock" true 2>&1)
    case $? in
    0) put "shared.lock.$round" "$client" "got $before $(now)" ;;
    75) put "shared.lock.$round" "$client" "refused $before $(now)" ;;
    *) untabbed "$said"; put "shared.lock.$round" "$client" "$first" ;;
    esac
}
hold_lock() {
    turn_begins 0
    hold=$(awk -v slot="$slot_s" 'BEGIN { print slot * 0.9 }')
    # shellcheck disable=SC2016 # its own
    if said=$(flock -n "$dir/$leader.lock" sh -c 'date +%s.%N; sleep "$1"; date +%s.%N' sh "$hold" 2>&1); then
        put "shared.lock.$round" "$client" "held $(printf '%s\n' "$said" | paste -s -d ' ' -)"
    else untabbed "$said"; put "shared.lock.$round" "$client" "$first"; fi
}
lock() {
    if ! command -v flock >/dev/null; then lack "shared.lock.$round" "$client" no_such_program flock
    elif [ "$leader" = "$place" ]; then hold_lock
    else try_lock; fi
}

round=0
for leader in 0 $((count - 1)); do
    round=$((round + 1))
    lock
    turn_ends
    turn_begins 0
    if [ "$leader" = "$place" ]; then
        before=$(now)
        echo "first $round" >"$dir/$leader.$round.new"
        put "shared.made.file.$round" "$client" "$before $(now)"
    else look_for file "first $round"; fi
    turn_ends
    turn_begins 0
    if [ "$leader" = "$place" ]; then
        before=$(now)
        echo "second $round" >>"$dir/$leader.$round.new"
        put "shared.made.line.$round" "$client" "$before $(now)"
    else look_for line "second $round"; fi
    turn_ends
done

sum_of() { sha256sum | cut -c 1-16; }
# In $sum; "-" of a file that is not there, or not read to its end: a slow host comes when others have removed theirs.
sum_of_file() {
    sum=$({ { dd if="$1" bs=1M 2>/dev/null || echo - >&3; } | sum_of; } 3>&1)
    case $sum in *-*) sum=- ;; esac
}
# No two blocks of it, or of two hosts, are alike.
data() { seq $((place * 1000000000 + 1)) $((place * 1000000000 + 999999999)) 2>/dev/null | head -c "$bytes"; }
turn_begins 0
if data | dd of="$dir/$place.data" bs=1M iflag=fullblock conv=fsync 2>/dev/null; then
    done=$(now)
    put shared.wrote "$client" "$(data | sum_of) $done"
fi
turn_ends
turn_begins 0
of=0
while [ "$of" -lt "$count" ]; do
    from=$of sums=$(now)
    while [ "$of" -lt "$count" ] && [ "$of" -lt $((from + 32)) ]; do
        sum_of_file "$dir/$of.data"
        sums="$sums $sum"
        of=$((of + 1))
    done
    put "shared.read.$from" "$client" "$sums"
done
turn_ends
# Others may still read what this one wrote.
turn_begins 0.5

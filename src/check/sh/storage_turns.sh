# SPDX-License-Identifier: Apache-2.0
# Functions of what several hosts do on a shared mount in turns: storage_client.sh, storage_shared.sh. They have set: client, place,
# count, begin, slot_s and dir, and what they wrote themselves is removed by their own function clean.
#
#   arrive               ends the script where this host does not see what all hosts left when they were asked (storage_ask.sh), and
#                        says so: client.sees; or, without a word, where it comes too late to tell
#   turn_begins SHARE    waits for the turn's second and SHARE of slot_s more; $since is how long after begin that is
#   turn_ends
: "${client:?}" "${place:?}" "${count:?}" "${begin:?}" "${slot_s:?}" "${dir:?}"
turn=0 since=0

now() { date +%s.%N; }
turn_begins() {
    left=$(awk -v begin="$begin" -v turn="$turn" -v slot="$slot_s" -v share="$1" -v now="$(now)" 'BEGIN {
        since = (turn + share) * slot
        left = begin + since - now
        printf "%.3f %.3f", since, (left > 0 ? left : 0)
    }')
    # shellcheck disable=SC2034 # for those who say when they begin
    since=${left% *}
    sleep "${left#* }"
}
turn_ends() { turn=$((turn + 1)); }

count_here() { seen=$(find "$dir" -maxdepth 1 -name '*.here' 2>/dev/null | wc -l); }
# Who does not work leaves its file to the others for a moment more: one that counts late would take it for apart from them. Of
# several counts the largest is what a host saw, as long as nobody may have left before it.
# By what it makes itself a host learns what others made before: nobody works in a folder of its own. The last one takes the folder
# away. What was killed without a word is taken away by the first host of a test a day later.
arrive() {
    trap 'clean; rm -f -- "$dir/$client.here" "$dir/$place.came"; rmdir -- "$dir" 2>/dev/null' EXIT
    trap 'exit 143' TERM HUP INT
    [ "$place" != 0 ] ||
        find "${dir%/*}" -maxdepth 1 -name 'assay-clients-*' -user "$(id -u)" -mtime +0 -exec rm -rf {} + 2>/dev/null
    [ "$(date +%s)" -lt "${begin%.*}" ] || exit 0
    dd if=/dev/null of="$dir/$place.came" 2>/dev/null
    most=0
    while count_here && [ "$(date +%s)" -lt "${begin%.*}" ]; do
        [ "$seen" -le "$most" ] || most=$seen
        [ "$most" -lt "$count" ] || break
        sleep 0.2
    done
    [ "$most" -gt 0 ] || exit 0
    put client.sees "$client" "$most of $count"
    [ "$most" -ge "$count" ] || { sleep 1; exit 0; }
}

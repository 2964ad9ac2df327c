# SPDX-License-Identifier: Apache-2.0
# usage: ASSAY_ATTEMPT=UUID folder=/data levels='1 2 4' jobs='write read' slot_s=25 job_s=20 [...] sh storage_client.sh 'HOST PLACE COUNT BEGIN'
# One client of the sweep: HOST is number PLACE, from 0, of COUNT hosts that take part. Level by level (so many clients at once)
# and job by job it waits for the second that all of them have, of which the first is BEGIN by its own clock and each further
# one slot_s later. Rows of key-value with the subject HOST:
#
#   client.begun.JOB.LEVEL   "SINCE NOW", for whoever reads it to stamp: SINCE is how long after BEGIN it was to begin
#   client.fio.JOB.LEVEL     fio's terse line, of write, read, randwrite, randread
#   client.files.JOB.LEVEL   "COUNT SECONDS", of create, stat, delete: empty files; stat is of those that the next client made;
#                            or nothing, and what the storage said
#
# All that it writes lies in the attempt's own folder, is named by its place, and goes with it when it ends.
. "$(dirname "$0")/key_value.sh"
: "${folder:?}" "${levels:=1}" "${jobs:=write read}" "${slot_s:=25}" "${job_s:=20}" "${seconds:=20}" "${bytes:=1073741824}"
: "${files:=1000}" "${block:=1M}" "${small:=4k}" "${flags:=}"
command -v fio_tool >/dev/null || fio_tool() { fio "$@"; }
# shellcheck disable=SC2086 # words
set -- $1
client=$1 place=$2 count=$3 begin=$4
dir=$ASSAY_LAB_ROOT$folder/assay-clients-$ASSAY_ATTEMPT

. "$(dirname "$0")/storage_turns.sh"

clean() { rm -rf -- "$dir/$place.data" "$dir/$place.files"; }
arrive

# Of its own data only what is there is read: what was never written would come from nowhere.
written=0
# run_fio JOB RW BLOCK
run_fio() {
    size=$bytes
    case $2 in *read) [ "$written" -ge "$bytes" ] || size=$written ;; esac
    # shellcheck disable=SC2086 # words
    told=$(fio_tool --name="$1.$clients" --filename="$dir/$place.data" --rw="$2" --bs="$3" --size="$size" --runtime="$seconds" \
        --time_based --fallocate=none $flags --output-format=terse --terse-version=3 2>&1 </dev/null)
    rc=$?
    case $told in
    '3;fio-'*) line=$told ;;
    *) line=$(printf '%s\n' "$told" | grep '^3;fio-') ;;
    esac
    line=$(printf '%s\n' "$line" | head -n 1)
    [ -n "$line" ] || { untabbed "$told"; lack "client.fio.$1.$clients" "$client" fio_ended_with $rc "$first"; return; }
    [ "$2" != write ] || written=$(printf '%s\n' "$line" | awk -F ';' -v most="$bytes" '{ b = $47 * 1024; printf "%d", b < most ? b : most }')
    put "client.fio.$1.$clients" "$client" "$line"
}

# Asked at every 64th file only: it costs a process.
in_time() { [ $(($1 % 64)) != 63 ] || [ "$(date +%s)" -le "$until" ]; }
# What stops it is found out by another try: to catch it at each would cost a process.
create() {
    n=0
    while [ $n -lt "$files" ] && in_time $n; do
        true >"$dir/$place.files/$n" || { said=$({ true >"$dir/$place.files/$n"; } 2>&1) said=${said:-$n}; return; }
        n=$((n + 1))
    done
} 2>/dev/null
look() {
    n=0 next=$(((place + 1) % clients))
    while [ -e "$dir/$next.files/$n" ] && in_time $n; do n=$((n + 1)); done
}
remove() {
    n=0
    for file in "$dir/$place.files"/*; do [ ! -e "$file" ] || n=$((n + 1)); done
    said=$(rm -rf -- "$dir/$place.files" 2>&1)
}
# run_files JOB FUNCTION
run_files() {
    from=$(now) until=$(($(date +%s) + job_s)) said=
    "$2"
    [ -z "$said" ] || { untabbed "$said"; lack "client.files.$1.$clients" "$client" folder_not_usable "$folder" "$first"; return; }
    put "client.files.$1.$clients" "$client" "$n $(awk -v from="$from" -v to="$(now)" 'BEGIN { printf "%.6f", to - from }')"
}

run() {
    put "client.begun.$1.$clients" "$client" "$since $(now)"
    case $1 in
    write | read) run_fio "$1" "$1" "$block" ;;
    randwrite | randread) run_fio "$1" "$1" "$small" ;;
    create) mkdir -p -- "$dir/$place.files" && run_files create create ;;
    stat) run_files stat look ;;
    delete) run_files delete remove ;;
    esac
}

for clients in $levels; do
    [ "$clients" -le "$count" ] || break
    for job in $jobs; do
        if [ "$place" -lt "$clients" ]; then
            turn_begins 0
            run "$job"
        fi
        turn_ends
    done
done

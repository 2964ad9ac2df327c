# SPDX-License-Identifier: Apache-2.0
# usage: ASSAY_ATTEMPT=UUID folder=/data levels='1 2 4' jobs='write read' slot_s=25 job_s=20 [...] sh storage_client.sh 'HOST PLACE COUNT BEGIN'
# One client of the sweep: HOST is number PLACE, from 0, of COUNT hosts that take part. Level by level (so many clients at once)
# and job by job it waits for the second that all of them have, of which the first is BEGIN by its own clock and each further
# one slot_s later. Rows of key-value with the subject HOST:
#
#   client.begun.JOB.LEVEL   "SINCE NOW", for whoever reads it to stamp: SINCE is how long after BEGIN it was to begin
#   client.fio.JOB.LEVEL     fio's terse line, of
#                              write, read, randwrite, randread   a file of its own, for seconds
#                              shared                             all read what the first client wrote, for seconds
#                              checkpoint                         a file of its own of so many bytes, once, until it is on the storage
#                              restore                            the first client alone reads all of those, once
#   client.files.JOB.LEVEL   "COUNT SECONDS", of empty files, or nothing, and what the storage said
#                              create, stat, delete               in a folder of its own; stat is of those that the next client made
#                              fill, list, clear                  in one folder of all; each lists all of them
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

clean() {
    rm -rf -- "$dir/$place.data" "$dir/$place.checkpoint" "$dir/$place.files" "$dir/$place.data.written" "$dir/$place.checkpoint.written"
    clear_own
    rmdir -- "$dir/crowd" 2>/dev/null
}
clear_own() { [ ! -d "$dir/crowd" ] || find "$dir/crowd" -maxdepth 1 -name "$place.*" -delete; }
arrive

# run_fio JOB RW BLOCK SIZE FILES FLAGS. How much of a file was written in order stands beside it, for who reads it: what was never
# written would come from nowhere.
run_fio() {
    # shellcheck disable=SC2086 # words
    told=$(cd "$dir" && fio_tool --name="$1.$clients" --filename="$5" --rw="$2" --bs="$3" --size="$4" --runtime="$seconds" \
        --fallocate=none $6 $flags --output-format=terse --terse-version=3 2>&1 </dev/null)
    rc=$?
    case $told in
    '3;fio-'*) line=$told ;;
    *) line=$(printf '%s\n' "$told" | grep '^3;fio-') ;;
    esac
    line=$(printf '%s\n' "$line" | head -n 1)
    [ -n "$line" ] || { untabbed "$told"; lack "client.fio.$1.$clients" "$client" fio_ended_with $rc "$first"; return; }
    [ "$2" != write ] ||
        printf '%s\n' "$line" | awk -F ';' -v most="$4" '{ b = $47 * 1024; printf "%.0f\n", b < most ? b : most }' >"$dir/$5.written"
    put "client.fio.$1.$clients" "$client" "$line"
}
# written_of FILE...: in $size the bytes of all of them
written_of() {
    size=0
    for file; do
        one=0
        # shellcheck disable=SC2015 # whatever fails, it is none
        [ -r "$dir/$file.written" ] && read -r one <"$dir/$file.written" || one=0
        size=$((size + one))
    done
}
# read_data JOB RW BLOCK FILE
read_data() {
    written_of "$4"
    [ "$size" -gt 0 ] || { lack "client.fio.$1.$clients" "$client" nothing_to_read; return; }
    run_fio "$1" "$2" "$3" "$size" "$4" --time_based
}
restore() {
    set --
    while [ $# -lt "$clients" ]; do set -- "$@" "$#.checkpoint"; done
    written_of "$@"
    [ "$size" = $((bytes * clients)) ] || { lack "client.fio.restore.$clients" "$client" checkpoints_not_whole "$size" $((bytes * clients)); return; }
    run_fio restore read "$block" "$size" "$(IFS=:; echo "$*")" --file_service_type=sequential
}

# Asked at every 64th file only: it costs a process.
in_time() { [ $(($1 % 64)) != 63 ] || [ "$(date +%s)" -le "$until" ]; }
# make PREFIX: what stops it is found out by another try: to catch it at each would cost a process.
make() {
    n=0
    while [ $n -lt "$files" ] && in_time $n; do
        true >"$1$n" || { said=$({ true >"$1$n"; } 2>&1) said=${said:-$n}; return; }
        n=$((n + 1))
    done
} 2>/dev/null
create() { make "$dir/$place.files/"; }
look() {
    n=0 next=$(((place + 1) % clients))
    while [ -e "$dir/$next.files/$n" ] && in_time $n; do n=$((n + 1)); done
}
remove() {
    n=0
    for file in "$dir/$place.files"/*; do [ ! -e "$file" ] || n=$((n + 1)); done
    said=$(rm -rf -- "$dir/$place.files" 2>&1)
}
fill() { make "$dir/crowd/$place."; filled=$n; }
# Neither sorted nor looked at. Its first two are the folder and the one above.
# shellcheck disable=SC2012 # of names that are ours
list() { n=$(($(ls -f -- "$dir/crowd" 2>/dev/null | wc -l) - 2)); }
clear_crowd() { n=$filled said=$(clear_own 2>&1); }
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
    write) run_fio write write "$block" "$bytes" "$place.data" --time_based ;;
    randwrite) run_fio randwrite randwrite "$small" "$bytes" "$place.data" --time_based ;;
    read) read_data read read "$block" "$place.data" ;;
    randread) read_data randread randread "$small" "$place.data" ;;
    shared) read_data shared read "$block" 0.data ;;
    checkpoint) run_fio checkpoint write "$block" "$bytes" "$place.checkpoint" --end_fsync=1 ;;
    restore) [ "$place" != 0 ] || restore ;;
    create) mkdir -p -- "$dir/$place.files" && run_files create create ;;
    stat) run_files stat look ;;
    delete) run_files delete remove ;;
    fill) mkdir -p -- "$dir/crowd" && run_files fill fill ;;
    list) run_files list list ;;
    clear) run_files clear clear_crowd ;;
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
# Where some hosts cannot work, others have no turn: these too are still here while all count who is.
turn=0
turn_begins 0.5

# SPDX-License-Identifier: Apache-2.0
# The remote side of a step: VERB UUID BOOT DEADLINE GRACE CLIP SWEEP LEN [NAME LEN]...
#
# SPOOL/UUID holds: boot, cmd, run/ (the command's folder, with the files that came along), pid (the
# supervisor and its start time), group (the command's process group), o and e (fifos), out and err (what is
# kept), rest.out and rest.err (what was not), cancel (a mark), end (the answer; there when it is over), room (space
# that the last three may take when the command has filled the disk).
#
# The folder is filled under another name and renamed by the supervisor itself. So a folder that can be seen
# is whole, has had a supervisor whose pid it names, and exactly one of several senders wins.

# What is run must not be able to write what frames the answer, or its own output: both secrets are variables that no
# environment has. $ended makes a line the answer's first; $secret goes from stdin to stdin, to the supervisor and on to
# the command, and no pipe and no file has it while the command runs.

. "$(dirname "$0")/guard_common.sh"

# say FIELDS: the answer's first line. Its last field is text=WORD ABOUT, of the words that guard.c knows.
say() { printf '@assay %s ended %s\n' "$ended" "$*"; }
# done_well RC TEXT: the answer to a verb that delivers no command's result
done_well() { uptime_now; say "why=none rc=$1 up=0,$now left=$left out=0 err=0 clip=0,0 boot=$boot text=$2"; }

# usable FOLDER: it is private to us, or could be made so. A link or another's folder is refused.
usable() {
    [ -d "$1" ] || mkdir -m 700 "$1" 2>/dev/null
    [ "$(stat -c '%F %u %a' "$1" 2>/dev/null)" = "directory $uid 700" ]
}

# name_spools: $spools, where attempts of this user may lie, in the order of choice
name_spools() {
    while read -r key uid _; do [ "$key" = Uid: ] && break; done </proc/self/status
    spools=${ASSAY_SPOOL:-/var/tmp/assay-$uid /tmp/assay-$uid /dev/shm/assay-$uid}
}

# find_spool: $dir for this attempt; one that exists wins over the order, or a command might run twice when
# the first choice was out of order for a while. $spool is empty when there is none.
find_spool() {
    name_spools
    spool=
    for s in $spools; do [ -d "$s/$uuid" ] && usable "$s" && spool=$s && break; done
    [ -n "$spool" ] || for s in $spools; do usable "$s" && spool=$s && break; done
    dir=$spool/$uuid
}

# taken: what stands at each place for a spool that is there, and whose it is
taken() { for s in $spools; do stat -c '; %n is a %F of %U, mode %a' "$s" 2>/dev/null; done | tr -d '\n'; }
no_spool() { say "why=spool rc=0 up=0,0 left= out=0 err=0 clip=0,0 boot=$boot text=$1"; }

# start_of PID: its start time in $start, which tells it from a later process of that number
start_of() {
    { IFS= read -r line <"/proc/$1/stat"; } 2>/dev/null || return 1
    # shellcheck disable=SC2086 # words
    set -- ${line##*) }
    start=${20}
    [ "$1" != Z ]
}
alive() {
    { read -r pid began_at <"$dir/pid"; } 2>/dev/null && start_of "$pid" && [ "$start" = "$began_at" ]
}

# all_kept NAME: the whole stream is in its file. $full is set where the disk took no more of it.
all_kept() {
    { read -r failed beyond <"$dir/rest.$1"; } 2>/dev/null || return 1
    [ "$failed" = 0 ] || full="no-space ${dir%/*}"
    [ "$failed $beyond" = "0 0" ]
}

# finish WHY RC BEGAN TEXT: $end, and the file by that name
finish() {
    uptime_now
    rm -f "$dir/room"
    # shellcheck disable=SC2046 # words
    set -- "$@" $(stat -c %s "$dir/out" "$dir/err" 2>/dev/null)
    clip_out=1 clip_err=1 full=
    all_kept out && clip_out=0
    all_kept err && clip_err=0
    end="why=$1 rc=$2 up=$3,$now left=$left out=${5:-0} err=${6:-0} clip=$clip_out,$clip_err boot=$boot text=${4:-$full}"
    { printf '%s\n' "$end" >"$dir/end.$$" && mv "$dir/end.$$" "$dir/end"; } 2>/dev/null
}

# collect NAME: keeps what comes up to the limit, counts the rest, and notes how that went
collect() {
    head -c "$clip" >"$1" 2>/dev/null
    kept=$?
    [ "$kept" = 0 ] || rm -f room
    echo "$kept $(wc -c)" >"rest.$1"
}

# supervise: in a session of its own. What was stdout is only held open, as 3, and by nobody else: its end
# wakes the starter, however the supervisor ends.
supervise() {
    tmp=$1
    IFS= read -r secret
    exec </dev/null
    cd "$tmp" || return
    start_of $$ && echo "$$ $start" >pid || return
    mv -T "$tmp" "$dir" 2>/dev/null && cd "$dir" || return
    exec 3>&1 >/dev/null
    (exec 3>&-; collect out) <o &
    (exec 3>&-; collect err) <e &
    uptime_now
    began=$now
    echo "$began" >began
    { [ -z "$secret" ] || echo "$secret"; } 3>&- | (
        exec 3>&-
        read -r pid _ </proc/self/stat
        echo "$pid" >group
        [ -e cancel ] && exit 143
        cd run || exit 126
        export ASSAY_ATTEMPT="$uuid" ASSAY_DIR="$dir/run" ASSAY_DEADLINE="$deadline" ASSAY_GRACE="$grace"
        exec timeout -k "$grace" "$deadline" /bin/sh ../cmd
    ) >o 2>e
    rc=$?
    uptime_now
    judge "$rc" "$began" "$now" "$deadline"
    # shellcheck disable=SC2094 # a variable of the file's name
    { read -r group <group; } 2>/dev/null && kill -s KILL -- "-$group" 2>/dev/null
    sweep "$sweep_s"
    [ -e cancel ] && why=cancelled
    round=0
    until [ -s rest.out ] && [ -s rest.err ]; do
        [ "$round" -ge 60 ] && break
        round=$((round + 1))
        if [ "$round" -le 10 ]; then sleep 0.01; else sleep 0.1; fi
    done
    finish "$why" "$rc" "$began" ""
}

# take LEN FILE: exactly so many bytes of stdin
take() {
    head -c "$1" >"$2" 2>/dev/null || { full=1; return 1; }
    [ "$(stat -c %s "$2")" = "$1" ]
}

# fill LEN [NAME LEN]...: the folder under its other name
fill() {
    [ -e "$tmp" ] && rm -rf "$tmp"
    { mkdir -m 700 "$tmp" "$tmp/run" && echo "$boot" >"$tmp/boot" && : >"$tmp/out" && : >"$tmp/err" &&
        printf %16384s x >"$tmp/room" && mkfifo "$tmp/o" "$tmp/e"; } 2>/dev/null || { full=1; return 1; }
    take "$1" "$tmp/cmd" || return 1
    shift
    while [ $# -ge 2 ]; do
        take "$2" "$tmp/run/$1" || return 1
        shift 2
    done
}

# begin LEN [NAME LEN]...: fails when the input was cut or the spool is full
begin() {
    tmp=$dir.$$ full=
    if ! fill "$@"; then
        rm -rf "$tmp"
        [ -n "$full" ] && no_spool "not-writable $spool"
        return 1
    fi
    # shellcheck disable=SC2154 # the text of this very script: guard.c
    : "$(echo "$secret" | setsid -f /bin/sh -c "$g" assay supervise "$uuid" "$boot" "$deadline" "$grace" "$clip" \
        "$sweep_s" 0 "$dir" "$tmp" 2>/dev/null)"
    [ -d "$tmp" ] && rm -rf "$tmp"
    return 0
}

# lost_or_over: nobody is left to write the end: ends the rest and says so
lost_or_over() {
    [ -f "$dir/end" ] && return
    sweep "$sweep_s"
    began=0
    { read -r began <"$dir/began"; } 2>/dev/null
    if [ -e "$dir/cancel" ]; then finish cancelled 0 "$began" ""
    else finish lost 0 "$began" killed; fi
}

# attach: waits for the end, cheaply
attach() {
    pause=0.05
    while [ ! -f "$dir/end" ]; do
        alive || { lost_or_over; return; }
        sleep $pause
        case $pause in 0.05) pause=0.2 ;; 0.2) pause=0.5 ;; *) pause=1 ;; esac
    done
}

# part NAME FIELD: as many bytes of the kept stream as the answer announces
part() {
    length=${end##* "$2"=}
    length=${length%% *}
    [ "$length" = 0 ] || head -c "$length" "$dir/$1"
}
deliver() {
    [ -f "$dir/end" ] && IFS= read -r end <"$dir/end"
    say "$end"
    part out out
    part err err
}

rebooted() {
    left='' end="why=rebooted rc=0 up=0,0 left= out=0 err=0 clip=0,0 boot=$boot text=another-boot"
    if [ -n "$spool" ] && [ -d "$dir" ]; then
        # shellcheck disable=SC2046 # words
        set -- $(stat -c %s "$dir/out" "$dir/err" 2>/dev/null)
        end="why=rebooted rc=0 up=0,0 left= out=${1:-0} err=${2:-0} clip=0,0 boot=$boot text=another-boot"
    fi
    say "$end"
    part out out
    part err err
}

# ensure LEN [NAME LEN]...
ensure() {
    was=$boot
    [ "$boot_expected" != - ] && was=$boot_expected
    [ -n "$spool" ] && { read -r was <"$dir/boot"; } 2>/dev/null
    if [ "$was" != "$boot" ] || { [ "$boot_expected" != - ] && [ "$boot_expected" != "$boot" ]; }; then
        rebooted
        return
    fi
    [ -n "$spool" ] || { no_spool "no-folder $spools$(taken)"; return; }
    [ -d "$dir" ] || begin "$@" || return
    attach
    deliver
}

# tombstone: a cancel that comes before the command does; a late ensure must find it ended
tombstone() {
    tmp=$dir.$$
    { mkdir -m 700 "$tmp" && echo "$boot" >"$tmp/boot" &&
        echo "why=cancelled rc=0 up=0,0 left= out=0 err=0 clip=0,0 boot=$boot text=too-early" >"$tmp/end" &&
        mv -T "$tmp" "$dir"; } 2>/dev/null || rm -rf "$tmp"
}

# await_end TENTHS
await_end() {
    round=0
    while [ ! -f "$dir/end" ] && [ "$round" -lt "$1" ] && alive; do
        round=$((round + 1))
        sleep 0.1
    done
    [ -f "$dir/end" ]
}

cancel() {
    [ -n "$spool" ] && [ ! -d "$dir" ] && tombstone
    if [ -n "$spool" ] && [ -d "$dir" ] && [ ! -f "$dir/end" ]; then
        : >"$dir/cancel"
        { read -r group <"$dir/group"; } 2>/dev/null && alive && kill -s TERM -- "-$group" "$group" 2>/dev/null
        if ! await_end $((grace * 10)); then
            { read -r group <"$dir/group"; } 2>/dev/null && alive &&
                kill -s KILL -- "-$group" "$group" 2>/dev/null
            await_end $((sweep_s * 10 + 60)) || lost_or_over
        fi
    fi
    sweep "$sweep_s"
    done_well 0 ""
}

forget() {
    left=
    if [ -n "$spool" ] && [ -d "$dir" ] && [ ! -f "$dir/end" ] && alive; then
        done_well 1 still-runs
        return
    fi
    [ -n "$spool" ] && rm -rf "$dir" "$dir".[0-9]*
    [ -n "$spool" ] && [ -e "$dir" ] && { done_well 1 "not-removed $dir"; return; }
    done_well 0 ""
}

# awaited UUID: a guard of its sender is there, which attaches to it or delivers its end. All processes are looked at once, for $words.
awaited() {
    [ -n "$words" ] || words=" $(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\000' '\n' | grep -x '[0-9a-f-]\{36\}' | tr '\n' ' ') "
    case $words in *" $1 "*) ;; *) return 1 ;; esac
}

# list: UUID and running (or ended, and awaited), ended, lost, or cut (its sender ended while it was filled), one a line. It only
# looks: no spool is made.
list() {
    lines='' left='' words=''
    for s in $spools; do
        { [ -d "$s" ] && usable "$s"; } || continue
        for dir in "$s"/*-*-*-*-*; do
            [ -d "$dir" ] || continue
            uuid=${dir##*/} state=lost
            case $uuid in
            *.*)
                kill -0 "${uuid##*.}" 2>/dev/null && continue
                uuid=${uuid%.*} state=cut
                ;;
            *)
                alive && state=running
                [ -f "$dir/end" ] && state=ended
                [ $state = ended ] && awaited "$uuid" && state=running
                ;;
            esac
            lines="$lines$uuid $state
"
        done
    done
    uptime_now
    say "why=none rc=0 up=0,$now left= out=${#lines} err=0 clip=0,0 boot=$boot text="
    printf %s "$lines"
}

guard() {
    umask 077
    set +ax
    unset ended secret
    verb=$1 uuid=$2 boot_expected=$3 deadline=$4 grace=$5 clip=$6 sweep_s=$7
    mark=ASSAY_ATTEMPT=$uuid
    boot_now
    [ "$verb" = supervise ] || IFS= read -r ended || return
    case $verb in
    supervise) boot=$boot_expected dir=$9; shift 9; supervise "$1" ;;
    ensure) IFS= read -r secret || return; find_spool; shift 7; ensure "$@" ;;
    cancel) find_spool; cancel ;;
    gone) sweep "$sweep_s"; done_well 0 "" ;;
    forget) find_spool; forget ;;
    list) name_spools; list ;;
    esac
}

guard "$@"

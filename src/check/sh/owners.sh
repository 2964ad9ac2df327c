# SPDX-License-Identifier: Apache-2.0
# Whose this host is at the moment: before | after | ask (which takes no lock and gives none back). `release` only gives the
# lock back of the test lock_of, another than that whose mark this carries, which is being ended.
#
# In the environment: node, its name in the hostfile; run, the UUID of ours (empty: none, so no lock is taken), and
# ASSAY_ATTEMPT, that of the test; who, whom others are told of; jobs_of_ours, Slurm's numbers "12,13" of jobs that are
# ours; refused, why Slurm did not give us the host; fresh_s and lease_s, see take; pause_s between two questions; limit_s,
# after which somebody ends us. By hand: run= node=$(hostname -s) pause_s=1 limit_s=30 sh owners.sh ask
#
# Answers on stdout: an owner a line; nothing where it is nobody's, and then, `before`, our lock lies there. Another exit
# status than 0 where the question was not answered, and stderr says why, a line each. Inside, such a line begins with "? ".
# A line is the code of a sentence of include/assay/reasons/check.def and its arguments, between tabs: "slurm_job_of 12 bob".
# No function goes on where a process could not be started: an empty answer is one only when its status is 0.
#
# A lock is a symbolic link whose target is no file but the words of the lock: it is made whole or not at all, and is read
# without opening anything, so nothing that lies there can be long, block or lead elsewhere; all else that lies there is no
# lock. It lies in a folder that only its owner can write to, PLACE-UID, and what another user put at that name counts for
# nothing. Each user has one, so nobody needs a folder that all may write to, and everybody reads all of them. Between
# looking at a folder and listing it its owner may exchange it: he can only show other locks of his own by that.

: "${node:=}" "${run:=}" "${who:=}" "${jobs_of_ours:=}" "${refused:=}" "${fresh_s:=60}" "${lease_s:=60}" "${pause_s:=1}" "${limit_s:=30}"
exec 3>&2 2>/dev/null
root=$ASSAY_LAB_ROOT
places=${ASSAY_LOCKS:-$root/var/tmp/assay-locks $root/tmp/assay-locks $root/dev/shm/assay-locks}
# An honest lock is fresh for a minute; honest users have one lock a test.
FRESH_MOST_S=120 FOLDERS_MOST=1000 LOCKS_MOST=100
line='
'
tab='	'

# put CODE ARGUMENT...: the line of it, in $said. Tabs and newlines in an argument are blanks. Nothing is started for it.
put() {
    said=''
    for word; do
        while :; do
            case $word in
            *"$tab"*) word="${word%%"$tab"*} ${word#*"$tab"}" ;;
            *"$line"*) word="${word%%"$line"*} ${word#*"$line"}" ;;
            *) break ;;
            esac
        done
        said=$said${said:+$tab}$word
    done
}
say() { put "$@"; printf '%s\n' "$said"; }
# complain CODE ARGUMENT...: why the question has no answer
complain() { put "$@"; printf '? %s\n' "$said"; }

# now: seconds of uptime, in $now
now() { read -r now _ </proc/uptime; now=${now%.*}; }
plain() { head -c 512 | LC_ALL=C tr -d '\000-\037\177'; }
owner_of() { stat -c '%U (uid %u)' "$1"; }

# Processes of containers that share this machine without sharing its processes are not this host's.
space=
ours() {
    theirs=$(readlink "$1/ns/pid") || return 0
    [ -n "$space" ] || space=$(readlink "$root/proc/self/ns/pid") || return 0
    [ "$theirs" = "$space" ]
}
# files_with FILE GREP_WORDS...: /proc/PID/FILE where that is in it, in $found
files_with() {
    of=$1
    shift
    found=$(grep -ls "$@" "${proc:-$root/proc}"/[0-9]*/"$of")
    case $? in
    0 | 1 | 2) return 0 ;; # 2: some are gone
    126) ;;                # they are more than fit into one command
    *) return 1 ;;
    esac
    found=$(printf '%s\0' "${proc:-$root/proc}"/[0-9]*/"$of" | xargs -0 grep -ls "$@")
    case $? in 0 | 123) return 0 ;; *) return 1 ;; esac # 123: some of them have it not, or are gone
}
# processes FILE GREP_WORDS...: the folders of this host's processes where that is in it, a line each, in $found
processes() {
    files_with "$@" || return
    all=$found found=
    for f in $all; do
        if ours "${f%/*}"; then found=$found${f%/*}$line; fi
    done
}
seen() {
    [ -r /proc/1/comm ] || complain others_not_seen
    [ -n "$boot" ] || complain boot_id_not_read
}

# -- Slurm --

# jobs_of PROCESS...: the numbers of the jobs that these are steps of
jobs_of() {
    for p; do
        tr '\0' '\n' <"$p/cmdline" | sed -n 's/^slurmstepd: \[\([0-9][0-9]*\).*/\1/p'
    done | sort -u
}
queue() { timeout 10 squeue -h "$@" -o '%A|%u|%j'; }
# on_node NAME: the jobs of a node that is allocated
on_node() {
    told=$(queue -t running,suspended,completing,configuring -w "$1") && [ -n "$told" ] && printf '%s\n' "$told" && return
    complain slurm_does_not_say_to_whom "$1"
}
# allocated SLURMD: the jobs of this node where none of them has a step, as Slurm's controller has it
allocated() {
    for name in "$node" "$(hostname -s)"; do
        told=$(timeout 10 scontrol --oneliner show node "$name") || continue
        case $told in
        *' CPUAlloc=0 '*) return ;;
        *' CPUAlloc='*) on_node "$name"; return ;;
        esac
    done
    complain slurm_does_not_say_whether "${1##*/}" "$(owner_of "$1")"
}
slurm_jobs() {
    processes cmdline '^slurmstepd: \[' || return
    jobs=
    # shellcheck disable=SC2086 # words
    [ -z "$found" ] || jobs=$(jobs_of $found) || return
    if [ -n "$jobs" ]; then
        told=$(queue -t all -j "$(printf %s "$jobs" | tr '\n' ,)")
        printf '%s\n' "$told"
        for job in $jobs; do case "$line$told" in *"$line$job|"*) ;; *) echo "$job||" ;; esac; done
    else
        processes comm -x slurmd || return
        [ -z "$found" ] || allocated "${found%%"$line"*}"
    fi
}
slurm() {
    list=$(slurm_jobs) || return
    [ -n "$list" ] || return 0
    printf '%s\n' "$list" | while IFS='|' read -r job user name; do
        case $job in
        '') continue ;;
        '? '*) printf '%s\n' "$job"; continue ;;
        esac
        [ "$name" != "assay-$run" ] || continue
        case ",$jobs_of_ours," in *",$job,"*) continue ;; esac
        if [ -z "$user" ]; then
            say slurm_job "$job${name:+ ($name)}"
        elif [ -z "$name" ]; then
            say slurm_job_of "$job" "$user"
        else
            say slurm_job_named "$job" "$user" "$name"
        fi
    done
}
# What who asked Slurm says of it, a line as it stands.
refused() { [ -z "$refused" ] || printf '%s\n' "$refused"; }

# -- Kubernetes --

# unread_list: why the list of devices cannot be read where there may be one
unread_list() {
    { [ "$me" = 0 ] || [ ! -e "$root/var/lib/kubelet" ]; } && return
    [ -x "${list%/*}" ] && [ ! -e "$list" ] && return
    processes comm -xE 'kubelet|k3s.*|rke2.*|k0s.*|kubelite' || return
    [ -z "$found" ] || complain kubernetes_list_not_read "$list"
}
kubernetes() {
    list=$root/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint
    [ -r "$list" ] || { unread_list; return; }
    pods=$(tr '{' '\n' <"$list" | sed -n 's/^"PodUID":"\([0-9a-f-]*\)".*"ResourceName":"[^"]*\(gpu\|mig-\|Ascend\).*/\1/p' | sort -u) || return
    for pod in $pods; do
        processes cgroup -E "pod($pod|$(echo "$pod" | tr - _))" || return
        [ -n "$found" ] || continue
        name=$(cd "$root/var/log/pods" && ls -d ./*_"$pod")
        name=${name%%_"$pod"*} name=${name#./}
        say kubernetes_pod "${name:+${name%%_*}/${name#*_} }$pod"
    done
}

# -- Locks of assay --

read -r boot <"${ASSAY_LAB_BOOT_ID:-/proc/sys/kernel/random/boot_id}"
while read -r key _ me _; do [ "$key" != Uid: ] || break; done </proc/self/status

# runs ATTEMPT UNTIL: its test runs, as far as one can see
runs() {
    proc=/proc
    files_with environ -zxF "ASSAY_ATTEMPT=$1" || return 0
    [ -z "$found" ] || return 0
    now
    [ "$me" != 0 ] && [ "$now" -lt "$2" ]
}
counts() {
    { [ "$t" -lt "$fresh" ] && [ "$fresh" -le $((t + FRESH_MOST_S)) ]; } || (runs "$attempt" "$until")
}
# lock LINK: who holds the host by it, if it does. Of ours, one that is over for good is taken away.
lock() {
    link=$1
    words=$(readlink "$link") || { [ $? -eq 1 ]; return; } # 1: it is gone
    # There may be a hundred of them: programs are started for those only that no honest lock is like.
    if [ ${#words} -ge 512 ] || case $words in *[[:cntrl:]]*) ;; *) false ;; esac; then
        words=$(printf '=%s\n' "$words" | plain)
        case $words in =*) words=${words#=} ;; *) return 1 ;; esac
    fi
    set -f
    # shellcheck disable=SC2086 # words
    set -- $words
    set +f
    [ $# -ge 6 ] || return 0
    theirs=$1 attempt=$2 fresh=$3 until=$4 since=$5
    shift 5
    case $theirs$attempt in *[!0-9A-Za-z-]*) return 0 ;; esac
    case $fresh$until in *[!0-9]*) return 0 ;; esac
    case $since in *[!0-9TZ:-]*) return 0 ;; esac
    [ "$theirs" != "$run" ] || return 0
    now
    t=$now
    if counts; then
        say assay_run_by_lock "$theirs" "$(printf %.80s "$*")" "$since" "$(owner_of "$link")"
    elif [ "$(stat -c %u "$link")" = "$me" ] && [ "$t" -ge "$until" ]; then
        rm -f "$link"
    fi
    return 0
}
# locks_in FOLDER: those of this boot, or rather of this host, for the folder may be one that hosts share
locks_in() {
    { [ -r "$1" ] && [ -x "$1" ]; } || { complain folder_not_read "$1" "$(owner_of "$1")"; return; }
    count=0
    for link in "$1"/*."$boot"; do
        [ -L "$link" ] || continue
        case ${link##*/} in "$run".*) continue ;; esac
        count=$((count + 1))
        [ "$count" -le "$LOCKS_MOST" ] || { complain too_many_locks "$1" "$(owner_of "$1")" "$LOCKS_MOST"; return; }
        lock "$link" || return
    done
}
# own_folders PLACE: the folders of locks there that are their owners' own, a line each, in $own. There may be a thousand of
# a stranger's: one program tells of all.
own_folders() {
    place=$1 own=''
    set --
    for folder in "$place"-[0-9]*; do
        case ${folder#"$place-"} in *[!0-9]*) continue ;; esac
        { [ -d "$folder" ] && [ ! -L "$folder" ]; } || continue
        [ $# -lt "$FOLDERS_MOST" ] || { complain too_many_lock_folders "$FOLDERS_MOST" "$place-UID" "$(owner_of "$folder")"; break; }
        set -- "$@" "$folder"
    done
    [ $# -gt 0 ] || return 0
    kinds=$(stat -c '%u %F %n' "$@") || [ $? -eq 1 ] || return # 1: one of them is gone
    while read -r uid kind folder; do
        [ "$kind $folder" != "directory $place-$uid" ] || own=$own$folder$line
    done <<KINDS
$kinds
KINDS
}
# held: the locks of other runs
held() {
    for place in $places; do
        [ -d "${place%/*}" ] || continue
        [ -r "${place%/*}" ] || { complain folder_not_listed "${place%/*}"; continue; }
        own_folders "$place" || return
        while read -r folder; do
            [ -z "$folder" ] || locks_in "$folder" || return
        done <<OWN || return
$own
OWN
    done
}

# unshared UID MODE...: such a folder is ours or root's, and others cannot write in it, or cannot take away what is not theirs
unshared() {
    case $1 in 0 | "$me") ;; *) return 1 ;; esac
    case $2 in [1357]???) ;; *[2367] | *[2367]?) return 1 ;; esac
}
# unfit CODE ARGUMENT...: why a place takes no lock, one more line of $why
unfit() { put "$@"; why="$why? $said$line"; return 1; }
# private FOLDER: it is ours, or was made so, and nobody else may write in it; else $why says why not
private() {
    [ -d "${1%/*}" ] || { unfit place_not_there "${1%/*}"; return; }
    kind=$(stat -c '%u %a %F' "${1%/*}/." "$1")
    # shellcheck disable=SC2086 # words
    unshared $kind || { unfit place_anybody_clears "${1%/*}"; return; }
    case $kind in
    *"$line"*) kind=${kind#*"$line"} ;;
    *) kind=$(umask 022; mkdir "$1"; stat -c '%u %a %F' "$1") || { unfit folder_not_made "$1"; return; } ;;
    esac
    uid=${kind%% *} kind=${kind#* }
    mode=${kind%% *} kind=${kind#* }
    [ "$uid $kind" = "$me directory" ] || { unfit folder_is_anothers "$1" "$kind" "$(owner_of "$1")"; return; }
    case $mode in *[2367] | *[2367]?) unfit others_may_write "$1" ;; esac
}
# take: our lock, in the first place that takes it. It counts for fresh_s, and then as long as a process of its test runs,
# or, for who may not see such processes, up to lease_s. So who died locks nobody out.
take() {
    [ -n "$run" ] || return 0
    now
    why=''
    words="$run $ASSAY_ATTEMPT $((now + fresh_s)) $((now + lease_s)) $(date -u +%Y-%m-%dT%H:%M:%SZ) $who"
    release
    for place in $places; do
        mine=$place-$me/$run.$ASSAY_ATTEMPT.$boot
        private "${mine%/*}" || continue
        ln -sT "$words" "$mine" && return
        unfit no_lock_made_in "${mine%/*}"
    done
    [ -n "$why" ] || unfit no_lock_made_in "$places" # there is no place
    printf %s "$why"
}
release() {
    for place in $places; do
        mine=$place-$me/$run.${lock_of:-$ASSAY_ATTEMPT}.$boot
        if [ -n "$run" ] && [ -L "$mine" ]; then rm -f "$mine"; fi
    done
}

# -- All together --

# ask: the last line says that all were asked
ask() { seen && slurm && kubernetes && held && refused && echo .; }
# told WORDS: what a question said, in $told
told() {
    told=$1
    case $line$told in
    *"$line.") told=${told%.} told=${told%"$line"} ;;
    *) told="$told$line? program_not_started" ;;
    esac
}
# again: another question may change the answer, and there is time for it. What has just ended may still be listed.
again() {
    round=$((round + 1))
    now
    [ "$round" -le 5 ] && [ $((now - began)) -lt $((limit_s / 3)) ]
}
take_and_look() { take && held && echo .; }
# The lock is taken where the host is nobody's, and only then. Who sees another's lock beside his own takes his back and
# asks again after a pause, and pauses differ: two never hold a host at once, and of two that meet one goes first.
before() {
    while told "$(ask)"; do
        if [ -z "$told" ]; then
            told "$(take_and_look)"
            [ -n "$told" ] || return
            release
        fi
        again || return
        sleep "$(awk -v p=$$ -v s="$pause_s" 'BEGIN { print s * (1 + p % 7 / 10) }')"
    done
}
after() {
    while told "$(ask)"; [ -n "$told" ] && again; do sleep "$pause_s"; done
    release
}

now
began=$now round=0
case $1 in
before)
    trap 'release; exit 3' TERM
    before
    ;;
after) after ;;
release) release ;;
*) told "$(ask)" ;;
esac
[ -n "$told" ] || exit 0
owners=$(printf '%s\n' "$told" | sed -n '/^? /!{ /./p; }' | awk '!seen[$0]++')
[ -z "$owners" ] || printf '%s\n' "$owners"
case $line$told in
*"$line? "*) ;;
*) [ -n "$owners" ] && exit 0; echo whose_not_written >&3; exit 3 ;;
esac
printf '%s\n' "$told" | sed -n 's/^? //p' | awk '!seen[$0]++' >&3
exit 3

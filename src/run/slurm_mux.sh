# SPDX-License-Identifier: Apache-2.0
# Several commands at a time through the one stdin and stdout of a Slurm step: the far side of transport_slurm.c, which
# sends this text before its first request.
#
# A request is a line; base64 is text that a variable can hold, so that a command that does not read holds up no other:
#   run N EXEC INPUT    and behind it as many bytes of each: the command as it stands, its input in base64
#   drop N              nobody wants it any more: what is of it in its process group ends; what left that (setsid) goes on
#   over N              it is known to have ended
# What comes back is lines too, each one write and shorter than PIPE_BUF, so that those of two channels never mix:
#   @assay-slurm up     it serves
#   N 1:BASE64          so much of the channel's stdout; 2: of its stderr
#   N end               both have ended
#
# Input holds secrets: it is in this shell's memory and in pipes, in no argument, environment or file.

# pack LABEL: what comes, as soon as it comes. dd reads what there is; grep ends the loop when that was nothing.
pack() {
    while dd bs=65536 count=1 2>/dev/null | base64 -w 3000 | grep -H --label="$1" --line-buffered '' >&3; do :; done
}

# channel N COMMAND: leads a process group of its own; stdin is the input
channel() {
    { { base64 -d | /bin/sh -c "$2" 3>&- 4>&-; } 2>&1 >&4 | pack "$1 2" 4>&-; } 4>&1 | pack "$1 1"
    printf '%s end\n' "$1" >&3
}

# begin N EXEC INPUT
begin() {
    line=$(head -c "$2" && echo .) && input=$(head -c "$3") || exit
    # shellcheck disable=SC2154 # the text of this very script: transport_slurm.c
    printf %s "$input" | setsid /bin/sh -c "$g" assay-slurm channel "$1" "${line%.}" &
    input=
    leaders="$leaders $1=$!"
}

end_group() { kill -s KILL -- "-$1" || kill -s KILL "$1"; } # it may not lead one yet
# leave N COMMAND: takes it off the list, and gives its leader to COMMAND
leave() {
    kept=
    for leader in $leaders; do
        if [ "${leader%=*}" = "$1" ]; then "$2" "${leader#*=}"; else kept="$kept $leader"; fi
    done
    leaders=$kept
}

. "$(dirname "$0")/slurm_end.sh"

# A login has these; a step without our environment has not. What it has of Slurm is about this one step, and would hold for
# every srun that a command here starts in the job.
as_at_login() {
    for name in $(env | sed -n 's/^\(SLURM_[A-Z0-9_]*\)=.*/\1/p'); do
        case $name in SLURM_CONF | SLURM_JOB_ID) ;; *) unset "$name" ;; esac
    done
    PATH=${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}
    USER=$(id -un) HOME=$(getent passwd "$(id -u)" | cut -d: -f6)
    LOGNAME=$USER
    export PATH USER LOGNAME HOME
    cd "$HOME" || cd /
}

serve() {
    leaders=
    as_at_login
    trap end_job TERM
    echo '@assay-slurm up' >&3
    while read -r verb n exec input; do
        case $verb in
        run) begin "$n" "$exec" "$input" ;;
        drop) leave "$n" end_group ;;
        over) leave "$n" wait ;;
        esac
    done
    for leader in $leaders; do end_group "${leader#*=}"; done
    exit 0
}

set +ax
exec 3>&1
case ${1:-} in
channel) channel "$2" "$3" ;;
*) exec 2>/dev/null; serve ;; # a shell may name what a drop has killed
esac

# SPDX-License-Identifier: Apache-2.0
# usage: ASSAY_DIR=FOLDER ASSAY_ATTEMPT=UUID [folder=/data] [lead_s=10] [ask_s=30] [clock_s=1] [answers=yes] sh clients.sh
# Starts work on all hosts at once, and prints their rows of key-value. ASSAY_DIR/hosts has a line for each host,
# "ADDRESS slots=8 # NAME", this one first. Of clients of a shared mount, folder, ASSAY_DIR/ask is storage_ask.sh, and
# ASSAY_DIR/work storage_client.sh or storage_shared.sh; of GPUs, which are asked nothing of a mount, they are power_ask.sh and
# power_client.sh.
#
# First all are asked. Who can work gets a place, in the order of the hosts, and the second at which the first job begins: lead_s
# from now, by the host's own clock where that is not further than clock_s from this one's, else by as much more or less. Rows that
# a host prints at a moment of its clock (client.clock, client.begun) get this host's clock behind them, so that all clocks are
# compared with one. A host that did not answer in time is in client.silent, with the exit status and what was said.
#
# With answers, the stdin of a host's work stays open behind its script, and each row client.ping gets a line there: what time it
# is here. How the work ended on its way is in client.left, likewise with the exit status and what was said.
#
# Of the launcher assay puts a function before it:
#   log_in ADDRESS WORDS   runs the script on its stdin there, with WORDS as its first argument
. "$(dirname "$0")/key_value.sh"
: "${folder:=}" "${lead_s:=10}" "${ask_s:=30}" "${clock_s:=1}" "${answers:=}"
command -v log_in >/dev/null || log_in() { timeout 600 ssh "$1" "exec /bin/sh -s '$2'"; }
dir=${folder:+$ASSAY_LAB_ROOT$folder/assay-clients-$ASSAY_ATTEMPT}

# of_client NAME: whether the row is of that host. What a host says of another one, or of all, is not taken.
of_client() {
    of_row=${row#*"$tab"}
    case $row in *"$tab"*) [ "${of_row%%"$tab"*}" = "$1" ] ;; *) false ;; esac
}
# stamped NAME: of that host's rows
stamped() {
    while IFS= read -r row; do
        of_client "$1" || continue
        case $row in client.clock"$tab"* | client.begun.*) row="$row $(date +%s.%N)" ;; esac
        printf '%s\n' "$row"
    done
}
# said: what somebody complained of on stdin, in one line
said() { sed 's/[\t\r]/ /g; /^ *$/d' | tail -n 3 | paste -s -d ';' - | cut -c 1-240; }

# start SCRIPT N ADDRESS WORDS: here without a login, for which no key needs to be at hand
start() {
    if [ "$2" = 1 ]; then sh "$ASSAY_DIR/$1" "$4"; else log_in "$3" "$4" <"$ASSAY_DIR/$1"; fi 2>"$ASSAY_DIR/$1.$2.err"
    echo $? >"$ASSAY_DIR/$1.$2.rc"
}
# answered N ADDRESS NAME WORDS: work whose questions are answered. Its script ends by exit, for its stdin does not.
answered() {
    mkfifo "$ASSAY_DIR/answers.$1"
    { [ "$1" = 1 ] || cat "$ASSAY_DIR/work"; exec cat "$ASSAY_DIR/answers.$1"; } | {
        if [ "$1" = 1 ]; then sh "$ASSAY_DIR/work" "$4"; else log_in "$2" "$4"; fi 2>"$ASSAY_DIR/work.$1.err"
        put client.left "$3" "$? $(said <"$ASSAY_DIR/work.$1.err")"
    } | {
        exec 3>"$ASSAY_DIR/answers.$1"
        while IFS= read -r row; do
            of_client "$3" || continue
            case $row in client.ping"$tab"*) date +%s.%N >&3 ;; *) printf '%s\n' "$row" ;; esac
        done
    }
}
# bounded SECONDS PROCESS: it is waited for that long
bounded() {
    left=$(($1 * 2))
    while kill -0 "$2" 2>/dev/null && [ $left -gt 0 ]; do
        sleep 0.5
        left=$((left - 1))
    done
}

n=0
while read -r address _ _ name; do
    n=$((n + 1)) name=${name:-$address}
    put client.asked "$name" "$(date +%s.%N)" | tee "$ASSAY_DIR/ask.$n.out"
    { start ask $n "$address" "$name" | stamped "$name" >>"$ASSAY_DIR/ask.$n.out"; } </dev/null &
    echo "$n $address $name $!" >>"$ASSAY_DIR/asked"
done <"$ASSAY_DIR/hosts"
: >"$ASSAY_DIR/fit"
while read -r n address name process; do
    bounded "$ask_s" "$process"
    grep -v '^client\.asked' "$ASSAY_DIR/ask.$n.out"
    grep -q "^client\.works" "$ASSAY_DIR/ask.$n.out" ||
        put client.silent "$name" "$(cat "$ASSAY_DIR/ask.$n.rc" 2>/dev/null || echo 124) $(said <"$ASSAY_DIR/ask.$n.err")"
    ! grep -q "^client\.works$tab$name${tab}yes\$" "$ASSAY_DIR/ask.$n.out" || echo "$n $address $name" >>"$ASSAY_DIR/fit"
done <"$ASSAY_DIR/asked"

# When a host's clock shows the head's second $begin: it is ahead by no less than what it showed less when its word came, and by
# no more than what it showed less when it was asked.
begin_of() {
    awk -F '\t' -v begin="$begin" -v far="$clock_s" '
        $1 == "client.asked" { asked = $3 }
        $1 == "client.clock" {
            split($3, at, " ")
            if (!n++ || at[1] - at[2] > least) least = at[1] - at[2]
            if (n == 1 || at[1] - asked < most) most = at[1] - asked
        }
        END { off = least > 0 ? least : most < 0 ? most : 0; printf "%.3f", begin + (off > far || -off > far ? off : 0) }
    ' "$ASSAY_DIR/ask.$1.out"
}
fit=$(cat "$ASSAY_DIR/fit") place=0 begin=$(($(date +%s) + lead_s)) working=
count=$(printf '%s' "$fit" | grep -c .)
put clients.begin '' "$begin"
[ -z "$dir" ] || trap 'rm -rf -- "$dir"; exit 143' TERM HUP INT
while [ $place -lt "$count" ] && read -r n address name; do
    put client.place "$name" $place
    words="$name $place $count $(begin_of "$n")"
    if [ -n "$answers" ]; then answered "$n" "$address" "$name" "$words"; else start work "$n" "$address" "$words" | stamped "$name"; fi </dev/null &
    place=$((place + 1)) working="$working $!"
done <<END
$fit
END
# Not for those that still have not answered.
# shellcheck disable=SC2086 # words
[ -z "$working" ] || wait $working
echo 'key-value end'
# What is left of who was killed; not where this host could not work there itself. The work is done, whatever becomes of that: a mount
# may still show what another host took away a moment ago, which then cannot be removed.
case $dir:$fit in ?*:'1 '*) timeout 60 rm -rf -- "$dir" || { sleep 2; timeout 60 rm -rf -- "$dir"; } || : ;; esac

# SPDX-License-Identifier: Apache-2.0
# usage: ASSAY_DIR=FOLDER [logins_at_once=32] [pairs_at_once=8] sh launch.sh
# Whether a command gets from this host, the head, to others; as rows of key-value. FOLDER/hosts has a line for each,
# "ADDRESS slots=8 # NAME", the head first; FOLDER/ask is the script that each is asked by (launch_ask.sh).
#
# Of the launcher, assay puts two functions before it:
#   log_in ADDRESS NAME           runs the script on its stdin there
#   launch HOSTS COUNT PROGRAM... starts one rank on each of HOSTS, "node1,node2"
. "$(dirname "$0")/key_value.sh"
: "${logins_at_once:=32}" "${pairs_at_once:=8}"
command -v log_in >/dev/null || log_in() { timeout 40 ssh "$1" "exec /bin/sh -s '$2'"; }
command -v launch >/dev/null || launch() {
    of=$1 ranks=$2
    shift 2
    timeout 60 mpirun --allow-run-as-root -H "$of" -np "$ranks" --map-by ppr:1:node "$@"
}
fit=$ASSAY_DIR/fit

# said: what somebody complained of on stdin, in one line
said() { sed 's/[\t\r]/ /g; /^ *$/d' | tail -n 3 | paste -s -d ';' - | cut -c 1-240; }

# All at once, the head without a login: mpirun needs none for it.
n=0
while read -r address _ _ name; do
    n=$((n + 1)) name=${name:-$address}
    if [ $n = 1 ]; then sh "$ASSAY_DIR/ask" "$name" >"$ASSAY_DIR/1.out" 2>"$ASSAY_DIR/1.err"
    else
        (
            log_in "$address" "$name" <"$ASSAY_DIR/ask" >"$ASSAY_DIR/$n.out" 2>"$ASSAY_DIR/$n.err"
            echo $? >"$ASSAY_DIR/$n.rc"
        ) &
    fi
    [ $((n % logins_at_once)) != 0 ] || wait
done <"$ASSAY_DIR/hosts"
wait

# Then $fit has those that answered, "address name".
n=0
while read -r address _ _ name; do
    n=$((n + 1)) name=${name:-$address}
    if grep -q '^launch\.asked' "$ASSAY_DIR/$n.out"; then
        put launch.ssh "$name" ok
        echo "$address $name" >>"$fit"
        grep '^launch\.' "$ASSAY_DIR/$n.out"
    else put launch.ssh "$name" "$(cat "$ASSAY_DIR/$n.rc") $(said <"$ASSAY_DIR/$n.err")"; fi
done <"$ASSAY_DIR/hosts"

# start SUBJECT HOSTS COUNT
start() {
    # shellcheck disable=SC2016 # each rank's own
    launch "$2" "$3" sh -c 'echo "launched on $(hostname)"' >"$ASSAY_DIR/$1.out" 2>"$ASSAY_DIR/$1.err"
    rc=$? answers=$(sed -n 's/^.*launched on //p' "$ASSAY_DIR/$1.out" | tr '\n' ' ')
    put launch.answers "$1" "answers: $answers"
    if [ $rc = 0 ] && [ "$(printf '%s' "$answers" | tr ' ' '\n' | sort -u | grep -c .)" = "$3" ]; then return; fi
    put launch.trouble "$1" "$rc $(sed '/^-*$/d' "$ASSAY_DIR/$1.err" | head -n 3 | said)"
    return 1
}
hosts_of() { head -n "$1" "$fit" | cut -d ' ' -f 1 | paste -s -d , -; }
# pairs BEFORE SIZE: the head with each host that is new in a launch of that size
pairs() {
    n=0
    sed -n "$(($1 + 1)),$2p" "$fit" | {
        while read -r address name; do
            n=$((n + 1))
            start "pair.$name" "$(hosts_of 1),$address" 2 </dev/null &
            [ $((n % pairs_at_once)) != 0 ] || wait
        done
        wait
    }
}
all=$(grep -c . "$fit") size=1 before=0
while start "$size" "$(hosts_of "$size")" "$size" && [ "$size" -lt "$all" ]; do
    before=$size size=$((size * 2))
    [ "$size" -le "$all" ] || size=$all
done
if [ $rc != 0 ] || [ "$size" != "$all" ]; then [ "$size" -le 2 ] || pairs "$before" "$size"; fi
echo 'key-value end'

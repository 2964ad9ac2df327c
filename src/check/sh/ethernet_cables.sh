# SPDX-License-Identifier: Apache-2.0
# usage: ASSAY_DIR=FOLDER [uplinks=PLAN] [logins_at_once=32] sh ethernet_cables.sh, as root
# FOLDER/cables, and on stdout: the cables of these hosts as their own lldpd tells them, and those of the plan, a line a cable:
# node,port,node,port,Gb/s; hosts' ports by their adapters. FOLDER/hosts has a line for each host, "ADDRESS slots=8 # NAME", the head
# first; FOLDER/ask is what each is asked by (ethernet_cables_ask.sh).
#
# Of the launcher, assay puts a function before it:
#   log_in ADDRESS NAME   runs the script on its stdin there
: "${uplinks:=}" "${logins_at_once:=32}"
command -v log_in >/dev/null || log_in() { timeout 40 ssh "$1" "exec /bin/sh -s '$2'"; }

TOLD_MOST=1000000 PLAN_MOST=64000000 # bytes; whoever tells more fills no disk
# kept COMMAND...: what it prints, in $n.out and $n.err
kept() { { "$@" 2>&1 >&3 | head -c 4096 >"$ASSAY_DIR/$n.err"; } 3>&1 | head -c $TOLD_MOST >"$ASSAY_DIR/$n.out"; }

# All at once, the head without a login.
n=0
while read -r address _ _ name; do
    n=$((n + 1)) name=${name:-$address}
    if [ $n = 1 ]; then kept sh "$ASSAY_DIR/ask" "$name" </dev/null
    else kept log_in "$address" "$name" <"$ASSAY_DIR/ask" &
    fi
    [ $((n % logins_at_once)) != 0 ] || wait
done <"$ASSAY_DIR/hosts"
wait

# own_words NAME: of what a host tells only what it tells of itself: of others it may tell what it likes
own_words() {
    name=$1 awk -F , '
        NR == 1 && ($1 != "host" || $2 != ENVIRON["name"] || NF != 3) { exit }
        NR == 1 { own = $3; print; next }
        $2 == own && ($1 == "hca" && NF == 4 || $1 == "cable" && NF == 6)'
}
n=0
while read -r address _ _ name; do
    n=$((n + 1)) name=${name:-$address}
    sed "s/^/$name: /" "$ASSAY_DIR/$n.err" | head -n 3 >&2
    own_words "$name" <"$ASSAY_DIR/$n.out"
done <"$ASSAY_DIR/hosts" >"$ASSAY_DIR/told"
: >"$ASSAY_DIR/plan"
[ -z "$uplinks" ] || head -c $PLAN_MOST "$uplinks" >"$ASSAY_DIR/plan" || exit
[ "$(wc -c <"$ASSAY_DIR/plan")" -lt $PLAN_MOST ] || { echo "$uplinks: it is longer than any plan" >&2; exit 1; }
# A line that breaks off would tell another rate.
[ -z "$(tail -c 1 "$ASSAY_DIR/plan")" ] || { echo "$uplinks: its last line breaks off: no line break ends it" >&2; exit 1; }

# Names are the same with a domain and without one. What the plan tells of a host's cable as the host does is told once; what it tells
# otherwise is refused: another port, which then has two cables, where it is read, and another rate where that is so of half of the cables.
# Of fewer the host's word holds: it trained slow, and is named by those beside it. Of what the host does not tell, the plan's word holds.
# A host that calls itself as a switch or another host is called would tell of their cables. The plan may be any file: nothing of it is
# shown but cables.
awk -F , -v OFS=, '
    function plain(node) { node = tolower(node); if (node ~ /[^0-9.]/) sub(/\..*/, "", node); return node }
    function same(a, b) { a = tolower(a); b = tolower(b); return a == b || (plain(a) == plain(b) && (a !~ /\./ || b !~ /\./)) }
    function refuse(what) { print what | "cat >&2"; refused = 1; exit 1 }
    function claim(called, host, key) {
        key = plain(called)
        if (key in owner && owner[key] != host && same(called, claimed[key])) refuse(owner[key] " and " host " are both called " called)
        owner[key] = host; claimed[key] = called
    }
    FNR == NR && $1 == "host" { claim($2, $2); claim($3, $2); own[plain($2)] = own[plain($3)] = $3 }
    FNR == NR && $1 == "cable" { far[plain($4)] = $4 }
    FNR == NR && $1 == "hca" { hca[plain($2), $4] = $3 }
    FNR == NR && $1 == "cable" { leaf[plain($2), $3] = $4; port[plain($2), $3] = $5; gbits[plain($2), $3] = $6; print $2, $3, $4, $5, $6 }
    FNR == NR { next }
    { for (i = 1; i <= NF; i++) gsub(/^[ \t"]+|[ \t\r"]+$/, "", $i) }
    /^#/ || NF == 0 || (NF == 1 && $1 == "") { next }
    FNR == 1 && NF == 5 && !/[0-9]/ { next }
    NF != 5 || $5 !~ /^[0-9.]+([eE][+-]?[0-9]+)?$/ { refuse("line " FNR " of the plan of cables: expected node,port,node,port,GBITS") }
    { far[plain($3)] = $3 }
    plain($1) in own {
        $1 = own[plain($1)]
        if ((plain($1), $2) in hca) $2 = hca[plain($1), $2]
        if (same(leaf[plain($1), $2], $3) && port[plain($1), $2] == $4) {
            compared++
            if (gbits[plain($1), $2] + 0 != $5 + 0 && !others++) other = $1 " " $2 " runs at " gbits[plain($1), $2] " Gb/s, and the plan says " $5
            next
        }
    }
    { print }
    END {
        if (refused) exit 1
        for (key in far) if (key in owner && same(claimed[key], far[key])) refuse(owner[key] " is called " far[key] ", as a switch is")
        if (others && 2 * others >= compared) refuse(other (others > 1 ? "; so it is of " (others - 1) " more" : ""))
    }' "$ASSAY_DIR/told" "$ASSAY_DIR/plan" >"$ASSAY_DIR/cables" && cat "$ASSAY_DIR/cables"

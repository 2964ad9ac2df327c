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

# All at once, the head without a login.
n=0
while read -r address _ _ name; do
    n=$((n + 1)) name=${name:-$address}
    if [ $n = 1 ]; then sh "$ASSAY_DIR/ask" "$name" >"$ASSAY_DIR/1.out" 2>"$ASSAY_DIR/1.err"
    else log_in "$address" "$name" <"$ASSAY_DIR/ask" >"$ASSAY_DIR/$n.out" 2>"$ASSAY_DIR/$n.err" &
    fi
    [ $((n % logins_at_once)) != 0 ] || wait
done <"$ASSAY_DIR/hosts"
wait

n=0
while read -r address _ _ name; do
    n=$((n + 1))
    sed "s/^/${name:-$address}: /" "$ASSAY_DIR/$n.err" | head -n 3 >&2
    cat "$ASSAY_DIR/$n.out"
done <"$ASSAY_DIR/hosts" >"$ASSAY_DIR/told"
: >"$ASSAY_DIR/plan"
[ -z "$uplinks" ] || cat "$uplinks" >"$ASSAY_DIR/plan" || exit
# A line that breaks off would tell another rate.
[ -z "$(tail -c 1 "$ASSAY_DIR/plan")" ] || { echo "$uplinks: its last line breaks off: no line break ends it" >&2; exit 1; }

# Names are the same with a domain and without one. What the plan tells of a host's cable as the host does is told once; what it tells
# otherwise is told twice, and is refused where it is read. Of what the host does not tell, the plan's word holds.
awk -F , -v OFS=, '
    function plain(node) { node = tolower(node); sub(/\..*/, "", node); return node }
    function same(a, b) { a = tolower(a); b = tolower(b); return a == b || (plain(a) == plain(b) && (a !~ /\./ || b !~ /\./)) }
    FNR == NR && $1 == "host" { own[plain($2)] = own[plain($3)] = $3 }
    FNR == NR && $1 == "hca" { hca[plain($2), $4] = $3 }
    FNR == NR && $1 == "cable" { leaf[plain($2), $3] = $4; port[plain($2), $3] = $5; print $2, $3, $4, $5, $6 }
    FNR == NR { next }
    { for (i = 1; i <= NF; i++) gsub(/^[ \t"]+|[ \t\r"]+$/, "", $i) }
    FNR == 1 && NF == 5 && $5 !~ /^[0-9.]+$/ { next }
    NF == 5 && plain($1) in own {
        $1 = own[plain($1)]
        if ((plain($1), $2) in hca) $2 = hca[plain($1), $2]
        if (same(leaf[plain($1), $2], $3) && port[plain($1), $2] == $4) next
    }
    { print }' "$ASSAY_DIR/told" "$ASSAY_DIR/plan" >"$ASSAY_DIR/cables" && cat "$ASSAY_DIR/cables"

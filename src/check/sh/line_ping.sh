# SPDX-License-Identifier: Apache-2.0
# usage: address=HOST [pings=N] [interval_s=N] sh line_ping.sh
# Packets to that host and back, as rows of key-value:
#
#   line.pings   "SENT RECEIVED" of small ones
#   line.times   how long each took, in ms
#   line.mtu     of the interface that leads there
#   line.whole   yes | lost | too large: what becomes of packets of that size that nobody may take apart; too large where
#                something on the way says that it takes smaller ones only
#
# Needs ping of iputils. ping_tool is a function that assay puts before it.
. "$(dirname "$0")/key_value.sh"
: "${address:?}" "${pings:=50}" "${interval_s:=0.2}"
command -v ping_tool >/dev/null || ping_tool() { ping "$@"; }
WAIT_S=2 PROBES=3 LARGEST=65507
# summary TEXT: "SENT RECEIVED", from "50 packets transmitted, 49 received, 2% packet loss, time 9812ms"
summary() { printf '%s\n' "$1" | sed -n 's/^\([0-9][0-9]*\) packets transmitted, \([0-9][0-9]*\) received,.*/\1 \2/p'; }

told=$(ping_tool -n -c "$pings" -i "$interval_s" -W $WAIT_S "$address" 2>&1)
rc=$?
[ $rc != 127 ] || { printf '%s\n' "$told" >&2; exit 127; }
counts=$(summary "$told")
if [ -n "$counts" ]; then
    put line.pings '' "$counts"
    put line.times '' "$(printf '%s\n' "$told" | sed -n 's/.*icmp_seq=[0-9]* .*time[=<]\([0-9.]*\) ms.*/\1/p' | tr '\n' ' ')"
else
    untabbed "$told"
    lack line.pings '' ping_ended_with $rc "$first"
fi

# probe COUNT SIZE: packets that nobody may take apart, in $told what ping says and in $returned how many came back
probe() {
    told=$(ping_tool -n -c "$1" -i "$interval_s" -W $WAIT_S -M 'do' -s "$2" "$address" 2>&1)
    returned=$(summary "$told")
    returned=${returned#* }
}
# One of them may be lost as any other is.
whole() {
    probe $PROBES $((mtu - headers))
    case "$returned $told" in
    *[Ff]'rag needed'* | *'Packet too big'*) put line.whole '' 'too large' ;;
    [01]' '*) put line.whole '' lost ;;
    [2-9]*) put line.whole '' yes ;;
    *) untabbed "$told"; lack line.whole '' ping_told_no_size "$first" ;;
    esac
}
# One that no interface takes: the kernel says what this one does.
probe 1 $LARGEST
# Of IPv4 ping names the whole packet too; a name may lead to either.
case $told in *"($((LARGEST + 28)))"*) headers=28 ;; *) headers=48 ;; esac
mtu=$(printf '%s\n' "$told" | sed -n 's/.*mtu *[=:] *\([0-9][0-9]*\).*/\1/p' | head -n 1)
[ "$returned" != 1 ] || mtu=$((LARGEST + 28))
if [ -z "$mtu" ]; then
    untabbed "$told"
    lack line.mtu '' ping_told_no_size "$first"
    lack line.whole '' ping_told_no_size "$first"
else
    put line.mtu '' "$mtu"
    case $counts in *' 0' | '') lack line.whole '' no_small_packet_returned ;; *) whole ;; esac
fi
echo 'key-value end'

# SPDX-License-Identifier: Apache-2.0
# usage: hca=HCA [perfquery=PATH] [at_once=16] sh fabric_links_counters.sh <PORTS, as root
# PORTS has a line "LID PORT" each. Of each that answers a row: LID, port, PortXmitData, PortRcvData, SymbolErrorCounter, or - for
# one that it does not tell. Fails where none does.
: "${hca:?}" "${perfquery:=perfquery}" "${at_once:=16}"
# A port's answer is written at once, so that those of several do not mix.
xargs -n 2 -P "$at_once" "$perfquery" -C "$hca" -P 1 -x 2>/dev/null |
    awk '
    function row() { if (lid != "") { print lid, port, sent, received, errors; rows++ } }
    /^# Port extended counters: Lid [0-9]+ port [0-9]+/ { row(); lid = $6; port = $8; sent = received = errors = "-" }
    { value = $0; sub(/^[^:]*:\.*/, "", value) }
    /^PortXmitData:\.*[0-9]+$/ { sent = value }
    /^PortRcvData:\.*[0-9]+$/ { received = value }
    /^SymbolErrorCounter:\.*[0-9]+$/ { errors = value }
    END { row(); exit rows == 0 }'

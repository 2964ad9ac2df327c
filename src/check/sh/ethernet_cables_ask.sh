# SPDX-License-Identifier: Apache-2.0
# usage: [lldpctl=lldpctl] sh ethernet_cables_ask.sh NAME HCA..., as root
# What a host tells of the cables of these HCAs, fields between commas, as ethernet_cables.sh reads them:
#   host,NAME,OWN-NAME                          NAME: as the hostfile calls it
#   hca,OWN-NAME,HCA,NETDEV                     of each
#   cable,OWN-NAME,HCA,SWITCH,PORT,GBITS        of each at whose other end one neighbour tells its name and its port
name=$1
shift
: "${lldpctl:=lldpctl}"
own=$(hostname) || exit
echo "host,$name,$own"
told=$("$lldpctl" -f keyvalue) || told=
cd "$ASSAY_LAB_ROOT/sys/class/infiniband" || exit
for d in "$@"; do
    n=$(cat "$d/ports/1/gid_attrs/ndevs/0" 2>/dev/null)
    echo "hca,$own,$d,$n"
    # A port is called as its switch calls it. Where that is an address it is called by how it is described, if that is one word.
    printf '%s\n' "$told" | awk -v at="lldp.$n." -v row="cable,$own,$d" -v speed="$(cat "../net/$n/speed" 2>/dev/null)" '
        index($0, at) != 1 { next }
        { key = value = substr($0, length(at) + 1); sub(/=.*/, "", key); sub(/^[^=]*=/, "", value) }
        key == "chassis.name" { several += (name != "" && name != value); name = value }
        key == "port.ifname" || key == "port.local" { several += (port != "" && port != value); port = value }
        key == "port.mac" { several += (address != "" && address != value); address = value }
        key == "port.descr" { description = value }
        END {
            gsub(":", "-", address)
            if (port == "") port = description != "" && description !~ /[ \t#:>,]/ ? description : address
            if (several == 0 && name != "" && port != "" && speed > 0) print row "," name "," port "," speed / 1000
        }'
done

# SPDX-License-Identifier: Apache-2.0
# usage: [mlnx_qos=PROGRAM] sh roce_settings.sh HCA...
# Of each HCA on Ethernet "== HCA NETDEV ==", and below it MTU, congestion control as the kernel's files have it, and
# flow control by mlnx_qos or, where that is not there, by dcb.
: "${mlnx_qos:=mlnx_qos}"
# The function of that name, which assay puts before it, is always there.
has_mlnx_qos() { (unset -f mlnx_qos; command -v "$mlnx_qos") >/dev/null; }
cd "$ASSAY_LAB_ROOT/sys/class/infiniband" || exit
for d in "$@"; do
    [ "$(cat "$d/ports/1/link_layer")" = Ethernet ] || continue
    n=$(cat "$d/ports/1/gid_attrs/ndevs/0") || exit
    echo "== $d $n =="
    echo "mtu: $(cat "../net/$n/mtu")"
    grep -sH . "../net/$n"/ecn/roce_*/enable/*
    if command -v dcb >/dev/null && ! has_mlnx_qos; then dcb pfc show dev "$n"; else mlnx_qos -i "$n"; fi || exit
done

# SPDX-License-Identifier: Apache-2.0
# usage: sh cabling_lldp.sh HCA..., as root
# "== lldpctl ==" and what it tells of the switches, then "== HCA NETDEV SPEED ==" for each, at last "== end ==".
echo '== lldpctl =='
lldpctl 2>&1 || { rc=$?; [ $rc -lt 126 ] || exit $rc; }
cd "$ASSAY_LAB_ROOT/sys/class/infiniband" || exit
for d in "$@"; do
    n=$(cat "$d/ports/1/gid_attrs/ndevs/0" 2>/dev/null)
    echo "== $d $n $(cat "../net/$n/speed" 2>/dev/null) =="
done
echo '== end =='

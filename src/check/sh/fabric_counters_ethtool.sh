# SPDX-License-Identifier: Apache-2.0
# usage: sh fabric_counters_ethtool.sh HCA...
# Of each HCA on Ethernet "== HCA ==" and the counters of the network device beneath it: pauses and discards are told
# only there.
cd "$ASSAY_LAB_ROOT/sys/class/infiniband" || exit
for d in "$@"; do
    [ "$(cat "$d/ports/1/link_layer")" = Ethernet ] || continue
    n=$(cat "$d/ports/1/gid_attrs/ndevs/0") && echo "== $d ==" && ethtool -S "$n" || exit
done

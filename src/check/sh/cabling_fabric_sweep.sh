# SPDX-License-Identifier: Apache-2.0
# usage: ASSAY_DIR=FOLDER sh cabling_fabric_sweep.sh HCA..., as root
# ibdiagnet from each HCA of this host that no sweep before it has seen: where HCAs are on fabrics of their own (a rail
# each), once for each. FOLDER/HCA/ibdiagnet2.lst has the links.
for d in "$@"; do
    ! grep -qsF "{$(hostname -s) $d}" "$ASSAY_DIR"/*/ibdiagnet2.lst || continue
    ibdiagnet -i "$d" -p 1 -o "$ASSAY_DIR/$d" --skip pm 2>&1 || { rc=$?; [ $rc -lt 126 ] || exit $rc; }
done

# SPDX-License-Identifier: Apache-2.0
# usage: ASSAY_DIR=FOLDER sh fabric_phy_sweep.sh HCA, as root
# ibdiagnet with what each port counts and its module tells, into FOLDER/HCA. The second option is of a plugin that old modules need and
# new versions do not have: one that does not know it writes no links, and is asked without it.
sweep() { ibdiagnet -i "$hca" -p 1 -o "$ASSAY_DIR/$hca" --get_phy_info "$@" 2>&1 || { rc=$?; [ $rc -lt 126 ] || exit $rc; }; }
hca=$1
answer=$(sweep --get_cable_info) || exit $?
if [ -s "$ASSAY_DIR/$hca/ibdiagnet2.lst" ]; then printf '%s\n' "$answer"; else sweep; fi

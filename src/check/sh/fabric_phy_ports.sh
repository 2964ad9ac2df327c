# SPDX-License-Identifier: Apache-2.0
# usage: ASSAY_DIR=FOLDER sh fabric_phy_ports.sh
# The table of ports of the sweep, without its comments; a last line that nothing ends stays so. Fails where there is none.
for f in "$ASSAY_DIR"/*/ibdiagnet2.net_dump_ext; do sed '/^[[:space:]]*#/d;/^[[:space:]]*$/d' "$f" || exit; done

# SPDX-License-Identifier: Apache-2.0
# usage: ASSAY_DIR=FOLDER sh fabric_links_routes.sh
# The tables of the sweep, of each row the LID and the port alone: half of the bytes, of which there are many.
sed 's/^\(0x[0-9a-fA-F]*\)  *: *\([0-9][0-9]*\)  *:.*/\1 \2/' "$ASSAY_DIR"/*/ibdiagnet2.fdbs

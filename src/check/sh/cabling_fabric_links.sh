# SPDX-License-Identifier: Apache-2.0
# usage: ASSAY_DIR=FOLDER sh cabling_fabric_links.sh
# The links of all sweeps that end at a host: those between switches are nobody's rails.
cat "$ASSAY_DIR"/*/ibdiagnet2.lst | grep -F '{ CA' || [ $? = 1 ]

# SPDX-License-Identifier: Apache-2.0
# usage: sh ib_port.sh
# Model, firmware and ports of all HCAs, as `grep -H` prints the kernel's files. 2: a file could not be read. Other makes
# of HCAs lack some, and what is missing is missed by name.
cd "$ASSAY_LAB_ROOT/" || exit
c='sys/class/infiniband/*'
# shellcheck disable=SC2086 # patterns
grep -H . $c/hca_type $c/fw_ver $c/board_id $c/node_guid $c/ports/*/state $c/ports/*/phys_state $c/ports/*/rate $c/ports/*/link_layer
[ $? -le 2 ]

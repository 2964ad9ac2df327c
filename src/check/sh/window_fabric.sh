# SPDX-License-Identifier: Apache-2.0
# usage: sh window_fabric.sh
# The counters of all ports that a test may move, as `grep -H` prints the kernel's files. What is missing is missed by
# name.
for c in link_downed link_error_recovery symbol_error port_rcv_errors port_xmit_discards port_xmit_data port_rcv_data; do
    grep -sH . "$ASSAY_LAB_ROOT"/sys/class/infiniband/*/ports/*/counters/$c
done
:

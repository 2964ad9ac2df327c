# SPDX-License-Identifier: Apache-2.0
# usage: sh window_fabric.sh
# The counters of all ports that a test may move, as `grep -H` prints the kernel's files. What is missing is missed by
# name. One program for all of them: this is asked before and after every test.
set --
for c in link_downed link_error_recovery symbol_error port_rcv_errors local_link_integrity_errors \
    excessive_buffer_overrun_errors port_xmit_discards port_xmit_data port_rcv_data; do
    set -- "$@" "$ASSAY_LAB_ROOT"/sys/class/infiniband/*/ports/*/counters/$c
done
for c in packet_seq_err local_ack_timeout_err out_of_sequence rnr_nak_retry_err implied_nak_seq_err duplicate_request \
    req_transport_retries_exceeded np_cnp_sent np_ecn_marked_roce_packets rp_cnp_handled roce_adp_retrans roce_slow_restart; do
    set -- "$@" "$ASSAY_LAB_ROOT"/sys/class/infiniband/*/ports/*/hw_counters/$c
done
grep -sH . "$@"
:

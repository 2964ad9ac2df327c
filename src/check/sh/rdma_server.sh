# SPDX-License-Identifier: Apache-2.0
# usage: [first_port=N] [flags='FLAG...'] [gpudirect=yes] [server_s=N] sh rdma_server.sh HCA...
# The receiving side of check rdma-pair: a server for each HCA, one after the other, each ended after server_s. ib_bw is
# ib_write_bw or ib_send_bw under that deadline, a function that assay puts before it.
: "${first_port:=18515}" "${flags:=}" "${gpudirect:=}"
command -v ib_bw >/dev/null || ib_bw() { timeout -k 5 "${server_s:=30}" ib_write_bw "$@"; }
i=0
for hca in "$@"; do
    # shellcheck disable=SC2086 # words
    ib_bw -d "$hca" -p $((first_port + i)) $flags ${gpudirect:+--use_cuda=$i} >/dev/null 2>&1
    i=$((i + 1))
done

# SPDX-License-Identifier: Apache-2.0
# usage: sh rdma_pair.sh
# Starts the server on one host and the client on the other. receive and send are functions that assay puts before it;
# receive replaces its shell, so that what is ended is the launcher.
command -v receive >/dev/null || receive() { exec sh "$(dirname "$0")/rdma_server.sh" mlx5_0; }
command -v send >/dev/null || send() { server=localhost sh "$(dirname "$0")/rdma_client.sh" mlx5_0; }
(receive) >/dev/null 2>&1 &
server=$!
send
rc=$?
kill $server 2>/dev/null
wait $server 2>/dev/null
exit $rc

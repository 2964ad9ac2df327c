# SPDX-License-Identifier: Apache-2.0
# usage: [first_port=N] [pause_s=N] [flags='FLAG...'] sh rdma_local.sh [SENDER RECEIVER]...
# ib_write_bw from one HCA of this host to another, one after the other; exit status: that of the last client that
# failed. ib_bw is a function that assay puts before it and that replaces its shell, so that what is ended is the tool.
: "${first_port:=18515}" "${pause_s:=2}" "${flags:=}"
command -v ib_bw >/dev/null || ib_bw() { exec ib_write_bw "$@"; }
bad=0 port=$first_port
while [ $# -ge 2 ]; do
    # shellcheck disable=SC2086 # words
    (ib_bw -d "$2" -p "$port" $flags) >/dev/null 2>&1 &
    server=$!
    # The receiver takes memory before it listens.
    sleep "$pause_s"
    # shellcheck disable=SC2086 # words
    (ib_bw -d "$1" -p "$port" $flags localhost) || bad=$?
    kill $server 2>/dev/null
    wait $server 2>/dev/null
    port=$((port + 1))
    shift 2
done
exit $bad

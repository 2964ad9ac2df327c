# SPDX-License-Identifier: Apache-2.0
# usage: server=HOST [first_port=N] [flags='FLAG...'] [gpudirect=yes] [client_s=N] [pause_s=N] sh rdma_client.sh HCA...
# The sending side of check rdma-pair: what the tool prints for each HCA. Only what could not be reached is tried again,
# for client_s: the server takes memory, and its turn, before it listens. Exit status: the last bad one.
: "${server:?}" "${first_port:=18515}" "${flags:=}" "${gpudirect:=}" "${client_s:=40}" "${pause_s:=0.5}"
command -v ib_bw >/dev/null || ib_bw() { ib_write_bw "$@"; }
bad=0 i=0
for hca in "$@"; do
    end=$(($(date +%s) + client_s))
    # shellcheck disable=SC2086 # words
    while out=$(ib_bw -d "$hca" -p $((first_port + i)) $flags ${gpudirect:+--use_cuda=$i} "$server" 2>&1)
        rc=$?
        [ "$(date +%s)" -lt "$end" ]
    do
        case $out in *"Couldn't connect"*) sleep "$pause_s" ;; *) break ;; esac
    done
    printf '%s\n' "$out"
    [ $rc = 0 ] || bad=$rc
    i=$((i + 1))
done
exit $bad

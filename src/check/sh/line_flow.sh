# SPDX-License-Identifier: Apache-2.0
# usage: [ASSAY_DIR=FOLDER] address=HOST [port=N] [flags='-P 8 -t 10'] [connect_s=N] [pause_s=N] sh line_flow.sh
# What iperf3 says of the way to that host, as JSON; flags -R: of the way back. Only what could not be connected is tried again, for
# connect_s: the server is started meanwhile, or still serves somebody else.
#
# The suite's functions, which assay puts before it:
#   iperf   the client
#   serve   the server on the other host, for one test; it replaces its shell. Without it one runs there already
: "${address:?}" "${port:=5201}" "${flags:=}" "${connect_s:=15}" "${pause_s:=0.5}" "${ASSAY_DIR:=.}"
command -v iperf >/dev/null || iperf() { iperf3 "$@"; }
server=
if command -v serve >/dev/null; then
    (serve) >"$ASSAY_DIR/serve.out" 2>&1 </dev/null &
    server=$!
fi
until=$(($(date +%s) + connect_s))
# shellcheck disable=SC2086 # words
while out=$(iperf -c "$address" -p "$port" $flags -J)
    rc=$?
    [ "$(date +%s)" -lt "$until" ]
do
    case $out in *'unable to connect'* | *'server is busy'*) sleep "$pause_s" ;; *) break ;; esac
done
printf '%s\n' "$out"
[ -n "$server" ] || exit $rc
# Why nobody answered, the server knows.
case $out in *'unable to connect'*) grep . "$ASSAY_DIR/serve.out" | tail -n 3 >&2 ;; esac
kill $server 2>/dev/null
wait $server 2>/dev/null
exit $rc

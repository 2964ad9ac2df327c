# SPDX-License-Identifier: Apache-2.0
# usage: ASSAY_DIR=FOLDER ASSAY_ATTEMPT=UUID folder=/data hosts=10.0.0.1:1611,10.0.0.2:1611 files=16 [kib=N] [threads=8] [block=1m]
#        [size=4g] [checked=64m] [port=1611] [wait_s=30] sh storage_elbencho.sh [FLAG...]
# elbencho over all hosts, whose services are started before and ended behind it: each thread writes a file, then the threads of the
# next host read it; and once more with smaller files, whose bytes are compared (--verify).
#
# Of the launcher assay puts functions before it:
#   serve WORDS...      starts elbencho on each host
#   elbencho WORDS...   here
. "$(dirname "$0")/storage_parallel.sh"
: "${hosts:?}" "${files:?}" "${threads:=8}" "${block:=1m}" "${size:=4g}" "${checked:=64m}" "${port:=1611}" "${wait_s:=30}" "${ASSAY_DIR:=.}"
(serve --service --foreground --port "$port") >"$ASSAY_DIR/serve.out" 2>&1 </dev/null &
server=$!
# A service that does not quit is ended with what the launcher started.
# shellcheck disable=SC2016 # when it ends
trap 'elbencho --hosts "$hosts" --quit >/dev/null 2>&1 </dev/null; kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; rm -rf -- "$dir"' EXIT
run() {
    elbencho --hosts "$hosts" --svcwait "$wait_s" --nolive --svcelapsed --rotatehosts 1 --resfile "$ASSAY_DIR/result.txt" \
        --csvfile "$ASSAY_DIR/result.csv" -w -r -t "$threads" -b "$block" "$@" </dev/null 2>&1
}
# What cannot be started ends at once, and need not be waited for.
sleep 2
kill -0 $server 2>/dev/null || { cat "$ASSAY_DIR/serve.out" >&2; exit 1; }
elbencho --version 2>&1 </dev/null | sed -n '1,2p'
run -s "$size" "$@" "$dir/data[1-$files]" && run -s "$checked" --verify $((0x${ASSAY_ATTEMPT%%-*} % 2147483647 + 1)) "$@" "$dir/check[1-$files]"
rc=$?
[ $rc -eq 0 ] || grep . "$ASSAY_DIR/serve.out" | tail -n 5 >&2
exit $rc

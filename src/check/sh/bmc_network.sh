# SPDX-License-Identifier: Apache-2.0
# usage: [port=443] sh bmc_network.sh ADDRESS...
# Whether BMCs answer this host, as rows of key-value. All at once, for who is not there is waited for:
#
#   bmc_network.tried          how many
#   bmc_network.port ADDRESS   answers | refuses | silent: a connection to the port, and nothing is sent by it
#   bmc_network.ping ADDRESS   answers | silent
#
# Who refuses may be the BMC, or a firewall on the way. curl_tool and ping_tool are functions that assay puts before it.
. "$(dirname "$0")/key_value.sh"
: "${port:=443}"
command -v curl_tool >/dev/null || curl_tool() { curl "$@"; }
command -v ping_tool >/dev/null || ping_tool() { ping "$@"; }

# No certificate is asked for: what is not let in is known before.
ask_port() {
    case $1 in *:*) at="[$1]" ;; *) at=$1 ;; esac
    told=$(curl_tool -q --silent --show-error --verbose --insecure --globoff --noproxy '*' --connect-timeout 5 --max-time 10 \
        --output /dev/null --write-out '\nconnected %{time_connect}\n' "https://$at:$port/" 2>&1 </dev/null)
    rc=$?
    complaint=$(printf '%s\n' "$told" | sed -n '/^curl: /p' | tail -n 1)
    # 7: no connection, and 28: none in time, or nothing by it. What else curl says of TLS and HTTP came of a connection, of which
    # it need not have told the time.
    case $rc:$(printf '%s\n' "$told" | sed -n 's/^connected //p' | tail -n 1) in
    *:*[1-9]* | 0:* | 35:* | 52:* | 56:* | 60:*) put bmc_network.port "$1" answers ;;
    7:*) case $told in *': Connection refused'*) put bmc_network.port "$1" refuses ;; *) put bmc_network.port "$1" silent ;; esac ;;
    28:*) case $told in *'* Connected to '*) put bmc_network.port "$1" answers ;; *) put bmc_network.port "$1" silent ;; esac ;;
    *) untabbed "${complaint:-$told}"; lack bmc_network.port "$1" "$first" ;;
    esac
}
ask_ping() {
    told=$(ping_tool -n -c 2 -W 2 "$1" 2>&1)
    case $told in
    *' 0 received'*) put bmc_network.ping "$1" silent ;;
    *' received'*) put bmc_network.ping "$1" answers ;;
    *[Uu]'nreachable'* | *'connect: No route to host'* | *'connect: Invalid argument'*) put bmc_network.ping "$1" silent ;;
    *) untabbed "$told"; lack bmc_network.ping "$1" "$first" ;;
    esac
}
put bmc_network.tried '' $#
for address; do
    ask_port "$address" &
    ask_ping "$address" &
done
wait
echo 'key-value end'

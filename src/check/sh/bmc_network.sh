# SPDX-License-Identifier: Apache-2.0
# usage: [port=443] sh bmc_network.sh ADDRESS...
# Whether BMCs answer this host, as rows of key-value. All at once, for who is not there is waited for:
#
#   bmc_network.tried          how many
#   bmc_network.port ADDRESS   answers | refuses | silent: a connection to the port, and nothing is sent by it
#   bmc_network.rmcp ADDRESS   answers | refuses | silent: a presence ping to 623/udp, which IPMI over LAN listens on (ASF 2.0)
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
# The presence ping is the one thing that RMCP answers without a session: version 6, no acknowledgement, class ASF; IANA's number of
# ASF, type 0x80. Any datagram from there is an answer. Two are sent, for UDP may lose one. A host has one of these, as a rule. Python's lines
# begin with a bar, for what travels to the hosts has lost all indentation.
rmcp_python=$(sed 's/^|//' <<'END'
|import errno, socket, sys
|away = (errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EINVAL, errno.EPERM, errno.EACCES)
|try:
|    family, kind, protocol, _, at = socket.getaddrinfo(sys.argv[1], 623, type=socket.SOCK_DGRAM)[0]
|    with socket.socket(family, kind, protocol) as s:
|        s.settimeout(1.5)
|        s.connect(at)
|        said = "silent"
|        for _ in range(2):
|            s.send(bytes.fromhex("0600ff06000011be80000000"))
|            try:
|                s.recv(512)
|                said = "answers"
|                break
|            except socket.timeout:
|                pass
|    print(said)
|except ConnectionRefusedError:
|    print("refuses")
|except OSError as e:
|    print("silent" if e.errno in away else e)
END
)
# shellcheck disable=SC2016 # its own
rmcp_bash='exec 3<>"/dev/udp/$1/623" || exit
for _ in 1 2; do
    printf "\006\000\377\006\000\000\021\276\200\000\000\000" >&3 || exit
    got=$(timeout 1.5 dd bs=512 count=1 <&3 | wc -c)
    [ "$got" = 0 ] || { echo answers; exit; }
done
echo silent'
rmcp_told() {
    if command -v rmcpping >/dev/null; then rmcpping -c 2 "$1"
    elif command -v python3 >/dev/null; then python3 -c "$rmcp_python" "$1"
    elif command -v bash >/dev/null; then bash -c "$rmcp_bash" bash "$1"
    else return 127; fi
}
ask_rmcp() {
    told=$(rmcp_told "$1" 2>&1 </dev/null) || [ $? != 127 ] || { lack bmc_network.rmcp "$1" no_such_program 'rmcpping, python3 or bash'; return; }
    case $told in
    *answers* | *'received from'*) put bmc_network.rmcp "$1" answers ;;
    refuses | *'Connection refused'*) put bmc_network.rmcp "$1" refuses ;;
    # bash says of a name that it does not know also "Invalid argument", which of an address is no way there.
    *'not known'* | *'name resolution'* | *'No address'*) untabbed "$told"; lack bmc_network.rmcp "$1" "$first" ;;
    *silent* | *'100.0%'* | *[Uu]'nreachable'* | *'No route to host'* | *'Invalid argument'*) put bmc_network.rmcp "$1" silent ;;
    *) untabbed "$told"; lack bmc_network.rmcp "$1" "$first" ;;
    esac
}
put bmc_network.tried '' $#
for address; do
    ask_port "$address" &
    ask_rmcp "$address" &
    ask_ping "$address" &
done
wait
echo 'key-value end'

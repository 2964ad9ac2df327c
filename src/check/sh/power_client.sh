# SPDX-License-Identifier: Apache-2.0
# usage: hz=0.2,1 seconds=10 ramp=30 deadline_s=180 [backend=cuda] sh power_client.sh 'HOST PLACE COUNT BEGIN'
# assay-probe-gpu power on this host, from BEGIN on by the clock of whoever answers on descriptor 3. Rows of key-value with the subject
# HOST:
#
#   client.ping    is answered there by the seconds since 1970
#   client.power   a line of the probe
#   client.ended   its exit status: the host is still there, whatever became of the probe
. "$(dirname "$0")/key_value.sh"
: "${hz:=0.2}" "${seconds:=10}" "${ramp:=30}" "${deadline_s:=180}" "${backend:=cuda}"
command -v probe_gpu >/dev/null || probe_gpu() { assay-probe-gpu "$@"; }
# shellcheck disable=SC2086 # words
set -- $1
client=$1 begin=$4

{
    probe_gpu power --backend "$backend" --clock stdin --at "$begin" --hz "$hz" --seconds "$seconds" --ramp "$ramp" --deadline "$deadline_s" <&3
    echo "ended $?"
} | while IFS= read -r line; do
    case $line in
    '{"ping"'*) put client.ping "$client" "$line" ;;
    'ended '*) put client.ended "$client" "${line#ended }" ;;
    *) put client.power "$client" "$line" ;;
    esac
done

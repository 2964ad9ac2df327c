# SPDX-License-Identifier: Apache-2.0
# usage: sh power_ask.sh HOST
# Whether this host has assay-probe-gpu, as rows of key-value with the subject HOST: client.login, and client.works = yes, or why that
# is not known. What the GPUs say is seen when they are at work.
. "$(dirname "$0")/key_value.sh"
command -v probe_gpu >/dev/null || probe_gpu() { assay-probe-gpu "$@"; }
client=$1
put client.login "$client" yes
said=$(probe_gpu --help 2>&1 >/dev/null </dev/null)
rc=$?
if [ $rc = 0 ]; then put client.works "$client" yes; else
    untabbed "$said"
    lack client.works "$client" probe_gpu_does_not_start $rc "$first"
fi

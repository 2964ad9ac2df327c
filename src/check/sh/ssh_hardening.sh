# SPDX-License-Identifier: Apache-2.0
# usage: sh ssh_hardening.sh KEY..., as root
# Settings of sshd as it would really start, as rows of key-value.
. "$(dirname "$0")/key_value.sh"

# By its whole path: it refuses to start otherwise.
# shellcheck disable=SC2317 # `take` calls it
one() {
    "$(command -v sshd || echo sshd)" -T | awk -v key="$1" 'tolower($1) == key { $1 = ""; print substr($0, 2) }'
}
for key in "$@"; do take "sshd.$key" '' one "$key"; done
echo 'key-value end'

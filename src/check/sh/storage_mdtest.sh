# SPDX-License-Identifier: Apache-2.0
# usage: ASSAY_ATTEMPT=UUID folder=/data [kib=N] [own=-u] [files=1000] [bytes=3901] sh storage_mdtest.sh [FLAG...]
# mdtest over all hosts: each rank makes so many files of so many bytes, in one directory or in its own (-u); looks at those that the
# next host made, reads those of the host after that, and removes those of the one after that. -N counts hosts: mdtest multiplies it
# by the ranks of a host where these lie side by side, and by 1, 2 and 3 for the three ways.
#
# Of the launcher assay puts a function before it:
#   mdtest WORDS...   starts it on all ranks
. "$(dirname "$0")/storage_parallel.sh"
: "${own=}" "${files:=1000}" "${bytes:=3901}"
# shellcheck disable=SC2086 # a flag, or nothing
mdtest -F $own -n "$files" -w "$bytes" -e "$bytes" -N 1 -d "$dir/files" "$@"

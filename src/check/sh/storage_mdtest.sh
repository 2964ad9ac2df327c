# SPDX-License-Identifier: Apache-2.0
# usage: ASSAY_ATTEMPT=UUID folder=/data [kib=N] [own=-u] [files=1000] [bytes=3901] [shift=8] sh storage_mdtest.sh [FLAG...]
# mdtest over all hosts: each rank makes so many files of so many bytes, in one directory or in its own (-u); looks at and reads those of
# the rank that is `shift` further, which is another host's; and removes them.
#
# Of the launcher assay puts a function before it:
#   mdtest WORDS...   starts it on all ranks
. "$(dirname "$0")/storage_parallel.sh"
: "${own=}" "${files:=1000}" "${bytes:=3901}" "${shift:=1}"
# shellcheck disable=SC2086 # a flag, or nothing
mdtest -F $own -n "$files" -w "$bytes" -e "$bytes" -N "$shift" -d "$dir/files" "$@"

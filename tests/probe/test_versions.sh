#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: test_versions.sh assay-probe-versions
# Every library is answered for: by a version, by an error, or by the word that it is not built in.
out=$("$1")
rc=$?
n=0
check()
{
    n=$((n + 1))
    if [ "$2" = 0 ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; printf '%s\n' "$out" | sed 's/^/# /'; fi
}
echo 1..4
for name in mpi.version cuda.runtime nccl.version; do
    printf '%s\n' "$out" | grep -Eq "^$name ([0-9]+\.[0-9]+|error |not built in)"
    check "$name is told" $?
done
case $out in *error*) expected=1 ;; *) expected=0 ;; esac
[ "$rc" = "$expected" ]
check "the exit status says whether all answered" $?

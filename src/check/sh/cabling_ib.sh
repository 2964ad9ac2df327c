# SPDX-License-Identifier: Apache-2.0
# usage: sh cabling_ib.sh HCA..., as root
# "== HCA ==" and what iblinkinfo tells of its port and of the one at the other end; at last "== end ==". An HCA that
# cannot be asked takes nothing from the others. A tool that is missing or dies does.
for d in "$@"; do
    echo "== $d =="
    iblinkinfo -l -C "$d" -P 1 -D 0 -n 1 2>&1 || { rc=$?; [ $rc -lt 126 ] || exit $rc; }
done
echo '== end =='

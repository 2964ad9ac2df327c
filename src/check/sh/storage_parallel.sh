# SPDX-License-Identifier: Apache-2.0
# Functions of MPI programs that work in one folder of a shared mount: storage_ior.sh, storage_mdtest.sh. They have set folder and, if they
# like, kib, what they write in all. $dir is then a folder of the attempt's own, and is removed when the script ends. Exit status 3
# where there is no room: that says nothing about the storage's speed.
#
# What is left when this host dies is removed by the first host of a test a day later, as is what storage_turns.sh leaves.
: "${ASSAY_ATTEMPT:?}" "${folder:?}" "${kib:=0}"
dir=$ASSAY_LAB_ROOT$folder/assay-clients-$ASSAY_ATTEMPT
find "${dir%/*}" -maxdepth 1 -name 'assay-clients-*' -user "$(id -u)" -mtime +0 -exec rm -rf {} + 2>/dev/null
free=$(df -P -k -- "$folder" | awk 'NR == 2 { print $(NF - 2) }') || exit
if [ "$free" -lt "$kib" ]; then
    printf 'no_space_but_kib_of\t%s\t%s\n' "$free" "$kib" >&2
    exit 3
fi
mkdir -m 700 -- "$dir" || exit
trap 'rm -rf -- "$dir"' EXIT
trap 'exit 143' TERM HUP INT

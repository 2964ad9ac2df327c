# SPDX-License-Identifier: Apache-2.0
# usage: fio_folder=FOLDER [fio_bytes=N] [fio_seconds=N] sh storage_fio.sh [FLAG...]
# What fio measures in the folder: two jobs, first write, then read of what was written; its JSON. Exit status 3 where
# its file does not fit: that says nothing about speed, and the space itself is an item of its own.
#
# The file is unlinked before fio begins and reached by its descriptor, so that nothing of it remains, also when
# everything is killed. All users may be able to write in the folder: the name is none that they could know, and the file
# is made, not found. Where they may also take it away before it is opened, what was put in its place is no new file.
: "${fio_folder:?}" "${fio_bytes:=4294967296}" "${fio_seconds:=30}"
free=$(df -P -k -- "$fio_folder" | awk 'NR == 2 { print $(NF - 2) }') || exit
if [ "$free" -lt $((fio_bytes / 1024)) ]; then
    printf 'no_space_but_kib\t%s\n' "$free" >&2
    exit 3
fi
file=$(mktemp "$ASSAY_LAB_ROOT$fio_folder/assay-XXXXXXXXXX") && exec 9<>"$file" && rm -f "$file" || exit
if [ "$(stat -L -c %F /proc/self/fd/9)" != 'regular empty file' ]; then
    printf 'file_replaced_by_someone\t%s\n' "$file" >&2
    exit 1
fi
truncate -s "$fio_bytes" /proc/self/fd/9 &&
    fio --filename=/proc/self/fd/9 --allow_file_create=0 --size="$fio_bytes" --runtime="$fio_seconds" --time_based "$@" \
        --output-format=json --name=write --rw=write --name=read --rw=read --stonewall

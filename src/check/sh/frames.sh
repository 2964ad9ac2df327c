# SPDX-License-Identifier: Apache-2.0
# The first lines of every command file: takes the words of its marks from its stdin, and says how marks are made; see
# src/check/frames.h. A variable that was exported would stay so: they must be new ones.
set +ax
unset assay_begin assay_ends
# shellcheck disable=SC2034 # what comes behind it uses them
IFS=' ' read -r assay_begin assay_ends
exec </dev/null
assay_mark() {
    printf '\n@assay-part %s\n' "$*"
    printf '\n@assay-part %s\n' "$*" >&2
}

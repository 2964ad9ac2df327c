#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs what is still required of an acceptance, and adds each run to it. `assay acceptance status --next` writes this with what stands behind it:
# the acceptance, the database if it has one of its own, a line `run assay run ...` for each run, and `finish`.
# Each run comes to its own end before the next one starts; what stops is to be looked into, and then this is written anew.
status=0
printed=$(mktemp) || exit 70
trap 'rm -f "$printed"' EXIT

# Of the runs all but the last are added in silence: how it stands is said once, at the end.
add() {
    status=0
    assay acceptance add ${database:+--db "$database"} "${acceptance:?}" "$1" >"$printed" || status=$?
    [ "$status" -le 3 ] || exit "$status"
}

# What failed, or was not decided, is added too: only a run that did not come to its end stops it.
run() {
    status=0
    "$@" >"$printed" || status=$?
    sed '/^next: /d' "$printed"
    [ "$status" -le 3 ] || exit "$status"
    add "$(sed -n 's/^run: //p' "$printed")"
}

finish() {
    cat "$printed"
    exit "$status"
}

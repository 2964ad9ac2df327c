# SPDX-License-Identifier: Apache-2.0
# Functions of scripts that collect single values, as rows that the parser key-value reads; src/parse/parse_key_value.c. A script
# that has them ends with `echo 'key-value end'`.
#
#   put NAME SUBJECT VALUE          a row
#   put NAME SUBJECT CODE ARGUMENT...   a row whose value is a sentence (include/assay/reasons/script.def)
#   lack NAME SUBJECT WHY           a row without a value: the item stays undecided, and says why; WHY may be CODE ARGUMENT...
#   take NAME SUBJECT COMMAND...    the first line that the command prints, or why it printed none
#
# What is not there is never a value: "no such file" on all hosts would be the same on all hosts.
# Without files: a passive check has no folder of its own. So what a failed command complains of is asked for by a second
# call.

tab='	'
newline='
'
# In one piece: several may print at once.
put() {
    told_row=$1
    shift
    for told_field; do told_row=$told_row$tab$told_field; done
    printf '%s\n' "$told_row"
}
lack() {
    lacked=$1 lacked_of=$2
    shift 2
    put "$lacked" "$lacked_of" '' "$@"
}
# first_of TEXT: in $first its first line that is not blank. Nothing is started for it: a host is asked for dozens of values.
first_of() {
    unread=$1
    while :; do
        first=${unread%%"$newline"*}
        case $first in *[![:space:]]*) return ;; esac
        case $unread in *"$newline"*) unread=${unread#*"$newline"} ;; *) first=; return ;; esac
    done
}
# untabbed TEXT: in $first, likewise, with blanks for its tabs
untabbed() {
    first_of "$1"
    while :; do case $first in *"$tab"*) first="${first%%"$tab"*} ${first#*"$tab"}" ;; *) return ;; esac; done
}
take() {
    name=$1 subject=$2
    shift 2
    value=$("$@" 2>/dev/null)
    rc=$?
    untabbed "$value"
    if [ $rc -eq 0 ] && [ -n "$first" ]; then put "$name" "$subject" "$first"; return; fi
    # A function of ours says a code and arguments, between tabs.
    first_of "$("$@" 2>&1 >/dev/null)"
    if [ -n "$first" ]; then lack "$name" "$subject" "$first"; else lack "$name" "$subject" printed_nothing_status $rc; fi
}

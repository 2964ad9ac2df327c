# SPDX-License-Identifier: Apache-2.0
# Functions of scripts that collect single values, as rows that the parser key-value reads; src/parse/parse_key_value.c. A script
# that has them ends with `echo 'key-value end'`.
#
#   put NAME SUBJECT VALUE        a row
#   lack NAME SUBJECT WHY         a row without a value: the item stays undecided, and says why
#   take NAME SUBJECT COMMAND...  the first line that the command prints, or why it printed none
#
# What is not there is never a value: "no such file" on all hosts would be the same on all hosts.
# Without files: a passive check has no folder of its own. So what a failed command complains of is asked for by a second
# call.

put() { printf '%s\t%s\t%s\n' "$1" "$2" "$3"; }
lack() { printf '%s\t%s\t\t%s\n' "$1" "$2" "$3"; }
first() { sed '/^[[:space:]]*$/d' | head -n 1 | tr '\t' ' '; }
take() {
    name=$1 subject=$2
    shift 2
    value=$("$@" 2>/dev/null)
    rc=$?
    value=$(printf '%s\n' "$value" | first)
    if [ $rc -eq 0 ] && [ -n "$value" ]; then put "$name" "$subject" "$value"; return; fi
    why=$("$@" 2>&1 >/dev/null | first)
    lack "$name" "$subject" "${why:-it printed nothing, exit status $rc}"
}

# SPDX-License-Identifier: Apache-2.0
# usage: sh tools.sh [NAME PATH OTHER FOLDER VERSION]...
# Of each tool whether it is there, where, its SHA-256 and its libraries, as rows of key-value. PATH is looked for in
# FOLDER where that is not empty; OTHER does the same where it is not there; VERSION is an argument with which the tool
# tells its version and does nothing else: without one it is not started. By hand:
#     sh tools.sh fio fio '' '' --version
. "$(dirname "$0")/key_value.sh"

# shellcheck disable=SC2317 # `take` calls it
sha() { sha256sum "$(readlink -f "$1")" | cut -c 1-64; }
# What ldd could not tell is not found to be there; a script or a static program needs none.
libraries() {
    if ! told=$(LC_ALL=C ldd "$2" 2>&1); then
        case $told in
        *'not a dynamic executable'*) put tool.libraries "$1" found ;;
        *) untabbed "$told"; lack tool.libraries "$1" "ldd: $first" ;;
        esac
        return
    fi
    lacks=$(printf '%s\n' "$told" | sed -n 's/^[[:space:]]*\([^ ]*\) => not found.*/\1/p' | sort -u | paste -s -d ' ' -)
    if [ -n "$lacks" ]; then put tool.libraries "$1" libraries_not_found "$lacks"; else put tool.libraries "$1" found; fi
}
# tool NAME PATH OTHER FOLDER VERSION; `take` has a $name of its own
tool() (
    tool=$1 path=$2 other=$3 folder=$4
    if [ -n "$folder" ] && ! cd "$folder" 2>/dev/null; then put tool.found "$tool" no_such_folder "$folder"; return; fi
    if found=$(command -v "$path") && [ -x "$found" ]; then put tool.found "$tool" yes
    elif [ -n "$other" ] && found=$(command -v "$other"); then put tool.found "$tool" yes
    else put tool.found "$tool" no_such_program "$path"; return; fi
    put tool.path "$tool" "$found"
    take tool.sha256 "$tool" sha "$found"
    libraries "$tool" "$found"
    if [ -n "$5" ]; then take tool.version "$tool" timeout -k 1 5 "$found" "$5"; fi
)
while [ $# -ge 5 ]; do
    tool "$1" "$2" "$3" "$4" "$5"
    shift 5
done
echo 'key-value end'

# SPDX-License-Identifier: Apache-2.0
# bash completion of assay. The program itself is asked what fits (`assay complete`), as by the other shells.

_assay() {
    local line paths='' word=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        :files) paths='file' ;;
        :folders) paths='directory' ;;
        *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
    done < <("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    [ -n "$paths" ] || return 0
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done < <(compgen -A "$paths" -- "$word")
}
complete -F _assay assay

# SPDX-License-Identifier: Apache-2.0
# bash completion of assay. The program itself is asked for its commands and options, so that this is never behind it.

_assay_commands() { "$1" --help 2>/dev/null | sed -n '/^commands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p'; }
_assay_verbs() { # of lab, acceptance, baseline, contract
    "$1" "$2" --help 2>/dev/null | sed -n -e 's/^  \([a-z][a-z]*\) .*/\1/p' -e 's/^\(usage:\|      \) assay lab \([a-z|]*\).*/\2/p' | tr '|' '\n'
}
_assay_options() { "$@" --help 2>/dev/null | sed -n 's/^  \(-[A-Za-z], \|    \)\(--[a-z][a-z-]*\).*/\2/p'; }

_assay() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} program=${COMP_WORDS[0]} command=${COMP_WORDS[1]}
    local words=()
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_assay_commands "$program") help version --help --version" -- "$word")
        return
    fi
    case $before in
    --suite | -s) words=(delivery periodic smoke soak tuning) ;;
    --lang) words=(en zh) ;;
    -l) case $command in report | acceptance | serve | site) words=(en zh) ;; esac ;;
    --format | -f) [ "$command" = report ] && words=(html text json csv junit prometheus) || words=(text json html svg) ;;
    --progress) words=(auto plain json none) ;;
    esac
    if [ ${#words[@]} -gt 0 ]; then
        mapfile -t COMPREPLY < <(compgen -W "${words[*]}" -- "$word"; [ "$before" != -s ] && [ "$before" != --suite ] || compgen -f -- "$word")
        return
    fi
    case $word in
    -*)
        case $command in
        acceptance | baseline | contract | lab) mapfile -t COMPREPLY < <(compgen -W "$(_assay_options "$program" "$command" "${COMP_WORDS[2]}")" -- "$word") ;;
        *) mapfile -t COMPREPLY < <(compgen -W "$(_assay_options "$program" "$command")" -- "$word") ;;
        esac
        return
        ;;
    esac
    if [ "$COMP_CWORD" -eq 2 ]; then
        case $command in
        acceptance | baseline | contract | lab) mapfile -t COMPREPLY < <(compgen -W "$(_assay_verbs "$program" "$command")" -- "$word"); return ;;
        help) mapfile -t COMPREPLY < <(compgen -W "$(_assay_commands "$program")" -- "$word"); return ;;
        parse) mapfile -t COMPREPLY < <(compgen -W "$("$program" parse --help 2>/dev/null | sed -n 's/^  \([a-z0-9-]*\) .*/\1/p')" -- "$word"); return ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
}
complete -o filenames -F _assay assay

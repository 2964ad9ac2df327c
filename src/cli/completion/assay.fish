# SPDX-License-Identifier: Apache-2.0
# fish completion of assay. The program itself is asked what fits (`assay complete`), as by the other shells.

function __assay_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    command $words[1] complete $words[2..-1] "$word" 2>/dev/null | while read -l line
        switch $line
            case :files
                __fish_complete_path "$word"
            case :folders
                __fish_complete_directories "$word"
            case '*'
                printf '%s\n' $line
        end
    end
end
complete -c assay -f -a '(__assay_complete)'

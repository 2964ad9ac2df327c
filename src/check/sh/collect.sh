# SPDX-License-Identifier: Apache-2.0
# usage: [most_s=N] sh collect.sh WHAT
# What a vendor asks for before a part is exchanged: the host's own words, each after the command that gave them. Nothing is
# judged, and what is not installed is told in its place. Exit status 127 where no command of it is there, 1 where none of those
# that are there came to a good end: then it is no answer, whatever they printed.
: "${most_s:=300}"
answered='' there=''
folder=$(mktemp -d) || exit
trap 'rm -rf "$folder"' EXIT
# show COMMAND...
show() {
    printf '$ %s\n' "$*"
    if command -v "$1" >/dev/null; then
        there=yes
        if timeout "$most_s" "$@" 2>&1 </dev/null; then answered=yes; else printf '# exit status %s\n' $?; fi
    else
        printf '# %s: not found\n' "$1"
    fi
    echo
}
# tail_of FILE...: the newest lines of those that are there
tail_of() {
    for file; do
        [ -f "$file" ] || continue
        show tail -n 5000 "$file"
    done
}
# It writes files only: compressed where the host has gzip. One GPU that is off the bus makes it hang.
bug_report() {
    if ! command -v nvidia-bug-report.sh >/dev/null; then show nvidia-bug-report.sh; return; fi
    there=yes
    printf '$ nvidia-bug-report.sh\n'
    if ! timeout -k 5 "$most_s" nvidia-bug-report.sh --output-file "$folder/report.log" >"$folder/said" 2>&1 </dev/null; then
        printf '# exit status %s; again with --safe-mode\n' $?
        timeout -k 5 "$most_s" nvidia-bug-report.sh --safe-mode --output-file "$folder/report.log" >"$folder/said" 2>&1 </dev/null ||
            printf '# exit status %s\n' $?
    fi
    for file in "$folder"/report.log*; do
        [ -f "$file" ] || continue
        answered=yes
        case $file in *.gz) gzip -dc "$file" ;; *) cat "$file" ;; esac
    done
    [ -n "$answered" ] || cat "$folder/said"
}
case $1 in
nvidia-bug-report) bug_report ;;
nvidia-smi)
    show nvidia-smi -q
    show nvidia-smi topo -m
    show nvidia-smi nvlink -s
    show nvidia-smi nvlink -e
    ;;
kernel-log)
    show dmesg -T
    show journalctl -k -b -1 --no-pager
    ;;
system)
    show uname -a
    show cat "$ASSAY_LAB_ROOT/etc/os-release"
    show dmidecode
    show lscpu
    show lsblk
    ;;
pci) show lspci -vvv ;;
bmc)
    show ipmitool sel elist
    show ipmitool sdr
    show ipmitool fru
    show ipmitool mc info
    ;;
fabric-manager)
    show systemctl status nvidia-fabricmanager --no-pager
    show journalctl -u nvidia-fabricmanager -b --no-pager
    tail_of "$ASSAY_LAB_ROOT/var/log/fabricmanager.log"
    ;;
dcgm)
    show dcgmi discovery -l
    tail_of "$ASSAY_LAB_ROOT/var/log/nv-hostengine.log" "$ASSAY_LAB_ROOT"/var/log/nvidia-dcgm/*.log
    ;;
fabric)
    show ibstat
    show ibv_devinfo -v
    show ibdiagnet --skip pm -o "$folder/ibdiagnet"
    ;;
esac
[ -n "$there" ] || exit 127
[ -n "$answered" ] || exit 1

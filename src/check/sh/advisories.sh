# SPDX-License-Identifier: Apache-2.0
# usage: sh advisories.sh
# The versions of what security advisories speak of, as rows of key-value. A program that is in no folder of PATH may be
# somewhere else: it is "not installed" where the manager of packages has no package of it either.
. "$(dirname "$0")/key_value.sh"
. "$(dirname "$0")/driver_version.sh"

# first_version: the first line with a dotted number, which is the last one in it: "CLI version 1.19.0", "1:3.3.9~rc.1-1". That
# it is a release candidate stays.
first_version() { sed -n 's/^\(.*[^0-9.]\)\{0,1\}\([0-9][0-9]*\.[0-9][0-9.]*\([-~]rc[.0-9]*\)\{0,1\}\).*$/\2/p'; }
# of_program PROGRAM LINES: what it says of itself, in lines that begin so
# shellcheck disable=SC2317 # `take` calls it
of_program() { told=$(timeout 20 "$1" --version) && printf '%s\n' "$told" | grep "^$2" | first_version; }
# of_packages PACKAGE...
# shellcheck disable=SC2317 # `take` calls it
of_packages() {
    if command -v dpkg-query >/dev/null; then
        told=$(dpkg-query -W -f '${db:Status-Status} ${Version}\n' "$@" 2>&1)
        [ $? -le 1 ] || { printf '%s\n' "$told" >&2; return 1; }
    elif command -v rpm >/dev/null; then
        told=$(rpm -q --qf 'installed %{VERSION}\n' "$@" 2>&1)
        # rpm's exit status is how many of the packages it does not have.
        case $told in *rpmdb*) printf '%s\n' "$told" >&2; return 1 ;; esac
    else
        echo no_package_manager >&2
        return 1
    fi
    told=$(printf '%s\n' "$told" | sed -n 's/^installed //p' | first_version)
    printf '%s\n' "${told:-not installed}"
}
# ask NAME PROGRAM LINES PACKAGE...
ask() {
    row=$1 program=$2 lines=$3
    shift 3
    if command -v "$program" >/dev/null; then take "$row" '' of_program "$program" "$lines"; else take "$row" '' of_packages "$@"; fi
}

driver_version advisories.nvidia_driver.version
ask advisories.nvidia_container_toolkit.version nvidia-ctk '' nvidia-container-toolkit-base nvidia-container-toolkit
ask advisories.libnvidia_container.version nvidia-container-cli lib-version libnvidia-container1
ask advisories.dcgm.version dcgmi '' datacenter-gpu-manager datacenter-gpu-manager-4-core
echo 'key-value end'

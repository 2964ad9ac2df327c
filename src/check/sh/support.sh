# SPDX-License-Identifier: Apache-2.0
# usage: sh support.sh
# What has an end of support, as rows of key-value:
#
#   support.nvidia_driver.version   as advisories has it
#   support.os.version              ID and VERSION_ID: ubuntu-22.04
#   support.os.end                  SUPPORT_END of os-release(5), where the system says so itself
#   support.kernel.version          that of the OS, the flavour if it has one, and the release: ubuntu-22.04-generic-6.5.0-41-generic
#   support.kernel.maker            distribution | another
. "$(dirname "$0")/key_value.sh"
. "$(dirname "$0")/driver_version.sh"

release() { sed -n "s/^$1=[\"']\{0,1\}\([^\"']*\).*/\1/p" "$ASSAY_LAB_ROOT"/etc/os-release; }
# shellcheck disable=SC2317 # `take` calls it
os_version()
{
    name=$(release ID) || return
    version=$(release VERSION_ID)
    echo "${name:+$name${version:+-$version}}"
}
# flavour_of RELEASE: "generic" of 6.5.0-41-generic; a release without one ends in numbers, or in what it was packed for (el9.x86_64)
# shellcheck disable=SC2317 # `kernel_version` calls it
flavour_of() { case ${1##*[0-9]-} in "$1" | [!a-z]* | *.*) ;; *) echo "${1##*[0-9]-}-" ;; esac; }
# shellcheck disable=SC2317 # `take` calls it
kernel_version()
{
    os=$(os_version) && kernel=$(uname -r) || return
    echo "${os:-unknown}-$(flavour_of "$kernel")$kernel"
}
# Whether the distribution built it, by the words that its builds have. Others name themselves in the release.
# shellcheck disable=SC2317 # `take` calls it
kernel_maker()
{
    kernel=$(uname -r) built=$(uname -v) || return
    case $kernel:$built in
    *elrepo* | *uek*) echo another ;;
    *.el[0-9]* | *.fc[0-9]* | *.amzn[0-9]* | *:*-Ubuntu* | *:*Debian*) echo distribution ;;
    *) echo another ;;
    esac
}

driver_version support.nvidia_driver.version
take support.os.version '' os_version
end=$(release SUPPORT_END 2>/dev/null)
[ -z "$end" ] || put support.os.end '' "$end"
take support.kernel.version '' kernel_version
take support.kernel.maker '' kernel_maker
echo 'key-value end'

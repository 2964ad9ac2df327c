# SPDX-License-Identifier: Apache-2.0
# A function for what `assay stage` brought, and for stage itself: `login_user` puts the login user into $uid and $home,
# also behind sudo.
login_user() {
    while read -r key uid _; do [ "$key" = Uid: ] && break; done </proc/self/status
    # shellcheck disable=SC2034 # for who calls it
    home=$HOME
    case $uid$SUDO_USER in
    0*[!A-Za-z0-9._-]* | 0) return ;;
    0*) uid=$SUDO_UID; eval "home=~$SUDO_USER" ;;
    esac
}

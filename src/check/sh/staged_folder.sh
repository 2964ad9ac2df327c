# SPDX-License-Identifier: Apache-2.0
# usage: version=SHA256 [root=FOLDER] sh staged_folder.sh
# The folder of the tools that `assay stage` brought, or nothing: below root or where src/run/stage.sh puts it by itself,
# private to the login user. Behind sudo that is another user than the one who asks.
. "$(dirname "$0")/login_user.sh"
: "${version:?}" "${root:=}"
login_user
# Where the suite names a folder, it is one word, whatever it is called.
if [ -n "$root" ]; then set -- "$root"; else
    # shellcheck disable=SC2086 # words
    set -- ${ASSAY_STAGE:-/var/tmp/assay-$uid/tools $home/.assay/tools}
fi
for folder in "$@"; do
    [ "$(stat -c '%F %u %a' "$folder/$version" 2>/dev/null)" = "directory $uid 700" ] || continue
    echo "$folder/$version"
    break
done

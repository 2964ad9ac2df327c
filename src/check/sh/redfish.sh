# SPDX-License-Identifier: Apache-2.0
# usage: at=ADDRESS[:PORT] credentials=FILE [ca=FILE] [unverified=--insecure] [curl=PROGRAM] sh redfish.sh [ACCOUNT:PASSWORD...]
# What the BMC tells over Redfish, for the parser of that name. Each document is one line: line breaks mean nothing in JSON.
#   redfish asker SECONDS                this machine's clock, since 1970
#   redfish STATUS PATH BODY             what one was asked for, and answered
#   redfish 000 PATH CURL'S WORDS        asked for, and the answer did not come, or not whole
#   redfish exit STATUS CURL'S WORDS     how curl ended that asked for those before
#   redfish open STATUS                  the same without a login
#   redfish default ACCOUNT STATUS       the same with the vendor's published password of that account
#   redfish left PATH                    seen, and not asked for
#   redfish trouble CODE                 why no more was asked; CODE of include/assay/reasons/script.def
#   redfish end
# Secrets are in no argument: curl reads the login in its file, and what is tried on standard input. Nobody but us knows the
# mark that parts one body from the next.
: "${curl:=curl}" "${at:?}" "${credentials:?}" "${unverified=}"
newline='
'
most=1000 # documents: the largest machines have some hundreds
patience=3 # answers that may fail to come, 20 s each: then the others are not waited for

trouble() {
    printf 'redfish trouble %s\nredfish end\n' "$1"
    exit 0
}
# The function of that name, which assay puts before it, is always there.
(unset -f curl; command -v "$curl") >/dev/null || { echo 'curl: not found'; exit 0; }
mark=$(cat /proc/sys/kernel/random/uuid) || exit

urls() { for path; do printf 'url = "https://%s%s"\n' "$at" "$path"; done; }
# curl's configuration on stdin; of bodies without an end so much is enough to know it. A log of a thousand events has 1 MB and more.
fetch() {
    {
        # shellcheck disable=SC2086 # an option or nothing
        curl -q --silent --show-error --stderr - --globoff --path-as-is --proto =https --noproxy '*' --fail-early \
            --connect-timeout 10 --max-time 20 --max-filesize 4000000 ${ca:+--cacert "$ca"} $unverified "$@" \
            --write-out "\n$mark %{http_code} %{url_effective}\n" --config -
        printf '\n%s exit %s\n' "$mark" $?
    } | head -c 16000000 | tr -d '\000\r' | LC_ALL=C awk -v mark="$mark" '
        $1 == mark && $2 == "exit" {
            sub(/More details here.*/, "", body_held)
            words = match(body_held, /curl: \([0-9]+\) /) ? substr(body_held, RSTART, 300) : ""
            # What curl gave up at is the last one, whatever of it came.
            if (held != "") print $3 == 0 ? "redfish " held " " body_held : "redfish 000 " path_held " " words
            print "redfish exit", $3, words
            held = ""
            next
        }
        $1 == mark {
            if (held != "") print "redfish " held " " body_held
            sub(/^https:\/\/[^\/]*/, "", $3)
            held = $2 " " $3; path_held = $3; body_held = body; body = ""
            next
        }
        { body = body $0 }
        END { if (held != "") print "redfish " held " " body_held }'
}
ended_well() { case $said in *"${newline}redfish exit 0 ") return 0 ;; *) return 1 ;; esac; }
# Of documents on stdin the paths that we want to know, those of logs that hold no events of the machine behind "left ". A path is the
# BMC's word: it is made of plain characters, or is none.
links() {
    # Entries that stand in their collection need not be asked for, but its next page.
    page='^redfish 200 [^ ]*/Entries[^ ]* '
    # shellcheck disable=SC2020 # each of them parts members
    sed -e '/^redfish 200 /!d' -e 's|\\/|/|g' -e "\\|$page.*\"Created\"|s|\"@odata.id\"|id|g" \
        -e "\\|$page.*\"Severity\"|s|\"@odata.id\"|id|g" | tr ',{}[]' '\n\n\n\n\n' | LC_ALL=C awk '
        BEGIN {
            name = "[A-Za-z0-9._~%:@()+-]+"
            logs = name "/LogServices"
            power = name "/PowerSubsystem"
            thermal = name "/ThermalSubsystem"
            part = name "(/(SecureBoot|NetworkProtocol|Power|Thermal|EnvironmentMetrics))?|" \
                logs "(/" name "(/Entries(/" name ")?)?)?|" power "(/PowerSupplies(/" name ")?)?|" thermal "(/(ThermalMetrics|Fans(/" name ")?))?"
            path = "^/redfish/v1/((Systems|Managers|Chassis)(/(" part "))?|UpdateService(/FirmwareInventory(/" name ")?)?)/?" \
                "([?][A-Za-z0-9=$&%_.-]*)?$"
        }
        match($0, /(@odata.nextLink|"@odata.id)"[ \t]*:[ \t]*"\/redfish\/v1\/[^"]*"/) {
            found = substr($0, RSTART, RLENGTH - 1)
            sub(/^.*"/, "", found)
            if (found !~ path || found in seen) next
            seen[found]
            left = found ~ /\/LogServices\/(Journal|Dump|PostCodes|FaultLog|HostLogger|Crashdump|AuditLog|FDR|DebugLog|DebugTokenService)(\/|$)/ ||
                found ~ /\/Chassis\/[^\/]*\/LogServices/
            print (left ? "left " : "") found
        }' | sort
}
# leave DOCUMENTS: says which of their paths are of logs that hold no events of the machine; in $todo the others that are new
leave() {
    found=$(printf '%s\n' "$1" | links)
    todo=
    set -f
    IFS=$newline
    for path in $found; do
        case $path in
        left*) printf 'redfish %s\n' "$path" ;;
        *)
            case $newline$asked$newline in *"$newline$path$newline"*) continue ;; esac
            todo=$todo$path$newline count=$((count + 1))
            ;;
        esac
    done
    unset IFS
    set +f
    asked=$asked$newline${todo%"$newline"}
}

printf 'redfish asker %s\n' "$(date +%s)"
said=$(urls /redfish/v1/ | fetch)
printf '%s\n' "$said"
ended_well || { echo 'redfish end'; exit 0; }
root=$said
urls /redfish/v1/Managers | fetch | sed -n 's/^redfish \([0-9][0-9]*\) .*/redfish open \1/p'
# A login that is refused is not tried a second time: accounts are locked.
case $(LC_ALL=C ls -ldL -- "$ASSAY_LAB_ROOT$credentials" 2>/dev/null) in
-r?-------*) ;;
-*) trouble "credentials_read_by_others	$credentials" ;;
*) trouble "no_credentials	$credentials" ;;
esac
[ -r "$ASSAY_LAB_ROOT$credentials" ] || trouble "no_credentials	$credentials"
said=$(urls /redfish/v1/Managers | fetch --netrc-file "$ASSAY_LAB_ROOT$credentials")
printf '%s\n' "$said"
case $said in "redfish 200 "*) ;; *) echo 'redfish end'; exit 0 ;; esac

asked=/redfish/v1/Managers count=1 broken=
leave "$root$newline$said"
# ask PATHS: curl ends at the first that is slow or cut off, and those behind it are asked for anew, as far as patience goes.
# All in $answers; false where it ended for good.
ask() {
    paths=$1 answers=
    while :; do
        said=$(printf '%s' "$paths" | while read -r path; do urls "$path"; done | fetch --netrc-file "$ASSAY_LAB_ROOT$credentials")
        answers=$answers$newline$said
        ! ended_well || return 0
        patience=$((patience - 1))
        [ $patience -ge 0 ] || return 1
        told=$(printf '%s\n' "$said" | grep -c '^redfish [0-9][0-9][0-9] ')
        case $said in
        *"${newline}redfish exit "*) answers=${answers%"$newline"redfish exit *} ;;
        *) # it had no end
            told=$((told + 1))
            answers="$answers${newline}redfish 000 $(printf '%s' "$paths" | sed -n "${told}p")"
            ;;
        esac
        [ "$told" -gt 0 ] || return 1
        paths=$(printf '%s' "$paths" | sed "1,${told}d")
        [ -n "$paths" ] || return 0
        paths=$paths$newline
    done
}
while [ -n "$todo" ]; do
    [ $count -le $most ] || trouble "more_documents_than	$most"
    ask "$todo" || broken=yes
    printf '%s\n' "${answers#"$newline"}"
    [ -z "$broken" ] || break
    leave "$answers"
done
for account; do
    status=$({ printf 'user = "%s"\n' "$account"; urls /redfish/v1/Managers; } | fetch |
        sed -n 's/^redfish \([0-9][0-9]*\) .*/\1/p')
    printf 'redfish default %s %s\n' "${account%%:*}" "${status:-000}"
done
echo 'redfish end'

# SPDX-License-Identifier: Apache-2.0
# usage: at=ADDRESS[:PORT] credentials=FILE [ca=FILE] [unverified=--insecure] [curl=PROGRAM] sh redfish.sh [ACCOUNT:PASSWORD...]
# What the BMC tells over Redfish, for the parser of that name. Each document is one line: line breaks mean nothing in JSON.
#   redfish asker SECONDS                this machine's clock, since 1970
#   redfish STATUS PATH BODY             what one was asked for, and answered
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

trouble() {
    printf 'redfish trouble %s\nredfish end\n' "$1"
    exit 0
}
# The function of that name, which assay puts before it, is always there.
(unset -f curl; command -v "$curl") >/dev/null || { echo 'curl: not found'; exit 0; }
mark=$(cat /proc/sys/kernel/random/uuid) || exit

# paths on stdin
urls() { sed "s|.*|url = \"https://$at&\"|"; }
# curl's configuration on stdin; of bodies without an end so much is enough to know it
fetch() {
    {
        # shellcheck disable=SC2086 # an option or nothing
        curl -q --silent --show-error --stderr - --globoff --path-as-is --proto =https --noproxy '*' --fail-early \
            --connect-timeout 10 --max-time 20 --max-filesize 1000000 ${ca:+--cacert "$ca"} $unverified "$@" \
            --write-out "\n$mark %{http_code} %{url_effective}\n" --config -
        printf '\n%s exit %s\n' "$mark" $?
    } | head -c 16000000 | tr -d '\000\r' | LC_ALL=C awk -v mark="$mark" '
        $1 == mark && $2 == "exit" {
            sub(/More details here.*/, "", last)
            print "redfish exit", $3, match(last, /curl: \([0-9]+\) /) ? substr(last, RSTART, 300) : ""
            next
        }
        $1 == mark { sub(/^https:\/\/[^\/]*/, "", $3); print "redfish", $2, $3, body; last = body; body = ""; next }
        { body = body $0 }'
}
ended_well() { case $said in *"${newline}redfish exit 0 ") return 0 ;; *) return 1 ;; esac; }
# Of documents on stdin the paths that we want to know. A path is the BMC's word: it is made of plain characters, or is none.
links() {
    name='[A-Za-z0-9._~%:@()+-]+'
    part="$name/LogServices|$name/LogServices/$name|$name/LogServices/$name/Entries|$name/LogServices/$name/Entries/$name"
    part="$part|$name|$name/SecureBoot|$name/NetworkProtocol|$name/(Power|Thermal|EnvironmentMetrics)"
    part="$part|$name/PowerSubsystem|$name/PowerSubsystem/PowerSupplies|$name/PowerSubsystem/PowerSupplies/$name"
    part="$part|$name/ThermalSubsystem|$name/ThermalSubsystem/Fans|$name/ThermalSubsystem/Fans/$name"
    # Entries that stand in their collection need not be asked for, but its next page.
    page='^redfish 200 [^ ]*/Entries[^ ]* '
    # shellcheck disable=SC2020 # each of them parts members
    grep '^redfish 200 ' | sed -e 's|\\/|/|g' -e "\\|$page.*\"Created\"|s|\"@odata.id\"|id|g" \
        -e "\\|$page.*\"Severity\"|s|\"@odata.id\"|id|g" | tr ',{}[]' '\n\n\n\n\n' | sed -n \
        -e 's|^.*"@odata.id"[[:space:]]*:[[:space:]]*"\(/redfish/v1/[^"]*\)".*$|\1|p' \
        -e 's|^.*@odata.nextLink"[[:space:]]*:[[:space:]]*"\(/redfish/v1/[^"]*\)".*$|\1|p' |
        grep -Ex "/redfish/v1/((Systems|Managers|Chassis)(/($part))?|UpdateService(/FirmwareInventory(/$name)?)?)/?([?][A-Za-z0-9\$=&%_.-]*)?" | sort -u
}
# leave DOCUMENTS: says which of their paths are of logs that hold no events of the machine; in $todo the others that are new
others='/LogServices/(Journal|Dump|PostCodes|FaultLog|HostLogger|Crashdump|AuditLog|FDR|DebugLog)(/|$)|/Chassis/[^/]*/LogServices'
leave() {
    found=$(printf '%s\n' "$1" | links)
    printf '%s\n' "$found" | grep -E "$others" | sed 's/^/redfish left /'
    todo=$(printf '%s\n' "$found" | grep -Ev "$others" | grep -Fvx -e "$asked")
}

printf 'redfish asker %s\n' "$(date +%s)"
said=$(echo /redfish/v1/ | urls | fetch)
printf '%s\n' "$said"
ended_well || { echo 'redfish end'; exit 0; }
root=$said
echo /redfish/v1/Managers | urls | fetch | sed -n 's/^redfish \([0-9][0-9]*\) .*/redfish open \1/p'
# A login that is refused is not tried a second time: accounts are locked.
case $(LC_ALL=C ls -ldL -- "$ASSAY_LAB_ROOT$credentials" 2>/dev/null) in
-r?-------*) ;;
-*) trouble "credentials_read_by_others	$credentials" ;;
*) trouble "no_credentials	$credentials" ;;
esac
[ -r "$ASSAY_LAB_ROOT$credentials" ] || trouble "no_credentials	$credentials"
said=$(echo /redfish/v1/Managers | urls | fetch --netrc-file "$ASSAY_LAB_ROOT$credentials")
printf '%s\n' "$said"
case $said in "redfish 200 "*) ;; *) echo 'redfish end'; exit 0 ;; esac

asked=/redfish/v1/Managers
leave "$root$newline$said"
while [ -n "$todo" ]; do
    asked=$asked$newline$todo
    [ "$(printf '%s\n' "$asked" | wc -l)" -le $most ] || trouble "more_documents_than	$most"
    said=$(printf '%s\n' "$todo" | urls | fetch --netrc-file "$ASSAY_LAB_ROOT$credentials")
    printf '%s\n' "$said"
    ended_well || break
    leave "$said"
done
for account; do
    status=$({ printf 'user = "%s"\n' "$account"; echo /redfish/v1/Managers | urls; } | fetch |
        sed -n 's/^redfish \([0-9][0-9]*\) .*/\1/p')
    printf 'redfish default %s %s\n' "${account%%:*}" "${status:-000}"
done
echo 'redfish end'

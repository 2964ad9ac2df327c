# SPDX-License-Identifier: Apache-2.0
# usage: sh posture.sh, as root where all is to be read; $try_sa_key other than 0: asks the subnet with the usual SA_Key
# Who may enter the host, and by which doors: ports that listen, accounts, sudo, authorized keys, time servers, as rows of
# key-value. Of sudo's rules only whom they are for is told, of a key only its fingerprint and comment.
. "$(dirname "$0")/key_value.sh"

root=$ASSAY_LAB_ROOT
# Names and comments are anybody's: a tab or an escape in one makes no row.
plain() { tr '\000-\011\013-\037\177' '?'; }
# whole_of FILE: what is in a file that may be anybody's; fails where that is more than root reads, or does not come in time
whole_of() {
    size=$(timeout 20 stat -L -c %s "$1" 2>/dev/null) && [ "$size" -le 1000000 ] || return
    timeout 20 head -c 1000000 "$1" 2>/dev/null
}
# is_read ITEM FILE: whether it can be read; else the item has no answer
is_read() {
    [ -f "$2" ] && [ -r "$2" ] && return
    lack "$1" '' file_not_readable "${2#"$root"}"
    return 1
}

# -- Ports: rows "posture.port 22/tcp sshd", "?" for a program that is not told --

# The rows on stdin are "PROTOCOL ADDRESS:PORT PROGRAM".
doors() {
    plain | awk '{
        port = at = $2; sub(/.*:/, "", port); sub(/:[^:]*$/, "", at); name = $0; sub(/^[^ ]+ [^ ]+ /, "", name)
        if (at ~ /%lo\]?$/ || at ~ /^\[?(::ffff:)?127\./ || at ~ /^\[?::1\]?$/) next
        door = port "/" $1
        if (!(door in by) || by[door] == "?") by[door] = name
    } END { for (door in by) print door "\t" by[door] }' | sort -n | sed "s/^/posture.port$tab/"
}
# Of what ss says of a program its name: users:(("sshd",pid=1,fd=3)).
of_ss() {
    awk '$1 ~ /^(tcp|udp)$/ && $2 ~ /^(LISTEN|UNCONN)$/ {
        name = "?"
        if (match($0, /users:\(\("[^"]+/)) name = substr($0, RSTART + 9, RLENGTH - 9)
        print $1, $5, name
    }'
}
# The tables have addresses and ports in hexadecimal; 0A is LISTEN, and a UDP socket that is connected to nobody is 07.
of_kernel() {
    awk 'function number(hex, i, n) {
        n = 0
        for (i = 1; i <= length(hex); i++) n = n * 16 + index("123456789ABCDEF", substr(hex, i, 1))
        return n
    }
    { table = FILENAME; sub(/.*\//, "", table); protocol = substr(table, 1, 3) }
    FNR > 1 && $4 == (protocol == "tcp" ? "0A" : "07") {
        split($2, at, ":")
        mapped = substr(at[1], 1, 24) == "0000000000000000FFFF0000"
        if ((length(at[1]) == 8 || mapped) && at[1] ~ /7F$/) next
        if (at[1] == "00000000000000000000000001000000") next
        print protocol, "*:" number(at[2]), "?"
    }' "$@"
}
ports() {
    if told=$(ss -lntup 2>/dev/null); then
        printf '%s\n' "$told" | of_ss | doors
        put posture.ports_read '' ss
        return
    fi
    set --
    for table in tcp tcp6 udp udp6; do
        [ ! -r "$root/proc/net/$table" ] || set -- "$@" "$root/proc/net/$table"
    done
    # Without IPv6 there are two of them.
    if [ ! -r "$root/proc/net/tcp" ] || [ ! -r "$root/proc/net/udp" ]; then
        lack posture.ports '' file_not_readable /proc/net/tcp
        return
    fi
    of_kernel "$@" | doors
    put posture.ports_read '' /proc/net
}
ports
# From here on the kernel gives ports to whoever asks for any.
[ ! -r "$root/proc/sys/net/ipv4/ip_local_port_range" ] ||
    take posture.any_port_from '' cut -f 1 "$root/proc/sys/net/ipv4/ip_local_port_range"

# -- Accounts of the host's own files; a directory's are not listed, so what is asked beside the files is told --

sources() { sed -n 's/[[:space:]][[:space:]]*/ /g; /^passwd:/p; /^sudoers:/p' "$root/etc/nsswitch.conf" | paste -s -d ';' -; }
take posture.account_sources '' sources

passwd=
if is_read posture.users "$root/etc/passwd"; then
    passwd=$(plain <"$root/etc/passwd" | grep -v '^[+-]')
    least=$(awk '$1 == "UID_MIN" { print $2; exit }' "$root/etc/login.defs" 2>/dev/null)
    printf '%s\n' "$passwd" | awk -F: -v least="${least:-1000}" '
        NF < 7 { next }
        $3 + 0 == 0 { print "posture.root\t" $1 "\tuid 0" }
        $3 + 0 != 0 && $3 + 0 < least + 0 { next }
        $7 ~ /\/(nologin|false|true|sync|shutdown|halt)$/ { next }
        { print "posture.user\t" $1 "\tuid " $3 }'
    put posture.users_read '' yes
    put posture.uid_0_read '' yes
else lack posture.uid_0 '' file_not_readable /etc/passwd; fi
{ printf '%s\n' "$passwd"; [ ! -r "$root/etc/shadow" ] || plain <"$root/etc/shadow"; } |
    awk -F: 'NF > 6 && $2 == "" && !told[$1]++ { print "posture.open_account\t" $1 "\tyes" }'
! is_read posture.passwordless "$root/etc/shadow" || put posture.passwordless_read '' yes

# -- sudo: rows "posture.sudoer alice %sudo" of a group, "posture.sudoer alice sudoers" of a rule --

members() {
    { plain <"$root/etc/group"; echo :; printf '%s\n' "$passwd"; } | awk -F: '
        $0 == ":" { users = 1; next }
        !users && $1 ~ /^(sudo|wheel|admin)$/ {
            group[$3] = $1
            count = split($4, name, ",")
            for (i = 1; i <= count; i++) if (name[i] != "") print "posture.sudoer\t" name[i] "\t%" $1
        }
        users && NF > 6 && $4 in group { print "posture.sudoer\t" $1 "\t%" group[$4] }'
}
# Whom rules are for, names of User_Alias resolved. A # before a digit is a user's number.
rules() {
    awk '
    { gsub(/\t/, " "); line = held $0; held = "" }
    line ~ /\\$/ { held = substr(line, 1, length(line) - 1); next }
    { sub(/^ +/, "", line); sub(/ #[^0-9].*$/, "", line); gsub(/ *, */, ",", line); gsub(/\\ /, "?", line) }
    line ~ /^[@#]include(dir)? / {
        sub(/^[^ ]+ +/, "", line); gsub(/"/, "", line); sub(/\/? *$/, "", line)
        if (line != "/etc/sudoers.d") print "posture.sudoers\t\t\tsudo_rules_elsewhere\t" line
        next
    }
    line == "" || line ~ /^#[^0-9]/ || line == "#" || line ~ /^(Host|Runas|Cmnd|Cmd)_Alias / { next }
    line ~ /^User_Alias / {
        sub(/^User_Alias +/, "", line); gsub(/ *= */, "=", line)
        count = split(line, part, / *: */)
        for (i = 1; i <= count; i++) { split(part[i], of, "="); alias[of[1]] = of[2] }
        next
    }
    line ~ /^Defaults/ {
        if (line !~ /!authenticate/) next
        split(line, word, " ")
        who[++n] = word[1] ~ /^Defaults:/ ? substr(word[1], 10) : "ALL"; unasked[n] = 1
        next
    }
    { split(line, word, " "); who[++n] = word[1]; unasked[n] = line ~ /NOPASSWD *:/ }
    function tell(names, unasked, depth, name, count, i) {
        count = split(names, name, ",")
        for (i = 1; i <= count; i++) {
            if ((name[i] in alias) && depth < 9) { tell(alias[name[i]], unasked, depth + 1); continue }
            if (name[i] == "" || name[i] ~ /^!/ || name[i] == "root") continue
            if (name[i] !~ /^%(sudo|wheel|admin)$/ && !may[name[i]]++) print "posture.sudoer\t" name[i] "\tsudoers"
            if (unasked && !free[name[i]]++) print "posture.nopasswd\t" name[i] "\tyes"
        }
    }
    END { for (k = 1; k <= n; k++) tell(who[k], unasked[k], 0) }'
}
# sudo passes over files with a dot in their name, or a ~ at its end.
sudo_rules() {
    set --
    [ ! -e "$root/etc/sudoers" ] || ! is_read posture.sudoers "$root/etc/sudoers" || set -- "$root/etc/sudoers"
    if [ -d "$root/etc/sudoers.d" ] && { [ ! -r "$root/etc/sudoers.d" ] || [ ! -x "$root/etc/sudoers.d" ]; }; then
        lack posture.sudoers '' file_not_readable /etc/sudoers.d
    fi
    for file in "$root"/etc/sudoers.d/*; do
        case ${file##*/} in *.* | *~ | '*') continue ;; esac
        ! is_read posture.sudoers "$file" || set -- "$@" "$file"
    done
    for file; do cat "$file"; echo; done | tr '\000-\010\013-\037\177' '?' | rules
}
sudo=$(! is_read posture.sudoers "$root/etc/group" || members; sudo_rules)
[ -z "$sudo" ] || printf '%s\n' "$sudo"
# Whose rules were not read may be free of a password too.
printf '%s\n' "$sudo" | sed -n "s/^posture.sudoers$tab$tab$tab/posture.nopasswd$tab$tab$tab/p"
put posture.sudoers_read '' yes
put posture.nopasswd_read '' yes

# -- Authorized keys: rows "posture.key alice SHA256:... COMMENT" --

# path_of PATTERN: in $path the file, as AuthorizedKeysFile means it for $name and $home
path_of() {
    path='' rest=$1
    while :; do
        case $rest in
        *%u*) path=$path${rest%%\%u*}$name rest=${rest#*\%u} ;;
        *%h*) path=$path${rest%%\%h*}$home rest=${rest#*\%h} ;;
        *) break ;;
        esac
    done
    path=$path$rest
    case $path in /*) ;; *) path=$home/$path ;; esac
    path=$root$path
}
# Whether a file that is not seen is not there: somebody else's folder may hide it.
is_absent() {
    folder=${path%/*}
    until [ -z "$folder" ] || [ -d "$folder" ]; do folder=${folder%/*}; done
    [ ! -e "$path" ] && [ -x "${folder:-/}" ]
}
# Every line that is no comment is a key, or the account's keys are not all told.
keys_of() {
    # The braces: some shells say that bytes of 0 are left out.
    if ! { text=$(whole_of "$path"); } 2>/dev/null; then lack posture.keys '' file_not_read_whole "${path#"$root"}"; return; fi
    lines=$(printf '%s\n' "$text" | grep -c '^[[:space:]]*[^#[:space:]]')
    [ "$lines" -gt 0 ] || return
    told=$(printf '%s\n' "$text" | timeout 20 ssh-keygen -E sha256 -l -f - 2>/dev/null | plain)
    printf '%s\n' "$told" | account=$name awk '$2 ~ /^SHA256:/ {
        print_of = $2; $1 = $2 = ""; sub(/^ +/, ""); sub(/ *\([^()]*\)$/, "")
        print "posture.key\t" ENVIRON["account"] "\t" print_of ($0 != "" ? " " $0 : "")
    }'
    [ "$(printf '%s\n' "$told" | grep -c ' SHA256:')" -ge "$lines" ] || lack posture.keys '' keys_not_told "${path#"$root"}"
}
keys() {
    files=$("$(command -v sshd || echo sshd)" -T 2>/dev/null | sed -n 's/^authorizedkeysfile //p')
    [ "$files" != none ] || return
    : "${files:=.ssh/authorized_keys .ssh/authorized_keys2}"
    set -f
    printf '%s\n' "$passwd" | while IFS=: read -r name _ _ _ _ home _; do
        for pattern in $files; do
            path_of "$pattern"
            is_absent || ! is_read posture.keys "$path" || keys_of
        done
    done
    set +f
}
if [ -n "$passwd" ]; then keys; put posture.keys_read '' yes
else lack posture.keys '' file_not_readable /etc/passwd; fi

# -- InfiniBand: rows "posture.partition 0xffff 8", of how many ports a P_Key is; and whether the subnet has an M_Key --

ports_of_infiniband() {
    for port in "$root"/sys/class/infiniband/*/ports/*; do
        [ "$(cat "$port/link_layer" 2>/dev/null)" != InfiniBand ] || printf '%s\n' "$port"
    done
}
partitions() {
    printf '%s\n' "$infiniband" | while read -r port; do
        if keys=$(cat "$port"/pkeys/* 2>/dev/null); then printf '%s\n' "$keys" | plain | grep -v '^0x0*$' | sort -u
        else lack posture.partitions '' file_not_readable "${port#"$root"}/pkeys"; fi
    done | awk -F '\t' 'NF > 1 { print; next } NF { ports[$1]++ } END { for (key in ports) print "posture.partition\t" key "\t" ports[key] }' | sort
}
# By the port itself: who has no key is told an M_Key of 0 by one that protects it. Without -K no key is shown.
m_key() {
    told=$(timeout 10 smpquery -K -C "${hca##*/}" -P "${first_port##*/}" -D portinfo 0 2>&1)
    key=$(printf '%s\n' "$told" | sed -n 's/^Mkey:\.*//p') bits=$(printf '%s\n' "$told" | sed -n 's/^ProtectBits:\.*//p')
    told=$(printf '%s\n' "$told" | sed 's/^\(Mkey:\.*\).*/\1/') # no key is shown, whatever else comes of it
    case $key:$bits in
    0x0000000000000000:0) put posture.m_key '' 'not set' ;;
    0x*:[0-3]) put posture.m_key '' "set, protection $bits" ;;
    *) untabbed "$told"; lack posture.m_key '' "$first" ;;
    esac
}
# The rest only the subnet manager knows: of each that runs here, by the file that it was started with. Keys are secrets:
# told is whether one is the usual one. Numbers are read as opensm reads them; "vs_key_enable = 2" is 0 to it.
key_items='sm_key sa_key sa_trust vs_key cc_key n2n_key'
settings_of() {
    awk '
    function number(text, rest, i, n) {
        if (text ~ /^0[xX]/) {
            rest = tolower(substr(text, 3)); sub(/[^0-9a-f].*/, "", rest); sub(/^0+/, "", rest)
            return rest == "" ? "0" : rest
        }
        sub(/[^0-9].*/, "", text); sub(/^0+/, "", text)
        return text == "" ? "0" : text
    }
    function usual(name) { return !(name in set) || number(set[name]) == "1" ? "the usual one" : number(set[name]) == "0" ? "none" : "its own" }
    function given(name, protect) {
        if (number(set[name "_enable"]) == "1") return "disabled"
        if (number(set[name "_enable"]) != "2") return "not set"
        if (number(set["key_mgr_seed"]) == "0" && number(set["m_key"]) == "0" && set["m_key_per_port"] != "TRUE") return "enabled, of no seed"
        return "enabled" (protect in set ? ", protection " number(set[protect]) : "")
    }
    { sub(/#.*/, ""); sub(/[ \t\r]+$/, "") }
    NF > 1 { name = $1; sub(/^[ \t]*[^ \t]+[ \t]+/, ""); gsub(/^["\047]|["\047]$/, ""); set[name] = $0 }
    END {
        print "sm_key\t" usual("sm_key"); print "sa_key\t" usual("sa_key")
        print "sa_trust\t" (set["sa_enhanced_trust_model"] == "TRUE" ? "enhanced" : "standard")
        print "vs_key\t" given("vs_key", "vs_key_ci_protect_bits"); print "cc_key\t" given("cc_key", "cc_key_protect_bit")
        print "n2n_key\t" given("n2n_key", "n2n_key_protect_bit")
    }'
}
lack_keys() { for item in $key_items; do lack "posture.$item" '' "$@"; done; }
# settings_file PROCESS: in $file what it was started with; it may see other files than we do. In $option what outranks the file (a
# key of -k), or is written as it is not understood here (-BF FILE, --conf FILE).
settings_file() {
    words=$(tr '\000' '\n' <"$1/cmdline" 2>/dev/null | plain)
    option=$(printf '%s\n' "$words" | grep -E '^(-k|-[^-F].*[Fk]|--smk|--conf)' | grep -vE '^--config(=.*)?$' | head -n 1)
    option=${option%%[= ]*}
    file=$(printf '%s\n' "$words" | awk '
        next_one { print; exit }
        $0 == "-F" || $0 == "--config" { next_one = 1; next }
        sub(/^--config=/, "") || sub(/^-F/, "") { print; exit }')
    : "${file:=/etc/opensm/opensm.conf}"
    if [ -r "$1/root$file" ]; then seen=$1/root$file; else seen=$root$file; fi
}
subnet_managers() {
    settings='' uid=$(id -u)
    # shellcheck disable=SC2013 # no path of these has a blank
    for process in $(grep -lsx opensm "$root"/proc/[0-9]*/comm); do
        process=${process%/comm}
        # What another user calls so is none, and what he has it start with is no file that root reads for him.
        # The first of the four: a program that changes its user, such as su, has that of its caller there.
        case $(sed -n "s/^Uid:$tab\([0-9]*\).*/\1/p" "$process/status" 2>/dev/null) in 0 | "$uid") ;; *) continue ;; esac
        settings_file "$process"
        if [ -n "$option" ]; then lack_keys subnet_manager_has_option "$option"; return; fi
        if [ ! -f "$seen" ] || [ ! -r "$seen" ]; then lack_keys file_not_readable "$file"; return; fi
        if ! { text=$(whole_of "$seen"); } 2>/dev/null; then lack_keys file_not_read_whole "$file"; return; fi
        settings=$settings$(printf '%s\n' "$text" | settings_of)$newline
    done
    if [ -z "$settings" ]; then lack_keys subnet_manager_elsewhere; return; fi
    for item in $key_items; do
        put "posture.$item" '' "$(printf '%s' "$settings" | sed -n "s/^$item$tab//p" | sort -u | paste -s -d ';' - | sed 's/;/; /g')"
    done
}
# A P_KeyTableRecord is told to whom the subnet administration trusts alone. Another key than its own it leaves unanswered,
# and writes down; that it answers at all, requests that need no trust show, before and after.
ask_sa() { told=$(timeout 20 saquery -C "${hca##*/}" -P "${first_port##*/}" "$@" 2>&1); }
sa_answers() {
    ask_sa CPI
    case $told in *'SA ClassPortInfo'*) return ;; esac
    untabbed "$told"
    lack posture.sa_key_tried '' "$first"
    return 1
}
try_sa_key() {
    if ! lid=$(cat "$first_port/lid" 2>/dev/null); then lack posture.sa_key_tried '' file_not_readable "${first_port#"$root"}/lid"; return; fi
    sa_answers || return
    for key in 0 1; do
        ask_sa --smkey $key PKTR $((lid))
        case $told in
        *'PKeyTableRecord dump'*)
            if [ $key -eq 0 ]; then put posture.sa_key_tried '' 'all are trusted, without a key'; return; fi
            put posture.sa_key_tried '' 'the usual one is trusted'
            return
            ;;
        *'onnection timed out'* | *SA_ERR_REQ_INVALID*) ;;
        *) untabbed "$told"; lack posture.sa_key_tried '' "$first"; return ;;
        esac
    done
    ! sa_answers || put posture.sa_key_tried '' 'the usual one is not trusted'
}
infiniband=$(ports_of_infiniband)
first_port=${infiniband%%"$newline"*} hca=${infiniband%%/ports/*}
if [ -n "$infiniband" ]; then
    partitions
    m_key
    subnet_managers
    [ "${try_sa_key:-0}" = 0 ] || try_sa_key
else
    for item in m_key $key_items sa_key_tried; do put "posture.$item" '' 'no InfiniBand'; done
fi
put posture.partitions_read '' yes

# -- Time servers: rows "posture.time_source ntp.example.com chrony" --

servers() {
    tr '\000-\011\013-\037\177' ' ' | awk -v of="$1" '
        $1 ~ /^(server|pool|peer)$/ { print "posture.time_source\t" $2 "\t" of }
        of == "timesyncd" && sub(/^(Fallback)?NTP=/, "") { for (i = 1; i <= NF; i++) print "posture.time_source\t" $i "\t" of }'
}
time_files() {
    of=$1
    shift
    for file; do
        [ -e "$file" ] || continue
        configured=yes
        ! is_read posture.time_sources "$file" || servers "$of" <"$file"
    done
}
configured=
time_files chrony "$root"/etc/chrony.conf "$root"/etc/chrony/chrony.conf "$root"/etc/chrony/conf.d/*.conf \
    "$root"/etc/chrony/sources.d/*.sources
time_files ntp "$root"/etc/ntp.conf "$root"/etc/ntpsec/ntp.conf
time_files timesyncd "$root"/etc/systemd/timesyncd.conf "$root"/etc/systemd/timesyncd.conf.d/*.conf
if [ -n "$configured" ]; then put posture.time_sources_read '' yes; else lack posture.time_sources '' no_time_settings; fi
echo 'key-value end'

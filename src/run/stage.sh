# SPDX-License-Identifier: Apache-2.0
# The remote side of `assay stage`. A version of the tools lies at ROOT/VERSION; what is on its way there, in
# ROOT/.VERSION.part: `stream`, all files one behind the other in the manifest's order. Only when every file fits its
# hash is the folder renamed to VERSION, so a version that can be seen was whole.
#
# Answers are lines "KEY VALUE"; `fail CODE ARGUMENT...` is the last one where something stands in the way, with a sentence of
# include/assay/reasons/script.def and its arguments between tabs; `why CODE ARGUMENT...` before it says more.

. "$(dirname "$0")/../check/sh/login_user.sh"

say() { printf '%s\n' "$*"; }
tab='	'
# code KEY CODE ARGUMENT...
code() {
    answer="$1 $2"
    shift 2
    for word; do answer=$answer$tab$word; done
    say "$answer"
}
fail() { code fail "$@"; exit 0; }
why() { code why "$@"; }

# unshared FOLDER: it is ours or root's, and nobody else may write in it
unshared() {
    [ -d "$1" ] || mkdir -m 700 "$1" 2>/dev/null
    # shellcheck disable=SC2046 # words
    set -- $(stat -c '%u %a' "$1" 2>/dev/null)
    case $1 in 0 | "$uid") ;; *) return 1 ;; esac
    case $2 in *[2367] | *[2367]?) return 1 ;; esac
}
private() {
    [ -d "$1" ] || mkdir -m 700 "$1" 2>/dev/null
    [ "$(stat -c '%F %u %a' "$1" 2>/dev/null)" = "directory $uid 700" ]
}
# runs FOLDER: programs may lie there (no noexec)
runs() {
    { printf '#!/bin/sh\nexit 0\n' >"$1/.try.$own" && chmod 700 "$1/.try.$own" && "$1/.try.$own"; } 2>/dev/null
    set -- $? "$1"
    rm -f "$2/.try.$own"
    return "$1"
}

# choose ROOT|-: $root, a folder that has the version or the first that may hold it
choose() {
    login_user
    umask 077
    roots=${ASSAY_STAGE:-/var/tmp/assay-$uid/tools $home/.assay/tools}
    [ "$1" = - ] || roots=$1
    root=''
    for r in $roots; do private "$r" && [ -d "$r/$version" ] && root=$r && return; done
    for r in $roots; do
        case $r in [!/]* | *[!A-Za-z0-9._+/=,@:~-]*) why no_plain_path "$r"; continue ;; esac
        if ! unshared "${r%/*}" || ! private "$r"; then why no_private_folder_of_user "$r"
        elif ! runs "$r"; then why programs_may_not_run_in "$r"
        else root=$r; return; fi
    done
    fail no_place_for_tools
}

# fits FOLDER: it is the version, to the last byte; else $bad says what is not
fits() {
    bad=the_manifest
    [ "$(sha256sum <"$1/.assay-manifest" 2>/dev/null | cut -c 1-64)" = "$version" ] || return 1
    if ! said=$(cd "$1" && sed -n 's|^[67]00 [0-9]* \([0-9a-f]*\) |\1  ./|p' .assay-manifest | LC_ALL=C sha256sum -c 2>/dev/null); then
        bad=$(printf '%s\n' "$said" | sed -n '/: OK$/!s|^\./\(.*\): .*|\1|p' | head -n 1)
        return 1
    fi
    bad=files_that_do_not_belong
    [ "$(find "$1" ! -type d | wc -l)" = "$(wc -l <"$1/.assay-manifest")" ]
}

# whole: true, with the answer, when the version is there; a damaged one is taken away
whole() {
    [ -d "$root/$version" ] || return 1
    if fits "$root/$version"; then say "state whole"; return 0; fi
    say "damaged $bad"
    mv -T "$root/$version" "$root/.gone.$own" 2>/dev/null
    rm -rf "$root/.gone.$own"
    return 1
}

size_of() { stat -c %s "$1" 2>/dev/null || echo 0; }

# probe TOTAL BLOCK: is it there, whole or in part, and is there space for the rest, twice: as it comes and as it lies.
# What sbcast brought and nobody took, where all was killed at once, is not for ever
probe() {
    say "root $root"
    find "$root" -maxdepth 1 -name '.stage-*' -mmin +60 -exec rm -f {} + 2>/dev/null
    whole && return
    stream=$root/.$version.part/stream
    size=$(size_of "$stream")
    block=0
    while [ $((block * $2)) -lt "$size" ]; do
        say "have $(dd if="$stream" bs="$2" skip="$block" count=1 2>/dev/null | sha256sum | cut -c 1-64)"
        block=$((block + 1))
    done
    needed=$(((2 * $1 - size) / 1024 + 65536))
    free=$(df -Pk "$root" | awk 'END { print $4 }')
    case $free in '' | *[!0-9]*) free=0 ;; esac
    [ "$free" -ge "$needed" ] || fail no_space_for_tools "$root" $((free / 1024)) $((needed / 1024))
    say "state part"
}

# block INDEX BLOCK: what came along goes to its place in the stream
block() {
    private "$root/.$version.part" || fail folder_is_not_private "$root/.$version.part"
    said=$(dd if="$ASSAY_DIR/block" of="$root/.$version.part/stream" bs="$2" seek="$1" conv=notrunc 2>&1) ||
        fail cannot_write_because "$root" "$(printf %s "$said" | head -n 1)"
    rm -f "$ASSAY_DIR/block"
    say "state part"
}

# cut: the files out of the stream, by the manifest
cut_stream() {
    while read -r mode size _ path; do
        case $path in
        '') continue ;;
        */*) mkdir -p "$files/${path%/*}" ;;
        esac
        head -c "$size" <&4 >"$files/$path" && chmod "$mode" "$files/$path" || return 1
    done <"$ASSAY_DIR/manifest" 4<"$part/stream"
}

finish() {
    part=$root/.$version.part
    files=$part/files.$own # of our own: hosts may share the folder (a home on NFS)
    whole && return
    rm -rf "$files"
    written=
    { mkdir -m 700 "$files" && cut_stream && cp "$ASSAY_DIR/manifest" "$files/.assay-manifest"; } 2>/dev/null && written=1
    if [ -n "$written" ] && fits "$files"; then
        mv -T "$files" "$root/$version" 2>/dev/null
        rm -rf "$part"
        [ -d "$root/$version" ] || fail cannot_make "$root/$version"
        say "state whole"
        return
    fi
    rm -rf "$files"
    arrived=$bad
    whole && return # another host has, and removed with its own $part what we were at
    [ -n "$written" ] || fail cannot_write_maybe_full "$root"
    say "damaged $arrived"
    say "state part"
}

# received NAME TOTAL: the whole stream came by sbcast. Hosts may share the folder, and another have taken it already
received() {
    whole && return
    part=$root/.$version.part
    private "$part" || fail folder_is_not_private "$part"
    [ "$(size_of "$root/$1")" != "$2" ] || mv -T "$root/$1" "$part/stream" 2>/dev/null
    if [ "$(size_of "$part/stream")" = "$2" ]; then finish
    else
        rm -f "$root/$1"
        # Who has taken it removed its own $part perhaps before this one was made.
        if whole; then rmdir "$part" 2>/dev/null; else say "state part"; fi
    fi
}

# pass HOST ITS_ROOT TOTAL OFFSET: the stream from there on out of another host's version, over ssh between the hosts
pass() {
    whole && return
    part=$root/.$version.part
    private "$part" || fail folder_is_not_private "$part"
    { : >>"$part/stream" && truncate -s "$4" "$part/stream"; } 2>/dev/null || fail cannot_write_in "$part"
    ssh -n -o BatchMode=yes -o ConnectTimeout=15 "$1" "exec /bin/sh -c 'cd $2/$version && sed 1d .assay-manifest |
        cut -d\" \" -f4 | xargs cat | tail -c +$(($4 + 1))'" >>"$part/stream" 2>"$ASSAY_DIR/said"
    rc=$?
    if [ "$(size_of "$part/stream")" != "$3" ]; then
        fail ssh_between_hosts_ended "$1" $rc "$(tail -n 1 "$ASSAY_DIR/said")"
    fi
    finish
}

# versions: those that lie there, in KiB, and those on their way
versions() {
    for r in $roots; do
        { [ -d "$r" ] && private "$r"; } || continue
        for d in "$r"/* "$r"/.*.part; do
            [ -d "$d" ] || continue
            set -- "$(du -sk "$d")"
            name=${d##*/}
            case $name in
            .*.part) name=${name#.}; say "partial ${name%.part} ${1%%[!0-9]*} $d" ;;
            *) say "version $name ${1%%[!0-9]*} $d" ;;
            esac
        done
    done
}

# used FOLDER: by which attempt, or process
used() {
    for p in /proc/[0-9]*; do
        case $(readlink "$p/exe" 2>/dev/null) in
        "$1"/*) ;;
        *) grep -qzF "$1/bin" "$p/environ" 2>/dev/null || continue ;;
        esac
        by=$(tr '\0' '\n' <"$p/environ" 2>/dev/null | sed -n 's/^ASSAY_ATTEMPT=//p')
        how=attempt
        [ -n "$by" ] || { how=process by=${p##*/}; }
        return 0
    done
    return 1
}

# forget_version PREFIX
forget_version() {
    found=
    for r in $roots; do
        for d in "$r/$1"* "$r/.$1"*.part; do
            { [ -d "$d" ] && private "$r"; } || continue
            used "$d" && fail "version_used_by_$how" "${d##*/}" "$by"
            mv -T "$d" "$r/.gone.$own" 2>/dev/null || fail cannot_remove "$d"
            rm -rf "$r/.gone.$own"
            found=1
            say "removed $d"
        done
    done
    [ -n "$found" ] || say "absent $1"
}

# stage VERB VERSION ROOT|- ...
stage() {
    verb=$1 version=$2
    choose_from=$3
    own=$ASSAY_ATTEMPT # what has no other's name: hosts that share the folder have processes of the same number
    shift 3
    case $verb in
    versions | forget_version)
        login_user
        roots=${ASSAY_STAGE:-/var/tmp/assay-$uid/tools $home/.assay/tools}
        [ "$choose_from" = - ] || roots=$choose_from
        ;;
    *) choose "$choose_from" ;;
    esac
    case $verb in
    forget_version) forget_version "$version" ;;
    *) "$verb" "$@" ;;
    esac
}

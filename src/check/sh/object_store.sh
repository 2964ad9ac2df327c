# SPDX-License-Identifier: Apache-2.0
# usage: [ASSAY_DIR=FOLDER] url=URL [credentials=FILE [profile=NAME] [region=NAME]] [ca=FILE] [streams=N] [bytes=N] [gets=N]
#        [within_s=N] sh object_store.sh
# What an object store takes and gives, as rows of key-value. Objects of names of their own are put by several streams at once, got
# by as many and compared byte by byte; a small one is got again and again; all are deleted, whatever happened before.
#
#   object.put, object.get   "BYTES SECONDS": of all streams together, from the first one's start to the last one's end
#   object.times             how long each get of the small object took, in s
#   object.same              yes, or how many came back different
#   object.removed           yes, or how many are left, and where
#
# credentials: the form of the AWS tools (~/.aws/credentials). What is in it goes from this shell, by builtins, to curl's standard
# input, and nowhere else: no command line, no environment, no file, no output. Needs curl 7.75, for plain HTTP 7.63 (%{stderr}).
#
# The suite's function, which assay puts before it:
#   curl_tool   curl
. "$(dirname "$0")/key_value.sh"
: "${url:?}" "${credentials:=}" "${profile:=default}" "${region:=us-east-1}" "${ca:=}" "${streams:=8}" "${bytes:=67108864}"
: "${gets:=20}" "${within_s:=120}" "${ASSAY_DIR:=.}"
command -v curl_tool >/dev/null || curl_tool() { curl "$@"; }
SMALL=1024 SAYS='%{stderr}ended %{http_code} %{time_total}\n'
here=$ASSAY_DIR/object-store
# A variable that came exported would stay so, with its new value.
unset id secret token
data=$here/data id='' secret='' token='' refused=object_not_put refused_more=''
name=assay-$(uname -n)-$$-$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')

# undecided CODE ARGUMENT...: nothing could be measured, and why
undecided() {
    for item in object.bandwidth object.latency object.same object.removed; do lack $item '' "$@"; done
    echo 'key-value end'
    exit 0
}
key() { sed -n "/^\\[$profile\\]/,/^\\[/s/^[[:space:]]*$1[[:space:]]*=[[:space:]]*\\([^[:space:]]*\\).*/\\1/p" "$credentials" | head -n 1; }
take_credentials() {
    case $credentials in '') return ;; [~]/*) credentials=$HOME/${credentials#??} ;; esac
    [ -r "$credentials" ] || undecided file_not_readable "$credentials"
    id=$(key aws_access_key_id) secret=$(key aws_secret_access_key) token=$(key aws_session_token)
    case $id:$secret$token in :* | *[\"\\]*) secret='' ;; esac
    [ -n "$secret" ] || undecided object_no_credentials "$credentials" "$profile"
}
# curl's options, for its standard input. A header that is taken out ("Expect:") would be signed all the same.
options() {
    printf 'silent\nshow-error\nfail\nfail-early\nconnect-timeout = 10\nmax-time = %s\nexpect100-timeout = 0.1\n' "$within_s"
    [ -z "$ca" ] || printf 'cacert = "%s"\n' "$ca"
    [ -z "$id" ] || printf 'aws-sigv4 = "aws:amz:%s:s3"\nuser = "%s:%s"\nheader = "x-amz-content-sha256: UNSIGNED-PAYLOAD"\n' \
        "$region" "$id" "$secret"
    [ -z "$token" ] || printf 'header = "x-amz-security-token: %s"\n' "$token"
}
# The lab's streams start at once: curl tells its simulated seconds, which are not those of this clock.
now() { if [ -n "${ASSAY_LAB_ROOT:-}" ]; then echo 0; else date +%s.%N; fi; }
# request LOG: curl with these options and those on standard input; what it says is in LOG, how it ended in LOG.rc, when it
# started in LOG.at
request() {
    now >"$here/$1.at"
    { options; cat; } | curl_tool -q --config - -w "$SAYS" 2>"$here/$1"
    echo $? >"$here/$1.rc"
}
put_object() { printf 'url = "%s"\nupload-file = "%s"\noutput = "/dev/null"\n' "$url/$name.$2" "$3" | request "$1"; }
get_object() {
    printf 'url = "%s"\n' "$url/$name.$1" | request "get.$1" | cmp -s - "$data"
    echo $? >"$here/get.$1.cmp"
}
remove_object() { printf 'url = "%s"\nrequest = "DELETE"\noutput = "/dev/null"\n' "$url/$name.$1" | request "remove.$1"; }

# of LOG: its exit status, HTTP's status, the seconds, and curl's complaint
told() {
    read -r rc <"$here/$1.rc"
    status=$(sed -n 's/^ended \([0-9]*\) .*/\1/p' "$here/$1" | tail -n 1)
    took=$(sed -n 's/^ended [0-9]* \([0-9.]*\)$/\1/p' "$here/$1")
    untabbed "$(grep -v '^ended ' "$here/$1")"
}
# trouble LOG: why it did not end well, as a code and its arguments in $why, one a line; 1: it did
trouble() {
    told "$1"
    case $rc:$status in
    0:2*) return 1 ;;
    0:*) why="object_answered $status" ;;
    22:401 | 22:403) why="object_denied $status" ;;
    22:404) why="object_bucket_missing $status" ;;
    22:*) why="object_answered $status" ;;
    35:* | 51:* | 58:* | 60:* | 77:*) why=object_certificate ;;
    5:* | 6:* | 7:*) why=object_not_reached ;;
    18:* | 52:* | 55:* | 56:* | 92:*) why=object_cut ;;
    12[67]:*) why=object_no_curl ;;
    *) why="object_curl_ended $rc" ;;
    esac
    # Of these HTTP's status says all.
    case $why in object_denied* | object_bucket_missing* | object_answered*) first= ;; esac
    return 0
}
# tell ITEM...: they have no value, for what trouble found
tell() {
    for item; do
        # shellcheck disable=SC2086 # words
        lack "$item" '' $why ${first:+"$first"}
    done
}
# all OPERATION: in $whole the seconds from the first start to the last end, for streams need not all be at work at once; never
# less than the slowest stream took, as where the clock was set back. 1, and its trouble, where one did not end well
all() {
    times=
    for i in $numbers; do
        ! trouble "$1.$i" || return 1
        read -r at <"$here/$1.$i.at"
        times="$times$at $took
"
    done
    whole=$(printf '%s' "$times" | awk '
        { if (NR == 1) base = int($1); at = $1 - base; end = at + $2 }
        NR == 1 || at < first { first = at }
        NR == 1 || end > last { last = end }
        $2 + 0 > slowest + 0 { slowest = $2 }
        END { printf "%.6f", (last - first > slowest + 0) ? last - first : slowest }')
}
# may_be_there OBJECT: it was put, or nobody knows; not where the store refused it, or nothing came to it
may_be_there() {
    [ -e "$here/put.$1" ] || return 1
    [ -e "$here/put.$1.rc" ] || return 0
    told "put.$1"
    case $rc:$status in 22:4* | 0:3* | 5:* | 6:* | 7:* | 35:* | 51:* | 58:* | 60:* | 77:* | 12[67]:*) return 1 ;; esac
}
remove() {
    trap - EXIT
    left=0 tried=0
    for i in $numbers small; do
        may_be_there "$i" || continue
        tried=$((tried + 1))
        remove_object "$i"
        told "remove.$i"
        case $rc:$status in 0:2* | 22:404) ;; *) left=$((left + 1)) ;; esac
    done
    if [ $left != 0 ]; then put object.removed '' object_left $left "$url/$name"
    elif [ $tried != 0 ]; then put object.removed '' yes
    else why=$refused first=$refused_more; tell object.removed
    fi
    rm -rf "$here"
    echo 'key-value end'
}
put_all() {
    for i in $numbers; do put_object "put.$i" "$i" "$data" & done
    wait
    all put || return 1
    put object.put '' "$((bytes * streams)) $whole"
}
get_all() {
    for i in $numbers; do get_object "$i" & done
    wait
    different=0 same=0
    for i in $numbers; do
        told "get.$i"
        read -r compared <"$here/get.$i.cmp"
        # cmp reads no further than to what differs: curl cannot write then
        case $compared:$rc:$status in
        0:0:2*) same=$((same + 1)) ;;
        1:0:2* | 1:23:2*) different=$((different + 1)) ;;
        esac
    done
    if [ $different != 0 ]; then
        put object.same '' object_different $different "$streams"
        lack object.bandwidth '' object_different $different "$streams"
        return 0
    fi
    all get || { tell object.bandwidth object.same; return 0; }
    [ $same = "$streams" ] || { why=object_not_compared first=; tell object.bandwidth object.same; return 0; }
    put object.same '' yes
    put object.get '' "$((bytes * streams)) $whole"
}
get_small() {
    head -c $SMALL "$data" >"$here/small"
    put_object put.small small "$here/small"
    ! trouble put.small || { tell object.latency; return 0; }
    i=0
    while [ $((i += 1)) -le "$gets" ]; do printf 'url = "%s"\noutput = "/dev/null"\n' "$url/$name.small"; done | request small
    # shellcheck disable=SC2086 # one a line
    if trouble small; then tell object.latency; else put object.times '' "$(printf '%s ' $took)"; fi
}
take_credentials
umask 077
numbers=$(i=0; while [ $((i += 1)) -le "$streams" ]; do printf '%s ' $i; done)
said=$({ mkdir "$here" && head -c "$bytes" /dev/urandom >"$data"; } 2>&1) || { untabbed "$said"; undecided object_no_data "$first"; }
trap remove EXIT
trap 'exit 143' TERM INT HUP
if put_all; then
    get_small
    get_all
else
    refused=$why refused_more=$first
    tell object.bandwidth object.latency object.same
fi

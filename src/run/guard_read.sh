# SPDX-License-Identifier: Apache-2.0
# The light path, for commands that only look: read UUID BOOT DEADLINE GRACE SWEEP, and $light_command
#
# The shell reads this from its stdin, so that no other program is needed to begin; the command comes behind it as one
# quoted word, and then the line that starts it all: what was cut before that line runs nothing. Where a profile read
# the beginning, what runs ends for want of a function or of the command, and gives no answer.
#
# No spool: the command writes straight to the channel's own two streams. Each is framed by a line that says
# `begun` and a line that says `ended`, so a stream that was cut is known as such. What is run must not be able to write
# such a line: $begun and $ended, which make it one, and $secret, which is for the command alone and goes to its stdin,
# are variables that no environment has, and come behind this text.
#
. "$(dirname "$0")/guard_common.sh"
set +ax
unset begun ended secret
# An attempt is read beside its command and by more than one reader (before and after it, and again when the
# connection broke or the controller did): so each has a mark of its own, or the deadline of one that hangs
# would end the others and the command.
light() {
    uuid=$2
    boot_now
    uptime_now && : "${begun:?}" "${ended:?}" "${secret?}" "${light_command?}" "${6:?}" || exit 1
    began=$now left='' mark=ASSAY_READER=$uuid.$$.$now
    printf '@assay %s begun\n' "$begun"
    printf '@assay %s begun\n' "$begun" >&2
    if [ "$3" != - ] && [ "$3" != "$boot" ]; then
        why=rebooted rc=0
    else
        { [ -z "$secret" ] || echo "$secret"; } |
            ASSAY_ATTEMPT=$uuid ASSAY_READER=$uuid.$$.$began timeout -k "$5" "$4" /bin/sh -c "$light_command"
        rc=$?
        uptime_now
        judge "$rc" "$began" "$now" "$4"
        [ "$why" = deadline ] && sweep "$6"
    fi
    printf '\n@assay %s ended why=%s rc=%s up=%s,%s left=%s out=0 err=0 clip=0,0 boot=%s text=\n' \
        "$ended" "$why" "$rc" "$began" "$now" "$left" "$boot"
    printf '\n@assay %s ended\n' "$ended" >&2
}

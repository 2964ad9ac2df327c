# SPDX-License-Identifier: Apache-2.0
# The light path, for commands that only look: read UUID BOOT DEADLINE GRACE SWEEP LEN
#
# No spool: the command writes straight to the channel's own two streams. Each is framed by a line that says
# `begun` and a line that says `ended`, so a stream that was cut is known as such. The command arrives with
# its own last line, so half a command is never run.
#
# An attempt is read beside its command and by more than one reader (before and after it, and again when the
# connection broke or the controller did): so each has a mark of its own, or the deadline of one that hangs
# would end the others and the command.
light() {
    uuid=$2
    command=$(head -c "$7")
    case $command in *"# end $uuid") ;; *) return ;; esac
    boot_now
    uptime_now
    began=$now left= mark=ASSAY_READER=$uuid.$$.$now
    printf '@assay %s begun\n' "$uuid"
    printf '@assay %s begun\n' "$uuid" >&2
    if [ "$3" != - ] && [ "$3" != "$boot" ]; then
        why=rebooted rc=0
    else
        ASSAY_ATTEMPT=$uuid ASSAY_READER=$uuid.$$.$began timeout -k "$5" "$4" /bin/sh -c "$command" </dev/null
        rc=$?
        uptime_now
        judge "$rc" "$began" "$now" "$4"
        [ "$why" = deadline ] && sweep "$6"
    fi
    printf '\n@assay %s ended\n' "$uuid" >&2
    printf '\n@assay %s ended why=%s rc=%s up=%s,%s left=%s out=0 err=0 clip=0,0 boot=%s text=\n' \
        "$uuid" "$why" "$rc" "$began" "$now" "$left" "$boot"
}

light "$@"

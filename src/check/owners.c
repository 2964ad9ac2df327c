/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose host it is at the moment: jobs of Slurm and pods of Kubernetes. Asked on each member before and after every
 * test that is not light, of what lies on the host itself, so that it costs next to nothing:
 *
 *   Slurm       slurmstepd, of which each step has one. Only where there is none, and slurmd runs, the controller is
 *               asked whether the node is allocated all the same (an allocation without a step). Where it does not
 *               answer, no new job can begin, and what runs was seen.
 *   Kubernetes  the kubelet's list of devices that pods were given; of a pod that is over it may not be true any
 *               more, so a process of the pod must be there too. Pods that only watch (dcgm-exporter) have no device.
 *   assay       another run's lock (include/assay/check.h): a file of its own in a folder that all users may write to.
 *               It counts for a moment after it was written, and then only as long as a process of its test runs, or,
 *               for who may not see such processes, up to the test's deadline. So a controller that died, or a run that
 *               was cancelled, locks nobody out. Who sees another's lock beside his own takes his back and waits: two
 *               never hold a host at once.
 *
 *   itself      where assay asked Slurm for the host and did not get it.
 *
 * What has just ended may still be listed, so it is asked again for a few seconds. Our own jobs (their name) and those
 * that this very controller runs in are no one else's.
 */
#include <math.h>
#include <string.h>

#include "command_file.h"
#include "window.h"

enum { LOCK_FRESH_S = 60 };

/* Processes of containers that share this machine without sharing its processes are not this host's. */
static const char functions[] =
    "root=$ASSAY_LAB_ROOT\n"
    "space=$(readlink \"$root/proc/self/ns/pid\")\n"
    "ours() { theirs=$(readlink \"$1/ns/pid\") || return 0; [ \"$theirs\" = \"$space\" ]; }\n"
    "steps() {\n"
    "    for f in $(grep -ls '^slurmstepd: \\[' \"$root\"/proc/[0-9]*/cmdline); do\n"
    "        ours \"${f%/cmdline}\" && tr '\\0' '\\n' <\"$f\" | sed -n 's/^slurmstepd: "
    "\\[\\([0-9][0-9]*\\).*/\\1/p'\n"
    "    done 2>/dev/null | sort -u\n"
    "}\n"
    "is_node() {\n"
    "    for f in $(grep -lsx slurmd \"$root\"/proc/[0-9]*/comm); do ours \"${f%/comm}\" && return; done "
    "2>/dev/null\n"
    "    return 1\n"
    "}\n"
    /* Its name in Slurm; nothing where no CPU of it is given to anybody. */
    "allocated() {\n"
    "    for name in \"$node\" \"$(hostname -s)\"; do\n"
    "        told=$(timeout 10 scontrol --oneliner show node \"$name\" 2>/dev/null) || continue\n"
    "        case $told in *' CPUAlloc=0 '*) ;; *' CPUAlloc='*) echo \"$name\" ;; esac\n"
    "        return\n"
    "    done\n"
    "}\n"
    /* [-j JOBS | -w NODE]: "JOB|USER|NAME" */
    "queue() { timeout 10 squeue -h -t all -o '%A|%u|%j' \"$@\" 2>/dev/null; }\n"
    "slurm_jobs() {\n"
    "    jobs=$(steps | tr '\\n' ' ')\n"
    "    if [ -n \"$jobs\" ]; then\n"
    "        told=$(queue -j \"$(echo $jobs | tr ' ' ,)\")\n"
    "        printf '%s\\n' \"$told\"\n"
    "        for job in $jobs; do case \"\n$told\" in *\"\n$job|\"*) ;; *) echo \"$job||\" ;; esac; done\n"
    "    elif is_node; then\n"
    "        name=$(allocated)\n"
    "        [ -z \"$name\" ] || timeout 10 squeue -h -t running,suspended,completing,configuring "
    "-o '%A|%u|%j' -w \"$name\" 2>/dev/null\n"
    "    fi\n"
    "}\n"
    "slurm() {\n"
    "    slurm_jobs | while IFS='|' read -r job user name; do\n"
    "        [ -n \"$job\" ] && [ \"$name\" != \"assay-$run\" ] || continue\n"
    "        case \",$jobs_of_ours,\" in *\",$job,\"*) continue ;; esac\n"
    "        echo \"Slurm job $job${user:+ of $user}${name:+ ($name)}\"\n"
    "    done\n"
    "}\n"
    "locks=${ASSAY_LOCKS:-$root/var/tmp/assay-locks}\n"
    "read -r boot <\"${ASSAY_LAB_BOOT_ID:-/proc/sys/kernel/random/boot_id}\"\n"
    "now() { read -r up rest </proc/uptime; echo \"${up%.*}\"; }\n"
    /* ATTEMPT UNTIL: its test runs, as far as one can see */
    "runs() {\n"
    "    grep -qszxF \"ASSAY_ATTEMPT=$1\" /proc/[0-9]*/environ && return\n"
    "    [ \"$(id -u)\" != 0 ] && [ \"$(now)\" -lt \"$2\" ]\n"
    "}\n"
    "held() {\n"
    "    for f in \"$locks\"/*; do\n"
    "        [ -f \"$f\" ] && [ ! -L \"$f\" ] && read -r theirs attempt fresh until on since who <\"$f\" || "
    "continue\n"
    "        [ \"$theirs\" != \"$run\" ] && [ \"$on\" = \"$boot\" ] || continue\n"
    "        [ \"$(now)\" -lt \"$fresh\" ] || runs \"$attempt\" \"$until\" || continue\n"
    "        echo \"assay run $theirs of $who since $since\"\n"
    "    done 2>/dev/null\n"
    "}\n"
    "refused() { [ -z \"$refused\" ] || echo \"$refused\"; }\n"
    "mine=$locks/$run.$ASSAY_ATTEMPT\n"
    "release() { [ -z \"$run\" ] || rm -f \"$mine\"; }\n"
    /* Written under another name, so that nobody reads half of it; what is there already is not followed. */
    "take() {\n"
    "    [ -n \"$run\" ] || return 0\n"
    "    [ -d \"$locks\" ] || { mkdir -p \"$locks\" && chmod 1777 \"$locks\"; } || return\n"
    "    t=$(now); rm -f \"$locks/.$ASSAY_ATTEMPT\"\n"
    "    ( umask 022; set -C; echo \"$run $ASSAY_ATTEMPT $((t + fresh_s)) $((t + lease_s)) $boot "
    "$(date -u +%Y-%m-%dT%H:%M:%SZ) $who\" >\"$locks/.$ASSAY_ATTEMPT\" ) && mv -f \"$locks/.$ASSAY_ATTEMPT\" "
    "\"$mine\"\n"
    "}\n"
    "kubernetes() {\n"
    "    list=$root/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint\n"
    "    [ -r \"$list\" ] || return 0\n"
    "    for uid in $(tr '{' '\\n' <\"$list\" | sed -n "
    "'s/^\"PodUID\":\"\\([0-9a-f-]*\\)\".*\"ResourceName\":\"[^\"]*\\(gpu\\|mig-\\|Ascend\\).*/\\1/p' | sort "
    "-u); do\n"
    "        grep -qsE \"pod($uid|$(echo \"$uid\" | tr - _))\" \"$root\"/proc/[0-9]*/cgroup || continue\n"
    "        pod=$(cd \"$root/var/log/pods\" 2>/dev/null && ls -d ./*_\"$uid\" 2>/dev/null)\n"
    "        pod=${pod%%_\"$uid\"*} pod=${pod#./}\n"
    "        echo \"Kubernetes pod ${pod:+${pod%%_*}/${pod#*_} }$uid\"\n"
    "    done\n"
    "}\n";

static const struct check_claim *claim_of(const struct check_run *run, const char *host)
{
    for (size_t i = 0; run != NULL && run->claims != NULL && i < run->claims->items.count; i++)
        if (strcmp(run->claims->items.items[i].host, host) == 0)
            return &run->claims->items.items[i];
    return NULL;
}

void owners_functions(const struct check_context *context, size_t member, struct text *out)
{
    const struct check_run *run = context->run;
    const struct check_claim *claim = claim_of(run, context->members[member]->name);
    const char *jobs = run != NULL && run->jobs != NULL ? run->jobs : "";

    text_put(out, "node=");
    text_shell_quote(out, context->members[member]->name);
    text_put(out, " run=");
    text_shell_quote(out, run != NULL ? run->uuid : "");
    text_put(out, " jobs_of_ours=");
    text_shell_quote(out, claim != NULL ? arena_printf(context->arena, "%s,%s", jobs, claim->job) : jobs);
    text_put(out, " refused=");
    text_shell_quote(out, claim != NULL && claim->refused != NULL ? claim->refused : "");
    text_put(out, " who=");
    text_shell_quote(out, run != NULL && run->who != NULL ? run->who : "somebody");
    text_printf(out, " fresh_s=%.0f lease_s=%u\n", ceil(LOCK_FRESH_S / context->timescale) + 2,
                context->deadline_s + LOCK_FRESH_S);
    text_put(out, functions);
}

static double pause_of(const struct check_context *context)
{
    return 1 / context->timescale > 0.1 ? 1 / context->timescale : 0.1;
}

/* The lock is taken where the host is nobody's, and only then; pauses differ, so that of two that meet one goes first. */
void owners_before(const struct check_context *context, struct text *out)
{
    text_printf(out,
                "n=0; while x=$(slurm; kubernetes; held; refused); if [ -z \"$x\" ]; then take; x=$(held); "
                "[ -z \"$x\" ] || release; fi; [ -n \"$x\" ] && [ $n -lt 5 ]; do n=$((n + 1)); "
                "sleep \"$(awk -v p=$$ 'BEGIN { print %.1f * (1 + p %% 7 / 10) }')\"; done; "
                "[ -z \"$x\" ] || printf '%%s\\n' \"$x\"",
                pause_of(context));
}

void owners_after(const struct check_context *context, struct text *out)
{
    text_printf(
        out,
        "n=0; while x=$(slurm; kubernetes; held; refused); [ -n \"$x\" ] && [ $n -lt 5 ]; do n=$((n + 1)); "
        "sleep %.1f; "
        "done; release; [ -z \"$x\" ] || printf '%%s\\n' \"$x\"",
        pause_of(context));
}

void owners_say(const struct part *part, struct arena *arena, void (*say)(void *to, const char *owner),
                void *to)
{
    struct slice rest, line;

    if (part == NULL || !part->ended)
        return;
    rest = part->out;
    while (scan_line(&rest, &line))
        if (slice_trim(line).length > 0)
            say(to, utf8_clean(arena, slice_trim(line)));
}

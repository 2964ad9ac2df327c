/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose host it is at the moment: jobs of Slurm and pods of Kubernetes. Asked on each member before and after every
 * test that is not light, of what lies on the host itself, so that it costs next to nothing (sh/owners.sh):
 *
 *   Slurm       slurmstepd, of which each step has one. Only where there is none, and slurmd runs, the controller is
 *               asked whether the node is allocated all the same (an allocation without a step). Where it does not
 *               answer, such an allocation cannot be seen, so nobody has answered.
 *   Kubernetes  the kubelet's list of devices that pods were given; of a pod that is over it may not be true any
 *               more, so a process of the pod must be there too. Pods that only watch (dcgm-exporter) have no device.
 *   assay       another run's lock (include/assay/check.h), in a folder that only the user of that run can write to.
 *               It counts for a moment after it was written, and then only as long as a process of its test runs, or,
 *               for who may not see such processes, up to the test's deadline. So a controller that died, or a run that
 *               was cancelled, locks nobody out. Who sees another's lock beside his own takes his back and waits: two
 *               never hold a host at once. A user can claim by it that a run of his is there, and no more: he is named.
 *   itself      where assay asked Slurm for the host and did not get it.
 *
 * What has just ended may still be listed, so it is asked again for a few seconds. Our own jobs (their name) and those
 * that this very controller runs in are no one else's. What lies on a host may be made to keep one busy, so all of it
 * has a deadline of its own; and whatever could not be asked, our own lock that cannot be taken included, leaves the
 * question without an answer: never "nobody's".
 */
#include <math.h>
#include <string.h>

#include "command_file.h"
#include "script.h"
#include "window.h"

enum { LOCK_FRESH_S = 60, SHORTEST_S = 10, GRACE_S = 5, TIMED_OUT = 124, KILLED = 137 };

static const struct check_claim *claim_of(const struct check_run *run, const char *host)
{
    for (size_t i = 0; run != NULL && run->claims != NULL && i < run->claims->items.count; i++)
        if (strcmp(run->claims->items.items[i].host, host) == 0)
            return &run->claims->items.items[i];
    return NULL;
}

unsigned owners_deadline_s(const struct check_context *context)
{
    double scaled = ceil(OWNERS_S / context->timescale);

    return scaled > SHORTEST_S ? (unsigned)scaled : SHORTEST_S;
}

static void put_variable(struct text *out, const char *name, const char *value)
{
    script_assign(out, name, value);
    text_put(out, " ");
}

void owners_functions(const struct check_context *context, size_t member, struct text *out)
{
    const struct check_run *run = context->run;
    const struct check_claim *claim = claim_of(run, context->members[member]->name);
    const char *jobs = run != NULL && run->jobs != NULL ? run->jobs : "";
    double pause_s = 1 / context->timescale;

    text_put(out, "owners() {\n");
    put_variable(out, "node", context->members[member]->name);
    put_variable(out, "run", run != NULL ? run->uuid : "");
    put_variable(out, "jobs_of_ours",
                 claim != NULL ? arena_printf(context->arena, "%s,%s", jobs, claim->job) : jobs);
    put_variable(out, "refused", claim != NULL && claim->refused != NULL ? claim->refused : "");
    put_variable(out, "who", run != NULL && run->who != NULL ? run->who : "somebody");
    text_printf(out, "fresh_s=%.0f lease_s=%u pause_s=%.1f limit_s=%u timeout -k %d %u /bin/sh -c ",
                ceil(LOCK_FRESH_S / context->timescale) + 2, context->deadline_s + LOCK_FRESH_S,
                pause_s > 0.1 ? pause_s : 0.1, owners_deadline_s(context), GRACE_S,
                owners_deadline_s(context));
    text_shell_quote(out, script_owners);
    text_put(out, " assay \"$1\"\n}\n");
}

void owners_before(const struct check_context *context, struct text *out)
{
    (void)context;
    text_put(out, "owners before");
}

void owners_after(const struct check_context *context, struct text *out)
{
    (void)context;
    text_put(out, "owners after");
}

void owners_release(const struct check_context *context, struct text *out)
{
    (void)context;
    text_put(out, "owners release");
}

/* All that the part has said against it, in one line. */
static const char *complaints(struct arena *arena, const struct part *part)
{
    cleanup_text struct text all = {0};
    struct slice rest = part->err, line;

    text_init(&all, 4096);
    while (scan_line(&rest, &line)) {
        line = slice_trim(line);
        if (line.length > 0)
            text_printf(&all, "%s%s", all.length > 0 ? "; " : "", utf8_clean(arena, line));
    }
    return all.length > 0 ? arena_strdup(arena, all.bytes) : NULL;
}

const char *owners_unanswered(const struct check_context *context, const struct window *window,
                              const struct part *part)
{
    const char *why;

    if (window == NULL)
        return "it was not asked";
    if (part != NULL && part->ended && part->rc == 0)
        return NULL;
    if (part == NULL || !part->ended)
        return window->end != ATTEMPT_RAN && *window->text != '\0' ? window->text
                                                                   : "the answer did not come to its end";
    if (part->rc == TIMED_OUT || part->rc == KILLED)
        return arena_printf(context->arena, "there was no answer within %u s", owners_deadline_s(context));
    why = complaints(context->arena, part);
    return why != NULL ? why : arena_printf(context->arena, "exit status %d", part->rc);
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

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
 *   assay       another run's lock (include/assay/check/check.h), in a folder that only the user of that run can write to.
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

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

#include "assay/model/script_reason.h"

#include "owners.h"
#include "script.h"

/* SHORTEST_S: shorter is only the wait for simulated hosts, which share a machine. */
enum { LOCK_FRESH_S = 60, SHORTEST_S = 30, GRACE_S = 5, TIMED_OUT = 124, KILLED = 137 };

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
    put_variable(out, "refused",
                 claim != NULL && claim->refused != NULL ? script_line(context->arena, claim->refused) : "");
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

/* ---- what is answered ---- */

/* What sh/owners.sh may say on a host (script_reason.h). */
static const struct sentence *const owners[] = {
    &sentence_slurm_job_named,
    &sentence_slurm_job_of,
    &sentence_slurm_job,
    &sentence_kubernetes_pod,
    &sentence_assay_run_by_lock,
    /* refused, as app/exclusive.c has it */
    &sentence_slurm_gives_no_job,
    &sentence_slurm_ended_our_job,
    &sentence_slurm_lost_our_job,
    &sentence_slurm_gave_no_host_in_time,
    NULL,
};
static const struct sentence *const unanswered[] = {
    &sentence_others_not_seen,
    &sentence_boot_id_not_read,
    &sentence_slurm_does_not_say_to_whom,
    &sentence_slurm_does_not_say_whether,
    &sentence_kubernetes_list_not_read,
    &sentence_program_not_started,
    &sentence_whose_not_written,
    &sentence_too_many_lock_folders,
    &sentence_too_many_locks,
    &sentence_folder_not_read,
    &sentence_folder_not_listed,
    NULL,
};
/* Why a place takes no lock; said where none does. */
static const struct sentence *const no_locks[] = {&sentence_no_lock_made_in,
                                                  &sentence_folder_not_made,
                                                  &sentence_place_not_there,
                                                  &sentence_others_may_write,
                                                  &sentence_place_anybody_clears,
                                                  &sentence_folder_is_anothers,
                                                  NULL};

enum { COMPLAINTS_MOST = 10 };

struct complaints {
    const struct reason *all;
    size_t count; /* more than COMPLAINTS_MOST: the rest is not in all */
};

/* Of the lines those that are why a place takes no lock, or else the others. */
static void gather(struct arena *arena, struct slice lines, bool places, struct complaints *complaints)
{
    struct slice line;

    while (scan_line(&lines, &line)) {
        if (slice_trim(line).length == 0 || (script_sentence(line, no_locks) != NULL) != places ||
            complaints->count++ >= COMPLAINTS_MOST)
            continue;
        complaints->all =
            reason_also(arena, complaints->all, script_reason(arena, line, places ? no_locks : unanswered));
    }
}

static const struct reason *gathered(struct arena *arena, const struct complaints *complaints)
{
    return complaints->count > COMPLAINTS_MOST
               ? reason(arena, and_more, complaints->all, complaints->count - COMPLAINTS_MOST)
               : complaints->all;
}

/* All that the part has said against it. */
static const struct reason *complaints_of(struct arena *arena, const struct part *part)
{
    struct complaints places = {0}, all = {0};

    gather(arena, part->err, true, &places);
    if (places.count > 0)
        all = (struct complaints){reason(arena, no_lock_taken, gathered(arena, &places)), 1};
    gather(arena, part->err, false, &all);
    return gathered(arena, &all);
}

const struct reason *owners_unanswered(const struct check_context *context, const struct window *window,
                                       const struct part *part)
{
    const struct reason *why;

    if (window == NULL)
        return REASON(not_asked);
    if (part != NULL && part->ended && part->rc == 0)
        return NULL;
    if (part == NULL || !part->ended)
        return window->end != ATTEMPT_RAN && window->what != NULL ? window->what : REASON(answer_not_ended);
    if (part->rc == TIMED_OUT || part->rc == KILLED)
        return reason(context->arena, no_answer_within, owners_deadline_s(context));
    why = complaints_of(context->arena, part);
    return why != NULL ? why : reason(context->arena, exit_status, part->rc);
}

void owners_say(const struct part *part, struct arena *arena,
                void (*say)(void *to, const struct reason *owner), void *to)
{
    struct slice rest, line;

    if (part == NULL || !part->ended)
        return;
    rest = part->out;
    while (scan_line(&rest, &line))
        if (slice_trim(line).length > 0)
            say(to, script_reason(arena, line, owners));
}

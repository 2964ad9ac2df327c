/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/allocation.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay/base/program.h"
#include "assay/model/suite.h"
#include "assay/reasons/any.h"
#include "assay/reasons/app.h"

static bool is_open(const struct host *host)
{
    return strcmp(host->transport, "auto") == 0;
}

static const char *own_name(struct arena *arena)
{
    const struct passwd *user = getpwuid(geteuid());

    return user != NULL ? arena_strdup(arena, user->pw_name) : arena_printf(arena, "%u", (unsigned)geteuid());
}

/* -- Whether steps are the way -- */

static bool is_of_run(const struct host *host, const struct allocation_asked *asked)
{
    return host->role == ROLE_COMPUTE && (asked->hosts == NULL || hostlist_has(asked->hosts, host->name));
}

/* The nodes of the job that runs; NULL, or why Slurm does not tell them. */
static const struct reason *ask_nodes(struct arena *arena, const char *job, struct hostlist *ret_nodes)
{
    const char *words[] = {"squeue",           "--noheader",  arena_printf(arena, "--jobs=%s", job),
                           "--states=running", "--format=%N", NULL};
    const char *out = "", *complaint = "", *nodes;
    struct error err = {0};

    if (program_run(arena, words, NULL, &out, &complaint, &err) < 0)
        return reason(arena, allocation_not_told, err.text);
    nodes = arena_strndup(arena, out, strcspn(out, " \r\n"));
    if (*nodes == '\0')
        return *complaint != '\0' ? reason(arena, allocation_not_told,
                                           arena_strndup(arena, complaint, strcspn(complaint, "\r\n")))
                                  : REASON(allocation_is_over);
    return hostlist_expand(arena, nodes, ret_nodes, &err) < 0 ? reason(arena, allocation_not_told, err.text)
                                                              : NULL;
}

/* What of one host speaks for SSH. */
static const struct reason *against_host(struct arena *arena, const struct host *host)
{
    const char *own = own_name(arena);

    if (!is_open(host))
        return host_is_over_slurm(host)
                   ? NULL
                   : reason(arena, allocation_other_transport, host->name, host->transport);
    if (host->user != NULL && strcmp(host->user, own) != 0)
        return reason(arena, allocation_other_user, host->name, host->user, own);
    return NULL;
}

static const struct reason *against_hosts(struct arena *arena, const struct hostfile *hostfile,
                                          const struct allocation_asked *asked, const char *job)
{
    struct hostlist nodes = {0}, missing = {0};
    const struct reason *why = NULL;

    for (size_t i = 0; i < hostfile->hosts.count && why == NULL; i++)
        if (is_of_run(&hostfile->hosts.items[i], asked))
            why = against_host(arena, &hostfile->hosts.items[i]);
    if (why == NULL)
        why = ask_nodes(arena, job, &nodes);
    for (size_t i = 0; i < hostfile->hosts.count && why == NULL; i++)
        if (is_of_run(&hostfile->hosts.items[i], asked) &&
            !hostlist_has(&nodes, hostfile->hosts.items[i].name))
            *list_push(arena, &missing.names) = hostfile->hosts.items[i].name;
    if (missing.names.count > 0)
        why = reason(arena, allocation_lacks_hosts,
                     hostlist_fold(arena, missing.names.items, missing.names.count));
    return why;
}

static const struct reason *against(struct arena *arena, const struct hostfile *hostfile,
                                    const struct allocation_asked *asked, const char *job)
{
    if (asked->other_jobs)
        return REASON(allocation_is_not_asked);
    if (asked->passwords)
        return REASON(allocation_takes_no_password);
    if (asked->suite != NULL && asked->suite->launcher.kind != LAUNCHER_SRUN &&
        asked->suite->launcher.flags.count > 0)
        return REASON(allocation_takes_no_flags);
    return against_hosts(arena, hostfile, asked, job);
}

static size_t count_open(const struct hostfile *hostfile, const struct allocation_asked *asked)
{
    size_t count = 0;

    for (size_t i = 0; i < hostfile->hosts.count; i++)
        count += is_of_run(&hostfile->hosts.items[i], asked) && is_open(&hostfile->hosts.items[i]);
    return count;
}

static void give_slurm(const struct hostfile *hostfile)
{
    for (size_t i = 0; i < hostfile->hosts.count; i++)
        if (is_open(&hostfile->hosts.items[i]))
            hostfile->hosts.items[i].transport = "slurm";
}

const struct reason *allocation_take(struct arena *arena, const struct hostfile *hostfile,
                                     const struct allocation_asked *asked)
{
    const char *job = getenv("SLURM_JOB_ID");
    const struct reason *why;

    if (job == NULL || count_open(hostfile, asked) == 0)
        return NULL;
    why = against(arena, hostfile, asked, job);
    if (why != NULL)
        return reason(arena, allocation_is_left, job, why);
    give_slurm(hostfile);
    return reason(arena, allocation_is_taken, job);
}

void allocation_keep(const struct hostfile *hostfile, const struct plan *plan)
{
    if (plan->hosts.count > 0 && host_is_over_slurm(plan->hosts.items[0])) /* all or none of a run */
        give_slurm(hostfile);
}

/* -- What is lost without root -- */

static bool lacks_root(const struct step *step, bool sudo)
{
    for (size_t i = 0; i < step->member_count; i++)
        if (host_is_over_slurm(step->members[i]) && step->members[i]->become_root == sudo)
            return true;
    return false;
}

/* "space, xid": the suite's steps that ask for root, of hosts that have become=sudo or have it not; "": none. */
static const char *steps_with_root(struct arena *arena, const struct plan *plan, bool sudo)
{
    struct hostlist names = {0};
    const char *text = "";

    list_each (step, plan->steps) {
        const char *name = step->shape->suite_step;

        if (!step->shape->as_root || step->origin == ORIGIN_LEFT_OUT || !lacks_root(step, sudo) ||
            hostlist_has(&names, name))
            continue;
        *list_push(arena, &names.names) = name;
        text = arena_add_word(arena, text, name);
    }
    return text;
}

const struct reason *allocation_lacks_root(struct arena *arena, const struct plan *plan)
{
    const struct reason *without = NULL, *with = NULL;
    const char *names;

    if (geteuid() == 0) /* a step runs as who asked for it */
        return NULL;
    names = steps_with_root(arena, plan, false);
    if (*names != '\0')
        without = reason(arena, steps_without_root, own_name(arena), names);
    names = steps_with_root(arena, plan, true);
    if (*names != '\0')
        with = reason(arena, steps_with_sudo, own_name(arena), names);
    return without == NULL ? with : with == NULL ? without : reason_also(arena, without, with);
}

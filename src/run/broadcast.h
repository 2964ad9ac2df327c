/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tools for hosts that steps of Slurm reach, by sbcast: one transfer for all hosts of a job.
 *
 * The job is the one that assay was started in, else one that is asked for with those of the hosts that nobody has (salloc), as long as
 * this lives; a host that it lacks is for its own session, and so are all of them once it has ended (its time limit, scancel). For each
 * broadcast there is a step over exactly its hosts, and sbcast is given that step: other nodes of the job get nothing. What it writes
 * to is a new name in a folder that only the login user can write in; the step removes what has that name when it ends, also where this
 * controller is killed or the job is cancelled; who takes it renames it first. Slurm writes it as the job's user. What has come is
 * nobody's word yet: it is compared with its hashes as all that comes (stage.sh).
 *
 * sbcast reads a file without a name in $TMPDIR, /var/tmp or /tmp of this machine, as large as the tools.
 */
#ifndef ASSAY_RUN_BROADCAST_H
#define ASSAY_RUN_BROADCAST_H

#include <uv.h>

#include "assay/model/hostfile.h"
#include "assay/model/reason.h"
#include "assay/model/toolset.h"

struct broadcast;

struct broadcast_events {
    /* Once, behind broadcast_create: the job is known, or that there is none. */
    void (*begun)(void *context);
    /* Of each broadcast_send. why: NULL: it lies on all of them; else why it does not. blamed: the host whose fault that was, as Slurm
       names it; "": none. The reason is in the arena. */
    void (*sent)(void *context, const char *name, const struct reason *why, struct slice blamed);
};

/* NULL: none of the hosts is reached by Slurm. Lives in the arena. */
struct broadcast *broadcast_create(struct arena *arena, uv_loop_t *loop, const struct host *const *hosts,
                                   size_t count, const struct toolset *toolset,
                                   const struct broadcast_events *events, void *context);
/* The number of the job that was asked for, where it has this host and is not over; NULL. */
const char *broadcast_own_job(const struct broadcast *broadcast, const char *host);
/* That job is over: nothing that begins later asks for it. Whoever finds that first says so: a session, or salloc. */
void broadcast_lose_job(struct broadcast *broadcast);
/* NULL: it can be broadcast to this host; else why not, or not any more. */
const struct reason *broadcast_fault(const struct broadcast *broadcast, const struct host *host);
/* All the tools, one file behind the other, to FOLDER/NAME of these hosts. One at a time. */
void broadcast_send(struct broadcast *broadcast, const struct hostlist *hosts, const char *folder,
                    const char *name);
/* What was sent has been taken, or looked at and not found. */
void broadcast_settle(struct broadcast *broadcast);
/* No callback after this; gives the job back. The loop lives until what was begun has ended. NULL is fine. */
void broadcast_end(struct broadcast *broadcast);

#endif

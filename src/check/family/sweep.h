/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sweep of check storage-clients: what 1, 2, 4, ... and at last all members of a step do at once on a shared mount.
 *
 * What clients.h tells, and
 *
 * facts    clients.JOB.together   of "4 clients": "yes" where all of them were measured in the same seconds, else who was not
 *          clients.JOB.whole      of files, "of 4 clients": "yes", or how many there were of those that were asked for
 *          clients.JOB.scaling    recorded, in words: the sum of each level, and where it ceases to grow
 * metrics  client.JOB.WHAT     of each member at clients=4; of a job that one client does for all (restore) of that one. At share=1
 *                              where the middle one of them has SWEEP_SHARED less than that of fewer: the servers are full, and
 *                              do not give all the same
 *          clients.JOB.WHAT    of "4 clients": the sum of theirs, each over its own time; only where all were measured together
 *          clients.JOB.knee    so many clients; see below
 *
 * The knee is the smallest number of clients n, among those that were measured, from which the sum S grows less than
 * SWEEP_GROWTH per doubling up to the next number m:
 *
 *     (S(m) / S(n)) ^ (1 / log2(m / n)) - 1 < SWEEP_GROWTH
 *
 * Where there is none it is the largest number that was measured. A client that is slow by itself adds less than the others, and
 * so may look like a knee at the number where it comes in: it is named among its peers.
 */
#ifndef ASSAY_CHECK_SWEEP_H
#define ASSAY_CHECK_SWEEP_H

#include "assay/check/check.h"

#define SWEEP_GROWTH 0.10
#define SWEEP_SHARED 0.10

/* What a client does; the order is that of the sweep, for what is read was written, and what is deleted was made. */
struct sweep_job {
    const char *name; /* "write" */
    const char *what; /* "bandwidth": behind the name in the metrics */
    const char *unit;
    const char *fio;   /* the direction that fio tells of; NULL: it is files in a second */
    const char *needs; /* the job that makes what this one works on; NULL */
    bool once;         /* it ends with its bytes, and not with its seconds */
    enum counted {
        COUNTED_NOT, /* what came before it says how many there are */
        COUNTED_OWN, /* "files" of them */
        COUNTED_ALL  /* those of all clients */
    } counted;
    bool by_first; /* the first client alone does it, with what all of them made: no sum, and no knee */
};
/* Ends with a NULL name. */
extern const struct sweep_job sweep_jobs[];
/* The i-th job of the step, by its argument "jobs"; NULL when there are no more. */
const struct sweep_job *sweep_job(const struct check_context *context, size_t i);
bool sweep_has_job(const struct check_context *context, const char *name);
/* Of the clients of a level those that do it. */
size_t sweep_workers(const struct sweep_job *job, size_t level);

/* How many clients the i-th level has: 1, 2, 4, ... and all members; 0 when there are no more. */
size_t sweep_level(const struct check_context *context, size_t i);
/* "4 clients" */
const char *sweep_subject(struct arena *arena, size_t level);
/* "client.write.bandwidth", and with "clients" as the first word the sum's. */
const char *sweep_metric(struct arena *arena, const char *whose, const struct sweep_job *job,
                         const char *what);

/* From one job's second to the next one's, and how late a client may begin: real seconds. */
double sweep_slot_s(const struct check_context *context);
double sweep_late_s(const struct check_context *context);

void sweep_read(const struct check_context *context, const struct attempt *attempt, struct reading *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hosts of which the hostfile says no transport (auto), where assay was started inside an allocation of Slurm: whether they are
 * reached by its steps, as with transport=slurm, is decided here and nowhere else. They are where that job has all hosts of the
 * run and nothing speaks for SSH. A host that takes transport=slurm keeps it with the run, however that goes on.
 */
#ifndef ASSAY_APP_ALLOCATION_H
#define ASSAY_APP_ALLOCATION_H

#include "assay/model/record.h"
#include "assay/plan/plan_build.h"

/* What the decision goes by besides the hosts and Slurm. */
struct allocation_asked {
    const struct hostlist *hosts; /* of the run; NULL: all of the hostfile */
    const struct suite *suite;    /* NULL: none */
    bool passwords;               /* that a step must not be given */
    bool other_jobs;              /* --exclusive-via */
};

/* What was decided and why, for people; NULL: there was nothing to decide. */
const struct reason *allocation_take(struct arena *arena, const struct hostfile *hostfile,
                                     const struct allocation_asked *asked);
/* Another hostfile for a run that goes on: its hosts are reached as the plan's are. */
void allocation_keep(const struct hostfile *hostfile, const struct plan *plan);

/* Which steps of the plan ask for root that its hosts with transport=slurm have no way to, or only sudo without a password, and
 * what is lost by it; NULL: none. */
const struct reason *allocation_lacks_root(struct arena *arena, const struct plan *plan);

#endif

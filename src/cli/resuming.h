/* SPDX-License-Identifier: Apache-2.0 */
/* What a resumed run is given beside its number: it must be what the run was begun with, but for its hosts. */
#ifndef ASSAY_RESUMING_H
#define ASSAY_RESUMING_H

#include "running.h"

struct resuming {
    const struct hostfile *hostfile; /* another one, to be taken; NULL: none */
    const char *path;
    struct hostfile_changes changes;
};

/* Compares what the options name with what the run was begun with (sources are its own). ERROR_USAGE where suite, baseline,
   contract or platform is another: the differences are printed. Of a hostfile what it changes. Writes nothing. */
int resuming_check(struct arena *arena, const struct cli_plan *asked, const struct record *record,
                   const struct plan_sources *sources, struct resuming *ret_resuming, struct error *err)
    __attribute__((warn_unused_result));
/* Takes the hostfile, if there is another, and says so: what ran on machines that were swapped is closed, the plan grows,
   and the run keeps the hostfile and what it changed. */
int resuming_take(struct running *going, const struct resuming *resuming, bool allow_active,
                  struct error *err) __attribute__((warn_unused_result));

#endif

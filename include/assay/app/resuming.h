/* SPDX-License-Identifier: Apache-2.0 */
/* What a resumed run is given beside its number: it must be what the run was begun with, but for its hosts. */
#ifndef ASSAY_APP_RESUMING_H
#define ASSAY_APP_RESUMING_H

#include "assay/app/question.h"
#include "assay/app/running.h"

struct resuming {
    const struct hostfile *hostfile; /* another one, to be taken; NULL: none */
    const char *path;
    struct hostfile_changes changes;
    struct hostlist
        differences; /* what suite, baseline, contract or platform say otherwise than before; a line each */
};

/* Compares what the options name with what the run was begun with (sources are its own). ERROR_USAGE where suite, baseline,
   contract or platform is another, with the differences in words. Of a hostfile what it changes. Writes nothing. */
int resuming_check(struct arena *arena, const struct question *asked, const struct record *record,
                   const struct plan_sources *sources, struct resuming *ret_resuming, struct error *err)
    __attribute__((warn_unused_result));
/* Takes the hostfile, if there is another, and says so in *ret_note (else NULL): what ran on machines that were swapped is closed, the plan grows,
   and the run keeps the hostfile and what it changed. */
int resuming_take(struct running *going, const struct resuming *resuming, bool allow_active,
                  const char **ret_note, struct error *err) __attribute__((warn_unused_result));

#endif

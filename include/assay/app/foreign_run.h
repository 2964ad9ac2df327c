/* SPDX-License-Identifier: Apache-2.0 */
/* A run that another party made, before it counts for anything here: what its rows say follows from its documents and outputs, or it
   does not count. */
#ifndef ASSAY_APP_FOREIGN_RUN_H
#define ASSAY_APP_FOREIGN_RUN_H

#include "assay/store/store.h"

/* For who takes it in: that it will not count, and why not; NULL: it may. In the arena. */
const char *foreign_run_note(struct arena *arena, const struct record *record);
/* Whether its plan asks all that its own documents do: ERROR_USAGE with what is missing. Of a run that was made here nothing is
   asked. */
int foreign_run_check(struct arena *arena, const struct record *record, struct error *err)
    __attribute__((warn_unused_result));
/* Puts what its outputs say, read here, in the place of what its rows say of them; what was made here stays as it is. */
int foreign_run_read(struct store *store, struct arena *arena, struct record *record, struct error *err)
    __attribute__((warn_unused_result));

#endif

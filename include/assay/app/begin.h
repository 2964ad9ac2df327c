/* SPDX-License-Identifier: Apache-2.0 */
/* A run that is begun, or taken up again, as far as running_carry_out needs it: its record, and the database that has it. */
#ifndef ASSAY_APP_BEGIN_H
#define ASSAY_APP_BEGIN_H

#include "assay/app/exclusive.h"
#include "assay/app/findings.h"
#include "assay/app/question.h"
#include "assay/app/running.h"

struct begin_options {
    const char *resume; /* number or UUID of the run that is taken up; NULL: a new one */
    struct exclusive_options exclusive;
    unsigned hosts_at_once;   /* 0: all; of a run that is taken up, as it was begun */
    unsigned isolate_minutes; /* that searches may take (SEARCH_MINUTES_DOCUMENT); 0: no limit */
    bool allow_active;        /* also hosts in production */
    bool cancel;              /* of a run that is taken up: nothing more is asked of Slurm */
    /* With cancel: the machine of its controller is lost, who says so and why; kept with the run. NULL: it is not. */
    const char *lost, *who, *why;
    struct findings notes; /* what people should know, "note: ..." or why it is refused */
};

/*
 * In running there is the path of the database; its store is the caller's to close, also after a failure. The plan of a new
 * run is made before the database: a question that is put wrongly leaves nothing behind. Slurm is asked after the run is kept,
 * so that no job is without a run that knows it; a run that gets none is forgotten again. argv is kept with it. Of a run that is
 * taken up the question is the one that it was begun with, and only its hostfile may be another.
 */
int begin_run(struct arena *arena, struct running *running, struct question *question,
              struct begin_options *options, int argc, char **argv, struct error *err)
    __attribute__((warn_unused_result));
/* The same of a plan that is made already, in question. */
int begin_planned(struct arena *arena, struct running *running, struct question *question,
                  const struct begin_options *options, int argc, char **argv, struct error *err)
    __attribute__((warn_unused_result));
/* Of a run that has ended: tells what Slurm gave and could not be given back. */
void begin_tell_release(const struct running *running, const struct findings *notes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A run while it goes on: here scheduler, checks, judge and store, which do not know each other, are joined. */
#ifndef ASSAY_APP_RUNNING_H
#define ASSAY_APP_RUNNING_H

#include "assay/app/question.h"
#include "assay/app/watcher.h"
#include "assay/model/record.h"
#include "assay/run/scheduler.h"
#include "assay/store/store.h"

struct meter;
struct exclusive;

struct running {
    struct store *store;
    const char *database; /* its path */
    struct meter *meter;  /* while it is carried out */
    struct record *record;
    struct plan_sources *sources;
    struct watcher watcher;
    int cancelled_by;            /* the signal; 0: none */
    struct exclusive *exclusive; /* NULL: hosts are not asked for */
    const char *not_released;    /* at its end: what Slurm gave and could not be given back, in words; NULL */
};

/* A record of a run that has not begun, of the plan that was made. */
struct record *running_new_record(struct arena *arena, const struct question *question, int argc,
                                  char **argv);
/* Runs what the record's plan owes, judges it, gives back what Slurm gave, and ends the run in the store. */
int running_carry_out(struct running *running, const struct scheduler_options *options, bool *ret_cancelled,
                      struct error *err) __attribute__((warn_unused_result));
/* Stores an attempt that has ended and what its check reads in it, and keeps of it what the judge goes by: its bytes
   belong to the transport and are gone soon. */
int running_keep_attempt(struct running *running, struct attempt *attempt, struct error *err)
    __attribute__((warn_unused_result));

#endif

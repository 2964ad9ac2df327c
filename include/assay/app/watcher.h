/* SPDX-License-Identifier: Apache-2.0 */
/* Who is told what happens in a run, while it goes on: of one that this process drives, or that another one does. */
#ifndef ASSAY_APP_WATCHER_H
#define ASSAY_APP_WATCHER_H

#include "assay/model/outcome.h"
#include "assay/run/scheduler.h"

struct watcher {
    void *context;
    /* As the scheduler's progress hook, with the time of it (Unix time, s). worst: of a step that ended or was taken up, and did
       not pass, what is worst in it and how many items are as bad (judge_step_worst); else NULL. */
    void (*event)(void *context, double at, enum scheduler_event event, size_t step,
                  const struct scheduler_counts *counts, const struct outcome *worst, size_t alike);
    void (*note)(void *context, const char *text); /* beside what the run itself tells */
    void (*hush)(void *context, bool hush);        /* somebody is asked something at the terminal */
};

#endif

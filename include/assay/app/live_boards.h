/* SPDX-License-Identifier: Apache-2.0 */
/* The boards of runs that go on, as pages (site.h), for who looks at them: by the database alone, whoever drives the runs. Of
   each run that is looked at one follower is kept, however many look. */
#ifndef ASSAY_APP_LIVE_BOARDS_H
#define ASSAY_APP_LIVE_BOARDS_H

#include "assay/report/site.h"
#include "assay/store/store.h"

struct live_boards;
/* The store must outlive it. */
struct live_boards *live_boards_create(struct store *store, enum report_language language);
/* Accepts NULL. */
void live_boards_destroy(struct live_boards *boards);
/* "runs/6/live.html": the page as it is now. 1; 0: there is no such page; -1 with err set. */
int live_boards_page(struct live_boards *boards, const char *path, struct text *out, struct error *err)
    __attribute__((warn_unused_result));
/* "runs/6/events": what of the page changes, as it is now; over: nothing will change any more. As above. */
int live_boards_look(struct live_boards *boards, const char *path, struct text *out, bool *ret_over,
                     struct error *err) __attribute__((warn_unused_result));

#endif

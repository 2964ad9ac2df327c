/* SPDX-License-Identifier: Apache-2.0 */
/* What the events of a run (watcher.h) tell a board of it. */
#ifndef ASSAY_APP_BOARD_NEWS_H
#define ASSAY_APP_BOARD_NEWS_H

#include "assay/board/board_state.h"
#include "assay/model/reason.h"
#include "assay/run/scheduler.h"

/* The arguments are those of a watcher's event; what is no news is passed over. Reasons are kept in that language. */
void board_news_take(struct board_state *state, enum report_language language, double at,
                     enum scheduler_event event, size_t step, const struct scheduler_counts *counts,
                     const struct outcome *worst, size_t alike);

#endif

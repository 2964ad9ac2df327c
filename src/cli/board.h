/* SPDX-License-Identifier: Apache-2.0 */
/* What a run shows of itself while it goes on, on stderr. */
#ifndef ASSAY_BOARD_H
#define ASSAY_BOARD_H

#include "assay/scheduler.h"

enum board_kind {
    BOARD_LIVE, /* a few lines that are drawn again in place */
    BOARD_PLAIN,
    BOARD_JSON, /* one object a line */
    BOARD_NONE,
};

/* false when the word is none of auto, plain, json, none. auto: live on a terminal, else plain. */
bool board_kind_parse(const char *word, enum board_kind *ret_kind);

struct board;

/* record must outlive the board. */
struct board *board_create(enum board_kind kind, const struct record *record);
/* Takes the live lines away. Accepts NULL. */
void board_destroy(struct board *board);
/* As long as somebody is asked something at the terminal, nothing is drawn over that. */
void board_hush(struct board *board, bool hush);
/* A line that stays, beside what the run itself tells. */
void board_note(struct board *board, const char *text, const struct scheduler_counts *counts);
/* As the scheduler's progress hook; failures: gates that failed so far, for the live line. */
void board_event(struct board *board, enum scheduler_event event, size_t step,
                 const struct scheduler_counts *counts);

#endif

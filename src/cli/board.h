/* SPDX-License-Identifier: Apache-2.0 */
/* What a run shows of itself while it goes on, on stderr. */
#ifndef ASSAY_BOARD_H
#define ASSAY_BOARD_H

#include "assay/outcome.h"
#include "assay/scheduler.h"

enum board_kind {
    BOARD_LIVE, /* a screen that is drawn again in place */
    BOARD_PLAIN,
    BOARD_JSON, /* one object a line */
    BOARD_NONE,
};

/* false when the word is none of auto, plain, json, none. auto: live on a terminal, else plain. */
bool board_kind_parse(const char *word, enum board_kind *ret_kind);

struct board;

/* record must outlive the board. hosts_at_once: as the run is carried out; 0: all. began: since when, Unix time, s. */
struct board *board_create(enum board_kind kind, const struct record *record, size_t hosts_at_once,
                           double began);
/* Tells what is left to be told, and takes a live screen away. Accepts NULL. */
void board_destroy(struct board *board);
/* As long as somebody is asked something at the terminal, nothing is drawn over that. */
void board_hush(struct board *board, bool hush);
/* A line that stays, beside what the run itself tells. */
void board_note(struct board *board, const char *text);
/* As the scheduler's progress hook. worst: of a step that ended or was taken up, and did not pass, what is worst in it and
   how many items are as bad (judge_step_worst); else NULL. */
void board_event(struct board *board, enum scheduler_event event, size_t step,
                 const struct scheduler_counts *counts, const struct outcome *worst, size_t alike);
/* The same of what happened at that time, for who follows the run of another process. JSON is not for that. */
void board_event_at(struct board *board, double at, enum scheduler_event event, size_t step,
                    const struct scheduler_counts *counts, const struct outcome *worst, size_t alike);

#endif

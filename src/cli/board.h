/* SPDX-License-Identifier: Apache-2.0 */
/* What a run shows of itself while it goes on, on stderr. */
#ifndef ASSAY_BOARD_H
#define ASSAY_BOARD_H

#include "assay/app/watcher.h"
#include "assay/model/record.h"

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
/* What tells it of a run. As long as somebody is asked something at the terminal, nothing is drawn over that; a note is a line
   that stays. JSON is not for who follows the run of another process. */
struct watcher board_watcher(struct board *board);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a board knows of a run: a row for each step of the suite, made from the events of the run and from nothing else. Pure:
 * the time is an argument (Unix time, s), and nothing is drawn here. An event costs the same however many hosts there are.
 *
 * A "step" is one of the plan, by its index; a row is what people call a step, over all hosts.
 */
#ifndef ASSAY_BOARD_STATE_H
#define ASSAY_BOARD_STATE_H

#include <stdbool.h>

#include "assay/base/arena.h"
#include "assay/board/reasons_alike.h"
#include "assay/model/outcome.h"
#include "assay/model/plan.h"

enum { BOARD_NONE_LEFT = -1 }; /* end of a list of steps */

/* A step on the board. */
struct board_task {
    size_t row;
    bool shown; /* false: it was left out, and is in no row */
    enum step_state state;
    double began;           /* its first attempt; 0: not yet */
    long long older, newer; /* steps of its row that run, or BOARD_NONE_LEFT */
};

struct board_row {
    const char *name;
    bool isolates;  /* searches who makes the step of this name slow */
    size_t members; /* hosts of its largest step */
    size_t total, running, passed, failed, open, skipped;
    size_t rounds;            /* attempts that ended, and are followed by others */
    long long oldest, newest; /* of those that run */
    double began, ended;      /* 0: not yet; ended: all of its steps have */
    size_t timed;             /* steps that ended, and how long they took, s */
    double sum_s, squares_s;
    double expected_s; /* of all its steps */
    double set_s;      /* how long each is repeated for, where that is said; 0: it is not */
};

/* Steps of a row that did not pass, for what is the same reason. */
struct board_failure {
    size_t row;
    enum outcome_word word; /* OUTCOME_FAIL; else nobody can tell */
    const char *subject;    /* "gpu3", "" the host or more than one thing of it */
    struct reasons_alike reason;
    LIST_OF(size_t) steps;
    double last; /* when the newest came */
    size_t told; /* so many of them have been printed, by who prints news */
};

/* What the board is told. */
enum board_event {
    BOARD_STARTED,
    BOARD_AGAIN,    /* an attempt ended, and another is due */
    BOARD_ENDED,    /* the step, as state, word and reason say */
    BOARD_TAKEN_UP, /* likewise, before this controller began */
};
struct board_news {
    enum board_event event;
    size_t step;
    enum step_state state;
    /* Of a step that did not pass: the worst word, the item and why, in one line. OUTCOME_NOT_RUN: it was cancelled. */
    enum outcome_word word;
    const char *subject, *reason;
};

struct board_state {
    struct arena *arena;
    const struct plan *plan;
    const char *title;    /* "run 6, delivery" */
    size_t hosts_at_once; /* 0: all */
    double began;
    LIST_OF(struct board_task) tasks; /* by step */
    LIST_OF(struct board_row) rows;   /* in plan order */
    LIST_OF(struct board_failure) failures;
    size_t failed, open; /* steps: with the word FAIL, and those that nobody can tell of */
    bool cancelling;
    size_t timed;              /* steps that ended, */
    double excess_s;           /* and how much longer than expected they took, together */
    const struct host **hosts; /* of the plan, by address in memory */
    size_t host_count;
};

/* The plan must outlive it, and may grow. title: a line for people. */
struct board_state *board_state_create(const struct plan *plan, const char *title, size_t hosts_at_once,
                                       double now);
/* Accepts NULL. */
void board_state_destroy(struct board_state *state);
void board_state_note(struct board_state *state, const struct board_news *news, double now);
/* Takes in steps that were added to the plan. */
void board_state_grow(struct board_state *state);

size_t board_row_ended(const struct board_row *row);
/* Neither begun nor ended, under way, over. */
enum board_phase { BOARD_TO_COME, BOARD_UNDER_WAY, BOARD_OVER };
enum board_phase board_row_phase(const struct board_row *row);
/* "node[3-5,9]", of the steps from `first` on; of several hosts a step "2 hosts: node[1-2]; 2 hosts: node[4-5]". */
const char *board_failure_hosts(struct arena *arena, const struct board_state *state,
                                const struct board_failure *failure, size_t first);
/* The hosts that the row's last steps run on, and since when the first of them does. NULL: it is not nearly done, or they
   take no longer than the others did. */
const char *board_row_waits_for(struct arena *arena, const struct board_state *state,
                                const struct board_row *row, double now, double *ret_since);

/* Expected time to the end, s. */
struct board_left {
    double low_s, high_s; /* 0 <= low <= high */
};
struct board_left board_row_left(const struct board_state *state, const struct board_row *row, double now);
/* Of the whole run: looks at every step, so it is asked for at most once a drawing. */
struct board_left board_state_left(const struct board_state *state, double now);

#endif

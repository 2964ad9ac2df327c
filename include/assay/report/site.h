/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A site: a folder of pages about all runs of a database, for a file share or a web server. Pure as report.h is: records in,
 * bytes and names out. Links are relative and lead to what lies in the folder; the pages are whole without JavaScript.
 *
 *   index.html                                    every run, and the acceptances
 *   runs/6/index.html                             the report of run 6
 *   runs/6/outputs/node3/gpu-burn-1.stdout.txt    what a host printed
 *   compare/index.html, compare/5-6.html          what is different in run 6
 *   history/index.html, hosts/, groups/, parts/   what the runs that were made here have shown of each; parts/ of those that moved
 *   history/groups.html, parts.html               lists of them
 *   acceptances/iron.html                         how an acceptance stands
 */
#ifndef ASSAY_SITE_H
#define ASSAY_SITE_H

#include "assay/board/board_state.h"
#include "assay/report/report.h"

/*
 * A word of a host, a suite or another party as the name of a file. What consists of small letters, digits, '-', '_' and '.',
 * begins with one of the first two and is a name on every system stays; of any other what can stay, and behind it "=" and
 * 16 digits of its SHA-256, so that different words have different names, also where capitals are none. In the arena.
 */
const char *site_name(struct arena *arena, const char *word);

/* What an attempt left: its two streams; and of a step that did not pass what its windows read on the members before and
   after it. */
enum site_output { SITE_STDOUT, SITE_STDERR, SITE_WINDOWS, SITE_OUTPUTS };

/* Where a report lies in a site; its links lead from there. */
struct site_place {
    const char *index; /* "../../index.html" */
    const char *live;  /* "live.html", its board; NULL: it is over, or nobody serves it */
    /* By the index of the attempt: where its outputs lie; NULL: there is none. */
    const char **outputs[SITE_OUTPUTS];
};
/* In the arena. */
void site_place_of(struct arena *arena, const struct record *record, struct site_place *ret_place);

/* What lies there, of an attempt whose bytes are loaded. */
void site_output_text(const struct record *record, const struct attempt *attempt, enum site_output output,
                      struct text *out);

/* A run in the index. */
struct site_run {
    long long number;
    const char *title, *customer, *site, *suite; /* "" where nobody said */
    double started;                              /* Unix time, s */
    enum run_state state;
    struct standing standing;
    bool judged;
    enum verdict_word verdict;
    bool caveat; /* beside a verdict other than reject its report says what no reader of it may miss */
    size_t hosts;
    const struct run_origin *origin; /* NULL: it was made here */
    bool live;                       /* its board can be looked at: runs/6/live.html */
    const char *damage;              /* why there is no more of it than number and start; NULL: it is whole */
    long long previous;              /* what it is compared with; 0: with none */
};
/* All but `previous`, in the arena: the record may go. */
void site_run_of(struct arena *arena, const struct record *record, struct site_run *ret_run);

struct site_acceptance {
    const char *name;
    const struct reason *verdict_text;
    enum verdict_word verdict;
    const char *damage; /* why it cannot be read: then it has no verdict; NULL: it can */
};
/* Run `later` beside `earlier`, by their places in `runs`. */
struct site_pair {
    size_t earlier, later;
};
struct site {
    enum report_language language;
    LIST_OF(struct site_run) runs; /* the newest first */
    LIST_OF(struct site_acceptance) acceptances;
    LIST_OF(struct site_pair) pairs; /* by suite, the newest first */
    bool has_history;
    bool redacted; /* its names are pseudonyms */
};
void site_index(const struct site *site, struct text *out);
void site_comparisons(const struct site *site, struct text *out);
/* A judged record beside record->earlier. */
void site_compare(const struct record *record, enum report_language language, struct text *out);

/* A page of the history: of a host with all its parts, of hosts together, or of a part (a GPU, an HCA) that has moved or of which
   something is found. */
enum site_subject_kind { SITE_HOST, SITE_GROUP, SITE_PART };
struct site_indexes {
    LIST_OF(size_t) items;
};
struct site_subject {
    enum site_subject_kind kind;
    const char *name;                    /* "node5", "GPU-1c2d..." */
    const char *path;                    /* below history/: "hosts/node5.html", "hosts/node5.html#gpu-1c2d" */
    bool has_page;                       /* else it is told on that of its host, */
    const char *anchor;                  /* there */
    const struct history_subject *known; /* NULL: a host of which only parts were measured */
    struct site_indexes series, findings; /* of it, in the findings of the history */
    struct site_indexes parts;            /* of a host: by their places in `subjects` */
};
struct site_history {
    const struct history *history;
    const struct history_findings *findings;
    LIST_OF(struct site_subject) subjects; /* hosts, groups and parts, each in the order of the history */
    size_t *of_subject;                    /* by the index of the history's subject */
};
void site_history_of(struct arena *arena, const struct history *history,
                     const struct history_findings *findings, struct site_history *ret_history);
void site_history_index(const struct site_history *history, enum report_language language, struct text *out);
/* history/parts.html, history/groups.html: all of that kind. The index leads to those that are not empty. */
void site_history_list(const struct site_history *history, enum site_subject_kind kind,
                       enum report_language language, struct text *out);
/* It takes its style from site.css, which lies beside index.html: there may be thousands. */
void site_history_page(const struct site_history *history, size_t subject, enum report_language language,
                       struct text *out);

/* A run that goes on, as its board shows it: of `assay serve` alone, which sends it anew while it changes. */
struct site_board {
    long long number;
    enum run_state run_state;
    const struct record *record;     /* what it was asked; NULL with state */
    const struct board_state *state; /* NULL: the run is over */
    const char *controller;          /* where it is driven from, if not from here; else "" */
    double now;                      /* Unix time, s */
};
/* What of its page changes: a whole piece of it, without scripts or styles. */
void site_board(const struct site_board *board, enum report_language language, struct text *out);
/* The page, for runs/6/live.html, with that piece in it. Its script takes the piece from runs/6/events, as the events "board"
   and, the last, "over". */
void site_board_page(const struct site_board *board, enum report_language language, struct text *out);
/* board.js, beside index.html. */
void site_board_script(struct text *out);
const char *site_board_policy(void);

/* What a web server says in its Content-Security-Policy of all of these pages. */
const char *site_policy(struct arena *arena);
/* site.css. */
void site_style(struct text *out);

#endif

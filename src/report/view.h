/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A record made ready for showing: every planned item with its outcome (one that the judgement never spoke of
 * is "not run"), the attempts of each step, and the counts. Lives in the arena of the call that made it.
 */
#ifndef ASSAY_REPORT_VIEW_H
#define ASSAY_REPORT_VIEW_H

#include "assay/model/record.h"

struct coverage {
    size_t gates, measured, records;          /* planned gates, those with a value, items only recorded */
    size_t pass, fail, inconclusive, not_run; /* of the gates; their sum is gates */
    size_t waived;                            /* of those that failed */
    size_t remarks;
};

struct step_view {
    const struct step *step;
    const struct outcome **items; /* by slot */
    LIST_OF(const struct attempt *) attempts;
    struct coverage coverage;
    enum outcome_word word; /* the worst of its gates; recorded when it has none */
};

struct view {
    struct arena *arena;
    const struct record *record;
    struct step_view *steps; /* by index in the plan */
    size_t step_count;
    struct coverage coverage; /* of the run */
    enum verdict_word verdict;
    const struct reason *verdict_text;    /* its words, as this kind of run has them: "passed", "accept" */
    const struct reason *verdict_note;    /* why it is not the judgement's own word; NULL when it is */
    const struct verdict **host_verdicts; /* by index in plan->hosts; NULL where there is none */
    const struct host_places *places;
    bool *told;        /* by index in plan->hosts: the report tells of it one by one, and not in sums alone */
    size_t told_count; /* of how many */
};

/* Of each step of the suite, in plan order, the sum over its targets. */
struct coverage_row {
    const char *name;
    size_t targets;
    struct coverage sum;
};
struct coverage_rows {
    LIST_OF(struct coverage_row) items;
};
void coverage_rows_of(const struct view *view, struct coverage_rows *ret_rows);

struct suite;
struct hostfile;

struct view *view_create(struct arena *arena, const struct record *record);

/* Of each of the plan's shapes whether it has a step of the suite; parts that only tell who is slow owe no gate. */
const bool *shapes_of_suite(struct arena *arena, const struct plan *plan);
/* By what the hostfile divides the times of the tests at most; 1: by nothing, as for real hosts. */
/* As it is kept there; NULL: there is none that can be read. */
const struct suite *documents_suite(struct arena *arena, const struct documents *documents);
/* Likewise; the last one is what counts: another may have been taken when the run was resumed. */
const struct hostfile *documents_hostfile(struct arena *arena, const struct documents *documents);
/* As the run keeps it; NULL likewise. */
const struct suite *view_suite(const struct view *view);
const struct slot *view_slot(const struct view *view, const struct outcome *outcome);
/* What is found of a number that the check only records is laid at a gate beside it, which then shows that number: whether the
   outcome shows one of its own, and the slot, in its step, whose number it shows. */
bool view_shows_own_value(const struct view *view, const struct outcome *outcome);
size_t view_shown(const struct view *view, const struct outcome *outcome);
const struct slot *view_shown_slot(const struct view *view, const struct outcome *outcome);
/* Of so many hosts a report tells each one by one; of more those alone that are not fit, and so many of them at most: the others
   stand in sums, in the map and in the reports for programs. */
enum { HOSTS_TOLD = 2500 };
/* Whether all of them are. */
bool view_tells_all(const struct view *view);
/* Of a step its host is, or it is of several hosts. */
bool view_tells_step(const struct view *view, size_t step);
struct report_entry;
/* report_entries of the record that is shown, in the arena of the view. */
size_t entries_of_view(const struct view *view, struct report_entry **ret_entries);
/* Index in plan->hosts, or (size_t)-1. */
size_t view_host(const struct view *view, const struct host *host);
void coverage_add(struct coverage *sum, const struct coverage *part);
/* Where the attempt stands in the record: its number in links and tables, from 0. */
size_t view_attempt_index(const struct view *view, const struct attempt *attempt);

/* Where a slot is taken, for people: "size 8G, place out". */
const struct reason *slot_at_text(struct arena *arena, const struct slot *slot);
/* Whether it is a value of that item. */
bool measurement_is_of(struct arena *arena, const struct measurement *measurement, const struct slot *slot);
/* "1,234,567" */
const char *count_text(struct arena *arena, size_t count);
/* Start and length of an attempt by the controller's clock; 0 when it has none. */
double attempt_start(const struct attempt *attempt);
double attempt_seconds(const struct attempt *attempt);
/* "exit 0", "signal 9", "deadline": how it ended. */
const struct reason *attempt_end_text(struct arena *arena, const struct attempt *attempt);
/* NULL, or what the reader must know of this capture: "read in full; only head and tail are stored". */
const struct reason *capture_note(const struct capture *capture);
/* What the words of a verdict mean for the person who must decide, with this run's numbers. */
const struct reason *verdict_sentence(const struct view *view);

/* How the step's host refused the last attempt, or was out of reach: "auth refused"; NULL: it got through. */
const char *view_refusal(const struct step_view *step);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_JUDGE_PRIVATE_H
#define ASSAY_JUDGE_PRIVATE_H

#include <stdint.h>

#include "assay/check/check.h"
#include "assay/judge/judge.h"

#include "own_groups.h"

/* The attempts of one step, in order. */
struct tried;
struct step_attempts {
    const struct attempt **items;
    size_t count;
    const struct tried
        *tried; /* of each, while one item after the other is judged (attempts_tried); else NULL */
};

/* together.c. Of each step of the plan. */
struct step_attempts *attempts_by_step(struct arena *arena, const struct record *record);

/* same.c. The value that more than half of them have, NULL when none is; sorts them. */
const char *majority(const char **values, size_t count);
/* Of sorted values: "2 x 550.54.15, 2 x 550.90.07", the first few of them. */
enum { KINDS_TOLD = 4 };
const char *say_kinds(struct arena *arena, const char **values, size_t count);
/* "gpu3" */
bool is_gpu(const char *subject);

/* verdicts.c: of run, units and hosts, from the outcomes and accusations. */
void judge_verdicts(struct record *record);
/* The unit that holds all members of the step; "" when none does. */
const char *step_unit(const struct step *step);

/* waivers.c: names at each failed outcome the waiver that covers it at record->now. */
void judge_waivers(struct record *record, const struct step_attempts *attempts);
/* What the judgement of that run was made from, as a hash. */
void judge_inputs(const struct judged_run *runs, size_t count, size_t index);

/* search.c: what the searches of the run have found, in plan order. */
struct findings_so_far {
    LIST_OF(struct search) searches;
    LIST_OF(struct accusation) accusations;
};
void judge_searches(struct arena *arena, const struct record *record, struct limits_book *book,
                    const struct step_attempts *attempts, struct findings_so_far *ret_found);

/* leaves.c. Adds to the cause of a slow test between two leaves which of them it is, where others tell. */
void judge_leaves(struct record *record, struct judgement *judgement);

/* pairs.c. Adds to the cause of a slow test across hosts which of them it is, where pairs of the run tell. */
void judge_pairs(struct record *record, struct judgement *judgement);

/* standouts.c: who is slower than the same on other hosts of all runs; what was judged by limits alone so far is made worse
 * by it, never better. judgement: of the steps of the plan of all. */
struct together;
void judge_peers(struct arena *arena, const struct together *together, const struct suite *suite,
                 struct judgement *judgement);

/* subject_ends.c. The ends of "gpu2->gpu5", "cpu0<-gpu3", "mlx5_0/1", without the processor, which every host has; of ""
 * that. Returns how many. */
size_t subject_ends(struct arena *arena, const char *subject, const char *ret_names[2]);

/* whole_run.c. The place of the shape among the plan's; `near`: where to look first, that of the step before. */
size_t shape_number(const struct plan *plan, const struct shape *shape, size_t near);

/* Of a counter that a run looks at several times: see grown.h. */
enum growth_word {
    GROWN_FIRST,   /* this is the first look: nothing is asked of it */
    GROWN_WITHIN,  /* by no more than the limit allows */
    GROWN_ANEW,    /* the host was rebooted since, and it began again */
    GROWN_UNKNOWN, /* it went back, was not read the first time, or is another GPU's */
    GROWN_BEYOND,
};
struct grown {
    enum growth_word word;
    const struct reason *
        what; /* "2 more than the 12 that it was when the run first read it, 3.2 h before"; NULL where nothing is to say */
};

/* attempt_kind.c: how one attempt bears on the step as a whole. */
enum attempt_kind {
    KIND_WHOLE,     /* ran to its end and was read whole: its values count */
    KIND_CRASH,     /* without a sign against the hardware; retried */
    KIND_HANG,      /* ended by its deadline; retried */
    KIND_CUT_OFF,   /* the connection broke under it; retried where nothing is changed by that, and no sign
                       against anybody */
    KIND_FAULT,     /* the host itself failed under the test: it rebooted */
    KIND_UNDECIDED, /* tool missing, format unknown, rights missing: trying again would change nothing */
    KIND_NOT_RUN,   /* cancelled, or the run was interrupted */
};
struct attempt_bearing {
    enum attempt_kind kind;
    const struct reason *cause; /* NULL for KIND_WHOLE */
    const struct reason
        *remedy;  /* where it is advised: what to do, which may be in the cause already (NULL) */
    bool advised; /* else the remedy is that of the check for "sound" */
    bool
        lacks; /* of KIND_CRASH: the command ended well, and only its output lacks something, such as a row */
};
struct attempt_bearing attempt_bearing(struct arena *arena, const struct attempt *attempt);

/* limits.c: does the value meet the limit? */
enum met { MET, MISSED, UNDECIDED };
struct value {
    const char *text;          /* of a fact, or the number's decimal form */
    const char *unit;          /* of a measurement; "" for facts */
    double number;             /* NAN for a fact that is no number */
    const struct reason *said; /* of a fact in words of ours; NULL */
    bool found;
    bool share; /* see AT_SHARE */
};
/* What others have, of a limit that asks for them. NULL: they agree on nothing (RULE_SAME, RULE_NEAR), nobody else has it
   (RULE_DISTINCT), or nothing is odd about it (RULE_RACK). */
struct common_value {
    const char *text;          /* of RULE_RACK and RULE_DISTINCT the value itself */
    const struct reason *said; /* of RULE_RACK why it is odd, of RULE_DISTINCT who has it too */
};
/* "-0.213 to 0.871 s": between these it lies. */
struct span {
    double from, to;
};
bool span_parse(const char *text, struct span *ret_span);
enum met limit_met(const struct limit *limit, const struct value *value, const char *common);
/* Of RULE_DISTINCT: whether any number may have the value. Whoever else has it is not asked then: all may. */
bool limit_excepts(const struct limit *limit, const struct value *value);
/* A number of a document is compared only with values in its own unit. */
bool limit_is_in_unit(const struct limit *limit, const struct value *value);
/* Of a value that does not meet the limit, what is said of it; where it is off by a factor that people mistake, also "it is
 * about 8 times that: is one of the two numbers in bits and the other in bytes?". It decides nothing. */
const struct reason *factor_hint(struct arena *arena, const struct limit *limit, const struct value *value,
                                 const struct reason *said);

/* All values that one attempt has for the slot: a tool may say a thing twice, and not the same. */
struct values {
    LIST_OF(struct value) items;
};
void slot_values(struct arena *arena, const struct slot *slot, const struct attempt *attempt,
                 struct values *ret_values);

/* The values of a reading by what they are of, for who asks for one item after the other. */
struct value_index {
    const struct reading *reading;
    uint32_t *first,
        *next;   /* places, counted from 1, measurements before facts: of each hash, and with the same hash */
    size_t mask; /* of the hash */
};
struct value_index value_index_make(struct arena *arena, const struct reading *reading);
/* As slot_values. */
void value_index_find(struct arena *arena, const struct slot *slot, const struct value_index *index,
                      struct values *ret_values);
/* Their numbers alone, without the texts. */
void value_index_numbers(struct arena *arena, const struct slot *slot, const struct value_index *index,
                         struct values *ret_values);

/* tried.c. What of an attempt is the same for all items of its step. */
struct tried {
    const struct attempt *attempt;
    struct attempt_bearing bearing;
    const struct reason *doubt; /* OUTPUT_DOUBTED; NULL */
    struct value_index values;
};
/* The same attempts, looked at; in the arena. */
struct step_attempts attempts_tried(struct arena *arena, const struct step_attempts *attempts);
/* Of one of them, looked at or not. */
struct attempt_bearing bearing_of(struct arena *arena, const struct step_attempts *attempts, size_t index);
/* By the metric's direction; without one the larger number is the one to look at: errors, temperatures. */
bool is_worse(const char *metric, double value, double than);
/* "12.1 GB/s" */
const struct reason *value_with_unit(struct arena *arena, const struct value *value);

/* slices.c: a step whose attempts are made until they have worked for a time (shape->repeat_for_s). */
/* What those that came to their end have worked, s; as step_repeat_for_s counts it. */
double slices_worked_s(struct arena *arena, const struct step_attempts *attempts);
/* "it ran for 3.5 h of 24 h; the rest was not run"; NULL: it worked as long as it owes. */
const struct reason *slices_unmade(struct arena *arena, const struct step *step,
                                   const struct step_attempts *attempts);
/* When the attempt began, UTC: "2026-11-23 03:10". */
const char *slice_time(struct arena *arena, const struct attempt *attempt);
/* What the item's numbers show as a series over time (spells.h): FAIL and INCONCLUSIVE as they are, PASS with a remark or
 * none. Of a step that counts its attempts, or of an item that is no rate, PASS and NULL. Where the series is what the item is
 * judged by (RULE_SERIES), one that shows nothing leaves it undecided. */
struct slices_said {
    enum outcome_word word;
    bool remark;
    const struct reason *what;
};
struct slices_said slices_judge(struct arena *arena, const struct step *step, const struct slot *slot,
                                const struct slot_limits *limits, const struct step_attempts *attempts);

/* slot_outcome.c. All of ret_outcome for one item that has attempts. whole: what only whole runs can tell; NULL while one goes
 * on, or where only its limits are asked. */
struct whole_run;
void slot_outcome(struct arena *arena, const struct step *step, size_t step_index, size_t slot_index,
                  const struct slot_limits *limits, const struct step_attempts *attempts,
                  struct whole_run *whole, struct outcome *ret_outcome);

#endif

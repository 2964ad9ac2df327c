/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs that are judged as a whole, one or several together, and what only they can tell of an item: what others have, how it
 * was before, and why it was not run. Each file that answers keeps what it has found, in the runs' arena; what is told of one
 * item is made in the arena that is given.
 */
#ifndef ASSAY_JUDGE_WHOLE_RUN_H
#define ASSAY_JUDGE_WHOLE_RUN_H

#include "judge_private.h"
#include "own_groups.h"
#include "together.h"

struct whole_run {
    struct arena *arena;
    struct together together;
    /* What each file has found so far; NULL: nobody asked yet. */
    struct last_whole *last;     /* whole_run.c, of each step */
    struct whole_same *same;     /* same.c */
    struct whole_owners *owners; /* owners.c */
    struct whole_clocks *clocks; /* clocks.c */
    const size_t *first_looks;   /* grown.c */
    size_t *fine;                /* not_run.c, of each shape its steps with a whole attempt */
    struct whole_ways *ways;     /* not_run.c */
    struct whole_lost *lost;     /* not_run.c */
};

/* whole_run.c. The last whole attempt of a step; NULL: there is none. */
const struct attempt *whole_attempt(struct arena *arena, struct whole_run *run, size_t step);
/* The value in it; NULL when there is none, or when it does not agree with itself. In the arena, or the attempt's. */
const char *whole_value(struct arena *arena, struct whole_run *run, size_t step, const struct slot *slot);
/* The mean over all whole attempts; NAN where there is none. */
double whole_mean(struct arena *arena, struct whole_run *run, size_t step, const struct slot *slot);

/* same.c. The value that most hosts have for this slot, of a GPU all GPUs of them: RULE_SAME. NULL: they do not agree on one. */
const char *whole_common_value(struct whole_run *run, size_t step, const struct slot *slot);
/* Where they do not agree on one: "2 x 550.54.15, 2 x 550.90.07". */
const char *whole_common_kinds(struct whole_run *run, size_t step, const struct slot *slot);

/* owners.c. Who else has this value for it: RULE_DISTINCT. "node[2-3]"; "node2 gpu3, gpu5" (of its own host); "node2 of run 5";
 * of many some, and how many more. NULL: nobody. */
const struct reason *whole_others_with(struct arena *arena, struct whole_run *run, size_t step,
                                       const struct slot *slot, const char *value);
/* What the login to the host of this name read as its machine: RULE_MACHINE. NULL: that is not known. */
const char *whole_machine_of(struct whole_run *run, size_t step, const char *host);
/* Who of the runs has it as one of these texts, which mean that it was read, of a GPU those of its platform: RULE_READ. "node2";
 * NULL: nobody. */
const struct reason *whole_read_on(struct arena *arena, struct whole_run *run, size_t step,
                                   const struct slot *slot, const char *texts);

/* racks.c. What is wrong with this value in its rack: RULE_RACK. "while most hosts of rack r1 have ..."; NULL: nothing. */
const struct reason *whole_odd_in_rack(struct arena *arena, struct whole_run *run, size_t step,
                                       const struct slot *slot, const char *value);

/* clocks.c. Between what the median of the hosts lies, for RULE_NEAR; NULL: there is one host. */
const char *whole_common_span(struct whole_run *run, size_t step, const struct slot *slot);
/* Where the hosts of a run agree, and not with its controller, it is the controller: one remark, at the first of them. */
void remark_controllers(struct whole_run *run, struct judgement *judgement);

/* grown.c. How the value stands to what the run first read of it on the host: RULE_GROWN. */
struct grown whole_grown_since(struct arena *arena, struct whole_run *run, size_t step,
                               const struct slot *slot, double value, const struct limit *limit);

/* groups.c. How the value stands beside what smaller groups of hosts of its run have for it: RULE_GROUPS. */
struct own_standing whole_beside_groups(struct arena *arena, struct whole_run *run, size_t step,
                                        const struct slot *slot, double value, double fraction,
                                        struct own_groups *ret_groups);

/* not_run.c. Whether a step of the same shape ended well on another host: then a crash on this one is its own. */
bool whole_fine_elsewhere(struct arena *arena, struct whole_run *run, size_t step);
/* Whether another host behind the same jump host answered. */
bool whole_neighbour_answers(struct whole_run *run, size_t step);
/* Why a step without attempts has none; worst: of each step before it, see worst_gate. */
const struct reason *whole_why_not_run(struct arena *arena, struct whole_run *run, size_t step,
                                       const enum outcome_word *worst);

/* judge.c. The outcomes of all items of one step; worst: as above, NULL where it has attempts. Of runs that go on, whose steps'
 * attempts are not all there (together.attempts), what only whole runs can tell stays open. */
void judge_one(struct arena *arena, struct whole_run *run, size_t step, const struct step_attempts *attempts,
               const enum outcome_word *worst, struct outcome *outcomes);
/* The worst gate of a step decides whether what needs it may run. */
enum outcome_word worst_gate(const struct outcome *outcomes, size_t count);

#endif

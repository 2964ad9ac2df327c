/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judge: plan + attempts + limits -> outcomes and verdicts. Pure: no clock, no files, no globals, so a
 * run can be judged again years later against another baseline.
 *
 * An outcome is a function of all attempts; the number shown is the worst. A pass needs a value read in full
 * from a command that ended as it should, and an enforceable limit that it meets.
 */
#ifndef ASSAY_JUDGE_H
#define ASSAY_JUDGE_H

#include "assay/model/acceptance.h"
#include "assay/model/blame.h"
#include "assay/model/compare.h"
#include "assay/model/history.h"
#include "assay/model/record.h"
#include "assay/model/run_limits.h"

/*
 * Judges the whole run into record->judgement, everything in record->arena. uuid names the judgement. A run
 * that has not ended is judged as if it ended now: what has no attempt is `not run`.
 */
void judge_run(struct record *record, const struct run_limits *limits, const char *uuid);

/*
 * Several runs of one suite as one: what all hosts must share (RULE_SAME), what may exist once (RULE_DISTINCT), peers, and
 * whether others ended well are taken over the hosts of all of them; a host of another run is told as "node3 of run 5".
 * Each run gets the outcomes and verdicts of its own items, and its baselines name the other runs. What is a run's
 * own stays so: clocks, which are read beside that of its controller; racks, jump hosts and smaller groups; searches.
 *
 * The records live in one arena, and their limits say the same of the platforms that they share; see judge_same_machine.
 */
struct judged_run {
    struct record *record;
    const struct run_limits *limits;
    const char *uuid; /* of its judgement */
    /* An earlier judgement of it, than which no item may be better in this one: of outputs that are not what they were then.
       NULL: there is none. */
    const struct judgement *at_best;
};
void judge_together(const struct judged_run *runs, size_t count /* at least 1 */);
/*
 * 0: no machine is in two of them, by what they saw of their hardware (sighting.h), which is asked before it is read again.
 * ERROR_USAGE names one with its runs, also where hosts have one name and nothing tells them apart. Hosts of one
 * name that have other hardware are two machines. limits and uuid are not looked at.
 */
int judge_same_machine(const struct judged_run *runs, size_t count, struct error *err)
    __attribute__((warn_unused_result));
/* The same of some runs with one after the other of many: those are looked through once. In the arena. */
struct machines;
struct machines *judge_machines(struct arena *arena, const struct record *const *records, size_t count);
/* Whether judge_same_machine would refuse the record beside one of them. */
bool judge_has_machine_of(const struct machines *machines, const struct record *record);

/*
 * The waiver of record->waivers that covers a failed outcome at that time; NULL when none does. It must be of this
 * step, and the attempt that it was made for must still be the step's last. A suspect of isolation cannot be waived: then
 * the verdict stays `reject`.
 */
const struct waiver *judge_waiver(const struct record *record, const struct outcome *outcome, double now);
/*
 * A waiver, to be kept, for those failed items of the step that these name (subject "" and metric NULL: any; a metric
 * may hold a *; host NULL: whoever it is about, else what is about that member of a test of several hosts, and about no other;
 * blame.h). uuid, who, why, made and until are the caller's. ERROR_USAGE says why there is nothing to waive: no
 * fail among them, nothing failed there, a waiver in force, or the step's host or link is a suspect.
 */
int judge_waive(struct record *record, size_t step, const char *host, const char *metric, const char *subject,
                struct waiver *ret_waiver, struct error *err) __attribute__((warn_unused_result));

/* Fills what the judge knows of an acceptance, by the rules of acceptance.h, from its runs, events, plan and now. */
void judge_acceptance(struct acceptance *acceptance);
/* Beside whom of its run a host is judged by the shape's gates, so that a pass in a run without them counts for no acceptance. */
enum company { COMPANY_NONE, COMPANY_ANY /* any other host */, COMPANY_RACK /* another one of its rack */ };
enum company judge_company(const struct shape *shape);
bool judge_is_company(enum company company, const struct host *host, const struct host *other);

/* While a run goes on: by limits only, without what needs other hosts (RULE_SAME, crashes that others do not
 * have). */
enum step_state judge_step(const struct record *record, const struct run_limits *limits, size_t step);
/* The same for who knows which attempt of the record is the step's last, so that none behind it is looked at. */
enum step_state judge_step_to(const struct record *record, const struct run_limits *limits, size_t step,
                              size_t last);
/* The same as it stands for people to watch: the worst item of a step that was tried, and how many are as bad. It may come
   otherwise in the end. In the arena. */
struct outcome judge_step_worst(struct arena *arena, const struct record *record,
                                const struct run_limits *limits, size_t step, size_t *ret_count);
/* Likewise: whom what did not pass of a step over several hosts is about (blame.h); none where nothing names a host. */
void judge_step_culprits(struct arena *arena, const struct record *record, const struct run_limits *limits,
                         size_t step, struct blamed_list *ret_blamed);

/*
 * A test across hosts that fails by its bandwidth, or breaks off again and again, is followed by parts of it: the same
 * test on some of its hosts, which tell who makes it slow (isolate.h). A search goes in rounds; parts of one round have
 * no host in common but for hosts alone, and share no leaf's uplinks. Those of all parts that ran decide, so it is the
 * same after an interruption, and whenever the run is judged.
 */
struct search_group {
    const struct host **members;
    size_t member_count;
};
struct search_round {
    size_t step;       /* the slow one */
    unsigned round;    /* from 1 */
    double size_bytes; /* the message size to measure */
    LIST_OF(struct search_group) groups;
};

/*
 * How many minutes all searches of a run may take together: a document of it, so that whoever takes it up or judges it again
 * stops there too. No round is begun that by those before it would end later, but the first is; 0: there is no limit.
 */
#define SEARCH_MINUTES_DOCUMENT "isolation limit" /* its kind */
unsigned search_minutes(const struct record *record);

/* true: these parts are to be run next. false: there is nothing to search for, or it is over. Only for a run in which
 * nothing else is left to do. Everything in the arena. */
bool judge_search(struct arena *arena, const struct record *record, const struct run_limits *limits,
                  struct search_round *ret_round);

/*
 * Who gets worse, or fails again and again, over the runs of a history; everything in the arena. A drop or a trend is
 * told where noise, which is measured from run to run, makes one like it in fewer than one of 1,000 histories of this
 * size. Of two runs there can be drops.
 */
void judge_history(struct arena *arena, const struct history *history, struct history_findings *ret_findings);

/* The items of two judged runs beside each other. */
void judge_compare(struct arena *arena, const struct record *before, const struct record *after,
                   struct comparison *ret_comparison);

#endif

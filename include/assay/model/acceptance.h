/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Acceptance: a campaign over many runs, in which hosts are repaired, GPUs swapped and spares put in, until every
 * unit can be handed over. Plain data; judge_acceptance (judge.h) fills in what follows from it. Nothing is ever edited:
 * runs and events are added, and the rest follows from them.
 *
 * Required is what the suite requires of the hosts of the hostfile; a spare takes over what the host that it replaces had
 * to show. Each requirement is one step on its members, and is settled by what the runs showed, in time order:
 *
 * - A pass settles it, as long as nothing that it touches was changed since (the table in src/judge/acceptance_touch.c)
 *   and the hardware stayed the same throughout the run. One of a last look of a host (a suite's "last") also takes the first
 *   look of the same check in the same run, and between the two tests that load what is looked at (loads.h), where the suite
 *   has these.
 *   It counts only where it was asked what is asked here: by a run whose hostfile says the same of its members (the fields of
 *   host_fields.h that are a question), and with all gates that are owed.
 * - A fail stays. It is replaced only by a recorded event, a repair or a swap of that host and item after the fail, followed
 *   by three passes out of three: three attempts that pass, in one run (a suite's "repeat": 3) or in several, with no other
 *   result between them. Running it again until it passes replaces nothing.
 * - A waiver in force covers a fail as long as the hardware is the one that it was given for.
 * - What is judged beside other hosts and cannot be compared over runs (a clock; a rack's domain of NVLinks) passes only in a
 *   run with another such host, where the acceptance has one.
 * - What most hosts have in common ("same on all hosts") must be the same over all runs, not in each run alone.
 * - Who is slow beside its peers (peers.h) is so over all runs: a host that is tested again by itself is compared with what the
 *   others showed in the runs before.
 *   Either is compared as it stood after each run, and who misses it then has failed then: it takes what a fail takes. No
 *   fail is a value that most hosts have shown at some time: then all were changed, one after the other.
 * - A test that crashed or hung twice on a host, in whichever runs, and on no host of those that passed it, has failed there.
 * - What only one host can have (its machine, its GPUs) must be one host's over all runs.
 * - A swap settles nothing where the part that it says was replaced is seen there since.
 *
 * A run counts if it has the same suite and limits, and hosts of the acceptance, and is no older than the acceptance: than
 * the earlier of its creation and its first run. One that was not added is left out, and until it is added the units whose
 * hosts it had, and the whole, are not accepted. Runs in another database are unknown here.
 *
 * An event that was not recorded is noticed all the same, if runs show another GPU, HCA, chassis, driver or firmware
 * than before: this is reported, earlier passes of what it touches no longer count, and it does not replace a fail.
 */
#ifndef ASSAY_ACCEPTANCE_H
#define ASSAY_ACCEPTANCE_H

#include "assay/base/error.h"
#include "assay/base/text.h"
#include "assay/model/deliveries.h"
#include "assay/model/reason.h"
#include "assay/model/record.h"
#include "assay/model/sighting.h"

struct acceptance;
struct suite;

enum event_kind {
    EVENT_REPAIR, /* something was repaired; without an item it is not known what, so everything of the host is required again */
    EVENT_SWAP,   /* a part was replaced; without an item: the whole host */
    EVENT_SPARE,  /* another host replaces this one for good */
    EVENT_NOTE,   /* for the reader only */
    EVENT_WITHDRAWAL, /* an earlier event was recorded by mistake: it no longer counts, but is still shown */
    /* Repairs of which it is known what was done: less becomes void by them, and they replace only fails of that. */
    EVENT_SETTINGS, /* of the item's driver; without one: of the operating system */
    EVENT_CABLE,    /* a cable or transceiver was changed, or plugged in again */
    EVENT_FIRMWARE, /* of the item; without one: of the host */
    EVENT_RESEAT,   /* the same part was taken out and put in again */
    EVENT_KINDS
};
const char *event_kind_name(enum event_kind kind); /* "swap" */
bool event_kind_parse(const char *word, enum event_kind *ret_kind);
/* What was done in a repair or swap: "settings", "cable", "firmware", "reseat", "part" (a swap). */
bool event_what_parse(const char *word, enum event_kind *ret_kind);

struct acceptance_event {
    const char *uuid;
    enum event_kind kind;
    const char *host;
    const char
        *item; /* "gpu3", "mlx5_0"; "" the host as a whole; of a withdrawal the UUID of what it withdraws */
    const char *spare; /* of EVENT_SPARE; else "" */
    const char *note;  /* of a withdrawal the form (reason_encode) of what it withdraws, and why */
    double at, made;   /* when it happened, and when it was recorded; Unix time, s */
    bool withdrawn;    /* by events_withdraw; never stored */
    /* The judge's; never stored. */
    const struct reason *contradicted; /* of a swap: that what it replaced is there since; NULL */
    bool late; /* what was shown between it and its recording counts as shown after a repair */
};
/* Marks those of the events that one of them withdraws; the others are not. */
void events_withdraw(struct acceptance_event *events, size_t count);
/* As plan_timescale, of its plan and its runs. */
double acceptance_timescale(const struct acceptance *acceptance);
/* Whether the clock of the run was ahead: it ended later than now, or a run that was made here behind it, added or left out, began
   before it. */
bool acceptance_was_ahead(const struct acceptance *acceptance, const struct record *record);
/* Whether something was repaired or replaced: a repair of any kind or a swap that was not withdrawn. */
bool event_is_work(const struct acceptance_event *event);
/* "swap of gpu3 on node5", "node9 replaces node5"; with its note behind. */
const struct reason *event_text(struct arena *arena, const struct acceptance_event *event);
const struct reason *event_note(struct arena *arena, const struct acceptance_event *event);

enum requirement_state {
    REQUIREMENT_PASSED,
    REQUIREMENT_WAIVED,
    REQUIREMENT_MISSING, /* nothing that counts was shown yet */
    REQUIREMENT_RETEST,  /* it failed and was repaired: three passes out of three are required */
    REQUIREMENT_FAILED
};
const char *requirement_state_name(enum requirement_state state); /* "to be retested" */

/* What is a fail only beside what other runs showed, of one item of a step. */
struct miss {
    const char *subject; /* "gpu3"; "" the host */
    const struct reason *why;
};

/* What one run showed of a requirement. */
struct shown {
    size_t run;                  /* index into acceptance->runs */
    size_t step;                 /* of that run's plan */
    size_t first;                /* of its judgement: the step's first outcome */
    enum outcome_word word;      /* of its gates the worst; a fail that was waived then is a fail here */
    double began, ended;         /* of its attempts */
    unsigned passes;             /* attempts that passed, of a pass */
    unsigned crashes, hangs;     /* attempts that ended so */
    LIST_OF(struct miss) misses; /* it failed by these when that run ended, whatever its word */
    const struct reason *
        lone; /* its run has not what it is to be compared with: of a last look the first one, or a load in between; of what
                  is judged beside other hosts, another one; NULL: it has */
    const struct reason
        *asked;        /* where the run asked something else of its members than is owed: what; NULL */
    size_t void_since; /* the run behind which it is void; runs.count: it is by now; SIZE_MAX: it is not */
    bool counts;       /* of a pass: nothing has made it void */
    const struct reason *note; /* why it does not count; NULL */
};

/* What a test across units says of one of them: the hosts of it that it is about. */
struct unit_state {
    const char *unit;
    enum requirement_state state; /* the worst; REQUIREMENT_MISSING: it may be about one of its hosts */
};

/* What of a fail was not mended: of a run that showed it the outcome, or whom isolation names there; the other is NULL. */
struct standing_fail {
    size_t run; /* index into acceptance->runs */
    const struct outcome *outcome;
    const struct accusation *accusation;
    const struct waiver *waiver; /* that covers it; NULL: it has failed */
};

struct requirement {
    size_t step; /* index into acceptance->plan->steps */
    enum requirement_state state;
    const struct reason *why;    /* what is missing, and what would settle it; NULL when it is passed */
    unsigned passes, owed;       /* attempts that count, and how many are required: 1, or 3 after a repair */
    const struct waiver *waiver; /* of REQUIREMENT_WAIVED: the first */
    LIST_OF(struct unit_state) units;       /* of a test across units; each once */
    LIST_OF(struct standing_fail) standing; /* in the order of the runs */
    LIST_OF(struct shown) shown;
};

/* Hardware or a version that is another than in an earlier run. */
struct change {
    const char *host, *position;
    enum item_kind kind;
    const struct reason
        *was; /* the identity; NULL: there was none; where two of a host have changed places "another one" */
    const char *is;
    size_t before, since; /* indexes of the last run that saw the one, and the first that saw the other */
    bool recorded;        /* there is a repair or swap of it in between */
};
/* "unrecorded swap of the GPU gpu3 on node5: GPU-a in run 1, GPU-b since run 3" */
const struct reason *change_text(struct arena *arena, const struct acceptance *acceptance,
                                 const struct change *change);

/* Hardware that cannot have been where it was seen: of that host its passes in that run count for nothing. */
struct run_conflict {
    size_t run;
    const char *host;
    const struct reason *text;
    bool over_runs; /* another run showed it elsewhere */
};

struct acceptance_verdict {
    const char *unit; /* "" the whole */
    enum verdict_word word;
    size_t passed, waived, missing, retest, failed; /* requirements */
};

/* Something that happened, and how the units stood after it. */
struct moment {
    double at;
    const struct reason *text;
    LIST_OF(enum verdict_word) words; /* in the order of acceptance->verdicts */
};

struct acceptance {
    struct arena *arena;
    long long id; /* in this database */
    const char *uuid, *name;
    double made;
    struct documents documents; /* as a run has them: suite, hostfile, platforms, baselines */
    LIST_OF(long long) run_numbers;
    LIST_OF(struct acceptance_event) events; /* by when they happened */

    /* Given to the judge: the runs by their beginning, each judged with the limits of these documents; the plan of
       what is owed; and the time that it is judged for. */
    LIST_OF(const struct record *) runs;
    LIST_OF(const struct record *) left_out; /* that were not added, and must be; not judged */
    const struct plan *plan;
    const struct suite *
        suite; /* of its documents: who is compared with its peers, and from where on it fails; NULL: nobody */
    double now;
    struct other_deliveries others; /* over its hosts, and none of its runs; the caller's */

    /* The judge's. */
    LIST_OF(struct requirement) requirements; /* in plan order; steps without a gate are none */
    LIST_OF(struct change) changes;
    LIST_OF(struct run_conflict) conflicts;
    LIST_OF(struct acceptance_verdict) verdicts; /* the whole first, then units in hostfile order */

    LIST_OF(struct moment) story; /* by time; the caller's, who judges for each of these times */
    const char
        *site_index; /* where the HTML report lies in a site: the way to its index; NULL: it stands alone */
};

/*
 * The hostfile with spares in their places: the host that is replaced is gone, and the spare stands there, a compute
 * host of its unit. ERROR_USAGE names an event with a host that is not there, or a spare that is none.
 */
struct hostfile *hostfile_with_spares(struct arena *arena, const struct hostfile *hostfile,
                                      const struct acceptance_event *events, size_t count, struct error *err)
    __attribute__((warn_unused_result));
/* Those of the hosts that are named, as a hostfile, one line each; NULL: all. */
void hostfile_write(const struct hostfile *hostfile, const struct hostlist *names, struct text *out);

#endif

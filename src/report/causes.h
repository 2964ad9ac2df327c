/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One cause, one card: the entries of a run (report.h), folded to what somebody has to fix. First whom isolation names,
 * with the tests across hosts that it made slow; then what is wrong with the same part of the same host, in however many
 * tests it showed; then the same setting or state on several hosts. A limit that all parts of a host miss is that host's, and
 * one that nothing in the run meets is one card of them all (extents.h). What was not run because of a cause is counted with it.
 * Nothing is lost: each gate that did not pass is counted in exactly one place.
 */
#ifndef ASSAY_REPORT_CAUSES_H
#define ASSAY_REPORT_CAUSES_H

#include "assay/report/report.h"
#include "language.h"
#include "view.h"

struct report_cause {
    enum outcome_word word; /* the worst of its entries */
    enum report_extent extent;
    bool blames;    /* its hosts are at fault, and not only members of a test that failed */
    bool not_asked; /* nothing is wrong: this run was not to test it */
    bool waived;    /* every fail of it is covered by a waiver: nothing is to be fixed */
    const struct accusation *accusation; /* whom isolation names; NULL: nobody */
    LIST_OF(const struct host *)
    hosts;                       /* whom it is about, in hostfile order; of a leaf or a path its members */
    const char *leaf;            /* whose uplinks tests between leaves show to be slow; NULL: it is no leaf */
    const struct reason *target; /* "node[150-152]", "leaf l2", "path node3 - node7" */
    LIST_OF(const struct host *)
    partners; /* it is slow with each of these, and each of them is fast with others (blame_by_pairs); none: it is at fault otherwise */
    LIST_OF(const char *) parts; /* subjects as tools name them: "gpu2->gpu5"; none: the host as a whole */
    bool parts_suspected;        /* the parts are only where tests across hosts were slow */
    LIST_OF(size_t) entries; /* what is folded into it: indexes of the entries, the accusation's own first */
    size_t
        followers; /* of these the last so many, which are not known because of the others: they say no more of what is wrong */
    size_t fail, inconclusive, not_run; /* gates of its entries */
    size_t blocked; /* gates that were not run because of it alone; they are in entries of their own */
    size_t shared;  /* entries among its own that are of tests across hosts */
    const struct reason
        *resume; /* the run was stopped before all was done: how it goes on; NULL: it is another cause */
};

/* From best to worst. */
enum host_state {
    HOST_FIT,      /* it owes something, passed, and no cause is about it */
    HOST_WAIVED,   /* likewise, but for faults that are all waived */
    HOST_UNTESTED, /* it owes nothing: a spare */
    HOST_OPEN,
    HOST_TO_FIX
};

struct report_causes {
    LIST_OF(struct report_cause)
    items; /* fails, then what is undecided, then what was not run for no other cause; waived ones last */
    size_t to_fix, to_decide, waived; /* of these: fails, others, and fails that are waived */
    size_t blocked_together;          /* gates that wait for several causes */
    size_t blocked_across;            /* of these, those of tests across hosts */
    /* Of the hosts that owe anything: those that passed, and about which no cause is; those with none but waived faults; all. */
    size_t fit, excused, hosts;
    const enum host_state *states; /* by index in plan->hosts */
    const size_t *of_host;         /* the same: number of the first cause that is about it, from 1; 0: none */
    const size_t *of_entry;        /* by entry: number of its cause, from 1; 0: it waits for others' */
    const unsigned *roots;         /* by step: for whose causes it waits (cause_of_unrun) */
};

/* In the view's arena. */
void report_causes_of(const struct view *view, const struct report_entry *entries, size_t count,
                      struct report_causes *ret_causes);

/* Of a gate of the entry that was not run what it waits for, and with what it is counted: number of the cause, from 1; 0: several
   of them. */
size_t cause_of_unrun(const struct report_causes *causes, size_t entry, const struct outcome *outcome);

/* What is wrong in human words, the first thing first: "GPU 2 -> GPU 5 copies at 12.1 GB/s; required >= 345 GB/s". Where
   the language has no words for it, the sentence is English. */
const char *cause_problem(struct arena *arena, enum report_language language, const struct view *view,
                          const struct report_entry *entries, const struct report_cause *cause);
/* What to do about it: each advice once, none where nobody knows. Where it is about one GPU or one test of a host, commands
   name it: "nvidia-smi --gpu-reset -i 3" for "-i N". pages: of fails the pages of repair (check/repair.h) are named behind it. */
void cause_advice(struct arena *arena, enum report_language language, const struct view *view,
                  const struct report_entry *entries, const struct report_cause *cause, bool pages,
                  struct said_list *ret_pieces);
/* Who acts on a fail, as the pages of repair say it, or in brief (check/repair.h); NULL: it is none, or no page is about it. */
const struct reason *cause_hands(struct arena *arena, const struct view *view,
                                 const struct report_entry *entries, const struct report_cause *cause,
                                 bool brief);
/* The pieces as one string. */
const char *said_joined(struct arena *arena, const struct said_list *pieces);
/* "GPU 4", "GPU 2 - GPU 5", "all GPUs", "mlx5_3 (by tests across hosts)"; "" the host as a whole. */
const char *cause_part(struct arena *arena, enum report_language language, const struct view *view,
                       const struct report_entry *entries, const struct report_cause *cause);
/* "10 of 16 hosts are OK. Fix 6 faults." */
const char *causes_headline(struct arena *arena, enum report_language language, const struct view *view,
                            const struct report_causes *causes);
/* "gpu4" as people say it: "GPU 4"; any other word as it is. */
const char *part_name(struct arena *arena, const char *subject);

#endif

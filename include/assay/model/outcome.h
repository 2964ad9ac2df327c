/* SPDX-License-Identifier: Apache-2.0 */
/* The words of judgement, and the rows that hold them. */
#ifndef ASSAY_OUTCOME_H
#define ASSAY_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay/base/sha256.h"
#include "assay/model/document.h"
#include "assay/model/reason.h"
#include "assay/model/waiver.h"

/* From best to worst for a gate; RECORDED stands apart and is neutral. */
enum outcome_word { OUTCOME_RECORDED, OUTCOME_PASS, OUTCOME_NOT_RUN, OUTCOME_INCONCLUSIVE, OUTCOME_FAIL };

enum verdict_word { VERDICT_ACCEPT, VERDICT_ACCEPT_WITH_EXCEPTIONS, VERDICT_INCOMPLETE, VERDICT_REJECT };

const char *outcome_name(enum outcome_word word); /* "not run" */
/* "accept with exceptions": of an acceptance. Other runs have words of their own, see standing.h. */
const char *verdict_name(enum verdict_word word);
/* The program's exit status for a verdict: 0 accept, 1 reject, 2 incomplete, 3 accept with exceptions. */
int verdict_exit_status(enum verdict_word word);

/* What an item was held to, in words: the same for many items and hosts, who share it. */
struct held_to {
    const struct reason *limit;  /* "floor 345 GB/s, tolerance 0%" ; NULL when no limit spoke */
    const struct reason *gate;   /* what was really applied: ">= 345 GB/s" */
    const struct reason *source; /* of the limit */
    const char *status;          /* "field"; "" */
};
extern const struct held_to held_to_nothing; /* no limit spoke */

/* One planned item as judged: of a large run there are millions, so the small fields lie together. Strings live in the judgement's arena. */
struct outcome {
    uint32_t step, slot : 24; /* indexes into plan->steps and the step's shape's slots */
    enum outcome_word word : 7;
    bool remark : 1; /* recorded or passed, but a limit that may only remark is not met: cause says it */
    const struct reason *cause;  /* why it is not a pass: "12.1 GB/s is below 345 GB/s"; NULL for a pass */
    const struct reason *remedy; /* what to do about it; NULL when nobody knows */
    const struct reason
        *measured; /* the worst value over all attempts with its unit, or the text; NULL when there is none */
    double value;  /* the same as a number; NAN when there is none */
    const struct held_to *held;  /* never NULL */
    const struct waiver *waiver; /* of a fail: the one that covers it; NULL when none does */
};

/* What it was held to becomes a copy of its own, to be changed. */
struct held_to *outcome_held_own(struct arena *arena, struct outcome *outcome);

/* Whether the cause says that the item is an outlier among its peers (peers.h), whatever else it says. */
bool outcome_stands_out(const struct outcome *outcome);

struct verdict {
    const char *scope; /* "run", "unit", "host" */
    const char *name;  /* "" for the run */
    enum verdict_word word;
    size_t pass, fail, inconclusive, not_run, recorded; /* items; fail: those that no waiver covers */
    size_t waived;                                      /* fails that one covers */
    size_t accused; /* how often it, or a part of it, is a suspect of isolation: then it is rejected */
};

/* Which host, leaf or path makes a test across hosts slow, and how that is known: tests of parts of its hosts. */
enum accused_kind { ACCUSED_HOST, ACCUSED_LEAF, ACCUSED_LINK };
/* Of a host: whether it is slow alone too. */
enum accused_place { PLACE_UNKNOWN, PLACE_INSIDE, PLACE_FABRIC };
struct accusation {
    size_t step; /* the slow one, index into plan->steps */
    enum accused_kind kind;
    const char *subject; /* "node3"; "l2"; "node3 - node7" */
    enum accused_place place;
    bool intermittent; /* it was fast at other times */
    unsigned slow_tests, fast_tests;
    double doubt;  /* upper bound of the chance that noise alone made these tests slow for any of the hosts */
    size_t *steps; /* the tests of parts that it was a member of, in plan order */
    size_t step_count;
};

/* One for each slow step that was looked into. */
struct search {
    size_t step;
    const char *metric; /* by which the parts are compared, */
    double size_bytes;  /* at this message size */
    const struct reason *conclusion;
    const struct reason *
        candidates; /* "8 hosts: node[1-8]", among which there is a fault that could not be told apart; NULL */
};

struct judgement {
    const char *uuid;
    const struct reason *baselines; /* names and hashes of what it was judged against */
    struct documents
        documents; /* baselines and a contract that it was judged by and that are not the run's own */
    /* Of one made as one with other runs, as it was loaded: the last verdict by the same documents that was of this run alone; NULL: there is
       none. */
    const enum verdict_word *alone;
    double now; /* the time that it was judged for; 0: without waivers */
    char inputs
        [SHA256_HEX_SIZE]; /* over the above and the waivers that were in force: equal, and nothing else was
                                     decided with; "" of one that was kept before this was */
    struct outcome *outcomes; /* one for every slot of every step, in plan order */
    size_t outcome_count;
    struct verdict *verdicts; /* run first, then units, then hosts in hostfile order */
    size_t verdict_count;
    struct search *searches;
    size_t search_count;
    struct accusation *accusations;
    size_t accusation_count;
};

/* Of the waivers by which a run is accepted, the one that is in force no more at that time, of several the first that ended; NULL: they all
   are, or it is accepted by none. */
const struct waiver *judgement_ended_waiver(const struct judgement *judgement, double now);
/* Waivers that cover at least one of the outcomes. */
size_t judgement_waivers(const struct judgement *judgement);
const char *accused_kind_name(enum accused_kind kind);    /* "host", "leaf", "link" */
const char *accused_place_name(enum accused_place place); /* "inside the host"; "" for PLACE_UNKNOWN */

#endif

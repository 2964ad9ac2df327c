/* SPDX-License-Identifier: Apache-2.0 */
/* The words of judgement, and the rows that hold them. */
#ifndef ASSAY_OUTCOME_H
#define ASSAY_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>

/* From best to worst for a gate; RECORDED stands apart and is neutral. */
enum outcome_word { OUTCOME_RECORDED, OUTCOME_PASS, OUTCOME_NOT_RUN, OUTCOME_INCONCLUSIVE, OUTCOME_FAIL };

enum verdict_word { VERDICT_ACCEPT, VERDICT_ACCEPT_WITH_EXCEPTIONS, VERDICT_INCOMPLETE, VERDICT_REJECT };

const char *outcome_name(enum outcome_word word); /* "not run" */
const char *verdict_name(enum verdict_word word); /* "accept with exceptions" */
/* The program's exit status for a verdict: 0 accept, 1 reject, 2 incomplete, 3 accept with exceptions. */
int verdict_exit_status(enum verdict_word word);

/* One planned item as judged. Strings live in the judgement's arena. */
struct outcome {
    size_t step, slot; /* indexes into plan->steps and the step's shape's slots */
    enum outcome_word word;
    const char *cause;  /* why it is not a pass, for people: "12.1 GB/s is below 345 GB/s"; "" for a pass */
    const char *remedy; /* what to do about it; "" when nobody knows */
    const char
        *measured; /* the worst value over all attempts with its unit, or the text; "" when there is none */
    double value;  /* the same as a number; NAN when there is none */
    const char *limit;  /* "floor 345 GB/s, tolerance 0%" ; "" when no limit spoke */
    const char *gate;   /* what was really applied: ">= 345 GB/s" */
    const char *source; /* of the limit */
    const char *status; /* "field"; "" */
    bool remark;        /* recorded or passed, but a limit that may only remark is not met: cause says it */
};

struct verdict {
    const char *scope; /* "run", "unit", "host" */
    const char *name;  /* "" for the run */
    enum verdict_word word;
    size_t pass, fail, inconclusive, not_run, recorded; /* items */
};

struct judgement {
    const char *uuid;
    const char *baselines;    /* names and hashes of what it was judged against, for people */
    struct outcome *outcomes; /* one for every slot of every step, in plan order */
    size_t outcome_count;
    struct verdict *verdicts; /* run first, then units, then hosts in hostfile order */
    size_t verdict_count;
};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits: what a planned item must meet, and where the number comes from. A limit is data: the check's own
 * rules (a faulty GPU is never fine), the suite's, and a baseline's are the same struct.
 */
#ifndef ASSAY_LIMIT_H
#define ASSAY_LIMIT_H

#include <stdbool.h>

#include "assay/arena.h"
#include "assay/error.h"
#include "assay/json.h"
#include "assay/platform.h"
#include "assay/reading.h"
#include "assay/scan.h"

enum limit_rule {
    RULE_FLOOR,       /* number >= value */
    RULE_CEILING,     /* number <= value */
    RULE_EQUAL,       /* text or number is exactly this */
    RULE_ONE_OF,      /* text is one of these, '|' between them */
    RULE_MIN_VERSION, /* dotted numbers, compared piece by piece */
    RULE_SAME,        /* the same text on all hosts of one platform in the run; the deviating ones fail */
    RULE_PLAUSIBLE, /* a check's own: what no true number exceeds. One that does is not believed: inconclusive.
                         It is no gate: an item with nothing else has no limit */
    RULE_FRACTION, /* number >= value * that of the item's RULE_PLAUSIBLE; slot_limits_find makes it a floor */
};

enum limit_status { /* descending authority; PROVISIONAL and above can fail an item, GUESS can only remark */
                    LIMIT_CONTRACT,
                    LIMIT_DATASHEET,
                    LIMIT_VENDOR,
                    LIMIT_FIELD,
                    LIMIT_PROVISIONAL,
                    LIMIT_GUESS,
                    LIMIT_TOOL, /* the check's own: what the tool's word means, no number of anybody's;
                                   enforceable */
};

struct limit {
    const char *metric;            /* '*' stands for any characters */
    const char *subject;           /* likewise; NULL: any */
    const char *scope;             /* "host", "pair", "group", "cluster"; NULL: any */
    unsigned hosts_min, hosts_max; /* number of members; 0: any */
    double size_min, size_max;     /* message size in bytes; 0: any */
    enum limit_rule rule;
    double value;     /* of FLOOR, CEILING, PLAUSIBLE, FRACTION */
    const char *text; /* of EQUAL, ONE_OF, MIN_VERSION */
    double tolerance; /* fraction of value by which the gate is eased; 0: none. The effective gate is
                         limit_gate() */
    const char *unit;
    const char *source; /* "nccl#1264" */
    enum limit_status status;
    const char *note;  /* what to say when it is not met; NULL */
    bool inconclusive; /* not meeting it leaves the item undecided (a foreign process on the GPU) instead of
                          failing it */
};

/* The number really applied: value*(1-tolerance) for a floor, value*(1+tolerance) for a ceiling and what is
 * plausible. */
double limit_gate(const struct limit *limit);
bool limit_enforceable(const struct limit *limit);
const char *limit_status_name(enum limit_status status); /* "field" */
const char *limit_rule_name(enum limit_rule rule);       /* "floor" */
/* ">= 345 GB/s", "= ok", "one of Disabled|N/A", ">= version 525.60.13", "same on all hosts" */
const char *limit_text(struct arena *arena, const struct limit *limit);

/* Whether the limit speaks of this item. size_bytes 0: the item has no message size. */
bool limit_applies(const struct limit *limit, const char *metric, const char *subject, const char *scope,
                   unsigned hosts, double size_bytes);

/* One object of a suite's or baseline's "limits" list; the schemas have checked its form. -1 with err set
 * where bounds exclude each other or a size is too large. */
int limit_from_json(struct arena *arena, const struct json *object, struct limit *ret_limit,
                    struct error *err) __attribute__((warn_unused_result));

/* A baseline: the limits for one or more platforms. suites/baselines/NAME.json, schema
 * suites/schemas/baseline.schema.json. */
struct baseline {
    const char *name, *title;
    LIST_OF(const char *) platforms;
    LIST_OF(struct limit) limits; /* the first one that applies counts */
    struct slice bytes;
};

const struct baseline *baseline_load(struct arena *arena, const char *name, struct error *err)
    __attribute__((warn_unused_result));
/* From a stored document. */
const struct baseline *baseline_parse(struct arena *arena, const char *file, struct slice bytes,
                                      struct error *err) __attribute__((warn_unused_result));
/* The built-in baseline for the platform; NULL without an error set when there is none. */
const struct baseline *baseline_for_platform(struct arena *arena, const char *platform);

#endif

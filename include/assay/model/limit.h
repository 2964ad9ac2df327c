/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits: what a planned item must meet, and where the number comes from. A limit is data: the check's own
 * rules (a faulty GPU is never fine), the suite's, and a baseline's are the same struct.
 */
#ifndef ASSAY_LIMIT_H
#define ASSAY_LIMIT_H

#include <stdbool.h>

#include "assay/base/arena.h"
#include "assay/base/error.h"
#include "assay/base/json.h"
#include "assay/base/scan.h"
#include "assay/model/platform.h"
#include "assay/model/reading.h"

enum limit_rule {
    RULE_FLOOR,       /* number >= value */
    RULE_CEILING,     /* number <= value */
    RULE_EQUAL,       /* text or number is exactly this */
    RULE_ONE_OF,      /* text is one of these, '|' between them */
    RULE_MIN_VERSION, /* dotted numbers, compared piece by piece */
    RULE_SAME, /* the same text on all hosts of one platform in the run, of GPUs on all of them; the deviating ones fail */
    RULE_PLAUSIBLE, /* a check's own: what no true number exceeds. One that does is not believed: inconclusive.
                         It is no gate: an item with nothing else has no limit */
    RULE_FRACTION, /* number >= value * that of the item's RULE_PLAUSIBLE; slot_limits_find makes it a floor */
    RULE_RANGE,    /* value <= number <= most; of documents only, a check has none of its own */
    RULE_DISTINCT, /* a text that no other host of the run, and nothing else in the host, has; a check's own only */
    RULE_NEAR, /* a span "A to B s" of time, by the controller's clock, that comes to within value of the median of the hosts;
                  a check's own only */
    RULE_GROUPS, /* number >= value * the median of the same over the run's smaller groups of hosts, as far as
                         noise lets that be told (own_groups.h) */
    RULE_RACK, /* the same text on all hosts of its rack, and on those of no other rack; a check's own only */
    RULE_SERIES, /* of a soak's slices: no spell lies so low that its mean is below value * their median (spells.h); a
                      check's own only */
    RULE_READ, /* the text, which means that it was read, on all hosts or on none: who lacks it while another (of a GPU: of its
                    platform) has it is undecided, and where nobody has it that stands beside the verdict; a check's own only */
    RULE_MACHINE, /* the text that the run's own login to the host by this name read as host.machine; a check's own only. Where
                     that is not known it is met: the check reachable answers for it */
    RULE_GROWN, /* a counter that is by no more than value above what the first step of the same check on the same host of the
                     run read, or than most an hour in the time between where that is more; a check's own only. Of that
                     first step it asks nothing; where the counter went back meanwhile, it is undecided */
};

enum { LIMIT_RULES = RULE_GROWN + 1 };
#define GROWN_OF_BOOT "of the boot"

enum limit_status { /* descending authority; PROVISIONAL and above can fail an item, GUESS can only remark */
                    LIMIT_CONTRACT,
                    LIMIT_DATASHEET,
                    LIMIT_VENDOR,
                    LIMIT_FIELD,
                    LIMIT_PROVISIONAL,
                    LIMIT_GUESS,
                    LIMIT_TOOL,     /* the check's own: what the tool's word means, no number of anybody's;
                                   enforceable */
                    LIMIT_COMPUTED, /* the check's own: from what the platform's links carry; gives way to any
                                       other that is enforceable */
                    LIMIT_SELF, /* measured on site: of RULE_GROUPS by what smaller groups of the run show, of
                                   RULE_SERIES by the run's own slices */
};

/* What a figure was derived from (derive.h). */
struct limit_measured {
    double median, mad; /* of all values, in the limit's unit; mad as it is, without a factor */
    size_t values, n;   /* n: of independent items, no two of which have hardware in common */
    size_t hosts;
};

struct limit {
    const char *metric;            /* '*' stands for any characters */
    const char *subject;           /* likewise; NULL: any */
    const char *scope;             /* "host", "pair", "group", "cluster"; NULL: any */
    unsigned hosts_min, hosts_max; /* number of members; 0: any */
    unsigned racks_min, racks_max; /* racks that they stand in, where NVLinks join the hosts of one; 0: any */
    unsigned rack_hosts_min;       /* that stand in each of several racks at least; 0: any */
    double size_min, size_max;     /* message size in bytes; 0: any */
    enum limit_rule rule;
    double value; /* of FLOOR, CEILING, PLAUSIBLE, FRACTION; the floor of RANGE */
    double most;  /* the ceiling of RANGE */
    const char *
        text; /* of EQUAL, ONE_OF, MIN_VERSION; of DISTINCT what anybody may have, '|' between; NULL: nothing; of GROWN
                 GROWN_OF_BOOT where it begins again with each boot; NULL: it does not */
    double
        tolerance;  /* fraction of the number by which FLOOR, CEILING, RANGE and PLAUSIBLE are eased; 0: none.
                         The effective gate is limit_gate() */
    double derived; /* the tolerance that the number already has in it, from when it was derived; 0: none, or
                         nobody said. Never both: limit_from_json refuses it */
    const char *unit;
    const char *source;          /* "nccl#1264"; of a contract's "site7, clause 4.2" */
    const struct reason *origin; /* the same where it is words of ours with figures in them; NULL */
    const char *clause;          /* of a contract: "4.2"; NULL */
    const char *platform;        /* of a contract: only on hosts of this platform; NULL: any */
    enum limit_status status;
    const struct limit_measured *measured; /* NULL: the figure was not derived by assay */
    const struct reason *note;             /* what to say when it is not met; NULL */
    bool inconclusive; /* not meeting it leaves the item undecided (a foreign process on the GPU) instead of
                          failing it */
};

/* The number really applied: the floor less its tolerance, also of a range, or the ceiling and more. */
double limit_gate(const struct limit *limit);
/* The ceiling of a range that is really applied. */
double limit_gate_most(const struct limit *limit);
bool limit_enforceable(const struct limit *limit);
const char *limit_status_name(enum limit_status status); /* "field" */
const char *limit_rule_name(enum limit_rule rule);       /* "floor" */
/* The effective gate: ">= 345 GB/s", ">= 95 and <= 210 C (100 to 200 with 5% tolerance)", "= ok", "one of Disabled|N/A",
 * ">= version 525.60.13", "same on all hosts" */
const struct reason *limit_text(struct arena *arena, const struct limit *limit);
/* A gate as a record has it. Until gates were data they were told in words, ">= 345 GB/s": those become the data that they are. */
const struct reason *limit_gate_of_record(struct arena *arena, const struct reason *gate);
/* What a gate asks for, by its data; of one that is eased or of another metric, of the bound in it. */
struct limit_bound {
    bool floor, ceiling; /* no less, no more than something, which need not be a number of its own */
    double least, most;  /* the numbers; NAN: there is none */
    const char *exactly; /* "ok"; NULL: it is no word */
};
struct limit_bound limit_bound_of(const struct reason *bound);
/* FLOOR, CEILING or RANGE: it compares numbers, in its unit. */
bool limit_is_number(const struct limit *limit);
/* Whether whatever meets the limit meets the other too. */
bool limit_is_as_strict(const struct limit *limit, const struct limit *other);
/* What was stated, and the tolerance apart: "floor 345 GB/s, tolerance 0%"; of rules without a number limit_text. */
const struct reason *limit_stated(struct arena *arena, const struct limit *limit);

/* Whether the limit speaks of this item. size_bytes 0: the item has no message size. */
bool limit_applies(const struct limit *limit, const char *metric, const char *subject, const char *scope,
                   unsigned hosts, double size_bytes);

/* One object of a "limits" list; the schemas have checked its form. `derived` is that of the whole document, for
 * limits that do not say it themselves. -1 with err set where bounds exclude each other, a size is too large, or a
 * tolerance stands where there is nothing to ease, or where the number has one in it already. */
int limit_from_json(struct arena *arena, const struct json *object, double derived, struct limit *ret_limit,
                    struct error *err) __attribute__((warn_unused_result));

/* A baseline: the limits for one or more platforms. suites/baselines/NAME.json, schema
 * suites/schemas/baseline.schema.json. */
struct baseline {
    const char *name, *title;
    LIST_OF(const char *) platforms;
    LIST_OF(struct limit) limits;    /* the first one that applies counts */
    LIST_OF(const struct json *) at; /* where each stands */
    const struct json *document;
    struct slice bytes;
};

/* It names the platform, or the one that it is like. */
bool baseline_is_for(const struct baseline *baseline, const struct platform *platform);
/* Whether the limit speaks of hosts in so many racks, of which the one with the fewest has so many of them; racks 0: hosts
 * that no NVLinks join, which count as one rack. What one rack holds is its own number of hosts. */
bool limit_is_for_racks(const struct limit *limit, unsigned racks, unsigned rack_hosts);
/* The first limit that applies, as limit_applies and limit_is_for_racks; NULL. */
const struct limit *baseline_find(const struct baseline *baseline, const char *metric, const char *subject,
                                  const char *scope, unsigned hosts, unsigned racks, unsigned rack_hosts,
                                  double size_bytes);

const struct baseline *baseline_load(struct arena *arena, const char *name, struct error *err)
    __attribute__((warn_unused_result));
/* From a stored document. */
const struct baseline *baseline_parse(struct arena *arena, const char *file, struct slice bytes,
                                      struct error *err) __attribute__((warn_unused_result));
/* The built-in baseline for the platform, or for the one that it is like; NULL without an error set when there is none. */
const struct baseline *baseline_for_platform(struct arena *arena, const struct platform *platform);

/* A contract: what the parties have agreed on, clause by clause; a file of the site, schema
 * suites/schemas/contract.schema.json. Its limits have status contract and outrank all others but a check's own, and
 * what they speak of is always judged. */
struct contract {
    const char *name, *title;
    LIST_OF(struct limit) limits;    /* the first one that applies counts */
    LIST_OF(const struct json *) at; /* where each stands */
    struct slice bytes;
};

/* What stands before "field: nccl#1264" in the source of a clause that assay proposes. */
#define CONTRACT_PROPOSED "proposed by assay, to be agreed: "
/* What its title has around the name of the suite. */
#define CONTRACT_DRAFT_BEFORE "To be agreed: figures of suite "
#define CONTRACT_DRAFT_BEHIND " as assay has them"

const struct contract *contract_load(struct arena *arena, const char *file, struct error *err)
    __attribute__((warn_unused_result));
const struct contract *contract_parse(struct arena *arena, const char *file, struct slice bytes,
                                      struct error *err) __attribute__((warn_unused_result));

#endif

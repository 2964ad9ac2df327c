/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Baselines that are made from accepted runs, and whether a baseline can be what it says. Pure: records in, figures out.
 *
 * A figure is of one metric, over so many hosts, in so many racks where NVLinks join the hosts of one, at one message
 * size, as far as limits tell these apart. It is a floor
 * (of what is better lower a ceiling) at the bound beyond which, with 95% confidence, no more than one of 1,000 healthy
 * items lies: median less robust_tolerance_factor (robust.h) times 1.4826 MAD, this never less than PEERS_RESOLUTION
 * (peers.h) of the median. It is never stricter than what was accepted: where the worst accepted value lies beyond the
 * bound, that is the figure. Figures are rounded to four digits, away from the median.
 *
 * n counts independent items: as many as there can be without a piece of hardware in common. Of copies between two GPUs
 * there are half as many as GPUs, of tests over 4 hosts a fourth of the hosts; the same item in many runs is one. MAD
 * and median are those of all values, so that what differs from run to run counts as noise.
 *
 * Refused, and said why, is a figure
 *   - of fewer than DERIVE_LEAST independent items: from 20 on the noise is known to within 28% (1 / sqrt(2 (0.37 n - 1)),
 *     see robust.h), and the factor is below 6; or of fewer than DERIVE_LEAST_HOSTS hosts: the median of five holds
 *     though two of them are odd themselves;
 *   - of which an accepted value lies more than DERIVE_FURTHEST beyond the median: these are two kinds, or a slow one
 *     was accepted. That is the threshold at which peers fail;
 *   - that exceeds, or any value of which exceeds, what the platform's parts can reach (check_capacity): a wrong unit or
 *     factor;
 *   - that was measured with different arguments, which limits cannot tell apart;
 *   - of which all values are the same: what is set and not measured;
 *   - that is weaker than the limit by which these runs were accepted: that one stays.
 *
 * Taken are rates and latencies of items that passed or were recorded, of messages only the sizes that the suite
 * judges. What had a remark, other than for a guess, is left out with
 * all that it took part in: of a pair both. Temperatures and powers are the site's, counts and texts are
 * the contract's.
 */
#ifndef ASSAY_DERIVE_H
#define ASSAY_DERIVE_H

#include "assay/base/text.h"
#include "assay/model/limit.h"
#include "assay/model/record.h"

enum { DERIVE_LEAST = 20, DERIVE_LEAST_HOSTS = 5 };
#define DERIVE_FURTHEST 0.1
#define DERIVE_CHANCE 0.001
#define DERIVE_CONFIDENCE 0.95

struct derived {
    const char *metric, *unit;
    unsigned hosts;
    unsigned racks;      /* that they stand in, where NVLinks join the hosts of one; 0: it is no matter */
    unsigned rack_hosts; /* of several, in the one with the fewest */
    double size_bytes;   /* 0: none */
    struct limit_measured measured;
    bool ceiling;        /* else it is a floor */
    double value;        /* NAN where there were too few to compute one */
    double worst;        /* accepted value */
    double factor;       /* by which sigma was multiplied */
    const char *note;    /* of what becomes a limit: why it is not the bound itself; "" */
    const char *refused; /* why it becomes no limit; NULL: it does */
};

struct derivation {
    LIST_OF(struct derived) figures; /* by metric, hosts and size */
    size_t remarked; /* values that were left out, because the judge had remarked on who took part */
};

/*
 * What these runs say of one platform. Judged runs only, each once; the caller makes sure that they were accepted.
 * base: the limits by which they were; NULL: none. Everything in the arena.
 */
void judge_derive(struct arena *arena, const struct record *const *records, size_t count,
                  const struct platform *platform, const struct baseline *base,
                  struct derivation *ret_derivation);

/* The bound that is written above. NAN of too few. */
double derive_bound(const struct limit_measured *measured, bool ceiling);

/* "nccl.all_reduce.busbw over 1 host at 8G", "... over 36 hosts in 2 racks at 8G" */
const char *derived_name(struct arena *arena, const struct derived *derived);
/* "floor 471.2 GB/s: median 480.1 less 4.9 x 1.4826 x MAD 0.9, n 24 (48 values, 6 hosts)" */
const char *derived_text(struct arena *arena, const struct derived *derived);

/*
 * The baseline as a document: the figures that are not refused, with the runs that they are from, and behind them what
 * base has for the platform and these do not stand before.
 */
void derivation_write(struct arena *arena, const struct derivation *derivation,
                      const struct record *const *records, size_t count, const struct platform *platform,
                      const struct baseline *base, const char *name, struct text *out);

/* What speaks against a baseline that its schema lets pass. */
struct baseline_flaw {
    const struct json *at;
    const char *text;
    bool remark; /* it may be meant so: a guess, which decides nothing */
};
struct baseline_flaws {
    LIST_OF(struct baseline_flaw) items; /* in the order of the file */
};
/*
 * Each limit against what its metric is measured in, what the links of the platforms carry, what it says it was derived
 * from, and the limits before it, behind which it may never apply. platforms: those of the baseline that are known.
 */
void judge_baseline(struct arena *arena, const struct baseline *baseline,
                    const struct platform *const *platforms, size_t platform_count,
                    struct baseline_flaws *ret_flaws);

/* Whether all that the one speaks of is what the other, which stands before it, speaks of. */
bool limit_is_behind(const struct limit *limit, const struct limit *before);

#endif

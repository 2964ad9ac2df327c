/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Peers: which GPU, HCA, host or pair of them is slower than the same one on the other hosts of the run, even above
 * every floor. Pure: numbers in, findings out.
 *
 * Positions within a host differ by design on some platforms, so a value is compared with those of the same position
 * on other hosts only: its series. All that was measured of a subject in one respect (an aspect: one metric of one
 * step) is one score: the median over its partners of how far its values lie from the medians of their series. A
 * subject that is slow with one partner only is not slow, the pair is. All aspects together are one more score, each
 * weighted by how little it scatters.
 *
 * How much healthy scores scatter is measured by the median absolute deviation (MAD) of those of the siblings, pooled
 * over positions, and never less than PEERS_RESOLUTION: tools print so many digits. It is more where the own position
 * shows more: the variances of both are averaged by their degrees of freedom, of which the pooled one has 8 (as Smyth
 * 2004, Stat. Appl. Genet. Mol. Biol. 3:3, moderates them). Of few siblings the MAD alone says anything: of eight, half
 * more than is true once in ten times. A subject stands out when
 *
 *   - it lies further below the median of its siblings than noise would put any subject of the run, but in one run of
 *     a hundred (Bonferroni over all scores; Student's t, for a MAD of few siblings is uncertain itself),
 *   - and further than the fastest of all lies above its siblings: where noise has long tails it has them on both
 *     sides, while faults only slow down, and
 *   - it may be as slow as the remark threshold: the upper bound of how slow it is (99.5%) reaches it. So one that is
 *     just that slow is found in 99 of 100 runs, and half of them would be by the bare number.
 *
 * It fails when the lower bound (99%, and again no less than the fastest is off) lies beyond the fail threshold too.
 *
 * There are PEERS_LEAST siblings or nothing is said: the median of five holds with two that are slow themselves.
 *
 * Slow subjects explain slow pairs: the slowest is named first, and what it took part in says nothing more of its
 * partners. A fleet that is slow as a whole has no outlier: that is what limits are for.
 */
#ifndef ASSAY_PEERS_H
#define ASSAY_PEERS_H

#include <stdbool.h>
#include <stddef.h>

#include "assay/arena.h"

enum { PEERS_LEAST = 5 };
#define PEERS_RESOLUTION 0.001
#define PEERS_NONE ((size_t)-1)

struct peers_aspect {
    double remark, fail; /* as fractions of the siblings' median: 0.05, 0.10 */
};

struct peers_value {
    size_t series;      /* values of one number are comparable: of the same item on different hosts */
    size_t aspect;      /* index into aspects */
    size_t subjects[2]; /* who took part; [1]: PEERS_NONE for one alone */
    double level;       /* natural logarithm of the value, negated where less is better */
    bool owed;          /* a finding may be laid at it in preference to others */
};

struct peers_problem {
    const size_t *positions; /* of each subject: equal numbers are the same place on different hosts */
    size_t subject_count;
    const struct peers_aspect *aspects;
    size_t aspect_count;
    const struct peers_value *values;
    size_t value_count;
};

struct peers_finding {
    size_t subject, other; /* other: of a pair; else PEERS_NONE */
    size_t aspect;         /* aspect_count: all together */
    size_t value;          /* the worst that speaks of it, of those that are owed if there are any */
    double deviation;      /* of that value: its level less the median of its series */
    double below;          /* fraction below the median of its siblings: 0.052 */
    double error;          /* standard error of that */
    size_t siblings, values;
    bool fails; /* else it is remarked */
};

struct peers_findings {
    LIST_OF(struct peers_finding) findings; /* the slowest first; pairs behind */
};

/* Everything in the arena. */
void peers_compare(struct arena *arena, const struct peers_problem *problem,
                   struct peers_findings *ret_findings);

#endif

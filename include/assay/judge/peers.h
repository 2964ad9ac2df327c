/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Peers: which GPU, HCA, host or pair is slower than the same one on the other hosts of the run, even if it is above
 * every floor. Pure: numbers in, findings out.
 *
 * On some platforms positions within a host differ by design. So a value is compared only with those of the same position
 * on other hosts: its series. All values of a subject in one aspect (one metric of one step) make one score: the median,
 * over its partners, of how far its values are from the medians of their series. If a subject is slow with one partner
 * only, the pair is slow and not the subject. All aspects together make one more score, each weighted by how little it
 * scatters.
 *
 * The scatter of healthy scores is the standard deviation of the siblings without the subject and without those that lie far
 * below, pooled over positions, and at least PEERS_RESOLUTION, because tools print only so many digits. Only below: faults slow
 * down, and nobody is named who is less far below than the fastest is above. Who lies far below is told by the median absolute
 * deviation (MAD), up to eight GPUs on each of eight hosts by the differences of pairs (robust.h) without the subject: of few it
 * would hide behind its own slowness. The siblings' level is the mean of the rest. A position that scatters more counts with its
 * own too: both variances are averaged by their degrees of freedom, of which the pooled one has 8 (the moderation of Smyth 2004,
 * Stat. Appl. Genet. Mol. Biol. 3:3): that of few values alone is unreliable. A subject is an outlier if
 *
 *   - it is further below its siblings than noise puts any subject, except in one run of a hundred
 *     (Bonferroni over all scores, half of it for those of all aspects together; Student's t, because the scatter of few
 *     siblings is uncertain itself),
 *   - and further below than the fastest of all is above its siblings: noise with long tails has them on both sides, while
 *     faults only slow down; of those that are not far above (see below), or one number that is counted wrongly would clear
 *     all others; and
 *   - it may be as slow as the remark threshold: the upper bound of its slowness (99.5%) reaches it. So a subject exactly
 *     that slow is found in 99 of 100 runs; the bare number would find only half of them.
 *
 * It fails if the lower bound (99%, and again at least as far as the fastest is above) is beyond the fail threshold too.
 *
 * What is further above its siblings than the fail threshold and than noise puts any is far above: no part is so fast. It has
 * no say in how healthy ones scatter, and is named too, as a remark: its number is wrong, or the others are slow.
 *
 * At least PEERS_LEAST siblings are needed: the median of five holds even if two of them are slow.
 *
 * One false finding in a hundred runs is so of numbers that one subject makes. Where the slower of two makes them and these
 * differ by more than noise, healthy scores have a longer tail below than above, and more of them are found:
 * docs/guide/limits.md has how many.
 *
 * Slow subjects explain slow pairs: the slowest is named first, and pairs that it took part in no longer count against its
 * partners. A fleet that is slow as a whole has no outlier: that is what limits are for.
 */
#ifndef ASSAY_PEERS_H
#define ASSAY_PEERS_H

#include <stdbool.h>
#include <stddef.h>

#include "assay/base/arena.h"

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
    bool owed;          /* required: a finding is reported with it in preference to others */
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
    size_t value;          /* the worst of its values, of the required ones if there are any */
    double deviation;      /* of that value: its level less the median of its series */
    double below;          /* fraction below the median of its siblings: 0.052; negative: so far above */
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

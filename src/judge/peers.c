/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/judge/peers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/robust.h"

/* For a normal distribution, a MAD of n values is as precise as a standard deviation of n times this, Q_n of few of n times
   that (by simulation of 7), */
static const double mad_efficiency = 0.37, pairs_efficiency = 0.45;
/* and the variance of a median is this many times that of a mean (pi / 2). */
static const double median_variance = 1.5708;
/* The scatter is measured without the subject up to so many pairs: those of eight GPUs on each of eight hosts are 224. Beyond,
   the MAD of all knows it well enough, and in less time. */
enum { PAIRS_MOST = 300 };
/* What lies further below the middle of its siblings than so many standard deviations is not one of them: where those are
   known by n degrees of freedom, 1 + few_wider / n times as many, or the chance that their scatter seems small leaves out some
   that belong to it, and what is left seems to scatter even less. */
static const double outlying = 3, few_wider = 4.7;
/* By simulation of 1 and 8 positions of 6 to 32: the standard deviation of what is left is as precise as that of inner_loss
   fewer values, and that of inner_worth_least times as many at least; its mean varies that much more than a mean. */
static const double inner_loss = 2.4, inner_worth_least = 0.33, inner_mean_variance = 1.05;
/* One-sided: 99.5% and 99% of it are below so many standard deviations. */
static const double upper_bound = 2.576, lower_bound = 2.326;
/* The pooled spread of all positions counts like so many degrees of freedom of a position's own. */
static const double prior_freedom = 8;
static const double false_findings_in_a_run = 0.01;

/* What one subject showed in one aspect. */
struct score {
    double level; /* how far above the values of its siblings; NAN: nothing to compare with */
    unsigned n;   /* the number of partners or aspects of which it is the median or mean */
};

/* Of what does not lie far below, the middle in any case: how many, their mean, and the sum of squares about it. */
struct inner {
    size_t count;
    double mean, squares;
};

/* Scores of one aspect that are siblings of each other. */
struct siblings {
    double *sorted;
    double *sums; /* of those before each, and of all */
    size_t count;
    double spread; /* standard deviation, from their own MAD */
    double far;    /* what lies so far above their middle is none of them */
    struct inner inner;
};

struct aspect {
    double remark, fail; /* as logarithms */
    double spread;       /* pooled over positions */
    double freedom;      /* of what that was measured by; 0: by nothing */
    size_t pairs;        /* of siblings */
    double fastest;      /* how far the best of all is above its siblings, of those that are not far above */
    unsigned most;       /* the most that any score has in it */
    struct siblings *positions;
};

struct comparison {
    struct arena *arena;
    const struct peers_problem *problem;
    size_t position_count;
    double *deviations;       /* of each value from the median of its series; NAN: too few */
    bool *explained;          /* values that are slow because of another subject */
    size_t *first;            /* of each subject, and one past the last: places in `of_subject` */
    size_t *of_subject;       /* numbers of values, by subject, aspect and partner */
    struct aspect *aspects;   /* one more than the problem's: all together */
    struct score *scores;     /* by subject and aspect */
    struct score *scores_now; /* of one subject, by what is not explained yet */
    double *scratch;          /* as many as there are values */
    double
        deviations_needed[2]; /* of one aspect, and of all together; before the uncertainty of the spread */
};

/* The first of sorted values that is not below this one; count: all are. */
static size_t first_from(const double *sorted, size_t count, double value)
{
    size_t from = 0;

    while (from < count) {
        size_t middle = from + (count - from) / 2;

        if (sorted[middle] < value)
            from = middle + 1;
        else
            count = middle;
    }
    return from;
}

/* The median of all values except one that equals `without`. */
static double median_of_others(const double *sorted, size_t count, double without)
{
    size_t others = count - 1, skipped = first_from(sorted, others, without);
    double at[2] = {0, 0};

    for (size_t i = 0; i < 2; i++) {
        size_t place = (others - 1 + i) / 2;

        at[i] = sorted[place >= skipped ? place + 1 : place];
    }
    return (at[0] + at[1]) / 2;
}

/* --- how far each value lies from its series ------------------------------------------------------------------- */

struct level {
    size_t series, value;
    double level;
};

static int compare_levels(const void *a, const void *b)
{
    const struct level *left = a, *right = b;

    if (left->series != right->series)
        return left->series < right->series ? -1 : 1;
    return (left->level > right->level) - (left->level < right->level);
}

static void measure_deviations(struct comparison *comparison)
{
    size_t count = comparison->problem->value_count, end;
    struct level *levels = arena_array(comparison->arena, struct level, count);
    double *sorted = arena_array(comparison->arena, double, count);

    for (size_t i = 0; i < count; i++)
        levels[i] =
            (struct level){comparison->problem->values[i].series, i, comparison->problem->values[i].level};
    qsort(levels, count, sizeof *levels, compare_levels);
    for (size_t i = 0; i < count; i++)
        sorted[i] = levels[i].level;
    for (size_t i = 0; i < count; i = end) {
        for (end = i + 1; end < count && levels[end].series == levels[i].series; end++)
            ;
        for (size_t k = i; k < end; k++)
            comparison->deviations[levels[k].value] =
                end - i > PEERS_LEAST ? levels[k].level - robust_middle(sorted + i, end - i) : NAN;
    }
}

/* --- scores ------------------------------------------------------------------------------------------------------- */

struct part {
    size_t subject, aspect, partner, value;
};

static int compare_parts(const void *a, const void *b)
{
    const struct part *left = a, *right = b;

    if (left->subject != right->subject)
        return left->subject < right->subject ? -1 : 1;
    if (left->aspect != right->aspect)
        return left->aspect < right->aspect ? -1 : 1;
    if (left->partner != right->partner)
        return left->partner < right->partner ? -1 : 1;
    return (left->value > right->value) - (left->value < right->value);
}

/* Which values speak of whom. */
static void index_values(struct comparison *comparison)
{
    const struct peers_problem *problem = comparison->problem;
    struct part *parts = arena_array(comparison->arena, struct part, 2 * problem->value_count);
    size_t count = 0, at = 0;

    for (size_t i = 0; i < problem->value_count; i++)
        for (size_t side = 0; side < 2 && !isnan(comparison->deviations[i]); side++)
            if (problem->values[i].subjects[side] != PEERS_NONE)
                parts[count++] = (struct part){problem->values[i].subjects[side], problem->values[i].aspect,
                                               problem->values[i].subjects[1 - side], i};
    qsort(parts, count, sizeof *parts, compare_parts);
    comparison->of_subject = arena_array(comparison->arena, size_t, count);
    comparison->first = arena_array(comparison->arena, size_t, problem->subject_count + 1);
    for (size_t i = 0; i <= problem->subject_count; i++) {
        while (at < count && parts[at].subject < i)
            at++;
        comparison->first[i] = at;
    }
    for (size_t i = 0; i < count; i++)
        comparison->of_subject[i] = parts[i].value;
}

static size_t partner_of(const struct peers_value *value, size_t subject)
{
    return value->subjects[0] == subject ? value->subjects[1] : value->subjects[0];
}

/* The median over partners of the mean of what was measured with each, the better one of the two in the middle: what
   is slow with one of two partners is not slow. With one partner nobody can tell which of them it is. */
static struct score score_of(const struct comparison *comparison, size_t subject, size_t aspect)
{
    const struct peers_value *values = comparison->problem->values;
    size_t end = comparison->first[subject + 1], count = 0;
    double *means = comparison->scratch;
    bool alone = false;

    for (size_t i = comparison->first[subject], next; i < end; i = next) {
        const struct peers_value *value = &values[comparison->of_subject[i]];
        size_t partner = partner_of(value, subject), n = 0;
        double sum = 0;

        for (next = i; next < end && values[comparison->of_subject[next]].aspect == value->aspect &&
                       partner_of(&values[comparison->of_subject[next]], subject) == partner;
             next++)
            if (!comparison->explained[comparison->of_subject[next]]) {
                sum += comparison->deviations[comparison->of_subject[next]];
                n++;
            }
        if (value->aspect != aspect || n == 0)
            continue;
        alone |= partner == PEERS_NONE;
        means[count++] = sum / (double)n;
    }
    if (count == 0 || (count == 1 && !alone))
        return (struct score){.level = NAN};
    qsort(means, count, sizeof *means, robust_compare);
    return (struct score){means[count / 2], (unsigned)count};
}

/* Weighted by what each aspect's scatter leaves it worth; one aspect alone is that one. */
static struct score score_together(const struct comparison *comparison, const struct score *scores)
{
    double sum = 0, weights = 0;
    unsigned n = 0;

    for (size_t i = 0; i < comparison->problem->aspect_count; i++) {
        double spread = fmax(comparison->aspects[i].spread, PEERS_RESOLUTION);

        if (isnan(scores[i].level) || comparison->aspects[i].freedom == 0)
            continue;
        sum += scores[i].level / (spread * spread);
        weights += 1 / (spread * spread);
        n++;
    }
    return n > 1 ? (struct score){sum / weights, n} : (struct score){.level = NAN};
}

/* --- how much healthy scores scatter ------------------------------------------------------------------------------ */

/* The scores of one aspect by position; too few of them are none. */
static void gather(const struct comparison *comparison, size_t aspect)
{
    const struct peers_problem *problem = comparison->problem;
    struct aspect *of = &comparison->aspects[aspect];
    size_t stride = problem->aspect_count + 1;

    of->positions = arena_array(comparison->arena, struct siblings, comparison->position_count);
    for (size_t turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < problem->subject_count; i++) {
            const struct score *score = &comparison->scores[i * stride + aspect];
            struct siblings *siblings = &of->positions[problem->positions[i]];

            if (isnan(score->level))
                continue;
            of->most = score->n > of->most ? score->n : of->most;
            if (turn == 1)
                siblings->sorted[siblings->count] = score->level;
            siblings->count++;
        }
        for (size_t i = 0; turn == 0 && i < comparison->position_count; i++) {
            of->positions[i].sorted = arena_array(comparison->arena, double, of->positions[i].count);
            of->positions[i].count = 0;
        }
    }
}

/* Of all positions, or more where the own one shows it: see peers.h. */
static double moderated(double pooled, double own, double own_freedom)
{
    return fmax(pooled, sqrt((prior_freedom * pooled * pooled + own_freedom * own * own) /
                             (prior_freedom + own_freedom)));
}

/* What lies further below the middle of its siblings is none of them. own: by what the siblings' own scatter was measured, and
   how well that is known; freedom: how well that of all is. */
static double reach_of(double pooled, double freedom, double own, double own_freedom)
{
    return outlying * (1 + few_wider / freedom) * moderated(pooled, own, own_freedom);
}

static struct inner inner_of(const double *sorted, size_t count, double reach, double far)
{
    double middle = robust_middle(sorted, count);
    struct inner inner = {0};

    for (size_t i = 0; i < count; i++) {
        double off = sorted[i] - middle, from_mean = off - inner.mean;

        if ((-off > reach || off > far) && i != count / 2 && i != (count - 1) / 2)
            continue;
        inner.count++;
        inner.mean += from_mean / (double)inner.count;
        inner.squares += from_mean * (off - inner.mean);
    }
    inner.mean += middle;
    return inner;
}

static void measure_spread(const struct comparison *comparison, size_t aspect)
{
    struct aspect *of = &comparison->aspects[aspect];
    double *pooled, *own;
    size_t count = 0;

    gather(comparison, aspect);
    pooled = arena_array(comparison->arena, double, comparison->problem->subject_count + 1);
    own = arena_array(comparison->arena, double, comparison->problem->subject_count + 1);
    for (size_t i = 0; i < comparison->position_count; i++) {
        struct siblings *siblings = &of->positions[i];
        double middle, scale = sqrt((double)siblings->count / ((double)siblings->count - 1));

        if (siblings->count <= PEERS_LEAST)
            continue;
        qsort(siblings->sorted, siblings->count, sizeof *siblings->sorted, robust_compare);
        middle = robust_middle(siblings->sorted, siblings->count);
        siblings->sums = arena_array(comparison->arena, double, siblings->count + 1);
        for (size_t k = 0; k < siblings->count; k++)
            siblings->sums[k + 1] = siblings->sums[k] + siblings->sorted[k];
        for (size_t k = 0; k < siblings->count; k++)
            own[k] = pooled[count++] = fabs(siblings->sorted[k] - middle) * scale;
        siblings->spread = ROBUST_SIGMAS_PER_MAD * robust_median(own, siblings->count);
        of->pairs += siblings->count * (siblings->count - 1) / 2;
        of->freedom += (double)siblings->count - 1;
    }
    if (count > 0)
        of->spread = ROBUST_SIGMAS_PER_MAD * robust_median(pooled, count);
}

/* No part is so much faster than its siblings: neither noise nor what parts differ by puts any there. What is, is counted wrongly,
   or the others are slow; it must not pass for noise, in which slow ones could hide. */
static double far_above(const struct comparison *comparison, const struct aspect *of,
                        const struct siblings *siblings)
{
    bool together = of == &comparison->aspects[comparison->problem->aspect_count];
    double own_freedom = mad_efficiency * (double)(siblings->count - 1);

    return fmax(of->fail,
                robust_student(comparison->deviations_needed[together], mad_efficiency * of->freedom) *
                    fmax(moderated(of->spread, siblings->spread, own_freedom), PEERS_RESOLUTION));
}

static void measure_inner(const struct comparison *comparison, size_t aspect)
{
    struct aspect *of = &comparison->aspects[aspect];

    for (size_t i = 0; i < comparison->position_count; i++) {
        struct siblings *siblings = &of->positions[i];
        double middle;

        if (siblings->count <= PEERS_LEAST)
            continue;
        siblings->far = far_above(comparison, of, siblings);
        middle = robust_middle(siblings->sorted, siblings->count);
        for (size_t k = siblings->count; k > 0; k--)
            if (siblings->sorted[k - 1] - middle <= siblings->far) {
                of->fastest = fmax(of->fastest, siblings->sorted[k - 1] - middle);
                break;
            }
        siblings->inner = inner_of(siblings->sorted, siblings->count,
                                   reach_of(of->spread, of->freedom, siblings->spread,
                                            mad_efficiency * (double)(siblings->count - 1)),
                                   siblings->far);
    }
}

/* --- who stands out ----------------------------------------------------------------------------------------------- */

struct standing {
    double below, error; /* logarithms */
    size_t siblings, aspect;
    bool out, fails;
};

struct spread {
    double sigma, freedom;
    double level, variance; /* what the siblings do, and the variance of that in those of one of them */
};

/* The scores of one position but for one like that of the subject, sorted, and their scatter by the differences of pairs. */
struct others {
    double *sorted;
    size_t count;
    double sigma;
};

static struct others others_of(const struct siblings *its, double without, double *room)
{
    bool left_out = false;
    size_t count = 0;

    for (size_t i = 0; i < its->count; i++)
        if (!left_out && its->sorted[i] == without)
            left_out = true;
        else
            room[count++] = its->sorted[i];
    return (struct others){room, count, 0};
}

/* All scores but that of the subject: others, by position; returns the standard deviation of all of them. */
static double scatter_by_pairs(const struct aspect *of, size_t positions, const struct siblings *siblings,
                               struct others own, struct others *others)
{
    double pairs[PAIRS_MOST];
    size_t filled = 0, place = 0;

    for (size_t i = 0; i < positions; i++) {
        const struct siblings *its = &of->positions[i];
        size_t count, its_place;

        if (its->count <= PEERS_LEAST)
            continue;
        others[i] = its == siblings ? own : (struct others){its->sorted, its->count, 0};
        count = others[i].count * (others[i].count - 1) / 2;
        its_place = robust_pairs(others[i].sorted, others[i].count, pairs + filled);
        qsort(pairs + filled, count, sizeof *pairs, robust_compare);
        others[i].sigma = pairs[filled + its_place - 1];
        place += its_place;
        filled += count;
    }
    qsort(pairs, filled, sizeof *pairs, robust_compare);
    return pairs[place - 1];
}

static struct spread spread_of(struct inner own, double squares, double freedom)
{
    double worth = freedom > 0 ? fmax(1 - inner_loss / freedom, inner_worth_least) : 0;

    return (struct spread){.sigma =
                               moderated(sqrt(squares / freedom), sqrt(own.squares / ((double)own.count - 1)),
                                         worth * ((double)own.count - 1)),
                           .freedom = worth * freedom,
                           .level = own.mean,
                           .variance = inner_mean_variance / (double)own.count};
}

/* Of few the subject is a good part itself, and a slow one would hide behind its own slowness; so would several. */
static struct spread spread_of_few(const struct comparison *comparison, const struct aspect *of,
                                   const struct siblings *siblings, struct others own)
{
    struct others others[PAIRS_MOST] = {0};
    size_t positions = comparison->position_count;
    double pooled = scatter_by_pairs(of, positions, siblings, own, others), squares = 0, freedom = 0;
    struct inner of_own = {0};

    for (size_t i = 0; i < positions; i++) {
        struct inner inner;

        if (others[i].count == 0)
            continue;
        inner = inner_of(others[i].sorted, others[i].count,
                         reach_of(pooled, of->freedom - 1, others[i].sigma,
                                  pairs_efficiency * (double)(others[i].count - 1)),
                         of->positions[i].far);
        squares += inner.squares;
        freedom += (double)inner.count - 1;
        if (&of->positions[i] == siblings)
            of_own = inner;
    }
    return spread_of(of_own, squares, freedom);
}

static struct spread spread_of_many(const struct comparison *comparison, const struct aspect *of,
                                    const struct siblings *siblings, struct others own)
{
    struct inner inner = inner_of(
        own.sorted, own.count,
        reach_of(of->spread, of->freedom, siblings->spread, mad_efficiency * (double)(siblings->count - 1)),
        siblings->far);
    double squares = inner.squares, freedom = (double)inner.count - 1;

    for (size_t i = 0; i < comparison->position_count; i++)
        if (&of->positions[i] != siblings && of->positions[i].inner.count > 0) {
            squares += of->positions[i].inner.squares;
            freedom += (double)of->positions[i].inner.count - 1;
        }
    return spread_of(inner, squares, freedom);
}

/* How many of sorted values lie further below the middle than that, and how many do not lie further above it. */
static size_t count_below(const double *sorted, size_t count, double middle, double reach)
{
    size_t from = 0;

    while (from < count) {
        size_t half = from + (count - from) / 2;

        if (middle - sorted[half] > reach)
            from = half + 1;
        else
            count = half;
    }
    return from;
}

static size_t count_not_above(const double *sorted, size_t count, double middle, double far)
{
    size_t from = 0;

    while (from < count) {
        size_t half = from + (count - from) / 2;

        if (sorted[half] - middle > far)
            count = half;
        else
            from = half + 1;
    }
    return from;
}

/*
 * Whether spread_of_many would find the subject less far below its siblings' level than the fastest is above, which is what
 * nearly all of many are. By sums, so that it takes no look at each of them; what is so close that the order of adding
 * could decide is not passed over. level: the subject's, middle: of the others.
 */
static bool is_among_many(const struct aspect *of, const struct siblings *siblings, double level,
                          double middle, double now)
{
    const double rounding = 1e-9;
    double reach =
        reach_of(of->spread, of->freedom, siblings->spread, mad_efficiency * (double)(siblings->count - 1));
    size_t first = count_below(siblings->sorted, siblings->count, middle, reach);
    size_t end = count_not_above(siblings->sorted, siblings->count, middle, siblings->far);
    size_t count = end > first ? end - first : 0;
    double sum;

    /* Of few the middle itself may be out of reach, and counts all the same. */
    if (count <= PEERS_LEAST || first >= siblings->count / 2)
        return false;
    sum = siblings->sums[end] - siblings->sums[first];
    if (level >= siblings->sorted[first] && level <= siblings->sorted[end - 1]) {
        sum -= level;
        count--;
    }
    return sum / (double)count - now < of->fastest - rounding;
}

static struct standing standing_in(const struct comparison *comparison, size_t subject, size_t aspect,
                                   struct score score)
{
    const struct aspect *of = &comparison->aspects[aspect];
    const struct siblings *siblings = &of->positions[comparison->problem->positions[subject]];
    struct standing standing = {.aspect = aspect};
    bool few = of->pairs <= PAIRS_MOST && comparison->position_count <= PAIRS_MOST;
    struct others others;
    struct spread spread;
    double level, middle, parts, needed;

    if (isnan(score.level) || siblings->count <= PEERS_LEAST)
        return standing;
    standing.siblings = siblings->count - 1;
    level = comparison->scores[subject * (comparison->problem->aspect_count + 1) + aspect].level;
    middle = median_of_others(siblings->sorted, siblings->count, level);
    standing.below = middle - score.level;
    if (standing.below <= 0 || (!few && is_among_many(of, siblings, level, middle, score.level)))
        return standing;
    others = others_of(siblings, level, comparison->scratch);
    spread = few ? spread_of_few(comparison, of, siblings, others)
                 : spread_of_many(comparison, of, siblings, others);
    spread.sigma = fmax(spread.sigma, PEERS_RESOLUTION);
    parts = (double)of->most / score.n;
    standing.error = spread.sigma * sqrt(parts + median_variance / (double)standing.siblings);
    needed = robust_student(comparison->deviations_needed[aspect == comparison->problem->aspect_count],
                            spread.freedom) *
             spread.sigma * sqrt(parts + spread.variance);
    standing.out = spread.level - score.level >= fmax(needed, of->fastest) &&
                   standing.below + upper_bound * standing.error >= of->remark;
    standing.fails =
        standing.out && standing.below - fmax(lower_bound * standing.error, of->fastest) >= of->fail;
    return standing;
}

/* In the aspect in which it stands out most, of what nobody else explains. */
static struct standing standing_of(const struct comparison *comparison, size_t subject)
{
    size_t aspects = comparison->problem->aspect_count;
    struct score *scores = comparison->scores_now;
    struct standing worst = {0};

    for (size_t i = 0; i < aspects; i++)
        scores[i] = score_of(comparison, subject, i);
    scores[aspects] = score_together(comparison, scores);
    for (size_t i = 0; i <= aspects; i++) {
        struct standing standing = standing_in(comparison, subject, i, scores[i]);

        if (standing.out &&
            (!worst.out || standing.fails > worst.fails ||
             (standing.fails == worst.fails && standing.below / standing.error > worst.below / worst.error)))
            worst = standing;
    }
    return worst;
}

/* The value at which a finding is laid: owed, begun by the subject, and the furthest off, in this order. sign: 1 where it is
   slow, -1 where it is fast. */
static bool is_better_place(const struct comparison *comparison, size_t subject, double sign, size_t value,
                            size_t than)
{
    const struct peers_value *a = &comparison->problem->values[value];
    const struct peers_value *b = than != PEERS_NONE ? &comparison->problem->values[than] : NULL;

    if (b == NULL || a->owed != b->owed)
        return b == NULL || a->owed;
    if ((a->subjects[0] == subject) != (b->subjects[0] == subject))
        return a->subjects[0] == subject;
    return sign * comparison->deviations[value] < sign * comparison->deviations[than];
}

/* Whether the value speaks of the subject in the aspect, and nobody else explains it. */
static bool counts_in(const struct comparison *comparison, size_t value, size_t aspect)
{
    return !comparison->explained[value] && (aspect == comparison->problem->aspect_count ||
                                             comparison->problem->values[value].aspect == aspect);
}

static void add_finding(const struct comparison *comparison, size_t subject, const struct standing *standing,
                        struct peers_findings *findings)
{
    struct peers_finding *finding = list_push(comparison->arena, &findings->findings);
    bool fast = standing->below < 0;

    *finding = (struct peers_finding){.subject = subject,
                                      .other = PEERS_NONE,
                                      .aspect = standing->aspect,
                                      .value = PEERS_NONE,
                                      .below = 1 - exp(-standing->below),
                                      .error = standing->error * exp(-standing->below),
                                      .siblings = standing->siblings,
                                      .fails = standing->fails};
    for (size_t i = comparison->first[subject]; i < comparison->first[subject + 1]; i++) {
        size_t value = comparison->of_subject[i];

        if (!(fast ? comparison->problem->values[value].aspect == standing->aspect
                   : counts_in(comparison, value, standing->aspect)))
            continue;
        finding->values++;
        if (is_better_place(comparison, subject, fast ? -1 : 1, value, finding->value))
            finding->value = value;
    }
    finding->deviation = comparison->deviations[finding->value];
    /* That one is fast explains nothing: it may be slow with another. */
    for (size_t i = comparison->first[subject]; !fast && i < comparison->first[subject + 1]; i++)
        comparison->explained[comparison->of_subject[i]] = true;
}

struct candidate {
    size_t subject;
    double below;
};

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *left = a, *right = b;

    if (left->below != right->below)
        return left->below > right->below ? -1 : 1;
    return (left->subject > right->subject) - (left->subject < right->subject);
}

/* The mean, into which each partner goes: whoever is slow himself has more slow values than whoever has slow partners,
   even where most of those are. */
static double mean_below(const struct comparison *comparison, size_t subject, size_t aspect)
{
    double sum = 0;
    size_t count = 0;

    for (size_t i = comparison->first[subject]; i < comparison->first[subject + 1]; i++)
        if (counts_in(comparison, comparison->of_subject[i], aspect)) {
            sum -= comparison->deviations[comparison->of_subject[i]];
            count++;
        }
    return count > 0 ? sum / (double)count : 0;
}

/* The slowest first: what it took part in says nothing of the others any more. */
static void name_slow(const struct comparison *comparison, struct peers_findings *findings)
{
    LIST_OF(struct candidate) candidates = {0};

    for (size_t i = 0; i < comparison->problem->subject_count; i++) {
        struct standing standing = standing_of(comparison, i);

        if (standing.out)
            *list_push(comparison->arena, &candidates) =
                (struct candidate){i, mean_below(comparison, i, standing.aspect)};
    }
    if (candidates.count > 0)
        qsort(candidates.items, candidates.count, sizeof *candidates.items, compare_candidates);
    for (size_t i = 0; i < candidates.count; i++) {
        struct standing standing = standing_of(comparison, candidates.items[i].subject);

        if (standing.out)
            add_finding(comparison, candidates.items[i].subject, &standing, findings);
    }
}

static bool is_named(const struct peers_findings *findings, size_t subject)
{
    list_each (finding, findings->findings)
        if (finding->subject == subject && finding->other == PEERS_NONE)
            return true;
    return false;
}

/* In the one aspect in which it is furthest above its siblings. A slow one was named as that. */
static void name_fast(const struct comparison *comparison, size_t subject, struct peers_findings *findings)
{
    size_t aspects = comparison->problem->aspect_count;
    struct standing furthest = {.below = 0};

    for (size_t i = 0; i < aspects; i++) {
        const struct siblings *siblings =
            &comparison->aspects[i].positions[comparison->problem->positions[subject]];
        double level = comparison->scores[subject * (aspects + 1) + i].level, above;

        if (isnan(level) || siblings->count <= PEERS_LEAST)
            continue;
        above = level - median_of_others(siblings->sorted, siblings->count, level);
        if (above > siblings->far && -above < furthest.below)
            furthest = (struct standing){.below = -above,
                                         .error = fmax(comparison->aspects[i].spread, PEERS_RESOLUTION),
                                         .siblings = siblings->count - 1,
                                         .aspect = i,
                                         .out = true};
    }
    if (furthest.out && !is_named(findings, subject))
        add_finding(comparison, subject, &furthest, findings);
}

/* Half of the false findings to all aspects together, where there are any, and half to each alone: most of what is slow is so in
   all, and of a dozen the one score of all would else have a thirteenth (weighted Bonferroni: Genovese, Roeder and Wasserman 2006,
   Biometrika 93:3). */
static void share_false_findings(struct comparison *comparison)
{
    size_t stride = comparison->problem->aspect_count + 1, families[2] = {0};

    for (size_t i = 0; i < comparison->problem->subject_count * stride; i++)
        families[i % stride == stride - 1] += !isnan(comparison->scores[i].level);
    for (size_t i = 0; i < ARRAY_SIZE(families); i++)
        comparison->deviations_needed[i] =
            robust_deviation_at(false_findings_in_a_run / (families[1] > 0 ? 2 : 1) /
                                (double)(families[i] > 0 ? families[i] : 1));
}

static void score_all(struct comparison *comparison)
{
    const struct peers_problem *problem = comparison->problem;
    size_t stride = problem->aspect_count + 1;

    for (size_t aspect = 0; aspect < problem->aspect_count; aspect++) {
        for (size_t i = 0; i < problem->subject_count; i++)
            comparison->scores[i * stride + aspect] = score_of(comparison, i, aspect);
        measure_spread(comparison, aspect);
    }
    for (size_t i = 0; i < problem->subject_count; i++)
        comparison->scores[i * stride + problem->aspect_count] =
            score_together(comparison, &comparison->scores[i * stride]);
    measure_spread(comparison, problem->aspect_count);
    share_false_findings(comparison);
    for (size_t i = 0; i <= problem->aspect_count; i++)
        measure_inner(comparison, i);
}

/* Also in one aspect the thresholds of all of them, where together they are asked for. */
static void take_thresholds(struct comparison *comparison)
{
    const struct peers_problem *problem = comparison->problem;
    struct aspect *together = &comparison->aspects[problem->aspect_count];

    for (size_t i = 0; i < problem->aspect_count; i++) {
        struct aspect *aspect = &comparison->aspects[i];

        aspect->remark = -log1p(-problem->aspects[i].remark);
        aspect->fail = -log1p(-problem->aspects[i].fail);
        together->remark = fmax(together->remark, aspect->remark);
        together->fail = fmax(together->fail, aspect->fail);
    }
}

static struct comparison comparison_of(struct arena *arena, const struct peers_problem *problem)
{
    struct comparison comparison = {
        .arena = arena,
        .problem = problem,
        .deviations = arena_array(arena, double, problem->value_count + 1),
        .explained = arena_array(arena, bool, problem->value_count + 1),
        .aspects = arena_array(arena, struct aspect, problem->aspect_count + 1),
        .scores = arena_array(arena, struct score, problem->subject_count * (problem->aspect_count + 1) + 1),
        .scores_now = arena_array(arena, struct score, problem->aspect_count + 1),
        .scratch = arena_array(arena, double, problem->value_count + 1),
    };

    for (size_t i = 0; i < problem->subject_count; i++)
        if (problem->positions[i] >= comparison.position_count)
            comparison.position_count = problem->positions[i] + 1;
    take_thresholds(&comparison);
    return comparison;
}

/* --- pairs -------------------------------------------------------------------------------------------------------- */

struct pair {
    size_t low, high; /* subjects, or positions */
    size_t value;     /* or subject */
};

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *left = a, *right = b;

    if (left->low != right->low)
        return left->low < right->low ? -1 : 1;
    if (left->high != right->high)
        return left->high < right->high ? -1 : 1;
    return (left->value > right->value) - (left->value < right->value);
}

static struct pair ordered(size_t a, size_t b, size_t value)
{
    return (struct pair){a < b ? a : b, a < b ? b : a, value};
}

/* Numbers equal pairs alike, in their order; the number of each goes where its value says. */
static size_t number_pairs(struct pair *pairs, size_t count, size_t *ret_numbers)
{
    size_t number = 0;

    qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (size_t i = 0; i < count; i++) {
        number += i > 0 && (pairs[i].low != pairs[i - 1].low || pairs[i].high != pairs[i - 1].high);
        ret_numbers[pairs[i].value] = number;
    }
    return count > 0 ? number + 1 : 0;
}

/* The problem of the pairs: each is a subject of its own, and alone. pairs: of the values that remain. */
static void pose_pairs(const struct comparison *whole, struct pair *pairs, size_t count,
                       struct peers_problem *ret_problem, double **ret_deviations)
{
    const struct peers_problem *problem = whole->problem;
    struct arena *arena = whole->arena;
    size_t *numbers = arena_array(arena, size_t, problem->value_count + 1);
    size_t pair_count = number_pairs(pairs, count, numbers);
    struct pair *ends = arena_array(arena, struct pair, pair_count);
    struct peers_value *values = arena_array(arena, struct peers_value, count);
    size_t *positions = arena_array(arena, size_t, pair_count);

    *ret_deviations = arena_array(arena, double, count);
    for (size_t i = 0; i < count; i++) {
        size_t number = numbers[pairs[i].value];

        values[i] = problem->values[pairs[i].value];
        values[i].subjects[0] = number;
        values[i].subjects[1] = PEERS_NONE;
        (*ret_deviations)[i] = whole->deviations[pairs[i].value];
        ends[number] = ordered(problem->positions[pairs[i].low], problem->positions[pairs[i].high], number);
    }
    number_pairs(ends, pair_count, positions);
    *ret_problem = *problem;
    ret_problem->subject_count = pair_count;
    ret_problem->positions = positions;
    ret_problem->values = values;
    ret_problem->value_count = count;
}

static void compare_scores(struct comparison *comparison, struct peers_findings *findings)
{
    index_values(comparison);
    score_all(comparison);
    name_slow(comparison, findings);
}

/* Of the values of two that no slow subject explains. */
static void name_slow_pairs(const struct comparison *whole, struct peers_findings *findings)
{
    const struct peers_problem *problem = whole->problem;
    struct pair *pairs = arena_array(whole->arena, struct pair, problem->value_count + 1);
    size_t count = 0, begun = findings->findings.count;
    struct peers_problem of_pairs;
    struct comparison comparison;
    double *deviations;

    for (size_t i = 0; i < problem->value_count; i++)
        if (problem->values[i].subjects[1] != PEERS_NONE && !isnan(whole->deviations[i]) &&
            !whole->explained[i])
            pairs[count++] = ordered(problem->values[i].subjects[0], problem->values[i].subjects[1], i);
    if (count == 0)
        return;
    pose_pairs(whole, pairs, count, &of_pairs, &deviations);
    comparison = comparison_of(whole->arena, &of_pairs);
    comparison.deviations = deviations;
    compare_scores(&comparison, findings);
    for (size_t i = begun; i < findings->findings.count; i++) {
        struct peers_finding *finding = &findings->findings.items[i];

        finding->value = pairs[finding->value].value;
        finding->subject = problem->values[finding->value].subjects[0];
        finding->other = problem->values[finding->value].subjects[1];
    }
}

void peers_compare(struct arena *arena, const struct peers_problem *problem,
                   struct peers_findings *ret_findings)
{
    struct comparison comparison = comparison_of(arena, problem);

    *ret_findings = (struct peers_findings){0};
    measure_deviations(&comparison);
    compare_scores(&comparison, ret_findings);
    name_slow_pairs(&comparison, ret_findings);
    for (size_t i = 0; i < problem->subject_count; i++)
        name_fast(&comparison, i, ret_findings);
}

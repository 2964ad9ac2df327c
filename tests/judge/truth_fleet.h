/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fleet of the suite `delivery` (of assay's own probe: `gpu`) on hgx-h100 in memory, to measure the judge on: its plan, limits and peer rules are those
 * the program has, and the judge is the real one. Made up are only the values.
 *
 * A value lies at its nominal (truth_fleet.c: the middle of what the baseline's sources measured), times the part that it
 * speaks of (a GPU, the path between two, a host, a port, a leaf's uplinks), times noise of its own:
 *
 *     nominal * exp(spread * x_part + noise * x_value) * (1 - loss_part)        x: normal, standard deviation 1
 *
 * so `spread` is a standard deviation too, which is the hard reading of "parts of a batch spread 1 to 5%"; with
 * `within` parts lie evenly within so much of each other instead. What is better when it is less is divided.
 */
#ifndef ASSAY_TESTS_JUDGE_TRUTH_FLEET_H
#define ASSAY_TESTS_JUDGE_TRUTH_FLEET_H

#include "assay/judge/judge.h"
#include "big_run.h"

#define TRUTH_NONE ((size_t)-1)

/* How a part is found: it fails or is remarked on, by whatever rule; the same by the comparison of peers; it fails. */
enum truth_way { TRUTH_NAMED, TRUTH_BY_PEERS, TRUTH_FAILED, TRUTH_WAYS };

struct truth_part {
    size_t step;            /* the first that speaks of it */
    double factor, loss;    /* factor: logarithm, drawn; loss: a fraction */
    bool found[TRUTH_WAYS]; /* in the last judgement */
};

struct truth_value {
    double *number; /* of the measurement */
    double nominal, sign;
    double most; /* INFINITY: it may be any */
    double
        measured; /* standard deviation, as a fraction, of the healthy ones that its sources measured; 0: not told */
    double share;          /* of the scatter that is asked for, as drawn */
    size_t parts[2];       /* [1]: the slower of two parts makes it; TRUTH_NONE */
    const double *copy_of; /* another value of the part that the check repeats; NULL */
    double noise;          /* logarithm, drawn */
};

struct truth_fleet {
    struct big_run run;
    LIST_OF(struct truth_part) parts;
    LIST_OF(struct truth_value) values;
    size_t (*of_item)[2]; /* the parts of each item of the plan, in its order */
    size_t leaves;        /* 0: its parts are no leaves */
    struct judgement judgement;
};

struct truth_scatter {
    double noise, spread;
    bool within;
    /* No number scatters more than the healthy ones that its sources measured, where they measured several: noise and
       spread of it are made less by one factor. Else healthy hosts would be drawn that nobody has ever seen. */
    bool as_measured;
};

/* hosts_per_leaf 0: no leaf is declared. steps as in big_run_plan. Of their items only those whose values scatter stay:
   what is no number cannot be slow. An attempt of each step is there, all at their nominal. */
void truth_fleet_make(struct arena *arena, size_t hosts, size_t hosts_per_leaf, const char *suite,
                      const char *const *steps, struct truth_fleet *ret_fleet);
/* Other parts and another run; no part has a loss then. */
void truth_fleet_draw(struct truth_fleet *fleet, const struct truth_scatter *scatter, uint64_t *random);
/* Writes the values as parts and losses now are, and judges; everything of the judgement in the arena. */
void truth_fleet_judge(struct truth_fleet *fleet, struct arena *arena);

/* "bench truth NAME.WHAT value=..." aim: "<=" or ">=" with a number; NULL: none. */
enum truth_aim { AIM_NONE, AIM_MOST, AIM_LEAST };
void truth_figure(const char *name, const char *what, double value, const char *unit, enum truth_aim kind,
                  double aim);

/* truth_defects.c: each defect on so many hosts. only: those with this in their names; NULL: all. */
void truth_defects(size_t hosts, const char *only);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which tests to repeat tonight, and on which hosts: those that are expected to find most defects for an hour of a host.
 * Pure: looks in, a choice out. It chooses tests; it never says that a host is healthy, for what nobody tests nobody knows.
 *
 * The model. A defect of a class k arises on a host h at a rate, its hazard H(h, k); it stays until a test that sees it looks,
 * or until it shows itself in somebody's job. Of the defects of a class a test t sees a share, its coverage C(t, k), and a
 * defect that it has not seen once it does not see the next time either: so only its last look counts, and looking again at
 * once is worth nothing.
 *
 *   hidden      u(h, k) = H integral over ages s of exp(-s / W) product over t that looked since (1 - C(t, k)) ds: the expected
 *               number of defects that are there now and that nobody has seen. Their probability is 1 - exp(-u).
 *   found       the same with each age's share that at least one of the chosen tests sees and that has not looked since:
 *               m(h, k). The value of a choice is the sum over hosts and classes of 1 - exp(-m).
 *   choice      of the tests that are left, each with the tests that it needs, the one with most value for an hour of a host,
 *               again and again, as long as it fits the hours. The value is monotone and submodular (a test finds less, the
 *               more others were chosen), and for such a sum this greedy choice is worth at least 1 - 1/e of the best one for
 *               the hours that it took, where single tests are short beside the hours (Nemhauser, Wolsey, Fisher 1978; with
 *               costs: Khuller, Moss, Naor 1999). Tests that need others weaken that bound; in practice it is nearly the best.
 *               First of all are repeated the tests that failed on a host and have not passed since: they prove its repair.
 *   groups      hosts with different tests are different runs. Where there would be too many, the choice is made again among the
 *               sets of tests that found most in the first one: near the best, without a bound.
 *   hazard      Gamma-Poisson, from all hosts to the platform to the host, each the prior of the next:
 *                 all         (1 + N) / (1 / P + T): N defects found in T host hours, P the public rate, which weighs as one
 *                             defect does
 *                 platform    (4 + n) / (4 / all + t)
 *                 host        (b + n) / (b / platform + t); b, how alike hosts are, by the method of moments out of the counts:
 *                             sum mu^2 / sum((n - mu)^2 - mu), mu = platform t; within 0.05 (few lemons have nearly all
 *                             defects) and 100 (all alike); 1 where fewer than 5 defects tell.
 *               T and t count hours by the age of the host: those of an age in which g times as many defects arose as in all
 *               count g times. g = (10 + N) / (10 + expected), for hosts of less than 30, 30 to 180, and more days. A host's
 *               age counts from the first run that looked at it. What its first look finds was there before, and is no rate.
 *   coverage    (4 c + seen) / (4 + looked), at most 0.95: of the defects that were there when it looked, those it saw. c is what
 *               is assumed before, of the n tests alike together: those that load the host see 0.8 of the classes that their
 *               own gates are about, those that only read 0.4; each 1 - (1 - that)^(1/n), of other classes 0. That of a test
 *               which alone looks becomes too high; what it cannot have seen then gathers as hidden for the tests that have
 *               not looked, until one of them is worth its hours.
 *
 * Constants. P is by class from Llama 3 [1], table 5: interruptions of 2,048 hosts (16,384 H100) in 54 days, 2,654,208 host hours:
 *   GPU 268 (faulty GPU 148, HBM3 72, SRAM 19, system processor 17, silent data corruption 6, thermal 6), network 42 (switch
 *   and cable 35, NIC 7), drive 3 (SSD), host 43 (unplanned maintenance 32, power supply 3, chassis 2, I/O board 2, CPU 2,
 *   memory 2). Software is left out. That is 3.2 defects in 1,000 host days; [2] has 6.50 and 2.34 failures on its two clusters.
 *   They are interruptions of a training, and stand for defects that tests find because nobody has published those.
 *   That hosts differ, few of them having many of the defects, is what [2] calls lemons; that a choice by history finds most defects in
 *   a part of the hours is the selector of [3], which learns a survival model where this counts.
 *   W = 30 days, the weights 1, 4, 10 and 4, and c are assumptions, without a source; counts of one's own outweigh all but W.
 *
 * [1] Llama 3, arXiv:2407.21783. [2] Kokolis et al. 2024, Revisiting Reliability in Large-Scale Machine Learning Research Clusters,
 * arXiv:2410.21680. [3] Xiong et al. 2024, SuperBench, USENIX ATC.
 *
 * What it leaves out: tests across hosts (it chooses among those of one host each), which GPU or adapter of a host it was, and parts
 * that moved: a host is its name. scripts/bench periodic replays synthetic years of it.
 */
#ifndef ASSAY_PERIODIC_H
#define ASSAY_PERIODIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay/base/arena.h"
#include "assay/model/reason.h"

/* What a defect is of. */
enum periodic_class {
    PERIODIC_GPU, /* with its memory and its links within the host */
    PERIODIC_NETWORK,
    PERIODIC_DRIVE,
    PERIODIC_HOST, /* the rest of it, settings and software too */
    PERIODIC_CLASSES
};
const char *periodic_class_name(enum periodic_class class); /* "GPU" */
/* By the gate that failed: "ecc.volatile.uncorrected" is of a GPU. false: of no class by itself, such as "sound". */
bool periodic_class_of(const char *metric, enum periodic_class *ret_class);
/* Defects an hour of a host, by public rates. */
double periodic_public_rate(enum periodic_class class);

enum { PERIODIC_AGES = 3 };
/* Sets of tests are bits. */
enum { PERIODIC_TESTS_MOST = 64 };
typedef uint64_t periodic_set;

struct periodic_test {
    const char *step, *check;
    unsigned own;       /* classes that its own gates are about: 1 << class, or-ed */
    bool loads;         /* it loads the host; else it only reads */
    double expected_h;  /* hours of one host, before anything was measured */
    periodic_set needs; /* with what these need */
    size_t measured;    /* how often it was timed, */
    double measured_h;  /* and the hours of all these */
    unsigned looked[PERIODIC_CLASSES], seen[PERIODIC_CLASSES]; /* defects that were there when it looked */
};

/* Of one class on one host. */
struct periodic_past {
    double first, last;            /* looks, Unix time, s; 0: none */
    unsigned found[PERIODIC_AGES]; /* without those of the first look */
    bool open;                     /* one was found, and the tests that saw it have not passed since */
    double since;
    periodic_set looked, saw; /* that one: who looked while it was there */
};
struct periodic_host {
    const char *name;
    size_t platform;      /* hosts of one have the same number, from 0 */
    periodic_set applies; /* tests that may run there */
    double first;         /* look of any, Unix time, s; 0: none */
    struct periodic_past past[PERIODIC_CLASSES];
    double (*last)[PERIODIC_CLASSES]; /* of each test, its last look without a doubt, s; 0: none */
};
struct periodic_fleet {
    struct arena *arena;
    LIST_OF(struct periodic_test) tests;
    LIST_OF(struct periodic_host) hosts;
    size_t platforms;
    size_t runs; /* that looked at one of the hosts with one of the tests */
    double first, last;
};

/* All tests first, then hosts; each returns its index. At most PERIODIC_TESTS_MOST tests. */
struct periodic_fleet *periodic_create(struct arena *arena) __attribute__((returns_nonnull));
size_t periodic_add_test(struct periodic_fleet *fleet, const struct periodic_test *test);
size_t periodic_add_host(struct periodic_fleet *fleet, const char *name, size_t platform,
                         periodic_set applies);

/* What one run saw with one test on one host: a class that neither failed nor passed is in doubt, and nothing is learnt of it. */
struct periodic_look {
    size_t host, test;
    unsigned failed, passed; /* classes: 1 << class, or-ed */
};
/* A run, in the order of their times: all its looks, of one host one after the other. */
void periodic_take(struct periodic_fleet *fleet, double at, const struct periodic_look *looks, size_t count);
void periodic_take_time(struct periodic_fleet *fleet, size_t test, double hours);

struct periodic_rates {
    double now; /* s */
    double all[PERIODIC_CLASSES], spread[PERIODIC_CLASSES] /* b */, age[PERIODIC_AGES] /* g */;
    unsigned found[PERIODIC_CLASSES];
    double hours[PERIODIC_CLASSES];    /* of hosts that were watched for it */
    double (*host)[PERIODIC_CLASSES];  /* by the host's age now; defects an hour */
    double (*cover)[PERIODIC_CLASSES]; /* of each test */
    double *cost_h;                    /* of each test: mean of what was measured, else as expected */
};
void periodic_estimate(struct arena *arena, const struct periodic_fleet *fleet, double now,
                       struct periodic_rates *ret_rates);

/* How long a defect stays hidden that nobody looks for, h: W. */
#define PERIODIC_HIDDEN_H 720.0

struct periodic_pick {
    size_t host, test;
    double found;  /* expected defects that it adds to the tests before it on its host */
    bool is_again; /* it failed there and has not passed since; found counts nothing that is known */
};
struct periodic_choice {
    LIST_OF(struct periodic_pick) picks; /* those that find most first */
    periodic_set *of_host;               /* by host */
    double hours;                        /* host hours of the picks */
    double found;                        /* expected defects */
    double all_hours, all_found;         /* of every test on every host */
    double hidden;                       /* that are expected to be there now */
};
/* Of every test on every host. */
double periodic_all_hours(const struct periodic_fleet *fleet, const struct periodic_rates *rates);
/* Within so many host hours. groups: so many different sets of tests at most, 0 for any number; hosts whose repair is to be proven may
   have others besides. */
void periodic_choose(struct arena *arena, const struct periodic_fleet *fleet,
                     const struct periodic_rates *rates, double hours, size_t groups,
                     struct periodic_choice *ret_choice);

/* A test of tonight: on which hosts, and why in a sentence. The most defects an hour first. */
struct periodic_row {
    size_t test;
    LIST_OF(const char *) hosts; /* the order in which they were picked */
    double hours, found;         /* of all of them */
    const struct reason *why;
};
/* Hosts with the same tests: one suite and one run. The most hosts first. */
struct periodic_group {
    periodic_set tests;
    LIST_OF(const char *) hosts; /* in the fleet's order */
    double hours;
};
struct periodic_tonight {
    LIST_OF(struct periodic_row) rows;
    LIST_OF(struct periodic_group) groups;
    LIST_OF(const struct reason *) notes; /* what it rests on, what it leaves out, what is known to be bad */
};
void periodic_say(struct arena *arena, const struct periodic_fleet *fleet, const struct periodic_rates *rates,
                  const struct periodic_choice *choice, struct periodic_tonight *ret_tonight);

#endif

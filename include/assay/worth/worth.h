/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a measured cluster is worth: how many days a training takes on it, what bounds its speed, what it draws, how often
 * it is interrupted. Pure: numbers in, numbers out. Every number says where it is from: measured by the run, given by who
 * asks, declared by the platform, published, or assumed. What was not measured is missing from the answer and named; no
 * datasheet stands in for it. The peak of a part is used for MFU alone, which is defined by it.
 *
 * The model, of dense decoder-only transformers; SI units within.
 *
 *   work        C = F D; F = 6 N_a + 12 L h s FLOP a token [1, 2]. D tokens; N_a parameters that a token activates, all
 *               of a dense model; L layers of width h, sequences of s tokens. Without L, h, s the second term is left out.
 *   compute     Tc = F B / (n R) for a batch of B tokens on n GPUs. R is the GEMM rate of the slowest GPU that was measured,
 *               at its worst: a synchronous step is as fast as its slowest GPU.
 *   exchange    Tx = N / m min(m, k) (g / bus_rs + p / bus_ag) (d - 1) / d: gradients reduce-scattered (g = 4 B, fp32),
 *               parameters all-gathered (p = 2 B, bf16) [3] among the d = n / m replicas of a model that is split over m
 *               GPUs; bus_*: the bus bandwidth at the largest scale that was measured, as nccl-tests defines it [4]: all
 *               adapters of a host work for it. So between hosts the k GPUs of one that hold different parts share it;
 *               within one host k is 1. Of the two the one that was measured stands for both, and an all-reduce, which
 *               trees and switches may speed up, where neither was. What a step computes hides what it exchanges, all of it
 *               at best: the rest is max(0, Tx - Tc). Exchange within the m GPUs (tensor, pipeline, experts) is not in it, but
 *               in e below.
 *   optimizer   To = 30 N / (n H): Adam reads gradient, parameter and two moments in fp32, writes the latter three and bf16,
 *               at the HBM rate H of the slowest GPU.
 *   ceiling     A = F B / (n (Tc + max(0, Tx - Tc) + To)) FLOP/s a GPU; MFU A / peak, dense, without sparsity.
 *   achieved    e A. e is what public trainings reached of the GEMM rate of such GPUs: 0.35 (Llama 3.1 70B, all hours of its
 *               card [5]) to 0.59 (Llama 3.1 405B on 8,192 GPUs, 430 of 730 TFLOP/s [6, 7]). Mixtures of experts: from
 *               0.25 (DeepSeek-V3, of the fp8 rate [8, 9]). It is the interval of every answer.
 *   split       m, unless given: the least power of two for which 6 N / m + 12 N / n bytes [3] fill at most half of a GPU's
 *               memory; the other half is for activations.
 *   goodput     1 - (c / t + (t / 2 + r) / M): checkpoints that take c every t = sqrt(2 c M) [10, 11], r to be back at work,
 *               and M = X / n between interruptions of a job on n GPUs. X, unless given: 16,384 * 54 * 24 h / 419 = 50,677 h
 *               of one GPU (Llama 3 [6]: 419 unexpected interruptions). c = 10 s and r = 600 s unless given: with these
 *               it is 0.90 on 16,384 GPUs, where [6] says that over 90% was effective.
 *   time        C / (n e A) / goodput.
 *   energy      (n P + hosts W) time PUE. P is the mean over GPUs of what each drew within gpu-compute's products, else of the
 *               largest power that was sampled in this run (gpu-burn): no training draws more where the tensor cores were loaded. Less
 *               than half of the power limit is no load, and no energy is told by it. W, what a host draws beside its GPUs, and PUE are given, or left out and said so.
 *
 * [1] Kaplan 2020, arXiv:2001.08361. [2] PaLM, arXiv:2204.02311, appendix B; causal masks are not deducted. [3] Megatron Core,
 * distributed optimizer: 6 + 12 / d bytes a parameter, fp32 gradients; ZeRO, arXiv:1910.02054. [4] nccl-tests
 * doc/PERFORMANCE.md. [5] card of Llama 3.1: 7.0 M H100 hours for 70B and 15 T tokens. [6] Llama 3, arXiv:2407.21783, tables 4, 5,
 * section 3.3.4. [7] H100 bf16, 8192 cubed: gpu-fryer@704ba85. [8] DeepSeek-V3, arXiv:2412.19437: 2.664 M H800 hours for 37 B
 * activated parameters and 14.8 T tokens. [9] H100 fp8 1377 TFLOP/s: Azure/AI-benchmarking-guide@8fd0c6e. [10] Young 1974, CACM 17,
 * 530. [11] Daly 2006, FGCS 22, 303.
 *
 * docs/guide/worth.md holds it against public trainings, also those that it misses.
 */
#ifndef ASSAY_WORTH_H
#define ASSAY_WORTH_H

#include "assay/base/error.h"
#include "assay/model/part.h"
#include "assay/model/record.h"

enum worth_type {
    WORTH_BF16 = PART_BF16,
    WORTH_FP16 = PART_FP16,
    WORTH_FP8 = PART_FP8,
    WORTH_TF32 = PART_TF32,
    WORTH_TYPES = PART_TF32 + 1 /* no training is in FP32 or FP64 */
};
enum worth_origin {
    WORTH_NOT_MEASURED,
    WORTH_MEASURED,
    WORTH_GIVEN,
    WORTH_DECLARED, /* by the platform */
    WORTH_PUBLISHED,
    WORTH_ASSUMED
};
/* What is measured. A quantity is of each GPU (the slowest counts; of the power the mean), or of a test over hosts. */
enum worth_quantity {
    WORTH_GEMM,           /* TFLOP/s of a GPU */
    WORTH_HBM,            /* GB/s */
    WORTH_REDUCE_SCATTER, /* bus bandwidth, GB/s */
    WORTH_ALL_GATHER,
    WORTH_POWER,  /* W */
    WORTH_MEMORY, /* GiB */
    WORTH_QUANTITIES
};

const char *worth_type_name(enum worth_type type); /* "bf16" */
bool worth_type_find(const char *name, enum worth_type *ret_type);
const char *worth_origin_name(enum worth_origin origin);       /* "not measured" */
const char *worth_quantity_key(enum worth_quantity quantity);  /* "reduce_scatter" */
const char *worth_quantity_unit(enum worth_quantity quantity); /* "TFLOP/s" */
const char *worth_quantity_remedy(
    enum worth_quantity quantity); /* the check that measures it: "gpu-compute" */

struct worth_input {
    enum worth_origin origin;
    double value;                 /* NAN: not measured */
    double median;                /* over the GPUs that were measured; else value */
    const char *metric;           /* as the run calls it; NULL: it is not of the run */
    size_t gpus;                  /* that have a value, or that took part in the test */
    double size_bytes;            /* of the message; 0: none */
    const struct reason *caution; /* how far it may be used; NULL: as it is */
};

/* A run's numbers. */
struct worth_measured {
    struct worth_input gemm[WORTH_TYPES], inputs[WORTH_QUANTITIES]; /* GEMM stands in gemm alone */
    unsigned hosts, gpus; /* of the run, by platform, or by what was measured where no platform says it */
    const char *model;    /* the GPUs' name; NULL: not known, or of several kinds */
};

/* Judged runs; from outcomes that are a value (passed, failed or recorded) and from attempts. In the arena. */
void worth_measure(struct arena *arena, const struct record *record, struct worth_measured *ret_measured);
/* part_peak of the part: assay/model/part.h. */
double worth_peak(const char *model, enum worth_type type);
/* The type of a training in which GEMM was measured as such, by gpu-compute, the first of bf16, fp16, fp8. false: in none. */
bool worth_type_measured(const struct worth_measured *measured, enum worth_type *ret_type);

/* 0 is "not given" throughout. */
struct worth_question {
    double parameters, activated, tokens, batch_tokens;
    double layers, hidden, sequence; /* all or none */
    enum worth_type type;
    double gpus, model_parallel;
    double days; /* how many GPUs make it in so many? */
    double efficiency_low, efficiency_high;
    double gpu_mtbf_h, checkpoint_s, restart_s;
    double pue, host_watts;
    double peak_tflops;
    double given[WORTH_QUANTITIES]; /* in place of what was measured, in its unit */
};

struct worth_range {
    double low, high;
};
struct worth_value {
    enum worth_origin origin;
    double value;
};

struct worth_answer {
    const struct worth_question *question;
    struct worth_input inputs[WORTH_QUANTITIES];
    struct worth_value batch_tokens, gpus, model_parallel, gpu_mtbf_h, checkpoint_s, restart_s, pue,
        host_watts, peak;
    enum worth_origin efficiency_from;
    struct worth_range efficiency;
    bool mixture;                  /* of experts */
    double flop_token, flop_total; /* F and C */
    double steps;
    double compute_s, exchange_s, exposed_s,
        optimizer_s;                    /* of one step; NAN: not measured, and not in the ceiling */
    double ceiling_tflops, mfu_ceiling; /* mfu: NAN without a peak */
    double
        slowest_costs; /* share of the time that the slowest GPU costs beside the median one; NAN: not known */
    struct worth_range achieved_tflops, mfu;
    double interruptions_month, job_mtbf_h, checkpoint_every_s, goodput; /* a month: 30 days */
    struct worth_range days, gpu_hours, energy_mwh; /* energy NAN: no power was measured */
    struct worth_range
        gpus_needed;  /* low: at the high efficiency; NAN: no number of them does it, or not asked */
    double host_gpus; /* k: GPUs of a host; 1 where it is not known */
    bool host_gpus_known;
    bool beyond_measured; /* more GPUs than the exchange was measured over */
};

/* NULL; or why it is impossible, and then there is no answer. The reason lives in the arena, the answer holds the question. */
const struct reason *worth_answer(struct arena *arena, const struct worth_measured *measured,
                                  const struct worth_question *question, struct worth_answer *ret_answer)
    __attribute__((warn_unused_result));

/* "405B", "15.6T", "1e12", "16384": a number above 0 with K, M, B (or G), T behind it. name: for the error. */
int worth_number(const char *name, const char *word, double *ret_value, struct error *err)
    __attribute__((warn_unused_result));
/* The same way: "405B"; three digits. In the arena. */
const char *worth_amount(struct arena *arena, double value);
/* "0.4-0.6", "0.5": shares of 1. */
int worth_share_range(const char *name, const char *word, double *ret_low, double *ret_high,
                      struct error *err) __attribute__((warn_unused_result));

/* Trainings that a report tells without being asked. */
struct worth_example {
    const char *title; /* "8B, 15T tokens" */
    struct worth_question question;
};
const struct worth_example *worth_examples(size_t *ret_count);

/* The answer as sentences, in groups under headings. */
struct worth_line {
    const struct reason *name, *value;
    const struct reason *origin; /* where it is from; NULL: it follows from the others */
};
struct worth_lines {
    LIST_OF(struct worth_line) items;
};
/* What the run has of the quantities that a training of that type needs. */
void worth_say_inputs(struct arena *arena, const struct worth_measured *measured,
                      const struct worth_input inputs[WORTH_QUANTITIES], enum worth_type type,
                      struct worth_lines *ret_lines);
void worth_say_answer(struct arena *arena, const struct worth_answer *answer, struct worth_lines *ret_lines);
void worth_say_step(struct arena *arena, const struct worth_answer *answer, struct worth_lines *ret_lines);
/* "24.1 to 40.6 days on 1024 GPUs"; "12.1 to 20.4 MWh", NULL where no power was measured; "impossible: ...". */
const struct reason *worth_days_said(struct arena *arena, const struct worth_answer *answer);
const struct reason *worth_energy_said(struct arena *arena, const struct worth_answer *answer);
const struct reason *worth_refusal_said(struct arena *arena, const struct reason *refusal);

#endif

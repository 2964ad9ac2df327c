/* SPDX-License-Identifier: Apache-2.0 */
/* Silent data corruption: what is kept of the rounds, and found. See sdc.c. */
#ifndef ASSAY_PROBE_SDC_H
#define ASSAY_PROBE_SDC_H

#include "gpu.h"

struct sdc_error {
    unsigned gpu, sm; /* GPU_NO_SM: of the GPU as a whole */
    unsigned peer;    /* that it copied to; GPU_MOST: none */
    enum work_unit unit;
    uint64_t first_round, last_round, rounds; /* when it was wrong, and in how many rounds */
    unsigned word;                            /* the first that was wrong then */
    uint32_t got, expected, bits;             /* bits: all that were ever wrong */
};

enum { SDC_SEEDS = 16 /* what goes in comes back after so many rounds of a unit */ };

/* What each block has to answer. */
struct sdc_reference {
    uint64_t digest;
    bool set;
};

struct sdc {
    struct gpu_probe *probe;
    bool units[WORK_UNITS]; /* that are tried: asked for, and there */
    struct sdc_reference references[WORK_UNITS][SDC_SEEDS];
    struct sdc_error *errors;
    size_t error_count, error_capacity;
    uint32_t reached[GPU_MOST][GPU_SMS_MOST]; /* by which units: bits by their numbers */
    uint64_t rounds;                          /* that were begun and compared, of all units together */
    uint64_t unit_rounds[WORK_UNITS];
    uint64_t disagreed;            /* rounds in which no answer had the majority, and nobody could be named */
    enum work_unit disagreed_unit; /* of the first of them */
    struct gpu_answers answers;    /* of the last round */
};

struct sdc *sdc_create(struct gpu_probe *probe);
void sdc_free(struct sdc *sdc);
/* One round: a unit on all SMs, compared. -1 with err set where the backend failed. */
int sdc_round(struct sdc *sdc, struct error *err) __attribute__((warn_unused_result));
/* Until rounds or seconds are over. */
int sdc_run(struct sdc *sdc, struct error *err) __attribute__((warn_unused_result));
/* Of all seeds of the unit, as far as they are known: the same on every host with the same GPUs and build. */
uint64_t sdc_unit_digest(const struct sdc *sdc, enum work_unit unit);
/* SMs that each unit of SMs which had a round has reached: an SM has shown nothing of a unit that never ran on it. */
unsigned sdc_reached(const struct sdc *sdc, unsigned gpu);

#endif

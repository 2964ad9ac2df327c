/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong answers on purpose, and what the test for silent data corruption makes of them; for its test and its bench. */
#ifndef ASSAY_TEST_PROBE_FAULTS_H
#define ASSAY_TEST_PROBE_FAULTS_H

#include "sdc.h"

struct fault_counts {
    unsigned long tried, struck; /* struck: an answer was changed */
    unsigned long
        named; /* of these: the SM of that GPU is named, and the round in which it was first wrong */
    unsigned long others; /* somebody else was named, or nobody and the fault struck nobody */
};

/* count random faults on hosts of two GPUs with three SMs each: of 1 to 32 bits, of one lane or of all, of one unit or of
 * every one, from the first round on or a late one, in each round, now and then, or once in a million. */
void faults_try(unsigned long count, uint64_t seed, struct fault_counts *ret_counts);
/* So many rounds without a fault; how often anybody was named. */
unsigned long healthy_rounds(unsigned long rounds);

#endif

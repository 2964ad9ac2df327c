/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers for simulations: splitmix64, whose whole state is one number, so that a trial is its seed. */
#ifndef ASSAY_TESTS_JUDGE_DICE_H
#define ASSAY_TESTS_JUDGE_DICE_H

#include <stdint.h>

uint64_t dice_next(uint64_t *state);
double dice_uniform(uint64_t *state); /* 0 <= x < 1 */
double dice_normal(uint64_t *state);  /* mean 0, standard deviation 1 */

#endif

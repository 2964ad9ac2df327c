/* SPDX-License-Identifier: Apache-2.0 */
#include "dice.h"

#include <math.h>

uint64_t dice_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double dice_uniform(uint64_t *state)
{
    return (double)(dice_next(state) >> 11) * 0x1p-53;
}

double dice_normal(uint64_t *state)
{
    double u = 1 - dice_uniform(state), angle = 2 * M_PI * dice_uniform(state);

    return sqrt(-2 * log(u)) * cos(angle);
}

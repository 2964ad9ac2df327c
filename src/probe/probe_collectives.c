/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The five collectives, with the words and formulas of nccl-tests (doc/PERFORMANCE.md there, "Bus bandwidth"):
 * algbw = size / time, and busbw = algbw times a factor that makes the number comparable with the speed of the
 * hardware whatever the number of ranks n:
 *
 *   all_reduce 2(n-1)/n   all_gather, reduce_scatter, alltoall (n-1)/n   sendrecv 1
 *
 * Sizes are nccl-tests' too: that of the larger of the two buffers.
 */
#include <string.h>

#include "assay/base/arena.h"
#include "probe.h"

/*
 * A rank sends a saw of small whole numbers, shifted from rank to rank: sums are exact in a float up to 67,000
 * ranks, and the period is prime, so that a displaced block is seen.
 */
enum { PERIOD = 251, SHIFT = 31 };

float collective_value(int rank, size_t i)
{
    return (float)((i + (size_t)rank * SHIFT) % PERIOD);
}

/* The sum over all ranks depends on i % PERIOD only. */
static float sum_at(int ranks, size_t i)
{
    static float sums[PERIOD];
    static int sums_of;

    if (sums_of != ranks) {
        memset(sums, 0, sizeof sums);
        for (size_t k = 0; k < PERIOD; k++)
            for (int rank = 0; rank < ranks; rank++)
                sums[k] += collective_value(rank, k);
        sums_of = ranks;
    }
    return sums[i % PERIOD];
}

static float all_reduced(int ranks, int me, size_t count, size_t i)
{
    (void)me;
    (void)count;
    return sum_at(ranks, i);
}

static float all_gathered(int ranks, int me, size_t count, size_t i)
{
    size_t share = count / (size_t)ranks;

    (void)me;
    return collective_value((int)(i / share), i % share);
}

static float reduce_scattered(int ranks, int me, size_t count, size_t i)
{
    return sum_at(ranks, (size_t)me * (count / (size_t)ranks) + i);
}

static float exchanged(int ranks, int me, size_t count, size_t i)
{
    size_t share = count / (size_t)ranks;

    return collective_value((int)(i / share), (size_t)me * share + i % share);
}

static float received(int ranks, int me, size_t count, size_t i)
{
    (void)count;
    return collective_value((me + ranks - 1) % ranks, i);
}

static double factor_reduce(double ranks)
{
    return 2 * (ranks - 1) / ranks;
}

static double factor_share(double ranks)
{
    return (ranks - 1) / ranks;
}

static double factor_one(double ranks)
{
    (void)ranks;
    return 1;
}

static const struct collective collectives[] = {
    {"all_reduce", ALL_REDUCE, false, false, "sum", factor_reduce, all_reduced},
    {"all_gather", ALL_GATHER, true, false, "none", factor_share, all_gathered},
    {"reduce_scatter", REDUCE_SCATTER, false, true, "sum", factor_share, reduce_scattered},
    {"alltoall", ALLTOALL, false, false, "none", factor_share, exchanged},
    {"sendrecv", SENDRECV, false, false, "none", factor_one, received},
};

const struct collective *collective_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(collectives); i++)
        if (strcmp(collectives[i].name, name) == 0)
            return &collectives[i];
    return NULL;
}

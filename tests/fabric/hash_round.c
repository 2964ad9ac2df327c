/* SPDX-License-Identifier: Apache-2.0 */
#include "hash_round.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/fabric/flows.h"
#include "dice.h"

struct drawn {
    uint32_t ways[FABRIC_HOPS_MAX];
    unsigned hops;
    double gbits; /* that it wants */
};

static uint64_t draw(void *state)
{
    return dice_next(state);
}

static double able(const struct hash_round *round, uint32_t way)
{
    return round->fabric->ports.items[way].gbits * (round->able != NULL ? round->able[way] : 1);
}

static double least_share(const struct hash_round *round, const struct drawn *stream, const double *wanted)
{
    double share = 1;

    for (unsigned i = 0; i < stream->hops; i++)
        share = fmin(share, able(round, stream->ways[i]) / wanted[stream->ways[i]]);
    return share;
}

void hash_round_run(const struct hash_round *round, const struct fabric_flow *flows, size_t count,
                    double *ret_gbits)
{
    size_t streams = count * round->streams;
    struct drawn *drawn = mem_alloc((streams + 1) * sizeof *drawn);
    double *wanted = mem_alloc(round->fabric->ports.count * sizeof *wanted);

    for (size_t i = 0; i < streams; i++) {
        const struct fabric_flow *flow = &flows[i / round->streams];

        drawn[i].hops = fabric_ecmp_route(round->ecmp, *flow, draw, round->state, drawn[i].ways);
        drawn[i].gbits = fabric_flow_gbits(round->fabric, *flow) / round->streams;
        for (unsigned k = 0; k < drawn[i].hops; k++)
            wanted[drawn[i].ways[k]] += drawn[i].gbits;
    }
    memset(ret_gbits, 0, round->fabric->ports.count * sizeof *ret_gbits);
    for (size_t i = 0; i < streams; i++) {
        double share = least_share(round, &drawn[i], wanted);

        for (unsigned k = 0; k < drawn[i].hops; k++)
            ret_gbits[drawn[i].ways[k]] += HASH_EFFICIENCY * share * drawn[i].gbits;
    }
    free(wanted);
    free(drawn);
}

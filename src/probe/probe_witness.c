/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each host saw of the collective itself. Rank 0 prints the results of all; whoever asks a host by another way can
 * compare them with this, which rank 0 never had in its hands.
 *
 * It is the text of a symbolic link at the name of --witness, made whole or not at all by the first rank of each host when
 * it has measured all: what lies at that name already, whoever's it is, is neither followed nor replaced, and who reads it
 * opens nothing. "ranks=16 1048576=12.3401 ... wrong=0": how many took part, for each size the bus bandwidth in GB/s by
 * this rank's clock, and how many elements came out wrong at this rank. The slowest rank's is the result, so no host's own
 * can be less.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/base/text.h"
#include "probe.h"

/* The kernel's limit of a link's text; sizes are powers of something, so there are few. */
enum { WITNESS_BYTES = 4000 };

static bool is_witness(const struct probe *probe)
{
    return probe->options.witness != NULL && probe->places.local_of[probe->rank] == 0;
}

void witness_begin(struct probe *probe)
{
    text_init(&probe->witness, WITNESS_BYTES);
    text_printf(&probe->witness, "ranks=%d", probe->ranks);
}

void witness_size(struct probe *probe, const struct result *result)
{
    text_printf(&probe->witness, " %zu=%.6g", result->size, result->own_busbw);
    probe->witness_wrong += result->own_wrong;
}

/* A host without one is missed by who asks it; that is no reason to fail here. */
void witness_end(struct probe *probe)
{
    text_printf(&probe->witness, " wrong=%.0f", probe->witness_wrong);
    if (is_witness(probe) &&
        (probe->witness.clipped || symlink(probe->witness.bytes, probe->options.witness) < 0))
        fprintf(stderr, "assay-probe-collective: rank %d on %s: no witness at %s: %s\n", probe->rank,
                rank_host(probe, probe->rank), probe->options.witness,
                probe->witness.clipped ? "too many sizes" : strerror(errno));
    text_release(&probe->witness);
}

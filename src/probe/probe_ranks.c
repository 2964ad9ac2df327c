/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who takes part: each rank says what it is, all hear it, and rank 0 refuses, by the names of hosts, what
 * would be measured wrongly or die without a word: other versions, hosts without GPUs, more ranks than GPUs.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/text.h"
#include "probe.h"

enum { COMPLAINTS_BYTES = 4 << 20 };

const char *rank_host(const struct probe *probe, int rank)
{
    return probe->cards[rank].host;
}

static void describe(struct rank_card *card)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    *card = (struct rank_card){0};
    snprintf(card->program, sizeof card->program, "assay-probe-collective %s", ASSAY_VERSION);
    gethostname(card->host, sizeof card->host - 1);
    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n,")] = '\0';
    snprintf(card->mpi, sizeof card->mpi, "%.60s", library);
}

static void find_places(struct probe *probe)
{
    struct places *places = &probe->places;
    int *seen = mem_alloc((size_t)probe->ranks * sizeof *seen); /* ranks of a host so far */

    places->host_of = mem_alloc((size_t)probe->ranks * sizeof *places->host_of);
    places->local_of = mem_alloc((size_t)probe->ranks * sizeof *places->local_of);
    places->first_of = mem_alloc((size_t)probe->ranks * sizeof *places->first_of);
    for (int rank = 0; rank < probe->ranks; rank++) {
        int host =
            rank > 0 ? places->host_of[rank - 1] : 0; /* mpirun mostly fills one host after the other */

        if (rank == 0 || strcmp(rank_host(probe, places->first_of[host]), rank_host(probe, rank)) != 0)
            for (host = 0; host < places->host_count; host++)
                if (strcmp(rank_host(probe, places->first_of[host]), rank_host(probe, rank)) == 0)
                    break;
        if (host == places->host_count)
            places->first_of[places->host_count++] = rank;
        places->host_of[rank] = host;
        places->local_of[rank] = seen[host]++;
    }
    free(seen);
}

static void share_cards(struct probe *probe)
{
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, probe->cards, sizeof *probe->cards, MPI_BYTE,
                  MPI_COMM_WORLD);
}

/* One that is older or newer may have another card, so its version travels first and alone. */
static void compare_programs(struct probe *probe)
{
    char(*names)[NAME_BYTES] = mem_alloc((size_t)probe->ranks * sizeof *names);

    memcpy(names[probe->rank], probe->cards[probe->rank].program, NAME_BYTES);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, names, NAME_BYTES, MPI_BYTE, MPI_COMM_WORLD);
    for (int rank = 0; rank < probe->ranks; rank++)
        if (strncmp(names[rank], names[0], NAME_BYTES) != 0)
            probe_refuse(probe, PROBE_UNFIT,
                         "rank 0 is %.*s, rank %d is %.*s; expected the same program on all hosts",
                         NAME_BYTES, names[0], rank, NAME_BYTES, names[rank]);
    free(names);
}

/* "NCCL: 2.18.5 on node1 node2; 2.19.3 on node3" */
static void compare_versions(const struct probe *probe, const char *what, size_t offset, struct text *out)
{
    const struct places *places = &probe->places;
    bool *named = mem_alloc((size_t)places->host_count);
    int kinds = 0;
    cleanup_text struct text line = {0};

    text_init(&line, COMPLAINTS_BYTES);
    for (int host = 0; host < places->host_count; host++) {
        const char *version = (const char *)&probe->cards[places->first_of[host]] + offset;

        if (named[host])
            continue;
        text_printf(&line, "%s%s on", kinds++ > 0 ? "; " : "", *version != '\0' ? version : "none");
        for (int other = host; other < places->host_count; other++)
            if (strcmp((const char *)&probe->cards[places->first_of[other]] + offset, version) == 0) {
                named[other] = true;
                text_printf(&line, " %s", rank_host(probe, places->first_of[other]));
            }
    }
    if (kinds > 1)
        text_printf(out, "%s%s: %s", out->length > 0 ? "; " : "", what, line.bytes);
    free(named);
}

static void name_problems(const struct probe *probe, struct text *out)
{
    for (int rank = 0; rank < probe->ranks; rank++)
        if (probe->cards[rank].problem[0] != '\0')
            text_printf(out, "%srank %d on %s: %s", out->length > 0 ? "; " : "", rank, rank_host(probe, rank),
                        probe->cards[rank].problem);
}

/* NULL: the hosts differ, or what was asked for is not there; told in out. */
static const struct backend *choose(const struct probe *probe, struct text *out)
{
    const char *asked = probe->options.backend;
    bool some = false;

    if (strcmp(asked, "host") == 0)
        return &backend_host;
#ifdef PROBE_WITH_NCCL
    for (int rank = 0; rank < probe->ranks; rank++)
        some |= probe->cards[rank].devices > 0;
    if (!some && strcmp(asked, "auto") == 0)
        return &backend_host;
    name_problems(probe, out);
    return &backend_nccl;
#else
    (void)name_problems;
    (void)some;
    if (strcmp(asked, "auto") == 0)
        return &backend_host;
    text_put(out, "this program was built without NCCL and CUDA");
    return NULL;
#endif
}

void ranks_compare(struct probe *probe)
{
    cleanup_text struct text complaints = {0};

    probe->cards = mem_alloc((size_t)probe->ranks * sizeof *probe->cards);
    describe(&probe->cards[probe->rank]);
    compare_programs(probe);
    share_cards(probe);
    find_places(probe);
#ifdef PROBE_WITH_NCCL
    if (strcmp(probe->options.backend, "host") != 0) {
        nccl_describe(&probe->cards[probe->rank], probe->places.local_of[probe->rank]);
        share_cards(probe);
    }
#endif
    text_init(&complaints, COMPLAINTS_BYTES);
    probe->backend = choose(probe, &complaints);
    compare_versions(probe, "MPI", offsetof(struct rank_card, mpi), &complaints);
    if (probe->backend != &backend_host) {
        compare_versions(probe, "NCCL", offsetof(struct rank_card, nccl), &complaints);
        compare_versions(probe, "CUDA", offsetof(struct rank_card, cuda), &complaints);
        compare_versions(probe, "driver", offsetof(struct rank_card, driver), &complaints);
    }
    if (complaints.length > 0)
        probe_refuse(probe, PROBE_UNFIT, "%s", complaints.bytes);
}

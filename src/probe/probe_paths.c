/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths between hosts. One collective tells that some host is slow and hardly which: all wait for it. So each
 * rank sends to its like on the host 1, 2, 4, 8 ... further, and receives from the one as far back, all at the
 * same time. A host that is slow on its way in or out is slow in every such ring; its partners are slow only in
 * the rings in which they meet it. So the best of a rank's rings says how fast the rank can be.
 *
 * With two hosts there is one ring, and it tells nothing about which of them is slow.
 */
#include <mpi.h>

#include "probe.h"

enum { PATH_ROUNDS = 4 /* the first also makes the connections */, TAG_RECEIVED = 75 };

/* The rank at the same place on the host; -1 when that host has fewer. */
static int like_on(const struct probe *probe, int host, int local)
{
    for (int rank = probe->places.first_of[host]; rank < probe->ranks; rank++)
        if (probe->places.host_of[rank] == host && probe->places.local_of[rank] == local)
            return rank;
    return -1;
}

/* Where hosts have unequal numbers of ranks, those that are not on every host sit out. */
static bool is_everywhere(const struct probe *probe, int local)
{
    for (int host = 0; host < probe->places.host_count; host++)
        if (like_on(probe, host, local) < 0)
            return false;
    return true;
}

/*
 * Bandwidth of one round, GB/s. All begin it together: a slow host must not hold up the next round of others. It
 * is over when the receiver has it all and says so: to a sender over TCP all is sent while most of it still lies in
 * buffers.
 */
static double shift(struct probe *probe, int to, int from, size_t count)
{
    struct error err = {0};
    double began;

    MPI_Barrier(MPI_COMM_WORLD);
    if (to < 0)
        return 0;
    began = clock_now_us();
    if (probe->backend->shift(probe, to, from, count, &err) < 0)
        probe_fail(probe, PROBE_BROKEN, "%s", err.text);
    MPI_Sendrecv(NULL, 0, MPI_BYTE, from, TAG_RECEIVED, NULL, 0, MPI_BYTE, to, TAG_RECEIVED, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return (double)(count * sizeof(float)) / (clock_now_us() - began) / 1e3;
}

void paths_measure(struct probe *probe)
{
    const struct places *places = &probe->places;
    int host = places->host_of[probe->rank], local = places->local_of[probe->rank],
        hosts = places->host_count;
    size_t count = probe->options.path_bytes / sizeof(float);
    bool takes_part = is_everywhere(probe, local);

    for (int away = 1; away < hosts && count > 0; away *= 2) {
        int to = takes_part ? like_on(probe, (host + away) % hosts, local) : -1;
        int from = takes_part ? like_on(probe, (host + hosts - away) % hosts, local) : -1;

        deadline_pass("a path", probe->options.path_bytes);
        for (int i = 0; i < PATH_ROUNDS; i++) {
            double gbps = shift(probe, to, from, count);

            if (gbps > probe->path_gbps)
                probe->path_gbps = gbps;
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

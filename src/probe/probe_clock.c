/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks of hosts compared, so that arrivals on different hosts can be put in order.
 *
 * Rank 0 exchanges short messages with the first rank of each other host and takes the offset from the round
 * trip that took least time, as NTP does: the far clock was read at some moment of that trip, so half of the
 * trip bounds the error. It is done anew before each size, because clocks drift apart by up to some 50 us a
 * second. Ranks of one host share its clock.
 */
#include <mpi.h>
#include <time.h>

#include "probe.h"

enum { TRIPS = 12, TAG_CLOCK = 71 };

double clock_now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static struct clock_offset ask(int other)
{
    struct clock_offset best = {0, -1};

    for (int i = 0; i < TRIPS; i++) {
        double sent = clock_now_us(), there, back;

        MPI_Send(&sent, 1, MPI_DOUBLE, other, TAG_CLOCK, MPI_COMM_WORLD);
        MPI_Recv(&there, 1, MPI_DOUBLE, other, TAG_CLOCK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        back = clock_now_us();
        if (best.error_us < 0 || (back - sent) / 2 < best.error_us)
            best = (struct clock_offset){(sent + back) / 2 - there, (back - sent) / 2};
    }
    return best;
}

static void answer(void)
{
    for (int i = 0; i < TRIPS; i++) {
        double now;

        MPI_Recv(&now, 1, MPI_DOUBLE, 0, TAG_CLOCK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        now = clock_now_us();
        MPI_Send(&now, 1, MPI_DOUBLE, 0, TAG_CLOCK, MPI_COMM_WORLD);
    }
}

void clock_compare(struct probe *probe)
{
    const struct places *places = &probe->places;
    int first = places->first_of[places->host_of[probe->rank]];
    double pair[2] = {0, 0};

    deadline_pass("comparing clocks", 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (probe->rank == 0) {
        for (int host = 1; host < places->host_count; host++) {
            struct clock_offset found = ask(places->first_of[host]);

            if (found.error_us > probe->clock_error_us)
                probe->clock_error_us = found.error_us;
            MPI_Send((double[2]){found.offset_us, found.error_us}, 2, MPI_DOUBLE, places->first_of[host],
                     TAG_CLOCK, MPI_COMM_WORLD);
        }
    } else if (probe->rank == first) {
        answer();
        MPI_Recv(pair, 2, MPI_DOUBLE, 0, TAG_CLOCK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    /* To the other ranks of the host. */
    if (probe->rank == first) {
        for (int rank = first + 1; rank < probe->ranks; rank++)
            if (places->host_of[rank] == places->host_of[first])
                MPI_Send(pair, 2, MPI_DOUBLE, rank, TAG_CLOCK, MPI_COMM_WORLD);
    } else {
        MPI_Recv(pair, 2, MPI_DOUBLE, first, TAG_CLOCK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    probe->clock = (struct clock_offset){pair[0], pair[1]};
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One flow: messages one after the other, WINDOW of them on their way at any time, for as long as a round lasts. Then come
 * WINDOW empty ones, of a tag of their own, for what the receiver has posted; so that nothing is cancelled.
 *
 * The receiver's clock starts when the first WINDOW of messages has come, since those also make the connection.
 */
#include <mpi.h>
#include <stdlib.h>

#include "assay/base/arena.h"
#include "links.h"

enum { WINDOW = 16, TAG_DATA = 81, TAG_LAST = 82 };

struct meter {
    double began, first, last; /* seconds: of the round, of the first window's end, of the last message */
    double messages;
};

static void send_all(const struct links_options *options, int partner)
{
    char *message = mem_alloc(options->bytes);
    MPI_Request requests[WINDOW];
    double until = MPI_Wtime() + options->seconds;

    for (unsigned i = 0; i < WINDOW; i++)
        requests[i] = MPI_REQUEST_NULL;
    for (unsigned slot = 0; MPI_Wtime() < until; slot = (slot + 1) % WINDOW) {
        MPI_Wait(&requests[slot], MPI_STATUS_IGNORE);
        MPI_Isend(message, (int)options->bytes, MPI_BYTE, partner, TAG_DATA, MPI_COMM_WORLD, &requests[slot]);
    }
    MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
    for (unsigned i = 0; i < WINDOW; i++)
        MPI_Send(message, 0, MPI_BYTE, partner, TAG_LAST, MPI_COMM_WORLD);
    free(message);
}

static void post(const struct links_options *options, int partner, char *room, unsigned slot,
                 MPI_Request *requests)
{
    MPI_Irecv(room + slot * options->bytes, (int)options->bytes, MPI_BYTE, partner, MPI_ANY_TAG,
              MPI_COMM_WORLD, &requests[slot]);
}

/* Of fewer messages than two windows all count, with the time that the connection took. */
static double rate_of(const struct links_options *options, const struct meter *meter)
{
    bool few = meter->messages < 2 * WINDOW;
    double messages = few ? meter->messages : meter->messages - WINDOW;
    double seconds = meter->last - (few ? meter->began : meter->first);

    return messages > 0 && seconds > 0 ? messages * (double)options->bytes * 8 / seconds / 1e9 : 0;
}

static double receive_all(const struct links_options *options, int partner)
{
    char *room = mem_alloc(WINDOW * options->bytes);
    MPI_Request requests[WINDOW];
    struct meter meter = {.began = MPI_Wtime()};
    unsigned ended = 0;

    for (unsigned slot = 0; slot < WINDOW; slot++)
        post(options, partner, room, slot, requests);
    for (unsigned slot = 0; ended < WINDOW; slot = (slot + 1) % WINDOW) {
        MPI_Status status;

        MPI_Wait(&requests[slot], &status);
        if (status.MPI_TAG == TAG_LAST) {
            ended++;
            continue;
        }
        meter.last = MPI_Wtime();
        if (++meter.messages == WINDOW)
            meter.first = meter.last;
        post(options, partner, room, slot, requests);
    }
    free(room);
    return rate_of(options, &meter);
}

double links_flow(const struct links_options *options, struct links_part part)
{
    if (part.to >= 0)
        send_all(options, part.to);
    return part.from >= 0 ? receive_all(options, part.from) : 0;
}

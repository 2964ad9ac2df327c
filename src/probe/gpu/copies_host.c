/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the host that stands for that of GPUs, and for the host's own. */
#include <stdlib.h>
#include <string.h>

#include "copies.h"

enum { BYTES = 1 << 20, BUFFERS = 3 /* the host's; what goes out, what comes in */ };

struct host_copies {
    char *memory;
    uint32_t (*rings)[CHASE_WORDS * CHASE_STRIDE]; /* of each GPU */
    unsigned count;
};

static char *buffer(const struct host_copies *own, unsigned gpu, unsigned number)
{
    return own->memory + ((size_t)gpu * BUFFERS + number) * BYTES;
}

static void close_host(void *data)
{
    struct host_copies *own = data;

    if (own != NULL) {
        free(own->memory);
        free(own->rings);
    }
    free(own);
}

static void *open_host(struct gpu_probe *probe, uint64_t *ret_bytes, struct error *err)
{
    struct host_copies *own = calloc(1, sizeof *own);

    if (own != NULL) {
        own->count = probe->device_count;
        own->memory = calloc(own->count, (size_t)BUFFERS * BYTES);
        own->rings = calloc(own->count, sizeof *own->rings);
    }
    if (own == NULL || own->memory == NULL || own->rings == NULL) {
        close_host(own);
        (void)error_set(err, ERROR_INTERNAL, "no memory");
        return NULL;
    }
    for (unsigned gpu = 0; gpu < own->count; gpu++)
        for (uint32_t word = 0; word < CHASE_WORDS; word++)
            own->rings[gpu][word * CHASE_STRIDE] = chase_next(word);
    *ret_bytes = BYTES;
    return own;
}

static bool reaches_host(void *own, unsigned gpu, unsigned peer)
{
    (void)own;
    return gpu != peer;
}

static void copy_share_to(const struct host_copies *own, unsigned gpu, unsigned peer)
{
    const uint64_t share = copy_share(BYTES, own->count);

    memcpy(buffer(own, peer, 2) + gpu * share, buffer(own, gpu, 1) + gpu * share, share);
}

static int copy_host(void *data, enum copy_way way, unsigned gpu, unsigned peer, unsigned times,
                     double *ret_seconds, struct error *err)
{
    const struct host_copies *own = data;
    double began = gpu_now_s();

    (void)err;
    for (unsigned i = 0; i < times; i++) {
        if (way == COPY_UP)
            memcpy(buffer(own, gpu, 2), buffer(own, gpu, 0), BYTES);
        else if (way == COPY_DOWN)
            memcpy(buffer(own, gpu, 0), buffer(own, gpu, 1), BYTES);
        else if (way == COPY_SHARE)
            copy_share_to(own, gpu, peer);
        else if (way == COPY_SPREAD)
            for (unsigned next = 1; next < own->count; next++)
                copy_share_to(own, gpu, (gpu + next) % own->count);
        else
            memcpy(buffer(own, peer, 2), buffer(own, gpu, 1), BYTES);
        if (way == COPY_BOTH)
            memcpy(buffer(own, gpu, 2), buffer(own, peer, 1), BYTES);
    }
    *ret_seconds = gpu_now_s() - began;
    return 0;
}

static int chase_host(void *data, unsigned gpu, unsigned peer, unsigned hops, double *ret_seconds,
                      struct error *err)
{
    const struct host_copies *own = data;
    const volatile uint32_t *ring = own->rings[peer];
    const double began = gpu_now_s();
    uint32_t word = 0, expected = 0;

    for (unsigned i = 0; i < hops; i++)
        word = ring[word * CHASE_STRIDE];
    *ret_seconds = gpu_now_s() - began;
    for (unsigned i = 0; i < hops; i++)
        expected = chase_next(expected);
    return word == expected ? 0
                            : error_set(err, ERROR_INTERNAL,
                                        "GPU %u: a chase through GPU %u ended at word %u instead of %u", gpu,
                                        peer, word, expected);
}

const struct gpu_copies copies_host = {open_host, reaches_host, copy_host, chase_host, close_host};

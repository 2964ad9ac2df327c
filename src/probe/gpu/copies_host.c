/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the host that stands for that of GPUs, and for the host's own. */
#include <stdlib.h>
#include <string.h>

#include "copies.h"

enum { BYTES = 1 << 20, BUFFERS = 3 /* the host's; what goes out, what comes in */ };

struct host_copies {
    char *memory;
};

static char *buffer(const struct host_copies *own, unsigned gpu, unsigned number)
{
    return own->memory + ((size_t)gpu * BUFFERS + number) * BYTES;
}

static void *open_host(struct gpu_probe *probe, uint64_t *ret_bytes, struct error *err)
{
    struct host_copies *own = calloc(1, sizeof *own);

    if (own != NULL)
        own->memory = calloc(probe->device_count, (size_t)BUFFERS * BYTES);
    if (own == NULL || own->memory == NULL) {
        free(own);
        (void)error_set(err, ERROR_INTERNAL, "no memory");
        return NULL;
    }
    *ret_bytes = BYTES;
    return own;
}

static bool reaches_host(void *own, unsigned gpu, unsigned peer)
{
    (void)own;
    return gpu != peer;
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
        else
            memcpy(buffer(own, peer, 2), buffer(own, gpu, 1), BYTES);
        if (way == COPY_BOTH)
            memcpy(buffer(own, gpu, 2), buffer(own, peer, 1), BYTES);
    }
    *ret_seconds = gpu_now_s() - began;
    return 0;
}

static void close_host(void *data)
{
    struct host_copies *own = data;

    free(own->memory);
    free(own);
}

const struct gpu_copies copies_host = {open_host, reaches_host, copy_host, close_host};

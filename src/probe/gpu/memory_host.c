/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the host that stands for a GPU's. */
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { MIB = 16 /* unless said otherwise */ };

struct host_memory {
    uint64_t *words;
    size_t count;   /* of words */
    size_t doubles; /* of each array of a stream */
    struct memory_fault fault;
    double sum; /* of what was read, so that it is read */
};

static void *open_host(struct gpu_probe *probe, unsigned gpu, struct memory_size *ret_size, struct error *err)
{
    struct host_memory *own = calloc(1, sizeof *own);
    const size_t bytes = (size_t)(probe->options.mib > 0 ? probe->options.mib : MIB) << 20;

    if (own != NULL)
        own->words = malloc(bytes);
    if (own == NULL || own->words == NULL) {
        free(own);
        (void)error_set(err, ERROR_INTERNAL, "GPU %u: no memory", gpu);
        return NULL;
    }
    memset(own->words, 0, bytes);
    own->count = bytes / sizeof(uint64_t);
    own->doubles = own->count / 3;
    own->fault = injection_memory(&probe->options.injection, gpu);
    *ret_size = (struct memory_size){bytes, bytes, own->doubles * sizeof(double)};
    return own;
}

static void stream_once(struct host_memory *own, enum memory_stream stream)
{
    double *a = (double *)(void *)own->words, *b = a + own->doubles, *c = b + own->doubles;

    if (stream == STREAM_COPY)
        memcpy(a, b, own->doubles * sizeof *a);
    else if (stream == STREAM_WRITE)
        memset(a, 0, own->doubles * sizeof *a);
    else if (stream == STREAM_READ)
        for (size_t i = 0; i < own->doubles; i++)
            own->sum += a[i];
    else
        for (size_t i = 0; i < own->doubles; i++)
            a[i] = b[i] + 3 * c[i];
}

static int stream_host(void *data, enum memory_stream stream, unsigned times, double *ret_seconds,
                       struct error *err)
{
    double began = gpu_now_s();

    (void)err;
    for (unsigned i = 0; i < times; i++)
        stream_once(data, stream);
    *ret_seconds = gpu_now_s() - began;
    return 0;
}

static int fill_host(void *data, const struct memory_content *content, struct error *err)
{
    struct host_memory *own = data;

    (void)err;
    for (size_t i = 0; i < own->count; i++)
        own->words[i] = memory_word(content, i);
    return 0;
}

static int check_host(void *data, const struct memory_content *content, bool turn,
                      struct memory_errors *ret_errors, struct error *err)
{
    struct host_memory *own = data;

    (void)err;
    for (size_t i = 0; i < own->count; i++) {
        uint64_t expected = memory_word(content, i), got = own->words[i];

        if (i == own->fault.index)
            got ^= own->fault.bits;
        if (got != expected && ret_errors->count++ < MEMORY_ERRORS_KEPT)
            ret_errors->first[ret_errors->kept++] = (struct memory_error){i * sizeof got, got, expected};
        if (turn)
            own->words[i] = ~expected;
    }
    return 0;
}

static void close_host(void *data)
{
    struct host_memory *own = data;

    free(own->words);
    free(own);
}

const struct gpu_memory memory_host = {open_host, stream_host, fill_host, check_host, close_host};

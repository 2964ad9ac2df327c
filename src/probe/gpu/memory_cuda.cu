/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A GPU's own memory. Everything that is free is taken, in pieces as large as the driver gives them, but for a little that
 * the driver needs to start kernels. Streams go through the largest piece, in arrays that are many times the second cache.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cuda_try.h"

extern "C" {
#include "memory.h"
}

namespace
{

enum {
    PIECES_MOST = 256,
    THREADS = 512,
    BLOCKS_OF_AN_SM = 8, /* of what fills and compares */
    STREAM_THREADS = 1024,
    COPY_THREADS = 256
};
const size_t KEPT_FREE = (size_t)64 << 20, PIECE_LEAST = (size_t)2 << 20, ARRAY_MOST = (size_t)2 << 30;

struct piece {
    ulonglong2 *at;
    size_t pairs;   /* of words */
    uint64_t first; /* the index of its first pair */
};

struct cuda_memory {
    unsigned gpu, blocks;
    piece pieces[PIECES_MOST];
    unsigned count;
    size_t array_pairs; /* of each array of a stream */
    struct memory_fault fault;
    struct memory_errors *errors; /* on the device */
    cudaStream_t stream;
    cudaEvent_t began, ended;
};

/*
 * Streams: a block for each tile, so that no SM waits for the last ones of another. What reads and writes takes one pair
 * a thread: on H100 and H200 a copy by small blocks, and a triad by large ones, were faster than by four pairs a thread, and
 * such a copy as fast as cudaMemcpy (1.00).
 */
enum { READ_TURNS = 4, WRITE_TURNS = 4 };

__device__ size_t tile_place(unsigned turn, unsigned turns)
{
    return ((size_t)blockIdx.x * turns + turn) * blockDim.x + threadIdx.x;
}

__global__ void __launch_bounds__(COPY_THREADS)
    copy_kernel(ulonglong2 *__restrict__ a, const ulonglong2 *__restrict__ b, size_t pairs)
{
    const size_t i = tile_place(0, 1);

    if (i < pairs)
        a[i] = b[i];
}

/* sink is written where the sum is what it never is, so that the reads stay. */
__global__ void __launch_bounds__(STREAM_THREADS)
    read_kernel(const ulonglong2 *__restrict__ a, size_t pairs, unsigned long long *sink)
{
    unsigned long long all = 0;

#pragma unroll
    for (unsigned turn = 0; turn < READ_TURNS; turn++) {
        const size_t i = tile_place(turn, READ_TURNS);

        if (i < pairs)
            all += a[i].x ^ (a[i].y * 3);
    }
    if (all == 0x123456789abcdefull)
        *sink = all;
}

__global__ void __launch_bounds__(STREAM_THREADS) write_kernel(ulonglong2 *a, size_t pairs)
{
#pragma unroll
    for (unsigned turn = 0; turn < WRITE_TURNS; turn++) {
        const size_t i = tile_place(turn, WRITE_TURNS);

        if (i < pairs)
            a[i] = make_ulonglong2(i, ~i);
    }
}

__global__ void __launch_bounds__(STREAM_THREADS)
    triad_kernel(double2 *__restrict__ a, const double2 *__restrict__ b, const double2 *__restrict__ c,
                 size_t pairs)
{
    const size_t i = tile_place(0, 1);

    if (i < pairs)
        a[i] = make_double2(__fma_rn(3.0, c[i].x, b[i].x), __fma_rn(3.0, c[i].y, b[i].y));
}

__global__ void __launch_bounds__(THREADS) fill_kernel(piece piece, struct memory_content content)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < piece.pairs; i += step) {
        const uint64_t index = (piece.first + i) * 2;

        __stcs(&piece.at[i], make_ulonglong2(memory_word(&content, index), memory_word(&content, index + 1)));
    }
}

__device__ void note(struct memory_errors *errors, uint64_t index, uint64_t got, uint64_t expected)
{
    const unsigned long long number = atomicAdd(&errors->count, 1ull);

    if (number < MEMORY_ERRORS_KEPT)
        errors->first[number] = {index * sizeof got, got, expected};
}

__global__ void __launch_bounds__(THREADS)
    check_kernel(piece piece, struct memory_content content, bool turn, struct memory_fault fault,
                 struct memory_errors *errors)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < piece.pairs; i += step) {
        const uint64_t index = (piece.first + i) * 2;
        const ulonglong2 expected =
            make_ulonglong2(memory_word(&content, index), memory_word(&content, index + 1));
        ulonglong2 got = __ldcs(&piece.at[i]);

        if (fault.bits != 0 && fault.index / 2 == index / 2)
            (fault.index % 2 == 0 ? got.x : got.y) ^= fault.bits;
        if (got.x != expected.x)
            note(errors, index, got.x, expected.x);
        if (got.y != expected.y)
            note(errors, index + 1, got.y, expected.y);
        if (turn)
            __stcs(&piece.at[i], make_ulonglong2(~expected.x, ~expected.y));
    }
}

/* The largest first, and smaller ones until no more is there; or one of at most so many bytes. */
void take_all(struct cuda_memory *own, struct memory_size *size, size_t most)
{
    size_t free_bytes = 0, total = 0, next;
    uint64_t first = 0;

    if (cudaMemGetInfo(&free_bytes, &total) != cudaSuccess)
        return;
    size->total = total;
    next = free_bytes > KEPT_FREE ? (free_bytes - KEPT_FREE) / PIECE_LEAST * PIECE_LEAST : 0;
    if (most > 0 && next > most)
        next = most / PIECE_LEAST * PIECE_LEAST;
    while (next >= PIECE_LEAST && own->count < PIECES_MOST) {
        piece *piece = &own->pieces[own->count];

        if (cudaMalloc((void **)&piece->at, next) == cudaSuccess) {
            piece->pairs = next / sizeof(ulonglong2);
            piece->first = first;
            first += piece->pairs;
            size->covered += next;
            own->count++;
            if (most > 0 || cudaMemGetInfo(&free_bytes, &total) != cudaSuccess || free_bytes <= KEPT_FREE)
                break;
            free_bytes = (free_bytes - KEPT_FREE) / PIECE_LEAST * PIECE_LEAST;
            next = next < free_bytes ? next : free_bytes;
        } else {
            (void)cudaGetLastError();
            next = next / 2 / PIECE_LEAST * PIECE_LEAST;
        }
    }
}

int prepare(struct cuda_memory *own, unsigned gpu, size_t most_bytes, struct memory_size *size, struct error *err)
{
    const struct memory_content random = {PATTERN_RANDOM, 1, 0};
    const size_t most = ARRAY_MOST / sizeof(ulonglong2);

    TRY(cudaSetDevice((int)gpu), "it cannot be used");
    TRY(cudaStreamCreateWithFlags(&own->stream, cudaStreamNonBlocking), "no stream");
    TRY(cudaEventCreate(&own->began), "no event");
    TRY(cudaEventCreate(&own->ended), "no event");
    TRY(cudaMalloc((void **)&own->errors, sizeof *own->errors), "no memory");
    take_all(own, size, most_bytes);
    if (own->count == 0)
        return error_set(err, ERROR_INTERNAL, "GPU %u: none of its memory is free", gpu);
    own->array_pairs = own->pieces[0].pairs / 3 < most ? own->pieces[0].pairs / 3 : most;
    size->stream = own->array_pairs * sizeof(ulonglong2);
    /* Zeros would take less power than real data. */
    fill_kernel<<<own->blocks, THREADS, 0, own->stream>>>(own->pieces[0], random);
    TRY(cudaGetLastError(), "the work cannot be started");
    TRY(cudaStreamSynchronize(own->stream), "the work broke off");
    return 0;
}

void close_cuda(void *data)
{
    struct cuda_memory *own = (struct cuda_memory *)data;

    if (cudaSetDevice((int)own->gpu) == cudaSuccess) {
        for (unsigned i = 0; i < own->count; i++)
            (void)cudaFree(own->pieces[i].at);
        (void)cudaFree(own->errors);
        if (own->began != NULL)
            (void)cudaEventDestroy(own->began);
        if (own->ended != NULL)
            (void)cudaEventDestroy(own->ended);
        if (own->stream != NULL)
            (void)cudaStreamDestroy(own->stream);
    }
    free(own);
}

void *open_cuda(struct gpu_probe *probe, unsigned gpu, struct memory_size *ret_size, struct error *err)
{
    struct cuda_memory *own = (struct cuda_memory *)calloc(1, sizeof *own);

    if (own == NULL) {
        (void)error_set(err, ERROR_INTERNAL, "no memory");
        return NULL;
    }
    own->gpu = gpu;
    own->blocks = probe->devices[gpu].sms * BLOCKS_OF_AN_SM;
    own->fault = injection_memory(&probe->options.injection, gpu);
    if (prepare(own, gpu, (size_t)probe->options.mib << 20, ret_size, err) < 0) {
        close_cuda(own);
        return NULL;
    }
    return own;
}

/* Blocks for pairs, of which each thread takes as many as it has turns. */
unsigned tiles(size_t pairs, unsigned threads, unsigned turns)
{
    const size_t tile = (size_t)threads * turns;

    return (unsigned)((pairs + tile - 1) / tile);
}

void start(const struct cuda_memory *own, enum memory_stream stream)
{
    ulonglong2 *a = own->pieces[0].at, *b = a + own->array_pairs, *c = b + own->array_pairs;
    const size_t pairs = own->array_pairs;

    if (stream == STREAM_COPY)
        copy_kernel<<<tiles(pairs, COPY_THREADS, 1), COPY_THREADS, 0, own->stream>>>(a, b, pairs);
    else if (stream == STREAM_READ)
        read_kernel<<<tiles(pairs, STREAM_THREADS, READ_TURNS), STREAM_THREADS, 0, own->stream>>>(
            a, pairs, &own->errors->count);
    else if (stream == STREAM_WRITE)
        write_kernel<<<tiles(pairs, STREAM_THREADS, WRITE_TURNS), STREAM_THREADS, 0, own->stream>>>(a, pairs);
    else
        triad_kernel<<<tiles(pairs, STREAM_THREADS, 1), STREAM_THREADS, 0, own->stream>>>(
            (double2 *)a, (const double2 *)b, (const double2 *)c, pairs);
}

int stream_cuda(void *data, enum memory_stream stream, unsigned times, double *ret_seconds, struct error *err)
{
    const struct cuda_memory *own = (const struct cuda_memory *)data;
    const unsigned gpu = own->gpu;
    float milliseconds = 0;

    TRY(cudaEventRecord(own->began, own->stream), "event");
    for (unsigned i = 0; i < times; i++)
        start(own, stream);
    TRY(cudaGetLastError(), "the work cannot be started");
    TRY(cudaEventRecord(own->ended, own->stream), "event");
    TRY(cudaEventSynchronize(own->ended), "the work broke off");
    TRY(cudaEventElapsedTime(&milliseconds, own->began, own->ended), "event");
    *ret_seconds = milliseconds / 1e3;
    return 0;
}

int fill_cuda(void *data, const struct memory_content *content, struct error *err)
{
    const struct cuda_memory *own = (const struct cuda_memory *)data;
    const unsigned gpu = own->gpu;

    for (unsigned i = 0; i < own->count; i++)
        fill_kernel<<<own->blocks, THREADS, 0, own->stream>>>(own->pieces[i], *content);
    TRY(cudaGetLastError(), "the work cannot be started");
    TRY(cudaStreamSynchronize(own->stream), "the work broke off");
    return 0;
}

int check_cuda(void *data, const struct memory_content *content, bool turn, struct memory_errors *ret_errors,
               struct error *err)
{
    const struct cuda_memory *own = (const struct cuda_memory *)data;
    const unsigned gpu = own->gpu;

    TRY(cudaMemsetAsync(own->errors, 0, sizeof *own->errors, own->stream), "memset");
    for (unsigned i = 0; i < own->count; i++)
        check_kernel<<<own->blocks, THREADS, 0, own->stream>>>(own->pieces[i], *content, turn, own->fault,
                                                               own->errors);
    TRY(cudaGetLastError(), "the work cannot be started");
    TRY(cudaMemcpyAsync(ret_errors, own->errors, sizeof *ret_errors, cudaMemcpyDeviceToHost, own->stream),
        "copy to the host");
    TRY(cudaStreamSynchronize(own->stream), "the work broke off");
    ret_errors->kept =
        (unsigned)(ret_errors->count < MEMORY_ERRORS_KEPT ? ret_errors->count : MEMORY_ERRORS_KEPT);
    return 0;
}

} /* namespace */

extern "C" const struct gpu_memory memory_cuda = {open_cuda, stream_cuda, fill_cuda, check_cuda, close_cuda};

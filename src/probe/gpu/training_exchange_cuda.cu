/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients over the GPUs of all hosts by NCCL, loaded where it is there, on a stream beside the one that computes. */
#include "training_cuda.h"

#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>

#if __has_include(<nccl.h>)
#include <nccl.h>
#define PROBE_KNOWS_NCCL 1
#else
typedef struct ncclComm *ncclComm_t;
#define PROBE_KNOWS_NCCL 0
#endif

struct training_joined {
    unsigned own, gpus, first; /* of this host; of all hosts; the number of this host's first among them */
    ncclComm_t comms[GPU_MOST]; /* NULL: of one GPU alone, or given up */
};

namespace
{

enum { BLOCKS = 128 /* of kernels beside the ones that compute: they only stream */ };

__global__ void __launch_bounds__(TRAINING_THREADS) widen_kernel(float *out, const element *in, size_t count)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x)
        out[i] = __bfloat162float(in[i]);
}

__global__ void __launch_bounds__(TRAINING_THREADS)
    digest_kernel(unsigned long long *sum, const element *gradients, size_t pairs, unsigned bucket)
{
    unsigned long long own = 0;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < pairs;
         i += (size_t)gridDim.x * blockDim.x) {
        const uint32_t both = ((const uint32_t *)gradients)[i];

        own += training_digest_of(bucket, i, both & 0xffff, both >> 16);
    }
    for (unsigned step = 16; step > 0; step /= 2)
        own += __shfl_down_sync(0xffffffffu, own, step);
    if (threadIdx.x % 32 == 0)
        (void)atomicAdd(sum, own);
}

/* As many as one load of 16 bytes has of them; shares are multiples of it, and what they lie in is aligned. */
enum { EIGHT = 8 };

struct alignas(32) eight {
    float of[EIGHT];
};

/*
 * As training_exchange_host.c has it. sums: NULL where a GPU is alone. Eight at a time: one at a time leaves so few bytes on
 * their way that it was 44% of the time of all kernels of a short training on H100; so it is 21% on H200.
 */
__global__ void __launch_bounds__(TRAINING_THREADS)
    optimize_kernel(struct training_bucket bucket, element *weights, const element *gradients,
                    const float *sums, size_t share, float gpus, struct training_adam adam,
                    unsigned long long *mismatched)
{
    unsigned long long wrong = 0;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < share / EIGHT;
         i += (size_t)gridDim.x * blockDim.x) {
        const uint4 loaded = ((const uint4 *)gradients)[i];
        const element *own = (const element *)&loaded;
        struct eight first = ((const struct eight *)bucket.moments)[i];
        struct eight second = ((const struct eight *)(bucket.moments + share))[i];
        struct eight master = ((const struct eight *)bucket.master)[i], sum = {};
        uint4 stored;

        if (sums != NULL)
            sum = ((const struct eight *)sums)[i];
#pragma unroll
        for (unsigned k = 0; k < EIGHT; k++) {
            const float mine = __bfloat162float(own[k]), all = sums != NULL ? sum.of[k] : mine,
                        gradient = all / gpus;

            wrong += !(all == gpus * mine);
            first.of[k] = adam.first * first.of[k] + (1 - adam.first) * gradient;
            second.of[k] = adam.second * second.of[k] + (1 - adam.second) * (gradient * gradient);
            master.of[k] -= adam.rate * (first.of[k] / adam.first_bias) /
                            (sqrtf(second.of[k] / adam.second_bias) + adam.epsilon);
            ((element *)&stored)[k] = __float2bfloat16_rn(master.of[k]);
        }
        ((struct eight *)bucket.moments)[i] = first;
        ((struct eight *)(bucket.moments + share))[i] = second;
        ((struct eight *)bucket.master)[i] = master;
        ((uint4 *)weights)[i] = stored;
    }
    if (wrong > 0)
        (void)atomicAdd(mismatched, wrong);
}

void CUDART_CB tell(void *data)
{
    const struct training_post *post = (const struct training_post *)data;

    post->arrived(post->data, post->gpu, post->bucket);
}

} /* namespace */

#if PROBE_KNOWS_NCCL
namespace
{

struct nccl {
    void *handle;
    decltype(&ncclGetVersion) version;
    decltype(&ncclCommInitAll) init;
    decltype(&ncclGetUniqueId) unique_id;
    decltype(&ncclCommInitRank) init_rank;
    decltype(&ncclGroupStart) group_start;
    decltype(&ncclGroupEnd) group_end;
    decltype(&ncclCommDestroy) destroy;
    decltype(&ncclCommAbort) abort;
    decltype(&ncclReduceScatter) reduce_scatter;
    decltype(&ncclAllGather) all_gather;
    decltype(&ncclGetErrorString) error_text;
    const char *(*last_warning)(ncclComm_t comm); /* ncclGetLastError; NULL: before NCCL 2.13 */
};

template <typename F> bool find(void *handle, const char *name, F *ret_function)
{
    *ret_function = (F)dlsym(handle, name);
    return *ret_function != NULL;
}

bool load(struct nccl *nccl)
{
    nccl->handle = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (nccl->handle != NULL)
        (void)find(nccl->handle, "ncclGetLastError", &nccl->last_warning);
    return nccl->handle != NULL && find(nccl->handle, "ncclGetVersion", &nccl->version) &&
           find(nccl->handle, "ncclCommInitAll", &nccl->init) &&
           find(nccl->handle, "ncclGetUniqueId", &nccl->unique_id) &&
           find(nccl->handle, "ncclCommInitRank", &nccl->init_rank) &&
           find(nccl->handle, "ncclGroupStart", &nccl->group_start) &&
           find(nccl->handle, "ncclGroupEnd", &nccl->group_end) &&
           find(nccl->handle, "ncclCommDestroy", &nccl->destroy) &&
           find(nccl->handle, "ncclCommAbort", &nccl->abort) &&
           find(nccl->handle, "ncclReduceScatter", &nccl->reduce_scatter) &&
           find(nccl->handle, "ncclAllGather", &nccl->all_gather) &&
           find(nccl->handle, "ncclGetErrorString", &nccl->error_text);
}

/* NULL: it is not there. */
const struct nccl *the_nccl()
{
    static struct nccl nccl;
    static const bool loaded = load(&nccl);

    return loaded ? &nccl : NULL;
}

/* What NCCL warned of last says what is wrong ("Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 60"), where the text of
 * a result is of a kind ("invalid usage"). */
const char *why(ncclResult_t result)
{
    const struct nccl *nccl = the_nccl();
    const char *warning = nccl->last_warning != NULL ? nccl->last_warning(NULL) : NULL;

    return warning != NULL && warning[0] != '\0' ? warning : nccl->error_text(result);
}

void note(struct training_gpu *gpu, ncclResult_t result, const char *what)
{
    if (result != ncclSuccess && gpu->failed.text[0] == '\0')
        (void)error_set(&gpu->failed, ERROR_INTERNAL, "GPU %u: %s: NCCL: %s", gpu->gpu, what, why(result));
}

ncclResult_t connect_hosts(struct training_joined *joined, const ncclUniqueId &id)
{
    const struct nccl *nccl = the_nccl();
    ncclResult_t result = nccl->group_start(), ended;

    for (unsigned gpu = 0; result == ncclSuccess && gpu < joined->own; gpu++) {
        if (cudaSetDevice((int)gpu) != cudaSuccess)
            result = ncclUnhandledCudaError;
        else
            result = nccl->init_rank(&joined->comms[gpu], (int)joined->gpus, id, (int)(joined->first + gpu));
    }
    ended = nccl->group_end();
    return result != ncclSuccess ? result : ended;
}

/* All hosts together. */
int connect(struct training_joined *joined, const struct world *world, struct error *err)
{
    const struct nccl *nccl = the_nccl();
    ncclUniqueId id = {};
    ncclResult_t result = ncclSuccess;

    if (nccl == NULL)
        return error_set(err, ERROR_INTERNAL, "%u GPUs exchange by NCCL, and there is no libnccl.so.2",
                         joined->gpus);
    if (world->hosts == 1) {
        result = nccl->init(joined->comms, (int)joined->own, NULL);
    } else {
        if (world->host == 0)
            result = nccl->unique_id(&id);
        if (result == ncclSuccess) {
            world_share(world, &id, sizeof id);
            result = connect_hosts(joined, id);
        }
    }
    return result == ncclSuccess
               ? 0
               : error_set(err, ERROR_INTERNAL, "NCCL cannot join the GPUs: %s", why(result));
}

void part(struct training_joined *joined, bool gives_up)
{
    for (unsigned gpu = 0; gpu < joined->own; gpu++) {
        if (joined->comms[gpu] != NULL)
            (void)(gives_up ? the_nccl()->abort(joined->comms[gpu])
                            : the_nccl()->destroy(joined->comms[gpu]));
        joined->comms[gpu] = NULL;
    }
}

void add_up(struct training_gpu *gpu, const struct training_bucket *bucket, size_t share)
{
    note(gpu,
         the_nccl()->reduce_scatter(bucket->sent, bucket->sums, share, ncclFloat, ncclSum,
                                    gpu->joined->comms[gpu->gpu], gpu->exchange),
         "gradients");
}

void give_to_all(struct training_gpu *gpu, const struct training_bucket *bucket, size_t share)
{
    element *weights = (element *)bucket->weights;

    note(gpu,
         the_nccl()->all_gather(weights + share * (gpu->joined->first + gpu->gpu), weights, share, ncclBfloat16,
                                gpu->joined->comms[gpu->gpu], gpu->exchange),
         "parameters");
}

} /* namespace */

void training_exchange_name(unsigned gpus, char ret_name[GPU_NAME_BYTES])
{
    int version = 0;

    if (gpus > 1 && the_nccl() != NULL && the_nccl()->version(&version) == ncclSuccess)
        (void)snprintf(ret_name, GPU_NAME_BYTES, "NCCL %d.%d.%d", version / 10000, version / 100 % 100,
                       version % 100);
    else
        (void)snprintf(ret_name, GPU_NAME_BYTES, "none: one GPU");
}
#else
namespace
{

int connect(struct training_joined *joined, const struct world *, struct error *err)
{
    return error_set(err, ERROR_INTERNAL, "%u GPUs exchange by NCCL, and the probe was built without nccl.h",
                     joined->gpus);
}

void part(struct training_joined *, bool)
{
}

void add_up(struct training_gpu *, const struct training_bucket *, size_t)
{
}

void give_to_all(struct training_gpu *, const struct training_bucket *, size_t)
{
}

} /* namespace */

void training_exchange_name(unsigned, char ret_name[GPU_NAME_BYTES])
{
    (void)snprintf(ret_name, GPU_NAME_BYTES, "none: one GPU");
}
#endif

void *training_join(struct gpu_probe *probe, struct error *err)
{
    struct training_joined *joined = (struct training_joined *)calloc(1, sizeof *joined);

    if (joined == NULL) {
        (void)error_set(err, ERROR_INTERNAL, "no memory");
        return NULL;
    }
    joined->own = probe->device_count;
    joined->gpus = probe->device_count * probe->world.hosts;
    joined->first = probe->device_count * probe->world.host;
    if (joined->gpus > 1 && connect(joined, &probe->world, err) < 0) {
        free(joined);
        return NULL;
    }
    return joined;
}

void training_leave(void *joined)
{
    part((struct training_joined *)joined, false);
    free(joined);
}

void training_give_up(void *joined)
{
    part((struct training_joined *)joined, true);
}

void training_exchange(struct training_gpu *gpu, uint64_t number, const struct training_bucket *bucket,
                       void *gradients, const struct training_adam *adam)
{
    const unsigned gpus = gpu->joined->gpus;
    const size_t share = bucket->room / gpus;
    const size_t from = share * (gpus > 1 ? gpu->joined->first + gpu->gpu : 0);
    element *own = (element *)gradients + from;

    digest_kernel<<<gpu->blocks, TRAINING_THREADS, 0, gpu->compute>>>(
        &gpu->found->gradients, (element *)gradients, bucket->count / 2, bucket->number);
    training_note(gpu, cudaEventRecord(gpu->ready, gpu->compute), "event");
    training_note(gpu, cudaStreamWaitEvent(gpu->exchange, gpu->ready, 0), "event");
    training_note(gpu, cudaLaunchHostFunc(gpu->exchange, tell, &gpu->posts[bucket->number]),
                  "call of the host");
    if (gpus > 1) {
        widen_kernel<<<BLOCKS, TRAINING_THREADS, 0, gpu->exchange>>>(bucket->sent, (element *)gradients,
                                                                     bucket->room);
        add_up(gpu, bucket, share);
    }
    optimize_kernel<<<BLOCKS, TRAINING_THREADS, 0, gpu->exchange>>>(
        *bucket, (element *)bucket->weights + from, own,
        gpus > 1 ? bucket->sums : NULL, share, (float)gpus, *adam, &gpu->found->mismatched);
    training_note(gpu, cudaGetLastError(), "an exchange cannot be started");
    if (gpus > 1)
        give_to_all(gpu, bucket, share);
    training_note(gpu, cudaEventRecord(gpu->done[number % 2], gpu->exchange), "event");
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work on real GPUs. Blocks of four warps, as many on each SM as find room by their shared memory, all of them the same
 * work; each says on which SM it ran. All GPUs are given a round before anybody waits for one.
 *
 * The chains are those of work_host.c in the device's own instructions, so that the host knows the answers; of the special
 * functions it does not.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cuda_try.h"
#include "work_cuda.h"
#include "work_fp8_cuda.h"

extern "C" {
#include "copies.h"
#include "engines.h"
#include "gemm.h"
#include "memory.h"
#include "training.h"
}

namespace
{

enum { BLOCKS_OF_AN_SM = 8, THREADS = WORK_WARPS * WORK_LANES };

/* What a round is asked for; by value. */
struct order {
    uint64_t seed, round;
    unsigned depth, gpu;
    struct injection injection; /* its `any` is false in the rounds that it spares */
};

/* What blocks leave, by block. */
struct answers {
    uint32_t *words, *scratch, *sms;
    uint32_t *slots; /* NULL: the unit that needs them has not come yet */
    unsigned long long *digests;
};

struct cuda_gpu {
    struct answers device;
    uint64_t *digests; /* on the host */
    uint32_t *sms;
    cudaStream_t stream;
    bool has_fp8; /* in what was compiled for its architecture */
};

struct cuda {
    cuda_gpu gpus[GPU_MOST];
    struct engines *engines; /* NULL: no unit needed them yet */
    enum work_unit last;     /* whose words are asked for */
};

__device__ uint32_t sm_number()
{
    uint32_t number;

    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

__device__ uint32_t place_of(unsigned j)
{
    return threadIdx.x * WORK_LANE_WORDS + j;
}

__device__ float float_of(uint32_t random)
{
    return __uint_as_float(work_float_bits(random));
}

__device__ double double_of(uint32_t high, uint32_t low)
{
    return __longlong_as_double((long long)work_double_bits(high, low));
}

__device__ uint32_t integer_word(const order &order, uint32_t place)
{
    uint32_t x = work_random(order.seed, WORK_INTEGER, place);

    for (unsigned i = 0; i < order.depth; i++)
        x = work_integer(x);
    return x;
}

__device__ uint32_t fma32_word(const order &order, uint32_t place)
{
    uint32_t x = work_random(order.seed, WORK_FMA32, place), all = 0;

    for (unsigned i = 0; i < order.depth; i++) {
        x = __float_as_uint(
            __fmaf_rn(float_of(x), float_of(work_integer(x)), float_of(work_rotate(x, 9))));
        all = work_rotate(all, 1) ^ x;
        x = work_integer(x);
    }
    return all;
}

__device__ uint32_t fma64_word(const order &order, uint32_t place)
{
    uint32_t x = work_random(order.seed, WORK_FMA64, place), all = 0;

    for (unsigned i = 0; i < order.depth; i++) {
        uint64_t bits = (uint64_t)__double_as_longlong(
            __fma_rn(double_of(x, work_rotate(x, 5)), double_of(work_integer(x), x),
                     double_of(work_rotate(x, 9), work_rotate(x, 17))));

        all = work_rotate(all, 1) ^ (uint32_t)bits ^ work_rotate((uint32_t)(bits >> 32), 16);
        x = work_integer((uint32_t)bits ^ (uint32_t)(bits >> 32));
    }
    return all;
}

__device__ uint32_t special_word(const order &order, uint32_t place)
{
    uint32_t x = work_random(order.seed, WORK_SPECIAL, place), all = 0;

    for (unsigned i = 0; i < order.depth; i++) {
        float power, root;

        asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(float_of(x)));
        asm volatile("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(float_of(work_integer(x))));
        all = work_rotate(all, 1) ^ __float_as_uint(power) ^ work_rotate(__float_as_uint(root), 16);
        x = work_integer(__float_as_uint(power) ^ work_rotate(__float_as_uint(root), 9));
    }
    return all;
}

__device__ uint32_t shuffle_word(const order &order, uint32_t place)
{
    uint32_t x = work_random(order.seed, WORK_SHUFFLE, place);

    for (unsigned step = 1; step < WORK_LANES; step *= 2)
        x = work_integer(x) ^ __shfl_xor_sync(0xffffffffu, x, step);
    return x;
}

/* Words that change places depth times, through shared memory. */
__device__ void through_shared(const order &order, uint32_t *words)
{
    __shared__ uint32_t sides[2][WORK_WORDS];

    for (unsigned j = 0; j < WORK_LANE_WORDS; j++)
        sides[0][place_of(j)] = work_random(order.seed, WORK_SHARED, place_of(j));
    __syncthreads();
    for (unsigned step = 0; step < order.depth; step++) {
        for (unsigned j = 0; j < WORK_LANE_WORDS; j++)
            sides[(step + 1) % 2][work_elsewhere(place_of(j), step)] =
                work_rotate(sides[step % 2][place_of(j)], 1 + step % 31);
        __syncthreads();
    }
    for (unsigned j = 0; j < WORK_LANE_WORDS; j++)
        words[j] = sides[order.depth % 2][place_of(j)];
}

/* The same through the GPU's memory: the first cache is passed over. */
__device__ void through_memory(const order &order, uint32_t *scratch, uint32_t *words)
{
    for (unsigned j = 0; j < WORK_LANE_WORDS; j++)
        __stcg(&scratch[place_of(j)], work_random(order.seed, WORK_MEMORY, place_of(j)));
    __syncthreads();
    for (unsigned step = 0; step < order.depth; step++) {
        const uint32_t *from = scratch + step % 2 * WORK_WORDS;
        uint32_t *to = scratch + (step + 1) % 2 * WORK_WORDS;

        for (unsigned j = 0; j < WORK_LANE_WORDS; j++)
            __stcg(&to[work_elsewhere(place_of(j), step)], work_rotate(__ldcg(&from[place_of(j)]), 1 + step % 31));
        __threadfence_block();
        __syncthreads();
    }
    for (unsigned j = 0; j < WORK_LANE_WORDS; j++)
        words[j] = __ldcg(&scratch[order.depth % 2 * WORK_WORDS + place_of(j)]);
}

template <int UNIT> __device__ void work_of(const order &order, const answers &answers, uint32_t *words)
{
    uint32_t *scratch = answers.scratch + (size_t)blockIdx.x * 2 * WORK_WORDS;

    if (UNIT == WORK_TENSOR_BF16)
        tensor<__nv_bfloat16>(order.seed, order.depth, WORK_TENSOR_BF16, words);
    else if (UNIT == WORK_TENSOR_FP16)
        tensor<__half>(order.seed, order.depth, WORK_TENSOR_FP16, words);
    else if (UNIT == WORK_TENSOR_INT8)
        tensor<signed char>(order.seed, order.depth, WORK_TENSOR_INT8, words);
    else if (UNIT == WORK_TENSOR_TF32)
        tensor<float>(order.seed, order.depth, WORK_TENSOR_TF32, words);
    else if (UNIT == WORK_TENSOR_FP64)
        tensor<double>(order.seed, order.depth, WORK_TENSOR_FP64, words);
    else if (UNIT == WORK_TENSOR_FP8)
        tensor_fp8(order.seed, order.depth, words);
    else if (UNIT == WORK_SHARED)
        through_shared(order, words);
    else if (UNIT == WORK_MEMORY)
        through_memory(order, scratch, words);
    else if (UNIT == WORK_ATOMIC)
        atomics(order.seed, order.depth, scratch, words);
    else if (UNIT == WORK_HBM)
        through_hbm(order.seed, order.depth, answers.slots + (size_t)blockIdx.x * work_slots(order.depth) * WORK_WORDS, words);
    else
        for (unsigned j = 0; j < WORK_LANE_WORDS; j++)
            words[j] = UNIT == WORK_INTEGER   ? integer_word(order, place_of(j))
                       : UNIT == WORK_FMA32   ? fma32_word(order, place_of(j))
                       : UNIT == WORK_FMA64   ? fma64_word(order, place_of(j))
                       : UNIT == WORK_SPECIAL ? special_word(order, place_of(j))
                       : UNIT == WORK_REDUCE  ? reduced_word(order.seed, order.depth, place_of(j))
                                              : shuffle_word(order, place_of(j));
}

__device__ uint32_t turned_over(const order &order, uint32_t sm)
{
    const struct injection &injection = order.injection;

    return injection.any && injection.gpu == order.gpu && injection.sm == sm &&
                   (injection.lane < 0 || injection.lane == (int)threadIdx.x)
               ? injection.bits
               : 0;
}

template <int UNIT>
__global__ void __launch_bounds__(THREADS, BLOCKS_OF_AN_SM) work_kernel(order order, answers answers)
{
    const uint32_t sm = sm_number(), bits = turned_over(order, sm);
    uint32_t words[WORK_LANE_WORDS];
    unsigned long long digest = 0;

    work_of<UNIT>(order, answers, words);
    for (unsigned j = 0; j < WORK_LANE_WORDS; j++) {
        words[j] ^= bits;
        answers.words[(size_t)blockIdx.x * WORK_WORDS + place_of(j)] = words[j];
        digest += work_digest_of(place_of(j), words[j]);
    }
    for (unsigned step = WORK_LANES / 2; step > 0; step /= 2)
        digest += __shfl_down_sync(0xffffffffu, digest, step);
    if (threadIdx.x % WORK_LANES == 0)
        atomicAdd(&answers.digests[blockIdx.x], digest);
    if (threadIdx.x == 0)
        answers.sms[blockIdx.x] = sm;
}

typedef void (*kernel)(order, answers);
/* NULL: no SM has a part in it. */
const kernel kernels[WORK_UNITS] = {
    work_kernel<WORK_INTEGER>,     work_kernel<WORK_FMA32>,       work_kernel<WORK_FMA64>,
    work_kernel<WORK_SPECIAL>,     work_kernel<WORK_TENSOR_BF16>, work_kernel<WORK_TENSOR_FP16>,
    work_kernel<WORK_TENSOR_INT8>, work_kernel<WORK_SHUFFLE>,     work_kernel<WORK_SHARED>,
    work_kernel<WORK_MEMORY>,      work_kernel<WORK_TENSOR_FP8>,  work_kernel<WORK_TENSOR_TF32>,
    work_kernel<WORK_TENSOR_FP64>, work_kernel<WORK_REDUCE>,      work_kernel<WORK_ATOMIC>,
    work_kernel<WORK_HBM>,         NULL,                          NULL,
};

void describe(struct gpu_device *device, const cudaDeviceProp &properties)
{
    const unsigned char *uuid = (const unsigned char *)properties.uuid.bytes;
    char *at = device->uuid;

    (void)snprintf(device->name, sizeof device->name, "%s", properties.name);
    (void)snprintf(device->bus, sizeof device->bus, "%08x:%02x:%02x.0", properties.pciDomainID,
                   properties.pciBusID, properties.pciDeviceID);
    at += snprintf(at, sizeof device->uuid, "GPU-");
    for (unsigned i = 0; i < 16; i++)
        at += snprintf(at, sizeof device->uuid - (size_t)(at - device->uuid), "%s%02x",
                       i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
    device->sms = (unsigned)properties.multiProcessorCount;
    device->blocks = device->sms * BLOCKS_OF_AN_SM;
    if (device->blocks > GPU_BLOCKS_MOST)
        device->blocks = GPU_BLOCKS_MOST;
}

/* Of the kernels for the GPU in use; what PTX becomes on an architecture that came later nobody has looked at. Where that cannot be
   read there are no kernels for it, and each that is started will say so. */
bool is_fp8_here(const cudaDeviceProp &properties)
{
    enum { MAJOR_LAST = 12 };
    unsigned is_here = 0;

    if (properties.major > MAJOR_LAST || cudaMemcpyFromSymbol(&is_here, fp8_is_here, sizeof is_here) != cudaSuccess) {
        (void)cudaGetLastError();
        return false;
    }
    return is_here != 0;
}

int open_gpu(struct gpu_probe *probe, struct cuda *cuda, unsigned gpu, struct error *err)
{
    struct gpu_device *device = &probe->devices[gpu];
    cuda_gpu *own = &cuda->gpus[gpu];
    cudaDeviceProp properties;
    size_t blocks;

    TRY(cudaSetDevice((int)gpu), "it cannot be used");
    TRY(cudaGetDeviceProperties(&properties, (int)gpu), "it says nothing of itself");
    describe(device, properties);
    (void)snprintf(probe->architecture, sizeof probe->architecture, "sm_%d%d", properties.major, properties.minor);
    own->has_fp8 = is_fp8_here(properties);
    blocks = device->blocks;
    TRY(cudaStreamCreateWithFlags(&own->stream, cudaStreamNonBlocking), "no stream");
    TRY(cudaMalloc((void **)&own->device.words, blocks * WORK_WORDS * sizeof(uint32_t)), "no memory");
    TRY(cudaMalloc((void **)&own->device.scratch, blocks * 2 * WORK_WORDS * sizeof(uint32_t)), "no memory");
    TRY(cudaMalloc((void **)&own->device.sms, blocks * sizeof(uint32_t)), "no memory");
    TRY(cudaMalloc((void **)&own->device.digests, blocks * sizeof(uint64_t)), "no memory");
    TRY(cudaMallocHost((void **)&own->digests, blocks * sizeof(uint64_t)), "no memory of the host");
    TRY(cudaMallocHost((void **)&own->sms, blocks * sizeof(uint32_t)), "no memory of the host");
    return 0;
}

int open_cuda(struct gpu_probe *probe, struct error *err)
{
    struct cuda *cuda = (struct cuda *)calloc(1, sizeof *cuda);
    int count = 0, driver = 0, runtime = 0;
    cudaError_t error;

    if (cuda == NULL)
        return error_set(err, ERROR_INTERNAL, "no memory");
    probe->own = cuda;
    /* In the order of nvidia-smi, by whose numbers all others call them. */
    (void)setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
        return error_set(err, ERROR_INTERNAL, "no GPU can be used: no driver of NVIDIA is loaded");
    error = cudaGetDeviceCount(&count);
    if (error == cudaErrorInsufficientDriver)
        return error_set(err, ERROR_INTERNAL, "no GPU can be used: the driver is too old: it is for CUDA %d.%d, the probe was built with %d.%d",
                         driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    if (error != cudaSuccess)
        return error_set(err, ERROR_INTERNAL, "no GPU can be used: %s (%s)", cudaGetErrorString(error),
                         cudaGetErrorName(error));
    if (count < 1 || count > GPU_MOST)
        return error_set(err, ERROR_INTERNAL, "the driver shows %d GPUs; expected 1 to %d", count, GPU_MOST);
    probe->device_count = (unsigned)count;
    (void)snprintf(probe->driver, sizeof probe->driver, "%d.%d", driver / 1000, driver % 1000 / 10);
    if (cudaRuntimeGetVersion(&runtime) == cudaSuccess)
        (void)snprintf(probe->runtime, sizeof probe->runtime, "%d.%d", runtime / 1000, runtime % 1000 / 10);
    for (unsigned gpu = 0; gpu < probe->device_count; gpu++)
        if (open_gpu(probe, cuda, gpu, err) < 0)
            return -1;
    return 0;
}

/* Whether the round is one of those in which the fault strikes is known here; where, on the device. */
struct injection of_round(const struct injection *injection, unsigned gpu, enum work_unit unit, uint64_t round)
{
    struct injection now = *injection;
    unsigned lane = now.lane >= 0 ? (unsigned)now.lane : 0;

    now.any = injection_bits(injection, gpu, now.sm, unit, lane, round) != 0;
    return now;
}

/* The first time that it is needed: other tests want the memory for themselves. */
int take_slots(const struct gpu_probe *probe, unsigned gpu, struct error *err)
{
    cuda_gpu *own = &((struct cuda *)probe->own)->gpus[gpu];
    const size_t words = (size_t)probe->devices[gpu].blocks * work_slots(probe->options.depth) * WORK_WORDS;

    if (own->device.slots == NULL)
        TRY(cudaMalloc((void **)&own->device.slots, words * sizeof(uint32_t)), "no memory");
    return 0;
}

int start(struct gpu_probe *probe, unsigned gpu, enum work_unit unit, uint64_t seed, uint64_t round,
          struct error *err)
{
    cuda_gpu *own = &((struct cuda *)probe->own)->gpus[gpu];
    const unsigned blocks = probe->devices[gpu].blocks;
    const order order = {seed, round, probe->options.depth, gpu,
                         of_round(&probe->options.injection, gpu, unit, round)};

    TRY(cudaSetDevice((int)gpu), "it cannot be used");
    if (unit == WORK_HBM && take_slots(probe, gpu, err) < 0)
        return -1;
    /* No digest and no SM: what the round before left must not stand for a block that does not run. */
    TRY(cudaMemsetAsync(own->device.digests, 0, blocks * sizeof(uint64_t), own->stream), "memset");
    TRY(cudaMemsetAsync(own->device.sms, 0xff, blocks * sizeof(uint32_t), own->stream), "memset");
    kernels[unit]<<<blocks, THREADS, 0, own->stream>>>(order, own->device);
    TRY(cudaGetLastError(), "the work cannot be started");
    TRY(cudaMemcpyAsync(own->digests, own->device.digests, blocks * sizeof(uint64_t), cudaMemcpyDeviceToHost,
                        own->stream),
        "copy to the host");
    TRY(cudaMemcpyAsync(own->sms, own->device.sms, blocks * sizeof(uint32_t), cudaMemcpyDeviceToHost, own->stream),
        "copy to the host");
    return 0;
}

int work_sms(struct gpu_probe *probe, enum work_unit unit, uint64_t seed, uint64_t round,
             struct gpu_answers *ret_answers, struct error *err)
{
    for (unsigned gpu = 0; gpu < probe->device_count; gpu++)
        if (start(probe, gpu, unit, seed, round, err) < 0)
            return -1;
    for (unsigned gpu = 0; gpu < probe->device_count; gpu++) {
        cuda_gpu *own = &((struct cuda *)probe->own)->gpus[gpu];
        const unsigned blocks = probe->devices[gpu].blocks;

        TRY(cudaSetDevice((int)gpu), "it cannot be used");
        TRY(cudaStreamSynchronize(own->stream), "the work broke off");
        memcpy(ret_answers->digests[gpu], own->digests, blocks * sizeof(uint64_t));
        memcpy(ret_answers->sms[gpu], own->sms, blocks * sizeof(uint32_t));
        ret_answers->blocks[gpu] = blocks;
        ret_answers->peers[gpu] = GPU_MOST;
    }
    return 0;
}

int work_cuda(struct gpu_probe *probe, enum work_unit unit, uint64_t seed, uint64_t round,
              struct gpu_answers *ret_answers, struct error *err)
{
    struct cuda *cuda = (struct cuda *)probe->own;

    cuda->last = unit;
    if (work_is_of_sm(unit))
        return work_sms(probe, unit, seed, round, ret_answers, err);
    if (cuda->engines == NULL)
        cuda->engines = engines_open(probe, err);
    return cuda->engines != NULL ? engines_work(cuda->engines, probe, unit, seed, round, ret_answers, err) : -1;
}

int words_cuda(struct gpu_probe *probe, unsigned gpu, unsigned block, uint32_t ret_words[WORK_WORDS],
               struct error *err)
{
    const struct cuda *cuda = (struct cuda *)probe->own;
    const cuda_gpu *own = &cuda->gpus[gpu];

    if (!work_is_of_sm(cuda->last)) {
        memcpy(ret_words, engines_words(cuda->engines, gpu, block), WORK_WORDS * sizeof(uint32_t));
        return 0;
    }
    TRY(cudaSetDevice((int)gpu), "it cannot be used");
    TRY(cudaMemcpy(ret_words, own->device.words + (size_t)block * WORK_WORDS, WORK_WORDS * sizeof(uint32_t),
                   cudaMemcpyDeviceToHost),
        "copy to the host");
    return 0;
}

/* Of all GPUs, for answers are compared over all. */
const char *lacks_cuda(const struct gpu_probe *probe, enum work_unit unit)
{
    const struct cuda *cuda = (const struct cuda *)probe->own;

    if (unit == WORK_PEER && probe->device_count < 2)
        return "there is one GPU only";
    for (unsigned gpu = 0; unit == WORK_TENSOR_FP8 && gpu < probe->device_count; gpu++)
        if (!cuda->gpus[gpu].has_fp8)
            return "this architecture has no tensor cores for fp8, or the probe no kernel for them";
    return NULL;
}

/* The host computes the others' answers too, but no GPU has run their kernels yet: until one has given what the host has
   (scripts/gpu-day), a kernel that is wrong must not accuse every GPU. Copies have no kernel. */
bool is_known_cuda(enum work_unit unit)
{
    return unit != WORK_SPECIAL && (unit <= WORK_MEMORY || !work_is_of_sm(unit));
}

void close_cuda(struct gpu_probe *probe)
{
    struct cuda *cuda = (struct cuda *)probe->own;

    for (unsigned gpu = 0; cuda != NULL && gpu < probe->device_count; gpu++) {
        cuda_gpu *own = &cuda->gpus[gpu];

        if (cudaSetDevice((int)gpu) != cudaSuccess)
            continue;
        (void)cudaFree(own->device.words);
        (void)cudaFree(own->device.scratch);
        (void)cudaFree(own->device.slots);
        (void)cudaFree(own->device.sms);
        (void)cudaFree(own->device.digests);
        (void)cudaFreeHost(own->digests);
        (void)cudaFreeHost(own->sms);
        if (own->stream != NULL)
            (void)cudaStreamDestroy(own->stream);
    }
    if (cuda != NULL)
        engines_close(cuda->engines);
    free(cuda);
    probe->own = NULL;
}

} /* namespace */

extern "C" const struct gpu_backend gpu_backend_cuda = {"cuda",        open_cuda,     lacks_cuda, work_cuda,    words_cuda,
                                                        is_known_cuda, close_cuda,    &memory_cuda, &gemm_cuda, &copies_cuda,
                                                        &training_cuda};

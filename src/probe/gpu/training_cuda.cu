/* SPDX-License-Identifier: Apache-2.0 */
/* Training on GPUs: what lies between the products. Every sum has a fixed order: threads of a block add up places that are
   TRAINING_THREADS apart, then each other, in the same order each time. */
#include "training_cuda.h"

#include <cstdlib>
#include <cstring>

namespace
{

const float NORM_EPSILON = 1e-5f;

__device__ float value_of(element x)
{
    return __bfloat162float(x);
}

__device__ element rounded(float x)
{
    return __float2bfloat16_rn(x);
}

/* Of all threads of the block, for each of them. */
template <bool MOST> __device__ float of_block(float value)
{
    __shared__ float parts[TRAINING_THREADS / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    for (unsigned step = 16; step > 0; step /= 2) {
        const float other = __shfl_xor_sync(0xffffffffu, value, step);

        value = MOST ? fmaxf(value, other) : value + other;
    }
    __syncthreads();
    if (lane == 0)
        parts[warp] = value;
    __syncthreads();
    value = parts[0];
    for (unsigned i = 1; i < TRAINING_THREADS / 32; i++)
        value = MOST ? fmaxf(value, parts[i]) : value + parts[i];
    return value;
}

#define KERNEL __global__ void __launch_bounds__(TRAINING_THREADS)
#define EACH(i, count)                                                                                           \
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < (count); i += (size_t)gridDim.x * blockDim.x)

KERNEL random_kernel(element *out, size_t count, uint64_t seed, float middle, float span)
{
    EACH (i, count)
        out[i] = rounded(middle + span * training_uniform(seed, (uint32_t)i));
}

KERNEL widen_kernel(float *out, const element *in, size_t count)
{
    EACH (i, count)
        out[i] = value_of(in[i]);
}

/* A block a token. */
KERNEL embed_kernel(element *out, const element *table, const unsigned *tokens, unsigned width)
{
    for (unsigned i = threadIdx.x; i < width; i += TRAINING_THREADS)
        out[(size_t)blockIdx.x * width + i] = table[(size_t)tokens[blockIdx.x] * width + i];
}

/* A block a row of the table that there is a token of. */
KERNEL embed_back_kernel(element *table, const element *d, struct training_places places, unsigned width)
{
    const unsigned from = places.begins[blockIdx.x], to = places.begins[blockIdx.x + 1];

    for (unsigned i = threadIdx.x; i < width; i += TRAINING_THREADS) {
        float sum = 0;

        for (unsigned j = from; j < to; j++)
            sum += value_of(d[(size_t)places.places[j] * width + i]);
        table[(size_t)places.rows[blockIdx.x] * width + i] = rounded(sum);
    }
}

/* A block a token. */
KERNEL norm_kernel(element *out, float *scales, const element *x, const element *weight, unsigned width)
{
    const element *row = x + (size_t)blockIdx.x * width;
    float sum = 0, scale;

    for (unsigned i = threadIdx.x; i < width; i += TRAINING_THREADS)
        sum += value_of(row[i]) * value_of(row[i]);
    scale = 1 / sqrtf(of_block<false>(sum) / (float)width + NORM_EPSILON);
    if (threadIdx.x == 0)
        scales[blockIdx.x] = scale;
    for (unsigned i = threadIdx.x; i < width; i += TRAINING_THREADS)
        out[(size_t)blockIdx.x * width + i] = rounded(value_of(row[i]) * scale * value_of(weight[i]));
}

KERNEL norm_back_kernel(element *d, const element *d_out, const element *x, const element *weight, const float *scales,
                        bool adds, unsigned width)
{
    const element *row = x + (size_t)blockIdx.x * width, *from = d_out + (size_t)blockIdx.x * width;
    element *to = d + (size_t)blockIdx.x * width;
    const float scale = scales[blockIdx.x];
    float along = 0;

    for (unsigned i = threadIdx.x; i < width; i += TRAINING_THREADS)
        along += value_of(from[i]) * value_of(weight[i]) * value_of(row[i]);
    along = of_block<false>(along) * scale * scale / (float)width;
    for (unsigned i = threadIdx.x; i < width; i += TRAINING_THREADS)
        to[i] = rounded((adds ? value_of(to[i]) : 0) +
                        scale * (value_of(from[i]) * value_of(weight[i]) - value_of(row[i]) * along));
}

/* A thread a column, over the tokens of a slice. */
KERNEL norm_weight_kernel(float *partial, const element *d_out, const element *x, const float *scales, unsigned tokens,
                          unsigned width)
{
    const unsigned i = blockIdx.x * TRAINING_THREADS + threadIdx.x;
    const unsigned each = (tokens + TRAINING_SLICES - 1) / TRAINING_SLICES, from = blockIdx.y * each;
    float sum = 0;

    if (i >= width)
        return;
    for (unsigned token = from; token < from + each && token < tokens; token++)
        sum += value_of(d_out[(size_t)token * width + i]) * value_of(x[(size_t)token * width + i]) * scales[token];
    partial[(size_t)blockIdx.y * width + i] = sum;
}

KERNEL slices_kernel(element *out, const float *partial, unsigned width)
{
    EACH (i, width) {
        float sum = 0;

        for (unsigned slice = 0; slice < TRAINING_SLICES; slice++)
            sum += partial[(size_t)slice * width + i];
        out[i] = rounded(sum);
    }
}

struct heads {
    unsigned sequence, heads, kv_heads, width; /* of a head */
};

__host__ __device__ size_t row_of(const struct heads &s)
{
    return (size_t)(s.heads + 2 * s.kv_heads) * s.width;
}

/* Of the pair's first number: where it lies by token, and where by head; which of q, k, v it is of. */
struct pair {
    size_t token, head, turn;
    unsigned kind;
};

__device__ struct pair pair_of(const struct heads &s, size_t i)
{
    const unsigned half = s.width / 2, j = (unsigned)(i % half);
    const unsigned all = s.heads + 2 * s.kv_heads, head = (unsigned)(i / half % all);
    const size_t token = i / half / all, place = token % s.sequence, batch = token / s.sequence;
    struct pair pair;

    pair.kind = head < s.heads ? 0 : head < s.heads + s.kv_heads ? 1 : 2;
    const unsigned own = head - (pair.kind == 0 ? 0 : pair.kind == 1 ? s.heads : s.heads + s.kv_heads);
    const unsigned count = pair.kind == 0 ? s.heads : s.kv_heads;

    pair.token = token * row_of(s) + (size_t)head * s.width + j;
    pair.head = ((batch * count + own) * s.sequence + place) * s.width + j;
    pair.turn = 2 * (place * half + j);
    return pair;
}

__device__ void rotate(element *to, const element *from, float cosine, float sine, unsigned half)
{
    const float x = value_of(from[0]), y = value_of(from[half]);

    to[0] = rounded(x * cosine - y * sine);
    to[half] = rounded(y * cosine + x * sine);
}

template <bool BACK>
KERNEL split_kernel(element *q, element *k, element *v, element *qkv, const float *turns, struct heads s, size_t pairs)
{
    EACH (i, pairs) {
        const struct pair pair = pair_of(s, i);
        element *by_head = (pair.kind == 0 ? q : pair.kind == 1 ? k : v) + pair.head, *by_token = qkv + pair.token;
        const float cosine = pair.kind == 2 ? 1 : turns[pair.turn], sine = pair.kind == 2 ? 0 : turns[pair.turn + 1];

        if (BACK)
            rotate(by_token, by_head, cosine, -sine, s.width / 2);
        else
            rotate(by_head, by_token, cosine, sine, s.width / 2);
    }
}

template <bool BACK> KERNEL merge_kernel(element *tokens, element *heads, struct heads s, size_t count)
{
    EACH (i, count) {
        const size_t j = i % s.width, head = i / s.width % s.heads, token = i / s.width / s.heads;
        element *by_head =
            heads + ((token / s.sequence * s.heads + head) * s.sequence + token % s.sequence) * s.width + j;

        if (BACK)
            *by_head = tokens[i];
        else
            tokens[i] = *by_head;
    }
}

/* A block a row: a place of a head, which looks at all places up to its own. */
KERNEL softmax_kernel(element *scores, unsigned width, float scale)
{
    element *row = scores + (size_t)blockIdx.x * width;
    const unsigned last = blockIdx.x % width;
    float most = -INFINITY, sum = 0;

    for (unsigned i = threadIdx.x; i <= last; i += TRAINING_THREADS)
        most = fmaxf(most, value_of(row[i]));
    most = of_block<true>(most);
    for (unsigned i = threadIdx.x; i <= last; i += TRAINING_THREADS)
        sum += expf((value_of(row[i]) - most) * scale);
    sum = of_block<false>(sum);
    for (unsigned i = threadIdx.x; i < width; i += TRAINING_THREADS)
        row[i] = rounded(i <= last ? expf((value_of(row[i]) - most) * scale) / sum : 0);
}

KERNEL softmax_back_kernel(element *d, const element *shares, unsigned width, float scale)
{
    element *row = d + (size_t)blockIdx.x * width;
    const element *share = shares + (size_t)blockIdx.x * width;
    const unsigned last = blockIdx.x % width;
    float sum = 0;

    for (unsigned i = threadIdx.x; i <= last; i += TRAINING_THREADS)
        sum += value_of(row[i]) * value_of(share[i]);
    sum = of_block<false>(sum);
    for (unsigned i = threadIdx.x; i < width; i += TRAINING_THREADS)
        row[i] = rounded(i <= last ? value_of(share[i]) * (value_of(row[i]) - sum) * scale : 0);
}

KERNEL swiglu_kernel(element *out, const element *gate_up, unsigned width, size_t count)
{
    EACH (i, count) {
        const element *at = gate_up + i / width * 2 * width + i % width;
        const float gate = value_of(at[0]);

        out[i] = rounded(gate / (1 + expf(-gate)) * value_of(at[width]));
    }
}

KERNEL swiglu_back_kernel(element *d_gate_up, const element *d, const element *gate_up, unsigned width, size_t count)
{
    EACH (i, count) {
        const size_t at = i / width * 2 * width + i % width;
        const float gate = value_of(gate_up[at]), up = value_of(gate_up[at + width]), from = value_of(d[i]);
        const float open = 1 / (1 + expf(-gate));

        d_gate_up[at] = rounded(from * up * open * (1 + gate * (1 - open)));
        d_gate_up[at + width] = rounded(from * gate * open);
    }
}

/* A block a token. */
KERNEL loss_kernel(element *logits, const unsigned *targets, float *losses, unsigned width, float tokens)
{
    element *row = logits + (size_t)blockIdx.x * width;
    const unsigned target = targets[blockIdx.x];
    const float right = value_of(row[target]);
    float most = -INFINITY, sum = 0;

    for (unsigned i = threadIdx.x; i < width; i += TRAINING_THREADS)
        most = fmaxf(most, value_of(row[i]));
    most = of_block<true>(most);
    for (unsigned i = threadIdx.x; i < width; i += TRAINING_THREADS)
        sum += expf(value_of(row[i]) - most);
    sum = of_block<false>(sum);
    if (threadIdx.x == 0)
        losses[blockIdx.x] = logf(sum) + most - right;
    for (unsigned i = threadIdx.x; i < width; i += TRAINING_THREADS)
        row[i] = rounded((expf(value_of(row[i]) - most) / sum - (i == target ? 1 : 0)) / tokens);
}

/* One block. */
KERNEL mean_kernel(float *mean, const float *losses, unsigned tokens)
{
    float sum = 0;

    for (unsigned i = threadIdx.x; i < tokens; i += TRAINING_THREADS)
        sum += losses[i];
    sum = of_block<false>(sum);
    if (threadIdx.x == 0)
        *mean = sum / (float)tokens;
}

__global__ void turn_over_kernel(uint16_t *at, uint16_t bits)
{
    *at ^= bits;
}

unsigned tokens_of(const struct training_shape *shape)
{
    return shape->batch * shape->sequence;
}

struct heads heads_of(const struct training_shape *shape)
{
    const struct heads heads = {shape->sequence, shape->heads, shape->kv_heads, shape->hidden / shape->heads};

    return heads;
}

void started(struct training_gpu *gpu)
{
    training_note(gpu, cudaGetLastError(), "a kernel cannot be started");
}

#define START(gpu, blocks) <<<(blocks), TRAINING_THREADS, 0, (gpu)->compute>>>

void names_cuda(const struct gpu_probe *probe, char ret_library[GPU_NAME_BYTES], char ret_exchange[GPU_NAME_BYTES])
{
    training_products_name(ret_library);
    training_exchange_name(probe->device_count * probe->world.hosts, ret_exchange);
}

int memory_cuda(unsigned gpu, uint64_t *ret_total, uint64_t *ret_free, struct error *err)
{
    size_t available, total;

    TRY(cudaSetDevice((int)gpu), "it cannot be used");
    TRY(cudaMemGetInfo(&available, &total), "its memory");
    *ret_total = total;
    *ret_free = available;
    return 0;
}

void close_cuda(struct training_gpu *gpu)
{
    (void)cudaSetDevice((int)gpu->gpu);
    training_products_close(gpu->products);
    (void)cudaFree(gpu->memory);
    (void)cudaFree(gpu->found);
    for (unsigned i = 0; i < 2; i++)
        if (gpu->done[i] != NULL)
            (void)cudaEventDestroy(gpu->done[i]);
    if (gpu->ready != NULL)
        (void)cudaEventDestroy(gpu->ready);
    if (gpu->compute != NULL)
        (void)cudaStreamDestroy(gpu->compute);
    if (gpu->exchange != NULL)
        (void)cudaStreamDestroy(gpu->exchange);
    free(gpu);
}

int take(struct training_gpu *own, uint64_t bytes, struct error *err)
{
    const unsigned gpu = own->gpu;

    TRY(cudaSetDevice((int)gpu), "it cannot be used");
    TRY(cudaStreamCreateWithFlags(&own->compute, cudaStreamNonBlocking), "no stream");
    TRY(cudaStreamCreateWithFlags(&own->exchange, cudaStreamNonBlocking), "no stream");
    TRY(cudaEventCreateWithFlags(&own->ready, cudaEventDisableTiming), "no event");
    for (unsigned i = 0; i < 2; i++)
        TRY(cudaEventCreateWithFlags(&own->done[i], cudaEventDisableTiming), "no event");
    TRY(cudaMalloc((void **)&own->memory, bytes), "no memory");
    TRY(cudaMalloc((void **)&own->found, sizeof *own->found), "no memory");
    TRY(cudaMemset(own->memory, 0, bytes), "memset");
    TRY(cudaMemset(own->found, 0, sizeof *own->found), "memset");
    TRY(cudaDeviceSynchronize(), "memset");
    own->products = training_products_open(own, err);
    return own->products != NULL ? 0 : -1;
}

struct training_gpu *open_cuda(struct gpu_probe *probe, void *joined, unsigned number, uint64_t bytes,
                               char **ret_memory, training_arrived *arrived, void *data, struct error *err)
{
    struct training_gpu *gpu = (struct training_gpu *)calloc(1, sizeof *gpu);

    if (gpu == NULL) {
        (void)error_set(err, ERROR_INTERNAL, "no memory");
        return NULL;
    }
    gpu->gpu = number;
    gpu->blocks = probe->devices[number].sms * 8;
    gpu->joined = (struct training_joined *)joined;
    for (unsigned i = 0; i < TRAINING_BUCKETS_MOST; i++) {
        const struct training_post post = {arrived, data, number, i};

        gpu->posts[i] = post;
    }
    if (take(gpu, bytes, err) < 0) {
        close_cuda(gpu);
        return NULL;
    }
    *ret_memory = gpu->memory;
    return gpu;
}

void load_cuda(struct training_gpu *gpu, void *to, const void *host, size_t bytes)
{
    training_note(gpu, cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice, gpu->compute), "copy to the GPU");
    /* What is copied may go at once. */
    training_note(gpu, cudaStreamSynchronize(gpu->compute), "copy to the GPU");
}

void zero_cuda(struct training_gpu *gpu, void *at, size_t bytes)
{
    if (bytes > 0)
        training_note(gpu, cudaMemsetAsync(at, 0, bytes, gpu->compute), "memset");
}

void random_cuda(struct training_gpu *gpu, void *out, size_t count, uint64_t seed, float middle, float span)
{
    random_kernel START(gpu, gpu->blocks)((element *)out, count, seed, middle, span);
    started(gpu);
}

void widen_cuda(struct training_gpu *gpu, float *out, const void *elements, size_t count)
{
    widen_kernel START(gpu, gpu->blocks)(out, (const element *)elements, count);
    started(gpu);
}

void embed_cuda(struct training_gpu *gpu, void *out, const void *table, const unsigned *tokens,
                const struct training_shape *shape)
{
    embed_kernel START(gpu, tokens_of(shape))((element *)out, (const element *)table, tokens, shape->hidden);
    started(gpu);
}

void embed_back_cuda(struct training_gpu *gpu, void *table, const void *d, const struct training_places *places,
                     const struct training_shape *shape)
{
    embed_back_kernel START(gpu, places->row_count)((element *)table, (const element *)d, *places, shape->hidden);
    started(gpu);
}

void norm_cuda(struct training_gpu *gpu, void *out, float *scale, const void *x, const void *weight,
               const struct training_shape *shape)
{
    norm_kernel START(gpu, tokens_of(shape))((element *)out, scale, (const element *)x, (const element *)weight,
                                             shape->hidden);
    started(gpu);
}

void norm_back_cuda(struct training_gpu *gpu, void *d, void *d_weight, const void *d_out, const void *x,
                    const void *weight, const float *scale, float *partial, bool adds,
                    const struct training_shape *shape)
{
    const unsigned width = shape->hidden, columns = (width + TRAINING_THREADS - 1) / TRAINING_THREADS;

    norm_back_kernel START(gpu, tokens_of(shape))((element *)d, (const element *)d_out, (const element *)x,
                                                  (const element *)weight, scale, adds, width);
    norm_weight_kernel START(gpu, dim3(columns, TRAINING_SLICES))(partial, (const element *)d_out, (const element *)x,
                                                                  scale, tokens_of(shape), width);
    slices_kernel START(gpu, columns)((element *)d_weight, partial, width);
    started(gpu);
}

size_t pairs_of(const struct training_shape *shape)
{
    return tokens_of(shape) * row_of(heads_of(shape)) / 2;
}

void split_cuda(struct training_gpu *gpu, void *q, void *k, void *v, const void *qkv, const float *turns,
                const struct training_shape *shape)
{
    split_kernel<false> START(gpu, gpu->blocks)((element *)q, (element *)k, (element *)v, (element *)qkv, turns,
                                                heads_of(shape), pairs_of(shape));
    started(gpu);
}

void split_back_cuda(struct training_gpu *gpu, void *qkv, const void *q, const void *k, const void *v,
                     const float *turns, const struct training_shape *shape)
{
    split_kernel<true> START(gpu, gpu->blocks)((element *)q, (element *)k, (element *)v, (element *)qkv, turns,
                                               heads_of(shape), pairs_of(shape));
    started(gpu);
}

void merge_cuda(struct training_gpu *gpu, void *tokens, const void *heads, const struct training_shape *shape)
{
    merge_kernel<false> START(gpu, gpu->blocks)((element *)tokens, (element *)heads, heads_of(shape),
                                                (size_t)tokens_of(shape) * shape->hidden);
    started(gpu);
}

void merge_back_cuda(struct training_gpu *gpu, void *heads, const void *tokens, const struct training_shape *shape)
{
    merge_kernel<true> START(gpu, gpu->blocks)((element *)tokens, (element *)heads, heads_of(shape),
                                               (size_t)tokens_of(shape) * shape->hidden);
    started(gpu);
}

float score_scale(const struct training_shape *shape)
{
    return 1 / sqrtf((float)(shape->hidden / shape->heads));
}

void softmax_cuda(struct training_gpu *gpu, void *scores, const struct training_shape *shape)
{
    softmax_kernel START(gpu, tokens_of(shape) * shape->heads)((element *)scores, shape->sequence, score_scale(shape));
    started(gpu);
}

void softmax_back_cuda(struct training_gpu *gpu, void *d, const void *shares, const struct training_shape *shape)
{
    softmax_back_kernel START(gpu, tokens_of(shape) * shape->heads)((element *)d, (const element *)shares,
                                                                    shape->sequence, score_scale(shape));
    started(gpu);
}

void swiglu_cuda(struct training_gpu *gpu, void *out, const void *gate_up, const struct training_shape *shape)
{
    swiglu_kernel START(gpu, gpu->blocks)((element *)out, (const element *)gate_up, shape->ffn,
                                          (size_t)tokens_of(shape) * shape->ffn);
    started(gpu);
}

void swiglu_back_cuda(struct training_gpu *gpu, void *d_gate_up, const void *d, const void *gate_up,
                      const struct training_shape *shape)
{
    swiglu_back_kernel START(gpu, gpu->blocks)((element *)d_gate_up, (const element *)d, (const element *)gate_up,
                                               shape->ffn, (size_t)tokens_of(shape) * shape->ffn);
    started(gpu);
}

void loss_cuda(struct training_gpu *gpu, void *logits, const unsigned *targets, float *losses,
               const struct training_shape *shape)
{
    loss_kernel START(gpu, tokens_of(shape))((element *)logits, targets, losses, shape->vocab,
                                             (float)tokens_of(shape));
    mean_kernel START(gpu, 1)(&gpu->found->loss, losses, tokens_of(shape));
    started(gpu);
}

void turn_over_cuda(struct training_gpu *gpu, void *at, uint32_t bits)
{
    turn_over_kernel<<<1, 1, 0, gpu->compute>>>((uint16_t *)at, (uint16_t)bits);
    started(gpu);
}

void exchanged_cuda(struct training_gpu *gpu, uint64_t number)
{
    training_note(gpu, cudaStreamWaitEvent(gpu->compute, gpu->done[number % 2], 0), "event");
}

int finish_cuda(struct training_gpu *own, struct training_step *ret_step, struct error *err)
{
    const unsigned gpu = own->gpu;
    struct training_found found;

    if (own->failed.text[0] != '\0') {
        *err = own->failed;
        return -1;
    }
    TRY(cudaStreamSynchronize(own->compute), "a step broke off");
    TRY(cudaStreamSynchronize(own->exchange), "an exchange broke off");
    TRY(cudaMemcpy(&found, own->found, sizeof found, cudaMemcpyDeviceToHost), "copy to the host");
    TRY(cudaMemset(own->found, 0, sizeof found), "memset");
    TRY(cudaDeviceSynchronize(), "memset");
    ret_step->loss = found.loss;
    ret_step->gradients = found.gradients;
    ret_step->mismatched = found.mismatched;
    return 0;
}

} /* namespace */

void training_note(struct training_gpu *gpu, cudaError_t error, const char *what)
{
    if (error != cudaSuccess && gpu->failed.text[0] == '\0')
        (void)cuda_failed(error, what, gpu->gpu, &gpu->failed);
}

/* In the order of the struct: C++17 has no designated initialisers. Shapes of Llama 3 8B, arXiv:2407.21783, table 3. */
extern "C" const struct training_ops training_cuda = {
    {4096, 32, 8, 14336, 128256, 0, 2048, 4, 1e-4f},
    sizeof(element),
    true,
    names_cuda,
    memory_cuda,
    training_join,
    training_leave,
    training_give_up,
    open_cuda,
    close_cuda,
    load_cuda,
    zero_cuda,
    random_cuda,
    widen_cuda,
    training_product,
    embed_cuda,
    embed_back_cuda,
    norm_cuda,
    norm_back_cuda,
    split_cuda,
    split_back_cuda,
    merge_cuda,
    merge_back_cuda,
    softmax_cuda,
    softmax_back_cuda,
    swiglu_cuda,
    swiglu_back_cuda,
    loss_cuda,
    turn_over_cuda,
    training_exchange,
    exchanged_cuda,
    finish_cuda,
};

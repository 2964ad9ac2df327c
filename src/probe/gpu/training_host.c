/* SPDX-License-Identifier: Apache-2.0 */
#include "training_host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef float element;

bool training_host_rounds = true;

float training_round(float value)
{
    union {
        float value;
        uint32_t bits;
    } both = {value};

    if (!training_host_rounds || !isfinite(value))
        return value;
    both.bits += 0x7fff + (both.bits >> 16 & 1);
    both.bits &= 0xffff0000u;
    return both.value;
}

static size_t tokens_of(const struct training_shape *shape)
{
    return (size_t)shape->batch * shape->sequence;
}

static void names_host(const struct gpu_probe *probe, char ret_library[GPU_NAME_BYTES],
                       char ret_exchange[GPU_NAME_BYTES])
{
    (void)probe;
    (void)snprintf(ret_library, GPU_NAME_BYTES, "none: loops on the CPU");
    (void)snprintf(ret_exchange, GPU_NAME_BYTES, "threads");
}

static int memory_host(unsigned gpu, uint64_t *ret_total, uint64_t *ret_free, struct error *err)
{
    (void)gpu;
    (void)err;
    *ret_total = *ret_free = (uint64_t)1 << 30;
    return 0;
}

static void *join_host(struct gpu_probe *probe, struct error *err)
{
    return host_exchange_make(&probe->world, probe->device_count, err);
}

static void leave_host(void *joined)
{
    host_exchange_free(joined);
}

static void give_up_host(void *joined)
{
    host_exchange_give_up(joined);
}

static void close_host(struct training_gpu *gpu)
{
    host_exchange_stop(gpu->exchange, gpu->number);
    free(gpu->memory);
    free(gpu);
}

static struct training_gpu *open_host(struct gpu_probe *probe, void *joined, unsigned number, uint64_t bytes,
                                      char **ret_memory, training_arrived *arrived, void *data,
                                      struct error *err)
{
    struct training_gpu *gpu = calloc(1, sizeof *gpu);

    (void)probe;
    if (gpu != NULL)
        gpu->memory = calloc(1, bytes);
    if (gpu == NULL || gpu->memory == NULL) {
        free(gpu);
        (void)error_set(err, ERROR_INTERNAL, "GPU %u: no memory", number);
        return NULL;
    }
    gpu->exchange = joined;
    gpu->number = number;
    gpu->arrived = arrived;
    gpu->data = data;
    if (host_exchange_start(joined, number, err) < 0) {
        close_host(gpu);
        return NULL;
    }
    *ret_memory = gpu->memory;
    return gpu;
}

static void load_host(struct training_gpu *gpu, void *to, const void *host, size_t bytes)
{
    (void)gpu;
    memcpy(to, host, bytes);
}

static void zero_host(struct training_gpu *gpu, void *at, size_t bytes)
{
    (void)gpu;
    memset(at, 0, bytes);
}

static void random_host(struct training_gpu *gpu, void *out, size_t count, uint64_t seed, float middle,
                        float span)
{
    element *to = out;

    (void)gpu;
    for (size_t i = 0; i < count; i++)
        to[i] = training_round(middle + span * training_uniform(seed, (uint32_t)i));
}

static void widen_host(struct training_gpu *gpu, float *out, const void *elements, size_t count)
{
    (void)gpu;
    memcpy(out, elements, count * sizeof *out);
}

static void multiply(const struct training_product *p, const element *a, const element *b,
                     const element *plus, element *c)
{
    const size_t a_row = p->a_on_side ? 1 : p->k, a_step = p->a_on_side ? p->m : 1;
    const size_t b_column = p->b_on_side ? p->k : 1, b_step = p->b_on_side ? 1 : p->n;

    for (size_t row = 0; row < p->m; row++)
        for (size_t column = 0; column < p->n; column++) {
            const element *left = a + row * a_row, *right = b + column * b_column;
            float sum = 0;

            for (size_t i = 0; i < p->k; i++)
                sum += left[i * a_step] * right[i * b_step];
            c[row * p->n + column] = training_round(sum + (plus != NULL ? plus[row * p->n + column] : 0));
        }
}

static void product_host(struct training_gpu *gpu, const struct training_product *p)
{
    const element *a = p->a, *b = p->b, *plus = p->plus;
    element *c = p->c;

    (void)gpu;
    for (size_t i = 0; i < p->batch; i++)
        multiply(p, a + i * p->m * p->k, b + i * p->k * p->n, plus != NULL ? plus + i * p->m * p->n : NULL,
                 c + i * p->m * p->n);
}

static void embed_host(struct training_gpu *gpu, void *out, const void *table, const unsigned *tokens,
                       const struct training_shape *shape)
{
    (void)gpu;
    for (size_t i = 0; i < tokens_of(shape); i++)
        memcpy((element *)out + i * shape->hidden, (const element *)table + (size_t)tokens[i] * shape->hidden,
               shape->hidden * sizeof(element));
}

static void embed_back_host(struct training_gpu *gpu, void *table, const void *d,
                            const struct training_places *places, const struct training_shape *shape)
{
    (void)gpu;
    for (unsigned row = 0; row < places->row_count; row++)
        for (size_t i = 0; i < shape->hidden; i++) {
            float sum = 0;

            for (unsigned j = places->begins[row]; j < places->begins[row + 1]; j++)
                sum += ((const element *)d)[(size_t)places->places[j] * shape->hidden + i];
            ((element *)table)[(size_t)places->rows[row] * shape->hidden + i] = training_round(sum);
        }
}

static const float NORM_EPSILON = 1e-5f;

static void norm_host(struct training_gpu *gpu, void *out, float *scale, const void *x, const void *weight,
                      const struct training_shape *shape)
{
    const size_t width = shape->hidden;

    (void)gpu;
    for (size_t token = 0; token < tokens_of(shape); token++) {
        const element *row = (const element *)x + token * width;
        float sum = 0;

        for (size_t i = 0; i < width; i++)
            sum += row[i] * row[i];
        scale[token] = 1 / sqrtf(sum / (float)width + NORM_EPSILON);
        for (size_t i = 0; i < width; i++)
            ((element *)out)[token * width + i] =
                training_round(row[i] * scale[token] * ((const element *)weight)[i]);
    }
}

static void norm_back_host(struct training_gpu *gpu, void *d, void *d_weight, const void *d_out,
                           const void *x, const void *weight, const float *scale, float *partial, bool adds,
                           const struct training_shape *shape)
{
    const size_t width = shape->hidden;
    const element *w = weight;

    (void)gpu;
    memset(partial, 0, width * sizeof *partial);
    for (size_t token = 0; token < tokens_of(shape); token++) {
        const element *row = (const element *)x + token * width,
                      *from = (const element *)d_out + token * width;
        element *to = (element *)d + token * width;
        float along = 0;

        for (size_t i = 0; i < width; i++) {
            along += from[i] * w[i] * row[i];
            partial[i] += from[i] * row[i] * scale[token];
        }
        along = along * scale[token] * scale[token] / (float)width;
        for (size_t i = 0; i < width; i++)
            to[i] = training_round((adds ? to[i] : 0) + scale[token] * (from[i] * w[i] - row[i] * along));
    }
    for (size_t i = 0; i < width; i++)
        ((element *)d_weight)[i] = training_round(partial[i]);
}

/* Two numbers of a head that are rotated by their place; against it on the way back. */
static void rotate(element *to, const element *from, const float *turn, size_t half, bool back)
{
    const float cosine = turn[0], sine = back ? -turn[1] : turn[1], x = from[0], y = from[half];

    to[0] = training_round(x * cosine - y * sine);
    to[half] = training_round(y * cosine + x * sine);
}

/* Of all places and heads: what lies by token, and what lies by head. kind: 0 queries, 1 keys, 2 values. */
static void each_head(const struct training_shape *shape, unsigned kind, const float *turns, element *qkv,
                      element *by_head, bool back)
{
    const size_t width = shape->hidden / shape->heads, half = width / 2;
    const size_t heads = kind == 0 ? shape->heads : shape->kv_heads;
    const size_t row = shape->hidden + 2 * width * shape->kv_heads;
    const size_t from = kind == 0 ? 0 : shape->hidden + (kind - 1) * width * shape->kv_heads;

    for (size_t token = 0; token < tokens_of(shape); token++)
        for (size_t head = 0; head < heads; head++) {
            const size_t place = token % shape->sequence, sequence = token / shape->sequence;
            element *left = qkv + token * row + from + head * width;
            element *right = by_head + ((sequence * heads + head) * shape->sequence + place) * width;

            if (kind == 2)
                memcpy(back ? left : right, back ? right : left, width * sizeof(element));
            for (size_t i = 0; kind != 2 && i < half; i++)
                rotate((back ? left : right) + i, (back ? right : left) + i, turns + 2 * (place * half + i),
                       half, back);
        }
}

static void split_host(struct training_gpu *gpu, void *q, void *k, void *v, const void *qkv,
                       const float *turns, const struct training_shape *shape)
{
    (void)gpu;
    each_head(shape, 0, turns, (element *)(uintptr_t)qkv, q, false);
    each_head(shape, 1, turns, (element *)(uintptr_t)qkv, k, false);
    each_head(shape, 2, turns, (element *)(uintptr_t)qkv, v, false);
}

static void split_back_host(struct training_gpu *gpu, void *qkv, const void *q, const void *k, const void *v,
                            const float *turns, const struct training_shape *shape)
{
    (void)gpu;
    each_head(shape, 0, turns, qkv, (element *)(uintptr_t)q, true);
    each_head(shape, 1, turns, qkv, (element *)(uintptr_t)k, true);
    each_head(shape, 2, turns, qkv, (element *)(uintptr_t)v, true);
}

static void move_heads(element *tokens, element *heads, const struct training_shape *shape, bool back)
{
    const size_t width = shape->hidden / shape->heads;

    for (size_t token = 0; token < tokens_of(shape); token++)
        for (size_t head = 0; head < shape->heads; head++) {
            const size_t place = token % shape->sequence, sequence = token / shape->sequence;
            element *left = tokens + token * shape->hidden + head * width;
            element *right = heads + ((sequence * shape->heads + head) * shape->sequence + place) * width;

            memcpy(back ? right : left, back ? left : right, width * sizeof(element));
        }
}

static void merge_host(struct training_gpu *gpu, void *tokens, const void *heads,
                       const struct training_shape *shape)
{
    (void)gpu;
    move_heads(tokens, (element *)(uintptr_t)heads, shape, false);
}

static void merge_back_host(struct training_gpu *gpu, void *heads, const void *tokens,
                            const struct training_shape *shape)
{
    (void)gpu;
    move_heads((element *)(uintptr_t)tokens, heads, shape, true);
}

static float score_scale(const struct training_shape *shape)
{
    return 1 / sqrtf((float)(shape->hidden / shape->heads));
}

static void softmax_host(struct training_gpu *gpu, void *scores, const struct training_shape *shape)
{
    const size_t width = shape->sequence;
    const float scale = score_scale(shape);

    (void)gpu;
    for (size_t row = 0; row < tokens_of(shape) * shape->heads; row++) {
        element *at = (element *)scores + row * width;
        const size_t last = row % width;
        float most = at[0], sum = 0;

        for (size_t i = 1; i <= last; i++)
            most = fmaxf(most, at[i]);
        for (size_t i = 0; i <= last; i++)
            sum += expf((at[i] - most) * scale);
        for (size_t i = 0; i < width; i++)
            at[i] = i <= last ? training_round(expf((at[i] - most) * scale) / sum) : 0;
    }
}

static void softmax_back_host(struct training_gpu *gpu, void *d, const void *shares,
                              const struct training_shape *shape)
{
    const size_t width = shape->sequence;
    const float scale = score_scale(shape);

    (void)gpu;
    for (size_t row = 0; row < tokens_of(shape) * shape->heads; row++) {
        element *at = (element *)d + row * width;
        const element *share = (const element *)shares + row * width;
        float sum = 0;

        for (size_t i = 0; i <= row % width; i++)
            sum += at[i] * share[i];
        for (size_t i = 0; i < width; i++)
            at[i] = i <= row % width ? training_round(share[i] * (at[i] - sum) * scale) : 0;
    }
}

static void swiglu_host(struct training_gpu *gpu, void *out, const void *gate_up,
                        const struct training_shape *shape)
{
    const size_t width = shape->ffn;

    (void)gpu;
    for (size_t token = 0; token < tokens_of(shape); token++)
        for (size_t i = 0; i < width; i++) {
            const element *at = (const element *)gate_up + token * 2 * width + i;

            ((element *)out)[token * width + i] = training_round(at[0] / (1 + expf(-at[0])) * at[width]);
        }
}

static void swiglu_back_host(struct training_gpu *gpu, void *d_gate_up, const void *d, const void *gate_up,
                             const struct training_shape *shape)
{
    const size_t width = shape->ffn;

    (void)gpu;
    for (size_t token = 0; token < tokens_of(shape); token++)
        for (size_t i = 0; i < width; i++) {
            const element *at = (const element *)gate_up + token * 2 * width + i;
            element *to = (element *)d_gate_up + token * 2 * width + i;
            const float from = ((const element *)d)[token * width + i], open = 1 / (1 + expf(-at[0]));

            to[0] = training_round(from * at[width] * open * (1 + at[0] * (1 - open)));
            to[width] = training_round(from * at[0] * open);
        }
}

static void loss_host(struct training_gpu *gpu, void *logits, const unsigned *targets, float *losses,
                      const struct training_shape *shape)
{
    const size_t width = shape->vocab;
    const float tokens = (float)tokens_of(shape);

    gpu->loss = 0;
    for (size_t token = 0; token < tokens_of(shape); token++) {
        element *at = (element *)logits + token * width;
        float most = at[0], sum = 0;

        for (size_t i = 1; i < width; i++)
            most = fmaxf(most, at[i]);
        for (size_t i = 0; i < width; i++)
            sum += expf(at[i] - most);
        losses[token] = logf(sum) + most - at[targets[token]];
        gpu->loss += losses[token];
        for (size_t i = 0; i < width; i++)
            at[i] = training_round((expf(at[i] - most) / sum - (i == targets[token] ? 1 : 0)) / tokens);
    }
    gpu->loss /= tokens;
}

static void turn_over_host(struct training_gpu *gpu, void *at, uint32_t bits)
{
    union {
        float value;
        uint32_t bits;
    } both = {*(element *)at};

    (void)gpu;
    both.bits ^= bits << 16;
    *(element *)at = both.value;
}

static void exchange_host(struct training_gpu *gpu, uint64_t number, const struct training_bucket *bucket,
                          void *gradients, const struct training_adam *adam)
{
    gpu->arrived(gpu->data, gpu->number, bucket->number);
    host_exchange_post(gpu->exchange, gpu->number, number, bucket, gradients, adam);
}

/* Given up is told by finish. */
static void exchanged_host(struct training_gpu *gpu, uint64_t number)
{
    (void)host_exchange_wait(gpu->exchange, gpu->number, number);
}

static int finish_host(struct training_gpu *gpu, struct training_step *ret_step, struct error *err)
{
    ret_step->loss = gpu->loss;
    return host_exchange_finish(gpu->exchange, gpu->number, ret_step) < 0
               ? error_set(err, ERROR_INTERNAL, "GPU %u: another GPU has failed", gpu->number)
               : 0;
}

const struct training_ops training_host = {
    .shape = {.hidden = 32,
              .heads = 4,
              .kv_heads = 2,
              .ffn = 48,
              .vocab = 64,
              .layers = 2,
              .sequence = 16,
              .batch = 2,
              .rate = 0.003f},
    .element_bytes = sizeof(element),
    .names = names_host,
    .memory = memory_host,
    .join = join_host,
    .leave = leave_host,
    .give_up = give_up_host,
    .open = open_host,
    .close = close_host,
    .load = load_host,
    .zero = zero_host,
    .random = random_host,
    .widen = widen_host,
    .product = product_host,
    .embed = embed_host,
    .embed_back = embed_back_host,
    .norm = norm_host,
    .norm_back = norm_back_host,
    .split = split_host,
    .split_back = split_back_host,
    .merge = merge_host,
    .merge_back = merge_back_host,
    .softmax = softmax_host,
    .softmax_back = softmax_back_host,
    .swiglu = swiglu_host,
    .swiglu_back = swiglu_back_host,
    .loss = loss_host,
    .turn_over = turn_over_host,
    .exchange = exchange_host,
    .exchanged = exchanged_host,
    .finish = finish_host,
};

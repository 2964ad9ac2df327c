/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test training: steps of a decoder-only transformer, as one GPU, all of a host or all of several hosts train it. Every GPU
 * has a replica and is given the same tokens, which no training would do, so that of each number there is one right
 * answer, to the last bit:
 *
 *   - What a GPU computes from the same input is the same, for every sum is added up in an order that follows from the
 *     shape alone (no atomics on floats; of cuBLASLt the first way that it offers, none that adds up in place).
 *   - Gradients are rounded to bf16, 8 bits, before they are added up over the GPUs in fp32, 24 bits. Equal ones add up
 *     without a rounding, in any order, on up to 65,536 GPUs: the sum over n GPUs is n times what each of them has. So
 *     every GPU can hold what it gets against its own gradient, and the mean is that gradient: losses are the same bits
 *     on one GPU and on eight, whatever way NCCL takes.
 *
 * A digest of a step is of its loss and of the GPU's own gradients, before they are exchanged: who differs from its
 * siblings is named.
 *
 * What is computed, and in which order, is told in C once (training_model.c) in words of struct training_ops, which a
 * backend does on one GPU. Calls return at once; what goes wrong is told by finish.
 */
#ifndef ASSAY_PROBE_TRAINING_H
#define ASSAY_PROBE_TRAINING_H

#include "gpu.h"

enum { TRAINING_LAYERS_MOST = 128, TRAINING_STEPS_MOST = 2000 };

struct training_shape {
    unsigned hidden, heads, kv_heads, ffn, vocab, layers, sequence, batch;
    float rate; /* of learning */
};

/* c = op(a) op(b) (+ plus): m x n of elements, row by row; a is m x k, or on its side k x m; b is k x n, or on its side
   n x k. Of a batch one lies behind the other. */
struct training_product {
    unsigned m, n, k, batch;
    bool a_on_side, b_on_side;
    const void *a, *b, *plus; /* plus: NULL; may be c */
    void *c;
};

/* Parameters that are exchanged together. */
struct training_bucket {
    size_t count;    /* that are used */
    size_t room;     /* a multiple of 8 for each GPU */
    char *weights;   /* elements: all of them */
    float *master;   /* this GPU's share, room / GPUs, as it is optimized */
    float *moments;  /* twice as many: the first, then the second */
    float *sent;     /* room of them, for an exchange that adds up floats; shared by all buckets */
    float *sums;     /* likewise, of this GPU's share */
    unsigned number; /* in the order of exchanges; the random numbers' too */
};

/* Adam's, of a step. */
struct training_adam {
    float rate, first, second, epsilon; /* shares that moments keep */
    float first_bias, second_bias;      /* what they are divided by */
};

/* Where a batch has each of its tokens, so that gradients of the table add up in that order. */
struct training_places {
    unsigned *tokens, *targets; /* of each place */
    unsigned *rows, *begins;    /* tokens that are there; where in `places` they begin, one more at the end */
    unsigned *places;
    unsigned row_count;
};

/* What a step left on a GPU. */
struct training_step {
    float loss;
    uint64_t gradients;  /* a digest of the GPU's own, before the exchange */
    uint64_t mismatched; /* sums that are not so many times the own gradient */
};

/* In -1 .. 1: a counter makes it. */
WORK_FUNCTION float training_uniform(uint64_t seed, uint32_t i)
{
    enum { UNIT = 64 /* none of sdc's */ };

    return (float)(work_random(seed, UNIT, i) >> 8) * (1.0f / 8388608.0f) - 1.0f;
}

/* What two neighbours of a bucket's gradients add to the digest, which GPUs add up in any order. */
WORK_FUNCTION uint64_t training_digest_of(unsigned bucket, uint64_t pair, uint32_t first, uint32_t second)
{
    return work_mix(((pair << 32) | (second << 16) | first) + (bucket + 1) * 0x9e3779b97f4a7c15u);
}

/* Called where a GPU has computed what it exchanges next, by any thread. */
typedef void training_arrived(void *data, unsigned gpu, unsigned bucket);

struct training_gpu; /* the backend's, of one GPU */

struct training_ops {
    struct training_shape
        shape; /* its layers: where nothing else is said; 0: as many as there is memory for */
    unsigned element_bytes;
    bool stages; /* an exchange needs the buckets' sent and sums */
    /* What multiplies, and what exchanges; "" where there is none. */
    void (*names)(const struct gpu_probe *probe, char ret_library[GPU_NAME_BYTES],
                  char ret_exchange[GPU_NAME_BYTES]);
    int (*memory)(unsigned gpu, uint64_t *ret_total, uint64_t *ret_free, struct error *err);

    /* The exchange of all GPUs; once, before the first opens. */
    void *(*join)(struct gpu_probe *probe, struct error *err);
    void (*leave)(void *joined);
    /* Ends all waiting for one another: a GPU has failed. */
    void (*give_up)(void *joined);
    /* With so many bytes that are 0. NULL with err set. */
    struct training_gpu *(*open)(struct gpu_probe *probe, void *joined, unsigned gpu, uint64_t bytes,
                                 char **ret_memory, training_arrived *arrived, void *data, struct error *err);
    void (*close)(struct training_gpu *gpu);
    void (*load)(struct training_gpu *gpu, void *to, const void *host, size_t bytes);

    void (*zero)(struct training_gpu *gpu, void *at, size_t bytes);
    /* middle + span * training_uniform(seed, i), rounded. */
    void (*random)(struct training_gpu *gpu, void *out, size_t count, uint64_t seed, float middle,
                   float span);
    void (*widen)(struct training_gpu *gpu, float *out, const void *elements, size_t count);
    void (*product)(struct training_gpu *gpu, const struct training_product *product);
    void (*embed)(struct training_gpu *gpu, void *out, const void *table, const unsigned *tokens,
                  const struct training_shape *shape);
    /* table: 0 where no token is. */
    void (*embed_back)(struct training_gpu *gpu, void *table, const void *d,
                       const struct training_places *places, const struct training_shape *shape);
    /* out = x * scale * weight, scale = 1 / sqrt(mean of x^2), of each token. */
    void (*norm)(struct training_gpu *gpu, void *out, float *scale, const void *x, const void *weight,
                 const struct training_shape *shape);
    /* d = what comes through it, added to what is there where `adds`; partial: floats, TRAINING_SLICES x hidden. */
    void (*norm_back)(struct training_gpu *gpu, void *d, void *d_weight, const void *d_out, const void *x,
                      const void *weight, const float *scale, float *partial, bool adds,
                      const struct training_shape *shape);
    /* [token][heads, kv heads, kv heads] into q, k, v by head, q and k rotated by their place; and back. */
    void (*split)(struct training_gpu *gpu, void *q, void *k, void *v, const void *qkv, const float *turns,
                  const struct training_shape *shape);
    void (*split_back)(struct training_gpu *gpu, void *qkv, const void *q, const void *k, const void *v,
                       const float *turns, const struct training_shape *shape);
    /* By head to by token; and back. */
    void (*merge)(struct training_gpu *gpu, void *tokens, const void *heads,
                  const struct training_shape *shape);
    void (*merge_back)(struct training_gpu *gpu, void *heads, const void *tokens,
                       const struct training_shape *shape);
    /* Of scores, in place; what comes later in the sequence counts nothing. d likewise. */
    void (*softmax)(struct training_gpu *gpu, void *scores, const struct training_shape *shape);
    void (*softmax_back)(struct training_gpu *gpu, void *d, const void *shares,
                         const struct training_shape *shape);
    /* out = silu(gate) * up, of [token][gate, up]. */
    void (*swiglu)(struct training_gpu *gpu, void *out, const void *gate_up,
                   const struct training_shape *shape);
    void (*swiglu_back)(struct training_gpu *gpu, void *d_gate_up, const void *d, const void *gate_up,
                        const struct training_shape *shape);
    /* The loss of the step, and in place of logits the gradient; losses: floats, a token each. */
    void (*loss)(struct training_gpu *gpu, void *logits, const unsigned *targets, float *losses,
                 const struct training_shape *shape);
    /* Turns bits over in the element: something wrong on purpose. */
    void (*turn_over)(struct training_gpu *gpu, void *element, uint32_t bits);

    /* Adds the bucket's gradients to the step's digest; then, while the GPU goes on: adds them up over all GPUs, moves
       the own share of the parameters, and gives it to all. `number` counts from 0 over all steps. */
    void (*exchange)(struct training_gpu *gpu, uint64_t number, const struct training_bucket *bucket,
                     void *gradients, const struct training_adam *adam);
    /* What follows may overwrite what that exchange was given. */
    void (*exchanged)(struct training_gpu *gpu, uint64_t number);
    /* All is done; what the step left. */
    int (*finish)(struct training_gpu *gpu, struct training_step *ret_step, struct error *err);
};

extern const struct training_ops training_host, training_cuda;

enum { TRAINING_SLICES = 64, TRAINING_BATCHES = 4 /* that take turns */ };

/* training_data.c: tokens of a batch, targets, and where each is; cosines and sines of the rotation. */
int training_places_make(struct training_places *ret_places, const struct training_shape *shape,
                         uint64_t seed, unsigned batch, struct error *err);
void training_places_free(struct training_places *places);
/* sequence x head / 2 pairs, cos and sin: the same bits everywhere, for it takes no function of a library that rounds. */
void training_turns(float *ret_turns, const struct training_shape *shape);

/* training_model.c */
struct training_model;

size_t training_parameters(const struct training_shape *shape); /* all */
double training_operations(const struct training_shape *shape); /* of a step of one GPU, as counted for MFU */
double training_forward_operations(
    const struct training_shape *shape); /* of these before the first exchange */
/* On each of so many GPUs. */
uint64_t training_bytes(const struct training_ops *ops, const struct training_shape *shape, unsigned gpus);
unsigned training_buckets(const struct training_shape *shape);
/* Weights by the seed, the same on every GPU; memory: training_bytes of zeros. NULL with err set. */
struct training_model *training_model_make(const struct training_ops *ops, struct training_gpu *gpu,
                                           char *memory, const struct training_shape *shape, uint64_t seed,
                                           unsigned number, unsigned gpus, struct error *err);
void training_model_free(struct training_model *model);
/* Forward, backward, exchange, optimizer; flip: bits of a gradient that are turned over, 0: none. */
void training_model_step(struct training_model *model, unsigned step, uint32_t flip);

#endif

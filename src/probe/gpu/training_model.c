/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One GPU's part of a training step: a transformer as Llama 3 is (RMS norm before each half of a layer, rotated
 * positions, heads that share keys and values, SwiGLU), cross entropy, AdamW without decay. Backward goes from the last
 * layer to the first; the gradients of each are exchanged while those of the next are computed, between two buffers.
 *
 * Of a layer is kept what backward cannot make again by a product of vectors: norms, SwiGLU and shares of attention are
 * computed twice, these with one product more. That is work which the operations of a step do not count.
 */
#include <math.h>
#include <stdlib.h>

#include "training.h"

enum { ALIGNMENT = 256 };

struct layer_weights {
    char *norm1, *qkv, *out, *norm2, *gate_up, *down;
};

/* Of the forward pass, for backward. */
struct layer_kept {
    char *x, *q, *k, *v, *merged, *middle, *gate_up;
    float *scale1, *scale2;
};

struct training_model {
    const struct training_ops *ops;
    struct training_gpu *gpu;
    struct training_shape shape;
    unsigned number, gpus;
    /* 0: the head with its norm; then layers from the last to the first; then the table of tokens. */
    struct training_bucket buckets[TRAINING_LAYERS_MOST + 2];
    struct layer_kept kept[TRAINING_LAYERS_MOST];
    struct training_places batches[TRAINING_BATCHES]; /* on the GPU */
    char *gradients[2];
    char *last, *normed, *d, *d_normed, *d_tokens, *heads, *d_q, *d_k, *d_v; /* tokens x hidden, or less */
    char *d_qkv, *logits, *shares, *d_shares, *inner, *d_inner, *d_gate_up;
    float *scale, *partial, *losses, *turns;
    uint64_t exchanges;
    float first_share, second_share; /* Adam's, to the power of the step */
};

static size_t tokens_of(const struct training_shape *shape)
{
    return (size_t)shape->batch * shape->sequence;
}

static size_t keys_width(const struct training_shape *shape)
{
    return (size_t)shape->hidden / shape->heads * shape->kv_heads;
}

static size_t qkv_width(const struct training_shape *shape)
{
    return shape->hidden + 2 * keys_width(shape);
}

static size_t layer_parameters(const struct training_shape *shape)
{
    const size_t hidden = shape->hidden;

    return hidden * (2 + qkv_width(shape) + hidden + 3 * (size_t)shape->ffn);
}

static size_t bucket_parameters(const struct training_shape *shape, unsigned bucket)
{
    const size_t table = (size_t)shape->vocab * shape->hidden;

    return bucket == 0 ? shape->hidden + table : bucket <= shape->layers ? layer_parameters(shape) : table;
}

unsigned training_buckets(const struct training_shape *shape)
{
    return shape->layers + 2;
}

size_t training_parameters(const struct training_shape *shape)
{
    size_t all = 0;

    for (unsigned i = 0; i < training_buckets(shape); i++)
        all += bucket_parameters(shape, i);
    return all;
}

/* 6 N + 12 L h s for each token: Kaplan 2020, arXiv:2001.08361; PaLM, arXiv:2204.02311, appendix B. N without the table
   of tokens, in which one is looked up; that later tokens count nothing is not deducted, nor is it in what is done. */
double training_operations(const struct training_shape *shape)
{
    const double table = (double)shape->vocab * shape->hidden, tokens = (double)tokens_of(shape);

    return tokens * (6 * ((double)training_parameters(shape) - table) +
                     12.0 * shape->layers * shape->hidden * shape->sequence);
}

/* A third of all is forward; of the head backward is before the first exchange too. */
double training_forward_operations(const struct training_shape *shape)
{
    const double table = (double)shape->vocab * shape->hidden;

    return training_operations(shape) / 3 + 4 * table * (double)tokens_of(shape);
}

struct room {
    char *at;
    uint64_t taken;
};

static char *take(struct room *room, size_t bytes)
{
    char *at = room->at != NULL ? room->at + room->taken : NULL;

    room->taken += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return at;
}

static void place_stage(struct training_model *model, struct room *room, size_t most)
{
    float *sent = (float *)(void *)take(room, most * sizeof(float));
    float *sums = (float *)(void *)take(room, most / model->gpus * sizeof(float));

    for (unsigned i = 0; i < training_buckets(&model->shape); i++) {
        model->buckets[i].sent = sent;
        model->buckets[i].sums = sums;
    }
}

static void place_buckets(struct training_model *model, struct room *room)
{
    const size_t element = model->ops->element_bytes;
    size_t most = 0;

    for (unsigned i = 0; i < training_buckets(&model->shape); i++) {
        struct training_bucket *bucket = &model->buckets[i];
        const size_t step = 8 * (size_t)model->gpus;

        bucket->number = i;
        bucket->count = bucket_parameters(&model->shape, i);
        bucket->room = (bucket->count + step - 1) / step * step;
        bucket->weights = take(room, bucket->room * element);
        bucket->master = (float *)(void *)take(room, bucket->room / model->gpus * sizeof(float));
        bucket->moments = (float *)(void *)take(room, bucket->room / model->gpus * 2 * sizeof(float));
        most = bucket->room > most ? bucket->room : most;
    }
    for (unsigned i = 0; i < 2; i++)
        model->gradients[i] = take(room, most * element);
    if (model->ops->stages && model->gpus > 1)
        place_stage(model, room, most);
}

static void place_kept(struct training_model *model, struct room *room)
{
    const struct training_shape *shape = &model->shape;
    const size_t tokens = tokens_of(shape), row = tokens * model->ops->element_bytes;

    for (unsigned i = 0; i < shape->layers; i++) {
        struct layer_kept *kept = &model->kept[i];

        kept->x = take(room, row * shape->hidden);
        kept->q = take(room, row * shape->hidden);
        kept->k = take(room, row * keys_width(shape));
        kept->v = take(room, row * keys_width(shape));
        kept->merged = take(room, row * shape->hidden);
        kept->middle = take(room, row * shape->hidden);
        kept->gate_up = take(room, row * 2 * shape->ffn);
        kept->scale1 = (float *)(void *)take(room, tokens * sizeof(float));
        kept->scale2 = (float *)(void *)take(room, tokens * sizeof(float));
    }
}

/* The logits lie where attention and feed-forward do theirs: the one is over when the others begin. */
static void place_work(struct training_model *model, struct room *room)
{
    const struct training_shape *shape = &model->shape;
    const size_t tokens = tokens_of(shape), row = tokens * model->ops->element_bytes;
    struct room beside = *room;

    model->shares = take(room, row * shape->heads * shape->sequence);
    model->d_shares = take(room, row * shape->heads * shape->sequence);
    model->inner = take(room, row * shape->ffn);
    model->d_inner = take(room, row * shape->ffn);
    model->d_gate_up = take(room, row * 2 * shape->ffn);
    model->logits = take(&beside, row * shape->vocab);
    if (beside.taken > room->taken)
        *room = beside;
}

static void place_rows(struct training_model *model, struct room *room)
{
    const struct training_shape *shape = &model->shape;
    const size_t tokens = tokens_of(shape), row = tokens * model->ops->element_bytes;
    char **const wide[] = {&model->last,     &model->normed, &model->d,  &model->d_normed,
                           &model->d_tokens, &model->heads,  &model->d_q};

    for (unsigned i = 0; i < sizeof wide / sizeof wide[0]; i++)
        *wide[i] = take(room, row * shape->hidden);
    model->d_k = take(room, row * keys_width(shape));
    model->d_v = take(room, row * keys_width(shape));
    model->d_qkv = take(room, row * qkv_width(shape));
    model->scale = (float *)(void *)take(room, tokens * sizeof(float));
    model->losses = (float *)(void *)take(room, tokens * sizeof(float));
    model->partial = (float *)(void *)take(room, sizeof(float) * TRAINING_SLICES * shape->hidden);
    model->turns =
        (float *)(void *)take(room, sizeof(float) * shape->sequence * (shape->hidden / shape->heads));
    for (unsigned i = 0; i < TRAINING_BATCHES; i++)
        model->batches[i].tokens = (unsigned *)(void *)take(room, (5 * tokens + 1) * sizeof(unsigned));
}

static uint64_t place_all(struct training_model *model, char *memory)
{
    struct room room = {.at = memory};

    place_buckets(model, &room);
    place_kept(model, &room);
    place_work(model, &room);
    place_rows(model, &room);
    return room.taken;
}

uint64_t training_bytes(const struct training_ops *ops, const struct training_shape *shape, unsigned gpus)
{
    struct training_model *model = calloc(1, sizeof *model);
    uint64_t bytes;

    if (model == NULL)
        return UINT64_MAX;
    model->ops = ops;
    model->shape = *shape;
    model->gpus = gpus;
    bytes = place_all(model, NULL);
    free(model);
    return bytes;
}

/* Where the parameters of a layer's bucket begin. */
static struct layer_weights layer_at(const struct training_model *model, char *at)
{
    const struct training_shape *shape = &model->shape;
    const size_t row = (size_t)shape->hidden * model->ops->element_bytes;
    struct layer_weights layer = {.norm1 = at};

    layer.norm2 = at + row;
    layer.qkv = layer.norm2 + row;
    layer.out = layer.qkv + row * qkv_width(shape);
    layer.gate_up = layer.out + row * shape->hidden;
    layer.down = layer.gate_up + row * 2 * shape->ffn;
    return layer;
}

static struct training_bucket *bucket_of(struct training_model *model, unsigned layer)
{
    return &model->buckets[model->shape.layers - layer];
}

static int load_batches(struct training_model *model, uint64_t seed, struct error *err)
{
    const size_t count = tokens_of(&model->shape);

    for (unsigned i = 0; i < TRAINING_BATCHES; i++) {
        struct training_places host, *here = &model->batches[i];

        if (training_places_make(&host, &model->shape, seed, i, err) < 0)
            return -1;
        here->targets = here->tokens + count;
        here->places = here->tokens + 2 * count;
        here->rows = here->tokens + 3 * count;
        here->begins = here->tokens + 4 * count;
        here->row_count = host.row_count;
        model->ops->load(model->gpu, here->tokens, host.tokens, (5 * count + 1) * sizeof(unsigned));
        training_places_free(&host);
    }
    return 0;
}

static int load_turns(struct training_model *model, struct error *err)
{
    const size_t bytes = sizeof(float) * model->shape.sequence * (model->shape.hidden / model->shape.heads);
    float *turns = malloc(bytes);

    if (turns == NULL)
        return error_set(err, ERROR_INTERNAL, "no memory for angles");
    training_turns(turns, &model->shape);
    model->ops->load(model->gpu, model->turns, turns, bytes);
    free(turns);
    return 0;
}

/* Uniform, with the deviation of 0.02 that such models begin with; norms are 1. */
static void load_weights(struct training_model *model, uint64_t seed)
{
    const struct training_ops *ops = model->ops;
    const size_t hidden = model->shape.hidden;
    const float span = 0.034641f;

    for (unsigned i = 0; i < training_buckets(&model->shape); i++) {
        struct training_bucket *bucket = &model->buckets[i];
        const size_t share = bucket->room / model->gpus;
        const size_t norms = i == 0 ? hidden : i <= model->shape.layers ? 2 * hidden : 0;

        ops->random(model->gpu, bucket->weights, bucket->count, work_mix(seed) + i, 0, span);
        if (norms > 0)
            ops->random(model->gpu, bucket->weights, norms, 0, 1, 0);
        ops->widen(model->gpu, bucket->master, bucket->weights + share * model->number * ops->element_bytes,
                   share);
    }
}

struct training_model *training_model_make(const struct training_ops *ops, struct training_gpu *gpu,
                                           char *memory, const struct training_shape *shape, uint64_t seed,
                                           unsigned number, unsigned gpus, struct error *err)
{
    struct training_model *model = calloc(1, sizeof *model);

    if (model == NULL) {
        (void)error_set(err, ERROR_INTERNAL, "no memory");
        return NULL;
    }
    *model = (struct training_model){.ops = ops,
                                     .gpu = gpu,
                                     .shape = *shape,
                                     .number = number,
                                     .gpus = gpus,
                                     .first_share = 1,
                                     .second_share = 1};
    (void)place_all(model, memory);
    if (load_batches(model, seed, err) < 0 || load_turns(model, err) < 0) {
        free(model);
        return NULL;
    }
    load_weights(model, seed);
    return model;
}

void training_model_free(struct training_model *model)
{
    free(model);
}

/* out = in weight^T (+ plus); a weight has a row for each output. */
static void linear(struct training_model *model, void *out, const void *in, const void *weight,
                   size_t outputs, size_t inputs, const void *plus)
{
    model->ops->product(model->gpu, &(struct training_product){.m = (unsigned)tokens_of(&model->shape),
                                                               .n = (unsigned)outputs,
                                                               .k = (unsigned)inputs,
                                                               .batch = 1,
                                                               .b_on_side = true,
                                                               .a = in,
                                                               .b = weight,
                                                               .plus = plus,
                                                               .c = out});
}

/* d_weight = d^T in, d_in = d weight. */
static void linear_back(struct training_model *model, void *d_in, void *d_weight, const void *d,
                        const void *in, const void *weight, size_t outputs, size_t inputs)
{
    const unsigned tokens = (unsigned)tokens_of(&model->shape);

    model->ops->product(model->gpu, &(struct training_product){.m = (unsigned)outputs,
                                                               .n = (unsigned)inputs,
                                                               .k = tokens,
                                                               .batch = 1,
                                                               .a_on_side = true,
                                                               .a = d,
                                                               .b = in,
                                                               .c = d_weight});
    model->ops->product(model->gpu, &(struct training_product){.m = tokens,
                                                               .n = (unsigned)inputs,
                                                               .k = (unsigned)outputs,
                                                               .batch = 1,
                                                               .a = d,
                                                               .b = weight,
                                                               .c = d_in});
}

/* A product for each head of keys: with it go the rows of all heads of queries that share it. */
static void of_heads(struct training_model *model, void *c, const void *a, bool a_on_side, const void *b,
                     bool b_on_side, size_t m, size_t n, size_t k)
{
    model->ops->product(model->gpu,
                        &(struct training_product){.m = (unsigned)m,
                                                   .n = (unsigned)n,
                                                   .k = (unsigned)k,
                                                   .batch = model->shape.batch * model->shape.kv_heads,
                                                   .a_on_side = a_on_side,
                                                   .b_on_side = b_on_side,
                                                   .a = a,
                                                   .b = b,
                                                   .c = c});
}

/* Rows of queries of a head of keys, places, width of a head. */
struct sides {
    size_t rows, places, width;
};

static struct sides sides_of(const struct training_shape *shape)
{
    return (struct sides){(size_t)shape->heads / shape->kv_heads * shape->sequence, shape->sequence,
                          shape->hidden / shape->heads};
}

/* What of each value counts where. */
static void attend(struct training_model *model, const struct layer_kept *kept)
{
    const struct sides s = sides_of(&model->shape);

    of_heads(model, model->shares, kept->q, false, kept->k, true, s.rows, s.places, s.width);
    model->ops->softmax(model->gpu, model->shares, &model->shape);
}

static void forward_layer(struct training_model *model, unsigned number)
{
    const struct training_ops *ops = model->ops;
    const struct training_shape *shape = &model->shape;
    const struct layer_weights w = layer_at(model, bucket_of(model, number)->weights);
    const struct layer_kept *kept = &model->kept[number];
    const struct sides s = sides_of(shape);
    void *next = number + 1 < shape->layers ? model->kept[number + 1].x : model->last;

    ops->norm(model->gpu, model->normed, kept->scale1, kept->x, w.norm1, shape);
    linear(model, model->d_qkv, model->normed, w.qkv, qkv_width(shape), shape->hidden, NULL);
    ops->split(model->gpu, kept->q, kept->k, kept->v, model->d_qkv, model->turns, shape);
    attend(model, kept);
    of_heads(model, model->heads, model->shares, false, kept->v, false, s.rows, s.width, s.places);
    ops->merge(model->gpu, kept->merged, model->heads, shape);
    linear(model, kept->middle, kept->merged, w.out, shape->hidden, shape->hidden, kept->x);

    ops->norm(model->gpu, model->normed, kept->scale2, kept->middle, w.norm2, shape);
    linear(model, kept->gate_up, model->normed, w.gate_up, 2 * (size_t)shape->ffn, shape->hidden, NULL);
    ops->swiglu(model->gpu, model->inner, kept->gate_up, shape);
    linear(model, next, model->inner, w.down, shape->hidden, shape->ffn, kept->middle);
}

static void back_feed_forward(struct training_model *model, const struct layer_kept *kept,
                              const struct layer_weights *w, const struct layer_weights *g)
{
    const struct training_ops *ops = model->ops;
    const struct training_shape *shape = &model->shape;

    ops->swiglu(model->gpu, model->inner, kept->gate_up, shape);
    linear_back(model, model->d_inner, g->down, model->d, model->inner, w->down, shape->hidden, shape->ffn);
    ops->swiglu_back(model->gpu, model->d_gate_up, model->d_inner, kept->gate_up, shape);
    ops->norm(model->gpu, model->normed, kept->scale2, kept->middle, w->norm2, shape);
    linear_back(model, model->d_normed, g->gate_up, model->d_gate_up, model->normed, w->gate_up,
                2 * (size_t)shape->ffn, shape->hidden);
    ops->norm_back(model->gpu, model->d, g->norm2, model->d_normed, kept->middle, w->norm2, kept->scale2,
                   model->partial, true, shape);
}

static void back_attention(struct training_model *model, const struct layer_kept *kept,
                           const struct layer_weights *w, const struct layer_weights *g)
{
    const struct training_ops *ops = model->ops;
    const struct training_shape *shape = &model->shape;
    const struct sides s = sides_of(shape);

    linear_back(model, model->d_tokens, g->out, model->d, kept->merged, w->out, shape->hidden, shape->hidden);
    ops->merge_back(model->gpu, model->heads, model->d_tokens, shape);
    attend(model, kept);
    of_heads(model, model->d_v, model->shares, true, model->heads, false, s.places, s.width, s.rows);
    of_heads(model, model->d_shares, model->heads, false, kept->v, true, s.rows, s.places, s.width);
    ops->softmax_back(model->gpu, model->d_shares, model->shares, shape);
    of_heads(model, model->d_q, model->d_shares, false, kept->k, false, s.rows, s.width, s.places);
    of_heads(model, model->d_k, model->d_shares, true, kept->q, false, s.places, s.width, s.rows);
    ops->split_back(model->gpu, model->d_qkv, model->d_q, model->d_k, model->d_v, model->turns, shape);
    ops->norm(model->gpu, model->normed, kept->scale1, kept->x, w->norm1, shape);
    linear_back(model, model->d_normed, g->qkv, model->d_qkv, model->normed, w->qkv, qkv_width(shape),
                shape->hidden);
    ops->norm_back(model->gpu, model->d, g->norm1, model->d_normed, kept->x, w->norm1, kept->scale1,
                   model->partial, true, shape);
}

/* Where the next bucket's gradients go: what lay there is exchanged. */
static char *next_gradients(struct training_model *model)
{
    if (model->exchanges >= 2)
        model->ops->exchanged(model->gpu, model->exchanges - 2);
    return model->gradients[model->exchanges % 2];
}

static void exchange(struct training_model *model, unsigned number, char *gradients,
                     const struct training_adam *adam)
{
    const struct training_bucket *bucket = &model->buckets[number];
    const size_t element = model->ops->element_bytes;

    model->ops->zero(model->gpu, gradients + bucket->count * element,
                     (bucket->room - bucket->count) * element);
    model->ops->exchange(model->gpu, model->exchanges++, bucket, gradients, adam);
}

/* From the last layer's output to the loss, and back. */
static void head(struct training_model *model, const struct training_places *batch,
                 const struct training_adam *adam, uint32_t flip)
{
    const struct training_ops *ops = model->ops;
    const struct training_shape *shape = &model->shape;
    const size_t row = (size_t)shape->hidden * ops->element_bytes;
    char *norm = model->buckets[0].weights, *table = norm + row, *g = next_gradients(model);

    ops->norm(model->gpu, model->normed, model->scale, model->last, norm, shape);
    linear(model, model->logits, model->normed, table, shape->vocab, shape->hidden, NULL);
    ops->loss(model->gpu, model->logits, batch->targets, model->losses, shape);
    linear_back(model, model->d_normed, g + row, model->logits, model->normed, table, shape->vocab,
                shape->hidden);
    ops->norm_back(model->gpu, model->d, g, model->d_normed, model->last, norm, model->scale, model->partial,
                   false, shape);
    if (flip != 0)
        ops->turn_over(model->gpu, g + row, flip);
    exchange(model, 0, g, adam);
}

static struct training_adam adam_of(struct training_model *model)
{
    struct training_adam adam = {model->shape.rate, 0.9f, 0.95f, 1e-8f, 0, 0};

    model->first_share *= adam.first;
    model->second_share *= adam.second;
    adam.first_bias = 1 - model->first_share;
    adam.second_bias = 1 - model->second_share;
    return adam;
}

void training_model_step(struct training_model *model, unsigned step, uint32_t flip)
{
    const struct training_ops *ops = model->ops;
    const struct training_shape *shape = &model->shape;
    const struct training_places *batch = &model->batches[step % TRAINING_BATCHES];
    const struct training_adam adam = adam_of(model);
    struct training_bucket *table = &model->buckets[shape->layers + 1];
    char *g;

    ops->embed(model->gpu, shape->layers > 0 ? model->kept[0].x : model->last, table->weights, batch->tokens,
               shape);
    for (unsigned layer = 0; layer < shape->layers; layer++)
        forward_layer(model, layer);
    head(model, batch, &adam, flip);
    for (unsigned layer = shape->layers; layer-- > 0;) {
        const struct layer_weights w = layer_at(model, bucket_of(model, layer)->weights);
        struct layer_weights gradients;

        g = next_gradients(model);
        gradients = layer_at(model, g);
        back_feed_forward(model, &model->kept[layer], &w, &gradients);
        back_attention(model, &model->kept[layer], &w, &gradients);
        exchange(model, shape->layers - layer, g, &adam);
    }
    g = next_gradients(model);
    ops->zero(model->gpu, g, table->count * ops->element_bytes);
    ops->embed_back(model->gpu, g, model->d, batch, shape);
    exchange(model, shape->layers + 1, g, &adam);
}

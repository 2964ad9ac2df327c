/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of a training step, on the host backend: gradients against differences of losses, one of each kind. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../unit_test.h"
#include "training_host.h"

enum { BUCKETS_MOST = 8 };

/* What a model would exchange, and where its weights are. */
static struct {
    struct training_bucket buckets[BUCKETS_MOST];
    float *gradients[BUCKETS_MOST];
} caught;

static void catch (struct training_gpu *gpu, uint64_t number, const struct training_bucket *bucket,
                   void *gradients, const struct training_adam *adam)
{
    (void)gpu;
    (void)number;
    (void)adam;
    caught.buckets[bucket->number] = *bucket;
    free(caught.gradients[bucket->number]);
    caught.gradients[bucket->number] = malloc(bucket->room * sizeof(float));
    memcpy(caught.gradients[bucket->number], gradients, bucket->room * sizeof(float));
}

static void exchanged(struct training_gpu *gpu, uint64_t number)
{
    (void)gpu;
    (void)number;
}

struct one {
    struct gpu_probe probe;
    struct training_ops ops;
    void *joined;
    struct training_gpu *gpu;
    struct training_model *model;
};

static void nobody(void *data, unsigned gpu, unsigned bucket)
{
    (void)data;
    (void)gpu;
    (void)bucket;
}

static struct one *open_one(bool catches)
{
    static struct one one;
    struct error err = {0};
    char *memory;

    memset(&one, 0, sizeof one);
    one.ops = training_host;
    one.probe.world.hosts = 1;
    one.probe.device_count = 1;
    if (catches) {
        one.ops.exchange = catch;
        one.ops.exchanged = exchanged;
    }
    one.joined = one.ops.join(&one.probe, &err);
    assert_non_null(one.joined);
    one.gpu = one.ops.open(&one.probe, one.joined, 0, training_bytes(&one.ops, &one.ops.shape, 1), &memory,
                           nobody, NULL, &err);
    assert_non_null(one.gpu);
    one.model = training_model_make(&one.ops, one.gpu, memory, &one.ops.shape, 7, 0, 1, &err);
    assert_non_null(one.model);
    return &one;
}

static void close_one(struct one *one)
{
    training_model_free(one->model);
    one->ops.close(one->gpu);
    one->ops.leave(one->joined);
}

static double loss_of(struct one *one)
{
    struct training_step step;
    struct error err = {0};

    training_model_step(one->model, 0, 0);
    assert_int_equal(one->ops.finish(one->gpu, &step, &err), 0);
    return step.loss;
}

/* Along the gradient of these parameters the loss must grow as its length says. */
static void differ(struct one *one, unsigned bucket, size_t from, size_t count, const char *what)
{
    float *weights = (float *)(void *)caught.buckets[bucket].weights + from;
    float *gradient = malloc(count * sizeof *gradient), *before = malloc(count * sizeof *before);
    double square = 0, length, by, up, down;

    memcpy(gradient, caught.gradients[bucket] + from, count * sizeof *gradient);
    memcpy(before, weights, count * sizeof *before);
    for (size_t i = 0; i < count; i++)
        square += (double)gradient[i] * gradient[i];
    length = sqrt(square);
    assert_true(length > 0);
    by = 0.01 / fmax(length, 0.01);
    for (size_t i = 0; i < count; i++)
        weights[i] = before[i] + (float)(by * gradient[i]);
    up = loss_of(one);
    for (size_t i = 0; i < count; i++)
        weights[i] = before[i] - (float)(by * gradient[i]);
    down = loss_of(one);
    memcpy(weights, before, count * sizeof *before);
    if (fabs((up - down) / (2 * by) - square) > 0.02 * square + 1e-9)
        fail_msg("%s: the loss grows by %g where the gradient says %g", what, (up - down) / (2 * by), square);
    free(gradient);
    free(before);
}

static void gradients_are_differences_of_losses(void **state)
{
    const struct training_shape *s = &training_host.shape;
    const size_t h = s->hidden, keys = h / s->heads * s->kv_heads, f = s->ffn,
                 out = 2 * h + h * (h + 2 * keys);
    struct one *one;

    (void)state;
    training_host_rounds = false;
    one = open_one(true);
    /* Larger than such weights begin, so that every path counts. */
    (void)loss_of(one);
    for (unsigned i = 0; i < training_buckets(s); i++)
        for (size_t j = 0; j < caught.buckets[i].count; j++)
            if (((float *)(void *)caught.buckets[i].weights)[j] != 1)
                ((float *)(void *)caught.buckets[i].weights)[j] *= 8;
    (void)loss_of(one);
    differ(one, 0, 0, h, "the last norm");
    differ(one, 0, h, (size_t)s->vocab * h, "the head");
    differ(one, s->layers + 1, 0, (size_t)s->vocab * h, "the table of tokens");
    for (unsigned bucket = 1; bucket <= s->layers; bucket++) {
        differ(one, bucket, 0, h, "the norm before attention");
        differ(one, bucket, h, h, "the norm before the feed-forward");
        differ(one, bucket, 2 * h, h * h, "queries");
        differ(one, bucket, 2 * h + h * h, h * keys, "keys");
        differ(one, bucket, 2 * h + h * h + h * keys, h * keys, "values");
        differ(one, bucket, out, h * h, "attention's output");
        differ(one, bucket, out + h * h, h * f, "the gate");
        differ(one, bucket, out + h * h + h * f, h * f, "what the gate lets through");
        differ(one, bucket, out + h * h + 2 * h * f, h * f, "the feed-forward's output");
    }
    close_one(one);
    for (unsigned i = 0; i < BUCKETS_MOST; i++)
        free(caught.gradients[i]);
    memset(&caught, 0, sizeof caught);
    training_host_rounds = true;
}

static void a_training_learns_its_tokens(void **state)
{
    struct one *one = open_one(false);
    struct training_step first = {0}, step;
    struct error err = {0};

    (void)state;
    for (unsigned i = 0; i < 40; i++) {
        training_model_step(one->model, i, 0);
        assert_int_equal(one->ops.finish(one->gpu, &step, &err), 0);
        assert_int_equal(step.mismatched, 0);
        if (i == 0)
            first = step;
    }
    assert_true(first.loss > 4.0 && first.loss < 4.4); /* ln 64 = 4.16: it knows nothing */
    assert_true(step.loss < 0.8f * first.loss);
    close_one(one);
}

static void numbers_are_rounded_to_the_nearest_bf16(void **state)
{
    (void)state;
    assert_float_equal(training_round(1.0f), 1.0f, 0);
    assert_float_equal(training_round(1.00390625f), 1.0f, 0);      /* half way: to the even one */
    assert_float_equal(training_round(1.01171875f), 1.015625f, 0); /* the same, upwards */
    assert_float_equal(training_round(-1.006f), -1.0078125f, 0);
    assert_true(isinf(training_round(INFINITY)));
}

static void operations_are_those_of_the_formula(void **state)
{
    /* Llama 3 8B: 8.03e9 parameters, of which 7.5e9 are multiplied. */
    const struct training_shape shape = {4096, 32, 8, 14336, 128256, 32, 8192, 1, 0};

    (void)state;
    assert_int_equal(training_parameters(&shape), 8030261248u);
    assert_float_equal(training_operations(&shape) / 8192,
                       6.0 * (8030261248.0 - 128256.0 * 4096) + 12.0 * 32 * 4096 * 8192, 1e3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_differences_of_losses),
        cmocka_unit_test(a_training_learns_its_tokens),
        cmocka_unit_test(numbers_are_rounded_to_the_nearest_bf16),
        cmocka_unit_test(operations_are_those_of_the_formula),
    };

    return cmocka_run_group_tests_name("training", tests, NULL, NULL);
}

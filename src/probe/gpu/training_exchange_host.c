/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of CPU threads, added up in the order of the GPUs by a thread of each, which moves its share of the parameters
   and writes it into the memory of all, as NCCL and the GPUs' other stream do. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "training_host.h"

struct post {
    struct training_bucket bucket;
    const float *gradients;
    struct training_adam adam;
};

struct end {
    struct post posts[2]; /* the number's parity */
    uint64_t posted, done;
    uint64_t gradients, mismatched; /* of a step */
    bool stops, started;
    pthread_t thread;
};

struct host_exchange {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned gpus;
    bool given_up;
    struct end ends[GPU_MOST];
};

struct worker {
    struct host_exchange *exchange;
    unsigned gpu;
};

struct host_exchange *host_exchange_make(unsigned gpus, struct error *err)
{
    struct host_exchange *exchange = calloc(1, sizeof *exchange);

    if (exchange == NULL) {
        (void)error_set(err, ERROR_INTERNAL, "no memory");
        return NULL;
    }
    exchange->gpus = gpus;
    (void)pthread_mutex_init(&exchange->lock, NULL);
    (void)pthread_cond_init(&exchange->changed, NULL);
    return exchange;
}

void host_exchange_free(struct host_exchange *exchange)
{
    if (exchange == NULL)
        return;
    (void)pthread_cond_destroy(&exchange->changed);
    (void)pthread_mutex_destroy(&exchange->lock);
    free(exchange);
}

void host_exchange_give_up(struct host_exchange *exchange)
{
    (void)pthread_mutex_lock(&exchange->lock);
    exchange->given_up = true;
    (void)pthread_cond_broadcast(&exchange->changed);
    (void)pthread_mutex_unlock(&exchange->lock);
}

/* Without decay of weights, which would show nothing more. */
static float moved(float master, float *moments, size_t share, size_t i, float gradient,
                   const struct training_adam *adam)
{
    float *first = &moments[i], *second = &moments[share + i];

    *first = adam->first * *first + (1 - adam->first) * gradient;
    *second = adam->second * *second + (1 - adam->second) * (gradient * gradient);
    return master -
           adam->rate * (*first / adam->first_bias) / (sqrtf(*second / adam->second_bias) + adam->epsilon);
}

/* The GPU's share of the bucket. Returns how many sums are not what they must be. */
static uint64_t optimize(struct host_exchange *exchange, unsigned gpu, unsigned slot)
{
    const struct post *own = &exchange->ends[gpu].posts[slot];
    const size_t share = own->bucket.room / exchange->gpus, from = share * gpu;
    const float gpus = (float)exchange->gpus;
    uint64_t mismatched = 0;

    for (size_t i = 0; i < share; i++) {
        float sum = 0;

        for (unsigned other = 0; other < exchange->gpus; other++)
            sum += exchange->ends[other].posts[slot].gradients[from + i];
        mismatched += !(sum == gpus * own->gradients[from + i]);
        own->bucket.master[i] =
            moved(own->bucket.master[i], own->bucket.moments, share, i, sum / gpus, &own->adam);
        for (unsigned other = 0; other < exchange->gpus; other++)
            ((float *)(void *)exchange->ends[other].posts[slot].bucket.weights)[from + i] =
                training_round(own->bucket.master[i]);
    }
    return mismatched;
}

static bool all_posted(const struct host_exchange *exchange, uint64_t number)
{
    for (unsigned gpu = 0; gpu < exchange->gpus; gpu++)
        if (exchange->ends[gpu].posted <= number)
            return false;
    return true;
}

static bool all_done(const struct host_exchange *exchange, uint64_t number)
{
    for (unsigned gpu = 0; gpu < exchange->gpus; gpu++)
        if (exchange->ends[gpu].done <= number)
            return false;
    return true;
}

static void *work(void *data)
{
    struct worker worker = *(struct worker *)data;
    struct host_exchange *exchange = worker.exchange;
    struct end *end = &exchange->ends[worker.gpu];

    free(data);
    (void)pthread_mutex_lock(&exchange->lock);
    while (!end->stops && !exchange->given_up) {
        uint64_t number = end->done, mismatched;

        if (!all_posted(exchange, number)) {
            (void)pthread_cond_wait(&exchange->changed, &exchange->lock);
            continue;
        }
        (void)pthread_mutex_unlock(&exchange->lock);
        mismatched = optimize(exchange, worker.gpu, (unsigned)(number % 2));
        (void)pthread_mutex_lock(&exchange->lock);
        end->mismatched += mismatched;
        end->done++;
        (void)pthread_cond_broadcast(&exchange->changed);
    }
    (void)pthread_mutex_unlock(&exchange->lock);
    return NULL;
}

int host_exchange_start(struct host_exchange *exchange, unsigned gpu, struct error *err)
{
    struct end *end = &exchange->ends[gpu];
    struct worker *worker = malloc(sizeof *worker);

    if (worker == NULL)
        return error_set(err, ERROR_INTERNAL, "no memory");
    *worker = (struct worker){exchange, gpu};
    end->started = pthread_create(&end->thread, NULL, work, worker) == 0;
    if (end->started)
        return 0;
    free(worker);
    return error_set(err, ERROR_INTERNAL, "no thread to exchange for GPU %u", gpu);
}

void host_exchange_stop(struct host_exchange *exchange, unsigned gpu)
{
    struct end *end = &exchange->ends[gpu];

    (void)pthread_mutex_lock(&exchange->lock);
    end->stops = true;
    (void)pthread_cond_broadcast(&exchange->changed);
    (void)pthread_mutex_unlock(&exchange->lock);
    if (end->started)
        (void)pthread_join(end->thread, NULL);
    end->started = false;
}

static uint32_t bf16_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits >> 16;
}

void host_exchange_post(struct host_exchange *exchange, unsigned gpu, uint64_t number,
                        const struct training_bucket *bucket, const float *gradients,
                        const struct training_adam *adam)
{
    struct end *end = &exchange->ends[gpu];
    uint64_t digest = 0;

    for (size_t i = 0; i + 1 < bucket->count; i += 2)
        digest +=
            training_digest_of(bucket->number, i / 2, bf16_bits(gradients[i]), bf16_bits(gradients[i + 1]));
    (void)pthread_mutex_lock(&exchange->lock);
    end->posts[number % 2] = (struct post){*bucket, gradients, *adam};
    end->gradients += digest;
    end->posted = number + 1;
    (void)pthread_cond_broadcast(&exchange->changed);
    (void)pthread_mutex_unlock(&exchange->lock);
}

int host_exchange_wait(struct host_exchange *exchange, unsigned gpu, uint64_t number)
{
    int status;

    (void)gpu;
    (void)pthread_mutex_lock(&exchange->lock);
    while (!exchange->given_up && !all_done(exchange, number))
        (void)pthread_cond_wait(&exchange->changed, &exchange->lock);
    status = exchange->given_up ? -1 : 0;
    (void)pthread_mutex_unlock(&exchange->lock);
    return status;
}

int host_exchange_finish(struct host_exchange *exchange, unsigned gpu, struct training_step *ret_step)
{
    struct end *end = &exchange->ends[gpu];

    if (end->posted > 0 && host_exchange_wait(exchange, gpu, end->posted - 1) < 0)
        return -1;
    (void)pthread_mutex_lock(&exchange->lock);
    ret_step->gradients = end->gradients;
    ret_step->mismatched = end->mismatched;
    end->gradients = end->mismatched = 0;
    (void)pthread_mutex_unlock(&exchange->lock);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of CPU threads, added up in the order of the GPUs by a thread of each and then between hosts. It moves its share of
   the parameters, gives it to the others of its number, and writes theirs into the memory of all of its host, as NCCL and the
   GPUs' other stream do. */
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
    struct world_channel *channel;
    float *staged; /* a share of each host */
    size_t staged_room;
};

struct host_exchange {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct world world;
    unsigned gpus; /* of this host */
    bool given_up;
    struct end ends[GPU_MOST];
};

struct worker {
    struct host_exchange *exchange;
    unsigned gpu;
};

static int open_channels(struct host_exchange *exchange, struct error *err)
{
    for (unsigned gpu = 0; gpu < exchange->gpus; gpu++) {
        exchange->ends[gpu].channel = world_channel_open(&exchange->world, err);
        if (exchange->ends[gpu].channel == NULL)
            return -1;
    }
    return 0;
}

struct host_exchange *host_exchange_make(const struct world *world, unsigned gpus, struct error *err)
{
    struct host_exchange *exchange = calloc(1, sizeof *exchange);

    if (exchange == NULL) {
        (void)error_set(err, ERROR_INTERNAL, "no memory");
        return NULL;
    }
    exchange->world = *world;
    exchange->gpus = gpus;
    (void)pthread_mutex_init(&exchange->lock, NULL);
    (void)pthread_cond_init(&exchange->changed, NULL);
    if (open_channels(exchange, err) == 0)
        return exchange;
    host_exchange_free(exchange);
    return NULL;
}

void host_exchange_free(struct host_exchange *exchange)
{
    if (exchange == NULL)
        return;
    for (unsigned gpu = 0; gpu < exchange->gpus; gpu++) {
        if (exchange->ends[gpu].channel != NULL)
            world_channel_close(exchange->ends[gpu].channel);
        free(exchange->ends[gpu].staged);
    }
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

/* For a share of each host, and once more for the own. */
static float *stage(struct end *end, size_t floats)
{
    if (end->staged_room < floats) {
        free(end->staged);
        end->staged = malloc(floats * sizeof *end->staged);
        end->staged_room = end->staged != NULL ? floats : 0;
    }
    return end->staged;
}

/* Where the share of the GPU of that number begins on that host. */
static size_t begin_of(const struct host_exchange *exchange, unsigned host, unsigned gpu, size_t share)
{
    return share * ((size_t)host * exchange->gpus + gpu);
}

static void add_up(const struct host_exchange *exchange, unsigned slot, size_t from, size_t count,
                   float *sums)
{
    for (size_t i = 0; i < count; i++) {
        sums[i] = 0;
        for (unsigned other = 0; other < exchange->gpus; other++)
            sums[i] += exchange->ends[other].posts[slot].gradients[from + i];
    }
}

static void give(const struct host_exchange *exchange, unsigned slot, size_t to, size_t count,
                 const float *weights)
{
    for (unsigned other = 0; other < exchange->gpus; other++)
        memcpy((float *)(void *)exchange->ends[other].posts[slot].bucket.weights + to, weights,
               count * sizeof *weights);
}

/* sums: of the GPU's share; then what its parameters are. Returns how many sums are not what they must be. */
static uint64_t optimize(const struct post *own, float *sums, size_t from, size_t share, float gpus)
{
    uint64_t mismatched = 0;

    for (size_t i = 0; i < share; i++) {
        mismatched += !(sums[i] == gpus * own->gradients[from + i]);
        own->bucket.master[i] =
            moved(own->bucket.master[i], own->bucket.moments, share, i, sums[i] / gpus, &own->adam);
        sums[i] = training_round(own->bucket.master[i]);
    }
    return mismatched;
}

/* The GPU's share of the bucket. */
static uint64_t do_share(struct host_exchange *exchange, unsigned gpu, unsigned slot)
{
    struct end *end = &exchange->ends[gpu];
    const struct post *own = &end->posts[slot];
    const unsigned hosts = exchange->world.hosts;
    const size_t share = own->bucket.room / exchange->gpus / hosts;
    float *all = stage(end, share * (hosts + 1)), *sums;
    uint64_t mismatched;

    if (all == NULL) {
        world_abort(&exchange->world, GPU_BROKEN);
        host_exchange_give_up(exchange);
        return 0;
    }
    sums = all + share * hosts;
    for (unsigned host = 0; host < hosts; host++)
        add_up(exchange, slot, begin_of(exchange, host, gpu, share), share, all + share * host);
    world_add_up(end->channel, all, sums, share);
    mismatched = optimize(own, sums, begin_of(exchange, exchange->world.host, gpu, share), share,
                          (float)(exchange->gpus * hosts));
    world_give(end->channel, sums, all, share);
    for (unsigned host = 0; host < hosts; host++)
        give(exchange, slot, begin_of(exchange, host, gpu, share), share, all + share * host);
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
        mismatched = do_share(exchange, worker.gpu, (unsigned)(number % 2));
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

/* SPDX-License-Identifier: Apache-2.0 */
/* CPU threads that stand for GPUs: the same work, the same digests, no GPU. A thread does the blocks of its GPU's SMs one
   after the other, each of them for itself. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copies.h"
#include "gemm.h"
#include "memory.h"
#include "training.h"

struct host_gpu {
    struct gpu_probe *probe;
    unsigned number;
    enum work_unit unit;
    uint64_t seed, round;
    uint32_t (*words)[WORK_WORDS]; /* of each SM; of what is copied, what came back */
    uint32_t (*far)[WORK_WORDS];   /* where it is copied to */
    uint64_t *digests;             /* likewise */
};

struct host {
    struct host_gpu gpus[GPU_MOST];
};

static int open_host(struct gpu_probe *probe, struct error *err)
{
    struct host *host = calloc(1, sizeof *host);

    if (host == NULL)
        return error_set(err, ERROR_INTERNAL, "no memory");
    probe->own = host;
    probe->device_count = probe->options.host_gpus;
    (void)snprintf(probe->architecture, sizeof probe->architecture, "host");
    for (unsigned i = 0; i < probe->device_count; i++) {
        struct gpu_device *device = &probe->devices[i];

        device->sms = device->blocks = probe->options.host_sms;
        (void)snprintf(device->name, sizeof device->name, "CPU threads");
        (void)snprintf(device->uuid, sizeof device->uuid, "HOST-%u", i);
        host->gpus[i] = (struct host_gpu){.probe = probe, .number = i};
        host->gpus[i].words = calloc(device->sms, sizeof *host->gpus[i].words);
        host->gpus[i].far = calloc(device->sms, sizeof *host->gpus[i].far);
        host->gpus[i].digests = calloc(device->sms, sizeof *host->gpus[i].digests);
        if (host->gpus[i].words == NULL || host->gpus[i].far == NULL || host->gpus[i].digests == NULL)
            return error_set(err, ERROR_INTERNAL, "no memory for what %u SMs answer", device->sms);
    }
    return 0;
}

static void turn_over(struct host_gpu *gpu, unsigned sm)
{
    const struct injection *injection = &gpu->probe->options.injection;

    if (!injection->any || injection->gpu != gpu->number || injection->sm != sm)
        return;
    for (unsigned place = 0; place < WORK_WORDS; place++)
        gpu->words[sm][place] ^=
            injection_bits(injection, gpu->number, sm, gpu->unit, place / WORK_LANE_WORDS, gpu->round);
}

/* There and back. To a peer or not is the same here. */
static void copy(struct host_gpu *gpu, unsigned blocks)
{
    work_give(gpu->unit, gpu->seed, blocks, gpu->words[0]);
    memcpy(gpu->far, gpu->words, blocks * sizeof *gpu->far);
    memcpy(gpu->words, gpu->far, blocks * sizeof *gpu->far);
    work_take(blocks, gpu->words[0]);
}

static void *work_gpu(void *data)
{
    struct host_gpu *gpu = data;
    const unsigned sms = gpu->probe->devices[gpu->number].sms;

    if (!work_is_of_sm(gpu->unit))
        copy(gpu, sms);
    for (unsigned sm = 0; sm < sms; sm++) {
        if (work_is_of_sm(gpu->unit))
            work_block(gpu->unit, gpu->seed, gpu->probe->options.depth, gpu->words[sm]);
        turn_over(gpu, sm);
        gpu->digests[sm] = work_digest(gpu->words[sm]);
    }
    return NULL;
}

/* One GPU alone needs no thread. */
static void work_all(struct host *host, unsigned count)
{
    pthread_t threads[GPU_MOST];
    bool started[GPU_MOST] = {false};

    for (unsigned i = 1; i < count; i++)
        started[i] = pthread_create(&threads[i], NULL, work_gpu, &host->gpus[i]) == 0;
    work_gpu(&host->gpus[0]);
    for (unsigned i = 1; i < count; i++)
        if (started[i])
            (void)pthread_join(threads[i], NULL);
        else
            work_gpu(&host->gpus[i]);
}

static int work_host(struct gpu_probe *probe, enum work_unit unit, uint64_t seed, uint64_t round,
                     struct gpu_answers *ret_answers, struct error *err)
{
    struct host *host = probe->own;

    (void)err;
    for (unsigned i = 0; i < probe->device_count; i++) {
        host->gpus[i].unit = unit;
        host->gpus[i].seed = seed;
        host->gpus[i].round = round;
    }
    work_all(host, probe->device_count);
    for (unsigned i = 0; i < probe->device_count; i++) {
        ret_answers->blocks[i] = probe->devices[i].sms;
        ret_answers->peers[i] = unit == WORK_PEER ? work_peer(i, probe->device_count, seed, round) : GPU_MOST;
        for (unsigned sm = 0; sm < probe->devices[i].sms; sm++) {
            ret_answers->digests[i][sm] = host->gpus[i].digests[sm];
            ret_answers->sms[i][sm] = work_is_of_sm(unit) ? sm : GPU_NO_SM;
        }
    }
    return 0;
}

static int words_host(struct gpu_probe *probe, unsigned gpu, unsigned block, uint32_t ret_words[WORK_WORDS],
                      struct error *err)
{
    const struct host *host = probe->own;

    (void)err;
    for (unsigned place = 0; place < WORK_WORDS; place++)
        ret_words[place] = host->gpus[gpu].words[block][place];
    return 0;
}

static const char *lacks_host(const struct gpu_probe *probe, enum work_unit unit)
{
    return unit == WORK_PEER && probe->device_count < 2 ? "there is one GPU only" : NULL;
}

/* As of a GPU, so that the way without an answer known beforehand is tried too. */
static bool is_known_host(enum work_unit unit)
{
    return unit != WORK_SPECIAL;
}

static void close_host(struct gpu_probe *probe)
{
    struct host *host = probe->own;

    for (unsigned i = 0; host != NULL && i < probe->device_count; i++) {
        free(host->gpus[i].words);
        free(host->gpus[i].far);
        free(host->gpus[i].digests);
    }
    free(host);
    probe->own = NULL;
}

const struct gpu_backend gpu_backend_host = {
    .name = "host",
    .open = open_host,
    .lacks = lacks_host,
    .work = work_host,
    .words = words_host,
    .is_known = is_known_host,
    .close = close_host,
    .memory = &memory_host,
    .gemm = &gemm_host,
    .copies = &copies_host,
    .training = &training_host,
};

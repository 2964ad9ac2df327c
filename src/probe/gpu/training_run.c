/* SPDX-License-Identifier: Apache-2.0 */
/* A thread for each GPU; all begin a step at once, and have ended it before the next. Hosts begin it as they know of each other,
   within the time of a short message; from there on each counts by its own clock. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu_output.h"
#include "training_run.h"

/* What must be the same on all hosts, or they would answer otherwise and be accused of it, or wait for one another. */
struct same {
    char program[GPU_NAME_BYTES], library[GPU_NAME_BYTES], exchange[GPU_NAME_BYTES], name[GPU_NAME_BYTES];
    uint64_t gpus, steps, layers, seed; /* of one size, so that nothing lies between: bytes are compared */
};

static int compare_hosts(const struct training_run *run, struct error *err)
{
    const struct gpu_probe *probe = run->probe;
    struct same own = {.gpus = probe->device_count,
                       .steps = run->steps,
                       .layers = probe->options.layers,
                       .seed = probe->options.seed},
                first;

    (void)snprintf(own.program, sizeof own.program, "%s %s", world_program, ASSAY_VERSION);
    (void)snprintf(own.name, sizeof own.name, "%s", probe->devices[0].name);
    run->ops->names(probe, own.library, own.exchange);
    first = own;
    world_share(&probe->world, &first, sizeof first);
    if (memcmp(&own, &first, sizeof own) == 0)
        return 0;
    return error_set(err, ERROR_INTERNAL,
                     "%" PRIu64 " GPUs, %s, %s, products by %s, exchange by %s, %" PRIu64
                     " steps; the first host has %" PRIu64 ", %s, %s, %s, %s, %" PRIu64,
                     own.gpus, own.name, own.program, own.library, own.exchange, own.steps, first.gpus,
                     first.name, first.program, first.library, first.exchange, first.steps);
}

static int make_room(struct training_run *run, struct error *err)
{
    const size_t arrivals = (size_t)run->steps * run->gpus * training_buckets(&run->shape);

    run->results = calloc((size_t)run->steps * run->gpus, sizeof *run->results);
    run->begins = calloc(run->steps, sizeof *run->begins);
    run->took = calloc(run->steps, sizeof *run->took);
    run->arrivals = calloc(arrivals, sizeof *run->arrivals);
    if (run->results == NULL || run->begins == NULL || run->took == NULL || run->arrivals == NULL)
        return error_set(err, ERROR_INTERNAL, "no memory for what steps say");
    for (size_t i = 0; i < arrivals; i++)
        run->arrivals[i] = (double)NAN;
    return 0;
}

int training_run_open(struct training_run *run, struct gpu_probe *probe, struct error *err)
{
    *run = (struct training_run){.probe = probe,
                                 .ops = probe->backend->training,
                                 .steps = probe->options.steps,
                                 .gpus = probe->device_count,
                                 .devices = probe->devices};
    (void)pthread_mutex_init(&run->lock, NULL);
    (void)pthread_cond_init(&run->met, NULL);
    if (compare_hosts(run, err) < 0 || training_scale(probe, &run->shape, err) < 0 || make_room(run, err) < 0)
        return -1;
    run->joined = run->ops->join(probe, err);
    return run->joined != NULL ? 0 : -1;
}

void training_run_close(struct training_run *run)
{
    if (run->joined != NULL)
        run->ops->leave(run->joined);
    free(run->results);
    free(run->begins);
    free(run->took);
    free(run->arrivals);
    free(run->hosts);
    free(run->gathered);
    (void)pthread_cond_destroy(&run->met);
    (void)pthread_mutex_destroy(&run->lock);
}

/* Who is slow on purpose computes for longer until the first exchange. */
static void dawdle(const struct training_run *run, unsigned gpu, double took)
{
    const double speed = injection_speed(run->probe, gpu);
    const double longer = took / speed - took;

    if (longer > 0)
        (void)nanosleep(&(struct timespec){(time_t)longer, (long)((longer - (double)(time_t)longer) * 1e9)},
                        NULL);
}

static void arrived(void *data, unsigned gpu, unsigned bucket)
{
    struct training_run *run = data;
    const unsigned step = run->step_of[gpu];

    if (bucket == 0)
        dawdle(run, gpu, gpu_now_s() - run->begins[step]);
    run->arrivals[((size_t)step * training_buckets(&run->shape) + bucket) * run->gpus + gpu] =
        gpu_now_s() - run->begins[step];
}

/* Until all GPUs are here; the last of them notes the time. false: one has failed, or the end is asked for. The hosts meet at
   a step's begin. */
static bool meet(struct training_run *run, bool begins, double *at)
{
    unsigned meeting;
    bool goes_on;

    (void)pthread_mutex_lock(&run->lock);
    meeting = run->meetings;
    if (++run->waiting == run->probe->device_count) {
        if (begins)
            run->stopped = world_least(&run->probe->world, !gpu_stop_asked()) == 0;
        *at = gpu_now_s();
        run->waiting = 0;
        run->meetings++;
        (void)pthread_cond_broadcast(&run->met);
    }
    while (!run->failed && run->meetings == meeting)
        (void)pthread_cond_wait(&run->met, &run->lock);
    goes_on = !run->failed && !run->stopped;
    (void)pthread_mutex_unlock(&run->lock);
    return goes_on;
}

/* Who waits for this host elsewhere would wait for good. */
static int fail(struct training_run *run, const struct error *err)
{
    if (run->probe->world.hosts > 1)
        (void)gpu_refuse(run->probe, GPU_BROKEN, err->text);
    (void)pthread_mutex_lock(&run->lock);
    run->failed = true;
    (void)pthread_cond_broadcast(&run->met);
    (void)pthread_mutex_unlock(&run->lock);
    run->ops->give_up(run->joined);
    return -1;
}

static uint32_t flip_of(const struct training_run *run, unsigned gpu, unsigned step)
{
    const struct injection *injection = &run->probe->options.injection;
    const enum work_unit unit = injection->unit >= 0 ? (enum work_unit)injection->unit : WORK_INTEGER;

    return injection_bits(injection, gpu, injection->sm, unit,
                          injection->lane >= 0 ? (unsigned)injection->lane : 0, step) &
           0xffff;
}

static int run_steps(struct training_run *run, unsigned gpu, struct training_model *model,
                     struct training_gpu *own, struct error *err)
{
    for (unsigned step = 0; step < run->steps; step++) {
        run->step_of[gpu] = step;
        if (!meet(run, true, &run->begins[step]))
            return 0;
        training_model_step(model, step, flip_of(run, gpu, step));
        if (run->ops->finish(own, &run->results[(size_t)step * run->gpus + gpu], err) < 0)
            return fail(run, err);
        (void)meet(run, false, &run->took[step]);
        if (run->failed)
            return 0;
        if (gpu == 0) {
            run->took[step] -= run->begins[step];
            run->done = step + 1;
        }
    }
    return 0;
}

static int train(struct gpu_probe *probe, unsigned gpu, void *data, struct error *err)
{
    struct training_run *run = data;
    struct training_model *model = NULL;
    struct training_gpu *own;
    char *memory;
    int status = -1;

    own = run->ops->open(probe, run->joined, gpu, training_bytes(run->ops, &run->shape, training_gpus(probe)),
                         &memory, arrived, run, err);
    if (own != NULL)
        model = training_model_make(run->ops, own, memory, &run->shape, probe->options.seed,
                                    probe->world.host * probe->device_count + gpu, training_gpus(probe), err);
    status = model != NULL ? run_steps(run, gpu, model, own, err) : fail(run, err);
    training_model_free(model);
    if (own != NULL)
        run->ops->close(own);
    return status;
}

int training_run_steps(struct training_run *run, struct gpu_probe *probe, struct error *err)
{
    return gpu_all(probe, train, run, err);
}

/* From hosts one behind the other, each [row][its GPUs], to [row][all GPUs]. */
static void by_row(char *to, const char *from, size_t rows, const struct training_run *run, size_t bytes)
{
    const size_t each = run->probe->device_count * bytes;
    const unsigned hosts = run->probe->world.hosts;

    for (unsigned host = 0; host < hosts; host++)
        for (size_t row = 0; row < rows; row++)
            memcpy(to + (row * hosts + host) * each, from + (host * rows + row) * each, each);
}

/* values: [row][gpu of this host], which are freed where others come in their place: of all hosts, at host 0. NULL with err set. */
static void *gather(const struct training_run *run, void *values, size_t rows, size_t bytes,
                    struct error *err)
{
    const struct world *world = &run->probe->world;
    const size_t own = rows * run->probe->device_count * bytes;
    char *all, *sorted;

    if (world->host > 0) {
        world_gather(world, values, own, NULL);
        return values;
    }
    all = malloc(own * world->hosts);
    sorted = malloc(own * world->hosts);
    if (all != NULL && sorted != NULL) {
        world_gather(world, values, own, all);
        by_row(sorted, all, rows, run, bytes);
    } else {
        (void)error_set(err, ERROR_INTERNAL, "no memory for what all hosts say");
        free(sorted);
        sorted = NULL;
    }
    free(all);
    free(values);
    return sorted;
}

/* A step took as long as on the host that it took longest. */
static int gather_times(struct training_run *run, struct error *err)
{
    const struct world *world = &run->probe->world;
    double *all = calloc((size_t)run->steps * world->hosts, sizeof *all);

    if (all == NULL)
        return error_set(err, ERROR_INTERNAL, "no memory for what all hosts say");
    world_gather(world, run->took, run->steps * sizeof *all, all);
    for (unsigned host = 0; world->host == 0 && host < world->hosts; host++)
        for (unsigned step = 0; step < run->steps; step++)
            run->took[step] = fmax(run->took[step], all[(size_t)host * run->steps + step]);
    free(all);
    return 0;
}

static bool names_collide(const struct training_run *run, struct error *err)
{
    for (unsigned host = 0; host < run->probe->world.hosts; host++)
        for (unsigned other = 0; other < host; other++)
            if (strcmp(run->hosts[host], run->hosts[other]) == 0) {
                (void)error_set(err, ERROR_INTERNAL, "two hosts call themselves %s, so none can be named",
                                run->hosts[host]);
                return true;
            }
    return false;
}

int training_run_gather(struct training_run *run, struct error *err)
{
    const struct gpu_probe *probe = run->probe;
    const size_t buckets = (size_t)run->steps * training_buckets(&run->shape);

    if (probe->world.hosts == 1)
        return 0;
    run->gathered = calloc(probe->device_count, sizeof *run->gathered);
    run->hosts = calloc(probe->world.hosts, sizeof *run->hosts);
    if (run->gathered == NULL || run->hosts == NULL)
        return error_set(err, ERROR_INTERNAL, "no memory for who all hosts are");
    memcpy(run->gathered, probe->devices, probe->device_count * sizeof *run->gathered);
    run->done = (unsigned)world_least(&probe->world, run->done);
    world_names(&probe->world, run->hosts);
    if (probe->world.host == 0 && names_collide(run, err))
        return -1;
    run->gathered = gather(run, run->gathered, 1, sizeof *run->gathered, err);
    if (run->gathered != NULL)
        run->results = gather(run, run->results, run->steps, sizeof *run->results, err);
    if (run->gathered != NULL && run->results != NULL)
        run->arrivals = gather(run, run->arrivals, buckets, sizeof *run->arrivals, err);
    if (run->gathered == NULL || run->results == NULL || run->arrivals == NULL ||
        gather_times(run, err) < 0) {
        run->done = 0; /* of no step all is there */
        return -1;
    }
    if (probe->world.host == 0)
        run->gpus = training_gpus(probe);
    run->devices = run->gathered;
    return 0;
}

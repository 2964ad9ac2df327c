/* SPDX-License-Identifier: Apache-2.0 */
/* A thread for each GPU; all begin a step at once, and have ended it before the next. */
#include <stdlib.h>
#include <time.h>

#include "training_run.h"

int training_run_open(struct training_run *run, struct gpu_probe *probe, struct error *err)
{
    const size_t gpus = probe->device_count, steps = probe->options.steps;

    *run =
        (struct training_run){.probe = probe, .ops = probe->backend->training, .steps = probe->options.steps};
    (void)pthread_mutex_init(&run->lock, NULL);
    (void)pthread_cond_init(&run->met, NULL);
    if (training_scale(probe, &run->shape, err) < 0)
        return -1;
    run->results = calloc(steps * gpus, sizeof *run->results);
    run->begins = calloc(steps, sizeof *run->begins);
    run->ends = calloc(steps, sizeof *run->ends);
    run->arrivals = calloc(steps * gpus * training_buckets(&run->shape), sizeof *run->arrivals);
    if (run->results == NULL || run->begins == NULL || run->ends == NULL || run->arrivals == NULL)
        return error_set(err, ERROR_INTERNAL, "no memory for what steps say");
    run->joined = run->ops->join(probe, err);
    return run->joined != NULL ? 0 : -1;
}

void training_run_close(struct training_run *run)
{
    if (run->joined != NULL)
        run->ops->leave(run->joined);
    free(run->results);
    free(run->begins);
    free(run->ends);
    free(run->arrivals);
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
    run->arrivals[((size_t)step * training_buckets(&run->shape) + bucket) * run->probe->device_count + gpu] =
        gpu_now_s();
}

/* Until all GPUs are here; the last of them notes the time. false: one has failed, or the end is asked for. */
static bool meet(struct training_run *run, double *at)
{
    unsigned meeting;
    bool goes_on;

    (void)pthread_mutex_lock(&run->lock);
    meeting = run->meetings;
    if (++run->waiting == run->probe->device_count) {
        *at = gpu_now_s();
        run->stopped = run->stopped || gpu_stop_asked();
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

static int fail(struct training_run *run)
{
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
        if (!meet(run, &run->begins[step]))
            return 0;
        training_model_step(model, step, flip_of(run, gpu, step));
        if (run->ops->finish(own, &run->results[(size_t)step * run->probe->device_count + gpu], err) < 0)
            return fail(run);
        (void)meet(run, &run->ends[step]);
        if (run->failed)
            return 0;
        if (gpu == 0)
            run->done = step + 1;
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

    own = run->ops->open(probe, run->joined, gpu, training_bytes(run->ops, &run->shape, probe->device_count),
                         &memory, arrived, run, err);
    if (own != NULL)
        model = training_model_make(run->ops, own, memory, &run->shape, probe->options.seed, gpu,
                                    probe->device_count, err);
    status = model != NULL ? run_steps(run, gpu, model, own, err) : fail(run);
    training_model_free(model);
    if (own != NULL)
        run->ops->close(own);
    return status;
}

int training_run_steps(struct training_run *run, struct gpu_probe *probe, struct error *err)
{
    return gpu_all(probe, train, run, err);
}

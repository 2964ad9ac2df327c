/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdlib.h>

#include "gpu_threads.h"

struct task {
    struct gpu_probe *probe;
    unsigned gpu;
    gpu_work *work;
    void *state;
    struct error err;
    int status;
    pthread_t thread;
    bool started;
};

static void *work(void *data)
{
    struct task *task = data;

    task->status = task->work(task->probe, task->gpu, task->state, &task->err);
    return NULL;
}

int gpu_all(struct gpu_probe *probe, gpu_work *what, void *state, struct error *err)
{
    struct task *tasks = calloc(probe->device_count, sizeof *tasks);
    int status = 0;

    if (tasks == NULL)
        return error_set(err, ERROR_INTERNAL, "no memory");
    for (unsigned i = 0; i < probe->device_count; i++) {
        tasks[i].probe = probe;
        tasks[i].gpu = i;
        tasks[i].work = what;
        tasks[i].state = state;
        tasks[i].started = pthread_create(&tasks[i].thread, NULL, work, &tasks[i]) == 0;
        if (!tasks[i].started)
            tasks[i].status = error_set(&tasks[i].err, ERROR_INTERNAL, "no thread for GPU %u", i);
    }
    for (unsigned i = 0; i < probe->device_count; i++) {
        if (tasks[i].started)
            (void)pthread_join(tasks[i].thread, NULL);
        if (tasks[i].status < 0 && status == 0) {
            *err = tasks[i].err;
            status = -1;
        }
    }
    free(tasks);
    return status;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return a < b ? -1 : a > b;
}

static double at(const struct gpu_series *series, double share)
{
    return series->values[(size_t)((double)(series->count - 1) * share + 0.5)];
}

struct gpu_summary gpu_summarise(struct gpu_series *series)
{
    struct gpu_summary summary = {0};

    if (series->count == 0)
        return summary;
    qsort(series->values, series->count, sizeof series->values[0], compare);
    return (struct gpu_summary){.least = at(series, 0),
                                .p1 = at(series, 0.01),
                                .median = at(series, 0.5),
                                .best = at(series, 1),
                                .windows = series->count};
}

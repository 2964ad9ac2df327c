/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "training_run.h"

/* Coarse, so that hosts of a kind come to the same, however little of their memory differs. */
static const unsigned layers_tried[] = {32, 24, 16, 12, 8, 6, 4, 3, 2, 1};
static const double SHARE = 0.85;                 /* of all memory */
static const uint64_t BESIDE = (uint64_t)3 << 30; /* for the libraries' own */

static bool fits(const struct gpu_probe *probe, const struct training_shape *shape, uint64_t total)
{
    return (double)training_bytes(probe->backend->training, shape, training_gpus(probe)) <=
           SHARE * (double)total;
}

static int choose(const struct gpu_probe *probe, struct training_shape *shape, uint64_t total,
                  struct error *err)
{
    const unsigned batch = shape->batch, fixed = shape->layers;

    for (shape->batch = batch; shape->batch > 0; shape->batch /= 2)
        for (unsigned i = 0; i < sizeof layers_tried / sizeof layers_tried[0]; i++) {
            shape->layers = fixed > 0 ? fixed : layers_tried[i];
            if (fits(probe, shape, total))
                return 0;
        }
    return error_set(err, ERROR_INTERNAL, "%" PRIu64 " MiB of memory, too little for a training of %u layers",
                     total >> 20, fixed > 0 ? fixed : 1);
}

unsigned training_gpus(const struct gpu_probe *probe)
{
    return probe->device_count * probe->world.hosts;
}

int training_scale(const struct gpu_probe *probe, struct training_shape *ret_shape, struct error *err)
{
    const struct training_ops *ops = probe->backend->training;
    uint64_t least_total = UINT64_MAX, total, least_free = UINT64_MAX, available, needed;
    unsigned smallest = 0, fullest = 0;

    *ret_shape = ops->shape;
    if (probe->options.layers > 0)
        ret_shape->layers = probe->options.layers;
    for (unsigned gpu = 0; gpu < probe->device_count; gpu++) {
        if (ops->memory(gpu, &total, &available, err) < 0)
            return -1;
        if (total < least_total) {
            least_total = total;
            smallest = gpu;
        }
        if (available < least_free) {
            least_free = available;
            fullest = gpu;
        }
    }
    total = world_least(&probe->world, least_total);
    if (choose(probe, ret_shape, total, err) < 0)
        return least_total > total ? error_wrap(err, "another host's GPU")
                                   : error_wrap(err, "GPU %u", smallest);
    /* Not fewer layers: then hosts could not be compared. */
    needed = training_bytes(ops, ret_shape, training_gpus(probe));
    if (needed > least_free || (needed > BESIDE && least_free - needed < BESIDE))
        return error_set(err, ERROR_INTERNAL,
                         "GPU %u has %" PRIu64
                         " MiB of free memory, and a training of %u layers needs %" PRIu64
                         ": somebody else uses it",
                         fullest, least_free >> 20, ret_shape->layers, needed >> 20);
    return 0;
}

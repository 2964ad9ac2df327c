/* SPDX-License-Identifier: Apache-2.0 */
/* assay-probe-gpu: what the GPUs of this host compute. See usage in gpu_options.c, and the form of its output in
   gpu_output.c. */
#include <stdio.h>
#include <string.h>

#include "gpu_output.h"
#include "gpu_state.h"

static const struct gpu_backend *backend_of(const struct gpu_options *options)
{
    if (strcmp(options->backend, "host") == 0)
        return &gpu_backend_host;
#ifdef PROBE_WITH_KERNELS
    return &gpu_backend_cuda;
#else
    return NULL;
#endif
}

/* Those who do not tell wait longer, so that who does is not ended with them before. */
static unsigned deadline_of(const struct gpu_probe *probe)
{
    enum { LONGER_S = 10 };

    return probe->options.deadline_s + (probe->world.host > 0 ? LONGER_S : 0);
}

/* What goes wrong on another host does on none of this one's GPUs. */
static void aim(struct injection *injection, const struct world *world)
{
    if (injection->any && injection->host >= 0 && (unsigned)injection->host != world->host)
        injection->gpu = GPU_MOST;
}

/* Its GPUs, and that they are all its own. */
static int open_fit(struct gpu_probe *probe, struct error *err)
{
    struct gpu_states *states = gpu_states_ask();
    int status = probe->backend->open(probe, err);

    if (status < 0)
        gpu_states_explain(states, err);
    else
        status = gpu_states_fit(states, probe, err);
    gpu_states_free(states);
    return status;
}

/* All hosts know it together, so each ends of itself: mpirun 4.1 was seen to crash where several called MPI_Abort at once. */
static bool goes_over_hosts(const struct gpu_probe *probe)
{
    if (probe->world.hosts == 1 || world_least(&probe->world, probe->options.test == &gpu_test_training) == 1)
        return true;
    if (probe->world.host == 0)
        fprintf(stderr, "%s: of all tests only training goes over several hosts\n", world_program);
    return false;
}

static int test(struct gpu_probe *probe)
{
    struct error err = {0};
    int status;

    aim(&probe->options.injection, &probe->world);
    if (!goes_over_hosts(probe))
        return GPU_USAGE;
    probe->backend = backend_of(&probe->options);
    if (probe->backend == NULL)
        return gpu_refuse(probe, GPU_UNFIT,
                          "built without CUDA, so it cannot use a GPU; --backend host tests the probe");
    if (open_fit(probe, &err) < 0) {
        probe->backend->close(probe);
        return gpu_refuse(probe, GPU_UNFIT, err.text);
    }
    status = probe->options.test->run(probe);
    probe->backend->close(probe);
    return status;
}

int main(int argc, char **argv)
{
    static struct gpu_probe probe;
    struct error err = {0};
    int status;

    status = gpu_options_read(&probe.options, argc, argv, &err);
    if (status > 0) {
        gpu_options_help();
        return GPU_DONE;
    }
    if (status < 0) {
        fprintf(stderr, "%s: %s\n", world_program, err.text);
        return GPU_USAGE;
    }
    gpu_deadline_start(probe.options.deadline_s, true); /* of MPI's start too */
    if (world_open(&probe.world, &argc, &argv, &err) < 0)
        return gpu_refuse(&probe, GPU_BROKEN, err.text);
    gpu_deadline_start(deadline_of(&probe), probe.world.host == 0);
    status = test(&probe);
    world_close();
    return status;
}

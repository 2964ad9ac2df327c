/* SPDX-License-Identifier: Apache-2.0 */
/* assay-probe-gpu: what the GPUs of this host compute. See usage in gpu_options.c, and the form of its output in
   gpu_output.c. */
#include <stdio.h>
#include <string.h>

#include "gpu_output.h"

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

int main(int argc, char **argv)
{
    static struct gpu_probe probe;
    struct error err = {0};
    int status = gpu_options_read(&probe.options, argc, argv, &err);

    if (status > 0) {
        gpu_options_help();
        return GPU_DONE;
    }
    if (status < 0) {
        fprintf(stderr, "assay-probe-gpu: %s\n", err.text);
        return GPU_USAGE;
    }
    gpu_deadline_start(probe.options.deadline_s);
    probe.backend = backend_of(&probe.options);
    if (probe.backend == NULL)
        return gpu_refuse(GPU_UNFIT,
                          "built without CUDA, so it cannot use a GPU; --backend host tests the probe");
    if (probe.backend->open(&probe, &err) < 0) {
        probe.backend->close(&probe);
        return gpu_refuse(GPU_UNFIT, err.text);
    }
    status = probe.options.test->run(&probe);
    probe.backend->close(&probe);
    return status;
}

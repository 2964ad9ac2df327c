/* SPDX-License-Identifier: Apache-2.0 */
/* assay-probe-gpu: what the GPUs of this host compute. See usage in gpu_options.c, and the form of its output in
   gpu_output.c. */
#include <stdio.h>
#include <string.h>

#include "gpu.h"

static int refuse(int status, const char *reason)
{
    gpu_deadline_stop();
    fprintf(stderr, "assay-probe-gpu: %s\n", reason);
    gpu_output_end(status == GPU_UNFIT ? "unfit" : "broken", reason, 0, 0);
    return status;
}

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

/* How it ended: each SM has to have been reached, or nothing was shown of it. */
static int tell(const struct sdc *sdc, double seconds)
{
    const char *how = "ok", *reason = "";
    char text[160];

    for (unsigned gpu = 0; gpu < sdc->probe->device_count; gpu++)
        if (sdc_reached(sdc, gpu) < sdc->probe->devices[gpu].sms && *reason == '\0') {
            how = "incomplete";
            (void)snprintf(text, sizeof text, "%u of %u SMs of GPU %u were reached", sdc_reached(sdc, gpu),
                           sdc->probe->devices[gpu].sms, gpu);
            reason = text;
        }
    if (gpu_stop_asked()) {
        how = "stopped";
        reason = "a signal asked for the end";
    }
    if (sdc->disagreed > 0) {
        how = "wrong";
        (void)snprintf(text, sizeof text, "%s: no answer has the majority of the SMs in %llu rounds",
                       work_names[sdc->disagreed_unit], (unsigned long long)sdc->disagreed);
        reason = text;
    }
    if (sdc->error_count > 0)
        how = "wrong";
    gpu_output_end(how, reason, sdc->rounds, seconds);
    return strcmp(how, "ok") == 0 ? GPU_DONE : strcmp(how, "wrong") == 0 ? GPU_WRONG : GPU_BROKEN;
}

static int test(struct gpu_probe *probe, struct error *err)
{
    struct sdc *sdc = sdc_create(probe);
    double began = gpu_now_s();
    int status;

    if (sdc == NULL)
        return refuse(GPU_BROKEN, "no memory");
    gpu_output_head(probe);
    status = sdc_run(sdc, err);
    gpu_deadline_stop();
    /* What it found before something broke counts too. */
    gpu_output_sdc(sdc);
    status = status < 0 ? refuse(GPU_BROKEN, err->text) : tell(sdc, gpu_now_s() - began);
    sdc_free(sdc);
    return status;
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
        return refuse(GPU_UNFIT,
                      "built without CUDA, so it cannot use a GPU; --backend host tests the probe");
    if (probe.backend->open(&probe, &err) < 0) {
        probe.backend->close(&probe);
        return refuse(GPU_UNFIT, err.text);
    }
    status = test(&probe, &err);
    probe.backend->close(&probe);
    return status;
}

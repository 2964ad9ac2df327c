/* SPDX-License-Identifier: Apache-2.0 */
#include "nvml.h"

#include <dlfcn.h>
#include <stddef.h>

/* Of rows for the same function the first that is there counts. */
static const struct {
    const char *name;
    size_t at; /* in struct nvml */
    bool needed;
} functions[] = {
    {"nvmlInit_v2", offsetof(struct nvml, init), true},
    {"nvmlShutdown", offsetof(struct nvml, shutdown), true},
    {"nvmlDeviceGetHandleByUUID", offsetof(struct nvml, find), true},
    {"nvmlDeviceGetClockInfo", offsetof(struct nvml, clock), true},
    {"nvmlDeviceGetPowerUsage", offsetof(struct nvml, power), true},
    {"nvmlDeviceGetTemperature", offsetof(struct nvml, temperature), true},
    {"nvmlDeviceGetCurrentClocksThrottleReasons", offsetof(struct nvml, reasons), true},
    {"nvmlDeviceGetFieldValues", offsetof(struct nvml, fields), false},
    {"nvmlDeviceGetViolationStatus", offsetof(struct nvml, violation), false},
    {"nvmlDeviceGetCount_v2", offsetof(struct nvml, count), false},
    {"nvmlDeviceGetHandleByIndex_v2", offsetof(struct nvml, at), false},
    {"nvmlDeviceGetUUID", offsetof(struct nvml, uuid), false},
    {"nvmlDeviceGetSerial", offsetof(struct nvml, serial), false},
    {"nvmlDeviceGetPciInfo_v3", offsetof(struct nvml, pci), false},
    {"nvmlDeviceGetMigMode", offsetof(struct nvml, mig), false},
    {"nvmlDeviceGetComputeMode", offsetof(struct nvml, mode), false},
    {"nvmlDeviceGetComputeRunningProcesses_v3", offsetof(struct nvml, processes), false},
    {"nvmlDeviceGetComputeRunningProcesses_v2", offsetof(struct nvml, processes), false},
    {"nvmlSystemGetProcessName", offsetof(struct nvml, process_name), false},
    {"nvmlSystemGetDriverVersion", offsetof(struct nvml, driver), false},
};

static bool load(struct nvml *nvml)
{
    nvml->handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (nvml->handle == NULL)
        return false;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void **function = (void **)(void *)((char *)nvml + functions[i].at);

        if (*function == NULL)
            *function = dlsym(nvml->handle, functions[i].name);
        if (*function == NULL && functions[i].needed)
            return false;
    }
    return true;
}

bool nvml_open(struct nvml *nvml)
{
    *nvml = (struct nvml){0};
    if (load(nvml) && nvml->init() == NVML_DONE)
        return true;
    if (nvml->handle != NULL)
        (void)dlclose(nvml->handle);
    nvml->handle = NULL;
    return false;
}

void nvml_close(struct nvml *nvml)
{
    if (nvml->handle == NULL)
        return;
    (void)nvml->shutdown();
    (void)dlclose(nvml->handle);
    nvml->handle = NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* An NVML that knows the GPUs of the host backend: the first draws what it may, the second is too warm as well. The first tells
   what it draws at the moment, which alternates; with FAKE_NVML_LOST the second is lost after some samples; with FAKE_NVML_BUSY few questions
   after reasons are answered. With FAKE_NVML_MIG the second is cut into instances, with FAKE_NVML_MODE its compute mode is that number, with
   FAKE_NVML_PROCESS somebody works on it. Each time that it is asked, with FAKE_NVML_HELD, the second was held for 120 ms more for its
   voltage's sake. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct process {
    unsigned pid;
    unsigned long long memory;
    unsigned gpu_instance, compute_instance;
};
int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **ret_device);
int nvmlDeviceGetClockInfo(void *device, int kind, unsigned *ret_mhz);
int nvmlDeviceGetPowerUsage(void *device, unsigned *ret_mw);
int nvmlDeviceGetTemperature(void *device, int kind, unsigned *ret_c);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *ret_reasons);
struct violation {
    unsigned long long at_us, ns;
};
int nvmlDeviceGetViolationStatus(void *device, int policy, struct violation *ret_violation);
int nvmlDeviceGetCount_v2(unsigned *ret_count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **ret_device);
int nvmlDeviceGetUUID(void *device, char *ret_text, unsigned bytes);
int nvmlDeviceGetSerial(void *device, char *ret_text, unsigned bytes);
int nvmlDeviceGetMigMode(void *device, unsigned *ret_now, unsigned *ret_pending);
int nvmlDeviceGetComputeMode(void *device, int *ret_mode);
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, struct process *ret_processes);
int nvmlSystemGetProcessName(unsigned pid, char *ret_text, unsigned bytes);
int nvmlSystemGetDriverVersion(char *ret_text, unsigned bytes);

struct field {
    unsigned id, scope;
    long long timestamp, latency_us;
    int type, status;
    union {
        unsigned number;
        unsigned long long widest;
    } value;
};
int nvmlDeviceGetFieldValues(void *device, int count, struct field *fields);

enum {
    DONE = 0,
    NOT_FOUND = 6,
    NO_ROOM = 7,
    LOST = 15,
    CLOCK_SM = 1,
    POWER_INSTANT = 186,
    SAMPLES_FOUND = 20,
    UNKNOWN = 999
};

static int numbers[] = {0, 1};

int nvmlInit_v2(void)
{
    return DONE;
}

int nvmlShutdown(void)
{
    return DONE;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **ret_device)
{
    if (strcmp(uuid, "HOST-0") != 0 && strcmp(uuid, "HOST-1") != 0)
        return NOT_FOUND;
    *ret_device = &numbers[uuid[5] - '0'];
    return DONE;
}

int nvmlDeviceGetClockInfo(void *device, int kind, unsigned *ret_mhz)
{
    *ret_mhz = kind == CLOCK_SM ? 1900 - 200 * (unsigned)*(int *)device : 0;
    return DONE;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *ret_mw)
{
    static int samples;

    *ret_mw = 612500;
    return *(int *)device == 1 && getenv("FAKE_NVML_LOST") != NULL && ++samples > SAMPLES_FOUND ? LOST : DONE;
}

int nvmlDeviceGetFieldValues(void *device, int count, struct field *fields)
{
    static unsigned samples;

    if (*(int *)device != 0 || count != 1 || fields[0].id != POWER_INSTANT)
        return NOT_FOUND;
    fields[0].status = DONE;
    fields[0].value.number = ++samples % 2 == 0 ? 700000 : 500000;
    return DONE;
}

int nvmlDeviceGetTemperature(void *device, int kind, unsigned *ret_c)
{
    (void)kind;
    *ret_c = 61 + 20 * (unsigned)*(int *)device;
    return DONE;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *ret_reasons)
{
    static unsigned samples[2];

    *ret_reasons = *(int *)device == 1 ? 0x44 : 0x4;
    return getenv("FAKE_NVML_BUSY") != NULL && ++samples[*(int *)device] % 40 != 0 ? UNKNOWN : DONE;
}

int nvmlDeviceGetViolationStatus(void *device, int policy, struct violation *ret_violation)
{
    enum { RELIABILITY = 5 };
    static unsigned asked;

    ret_violation->at_us = 0;
    ret_violation->ns = 7000000000;
    if (*(int *)device == 1 && policy == RELIABILITY && getenv("FAKE_NVML_HELD") != NULL)
        ret_violation->ns += ++asked * 120000000ull;
    return DONE;
}

int nvmlDeviceGetCount_v2(unsigned *ret_count)
{
    *ret_count = 2;
    return DONE;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **ret_device)
{
    *ret_device = &numbers[index];
    return index < 2 ? DONE : NOT_FOUND;
}

int nvmlDeviceGetUUID(void *device, char *ret_text, unsigned bytes)
{
    return snprintf(ret_text, bytes, "HOST-%d", *(int *)device) > 0 ? DONE : UNKNOWN;
}

int nvmlDeviceGetSerial(void *device, char *ret_text, unsigned bytes)
{
    return snprintf(ret_text, bytes, "165092400000%d", *(int *)device) > 0 ? DONE : UNKNOWN;
}

int nvmlDeviceGetMigMode(void *device, unsigned *ret_now, unsigned *ret_pending)
{
    *ret_now = *ret_pending = *(int *)device == 1 && getenv("FAKE_NVML_MIG") != NULL;
    return DONE;
}

int nvmlDeviceGetComputeMode(void *device, int *ret_mode)
{
    const char *mode = getenv("FAKE_NVML_MODE");

    *ret_mode = *(int *)device == 1 && mode != NULL ? atoi(mode) : 0;
    return DONE;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, struct process *ret_processes)
{
    const char *many = getenv("FAKE_NVML_PROCESSES");
    const unsigned room = *count;

    *count = *(int *)device != 1 || getenv("FAKE_NVML_PROCESS") == NULL ? 0
             : many != NULL                                             ? (unsigned)atoi(many)
                                                                        : 1;
    for (unsigned i = 0; i < *count && *count <= room; i++)
        ret_processes[i] = (struct process){4711 + i, 1 << 20, 0, 0};
    return *count <= room ? DONE : NO_ROOM;
}

int nvmlSystemGetProcessName(unsigned pid, char *ret_text, unsigned bytes)
{
    return pid == 4711 && snprintf(ret_text, bytes, "%s", getenv("FAKE_NVML_PROCESS")) > 0 ? DONE : UNKNOWN;
}

int nvmlSystemGetDriverVersion(char *ret_text, unsigned bytes)
{
    return snprintf(ret_text, bytes, "580.159.04") > 0 ? DONE : UNKNOWN;
}

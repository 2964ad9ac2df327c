/* SPDX-License-Identifier: Apache-2.0 */
/* An NVML that knows the GPUs of the host backend: the first draws what it may, the second is too warm as well. The first tells
   what it draws at the moment, which alternates; with FAKE_NVML_LOST the second is lost after some samples; with FAKE_NVML_BUSY few questions
   after reasons are answered. */
#include <stdlib.h>
#include <string.h>

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **ret_device);
int nvmlDeviceGetClockInfo(void *device, int kind, unsigned *ret_mhz);
int nvmlDeviceGetPowerUsage(void *device, unsigned *ret_mw);
int nvmlDeviceGetTemperature(void *device, int kind, unsigned *ret_c);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *ret_reasons);

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

/* SPDX-License-Identifier: Apache-2.0 */
/* An NVML that knows the GPUs of the host backend: the first draws what it may, the second is too warm as well. */
#include <string.h>

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **ret_device);
int nvmlDeviceGetClockInfo(void *device, int kind, unsigned *ret_mhz);
int nvmlDeviceGetPowerUsage(void *device, unsigned *ret_mw);
int nvmlDeviceGetTemperature(void *device, int kind, unsigned *ret_c);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *ret_reasons);

enum { DONE = 0, NOT_FOUND = 6, CLOCK_SM = 1 };

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
    (void)device;
    *ret_mw = 612500;
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
    *ret_reasons = *(int *)device == 1 ? 0x44 : 0x4;
    return DONE;
}

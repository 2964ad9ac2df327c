/* SPDX-License-Identifier: Apache-2.0 */
/* Of NVML, which comes with the driver, what is used: its interface is kept stable, and its header is on few hosts. */
#ifndef ASSAY_PROBE_NVML_H
#define ASSAY_PROBE_NVML_H

#include <stdbool.h>

typedef struct nvml_device *nvml_device;

enum {
    NVML_DONE = 0,
    NVML_NO_ROOM = 7, /* for all that there are; how many is told */
    NVML_LOST = 15,
    NVML_CLOCK_SM = 1,
    NVML_TEMPERATURE_GPU = 0,
    NVML_POWER_INSTANT = 186, /* a field, in mW */
    NVML_MODE_EXCLUSIVE_THREAD = 1,
    NVML_MODE_PROHIBITED = 2,
    NVML_MODE_EXCLUSIVE_PROCESS = 3,
    NVML_TEXT_BYTES = 96
};

struct nvml_field {
    unsigned id, scope;
    long long timestamp, latency_us;
    int type, status;
    union {
        unsigned number;
        unsigned long long widest;
    } value;
};

/* As since release 450 of the driver. */
struct nvml_process {
    unsigned pid;
    unsigned long long memory;
    unsigned gpu_instance, compute_instance;
};

struct nvml_pci {
    char legacy[16];
    unsigned domain, bus, device, id, subsystem;
    char text[32];
};

/* Why a clock was lower than it could be: how long, since the driver was loaded. */
enum nvml_policy {
    NVML_POLICY_POWER = 0,
    NVML_POLICY_THERMAL = 1,
    NVML_POLICY_BOARD_LIMIT = 3,  /* of the board, which the voltage is one of */
    NVML_POLICY_RELIABILITY = 5,  /* the voltage at which it is reliable */
    NVML_POLICY_BASE_CLOCKS = 11, /* below the base clock, for whatever reason */
};

struct nvml_violation {
    unsigned long long at_us, ns;
};

struct nvml {
    void *handle;
    int (*init)(void);
    int (*shutdown)(void);
    int (*find)(const char *uuid, nvml_device *ret_device);
    int (*clock)(nvml_device device, int kind, unsigned *ret_mhz);
    int (*power)(nvml_device device, unsigned *ret_mw);
    int (*temperature)(nvml_device device, int kind, unsigned *ret_c);
    int (*reasons)(nvml_device device, unsigned long long *ret_reasons);
    /* NULL where the driver does not have it. */
    int (*fields)(nvml_device device, int count, struct nvml_field *fields);
    int (*violation)(nvml_device device, int policy, struct nvml_violation *ret_violation);
    int (*count)(unsigned *ret_count);
    int (*at)(unsigned index, nvml_device *ret_device);
    int (*uuid)(nvml_device device, char *ret_text, unsigned bytes);
    int (*serial)(nvml_device device, char *ret_text, unsigned bytes);
    int (*pci)(nvml_device device, struct nvml_pci *ret_pci);
    int (*mig)(nvml_device device, unsigned *ret_now, unsigned *ret_pending);
    int (*mode)(nvml_device device, int *ret_mode);
    int (*processes)(nvml_device device, unsigned *count, struct nvml_process *ret_processes);
    int (*process_name)(unsigned pid, char *ret_text, unsigned bytes);
    int (*driver)(char *ret_text, unsigned bytes);
};

/* false: there is none, or it does not start. */
bool nvml_open(struct nvml *nvml);
void nvml_close(struct nvml *nvml);

#endif

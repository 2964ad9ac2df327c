/* SPDX-License-Identifier: Apache-2.0 */
/* The words that nvidia-smi's notations share. */
#ifndef ASSAY_LAB_NVIDIA_SMI_WORDS_H
#define ASSAY_LAB_NVIDIA_SMI_WORDS_H

#include "lab_private.h"

/* The reasons why the clocks are where they are. */
struct reasons {
    bool idle, power_cap, thermal;
};

static inline const char *enabled(bool on)
{
    return on ? "Enabled" : "Disabled";
}

static inline const char *active(bool on)
{
    return on ? "Active" : "Not Active";
}

static inline const char *fabric_state(const struct lab_host *host, const struct lab_gpu *gpu)
{
    if (!host->profile->fabric_state)
        return "N/A";
    return gpu->fabric_ready ? "Completed" : "In Progress";
}

static inline const char *fabric_status(const struct lab_host *host, const struct lab_gpu *gpu)
{
    return host->profile->fabric_state && gpu->fabric_ready ? "Success" : "N/A";
}

/* It was taken into a domain of several hosts. Within one host drivers tell a UUID of zeros and N/A. */
static inline bool fabric_domain(const struct lab_host *host, const struct lab_gpu *gpu)
{
    return host->profile->domain_hosts > 0 && gpu->fabric_ready;
}

static inline struct reasons reasons_of(const struct lab_gpu *gpu, const struct gpu_now *now)
{
    return (struct reasons){
        .idle = !now->loaded,
        .power_cap = now->loaded && !gpu->throttled && gpu->clock_held == 0,
        .thermal = now->loaded && gpu->throttled,
    };
}

/* An idle link trains down to save power. */
static inline unsigned pcie_generation(const struct lab_host *host, const struct gpu_now *now)
{
    return now->loaded ? host->profile->pcie_generation : 1;
}

/* Where T.Limit is 0. */
enum { LAB_SOFTWARE_SLOWDOWN_C = 87 };

static inline unsigned memory_temperature(const struct lab_host *host, const struct gpu_now *now)
{
    /* By signed numbers: a GPU may be cooler than its kind is at rest. */
    int above = ((int)now->temperature - (int)host->profile->temperature_idle) / 2;

    return (unsigned)((int)host->profile->memory_temperature + above);
}

#endif

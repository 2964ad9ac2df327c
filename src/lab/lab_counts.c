/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters that grow while a host is tested: those of a GPU and of its NVLinks during gpu_burn, those of the kernel and of a
 * drive likewise, those of an HCA's port while NCCL runs across hosts. One row is one counter; what shows it asks for it by its word.
 */
#include <stdio.h>
#include <string.h>

#include "assay/base/files.h"

#include "assay/base/scan.h"
#include "lab_private.h"

static const struct lab_count counts[] = {
    {FAULT_GPU_COUNTS, "pcie-replays", 500, NULL, ON_ANY},
    {FAULT_GPU_COUNTS, "sram-corrected", 20000, NULL, ON_ANY},
    {FAULT_GPU_COUNTS, "dram-corrected", 3e7, NULL, ON_ANY},
    {FAULT_GPU_COUNTS, "sram-corrected-ever", 20000, NULL, ON_ANY},
    {FAULT_GPU_COUNTS, "dram-corrected-ever", 3e7, NULL, ON_ANY},
    {FAULT_GPU_COUNTS, "uncorrected-ever", 1, NULL, ON_ANY},
    {FAULT_GPU_COUNTS, "sram-threshold", 1, NULL, ON_ANY},
    {FAULT_GPU_COUNTS, "needs-reset", 1, NULL, ON_ANY},
    {FAULT_GPU_COUNTS, "rows-corrected", 1, NULL, WITH_REMAPPER},
    {FAULT_GPU_COUNTS, "rows-failed", 1, NULL, WITH_REMAPPER},
    {FAULT_GPU_COUNTS, "pages-double", 1, NULL, WITHOUT_REMAPPER},
    {FAULT_GPU_COUNTS, "pages-single", 1, NULL, WITHOUT_REMAPPER},
    {FAULT_GPU_COUNTS, "pages-pending", 1, NULL, WITHOUT_REMAPPER},
    {FAULT_MACHINE_COUNTS, "aer-nonfatal", 1, "aer_dev_nonfatal", ON_ANY},
    {FAULT_MACHINE_COUNTS, "aer-fatal", 1, "aer_dev_fatal", ON_ANY},
    {FAULT_MACHINE_COUNTS, "edac-ce", 30, "ce_count", ON_ANY},
    {FAULT_MACHINE_COUNTS, "edac-ue", 1, "ue_count", ON_ANY},
    {FAULT_MACHINE_COUNTS, "nvme-warning", 4, NULL, ON_ANY},
    {FAULT_NVLINK_COUNTS, "replay", 7, NULL, TO_NVLINK4},
    {FAULT_NVLINK_COUNTS, "recovery", 2, NULL, FROM_NVLINK5},
    {FAULT_NVLINK_COUNTS, "recovery-failed", 1, NULL, FROM_NVLINK5},
    {FAULT_NVLINK_COUNTS, "malformed", 3, NULL, FROM_NVLINK5},
    {FAULT_NVLINK_COUNTS, "overrun", 3, NULL, FROM_NVLINK5},
    {FAULT_NVLINK_COUNTS, "rx", 3, NULL, FROM_NVLINK5},
    {FAULT_NVLINK_COUNTS, "rx-remote", 3, NULL, FROM_NVLINK5},
    {FAULT_NVLINK_COUNTS, "integrity", 3, NULL, FROM_NVLINK5},
    {FAULT_NVLINK_COUNTS, "discards", 3, NULL, FROM_NVLINK5},
    {FAULT_NVLINK_COUNTS, "effective", 3, NULL, FROM_NVLINK5},
    {FAULT_NVLINK_COUNTS, "symbol", 3, NULL, FROM_NVLINK5},
    {FAULT_PORT_COUNTS, "link_error_recovery", 400, "counters", ON_ANY},
    {FAULT_PORT_COUNTS, "port_rcv_errors", 100000, "counters", ON_ANY},
    {FAULT_PORT_COUNTS, "local_link_integrity_errors", 1, "counters", ON_ANY},
    {FAULT_PORT_COUNTS, "excessive_buffer_overrun_errors", 1, "counters", ON_ANY},
    {FAULT_PORT_COUNTS, "port_xmit_discards", 1e6, "counters", ON_ANY},
    {FAULT_PORT_COUNTS, "local_ack_timeout_err", 10000, "hw_counters", ON_ANY},
    {FAULT_PORT_COUNTS, "packet_seq_err", 500, "hw_counters", ON_ANY},
    {FAULT_PORT_COUNTS, "out_of_sequence", 500, "hw_counters", ON_ANY},
    {FAULT_PORT_COUNTS, "rnr_nak_retry_err", 500, "hw_counters", ON_ANY},
    {FAULT_PORT_COUNTS, "implied_nak_seq_err", 500, "hw_counters", ON_ANY},
    {FAULT_PORT_COUNTS, "req_transport_retries_exceeded", 1, "hw_counters", ON_ANY},
    {FAULT_PORT_COUNTS, "np_cnp_sent", 90000, "hw_counters", ON_ANY},
    {FAULT_PORT_COUNTS, "rp_cnp_handled", 90000, "hw_counters", ON_ANY},
    {FAULT_PORT_COUNTS, "roce_adp_retrans", 500, "hw_counters", ON_ANY},
    {FAULT_PORT_COUNTS, "roce_slow_restart", 100000, "hw_counters", ON_ANY},
    {FAULT_PORT_COUNTS, "rx_crc_errors_phy", 1e6, LAB_ETHTOOL, ON_ANY},
    {FAULT_PORT_COUNTS, "rx_symbol_err_phy", 30000, LAB_ETHTOOL, ON_ANY},
    {FAULT_PORT_COUNTS, "rx_discards_phy", 1e7, LAB_ETHTOOL, ON_ANY},
    {FAULT_PORT_COUNTS, "tx_discards_phy", 1e7, LAB_ETHTOOL, ON_ANY},
};

static bool has(const struct lab_profile *profile, enum lab_count_of of)
{
    bool remapper = profile->remap_banks > 0, nvlink5 = lab_nvlink5(profile);

    return of == ON_ANY || (of == WITH_REMAPPER && remapper) || (of == WITHOUT_REMAPPER && !remapper) ||
           (of == TO_NVLINK4 && !nvlink5) || (of == FROM_NVLINK5 && nvlink5);
}

bool lab_nvlink5(const struct lab_profile *profile)
{
    double rate;

    return scan_double(slice_of(profile->link_rate), &rate) && rate > 50;
}

const struct lab_count *lab_count_find(const struct lab_profile *profile, enum fault_kind kind,
                                       const char *word, size_t length)
{
    for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
        if (counts[i].kind == kind && strlen(counts[i].word) == length &&
            memcmp(counts[i].word, word, length) == 0 && has(profile, counts[i].of))
            return &counts[i];
    return NULL;
}

static char *device_count_file(struct arena *arena, const struct lab_host *host, int hca, const char *counter)
{
    return lab_host_file(arena, host->lab, host->number,
                         arena_printf(arena, "ethtool.mlx5_%d.%s", hca, counter));
}

uint64_t lab_device_counted(struct arena *arena, const struct lab_host *host, int hca, const char *counter)
{
    cleanup_text struct text text = {0};
    uint64_t count;

    text_init(&text, 4096);
    return file_read(device_count_file(arena, host, hca, counter), &text, NULL) == 0 &&
                   scan_u64((struct slice){text.bytes, text.length}, &count)
               ? count
               : 0;
}

void lab_device_count(struct arena *arena, const struct lab_host *host, int hca, const char *counter,
                      uint64_t more)
{
    char *path = device_count_file(arena, host, hca, counter);
    const char *sum = arena_printf(
        arena, "%llu", (unsigned long long)(lab_device_counted(arena, host, hca, counter) + more));

    if (file_write(path, sum, strlen(sum), 0644, NULL) < 0)
        fprintf(stderr, "lab: cannot write %s\n", path);
}

unsigned long long lab_counted(const struct lab_host *host, enum fault_kind kind, int gpu, const char *word)
{
    double sum = 0;

    array_each (fault, host->lab->faults, host->lab->fault_count)
        if (fault->kind == kind && fault->host == host->number && fault->gpu == gpu &&
            strcmp(fault->word, word) == 0)
            sum += fault->number;
    return sum > 0 && lab_struck(host) ? (unsigned long long)sum : 0;
}

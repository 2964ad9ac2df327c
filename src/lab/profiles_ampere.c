/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts of Ampere GPUs, and one without any. Each figure lies inside what healthy hosts of the platform showed; the
   rest is as the comment above it says. */
#include "lab_private.h"

/* What all boards of this generation have alike. */
#define HGX_AMPERE                                                                                          \
    .gpus = 8, .architecture = "Ampere", .pci_bus = {0x07, 0x0f, 0x47, 0x4e, 0x87, 0x90, 0xb7, 0xbd},       \
    .memory_mib = 81920, .reserved_mib = 869, .driver = "535.183.06", .cuda = "12.2",                       \
    .vbios = "92.00.45.00.03", .inforom_ecc = "6.16", .links_per_switch = 2, .link_rate = "25",             \
    .switch_pci = "1af1", .switch_name = "GA100 [A100 NVSwitch]", .power_limit = 400, .power_min = 100,     \
    .power_idle = 61, .power_burn = 396, .temperature_idle = 31, .temperature_burn = 63,                    \
    .memory_temperature = 42, .clock_idle = 210, .clock_max = 1410, .clock_memory = 1593,                   \
    .pcie_generation = 4, .copy_up = 24.6, .copy_down = 24.6, .remap_banks = 640, .p2p_off_uni = 15,        \
    .p2p_off_bi = 18, .p2p_local = 1560, .latency_on = 2.9, .latency_off = 23.5, .gflops_tensor = 129000,   \
    .tflops = 270, .hbm = 1610, .gflops_double = 18100, .nccl_version = "21805",                            \
    .curve = {.155, .24, .33, .42, .53, .62, .69, .75, .88, .95, .983, .99, .996, 1, 1.01},                 \
    .curve_cluster = {.05, .08, .13, .2, .3, .45, .68, .86, .93, .95, .966, .98, .99, 1, 1.002}, .hcas = 8, \
    .hca_firmware = "20.39.1002", .dcgm = "3.3.5"

/* The A100 with NVLink as it was made. */
#define HGX_A100                                                                                         \
    .gpu_name = "NVIDIA A100-SXM4-80GB", .device_id = "20b2", .subsystem_id = "1463",                    \
    .pci_name = "GA100 [A100 SXM4 80GB]", .board_part = "692-2G506-0210-002", .gpu_part = "20B2-883-A1", \
    .image = "G506.0210.00.04", .links = 12, .p2p_uni = 272, .p2p_bi = 516, .gflops_float = 17550,       \
    .busbw = {232, 224, 225, 210, 214}, .all_reduce_two = 189, .all_reduce_many = 187, .gather_many = 177

const struct lab_profile profiles_ampere[] = {
    {
        .name = "hgx-a100",
        HGX_A100,
        HGX_AMPERE,
        CONNECTX_6,
        .board = &board_milan,
    },
    {
        /*
         * The A100's figures but for NVLink and what hangs on it: 8 links of 25 GB/s, of which NVIDIA's
         * engineer expects 20 in a ring, 160 GB/s at 8G (nccl#412). Not published: copies, scaled from the
         * A100's by 8 of 12 links; other collectives and what several hosts reach, which its NVLinks bound
         * (the A100's share of its own ring).
         */
        .name = "hgx-a800",
        HGX_AMPERE,
        .gpu_name = "NVIDIA A800-SXM4-80GB",
        .device_id = "20f3",
        .subsystem_id = "179d",
        .pci_name = "GA100 [A800 SXM4 80GB]",
        .board_part = "692-2G506-0215-002",
        .gpu_part = "20F3-883-A1",
        .image = "G506.0215.00.01",
        .links = 8,
        .p2p_uni = 181,
        .p2p_bi = 344,
        .gflops_float = 17500,
        .busbw = {161, 156, 156, 148, 150},
        CONNECTX_6,
        .all_reduce_two = 154,
        .all_reduce_many = 152,
        .gather_many = 147,
        .board = &board_milan,
    },
    {
        /* What is said of GPUs and of links between them is never asked. */
        .npus = true,
        .name = "atlas-800t-a2",
        HGX_A100,
        HGX_AMPERE,
        CONNECTX_6,
        .board = &board_sapphire,
    },
    {0},
};

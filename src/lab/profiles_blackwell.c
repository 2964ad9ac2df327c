/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts of Blackwell GPUs, and trays of NVL72. Each figure lies inside what healthy hosts of the platform showed; the
   rest is as the comment above it says. */
#include "lab_private.h"

/* What all of this generation have alike. */
#define BLACKWELL                                                                                       \
    .architecture = "Blackwell", .reserved_mib = 812, .inforom_ecc = "7.16", .links = 18,               \
    .links_per_switch = 9, .link_rate = "53.125", .fabric_state = true, .temperature_limits = true,     \
    .power_min = 200, .temperature_burn = 62, .memory_temperature = 38, .clock_idle = 120,              \
    .clock_max = 1965, .clock_memory = 3996, .pcie_generation = 5, .remap_banks = 5760, .p2p_uni = 747, \
    .p2p_bi = 1465, .latency_on = 2.7, .latency_off = 15.5, .hbm = 6300,                                \
    .curve = {.091, .16, .25, .36, .488, .60, .71, .835, .90, .94, .97, .985, .993, 1, 1.003},          \
    .curve_cluster = {.03, .05, .08, .12, .16, .24, .39, .59, .78, .886, .958, .98, .99, 1, 1.005}

/* Boards of 8. */
#define HGX_BLACKWELL                                                                                \
    .gpus = 8, .pci_bus = {0x1b, 0x43, 0x52, 0x61, 0x9d, 0xc3, 0xd1, 0xdf}, .power_limit = 1000,     \
    .temperature_idle = 30, .copy_up = 55.3, .copy_down = 55.3, .p2p_off_uni = 38, .p2p_off_bi = 52, \
    .gflops_tensor = 711000, .hcas = 8, .board = &board_emerald

/* Trays of a rack of 18. */
#define NVL72_TRAY                                                                           \
    .gpus = 4, .pci_domain = {0x8, 0x9, 0x18, 0x19}, .domain_hosts = 18, .p2p_off_uni = 150, \
    .p2p_off_bi = 210, .gflops_tensor = 790000, .tflops = 1750, .hcas = 4,                   \
    .hca_domain = {0x0, 0x2, 0x10, 0x12}, .hca_bus = {0x3, 0x3, 0x3, 0x3}, .board = &board_grace

const struct lab_profile profiles_blackwell[] = {
    {
        /*
         * Copies 744-750, all_reduce 839-846 with NVLS and 682 as a ring: stas00/ml-engineering
         * network/README.md. Not published: the other collectives of one host, which are the ring's;
         * Gflop/s, scaled from the H100's by what DCGM asks of both (49266 of 39000); all_gather over
         * hosts, the H100's share of what all_reduce reaches; VBIOS, part numbers and temperatures.
         */
        .name = "hgx-b200",
        HGX_BLACKWELL,
        BLACKWELL,
        .gpu_name = "NVIDIA B200",
        .device_id = "2901",
        .subsystem_id = "1999",
        .pci_name = "GB100 [B200]",
        .memory_mib = 183359,
        .driver = "570.133.20",
        .cuda = "12.8",
        .vbios = "97.00.88.00.0F",
        .board_part = "692-2G525-0220-002",
        .gpu_part = "2901-886-A1",
        .image = "G525.0220.00.03",
        .power_idle = 142,
        .power_burn = 990,
        .p2p_local = 6500,
        .gflops_float = 64800,
        .tflops = 1700,
        .gflops_double = 30900,
        .nccl_version = "22605",
        .busbw = {842, 682, 682, 655, 720},
        .hca_firmware = "28.43.2026",
        CONNECTX_7,
        .all_reduce_two = 470,
        .all_reduce_many = 381,
        .gather_many = 350,
        .dcgm = "4.2.3",
    },
    {
        /*
         * As the B200, but for 845 with NVLS and 695 without (nccl#2140) and adapters of 800 Gb/s: 700-750
         * on 2 hosts (OCI). Not published: what more hosts reach, by what the ring takes of the B200's
         * links and adapters; RDMA of 800 Gb/s. The GPU knows PCIe generation 6, its slot 5
         * (gpu004/napkin-math-gpu).
         */
        .name = "hgx-b300",
        HGX_BLACKWELL,
        BLACKWELL,
        .gpu_name = "NVIDIA B300 SXM6 AC",
        .device_id = "3182",
        .subsystem_id = "20e6",
        .pci_name = "GB110 [B300 SXM6 AC]",
        .memory_mib = 275040,
        .driver = "580.95.05",
        .cuda = "13.0",
        .vbios = "97.10.4A.00.05",
        .board_part = "692-2G525-0260-000",
        .gpu_part = "3182-885-A1",
        .image = "G525.0260.00.02",
        .power_idle = 150,
        .power_burn = 991,
        .pcie_device_generation = 6,
        .p2p_local = 7050,
        .gflops_float = 64600,
        .tflops = 1750,
        .gflops_double = 1000,
        .nccl_version = "22707",
        .busbw = {845, 695, 695, 668, 730},
        .hca_firmware = "40.45.1200",
        CONNECTX_8,
        .all_reduce_two = 750,
        .all_reduce_many = 692,
        .gather_many = 680,
        .dcgm = "4.4.1",
    },
    {
        /*
         * A tray: all_reduce 679.6 at 8G (Azure/AI-benchmarking-guide), 201 and 193 GB/s by NVLink-C2C;
         * over trays of one rack 835-882, all_gather 609-680, alltoall 569-684
         * (NVIDIA/cluster-readiness-engine); over the adapters alone 191. Its GPUs are in PCI domains of
         * their own (leptonai/gpud testdata/lspci.gb200). Not published: other collectives of a tray,
         * Gflop/s (scaled from the B200's by the peaks, 2500 of 2250), VBIOS, part numbers and
         * temperatures.
         */
        .name = "gb200-nvl72",
        NVL72_TRAY,
        BLACKWELL,
        .gpu_name = "NVIDIA GB200",
        .device_id = "2941",
        .subsystem_id = "2046",
        .pci_name = "Device 2941",
        .pci_bus = {0x1, 0x1, 0x1, 0x1},
        .memory_mib = 189471,
        .driver = "570.158.01",
        .cuda = "12.8",
        .vbios = "97.00.B9.00.76",
        .board_part = "699-2G548-0200-800",
        .gpu_part = "2941-886-A1",
        .image = "G548.0200.00.06",
        .power_limit = 1200,
        .power_idle = 170,
        .power_burn = 1186,
        .temperature_idle = 30,
        .copy_up = 201,
        .copy_down = 193,
        .p2p_local = 6900,
        .gflops_float = 72000,
        .gflops_double = 34300,
        .nccl_version = "22605",
        .busbw = {680, 640, 640, 620, 700},
        .domain_busbw = {840, 650, 650, 625, 700},
        .hca_firmware = "28.44.1036",
        CONNECTX_7,
        .all_reduce_two = 191.4,
        .all_reduce_many = 191.4,
        .gather_many = 191.3,
        .racks_all_reduce = 805,
        .dcgm = "4.2.3",
    },
    {
        /*
         * As GB200, but for 923, 699 and 679 on 8 trays (NVIDIA/cluster-readiness-engine), 376 and 366
         * over adapters of 800 Gb/s, memory, power at rest and PCI places as nvidia-smi of 580.105.08
         * showed them. Host copies 802.86 and 773.93 are of 4 GPUs. Not published: one tray alone (scaled
         * from GB200's), Gflop/s (by what DCGM asks of it and of the H100: 65000 of 39000).
         */
        .name = "gb300-nvl72",
        NVL72_TRAY,
        BLACKWELL,
        .gpu_name = "NVIDIA GB300",
        .device_id = "31c2",
        .subsystem_id = "21f1",
        .pci_name = "Device 31c2",
        .pci_bus = {0x6, 0x6, 0x6, 0x6},
        .memory_mib = 284208,
        .driver = "580.105.08",
        .cuda = "13.0",
        .vbios = "97.10.5C.00.01",
        .board_part = "699-2G548-0300-800",
        .gpu_part = "31C2-893-A1",
        .image = "G548.0300.00.02",
        .power_limit = 1400,
        .power_idle = 231,
        .power_burn = 1384,
        .temperature_idle = 34,
        .copy_up = 200.7,
        .copy_down = 193.5,
        .p2p_local = 7300,
        .gflops_float = 85500,
        .gflops_double = 1100,
        .nccl_version = "22707",
        .busbw = {690, 650, 650, 630, 710},
        .domain_busbw = {900, 690, 690, 670, 720},
        .hca_firmware = "40.45.1200",
        CONNECTX_8,
        .all_reduce_two = 376,
        .all_reduce_many = 376,
        .gather_many = 366,
        .racks_all_reduce = 820,
        .dcgm = "4.4.1",
    },
    {0},
};

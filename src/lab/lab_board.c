/* SPDX-License-Identifier: Apache-2.0 */
/* The server around the GPUs: board, firmware, processors, memory, disks. */
#include <string.h>

#include "lab_private.h"

static const struct lab_board sapphire = {
    .vendor = "Supermicro",
    .product = "SYS-821GE-TNHR",
    .board = "X13DEG-OAD",
    .bios_vendor = "American Megatrends International, LLC.",
    .bios_version = "2.1",
    .bios_date = "03/18/2024",
    .cpu_vendor = "GenuineIntel",
    .cpu = "Intel(R) Xeon(R) Platinum 8480+",
    .cpu_maker = "Intel(R) Corporation",
    .sockets = 2,
    .cores = 56,
    .cpu_mhz_max = 3800,
    .dimm_count = 32,
    .dimm_gib = 64,
    .dimm_mts = 4800,
    .dimm_type = "DDR5",
    .dimm_maker = "Samsung",
    .dimm_part = "M321R8GA0BB0-CQKZJ",
    .nvme_count = 8,
    .nvme_bytes = 3840755982336,
    .nvme_model = "SAMSUNG MZQL23T8HCLS-00A07",
    .psu_count = 6,
    .psu_watts = 3000,
    .psu_model = "PWS-3K06G-2R",
};

static const struct lab_board milan = {
    .vendor = "Supermicro",
    .product = "AS -4124GO-NART",
    .board = "H12DGO-6",
    .bios_vendor = "American Megatrends Inc.",
    .bios_version = "2.6",
    .bios_date = "04/06/2023",
    .cpu_vendor = "AuthenticAMD",
    .cpu = "AMD EPYC 7763 64-Core Processor",
    .cpu_maker = "Advanced Micro Devices, Inc.",
    .sockets = 2,
    .cores = 64,
    .cpu_mhz_max = 3529,
    .dimm_count = 32,
    .dimm_gib = 32,
    .dimm_mts = 3200,
    .dimm_type = "DDR4",
    .dimm_maker = "Micron Technology",
    .dimm_part = "36ASF4G72PZ-3G2R1",
    .nvme_count = 4,
    .nvme_bytes = 3840755982336,
    .nvme_model = "Micron_7300_MTFDHBE3T8TDF",
    .psu_count = 4,
    .psu_watts = 3000,
    .psu_model = "PWS-3K03A-2R",
};

const struct lab_board *lab_board_of(const struct lab_profile *profile)
{
    return strcmp(profile->name, "hgx-a100") == 0 ? &milan : &sapphire;
}

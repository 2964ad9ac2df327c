/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel shows of the GPUs' driver. */
#include "lab_private.h"

static void put_switches(struct tree *tree, const struct lab_host *host)
{
    for (unsigned i = 0; host->profile->switch_pci != NULL && i < LAB_SWITCHES; i++)
        tree_file(tree,
                  tree_path(tree, "proc/driver/nvidia-nvswitch/devices/0000:%02x:00.0/information",
                            lab_switch_bus(host->profile, i)),
                  "BIOS Version: %s\n",
                  host->profile->pcie_generation == 4 ? "92.10.18.00.02"
                  : i == 0 && host->old_switch        ? "96.10.55.00.01"
                                                      : "96.10.6d.00.01");
}

void tree_gpu(struct tree *tree, const struct lab_host *host)
{
    tree_file(tree, "proc/modules",
              "%s"
              "nvidia_uvm 1875968 4 - Live 0x0000000000000000 (OE)\n"
              "nvidia 62382080 214 nvidia_uvm, Live 0x0000000000000000 (OE)\n"
              "mlx5_ib 471040 0 - Live 0x0000000000000000 (OE)\n"
              "mlx5_core 2203648 1 mlx5_ib, Live 0x0000000000000000 (OE)\n",
              host->peermem ? "nvidia_peermem 16384 0 - Live 0x0000000000000000 (OE)\n" : "");
    tree_file(tree, "proc/driver/nvidia/version",
              "NVRM version: NVIDIA UNIX %s Kernel Module  %s  Thu Aug  1 09:17:13 UTC 2024\n"
              "GCC version:  gcc version 11.4.0 (Ubuntu 11.4.0-1ubuntu1~22.04)\n",
              host->board->arm ? "aarch64" : "x86_64", host->driver);
    if (host->nvidia_fs != NULL) {
        tree_file(tree, "proc/driver/nvidia-fs/version", "version: %s\n", host->nvidia_fs);
        tree_file(tree, "proc/driver/nvidia-fs/stats",
                  "GDS Version: 1.14.0.30\nNVFS statistics(ver: 4.0)\nNVFS Driver(version: %s)\n"
                  "Mellanox PeerDirect Supported: True\nIO stats: Disabled, peer IO stats: Disabled\n",
                  host->nvidia_fs);
    }
    put_switches(tree, host);
}

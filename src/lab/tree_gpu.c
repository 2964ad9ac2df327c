/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel shows of the GPUs' driver. */
#include "lab_private.h"

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
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel and the distribution say of themselves in files: release, limits, firmware, settings. */
#include <string.h>

#include "lab_private.h"

enum { CPUS_SHOWN = 4 }; /* of all alike */

static void write_limits(struct tree *tree, const struct lab_host *host)
{
    const char *locked =
        host->memlock == 0 ? "unlimited" : tree_path(tree, "%llu", (unsigned long long)host->memlock);

    tree_file(tree, "proc/self/limits",
              "Limit                     Soft Limit           Hard Limit           Units     \n"
              "Max cpu time              unlimited            unlimited            seconds   \n"
              "Max stack size            8388608              unlimited            bytes     \n"
              "Max processes             8253448              8253448              processes \n"
              "Max open files            1048576              1048576              files     \n"
              "Max locked memory         %-20s %-20s bytes     \n"
              "Max address space         unlimited            unlimited            bytes     \n",
              locked, locked);
    tree_file(tree, "proc/self/status",
              "Name:\tawk\nUmask:\t0002\nState:\tR (running)\nUid:\t1000\t1000\t1000\t1000\n"
              "CapInh:\t0000000000000000\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n"
              "CapBnd:\t000001ffffffffff\nCapAmb:\t0000000000000000\n");
}

static void write_memory(struct tree *tree, const struct lab_host *host)
{
    const struct lab_board *board = host->board;
    unsigned long long kib = (unsigned long long)board->dimm_gib << 20;

    tree_file(tree, "proc/meminfo",
              "MemTotal:       %llu kB\nSwapTotal:             0 kB\nSwapFree:              0 kB\n"
              "HugePages_Total:       0\nHugePages_Free:        0\nHugepagesize:       2048 kB\n",
              kib * (board->dimm_count - (host->dimm_missing > 0 ? 1 : 0)) / 100 * 98);
    tree_file(tree, "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    tree_file(tree, "proc/sys/kernel/osrelease", "%s\n", host->kernel);
    tree_file(tree, "proc/sys/kernel/numa_balancing", "%d\n", host->numa_balancing);
}

/* The drives of /scratch as one array, and a mirror, on partitions of two of them. */
static void write_arrays(struct tree *tree, const struct lab_host *host)
{
    static const struct {
        const char *fault, *lines;
    } mirrors[] = {
        {"degraded", "md1 : active raid1 nvme1n1p2[0]\n      937127936 blocks super 1.2 [2/1] [U_]\n"},
        {"failed", "md1 : active raid1 nvme3n1p2[2] nvme2n1p2[1](F) nvme1n1p2[0]\n"
                   "      937127936 blocks super 1.2 [2/2] [UU]\n"},
        {"inactive", "md1 : inactive nvme1n1p2[0](S)\n      937127936 blocks super 1.2\n"},
        {"none", ""},
        {"resync",
         "md1 : active raid1 nvme2n1p2[1] nvme1n1p2[0]\n      937127936 blocks super 1.2 [2/2] [UU]\n"
         "      [=>...................]  resync =  8.5% (79655874/937127936) finish=71.4min "
         "speed=200134K/sec\n"},
        {"", "md1 : active raid1 nvme2n1p2[1] nvme1n1p2[0]\n      937127936 blocks super 1.2 [2/2] [UU]\n"},
    };
    const char *data = "";

    for (unsigned i = host->board->nvme_count - 1; i > 0; i--)
        data = tree_path(tree, "%s nvme%un1p1[%u]", data, i, i - 1);
    for (size_t i = 0; i < ARRAY_SIZE(mirrors); i++)
        if (strcmp(mirrors[i].fault, host->md_bad) == 0)
            tree_file(tree, "proc/mdstat",
                      "Personalities : [raid0] [raid1] \n%s      \nmd0 : active raid0%s\n"
                      "      30005842608 blocks super 1.2 512k chunks\n      \nunused devices: <none>\n",
                      mirrors[i].lines, data);
}

/* What the kernel says of a program that watches the GPUs, and of its neighbour that does not. */
static void write_monitor(struct tree *tree, const char *program)
{
    bool loop = strcmp(program, "nvidia-smi") == 0;

    tree_file(tree, "proc/3141/comm", "%s\n", program);
    tree_file(tree, "proc/3141/cmdline", "%s%s", program, loop ? " --loop=1 " : "");
    tree_file(tree, "proc/3141/maps", "7f1c40000000-7f1c40400000 r-xp 00000000 fd:00 3 /usr/lib/%s\n",
              strcmp(program, "nv-hostengine") == 0 ? "libdcgmmoduleprofiling.so.3" : "libc.so.6");
}

void tree_system(struct tree *tree, const struct lab_host *host)
{
    const char *version = host->os_ended ? "20.04" : "22.04";
    const char *name = host->os_ended ? "20.04.6 LTS (Focal Fossa)" : "22.04.4 LTS (Jammy Jellyfish)";

    tree_file(tree, "etc/os-release",
              "PRETTY_NAME=\"Ubuntu %.11s\"\nNAME=\"Ubuntu\"\nVERSION_ID=\"%s\"\nVERSION=\"%s\"\n"
              "ID=ubuntu\nID_LIKE=debian\n",
              name, version, name);
    tree_file(tree, "proc/cmdline", "BOOT_IMAGE=/boot/vmlinuz-%s root=UUID=6d1f ro %s\n", host->kernel,
              host->boot_options);
    tree_file(tree, "sys/devices/platform/ipmi_bmc.0/firmware_revision", "%s\n", host->bmc_firmware);
    tree_file(tree, "sys/class/dmi/id/bios_vendor", "%s\n", host->board->bios_vendor);
    tree_file(tree, "sys/class/dmi/id/bios_version", "%s\n", host->bios_version);
    tree_file(tree, "sys/class/dmi/id/bios_date", "%s\n", host->board->bios_date);
    for (int i = 0; i < CPUS_SHOWN; i++)
        tree_file(tree, tree_path(tree, "sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", i), "%s\n",
                  host->governor);
    /* Of the library the one word that tells its version. */
    tree_file(tree, "usr/lib/x86_64-linux-gnu/libnccl.so.2", "\177ELF\nNCCL version %s+cuda12.4\n",
              host->nccl);
    for (unsigned i = 0; i < host->drives; i++)
        tree_file(tree, tree_path(tree, "sys/class/nvme/nvme%u/model", i), "%s\n", host->board->nvme_model);
    tree_file(tree, LAB_EDAC "ce_count", "0\n");
    tree_file(tree, LAB_EDAC "ue_count", "0\n");
    if (fault_find(host->lab, host->number, FAULT_NVME_GONE) != NULL ||
        fault_find(host->lab, host->number, FAULT_MACHINE_COUNTS) != NULL)
        tree_private(tree);
    write_limits(tree, host);
    write_memory(tree, host);
    write_arrays(tree, host);
    if (host->monitor != NULL)
        write_monitor(tree, host->monitor);
    tree_secret(tree, LAB_BMC_LOGIN_FILE, LAB_BMC_LOGIN);
}

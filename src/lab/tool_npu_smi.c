/* SPDX-License-Identifier: Apache-2.0 */
/*
 * npu-smi: of a profile with NPUs; so that a suite can name them too, every other host answers alike, to whoever
 * asks.
 */
#include <string.h>

#include "lab_private.h"

enum { NPUS = 8 };

static const char border[] =
    "+---------------------------+---------------+----------------------------------------------------+\n";
static const char double_border[] =
    "+===========================+===============+====================================================+\n";

static void print_npu(const struct tool *tool, int number)
{
    static const char *const buses[NPUS] = {"C1", "C2", "81", "82", "01", "02", "41", "42"};
    bool alarm = fault_of_gpu(tool->lab, tool->host->number, FAULT_NPU_FAULT, number) != NULL;
    double noise = lab_noise(tool->host->number, "npu", (unsigned)number);

    printf("| %-5d 910B3               | %-13s | %-11.1f %-17.0f 0    / 0             |\n", number,
           alarm ? "Alarm" : "OK", 96 + 6 * noise, (alarm ? 88 : 42) + 3 * noise);
    printf("| 0                         | 0000:%s:00.0  | 0           0    / 0          3314 / 65536         "
           "|\n",
           buses[number]);
    printf("%s", double_border);
}

int tool_npu_smi(struct tool *tool)
{
    if (tool->argc != 2 || strcmp(tool->argv[1], "info") != 0) {
        fprintf(stderr, "npu-smi: the lab knows it as npu-smi info only\n");
        return 1;
    }
    printf(
        "+------------------------------------------------------------------------------------------------+\n"
        "| npu-smi 24.1.rc3                 Version: 24.1.rc3                                             |\n"
        "%s"
        "| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|\n"
        "| Chip                      | Bus-Id        | AICore(%%)   Memory-Usage(MB)  HBM-Usage(MB)        "
        "|\n"
        "%s",
        border, double_border);
    for (int i = 0; i < NPUS; i++)
        print_npu(tool, i);
    printf("%s| NPU     Chip              | Process id    | Process name             | Process memory(MB)    "
           "  |\n%s",
           border, double_border);
    for (int i = 0; i < NPUS; i++)
        printf("| No running processes found in NPU %-61d|\n%s", i, double_border);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* nvbandwidth 0.8: the copy engine tests between host and GPU and between GPUs. */
#include <string.h>

#include "lab_private.h"

typedef double copy_cell(const struct lab_host *host, int row, int column);

static double host_copy(const struct lab_host *host, double full, int row, int column)
{
    const struct lab_gpu *gpu = &host->gpus[column];

    return full * gpu->pcie_width / 16 * gpu->host_copies *
           (1 + 0.004 * lab_noise(host->number, "host copy", (unsigned)(gpu->number + 8 * row)));
}

static double copy_up(const struct lab_host *host, int row, int column)
{
    return host_copy(host, host->profile->copy_up, row, column);
}

static double copy_down(const struct lab_host *host, int row, int column)
{
    return host_copy(host, host->profile->copy_down, row, column);
}

static double peer_copy(const struct lab_host *host, int row, int column)
{
    return lab_p2p(host, row, column, true, false);
}

static const struct test {
    const char *name, *title;
    copy_cell *cell;
    bool peers;
} tests[] = {
    {"host_to_device_memcpy_ce", "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)", copy_up, false},
    {"device_to_host_memcpy_ce", "memcpy CE CPU(row) <- GPU(column) bandwidth (GB/s)", copy_down, false},
    {"device_to_device_memcpy_read_ce", "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)", peer_copy,
     true},
    {"device_to_device_memcpy_write_ce", "memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)", peer_copy,
     true},
};

static void run_test(const struct lab_host *host, const struct test *test)
{
    int rows = test->peers ? host->gpu_count : 1;
    double sum = 0;

    printf("Running %s.\n%s\n          ", test->name, test->title);
    for (int column = 0; column < host->gpu_count; column++)
        printf("%10d", column);
    printf("\n");
    for (int row = 0; row < rows; row++) {
        printf("%2d        ", row);
        for (int column = 0; column < host->gpu_count; column++) {
            double value = test->cell(host, row, column);

            if (test->peers && row == column) {
                printf("%10s", "N/A");
                continue;
            }
            printf("%10.2f", value);
            sum += value;
        }
        printf("\n");
    }
    printf("\nSUM %s %.2f\n\n", test->name, sum);
    fflush(stdout);
    lab_sleep(host->lab, 10);
}

static bool is_asked(const struct tool *tool, const char *name)
{
    bool any = false;

    for (int i = 1; i < tool->argc; i++) {
        if (tool->argv[i][0] == '-')
            continue;
        any = true;
        if (strcmp(tool->argv[i], name) == 0)
            return true;
    }
    return !any;
}

int tool_nvbandwidth(struct tool *tool)
{
    const struct lab_host *host = tool->host;
    char pci[24];

    printf("nvbandwidth Version: v0.8\nBuilt from Git version: v0.8\n\nCUDA Runtime Version: 12040\n"
           "CUDA Driver Version: 12040\nDriver Version: %s\n\n",
           host->driver);
    if (host->cuda_error != NULL) {
        printf("[CUDA_ERROR_SYSTEM_NOT_READY] %s in expression cuInit(0) in main() : nvbandwidth.cpp:302\n",
               host->cuda_error);
        return 1;
    }
    printf("%s\n", host->name);
    for (int i = 0; i < host->gpu_count; i++)
        printf("Device %d: %s (0000%s)\n", i, host->profile->gpu_name,
               lab_gpu_pci(host->profile, host->gpus[i].number, pci));
    printf("\n");
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        if (is_asked(tool, tests[i].name))
            run_test(host, &tests[i]);
    printf("NOTE: The reported results may not reflect the full capabilities of the platform.\n"
           "Performance can vary with software drivers, hardware clocks, and system topology.\n\n");
    return 0;
}

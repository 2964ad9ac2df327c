/* SPDX-License-Identifier: Apache-2.0 */
/* Classes of defects: their names, public rates, and which gates are about them. */
#include <string.h>

#include "assay/periodic/periodic.h"

/* Llama 3, table 5: interruptions in 54 days of 2,048 hosts. The header has the rows that they are sums of. */
static const double public_host_hours = 2048.0 * 54 * 24;
static const struct {
    const char *name;
    double interruptions;
} classes[PERIODIC_CLASSES] = {
    [PERIODIC_GPU] = {"GPU", 268},
    [PERIODIC_NETWORK] = {"network", 42},
    [PERIODIC_DRIVE] = {"drive", 3},
    [PERIODIC_HOST] = {"host", 43},
};

const char *periodic_class_name(enum periodic_class class)
{
    return classes[class].name;
}

double periodic_public_rate(enum periodic_class class)
{
    return classes[class].interruptions / public_host_hours;
}

/* By how the metric begins; the first that fits. "" is whatever else there is. */
static const struct {
    const char *begins;
    enum periodic_class class;
} metrics[] = {
    {"ascend", PERIODIC_GPU},
    {"dcgm.", PERIODIC_GPU},
    {"ecc.", PERIODIC_GPU},
    {"fabric", PERIODIC_GPU},
    {"gpu", PERIODIC_GPU},
    {"nccl.", PERIODIC_GPU},
    {"npu", PERIODIC_GPU},
    {"nvbandwidth.", PERIODIC_GPU},
    {"nvlink", PERIODIC_GPU},
    {"nvswitch", PERIODIC_GPU},
    {"p2p.", PERIODIC_GPU},
    {"pci.gpu", PERIODIC_GPU},
    {"pcie.", PERIODIC_GPU},
    {"remapped_rows.", PERIODIC_GPU},
    {"retired_pages.", PERIODIC_GPU},
    {"topo.", PERIODIC_GPU},
    {"training_step", PERIODIC_GPU},
    {"xid.", PERIODIC_GPU},
    {"window.links", PERIODIC_NETWORK},
    {"window.ports", PERIODIC_NETWORK},
    {"window.hardware", PERIODIC_HOST},
    {"window.drive", PERIODIC_DRIVE},
    {"window.", PERIODIC_GPU},
    {"cabling", PERIODIC_NETWORK},
    {"ib.", PERIODIC_NETWORK},
    {"phy.", PERIODIC_NETWORK},
    {"rdma.", PERIODIC_NETWORK},
    {"roce.", PERIODIC_NETWORK},
    {"module.", PERIODIC_NETWORK},
    {"sdc.", PERIODIC_GPU},
    {"nvme.", PERIODIC_DRIVE},
    {"storage.", PERIODIC_DRIVE},
    {"", PERIODIC_HOST},
};

/* Of these the test says nothing about a part: that it came to its end, and that its window was read. */
static const char *const of_none[] = {"sound", "window.read", "window.processes"};

bool periodic_class_of(const char *metric, enum periodic_class *ret_class)
{
    size_t row = 0;

    for (size_t i = 0; i < ARRAY_SIZE(of_none); i++)
        if (strcmp(of_none[i], metric) == 0)
            return false;
    while (strncmp(metrics[row].begins, metric, strlen(metrics[row].begins)) != 0)
        row++;
    *ret_class = metrics[row].class;
    return true;
}

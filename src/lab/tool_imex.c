/* SPDX-License-Identifier: Apache-2.0 */
/* nvidia-imex-ctl -N: the nodes of the IMEX domain, which are the hosts of a rack, and who is connected with whom. */
#include <string.h>

#include "lab_private.h"

enum { WIDTH = 4 };

static bool is_ready(const struct lab *lab, unsigned host)
{
    return fault_find(lab, host, FAULT_IMEX_DOWN) == NULL && fault_find(lab, host, FAULT_DOWN) == NULL &&
           fault_find(lab, host, FAULT_SILENT) == NULL;
}

static const char *cell(const struct lab *lab, unsigned from, unsigned to)
{
    if (!is_ready(lab, from))
        return "I";
    if (!is_ready(lab, to))
        return "N";
    return from == to || (fault_find(lab, from, FAULT_IMEX_MAP) == NULL &&
                          fault_find(lab, to, FAULT_IMEX_MAP) == NULL)
               ? "C"
               : "!M!";
}

static void print_nodes(const struct tool *tool, unsigned first, unsigned count)
{
    char address[16];

    printf("Connectivity Table Legend:\nI - Invalid - Node wasn't reachable, no connection status available\n"
           "N - Never Connected\n!M! - Node map mismatch, communication disabled.\n"
           "C - Connected - Ready for operation\n\n5/12/2025 06:08:10.580\nNodes:\n");
    for (unsigned i = 0; i < count; i++)
        if (is_ready(tool->lab, first + i))
            printf("Node #%-4u- %-15s - %-20s - Version: %s\n", i, lab_address(first + i, address), "READY",
                   tool->host->driver);
        else
            printf("Node #%-4u- %-15s - UNAVAILABLE\n", i, lab_address(first + i, address));
    printf("\n Nodes From\\To  ");
    for (unsigned i = 0; i < count; i++)
        printf("%-*u", WIDTH, i);
    putchar('\n');
}

int tool_imex(struct tool *tool)
{
    unsigned rack = lab_leaf_hosts(tool->lab), first = (tool->host->number - 1) / rack * rack + 1, ready = 0,
             last = first + rack - 1, connected = 0;
    unsigned count = (last < tool->lab->hosts ? last : tool->lab->hosts) - first + 1;

    if (tool->host->profile->domain_hosts == 0 || !tool_has(tool, "-N")) {
        fprintf(stderr, "nvidia-imex-ctl: the lab has -N of hosts that NVLinks join\n");
        return 255;
    }
    print_nodes(tool, first, count);
    for (unsigned from = 0; from < count; from++) {
        printf("%8u        ", from);
        for (unsigned to = 0; to < count; to++) {
            printf("%-*s", WIDTH, cell(tool->lab, first + from, first + to));
            connected += strcmp(cell(tool->lab, first + from, first + to), "C") == 0;
        }
        ready += is_ready(tool->lab, first + from);
        putchar('\n');
    }
    printf("\nDomain State: %s\n", connected == count * count ? "UP" : ready > 0 ? "DEGRADED" : "DOWN");
    return 0;
}

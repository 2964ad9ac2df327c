/* SPDX-License-Identifier: Apache-2.0 */
/* nvidia-imex-ctl -N: the nodes of the IMEX domain, which are the hosts of a rack, and who is connected with whom. */
#include <string.h>

#include "lab_private.h"

enum { WIDTH = 4, LAB_RACK_MAX = 64 };

static bool is_ready(const struct lab *lab, unsigned host)
{
    return fault_find(lab, host, FAULT_IMEX_DOWN) == NULL && fault_find(lab, host, FAULT_DOWN) == NULL &&
           fault_find(lab, host, FAULT_SILENT) == NULL;
}

static bool has_own_map(const struct lab *lab, unsigned host)
{
    return fault_find(lab, host, FAULT_IMEX_MAP) != NULL || fault_find(lab, host, FAULT_IMEX_ALONE) != NULL;
}

static const char *cell(const struct lab *lab, unsigned from, unsigned to)
{
    if (!is_ready(lab, from))
        return "I";
    if (!is_ready(lab, to))
        return "N";
    return from == to || (!has_own_map(lab, from) && !has_own_map(lab, to)) ? "C" : "!M!";
}

/* Hosts of the rack that its nodes_config.cfg has, in their order. */
struct nodes {
    unsigned hosts[LAB_RACK_MAX], count;
};

static struct nodes nodes_of(const struct tool *tool)
{
    unsigned rack = lab_leaf_hosts(tool->lab), first = (tool->host->number - 1) / rack * rack + 1;
    struct nodes nodes = {.count = 0};

    if (fault_find(tool->lab, tool->host->number, FAULT_IMEX_ALONE) != NULL)
        return (struct nodes){.hosts = {tool->host->number}, .count = 1};
    for (unsigned host = first; host < first + rack && host <= tool->lab->hosts && nodes.count < LAB_RACK_MAX;
         host++)
        if (fault_find(tool->lab, host, FAULT_IMEX_UNLISTED) == NULL)
            nodes.hosts[nodes.count++] = host;
    return nodes;
}

static void print_nodes(const struct tool *tool, const struct nodes *nodes)
{
    char address[16];

    printf("Connectivity Table Legend:\nI - Invalid - Node wasn't reachable, no connection status available\n"
           "N - Never Connected\n!M! - Node map mismatch, communication disabled.\n"
           "C - Connected - Ready for operation\n\n5/12/2025 06:08:10.580\nNodes:\n");
    for (unsigned i = 0; i < nodes->count; i++)
        if (is_ready(tool->lab, nodes->hosts[i]))
            printf("Node #%-4u- %-15s - %-20s - Version: %s\n", i, lab_address(nodes->hosts[i], address),
                   "READY", tool->host->driver);
        else
            printf("Node #%-4u- %-15s - UNAVAILABLE\n", i, lab_address(nodes->hosts[i], address));
    printf("\n Nodes From\\To  ");
    for (unsigned i = 0; i < nodes->count; i++)
        printf("%-*u", WIDTH, i);
    putchar('\n');
}

int tool_imex(struct tool *tool)
{
    struct nodes nodes = nodes_of(tool);
    unsigned ready = 0, connected = 0;

    if (tool->host->profile->domain_hosts == 0 || !tool_has(tool, "-N")) {
        fprintf(stderr, "nvidia-imex-ctl: the lab has -N of hosts that NVLinks join\n");
        return 255;
    }
    if (fault_find(tool->lab, tool->host->number, FAULT_IMEX_MUTE) != NULL) {
        /* Its own words for that are not known to us. */
        fprintf(stderr, "nvidia-imex-ctl: the lab's nvidia-imex has its command service off\n");
        return 1;
    }
    print_nodes(tool, &nodes);
    for (unsigned from = 0; from < nodes.count; from++) {
        printf("%8u        ", from);
        for (unsigned to = 0; to < nodes.count; to++) {
            const char *state = cell(tool->lab, nodes.hosts[from], nodes.hosts[to]);

            printf("%-*s", WIDTH, state);
            connected += strcmp(state, "C") == 0;
        }
        ready += is_ready(tool->lab, nodes.hosts[from]);
        putchar('\n');
    }
    printf("\nDomain State: %s\n", connected == nodes.count * nodes.count ? "UP"
                                   : ready > 0                            ? "DEGRADED"
                                                                          : "DOWN");
    return 0;
}

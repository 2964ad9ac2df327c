/* SPDX-License-Identifier: Apache-2.0 */
/* What a change makes void. */
#include <string.h>

#include "acceptance_private.h"

enum concern { OF_HOST = 1, OF_GPU = 2, OF_NETWORK = 4, OF_ALL = 7 };

/* Of what a check on one host tells. A check that is not here tells of everything: a new one is never left out. */
static const struct {
    const char *check;
    unsigned concerns;
} checks[] = {
    {"reachable", OF_HOST},
    {"privilege", OF_HOST},
    {"monitors", OF_HOST},
    {"os", OF_HOST},
    {"bmc", OF_HOST},
    {"ssh-hardening", OF_HOST},
    {"storage", OF_HOST},
    {"gpu-inventory", OF_GPU},
    {"driver", OF_GPU},
    {"gpu-settings", OF_GPU},
    {"ecc", OF_GPU},
    {"xid", OF_GPU},
    {"gpu-burn", OF_GPU},
    {"dcgm-diag", OF_GPU},
    {"fabric-manager", OF_GPU},
    {"nvlink", OF_GPU},
    {"p2p-bandwidth", OF_GPU},
    {"nvbandwidth", OF_GPU},
    {"container-runtime", OF_GPU},
    {"ib-port", OF_NETWORK},
    {"roce", OF_NETWORK},
    {"cabling", OF_NETWORK},
    {"fabric-counters", OF_NETWORK},
};

/* Of checks on one host. Steps over several go through all that their members have: any change on one makes them void. */
static const unsigned touched[ITEM_KINDS] = {
    [ITEM_GPU] = OF_ALL, /* a baseboard was opened */
    [ITEM_HCA] = OF_NETWORK,      [ITEM_CHASSIS] = OF_ALL,          [ITEM_DRIVER] = OF_GPU,
    [ITEM_GPU_FIRMWARE] = OF_GPU, [ITEM_HCA_FIRMWARE] = OF_NETWORK, [ITEM_BIOS] = OF_ALL,
};

bool change_touches(enum item_kind kind, const char *check, bool alone)
{
    if (!alone)
        return true;
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        if (strcmp(checks[i].check, check) == 0)
            return (checks[i].concerns & touched[kind]) != 0;
    return true;
}

enum item_kind event_item_kind(const struct acceptance_event *event)
{
    if (strncmp(event->item, "gpu", 3) == 0)
        return ITEM_GPU;
    return strncmp(event->item, "mlx", 3) == 0 ? ITEM_HCA : ITEM_CHASSIS;
}

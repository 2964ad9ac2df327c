/* SPDX-License-Identifier: Apache-2.0 */
/* What a change makes void. */
#include <string.h>

#include "acceptance_private.h"
#include "assay/check.h"

enum { EVERYTHING = OF_HOST | OF_GPU | OF_NETWORK };

/* Of checks on one host. Steps over several go through all that their members have: any change on one makes them void. */
static const unsigned touched[ITEM_KINDS] = {
    [ITEM_GPU] = EVERYTHING, /* a baseboard was opened */
    [ITEM_HCA] = OF_NETWORK,      [ITEM_CHASSIS] = EVERYTHING,      [ITEM_DRIVER] = OF_GPU,
    [ITEM_GPU_FIRMWARE] = OF_GPU, [ITEM_HCA_FIRMWARE] = OF_NETWORK, [ITEM_BIOS] = EVERYTHING,
};

bool change_touches(enum item_kind kind, const char *check, bool alone)
{
    const struct check *row = check_find(check);

    if (!alone || row == NULL || row->concerns == OF_ALL)
        return true;
    return (row->concerns & touched[kind]) != 0;
}

enum item_kind event_item_kind(const struct acceptance_event *event)
{
    if (strncmp(event->item, "gpu", 3) == 0)
        return ITEM_GPU;
    return strncmp(event->item, "mlx", 3) == 0 ? ITEM_HCA : ITEM_CHASSIS;
}

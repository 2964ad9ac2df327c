/* SPDX-License-Identifier: Apache-2.0 */
/* What a change makes void. */
#include <string.h>

#include "acceptance_private.h"
#include "assay/check/check.h"

enum { EVERYTHING = OF_HOST | OF_GPU | OF_NETWORK };

/* Of checks on one host. Steps over several go through all that their members have: any change on one makes them void. */
static const unsigned touched[ITEM_KINDS] = {
    [ITEM_GPU] = EVERYTHING, /* a baseboard was opened */
    [ITEM_HCA] = OF_NETWORK,      [ITEM_CHASSIS] = EVERYTHING,      [ITEM_DRIVER] = OF_GPU,
    [ITEM_GPU_FIRMWARE] = OF_GPU, [ITEM_HCA_FIRMWARE] = OF_NETWORK, [ITEM_BIOS] = EVERYTHING,
};

unsigned change_touches(enum item_kind kind)
{
    return touched[kind];
}

static enum item_kind kind_of_item(const struct acceptance_event *event, enum item_kind gpu,
                                   enum item_kind hca)
{
    if (strncmp(event->item, "gpu", 3) == 0)
        return gpu;
    return strncmp(event->item, "mlx", 3) == 0 ? hca : ITEM_CHASSIS;
}

enum item_kind event_item_kind(const struct acceptance_event *event)
{
    return kind_of_item(event, ITEM_GPU, ITEM_HCA);
}

unsigned event_touches(const struct acceptance_event *event)
{
    if (event->kind == EVENT_CABLE)
        return OF_NETWORK;
    if (event->kind == EVENT_SETTINGS && *event->item == '\0')
        return OF_HOST;
    if (event->kind == EVENT_SETTINGS || event->kind == EVENT_FIRMWARE)
        return touched[kind_of_item(event, ITEM_GPU_FIRMWARE, ITEM_HCA_FIRMWARE)];
    return touched[event_item_kind(event)];
}

bool event_records(const struct acceptance_event *event, enum item_kind kind)
{
    if (event->kind == EVENT_FIRMWARE)
        return !item_kind_is_hardware(kind);
    if (event->kind == EVENT_RESEAT)
        return item_kind_is_hardware(kind);
    return event->kind == EVENT_REPAIR || event->kind == EVENT_SWAP;
}

bool check_is_touched(unsigned touches, const char *check, bool alone)
{
    const struct check *row = check_find(check);

    return !alone || row == NULL || row->concerns == OF_ALL || (row->concerns & touches) != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sightings: which piece of hardware, and which version of what runs it, a run has seen at which place of which
 * host. History and acceptance follow the item, not the name of the host: a pass belongs to the GPU that gave it.
 *
 * Made from what parsers read, and from nothing else: a host whose serial numbers nobody asked for has none, and
 * a placeholder ("Default string", "N/A") is no serial. Positions are the tools' own indexes ("gpu3", in PCI order).
 *
 * Pure, and everything lives in the arena. Strings of readings are pointed to, not copied.
 */
#ifndef ASSAY_SIGHTING_H
#define ASSAY_SIGHTING_H

#include "assay/model/record.h"

/* What can be changed on a host. The first three are hardware, known by an identity of their own; the others are
   versions, of which many hosts have the same. */
enum item_kind {
    ITEM_GPU,          /* its UUID; gpu.uuid of nvidia-smi */
    ITEM_HCA,          /* its node GUID; ib.node_guid of sysfs */
    ITEM_CHASSIS,      /* serial of the chassis, or where there is none of the system; dmidecode */
    ITEM_DRIVER,       /* driver.version of nvidia-smi */
    ITEM_GPU_FIRMWARE, /* gpu.vbios of nvidia-smi */
    ITEM_HCA_FIRMWARE, /* ib.firmware of sysfs */
    ITEM_BIOS,         /* bios.version of dmidecode */
    ITEM_KINDS
};
const char *item_kind_name(enum item_kind kind); /* "GPU", "HCA firmware" */
bool item_kind_is_hardware(enum item_kind kind);
/* "GPU gpu3"; of what a host has one of, without a position. */
const struct reason *item_at(struct arena *arena, enum item_kind kind, const char *position);

struct sighting {
    size_t host;          /* index into plan->hosts */
    const char *position; /* "gpu3", "mlx5_0"; "" the host as a whole */
    enum item_kind kind;
    const char *identity;
    const char *serial; /* of a GPU; "" when it was not told */
    size_t attempt;     /* index into the record's attempts: the first that saw it there */
};
struct sightings {
    LIST_OF(struct sighting) items;
};

/* Whether this fact of that tool is needed for the two below. */
bool sighting_rests_on(const char *tool, const char *fact);
/* What one attempt saw, each thing once; of an attempt that is not the record's own, attempt is given as 0. */
void sightings_of_attempt(struct arena *arena, const struct plan *plan, const struct attempt *attempt,
                          struct sightings *ret_sightings);
/* What the run saw, each thing at each place once, by host, kind, position, and then in the order they were seen: two
   identities at one place stand one behind the other. */
void sightings_of_record(struct arena *arena, const struct record *record, struct sightings *ret_sightings);

/* What cannot be of hardware that stayed where it was, one sentence each: a GPU that became another one while the run
   went on, one GPU on two hosts (two names of one machine). The host is one of those it is about. */
struct sighting_conflict {
    size_t host;
    const struct reason *text;
};
struct sighting_conflicts {
    LIST_OF(struct sighting_conflict) items;
};
void sightings_check(struct arena *arena, const struct plan *plan, const struct sightings *sightings,
                     struct sighting_conflicts *ret_conflicts);

#endif

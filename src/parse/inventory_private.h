/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_PARSE_INVENTORY_PRIVATE_H
#define ASSAY_PARSE_INVENTORY_PRIVATE_H

#include "assay/parse/inventory.h"

/* inventory.c. The node of that name; it is added when there is none. */
struct inventory_node *inventory_node(struct arena *arena, struct inventory *inventory, const char *name);
/* -1 where the inventory is of another scheduler already. */
int inventory_of(struct inventory *inventory, enum host_scheduler scheduler, const char *name,
                 struct error *err) __attribute__((warn_unused_result));
void inventory_remark(struct arena *arena, struct inventory *inventory, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* inventory_slurm.c. Whether it is of Slurm; then it was added. */
bool inventory_slurm(struct arena *arena, struct inventory *inventory, struct slice bytes);
/* inventory_kubernetes.c: the items of a list of nodes, or one node. */
int inventory_kubernetes(struct arena *arena, struct inventory *inventory, const char *name,
                         struct slice bytes, struct error *err) __attribute__((warn_unused_result));

#endif

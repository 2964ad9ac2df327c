/* SPDX-License-Identifier: Apache-2.0 */
/* The ports that can take part, by name. */
#ifndef ASSAY_FABRIC_NAMES_H
#define ASSAY_FABRIC_NAMES_H

#include "assay/fabric/fabric.h"

struct named {
    const char *name;
    uint32_t port;
};
struct names {
    LIST_OF(struct named) items; /* in the order of their names */
};

void names_list(struct arena *arena, const struct fabric *fabric, struct names *ret_names);
/* FABRIC_NONE: nobody has that name. */
uint32_t names_find(struct arena *arena, const struct names *names, struct slice name);

#endif

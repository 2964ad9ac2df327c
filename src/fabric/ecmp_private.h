/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of switches, which ecmp.c builds and walks and ecmp_plan.c spreads streams over. */
#ifndef ASSAY_FABRIC_ECMP_PRIVATE_H
#define ASSAY_FABRIC_ECMP_PRIVATE_H

#include "assay/fabric/ecmp.h"

enum { ECMP_FAR = UINT8_MAX }; /* no way leads there */

struct ecmp_edge {
    uint32_t way, to; /* the port that sends, and the switch behind the link */
};
struct ecmp_leaf {
    uint32_t node;       /* a switch */
    size_t first, count; /* its adapters, in order */
};

struct fabric_ecmp {
    const struct fabric *fabric;
    const struct fabric_question *question;
    uint32_t *switch_of; /* of each node: its number among the switches; FABRIC_NONE */
    size_t switches;
    size_t *first; /* of each switch, and one more: its first edge */
    struct ecmp_edge *edges;
    LIST_OF(struct ecmp_leaf) leaves;
    uint32_t *order;   /* indexes of the question's ports, by leaf */
    uint32_t *leaf_of; /* of each index */
    uint8_t *distance; /* [leaf * switches + switch]: links to the leaf */
    uint8_t *level;    /* of each switch: links to the nearest leaf */
    unsigned levels;
    size_t level_links;
};

static inline const uint8_t *ecmp_distances(const struct fabric_ecmp *ecmp, uint32_t leaf)
{
    return ecmp->distance + (size_t)leaf * ecmp->switches;
}

#endif

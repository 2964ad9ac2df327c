/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a scheduler knows of its nodes, as a hostfile.
 *
 * Read are saved outputs, each told by what it says, in any order and number:
 *   Slurm       scontrol show nodes (also -o), scontrol show topology (also topology.conf), sinfo as `assay parse
 *               sinfo` reads it, for names, states and partitions where scontrol is not at hand
 *   Kubernetes  kubectl get nodes -o json
 *
 * Nothing is guessed. slots is what gres or capacity count; platform only where the product's own name is that of one
 * built-in platform with as many GPUs; a leaf only if a node is connected to one switch that has no switches below it. A
 * node that is down or drained is listed, because it is required, and named in a comment; left out, with the reason, are
 * nodes that do not exist yet (FUTURE) and, where other nodes have accelerators, nodes without any.
 */
#ifndef ASSAY_INVENTORY_H
#define ASSAY_INVENTORY_H

#include "assay/base/text.h"
#include "assay/model/hostfile.h"

struct inventory_node {
    const char *name;               /* as the scheduler calls it */
    const char *address;            /* NULL: its name */
    const char *product;            /* of its accelerators, as told; NULL: not told */
    const char *leaf, *rack, *unit; /* NULL: not told */
    const char *partition, *block;  /* NULL: none */
    unsigned accelerators;          /* 0 where counted is set: none */
    bool counted, mixed;            /* mixed: accelerators of several kinds */
    bool has_leaves;                /* it is connected to several leaves, so none is its own */
    const char *trouble;            /* why it is not fit for jobs at the moment, "DRAIN: fans"; NULL: it is */
    const char *left_out;           /* why it is not in the hostfile; NULL: it is */
};

/* Whose labels say unit and rack; NULL: nobody's. */
struct inventory_keys {
    const char *unit; /* "partition" (Slurm), or a label of Kubernetes */
    const char *rack; /* a label of Kubernetes */
};

struct inventory_place {
    const char *node, *leaf, *block; /* the latter NULL where it says nothing of that */
};

struct inventory {
    enum host_scheduler scheduler;
    struct inventory_keys keys;
    LIST_OF(struct inventory_node) nodes; /* in the order of what was read */
    LIST_OF(const char *) remarks;        /* what a person should know of it */
    /* Private: what topology said before its nodes were read. */
    LIST_OF(struct inventory_place) places;
};

/* Adds what the text says; name is for messages. A text that is none of the above is an error. */
int inventory_read(struct arena *arena, struct inventory *inventory, const char *name, struct slice bytes,
                   struct error *err) __attribute__((warn_unused_result));

/*
 * The hostfile of all that was read, with its comments: nodes that differ in name and address only share a line.
 * An inventory without any node to be listed is an error. What is written is read again by hostfile_parse before it is
 * returned, so that it is a hostfile.
 */
int inventory_write(struct arena *arena, struct inventory *inventory, struct text *out, struct error *err)
    __attribute__((warn_unused_result));

#endif

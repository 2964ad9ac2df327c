/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of cables before anybody knows who is a host. */
#ifndef ASSAY_FABRIC_CABLING_H
#define ASSAY_FABRIC_CABLING_H

#include "assay/fabric/ethernet.h"

/* Texts by number, found by a table of open addresses that is at most half full. */
struct book {
    uint32_t *slots;
    size_t slot_count;
    LIST_OF(const char *) keys;
};

struct cabled_node {
    const char *name;
    const char *file;            /* that it told in itself; NULL */
    bool is_second;              /* in a line of a plan */
    bool is_forwarder;           /* by what a neighbour was told: it bridges or routes */
    bool is_switch;              /* decided */
    size_t first_row, row_count; /* of its file */
    unsigned links;              /* of a switch, in the fabric */
};

struct cabled_port {
    uint32_t node;
    const char *name;
    uint32_t far;      /* FABRIC_NONE: no link yet */
    double gbits;      /* 0: not told */
    const char *where; /* that its link was told first */
    bool told;         /* by its own node */
    uint32_t port;     /* of the fabric; FABRIC_NONE: left out */
};

/* A link as one node, or a plan, tells it. */
struct cabled_row {
    uint32_t near;                   /* a port, as the node calls it itself */
    const char *node, *port, *alias; /* at the other end; alias: NULL */
    double gbits;
    const char *where;
    bool both; /* it is a plan's, which tells of both ends */
};

struct fabric_cabling {
    struct arena *arena;
    struct book nodes_by_name, nodes_by_plain_name, ports_by_name;
    LIST_OF(struct {
        uint32_t node; /* the first one of that plain name */
        bool several;
    })
    first_of_plain;
    LIST_OF(struct cabled_node) nodes;
    LIST_OF(struct cabled_port) ports;
    LIST_OF(struct cabled_row) rows;
    LIST_OF(const char *) nameless; /* where a neighbour tells no name */
};

/* The node that is called so, which is made where there is none. */
uint32_t cabling_node(struct fabric_cabling *cabling, struct slice name);
uint32_t cabling_find_node(const struct fabric_cabling *cabling, struct slice name);
/* Likewise a port of it. */
uint32_t cabling_port(struct fabric_cabling *cabling, uint32_t node, struct slice name);
uint32_t cabling_find_port(const struct fabric_cabling *cabling, uint32_t node, struct slice name);
/* Whether both name one node: they differ by case at most, or by a domain that one of them lacks. */
bool cabling_same_name(struct slice a, struct slice b);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the values of a shape's slots go, while those of all steps are collected. It is asked once for each shape: thousands
 * of steps have the same few.
 */
#ifndef ASSAY_ROUTES_H
#define ASSAY_ROUTES_H

#include "assay/base/arena.h"
#include "assay/model/plan.h"

struct route {
    const struct shape *shape;
    size_t *places;
};
struct routes {
    struct arena *arena;
    size_t (*place_of)(void *context, const struct shape *shape, const struct slot *slot);
    void *context;
    LIST_OF(struct route) items;
};

/* By slot what place_of says of it. */
const size_t *routes_of(struct routes *routes, const struct shape *shape);

#endif

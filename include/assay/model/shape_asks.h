/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a test was asked, beside what it is to be asked. The name of a shape is the hash of what it asks only in a plan of
 * one's own: what another party wrote down may bear any name, so it is looked at item by item.
 */
#ifndef ASSAY_SHAPE_ASKS_H
#define ASSAY_SHAPE_ASKS_H

#include "assay/model/plan.h"

/* The first gate of `owed` that is none of the shape, whatever rules of its own it has; NULL: there is none. */
const struct reason *shape_lacks_gate(struct arena *arena, const struct shape *shape,
                                      const struct shape *owed);
/* That, or what else of it is weaker or other: the rules of its items, its arguments, how often it is made. NULL: nothing, and
   what passes by the shape passes by `owed`. */
const struct reason *shape_asks_otherwise(struct arena *arena, const struct shape *shape,
                                          const struct shape *owed);

#endif

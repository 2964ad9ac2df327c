/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which hosts of a test across hosts an item of it is about: the one whose own item it is ("node7" of mpi-launch), and those on
 * which something went wrong while all were tested ("node2 mlx5_5/1: 30000 symbol errors"). Where there was too much to say all of it,
 * those that it is about are named without their parts; of whom it could not be read, and of whom nobody kept whether more was to be
 * said, it is open: they are neither accused nor cleared. A test that is slow is about the host that pairs of the run show to be slow,
 * where they do, or that its peers do; else a test that is slow or wrong as a whole is about nobody: isolation says who it is.
 */
#ifndef ASSAY_BLAME_H
#define ASSAY_BLAME_H

#include <stdbool.h>

#include "assay/base/arena.h"
#include "assay/model/outcome.h"
#include "assay/model/plan.h"

struct blamed {
    const struct host *host;
    const char *part; /* "mlx5_5/1", "gpu6"; "": the host */
    bool perhaps;     /* not accused: it was not read there, or something was left out that may be about it */
};

struct blamed_list {
    LIST_OF(struct blamed) items; /* each host and part once; who is it perhaps comes last */
};

/* Into an empty list, in the arena. Of a test of one host nothing: it is about that host. */
void blame_find(struct arena *arena, const struct step *step, const struct outcome *outcome,
                struct blamed_list *list);
/* What a slow host can answer for: how fast hosts talk. A wrong result, an error counter or a failed launch is a fault of its own,
   whoever else was slow in that test. */
bool blame_is_speed(const char *metric);
/* "node2 mlx5_3": whom the cause of a slow test across hosts names by its pairs; NULL: nobody. */
const char *blame_by_pairs(const struct reason *cause);
/* How many of them are accused: of a list that has only others the test itself has failed, and nobody in it. */
size_t blame_count(const struct blamed_list *list);

#endif

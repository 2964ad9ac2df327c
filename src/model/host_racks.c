/* SPDX-License-Identifier: Apache-2.0 */
/* The racks that hosts stand in. Asked of a whole site: so the racks are sorted, and no host is compared with each other one. */
#include "assay/model/hostfile.h"

#include <stdlib.h>
#include <string.h>

static int compare_racks(const void *a, const void *b)
{
    const char *const *left = a, *const *right = b;

    return strcmp(*left, *right);
}

static unsigned count_racks(const struct host *const *hosts, size_t count, unsigned *ret_fewest)
{
    const char **racks = mem_alloc((count + 1) * sizeof *racks);
    unsigned found = 0, together = 0;

    *ret_fewest = (unsigned)count;
    for (size_t i = 0; i < count; i++)
        racks[i] = hosts[i]->rack;
    qsort(racks, count, sizeof *racks, compare_racks);
    for (size_t i = 0; i < count; i++) {
        together++;
        if (i + 1 < count && strcmp(racks[i], racks[i + 1]) == 0)
            continue;
        found++;
        *ret_fewest = together < *ret_fewest ? together : *ret_fewest;
        together = 0;
    }
    free(racks);
    return found;
}

unsigned host_racks(const struct host *const *hosts, size_t count)
{
    unsigned fewest;

    return count_racks(hosts, count, &fewest);
}

unsigned host_racks_fewest(const struct host *const *hosts, size_t count)
{
    unsigned fewest;

    (void)count_racks(hosts, count, &fewest);
    return fewest;
}

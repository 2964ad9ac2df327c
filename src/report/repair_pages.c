/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/report/repair_pages.h"

#include <string.h>

#include "assay/model/platform.h"
#include "assay/model/suite.h"

/* The check of a step of a built-in suite: of "nccl-all-reduce-cluster" it is nccl-all-reduce. The word, where it is none. */
static const char *check_of(struct arena *arena, const char *word)
{
    builtin_each (row, "suites") {
        const struct suite *suite = suite_parse(arena, row->name, row->bytes, NULL);

        for (size_t k = 0; suite != NULL && k < suite->steps.count; k++)
            if (strcmp(suite->steps.items[k].name, word) == 0)
                return suite->steps.items[k].check;
    }
    return word;
}

void report_repair_pages(struct arena *arena, const char *word, struct repair_pages *ret_pages)
{
    repair_pages_of(arena, check_of(arena, word), ret_pages);
}

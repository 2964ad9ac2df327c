/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/report/repair_pages.h"

#include <string.h>

#include "assay/model/platform.h"
#include "assay/model/suite.h"

/* The check of a step of a built-in suite: of "nccl-all-reduce-cluster" it is nccl-all-reduce. The word, where it is none. */
static const char *check_of(struct arena *arena, const char *word)
{
    size_t count;
    const struct builtin *rows = builtin_list(&count);

    for (size_t i = 0; i < count; i++) {
        const struct suite *suite = strcmp(rows[i].kind, "suites") == 0
                                        ? suite_parse(arena, rows[i].name, rows[i].bytes, NULL)
                                        : NULL;

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

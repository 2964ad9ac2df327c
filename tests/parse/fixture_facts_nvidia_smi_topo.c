/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "fixtures.h"

static double number_fact(const struct reading *reading, const char *name)
{
    const char *text = reading_get_fact(reading, name, "");
    double number = -1;

    return text != NULL && scan_double(slice_of(text), &number) ? number : -1;
}

/* Cells of the matrix between two GPUs that say so: each pair is two of them. */
static unsigned count_cells(const struct reading *reading, const char *link)
{
    unsigned count = 0;
    char subject[32];

    for (unsigned a = 0; a < 32; a++)
        for (unsigned b = a + 1; b < 32; b++) {
            const char *value;

            snprintf(subject, sizeof subject, "gpu%u-gpu%u", a, b);
            value = reading_get_fact(reading, "topo.link", subject);
            count += value != NULL && strcmp(value, link) == 0 ? 2 : 0;
        }
    return count;
}

void check_nvidia_smi_topo(const char *path, const struct json *facts, const struct reading *reading,
                           struct text *wrong)
{
    (void)path;
    json_each (fact, facts) {
        if (strcmp(fact->key, "gpus") == 0)
            fact_number(wrong, fact, number_fact(reading, "topo.gpu.count"));
        else if (strcmp(fact->key, "nics") == 0)
            fact_number(wrong, fact, number_fact(reading, "topo.nic.count"));
        else if (strcmp(fact->key, "gpu_gpu_links") == 0) {
            json_each (link, fact)
                fact_number(wrong, link, count_cells(reading, link->key));
        } else
            fact_wrong(wrong, fact, "is not compared");
    }
    if (reading->status != READING_COMPLETE)
        fact_wrong(wrong, facts, "is not complete");
}

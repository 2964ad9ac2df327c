/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "fixtures.h"

/* ["mlx5_0/1"]: these are down and no others. */
static void check_down(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    size_t found = 0;

    for (size_t i = 0; i < reading->facts.count; i++)
        found += strcmp(reading->facts.items[i].name, "ib.state") == 0 &&
                 strcmp(reading->facts.items[i].value, "Down") == 0;
    if (found != fact->count)
        fact_wrong(wrong, fact, "expected %zu, found %zu", fact->count, found);
    json_each (item, fact) {
        const char *state = reading_get_fact(reading, "ib.state", item->string);

        if (state == NULL || strcmp(state, "Down") != 0)
            fact_wrong(wrong, fact, "%s is %s", item->string, state != NULL ? state : "not found");
    }
}

void check_rdma_link(const char *path, const struct json *facts, const struct reading *reading,
                     struct text *wrong)
{
    (void)path;
    json_each (fact, facts) {
        size_t links = 0;

        for (size_t i = 0; i < reading->facts.count; i++)
            links += strcmp(reading->facts.items[i].name, "ib.state") == 0;
        if (strcmp(fact->key, "links") == 0)
            fact_number(wrong, fact, (double)links);
        else if (strcmp(fact->key, "down") == 0)
            check_down(wrong, fact, reading);
        else
            fact_wrong(wrong, fact, "is not compared");
    }
}

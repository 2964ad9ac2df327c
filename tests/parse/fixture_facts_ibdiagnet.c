/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "fixtures.h"

/* {"Discovery": [0, 0]}: warnings and errors of each stage, and of no other. */
static void check_stages(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    if (reading->measurements.count != 2 * fact->count)
        fact_wrong(wrong, fact, "expected %zu stages, found %zu numbers", fact->count,
                   reading->measurements.count);
    json_each (stage, fact) {
        const struct measurement *warnings = find_measurement(reading, "ibdiagnet.warnings", stage->key);
        const struct measurement *errors = find_measurement(reading, "ibdiagnet.errors", stage->key);

        fact_number(wrong, stage->items, warnings != NULL ? warnings->value : -1);
        fact_number(wrong, stage->items->next, errors != NULL ? errors->value : -1);
    }
}

void check_ibdiagnet(const char *path, const struct json *facts, const struct reading *reading,
                     struct text *wrong)
{
    (void)path;
    json_each (fact, facts) {
        if (strcmp(fact->key, "stages") == 0)
            check_stages(wrong, fact, reading);
        else
            fact_wrong(wrong, fact, "is not compared");
    }
}

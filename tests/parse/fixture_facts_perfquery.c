/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "fixtures.h"

/* The counter's value of each section, in order. */
static void check_counter(struct text *wrong, const struct json *fact, const struct json *ports,
                          const struct reading *reading)
{
    const struct json *port = ports->items;
    char metric[96], subject[32];

    snprintf(metric, sizeof metric, "ib.counter.%s", fact->key);
    json_each (value, fact) {
        const struct measurement *found;

        if (port == NULL) {
            fact_wrong(wrong, fact, "has more values than there are ports");
            return;
        }
        snprintf(subject, sizeof subject, "lid%.0f/%.0f", port->items->number, port->items->next->number);
        found = find_measurement(reading, metric, subject);
        if (found == NULL || found->value != value->number)
            fact_wrong(wrong, fact, "expected %.0f at %s, found %.0f", value->number, subject,
                       found != NULL ? found->value : -1);
        port = port->next;
    }
}

void check_perfquery(const char *path, const struct json *facts, const struct reading *reading,
                     struct text *wrong)
{
    const struct json *ports = json_get(facts, "lid_ports");

    (void)path;
    json_each (fact, facts)
        if (fact != ports)
            check_counter(wrong, fact, ports, reading);
}

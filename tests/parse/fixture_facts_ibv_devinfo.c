/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "fixtures.h"

/* {"mlx5_1/1": "PORT_DOWN", "mlx5_0/1": "PORT_ACTIVE"}; with link_layer, that of each of them. */
static void check_ports(struct text *wrong, const struct json *facts, const struct json *ports,
                        const struct reading *reading)
{
    json_each (port, ports) {
        const char *state = reading_get_fact(reading, "ib.state", port->key);

        if (state == NULL || strcasecmp(state, port->string + strlen("PORT_")) != 0)
            fact_wrong(wrong, port, "found %s", state != NULL ? state : "nothing");
        fact_string(wrong, json_get(facts, "link_layer"),
                    reading_get_fact(reading, "ib.link_layer", port->key));
    }
}

static size_t count_hcas(const struct reading *reading, const struct json *firmware, struct text *wrong)
{
    size_t count = 0;

    for (size_t i = 0; i < reading->facts.count; i++)
        if (strcmp(reading->facts.items[i].name, "ib.firmware") == 0) {
            fact_string(wrong, firmware, reading->facts.items[i].value);
            count++;
        }
    return count;
}

void check_ibv_devinfo(const char *path, const struct json *facts, const struct reading *reading,
                       struct text *wrong)
{
    (void)path;
    json_each (fact, facts) {
        if (strcmp(fact->key, "ports") == 0)
            check_ports(wrong, facts, fact, reading);
        else if (strcmp(fact->key, "hcas") == 0)
            fact_number(wrong, fact, (double)count_hcas(reading, json_get(facts, "fw"), wrong));
        else if (strcmp(fact->key, "link_layer") != 0 && strcmp(fact->key, "fw") != 0) /* compared above */
            fact_wrong(wrong, fact, "is not compared");
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "fixtures.h"

static const char *get(const struct reading *reading, const char *name, const char *node)
{
    const char *value = reading_get_fact(reading, name, node);

    return value != NULL ? value : "";
}

static double count_states(const struct reading *reading, const char *state)
{
    double count = 0;

    for (size_t i = 0; i < reading->facts.count; i++)
        count += strcmp(reading->facts.items[i].name, "slurm.state") == 0 &&
                 strcmp(reading->facts.items[i].value, state) == 0;
    return count;
}

/* {"d64dv4": [[2, "alloc", "d64dv4-[0001-0002]"]]}; a list that is abridged stands for more nodes than it
 * names. */
static void check_partitions(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    json_each (partition, fact)
        json_each (row, partition) {
            const struct json *nodes = row->items, *state = nodes->next, *list = state->next;
            double number = 0;

            if (strcmp(get(reading, "slurm.state", list->string), state->string) != 0)
                fact_wrong(wrong, fact, "%s is %s", list->string, get(reading, "slurm.state", list->string));
            scan_double(slice_of(get(reading, "slurm.nodes", list->string)), &number);
            if (number != nodes->number)
                fact_wrong(wrong, fact, "%s has %g nodes", list->string, number);
            if (strcmp(get(reading, "slurm.partition", list->string), partition->key) != 0)
                fact_wrong(wrong, fact, "%s is in another partition", list->string);
        }
}

/* [{"state": "drain*", "nodes": 2}] */
static void check_rows(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    json_each (row, fact) {
        const char *state = json_string(row, "state", "");
        bool found = false;

        for (size_t i = 0; i < reading->facts.count; i++) {
            const struct fact *one = &reading->facts.items[i];
            double nodes = 0;

            if (strcmp(one->name, "slurm.state") == 0 && strcmp(one->value, state) == 0 &&
                scan_double(slice_of(get(reading, "slurm.nodes", one->subject)), &nodes))
                found = found || nodes == json_number(row, "nodes", -1);
        }
        if (!found)
            fact_wrong(wrong, fact, "no such row of %s", state);
    }
}

/* {"node": "node1", "state": "DOWN+DRAIN", "reason": ..., "gres": null} */
static void check_node(struct text *wrong, const struct json *facts, const struct reading *reading)
{
    static const struct {
        const char *key, *name;
    } keys[] = {{"state", "slurm.state"},           {"reason", "slurm.reason"},
                {"reason_user", "slurm.reason_by"}, {"reason_by", "slurm.reason_by"},
                {"reason_at", "slurm.reason_at"},   {"gres", "slurm.gres"},
                {"slurm", "slurm.version"}};
    const char *node = json_string(facts, "node", "");

    json_each (fact, facts) {
        const char *name = NULL;

        for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
            if (strcmp(fact->key, keys[i].key) == 0)
                name = keys[i].name;
        if (name == NULL && strcmp(fact->key, "node") != 0)
            fact_wrong(wrong, fact, "is not compared");
        else if (name != NULL &&
                 strcmp(get(reading, name, node), fact->type == JSON_STRING ? fact->string : "") != 0)
            fact_wrong(wrong, fact, "found '%s'", get(reading, name, node));
    }
}

void check_sinfo(const char *path, const struct json *facts, const struct reading *reading,
                 struct text *wrong)
{
    (void)path;
    if (json_get(facts, "node") != NULL) {
        check_node(wrong, facts, reading);
        return;
    }
    json_each (fact, facts) {
        if (strcmp(fact->key, "partitions") == 0)
            check_partitions(wrong, fact, reading);
        else if (strcmp(fact->key, "rows") == 0)
            check_rows(wrong, fact, reading);
        else if (strcmp(fact->key, "default_partition") == 0)
            fact_string(wrong, fact, get(reading, "slurm.default_partition", ""));
        else if (strcmp(fact->key, "nodes") == 0) {
            json_each (node, fact)
                check_node(wrong, node, reading);
        } else if (fact->type == JSON_NUMBER)
            fact_number(wrong, fact, count_states(reading, fact->key));
        else
            fact_wrong(wrong, fact, "is not compared");
    }
}

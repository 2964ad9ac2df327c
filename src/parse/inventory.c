/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the texts it is. */
#include "inventory_private.h"

#include <stdio.h>
#include <string.h>

#include "assay/parse/parser.h"

struct inventory_node *inventory_node(struct arena *arena, struct inventory *inventory, const char *name)
{
    struct inventory_node *node;

    for (size_t i = 0; i < inventory->nodes.count; i++)
        if (strcmp(inventory->nodes.items[i].name, name) == 0)
            return &inventory->nodes.items[i];
    node = list_push(arena, &inventory->nodes);
    node->name = name;
    return node;
}

int inventory_of(struct inventory *inventory, enum host_scheduler scheduler, const char *name,
                 struct error *err)
{
    if (inventory->scheduler != SCHEDULER_NONE && inventory->scheduler != scheduler)
        return error_set(err, ERROR_USAGE, "%s is of %s, and what was asked for or read before is of %s",
                         name, host_scheduler_name(scheduler), host_scheduler_name(inventory->scheduler));
    inventory->scheduler = scheduler;
    return 0;
}

void inventory_remark(struct arena *arena, struct inventory *inventory, const char *format, ...)
{
    char line[1000];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < inventory->remarks.count; i++)
        if (strcmp(inventory->remarks.items[i], line) == 0)
            return;
    *list_push(arena, &inventory->remarks) = arena_strdup(arena, line);
}

static const char *fact_of(const struct reading *reading, const char *name, const char *subject)
{
    const char *value = reading_get_fact(reading, name, subject);

    return value != NULL ? value : "";
}

static void add_listed(struct arena *arena, struct inventory *inventory, const struct reading *reading,
                       const char *list)
{
    const char *partition = fact_of(reading, "slurm.partition", list);
    const char *reason = fact_of(reading, "slurm.reason", list);
    struct error err = {0};
    struct hostlist names = {0};

    if (hostlist_expand(arena, list, &names, &err) < 0) {
        inventory_remark(arena, inventory, "'%s' is not a list of nodes: %s", list, err.text);
        return;
    }
    for (size_t i = 0; i < names.names.count; i++) {
        struct inventory_node *node = inventory_node(arena, inventory, names.names.items[i]);

        if (*partition != '\0' && node->partition == NULL)
            node->partition = partition;
        /* "down*", "drained", "IDLE+DRAIN": not what takes jobs. */
        if (reading_get_finding(reading, "slurm.node", list) != NULL && node->trouble == NULL)
            node->trouble = arena_printf(arena, "%s%s%s", fact_of(reading, "slurm.state", list),
                                         *reason != '\0' ? ": " : "", reason);
    }
}

/* What sinfo says: names, states, partitions. */
static bool read_sinfo(struct arena *arena, struct inventory *inventory, struct slice bytes)
{
    struct reading reading;
    bool any = false;

    parser_run(parser_find("sinfo"), bytes, arena, &reading);
    for (size_t i = 0; i < reading.facts.count; i++)
        if (strcmp(reading.facts.items[i].name, "slurm.state") == 0) {
            add_listed(arena, inventory, &reading, reading.facts.items[i].subject);
            any = true;
        }
    if (any && reading.status != READING_COMPLETE)
        inventory_remark(arena, inventory, "sinfo was not read to its end: %s",
                         reason_english(arena, reading.reason));
    return any;
}

int inventory_read(struct arena *arena, struct inventory *inventory, const char *name, struct slice bytes,
                   struct error *err)
{
    struct slice text = bytes;

    while (text.length > 0 && strchr(" \t\r\n", text.bytes[0]) != NULL)
        text = slice_from(text, 1);
    if (slice_starts(text, "{")) {
        /* sinfo --json and scontrol --json are objects too. */
        if (slice_contains(text, "\"kind\""))
            return inventory_of(inventory, SCHEDULER_KUBERNETES, name, err) < 0
                       ? -1
                       : inventory_kubernetes(arena, inventory, name, bytes, err);
    }
    if (inventory_slurm(arena, inventory, bytes) || read_sinfo(arena, inventory, bytes))
        return inventory_of(inventory, SCHEDULER_SLURM, name, err);
    return error_set(err, ERROR_USAGE,
                     "%s is not the output of one of: scontrol show nodes, scontrol show topology, sinfo, "
                     "kubectl get nodes -o json",
                     name);
}

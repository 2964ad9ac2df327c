/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hostfile. Hosts whose keys are alike share a line; names and addresses are folded into ranges, where the ranges,
 * read again, go with each other one by one.
 */
#include "inventory_private.h"

#include <ctype.h>
#include <string.h>

#include "assay/model/platform.h"
#include "assay/model/reading.h"

/* Hosts with the same keys. */
struct batch {
    const char *keys;
    LIST_OF(const struct inventory_node *) nodes;
};

struct writer {
    struct arena *arena;
    struct inventory *inventory;
    struct text *out;
    LIST_OF(const struct platform *) platforms; /* that are built in */
    LIST_OF(struct batch) batches;
};

/* "NVIDIA H100 80GB HBM3", "NVIDIA-H100-80GB-HBM3" and "nvidia_h100_80gb_hbm3" are one name. */
static bool same_product(const char *a, const char *b)
{
    for (; *a != '\0' && *b != '\0'; a++, b++)
        if (isalnum((unsigned char)*a) ? tolower((unsigned char)*a) != tolower((unsigned char)*b)
                                       : isalnum((unsigned char)*b) != 0)
            return false;
    return *a == *b;
}

static bool fits(const struct platform *platform, const struct inventory_node *node)
{
    if (platform->gpu_count != node->accelerators)
        return false;
    for (size_t i = 0; i < platform->gpu_models.count; i++)
        if (same_product(platform->gpu_models.items[i], node->product))
            return true;
    return false;
}

/* The only built-in platform that the node can be of, or NULL. */
static const char *platform_of(const struct writer *writer, const struct inventory_node *node)
{
    const char *found = NULL;
    size_t fitting = 0;

    if (node->product == NULL || node->mixed)
        return NULL;
    for (size_t i = 0; i < writer->platforms.count; i++)
        if (fits(writer->platforms.items[i], node)) {
            found = writer->platforms.items[i]->name;
            fitting++;
        }
    return fitting == 1 ? found : NULL;
}

static int load_platforms(struct writer *writer, struct error *err)
{
    builtin_each (row, "platforms") {
        const struct platform *platform = platform_load(writer->arena, row->name, err);

        if (platform == NULL)
            return -1;
        *list_push(writer->arena, &writer->platforms) = platform;
    }
    return 0;
}

/* One line, and nothing that ends it or hides in it. */
static const char *one_line(struct arena *arena, const char *text)
{
    char *line = arena_strdup(arena, text);

    for (char *at = line; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = ' ';
    return line;
}

static void put_key(struct text *out, const char *key, const char *value)
{
    if (value != NULL && *value != '\0')
        text_printf(out, strpbrk(value, " \t") != NULL ? " %s=\"%s\"" : " %s=%s", key, value);
}

static const char *keys_of(struct writer *writer, const struct inventory_node *node)
{
    cleanup_text struct text keys = {0};

    text_init(&keys, 64 * 1024);
    text_put(&keys, "");
    if (node->accelerators > 0)
        text_printf(&keys, " slots=%u", node->accelerators);
    put_key(&keys, "platform", platform_of(writer, node));
    put_key(&keys, "unit", node->unit);
    put_key(&keys, "rack", node->rack);
    put_key(&keys, "leaf", node->leaf);
    put_key(&keys, writer->inventory->scheduler == SCHEDULER_SLURM ? "label.partition" : "label.zone",
            node->partition);
    put_key(&keys, "label.block", node->block);
    put_key(&keys, "label.product", node->product);
    return arena_strdup(writer->arena, keys.bytes);
}

static void put_in_batch(struct writer *writer, const struct inventory_node *node)
{
    const char *keys = keys_of(writer, node);
    size_t i = 0;

    while (i < writer->batches.count && strcmp(writer->batches.items[i].keys, keys) != 0)
        i++;
    if (i == writer->batches.count)
        list_push(writer->arena, &writer->batches)->keys = keys;
    *list_push(writer->arena, &writer->batches.items[i].nodes) = node;
}

/* --- comments --- */

/* Names by what is to be said of them: "# node[3,7]: DOWN". */
struct saying {
    const char *text;
    LIST_OF(const char *) names;
};

struct sayings {
    LIST_OF(struct saying) list;
};

static void say(struct arena *arena, struct sayings *sayings, const char *text, const char *name)
{
    size_t i = 0;

    while (i < sayings->list.count && strcmp(sayings->list.items[i].text, text) != 0)
        i++;
    if (i == sayings->list.count)
        list_push(arena, &sayings->list)->text = text;
    *list_push(arena, &sayings->list.items[i].names) = name;
}

static void put_sayings(const struct writer *writer, const char *title, const struct sayings *sayings)
{
    if (sayings->list.count > 0)
        text_printf(writer->out, "# %s:\n", title);
    list_each (saying, sayings->list)
        text_printf(
            writer->out, "#   %s: %s\n",
            one_line(writer->arena, hostlist_fold(writer->arena, saying->names.items, saying->names.count)),
            one_line(writer->arena, saying->text));
}

/* What is not as the hostfile would have it. */
static void say_of(struct writer *writer, const struct inventory_node *node, struct sayings *sayings)
{
    struct arena *arena = writer->arena;

    if (node->trouble != NULL)
        say(arena, sayings, node->trouble, node->name);
    if (!node->counted)
        say(arena, sayings, "the number of its GPUs is not known: add slots=", node->name);
    if (node->mixed)
        say(arena, sayings, "has accelerators of several kinds; slots counts them all", node->name);
    if (node->has_leaves)
        say(arena, sayings, "is connected to several leaf switches: none is given", node->name);
    if (node->accelerators > 0 && platform_of(writer, node) == NULL)
        say(arena, sayings,
            arena_printf(arena, "no one built-in platform has %u GPUs %s: add platform=", node->accelerators,
                         node->product != NULL ? node->product : "of an unknown kind"),
            node->name);
}

static void put_comments(struct writer *writer)
{
    struct inventory *inventory = writer->inventory;
    struct sayings listed = {0}, out = {0};
    size_t count = 0;

    list_each (node, inventory->nodes) {
        count += node->left_out == NULL;
        if (node->left_out != NULL)
            say(writer->arena, &out, node->left_out, node->name);
        else
            say_of(writer, node, &listed);
    }
    text_printf(
        writer->out,
        "# %zu of %zu nodes, as %s reports them. Check this file before a run; nothing was guessed.\n", count,
        inventory->nodes.count, inventory->scheduler == SCHEDULER_SLURM ? "Slurm" : "Kubernetes");
    put_sayings(writer, "listed, and to be looked at", &listed);
    put_sayings(writer, "left out", &out);
    for (size_t i = 0; i < inventory->remarks.count; i++)
        text_printf(writer->out, "# %s\n", one_line(writer->arena, inventory->remarks.items[i]));
}

/* --- lines --- */

static const char *address_of(const struct batch *batch, const char *name)
{
    for (size_t i = 0; i < batch->nodes.count; i++)
        if (strcmp(batch->nodes.items[i]->name, name) == 0)
            return batch->nodes.items[i]->address != NULL ? batch->nodes.items[i]->address : name;
    return name;
}

static bool same_names(const struct hostlist *list, const char *const *names, size_t count)
{
    if (list->names.count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(list->names.items[i], names[i]) != 0)
            return false;
    return true;
}

/* A word of a folded list, and the addresses of its names as a range that goes with it; false where there is none. */
static bool put_folded(struct writer *writer, const struct batch *batch, const char *word)
{
    struct arena *arena = writer->arena;
    struct hostlist names = {0}, read_again = {0};
    LIST_OF(const char *) addresses = {0};
    struct error err = {0};
    const char *folded;
    bool own = false;

    if (hostlist_expand(arena, word, &names, &err) < 0)
        return false;
    for (size_t i = 0; i < names.names.count; i++) {
        *list_push(arena, &addresses) = address_of(batch, names.names.items[i]);
        own |= strcmp(addresses.items[i], names.names.items[i]) != 0;
    }
    folded = hostlist_fold(arena, addresses.items, addresses.count);
    if (own && (hostlist_expand(arena, folded, &read_again, &err) < 0 ||
                !same_names(&read_again, addresses.items, addresses.count) ||
                (addresses.count > 1 && strchr(folded, '[') == NULL)))
        return false;
    text_printf(writer->out, "%s%s%s%s\n", word, own ? " address=" : "", own ? folded : "", batch->keys);
    return true;
}

static void put_word(struct writer *writer, const struct batch *batch, const char *word)
{
    struct hostlist names = {0};
    struct error err = {0};

    if (put_folded(writer, batch, word) || hostlist_expand(writer->arena, word, &names, &err) < 0)
        return;
    for (size_t i = 0; i < names.names.count; i++)
        text_printf(writer->out, "%s address=%s%s\n", names.names.items[i],
                    address_of(batch, names.names.items[i]), batch->keys);
}

/* The folded list's words are the lines: commas in brackets are no separators. */
static void put_batch(struct writer *writer, const struct batch *batch)
{
    LIST_OF(const char *) names = {0};
    const char *folded, *start;
    size_t depth = 0;

    for (size_t i = 0; i < batch->nodes.count; i++)
        *list_push(writer->arena, &names) = batch->nodes.items[i]->name;
    folded = start = hostlist_fold(writer->arena, names.items, names.count);
    for (const char *at = folded;; at++) {
        depth += *at == '[';
        depth -= depth > 0 && *at == ']';
        if (*at != '\0' && (depth > 0 || *at != ','))
            continue;
        put_word(writer, batch, arena_strndup(writer->arena, start, (size_t)(at - start)));
        if (*at == '\0')
            return;
        start = at + 1;
    }
}

/* --- the whole --- */

static void place(struct inventory *inventory, struct inventory_node *node)
{
    list_each (place, inventory->places) {
        if (strcmp(place->node, node->name) != 0)
            continue;
        if (place->block != NULL)
            node->block = place->block;
        if (place->leaf == NULL)
            continue;
        node->has_leaves |= node->leaf != NULL && strcmp(node->leaf, place->leaf) != 0;
        node->leaf = node->has_leaves ? NULL : place->leaf;
    }
}

/* Where some have accelerators, those that are known to have none are no part of what is handed over. */
static void leave_out(struct inventory *inventory)
{
    bool any = false;

    for (size_t i = 0; i < inventory->nodes.count; i++)
        any |= inventory->nodes.items[i].accelerators > 0;
    for (size_t i = 0; i < inventory->nodes.count && any; i++) {
        struct inventory_node *node = &inventory->nodes.items[i];

        if (node->counted && node->accelerators == 0 && node->left_out == NULL)
            node->left_out = "has no GPU, and others have";
    }
}

int inventory_write(struct arena *arena, struct inventory *inventory, struct text *out, struct error *err)
{
    struct writer writer = {.arena = arena, .inventory = inventory, .out = out};

    if (load_platforms(&writer, err) < 0)
        return -1;
    for (size_t i = 0; i < inventory->nodes.count; i++)
        place(inventory, &inventory->nodes.items[i]);
    leave_out(inventory);
    for (size_t i = 0; i < inventory->nodes.count; i++)
        if (inventory->nodes.items[i].left_out == NULL)
            put_in_batch(&writer, &inventory->nodes.items[i]);
    if (writer.batches.count == 0)
        return error_set(err, ERROR_USAGE, "no node is left to be listed%s",
                         inventory->nodes.count == 0 ? ": the input lists no nodes (scontrol show nodes)"
                                                     : "");
    put_comments(&writer);
    text_printf(out, "defaults scheduler=%s\n", host_scheduler_name(inventory->scheduler));
    for (size_t i = 0; i < writer.batches.count; i++)
        put_batch(&writer, &writer.batches.items[i]);
    if (out->clipped)
        return error_set(err, ERROR_INTERNAL, "the hostfile is too long");
    return hostfile_parse(arena, "the hostfile of these nodes", (struct slice){out->bytes, out->length},
                          err) != NULL
               ? 0
               : -1;
}

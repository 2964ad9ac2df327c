/* SPDX-License-Identifier: Apache-2.0 */
#include "cabling.h"

#include <string.h>

/* --- texts by number --- */

enum { SLOTS_FIRST = 64 };

static uint32_t hash_of(const char *key)
{
    uint32_t hash = 2166136261u;

    for (; *key != '\0'; key++)
        hash = (hash ^ (unsigned char)*key) * 16777619u;
    return hash;
}

/* The slot that holds the key, or the free one where it belongs. */
static size_t slot_of(const struct book *book, const char *key)
{
    size_t at = hash_of(key) % book->slot_count;

    while (book->slots[at] != FABRIC_NONE && strcmp(book->keys.items[book->slots[at]], key) != 0)
        at = (at + 1) % book->slot_count;
    return at;
}

static uint32_t book_find(const struct book *book, const char *key)
{
    return book->slot_count > 0 ? book->slots[slot_of(book, key)] : FABRIC_NONE;
}

static void grow_book(struct arena *arena, struct book *book)
{
    book->slot_count = book->slot_count > 0 ? 4 * book->slot_count : SLOTS_FIRST;
    book->slots = arena_array(arena, uint32_t, book->slot_count);
    for (size_t i = 0; i < book->slot_count; i++)
        book->slots[i] = FABRIC_NONE;
    for (size_t i = 0; i < book->keys.count; i++)
        book->slots[slot_of(book, book->keys.items[i])] = (uint32_t)i;
}

/* Of a key that is not in it. */
static uint32_t book_add(struct arena *arena, struct book *book, const char *key)
{
    if (2 * book->keys.count >= book->slot_count)
        grow_book(arena, book);
    book->slots[slot_of(book, key)] = (uint32_t)book->keys.count;
    *list_push(arena, &book->keys) = key;
    return (uint32_t)book->keys.count - 1;
}

/* --- names --- */

static size_t plain_length(struct slice name)
{
    size_t dot = slice_find(name, ".");

    return dot != (size_t)-1 && dot > 0 ? dot : name.length;
}

static const char *lower(struct arena *arena, struct slice name)
{
    char *copy = arena_strndup(arena, name.bytes, name.length);

    for (char *at = copy; *at != '\0'; at++)
        *at = (char)(*at >= 'A' && *at <= 'Z' ? *at + 'a' - 'A' : *at);
    return copy;
}

bool cabling_same_name(struct slice a, struct slice b)
{
    struct slice plain_a = {a.bytes, plain_length(a)}, plain_b = {b.bytes, plain_length(b)};
    bool full = plain_a.length < a.length && plain_b.length < b.length;
    struct slice one = full ? a : plain_a, other = full ? b : plain_b;

    return one.length == other.length && strncasecmp(one.bytes, other.bytes, one.length) == 0;
}

static const char *plain_name(struct arena *arena, struct slice name)
{
    return lower(arena, (struct slice){name.bytes, plain_length(name)});
}

/* The one node that may be meant by a name that no node has as it stands. */
static uint32_t find_alike(const struct fabric_cabling *cabling, uint32_t plain, struct slice name)
{
    uint32_t found = FABRIC_NONE;

    for (uint32_t i = cabling->first_of_plain.items[plain].node; i < cabling->nodes.count; i++) {
        if (!cabling_same_name(slice_of(cabling->nodes.items[i].name), name))
            continue;
        if (found != FABRIC_NONE)
            return FABRIC_NONE; /* leaf1 where there are leaf1.a and leaf1.b */
        found = i;
        if (!cabling->first_of_plain.items[plain].several)
            break;
    }
    return found;
}

uint32_t cabling_find_node(const struct fabric_cabling *cabling, struct slice name)
{
    struct arena *scratch = arena_create();
    uint32_t node = book_find(&cabling->nodes_by_name, lower(scratch, name)), plain;

    if (node == FABRIC_NONE) {
        plain = book_find(&cabling->nodes_by_plain_name, plain_name(scratch, name));
        if (plain != FABRIC_NONE)
            node = find_alike(cabling, plain, name);
    }
    arena_destroy(scratch);
    return node;
}

uint32_t cabling_node(struct fabric_cabling *cabling, struct slice name)
{
    uint32_t node = cabling_find_node(cabling, name), plain;
    const char *key;

    if (node != FABRIC_NONE)
        return node;
    node = (uint32_t)cabling->nodes.count;
    key = plain_name(cabling->arena, name);
    plain = book_find(&cabling->nodes_by_plain_name, key);
    if (plain == FABRIC_NONE) {
        book_add(cabling->arena, &cabling->nodes_by_plain_name, key);
        list_push(cabling->arena, &cabling->first_of_plain)->node = node;
    } else {
        cabling->first_of_plain.items[plain].several = true;
    }
    *list_push(cabling->arena, &cabling->nodes) =
        (struct cabled_node){.name = arena_strndup(cabling->arena, name.bytes, name.length)};
    return book_add(cabling->arena, &cabling->nodes_by_name, lower(cabling->arena, name));
}

/* Of ports the case counts. */
static const char *port_key(struct arena *arena, uint32_t node, struct slice name)
{
    return arena_printf(arena, "%u %.*s", node, slice_print(name));
}

uint32_t cabling_find_port(const struct fabric_cabling *cabling, uint32_t node, struct slice name)
{
    struct arena *scratch = arena_create();
    uint32_t port = book_find(&cabling->ports_by_name, port_key(scratch, node, name));

    arena_destroy(scratch);
    return port;
}

uint32_t cabling_port(struct fabric_cabling *cabling, uint32_t node, struct slice name)
{
    uint32_t port = cabling_find_port(cabling, node, name);

    if (port != FABRIC_NONE)
        return port;
    *list_push(cabling->arena, &cabling->ports) =
        (struct cabled_port){.node = node,
                             .name = arena_strndup(cabling->arena, name.bytes, name.length),
                             .far = FABRIC_NONE,
                             .port = FABRIC_NONE};
    return book_add(cabling->arena, &cabling->ports_by_name, port_key(cabling->arena, node, name));
}

struct fabric_cabling *fabric_cabling_new(struct arena *arena)
{
    struct fabric_cabling *cabling = arena_new(arena, struct fabric_cabling);

    cabling->arena = arena;
    return cabling;
}

uint32_t fabric_cabling_find(const struct fabric_cabling *cabling, struct slice node, struct slice port)
{
    uint32_t found = cabling_find_node(cabling, node);

    if (found != FABRIC_NONE)
        found = cabling_find_port(cabling, found, port);
    return found != FABRIC_NONE ? cabling->ports.items[found].port : FABRIC_NONE;
}

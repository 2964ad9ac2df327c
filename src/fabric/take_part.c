/* SPDX-License-Identifier: Apache-2.0 */
/* Which ports of adapters can send, and by what names they are known. */
#include <stdlib.h>
#include <string.h>

#include "assay/fabric/flows.h"
#include "names.h"

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static bool is_hosts(const struct fabric_node *node)
{
    struct slice rest = slice_of(node->name), host, adapter;

    return node->kind == FABRIC_ADAPTER && strstr(node->name, "Aggregation Node") == NULL &&
           strpbrk(node->name, "#:>") == NULL && scan_word(&rest, &host) && scan_word(&rest, &adapter) &&
           slice_trim(rest).length == 0;
}

void names_list(struct arena *arena, const struct fabric *fabric, struct names *ret_names)
{
    for (uint32_t port = 0; port < fabric->ports.count; port++)
        if ((fabric->ports.items[port].lid != 0 || fabric->ports.items[port].name != NULL) &&
            fabric->ports.items[port].far != FABRIC_NONE &&
            is_hosts(&fabric->nodes.items[fabric->ports.items[port].node]))
            *list_push(arena, &ret_names->items) = (struct named){fabric_port_name(fabric, port), port};
    if (ret_names->items.count > 0)
        qsort(ret_names->items.items, ret_names->items.count, sizeof *ret_names->items.items, by_name);
}

uint32_t names_find(struct arena *arena, const struct names *names, struct slice name)
{
    struct named key = {.name = arena_strndup(arena, name.bytes, name.length)};
    const struct named *found =
        names->items.count == 0 ? NULL
                                : bsearch(&key, names->items.items, names->items.count, sizeof key, by_name);

    return found != NULL ? found->port : FABRIC_NONE;
}

static size_t host_length(const char *name)
{
    return strcspn(name, " ");
}

/* The number of the host among those that were asked for, or of its first port where all are. */
static bool number_of_host(const char *name, const char *const *hosts, size_t count, uint32_t *ret_number)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(hosts[i]) == host_length(name) && strncmp(hosts[i], name, host_length(name)) == 0) {
            *ret_number = (uint32_t)i;
            return true;
        }
    return count == 0;
}

int fabric_take_part(struct arena *arena, const struct fabric *fabric, const char *const *hosts, size_t count,
                     struct fabric_question *ret_question, struct error *err)
{
    struct names names = {0};
    bool *seen = arena_array(arena, bool, count);
    uint32_t *ports, *of, number = 0, first = 0;

    names_list(arena, fabric, &names);
    ports = arena_array(arena, uint32_t, names.items.count);
    of = arena_array(arena, uint32_t, names.items.count);
    *ret_question = (struct fabric_question){.ports = ports, .hosts = of};
    for (size_t i = 0; i < names.items.count; i++) {
        const char *name = names.items.items[i].name, *last = i > 0 ? names.items.items[i - 1].name : "";

        if (strcmp(name, last) == 0)
            return error_set(err, ERROR_USAGE,
                             "two adapters call themselves '%s'; expected a name of its own for each", name);
        if (count == 0 &&
            (host_length(last) != host_length(name) || strncmp(last, name, host_length(name)) != 0))
            number = (uint32_t)i;
        if (!number_of_host(name, hosts, count, &number))
            continue;
        if (count > 0)
            seen[number] = true;
        of[ret_question->count] = number;
        ports[ret_question->count++] = names.items.items[i].port;
    }
    for (size_t i = 0; i < count; i++)
        if (!seen[i])
            return error_set(err, ERROR_USAGE,
                             "host '%s': no adapter of the fabric calls itself '%s ADAPTER'", hosts[i],
                             hosts[i]);
    first = ret_question->count > 0 ? of[0] : 0;
    for (size_t i = 0; i < ret_question->count; i++)
        if (of[i] != first)
            return 0;
    return error_set(err, ERROR_USAGE,
                     "flows need the adapters of two hosts or more, each called 'HOST ADAPTER'");
}

/* --- as hosts call themselves --- */

/* Of "gpu1.dc1.example mlx5_0" and "GPU1 mlx5_0" it is "gpu1 mlx5_0". */
static const char *plain_name(struct arena *arena, const char *name)
{
    size_t dot = strcspn(name, ". "), space = strcspn(name, " ");
    char *plain = arena_printf(arena, "%.*s%s", (int)dot, name, name + space);

    for (size_t i = 0; i < dot; i++)
        plain[i] = (char)(plain[i] >= 'A' && plain[i] <= 'Z' ? plain[i] + 'a' - 'A' : plain[i]);
    return plain;
}

/* Of two ports with one name it is neither. */
static uint32_t only_port(const struct names *names, const struct named *found)
{
    const struct named *first = names->items.items, *behind = first + names->items.count;

    return (found > first && strcmp(found[-1].name, found->name) == 0) ||
                   (found + 1 < behind && strcmp(found[1].name, found->name) == 0)
               ? FABRIC_NONE
               : found->port;
}

void fabric_find_adapters(struct arena *arena, const struct fabric *fabric, const char *const *wanted,
                          size_t count, uint32_t *ret_ports)
{
    struct names names = {0};

    names_list(arena, fabric, &names);
    for (size_t i = 0; i < names.items.count; i++)
        names.items.items[i].name = plain_name(arena, names.items.items[i].name);
    if (names.items.count > 0)
        qsort(names.items.items, names.items.count, sizeof *names.items.items, by_name);
    for (size_t i = 0; i < count; i++) {
        struct named key = {.name = plain_name(arena, wanted[i])}, *found = NULL;

        if (names.items.count > 0)
            found = bsearch(&key, names.items.items, names.items.count, sizeof key, by_name);
        ret_ports[i] = found != NULL ? only_port(&names, found) : FABRIC_NONE;
    }
}

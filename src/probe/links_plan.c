/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/base/text.h"
#include "assay/fabric/ecmp.h"
#include "assay/fabric/ethernet.h"
#include "links.h"

enum { FILE_BYTES = 1 << 30, NAMED_MOST = 8 };

static int load(struct arena *arena, const char *path, struct slice *ret_text, struct error *err)
{
    cleanup_file FILE *file = fopen(path, "re");
    cleanup_text struct text text = {0};
    char piece[1 << 16];
    size_t got;

    if (file == NULL)
        return error_set(err, ERROR_USAGE, "%s: cannot be opened on the host of rank 0", path);
    text_init(&text, FILE_BYTES);
    while ((got = fread(piece, 1, sizeof piece, file)) > 0)
        text_add(&text, piece, got);
    if (ferror(file) || text.clipped)
        return error_set(err, ERROR_USAGE, "%s: cannot be read to its end", path);
    *ret_text = (struct slice){arena_strndup(arena, text.bytes, text.length), text.length};
    return 0;
}

/* Who stands second in a line is a switch. */
static int load_cables(struct arena *arena, const struct links_options *options, struct links_plan *plan,
                       struct error *err)
{
    struct fabric_cabling *cabling = fabric_cabling_new(arena);
    const struct fabric_cabling_options all = {.host_gbits = 0};
    struct fabric_remarks remarks;
    struct slice text;

    plan->fabric = fabric_new(arena);
    if (load(arena, options->cables, &text, err) < 0 ||
        fabric_cabling_read_plan(cabling, options->cables, text, err) < 0)
        return -1;
    return fabric_cabling_build(cabling, &all, plan->fabric, &remarks, err);
}

static int load_fabric(struct arena *arena, const struct links_options *options, struct links_plan *plan,
                       struct error *err)
{
    struct slice text;

    if (options->cables != NULL)
        return load_cables(arena, options, plan, err);
    plan->fabric = fabric_new(arena);
    if (load(arena, options->links, &text, err) < 0 ||
        fabric_read_links(plan->fabric, options->links, text, err) < 0 ||
        load(arena, options->routes, &text, err) < 0)
        return -1;
    return fabric_read_routes(plan->fabric, options->routes, text, err);
}

/* Each rank's port is of the fabric, and no other rank's. */
static int place_ranks(struct links_plan *plan, char (*names)[LINKS_NAME_BYTES], int ranks,
                       const uint32_t *ports, struct error *err)
{
    cleanup_text struct text strangers = {0};
    int count = 0;

    text_init(&strangers, 1 << 16);
    for (size_t i = 0; i < plan->fabric->ports.count; i++)
        plan->rank_of[i] = -1;
    for (int rank = 0; rank < ranks; rank++) {
        if (ports[rank] == FABRIC_NONE) {
            if (count++ < NAMED_MOST)
                text_printf(&strangers, "%s%s", count > 1 ? ", " : "", names[rank]);
            continue;
        }
        if (plan->rank_of[ports[rank]] >= 0)
            return error_set(err, ERROR_USAGE, "ranks %d and %d are both '%s'", plan->rank_of[ports[rank]],
                             rank, names[rank]);
        plan->rank_of[ports[rank]] = rank;
    }
    return count == 0 ? 0
                      : error_set(err, ERROR_USAGE,
                                  "%d ranks are of no adapter, or of several, that the fabric calls so: %s%s",
                                  count, strangers.bytes, count > NAMED_MOST ? ", ..." : "");
}

static size_t host_length(const char *name)
{
    return strcspn(name, " ");
}

/* The first rank of each rank's host. */
static void find_hosts(char (*names)[LINKS_NAME_BYTES], int ranks, uint32_t *ret_hosts, unsigned *ret_count)
{
    *ret_count = 0;
    for (int rank = 0; rank < ranks; rank++) {
        int first = 0;

        while (host_length(names[first]) != host_length(names[rank]) ||
               memcmp(names[first], names[rank], host_length(names[rank])) != 0)
            first++;
        ret_hosts[rank] = (uint32_t)first;
        *ret_count += first == rank;
    }
}

int links_plan(struct arena *arena, const struct links_options *options, char (*names)[LINKS_NAME_BYTES],
               int ranks, struct links_plan *ret_plan, struct error *err)
{
    const char **wanted = arena_array(arena, const char *, (size_t)ranks);
    uint32_t *ports = arena_array(arena, uint32_t, (size_t)ranks);
    uint32_t *hosts = arena_array(arena, uint32_t, (size_t)ranks);
    struct fabric_question question = {.ports = ports, .hosts = hosts, .count = (size_t)ranks};

    if (load_fabric(arena, options, ret_plan, err) < 0)
        return -1;
    for (int rank = 0; rank < ranks; rank++)
        wanted[rank] = names[rank];
    fabric_find_adapters(arena, ret_plan->fabric, wanted, (size_t)ranks, ports);
    ret_plan->rank_of = arena_array(arena, int, ret_plan->fabric->ports.count);
    if (place_ranks(ret_plan, names, ranks, ports, err) < 0)
        return -1;
    find_hosts(names, ranks, hosts, &ret_plan->hosts);
    question.rounds_most = options->rounds_most;
    ret_plan->schedule =
        options->cables != NULL
            ? fabric_ecmp_plan(arena, ret_plan->fabric, &question, options->streams)->schedule
            : fabric_plan(arena, ret_plan->fabric, &question);
    return ret_plan->schedule->flows.count > 0
               ? 0
               : error_set(err, ERROR_USAGE,
                           "no route leads from one of the adapters to one of another host");
}

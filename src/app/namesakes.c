/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/namesakes.h"

#include <stdlib.h>
#include <string.h>

/* A host as one controller knows it, by all runs that came by one way. */
struct known_host {
    const char *name, *controller, *file; /* "" both: of runs that were made here */
    size_t first;                         /* the first one of that name */
    size_t same;                          /* one before it that is the same host; else itself */
    const char *shown;
};
/* What was seen in it. */
struct seen_part {
    struct known_host host; /* its first three, until it is known which it is */
    size_t place;           /* of that one */
    const char *identity;
};

struct namesakes {
    struct arena *arena;
    LIST_OF(struct known_host) hosts; /* in the order of compare_hosts, each once, from namesakes_settle on */
    LIST_OF(struct seen_part) parts;
};

struct namesakes *namesakes_create(struct arena *arena)
{
    struct namesakes *namesakes = arena_new(arena, struct namesakes);

    namesakes->arena = arena;
    return namesakes;
}

static struct known_host host_of(const struct run_summary *run, const char *name)
{
    return (struct known_host){.name = name,
                               .controller = run->imported ? run->controller : "",
                               .file = run->imported ? run->origin : ""};
}

void namesakes_add(struct namesakes *namesakes, struct store *store, const struct run_summary *run)
{
    struct item_sightings seen;
    struct hostlist hosts;
    struct error ignored;

    if (store_run_hosts(store, namesakes->arena, run->number, &hosts, &ignored) < 0 ||
        store_run_items(store, namesakes->arena, run->number, &seen, &ignored) < 0)
        return;
    for (size_t i = 0; i < hosts.names.count; i++)
        *list_push(namesakes->arena, &namesakes->hosts) = host_of(run, hosts.names.items[i]);
    for (size_t i = 0; i < seen.items.count; i++)
        if (item_kind_is_hardware(seen.items.items[i].kind))
            *list_push(namesakes->arena, &namesakes->parts) = (struct seen_part){
                .host = host_of(run, seen.items.items[i].host), .identity = seen.items.items[i].identity};
}

/* -- Which are the same ------------------------------------------------------------------------------------------ */

static int compare_hosts(const void *a, const void *b)
{
    const struct known_host *left = a, *right = b;
    int order = strcmp(left->name, right->name);

    order = order != 0 ? order : strcmp(left->controller, right->controller);
    return order != 0 ? order : strcmp(left->file, right->file);
}

static int compare_parts(const void *a, const void *b)
{
    const struct seen_part *left = a, *right = b;

    if (left->host.first != right->host.first)
        return left->host.first < right->host.first ? -1 : 1;
    return strcmp(left->identity, right->identity);
}

static const struct known_host *find_host(const struct namesakes *namesakes, const struct known_host *wanted)
{
    return namesakes->hosts.count > 0 ? bsearch(wanted, namesakes->hosts.items, namesakes->hosts.count,
                                                sizeof *wanted, compare_hosts)
                                      : NULL;
}

static void sort_hosts(struct namesakes *namesakes)
{
    struct known_host *hosts = namesakes->hosts.items;
    size_t count = 0;

    if (namesakes->hosts.count > 1)
        qsort(hosts, namesakes->hosts.count, sizeof *hosts, compare_hosts);
    for (size_t i = 0; i < namesakes->hosts.count; i++)
        if (count == 0 || compare_hosts(&hosts[count - 1], &hosts[i]) != 0)
            hosts[count++] = hosts[i];
    namesakes->hosts.count = count;
    for (size_t i = 0; i < count; i++) {
        hosts[i].same = i;
        hosts[i].first = i > 0 && strcmp(hosts[i - 1].name, hosts[i].name) == 0 ? hosts[i - 1].first : i;
    }
}

static size_t root_of(const struct namesakes *namesakes, size_t place)
{
    while (namesakes->hosts.items[place].same != place)
        place = namesakes->hosts.items[place].same;
    return place;
}

static void join(struct namesakes *namesakes, size_t a, size_t b)
{
    a = root_of(namesakes, a);
    b = root_of(namesakes, b);
    namesakes->hosts.items[a > b ? a : b].same = a > b ? b : a;
}

static void join_by_parts(struct namesakes *namesakes)
{
    struct seen_part *parts = namesakes->parts.items;
    size_t count = 0;

    for (size_t i = 0; i < namesakes->parts.count; i++) {
        const struct known_host *host = find_host(namesakes, &parts[i].host);

        if (host != NULL)
            parts[count++] =
                (struct seen_part){*host, (size_t)(host - namesakes->hosts.items), parts[i].identity};
    }
    if (count > 1)
        qsort(parts, count, sizeof *parts, compare_parts);
    for (size_t i = 1; i < count; i++)
        if (compare_parts(&parts[i - 1], &parts[i]) == 0)
            join(namesakes, parts[i - 1].place, parts[i].place);
}

/* -- What they are called ---------------------------------------------------------------------------------------- */

/* Whether another host of its name has the same controller's name too. */
static bool is_controller_shared(const struct namesakes *namesakes, size_t place)
{
    const struct known_host *hosts = namesakes->hosts.items;

    for (size_t i = hosts[place].first; i < namesakes->hosts.count && hosts[i].first == hosts[place].first;
         i++)
        if (root_of(namesakes, i) != place && strcmp(hosts[i].controller, hosts[place].controller) == 0)
            return true;
    return false;
}

static bool is_alone(const struct namesakes *namesakes, size_t place)
{
    const struct known_host *hosts = namesakes->hosts.items;

    for (size_t i = hosts[place].first; i < namesakes->hosts.count && hosts[i].first == hosts[place].first;
         i++)
        if (root_of(namesakes, i) != place)
            return false;
    return true;
}

static const char *shown_name(const struct namesakes *namesakes, size_t place)
{
    const struct known_host *host = &namesakes->hosts.items[place];

    if (*host->file == '\0' || is_alone(namesakes, place))
        return host->name;
    return arena_printf(namesakes->arena, "%s/%s",
                        is_controller_shared(namesakes, place) ? host->file : host->controller, host->name);
}

void namesakes_settle(struct namesakes *namesakes)
{
    struct known_host *hosts = namesakes->hosts.items;

    sort_hosts(namesakes);
    join_by_parts(namesakes);
    for (size_t i = 0; i < namesakes->hosts.count; i++) {
        size_t root = root_of(namesakes, i);

        hosts[i].shown = root == i ? shown_name(namesakes, i) : hosts[root].shown;
    }
}

const char *namesakes_name(const struct namesakes *namesakes, const struct run_summary *run, const char *host)
{
    const struct known_host wanted = host_of(run, host), *found = find_host(namesakes, &wanted);

    return found != NULL ? found->shown : host;
}

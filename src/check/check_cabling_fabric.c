/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether every cable of all hosts ends where the hostfile says, by ibdiagnet: the check cabling for a fabric that is
 * swept anyway. The head asks the whole fabric, once; where its HCAs are on fabrics of their own (a rail each), once
 * for each. Needs root on the head: /dev/infiniband/umad*.
 *
 * A host's HCA is known by the description that it gives itself, "gpu1 mlx5_0" (rdma-ndd sets it, of the host's own name); the
 * hostfile may have another name for the host, so that what the check reachable was told goes first. The domain of a host's name
 * does not count. Each line of ibdiagnet2.lst is true by itself, so that of a sweep that broke off what
 * it saw is judged, and of the other cables nothing is known.
 */
#include <stdlib.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

#include "rails.h"
#include "script.h"

static void sweep(const struct check_context *context, struct text *out)
{
    script_begin(out, "ibdiagnet -i HCA -p 1 --skip pm of each fabric");
    script_set_hcas(context, out);
    script_tool(context, out, "ibdiagnet", "ibdiagnet");
    text_put(out, script_cabling_fabric_sweep);
}

/* --- what was seen --- */

/* One end of a link whose node gives itself that name. */
struct seen {
    const char *name; /* "gpu1 mlx5_0": lower case, without the host's domain */
    size_t at;        /* its first fact; those of one link stand together */
};
struct seen_list {
    LIST_OF(struct seen) rows;
};

static const char *plain_name(struct arena *arena, struct slice host, struct slice hca)
{
    size_t dot = slice_find(host, ".");
    char *name;

    if (dot != (size_t)-1)
        host.length = dot;
    name = arena_printf(arena, "%.*s %.*s", slice_print(host), slice_print(hca));
    for (size_t i = 0; i < host.length; i++)
        name[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 'a' - 'A' : name[i]);
    return name;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct seen *)a)->name, ((const struct seen *)b)->name);
}

static void list_seen(const struct reading *reading, struct seen_list *ret_seen)
{
    for (size_t i = 0; i < reading->facts.count; i++) {
        struct slice rest = slice_of(reading->facts.items[i].value), host, hca;

        if (strcmp(reading->facts.items[i].name, "ib.link.name") == 0 && scan_word(&rest, &host) &&
            scan_word(&rest, &hca) && slice_trim(rest).length == 0)
            *list_push(reading->arena, &ret_seen->rows) =
                (struct seen){plain_name(reading->arena, host, hca), i};
    }
    if (ret_seen->rows.count > 0)
        qsort(ret_seen->rows.items, ret_seen->rows.count, sizeof ret_seen->rows.items[0], by_name);
}

static const char *fact_of_link(const struct reading *reading, size_t at, const char *name)
{
    const char *subject = reading->facts.items[at].subject;

    for (size_t i = at; i < reading->facts.count && strcmp(reading->facts.items[i].subject, subject) == 0;
         i++)
        if (strcmp(reading->facts.items[i].name, name) == 0)
            return reading->facts.items[i].value;
    return NULL;
}

/* Of the same subject: the file may have a link from both of its ends. */
static bool is_one_node(const struct reading *reading, const struct seen *first, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (strcmp(reading->facts.items[first[i].at].subject, reading->facts.items[first->at].subject) != 0)
            return false;
    return true;
}

/* The rows of that name; NULL: there are none. */
static const struct seen *find_seen(const struct seen_list *seen, const char *name, size_t *ret_count)
{
    const struct seen key = {.name = name}, *found = NULL;

    if (seen->rows.count > 0)
        found = bsearch(&key, seen->rows.items, seen->rows.count, sizeof key, by_name);
    if (found == NULL)
        return NULL;
    while (found > seen->rows.items && strcmp(found[-1].name, key.name) == 0)
        found--;
    for (*ret_count = 0; found + *ret_count < seen->rows.items + seen->rows.count &&
                         strcmp(found[*ret_count].name, key.name) == 0;)
        ++*ret_count;
    return found;
}

static void take_link(const struct reading *reading, size_t at, struct neighbour *neighbour)
{
    neighbour->name = fact_of_link(reading, at, "ib.link.remote");
    neighbour->guid = fact_of_link(reading, at, "ib.link.remote_guid");
    neighbour->port = fact_of_link(reading, at, "ib.link.remote_port");
    rails_read_link(reading->arena, fact_of_link(reading, at, "ib.link.width"),
                    fact_of_link(reading, at, "ib.link.speed"), neighbour);
    if (neighbour->name == NULL)
        neighbour->name = neighbour->guid;
    if (neighbour->name == NULL)
        neighbour->unread = REASON(other_end_not_told);
}

/* What a member's adapters may be called by. */
struct called {
    const char *names[CHECK_NAMES_MOST];
    size_t count;
};

static void look(const struct reading *reading, const struct seen_list *seen, const struct called *called,
                 const char *hca, const struct reason *trouble, struct neighbour *neighbour)
{
    struct arena *arena = reading->arena;
    const struct seen *found = NULL;
    const char *name = NULL;
    size_t count = 0;

    for (size_t i = 0; i < called->count && found == NULL; i++) {
        name = plain_name(arena, slice_of(called->names[i]), slice_of(hca));
        found = find_seen(seen, name, &count);
    }
    if (name == NULL)
        neighbour->unread = REASON(name_is_of_another_host);
    else if (found == NULL)
        neighbour->unread = reason_also(
            arena,
            reason(arena, node_without_link, plain_name(arena, slice_of(called->names[0]), slice_of(hca))),
            trouble);
    else if (!is_one_node(reading, found, count))
        neighbour->unread = reason(arena, several_nodes_of_one_name, name);
    else
        take_link(reading, found->at, neighbour);
}

/* What the sweep itself complained of, to be said of the cables that it does not show. */
static const struct reason *trouble_of(const struct attempt *attempt, struct arena *arena)
{
    const struct part *part = attempt_part(attempt, "sweep");

    if (part == NULL || !part->ended)
        return REASON(sweep_not_ended);
    if (part->reading.status != READING_COMPLETE)
        return reason(arena, the_sweep_said, part->reading.reason);
    return REASON(is_port_up_and_described);
}

static void read_fabric(const struct check_context *context, const struct attempt *attempt,
                        struct reading *out)
{
    const struct part *part = attempt_part(attempt, "links");
    const struct reason *trouble = trouble_of(attempt, out->arena);
    struct seen_list seen = {0};
    size_t hcas = 0, count, fastest = 0;
    struct neighbour *all;
    struct called called;
    const char **subjects;

    if (part == NULL || !part->ended) {
        reading_set(out, READING_PARTIAL, REASON(command_not_ended));
        return;
    }
    out->status = READING_COMPLETE;
    if (part->reading.status != READING_COMPLETE && slice_trim(part->out).length > 0)
        reading_set(out, part->reading.status,
                    reason(out->arena, about, "ibdiagnet2.lst", part->reading.reason));
    list_seen(&part->reading, &seen);
    while (check_hca(context, hcas) != NULL)
        hcas++;
    count = hcas * context->member_count;
    all = arena_array(out->arena, struct neighbour, count);
    subjects = arena_array(out->arena, const char *, count);
    for (size_t i = 0; i < count; i++) {
        all[i] = (struct neighbour){0};
        subjects[i] = check_member_hca(context, i);
        if (i % hcas == 0)
            called.count = check_names_of_member(context, i / hcas, called.names);
        look(&part->reading, &seen, &called, check_hca(context, i % hcas), trouble, &all[i]);
        if (all[i].rate > all[fastest].rate)
            fastest = i;
    }
    for (size_t i = 0; i < count; i++) {
        rails_tell(context->members[i / hcas], check_hca(context, i % hcas), subjects[i], &all[i], out);
        rails_tell_link(subjects[i], &all[i], subjects[fastest], &all[fastest], out);
    }
}

/* --- what is owed --- */

static unsigned expected_s(const struct check_context *context)
{
    return 60 + (unsigned)context->member_count;
}

const struct check check_cabling_fabric = {
    .name = "cabling-fabric",
    .title = "Cabling by ibdiagnet",
    .summary =
        "one sweep of the whole fabric: every cable ends at the switch and port that the hostfile declares",
    .on = ON_HCAS,
    .scopes = SCOPE_GROUP | SCOPE_CLUSTER,
    .exclusive = EXCLUSIVE_FABRIC,
    .as_root = true,
    .own_names = true,
    .arguments = ARGUMENTS(HCAS_ARGUMENT_ROW),
    .arguments_fault = check_hcas_fault,
    .host_valid = rails_host_valid,
    .parts = PARTS({"sweep", "ibdiagnet", sweep, NULL}, {.name = "links",
                                                         .parser = "ibdiagnet",
                                                         .script = script_cabling_fabric_links,
                                                         .typed = "cat ibdiagnet2.lst"}),
    .items = ITEMS({"cabling.rail", PER_MEMBER_HCA, NULL, DUTY_GATE, rails_rules},
                   {"cabling.speed", PER_MEMBER_HCA, NULL, DUTY_GATE, rails_speed_rules},
                   {"cabling.link", PER_MEMBER_HCA, NULL, DUTY_RECORD, NULL},
                   {"cabling.neighbour", PER_MEMBER_HCA, NULL, DUTY_RECORD, NULL}),
    .remedies =
        REMEDIES({"cabling.rail", REASON(compare_ibdiagnet_with_rails)},
                 {"cabling.*", REASON(clean_cable_see_mlxlink)}, {"sound", REASON(install_ibdiagnet)}),
    .expected = expected_s,
    .read = read_fabric,
};

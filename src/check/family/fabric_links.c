/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric_links.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/fabric/ethernet.h"
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

#include "links_evidence.h"

static const char *percent(const struct evidence *evidence, double share)
{
    return arena_printf(evidence->out->arena, "%.0f", 100 * share);
}

/* --- what was written --- */

bool links_lack(struct reading *out, const struct error *err)
{
    reading_set(out, READING_PARTIAL, reason(out->arena, text, err->text));
    return false;
}

/* Of the program itself: that it came to its end, and what it announced. */
static bool take_main(const struct attempt *attempt, struct reading *out)
{
    const struct part *part = attempt_part(attempt, "main");

    if (part == NULL || !part->began) {
        reading_set(out, READING_PARTIAL, REASON(command_not_ended));
        return false;
    }
    reading_merge(out, &part->reading);
    if (part->reading.status == READING_COMPLETE && part->ended && part->rc == 0)
        return true;
    reading_set(out, part->reading.status < READING_COMPLETE ? part->reading.status : READING_PARTIAL,
                part->reading.reason != NULL ? part->reading.reason : REASON(command_not_ended));
    return false;
}

static bool is_number(const struct reading *out, const char *fact, size_t count)
{
    const char *value = reading_get_fact(out, fact, "");
    double number;

    return value != NULL && scan_double(slice_of(value), &number) && number == (double)count;
}

bool links_take_results(struct evidence *evidence, const struct attempt *attempt, struct slice *ret_flows,
                        struct slice *ret_counters)
{
    return take_main(attempt, evidence->out) && fabric_take(attempt, "flows", evidence->out, ret_flows) &&
           fabric_take(attempt, "counters", evidence->out, ret_counters);
}

bool links_add_up(struct evidence *evidence)
{
    struct reading *out = evidence->out;

    if (is_number(out, "links.flows", evidence->measured.flows.count) &&
        is_number(out, "links.rounds", evidence->measured.ends.count) &&
        evidence->counted.readings.count == evidence->measured.ends.count + 1)
        return true;
    reading_set(out, READING_PARTIAL, REASON(flows_do_not_add_up));
    return false;
}

static bool read_files(struct evidence *evidence, const struct attempt *attempt)
{
    struct reading *out = evidence->out;
    struct arena *arena = out->arena;
    struct slice links, routes, flows, counters;
    struct error err = {0};

    if (!fabric_take_sweep(attempt, out) || !fabric_take(attempt, "links", out, &links) ||
        !fabric_take(attempt, "routes", out, &routes) ||
        !links_take_results(evidence, attempt, &flows, &counters))
        return false;
    evidence->fabric = fabric_new(arena);
    if (fabric_read_links(evidence->fabric, "ibdiagnet2.lst", links, &err) < 0 ||
        fabric_read_routes(evidence->fabric, "ibdiagnet2.fdbs", routes, &err) < 0 ||
        fabric_read_flows(arena, evidence->fabric, "flows", flows, &evidence->measured, &err) < 0 ||
        fabric_read_counter_rows(arena, evidence->fabric, "counters", counters, &evidence->counted, &err) < 0)
        return links_lack(out, &err);
    return links_add_up(evidence);
}

/* --- what follows from it --- */

void links_find_members(struct evidence *evidence)
{
    struct arena *arena = evidence->out->arena;

    evidence->ports = fabric_find_members(evidence->context, evidence->fabric, arena, &evidence->count);
    evidence->names = arena_array(arena, const char *, evidence->count);
    for (size_t i = 0; i < evidence->count; i++)
        evidence->names[i] = check_member_hca(evidence->context, i);
}

void links_make_room(struct evidence *evidence)
{
    struct arena *arena = evidence->out->arena;
    size_t ways = evidence->fabric->ports.count;

    evidence->differing = arena_array(arena, bool, ways);
    evidence->gaps = arena_array(arena, enum fabric_gap, ways);
    evidence->reached = arena_array(arena, bool, ways);
    evidence->fast = arena_array(arena, bool, ways);
    evidence->doubted = arena_array(arena, bool, ways);
    evidence->host_slow = arena_array(arena, const struct reason *, ways);
    evidence->host_faults = arena_array(arena, const struct reason *, ways);
}

static void mark_reached(struct evidence *evidence)
{
    double bound = FABRIC_SLOW * evidence->suspects.typical;

    for (size_t i = 0; i < evidence->measured.flows.count; i++) {
        const struct fabric_seen *seen = &evidence->measured.flows.items[i];
        uint32_t ways[FABRIC_HOPS_MAX];
        unsigned count = fabric_route(evidence->fabric, seen->flow.from, seen->flow.to, ways);

        for (unsigned k = 0; k < count && !isnan(seen->share); k++) {
            evidence->reached[ways[k]] = true;
            evidence->fast[ways[k]] |= seen->share >= bound;
        }
    }
}

static void work_out(struct evidence *evidence)
{
    struct arena *arena = evidence->out->arena;
    size_t ways = evidence->fabric->ports.count;
    bool *takes_part = arena_array(arena, bool, ways);

    links_find_members(evidence);
    for (size_t i = 0; i < evidence->count; i++)
        if (evidence->ports[i] != FABRIC_NONE)
            takes_part[evidence->ports[i]] = true;
    links_make_room(evidence);
    evidence->differing_count =
        fabric_contradict(arena, evidence->fabric, &evidence->measured, evidence->counted.readings.items,
                          evidence->seconds, evidence->differing);
    fabric_cover(arena, evidence->fabric, &evidence->measured, takes_part, evidence->gaps);
    evidence->peers = fabric_find_peers(arena, evidence->fabric, evidence->gaps);
    fabric_suspect_slow(arena, evidence->fabric, evidence->measured.flows.items,
                        evidence->measured.flows.count, FABRIC_SLOW, &evidence->suspects);
    mark_reached(evidence);
    fabric_prove(arena, evidence->fabric, evidence->counted.readings.items, evidence->measured.ends.count,
                 evidence->seconds, evidence->gaps, &evidence->proven);
}

/* --- slow --- */

static const struct reason *names_of(const struct evidence *evidence, const struct fabric_suspect *suspect)
{
    struct arena *arena = evidence->out->arena;
    const struct reason *names = NULL;

    for (size_t i = 0; i < suspect->count; i++)
        names = reason_also(arena, names,
                            reason(arena, text, fabric_link_name(evidence->fabric, suspect->links[i])));
    return names;
}

static void take_suspect(struct evidence *evidence, const struct fabric_suspect *suspect,
                         struct fabric_list *slow)
{
    struct arena *arena = evidence->out->arena;
    const char *share = percent(evidence, suspect->share);
    uint32_t link = suspect->links[0];

    if (suspect->count > 1) {
        for (size_t i = 0; i < suspect->count; i++)
            evidence->doubted[suspect->links[i]] = true;
        fabric_list_add(evidence->out, evidence->fabric, slow, "links.slow", link,
                        reason(arena, one_of_links_slow, names_of(evidence, suspect), suspect->flows, share));
    } else if (fabric_is_host_link(evidence->fabric, link)) {
        evidence->host_slow[link] = reason(arena, flows_over_it_slow, suspect->flows, share);
    } else {
        fabric_list_add(
            evidence->out, evidence->fabric, slow, "links.slow", link,
            reason(arena, link_flows_slow, fabric_link_name(evidence->fabric, link), suspect->flows, share));
    }
}

/* A link between switches that no flow crosses is none of these hosts', and is listed as unproven. On Ethernet only hosts tell what
   theirs have trained to. */
static enum fabric_trained trained_of(const struct evidence *evidence, uint32_t link)
{
    uint32_t far = evidence->fabric->ports.items[link].far;
    bool crossed =
        far != FABRIC_NONE && evidence->plan == NULL && (evidence->reached[link] || evidence->reached[far]);

    return crossed || (far != FABRIC_NONE && fabric_is_host_link(evidence->fabric, link))
               ? fabric_trained(evidence->fabric, evidence->peers, link)
               : FABRIC_TRAINED_LIKE_PEERS;
}

/* What the sweep itself shows, wherever flows went. A host's is said of the host. */
static void take_rates(struct evidence *evidence, struct fabric_list *slow, struct fabric_list *unlike)
{
    struct arena *arena = evidence->out->arena;

    for (uint32_t link = 0; link < evidence->fabric->ports.count; link++) {
        enum fabric_trained trained = trained_of(evidence, link);
        const char *rate, *most;

        if (trained == FABRIC_TRAINED_LIKE_PEERS ||
            (trained == FABRIC_TRAINED_UNLIKE && fabric_is_host_link(evidence->fabric, link)))
            continue;
        rate = arena_printf(arena, "%g", evidence->fabric->ports.items[link].gbits);
        most = arena_printf(arena, "%g", evidence->peers[link]->gbits);
        if (fabric_is_host_link(evidence->fabric, link))
            evidence->host_faults[link] = reason(arena, trained_slow, rate, most);
        else if (trained == FABRIC_TRAINED_SLOW)
            fabric_list_add(
                evidence->out, evidence->fabric, slow, "links.slow", link,
                reason(arena, link_trained_slow, fabric_link_name(evidence->fabric, link), rate, most));
        else
            fabric_list_add(evidence->out, evidence->fabric, unlike, "links.slow", link,
                            reason(arena, text, fabric_link_name(evidence->fabric, link)));
    }
}

static void tell_slow(struct evidence *evidence)
{
    const struct fabric_suspects *suspects = &evidence->suspects;
    struct arena *arena = evidence->out->arena;
    struct fabric_list slow = {0}, unlike = {0};

    take_rates(evidence, &slow, &unlike);
    /* Flows that went other ways than the tables say are about other links. */
    for (size_t i = 0; i < suspects->items.count && evidence->differing_count == 0; i++)
        take_suspect(evidence, &suspects->items.items[i], &slow);
    if (slow.count == 0 && suspects->slow > 0 && evidence->differing_count > 0)
        reading_unread(evidence->out, "links.slow", "", REASON(slow_by_other_ways));
    else if (slow.count == 0 && unlike.count > 0)
        reading_unread(evidence->out, "links.slow", "",
                       reason(arena, links_trained_unlike, fabric_list_said(evidence->out->arena, &unlike)));
    else
        fabric_tell(evidence->out, "links.slow", fabric_list_said(evidence->out->arena, &slow), "none");
    fabric_tell(evidence->out, "links.unexplained",
                suspects->unexplained > 0 ? reason(arena, flows_not_explained, suspects->unexplained) : NULL,
                "none");
    if (!isnan(suspects->typical))
        reading_measure(evidence->out, "links.typical", "", 100 * suspects->typical, "%");
}

/* --- errors --- */

static bool is_erring(const struct evidence *evidence, uint32_t way)
{
    return fabric_errors_tell(evidence->proven.errors[way], evidence->proven.bits[way],
                              evidence->plan != NULL ? FABRIC_BER_ETHERNET : FABRIC_BER_LIMIT);
}

/* Of its two ways the one with more errors is said. */
static void take_errors(struct evidence *evidence, uint32_t link, struct fabric_list *erring)
{
    struct arena *arena = evidence->out->arena;
    uint32_t far = evidence->fabric->ports.items[link].far;
    uint32_t way =
        is_erring(evidence, far) &&
                !(is_erring(evidence, link) && evidence->proven.errors[link] >= evidence->proven.errors[far])
            ? far
            : link;
    const char *count = arena_printf(arena, "%.0f", evidence->proven.errors[way]);
    const char *in = arena_printf(arena, "%.3g", evidence->proven.bits[way]);

    if (!is_erring(evidence, way))
        return;
    if (fabric_is_host_link(evidence->fabric, link))
        evidence->host_faults[link] =
            reason_also(arena, evidence->host_faults[link], reason(arena, errors_over_it, count, in));
    else
        fabric_list_add(evidence->out, evidence->fabric, erring, "links.errors", link,
                        reason(arena, link_errors, fabric_link_name(evidence->fabric, link), count, in));
}

static void tell_errors(struct evidence *evidence)
{
    const struct fabric_port *ports = evidence->fabric->ports.items;
    struct fabric_list erring = {0};
    size_t untold = 0;

    for (uint32_t link = 0; link < evidence->fabric->ports.count; link++) {
        uint32_t far = ports[link].far;

        if (far == FABRIC_NONE || far < link || evidence->gaps[link] == FABRIC_UNTESTED)
            continue;
        take_errors(evidence, link, &erring);
        /* What is not active carries nothing, and is listed as unproven. */
        untold += evidence->gaps[link] != FABRIC_INACTIVE &&
                  !(evidence->proven.told[link] && evidence->proven.told[far]);
    }
    if (erring.count == 0 && untold > 0)
        reading_unread(evidence->out, "links.errors", "",
                       reason(evidence->out->arena, errors_not_told, untold, evidence->proven.links));
    else
        fabric_tell(evidence->out, "links.errors", fabric_list_said(evidence->out->arena, &erring), "none");
}

/* --- proof --- */

static const struct reason *why_unproven(const struct evidence *evidence, uint32_t way)
{
    uint32_t far = evidence->fabric->ports.items[way].far;
    enum fabric_gap gap = evidence->gaps[way] != FABRIC_COVERED ? evidence->gaps[way] : evidence->gaps[far];
    const char *name = fabric_link_name(evidence->fabric, way);
    struct arena *arena = evidence->out->arena;

    switch (gap) {
    case FABRIC_INACTIVE:
        return reason(arena, link_not_active, name);
    case FABRIC_NO_FLOW:
    case FABRIC_NO_ROUND:
    case FABRIC_UNTESTED:
        return reason(arena, link_without_flow, name);
    case FABRIC_TOO_LITTLE:
        return reason(arena, link_with_too_little, name);
    case FABRIC_COVERED:
    default:
        return reason(arena, link_counters_still, name);
    }
}

bool links_is_proven(const struct evidence *evidence, uint32_t way)
{
    return evidence->proven.ways[way] && evidence->proven.ways[evidence->fabric->ports.items[way].far];
}

/* On Ethernet a hash leaves a few links with less than half of their rate, but none with nothing, which nobody knows of those
   that nobody counted. */
static bool may_be_idle(const struct evidence *evidence, uint32_t way)
{
    const double *most = evidence->proven.most;

    return evidence->plan != NULL &&
           !(most[way] >= FABRIC_LITTLE && most[evidence->fabric->ports.items[way].far] >= FABRIC_LITTLE);
}

static const struct reason *said_unproven(const struct evidence *evidence, const struct fabric_list *unproven,
                                          bool idle)
{
    const char *counters = reading_get_fact(evidence->out, "links.counters", "");
    struct arena *arena = evidence->out->arena;
    const struct reason *said = evidence->plan != NULL ? ethernet_undeclared(evidence) : NULL;

    if (!idle && (double)unproven->count <= (1 - FABRIC_ENOUGH) * (double)evidence->proven.links)
        return said;
    said = reason_also(arena, said,
                       reason(arena, links_not_proven, unproven->count, evidence->proven.links,
                              fabric_list_said(evidence->out->arena, unproven)));
    if (counters != NULL && strcmp(counters, "fabric") == 0)
        return said;
    return reason_also(
        arena, evidence->plan != NULL ? REASON(only_hosts_counted_ethernet) : REASON(only_hosts_counted),
        said);
}

static void tell_proof(struct evidence *evidence)
{
    const struct fabric_port *ports = evidence->fabric->ports.items;
    double links = (double)evidence->proven.links;
    struct fabric_list unproven = {0};
    bool idle = false;

    for (uint32_t way = 0; way < evidence->fabric->ports.count; way++) {
        if (ports[way].far == FABRIC_NONE || ports[way].far < way || evidence->gaps[way] == FABRIC_UNTESTED ||
            links_is_proven(evidence, way))
            continue;
        idle |= may_be_idle(evidence, way);
        fabric_list_add(evidence->out, evidence->fabric, &unproven, "links.unproven", way,
                        evidence->plan != NULL ? ethernet_why_unproven(evidence, way)
                                               : why_unproven(evidence, way));
    }
    if (links > 0)
        reading_measure(evidence->out, "links.proven", "", 100 * (double)evidence->proven.covered / links,
                        "%");
    fabric_tell(evidence->out, "links.unproven",
                links > 0 ? said_unproven(evidence, &unproven, idle) : REASON(no_link_to_prove), "none");
}

/* Links of a leaf to other switches; 0: no host of the step hangs on it. */
static size_t uplinks_of(const struct evidence *evidence, uint32_t number)
{
    const struct fabric_node *node = &evidence->fabric->nodes.items[number];
    size_t uplinks = 0;
    bool leaf = false;

    for (unsigned i = 1; i < node->port_count && node->kind == FABRIC_SWITCH; i++) {
        uint32_t way = node->ports[i];

        if (way == FABRIC_NONE || evidence->fabric->ports.items[way].far == FABRIC_NONE)
            continue;
        if (!fabric_is_host_link(evidence->fabric, way))
            uplinks++;
        else if (evidence->gaps[way] != FABRIC_UNTESTED)
            leaf = true;
    }
    return leaf ? uplinks : 0;
}

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

static int by_kind_and_value(const void *a, const void *b)
{
    const struct links_peer *one = a, *other = b;
    int order = one->kind != other->kind ? (one->kind > other->kind) - (one->kind < other->kind)
                                         : compare_numbers(one->value, other->value);

    return order != 0 ? order : (one->number > other->number) - (one->number < other->number);
}

void links_find_usual(struct links_peer *peers, size_t count)
{
    size_t begin, end, alike, most;

    if (count > 0)
        qsort(peers, count, sizeof *peers, by_kind_and_value);
    for (begin = 0; begin < count; begin = end) {
        double usual = 0;

        for (end = begin, alike = most = 0; end < count && peers[end].kind == peers[begin].kind; end++) {
            alike = end > begin && peers[end].value == peers[end - 1].value ? alike + 1 : 1;
            if (alike >= most) {
                most = alike;
                usual = peers[end].value;
            }
        }
        for (size_t i = begin; i < end; i++)
            peers[i].usual = usual;
    }
}

/* A link that is down is none that the sweep shows, or one that nobody declared: only its leaf has fewer. A remark, for a site may have
   built it so. */
static void remark_leaves(struct evidence *evidence)
{
    struct arena *arena = evidence->out->arena;
    const struct fabric_node *nodes = evidence->fabric->nodes.items;
    LIST_OF(struct links_peer) leaves = {0};
    struct fabric_list odd = {0};

    for (uint32_t i = 0; i < evidence->fabric->nodes.count; i++) {
        size_t uplinks = uplinks_of(evidence, i);

        if (uplinks > 0)
            *list_push(arena, &leaves) =
                (struct links_peer){.kind = nodes[i].device, .value = (double)uplinks, .number = i};
    }
    links_find_usual(leaves.items, leaves.count);
    for (size_t i = 0; i < leaves.count; i++) {
        const struct links_peer *leaf = &leaves.items[i];
        const char *name = nodes[leaf->number].name;
        size_t uplinks = (size_t)leaf->value, usual = (size_t)leaf->usual;

        if (uplinks < usual)
            fabric_list_name(arena, &odd, reason(arena, leaf_with_fewer_uplinks, name, uplinks, usual));
        else if (uplinks > usual)
            fabric_list_name(arena, &odd, reason(arena, leaf_with_more_uplinks, name, uplinks, usual));
    }
    if (evidence->plan != NULL)
        ethernet_remark_rates(evidence, &odd);
    fabric_tell(evidence->out, "links.uplinks", fabric_list_said(arena, &odd), "alike");
}

static void tell_agreement(struct evidence *evidence)
{
    struct arena *arena = evidence->out->arena;
    struct fabric_list differing = {0};

    for (uint32_t way = 0; way < evidence->fabric->ports.count; way++)
        if (evidence->differing[way])
            fabric_list_add(evidence->out, evidence->fabric, &differing, "links.agree", way,
                            reason(arena, text, fabric_link_name(evidence->fabric, way)));
    fabric_tell(evidence->out, "links.agree",
                differing.count > 0 ? reason(arena, counters_contradict, differing.count,
                                             fabric_list_said(evidence->out->arena, &differing))
                                    : NULL,
                "yes");
}

/* --- each host's own --- */

/* Of a link without a fault: why it is not known to be good; NULL: it is. */
static const struct reason *doubt_of(const struct evidence *evidence, uint32_t port, uint32_t link)
{
    uint32_t far = evidence->fabric->ports.items[port].far;
    struct arena *arena = evidence->out->arena;

    if (evidence->doubted[link])
        return REASON(one_of_several_suspected);
    if (!evidence->reached[port] || !evidence->reached[far])
        return REASON(no_flow_both_ways);
    if (evidence->plan != NULL && (evidence->differing[port] || evidence->differing[far]))
        return REASON(ends_count_differently);
    if (evidence->plan == NULL && evidence->differing_count > 0 &&
        !(evidence->fast[port] && evidence->fast[far]))
        return REASON(slow_by_other_ways);
    if (fabric_trained(evidence->fabric, evidence->peers, link) == FABRIC_TRAINED_UNLIKE)
        return reason(arena, trained_unlike,
                      arena_printf(arena, "%g", evidence->fabric->ports.items[link].gbits),
                      arena_printf(arena, "%g", evidence->peers[link]->gbits));
    if (!evidence->proven.told[port] || !evidence->proven.told[far])
        return REASON(errors_of_it_not_told);
    return links_is_proven(evidence, link) ? NULL : REASON(no_counter_proves_it);
}

/* NULL: its link is good, or *ret_unread says why nobody knows. */
static const struct reason *fault_of(const struct evidence *evidence, size_t i,
                                     const struct reason **ret_unread)
{
    uint32_t port = evidence->ports[i], link;
    struct arena *arena = evidence->out->arena;

    if (port == FABRIC_NONE) {
        *ret_unread = reason(arena, node_without_link, evidence->names[i]);
        return NULL;
    }
    link = fabric_link_of(evidence->fabric, port);
    if (evidence->host_slow[link] != NULL)
        return reason_also(arena, evidence->host_slow[link], evidence->host_faults[link]);
    if (evidence->host_faults[link] == NULL)
        *ret_unread = doubt_of(evidence, port, link);
    return evidence->host_faults[link];
}

static void tell_hosts(struct evidence *evidence)
{
    for (size_t i = 0; i < evidence->count; i++) {
        const struct reason *unread = NULL, *fault = fault_of(evidence, i, &unread);

        if (unread != NULL)
            reading_unread(evidence->out, "links.host", evidence->names[i], unread);
        else if (fault != NULL)
            reading_fact_said(evidence->out, "links.host", evidence->names[i], fault);
        else
            reading_fact(evidence->out, "links.host", evidence->names[i], slice_of("good"));
    }
}

/* What is told alike of both kinds. */
static void tell_links(struct evidence *evidence)
{
    tell_errors(evidence);
    tell_proof(evidence);
    remark_leaves(evidence);
    if (evidence->plan != NULL)
        ethernet_tell_agreement(evidence);
    else
        tell_agreement(evidence);
    tell_hosts(evidence);
}

void fabric_links_read(const struct check_context *context, const struct attempt *attempt, double seconds,
                       struct reading *out)
{
    struct evidence evidence = {.context = context, .out = out, .seconds = seconds};

    out->status = READING_COMPLETE;
    if (!read_files(&evidence, attempt))
        return;
    work_out(&evidence);
    tell_slow(&evidence);
    tell_links(&evidence);
}

void ethernet_links_read(const struct check_context *context, const struct attempt *attempt, double seconds,
                         struct reading *out)
{
    struct evidence evidence = {.context = context, .out = out, .seconds = seconds};
    struct fabric_list slow = {0}, unlike = {0};

    out->status = READING_COMPLETE;
    if (!ethernet_read_files(&evidence, attempt))
        return;
    ethernet_work_out(&evidence);
    take_rates(&evidence, &slow, &unlike);
    ethernet_tell_slow(&evidence);
    tell_links(&evidence);
}

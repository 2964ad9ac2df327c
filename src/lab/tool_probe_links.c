/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-links over the hosts of a lab, as mpirun starts it: what the program plans by the files of the lab's ibdiagnet,
 * with rates and counters as the lab's model has them, and without sending anything.
 */
#include <math.h>
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/scan.h"
#include "assay/fabric/flows.h"
#include "lab_private.h"

#define HEALTHY 0.97 /* of the rate, what RDMA reaches */

struct links_run {
    struct tool *tool;
    const struct lab_host *hosts;
    size_t host_count;
    struct fabric *fabric;
    struct fabric_question question;
    struct fabric_schedule *schedule;
    double seconds;
    double *sent, *received, *errors; /* of each port so far: words of 4 bytes, and symbols */
};

static int load(struct arena *arena, const char *path, struct slice *ret_text, struct error *err)
{
    cleanup_text struct text text = {0};

    text_init(&text, 256 << 20);
    if (file_read(path, &text, err) < 0)
        return -1;
    *ret_text = (struct slice){arena_strndup(arena, text.bytes, text.length), text.length};
    return 0;
}

static int load_fabric(struct links_run *run, struct error *err)
{
    struct arena *arena = run->tool->arena;
    const char *links = tool_option(run->tool, "--links", ""),
               *routes = tool_option(run->tool, "--routes", "");
    struct slice text;

    run->fabric = fabric_new(arena);
    if (load(arena, links, &text, err) < 0 || fabric_read_links(run->fabric, links, text, err) < 0 ||
        load(arena, routes, &text, err) < 0)
        return -1;
    return fabric_read_routes(run->fabric, routes, text, err);
}

/* --- who takes part --- */

/* "node3 mlx5_2": the host among those of the launch, and the adapter's number. */
static const struct lab_host *host_of(const struct links_run *run, uint32_t port, unsigned *ret_hca)
{
    struct slice rest = slice_of(fabric_port_name(run->fabric, port)), host;
    uint64_t hca;

    if (!scan_word(&rest, &host) || !scan_past(&rest, "mlx5_") || !scan_u64(rest, &hca) || hca >= LAB_HCAS)
        return NULL;
    *ret_hca = (unsigned)hca;
    for (size_t i = 0; i < run->host_count; i++)
        if (slice_equal(host, run->hosts[i].name))
            return &run->hosts[i];
    return NULL;
}

static int take_part(struct links_run *run, struct error *err)
{
    struct arena *arena = run->tool->arena;
    struct slice rest = slice_of(tool_option(run->tool, "--hcas", "")), hca;
    LIST_OF(const char *) names = {0};
    uint32_t *ports, *hosts;

    for (bool more = true; more;) {
        more = slice_part(rest, ",", &hca, &rest);
        if (!more)
            hca = rest;
        for (size_t i = 0; i < run->host_count; i++)
            *list_push(arena, &names) = arena_printf(arena, "%s %.*s", run->hosts[i].name, slice_print(hca));
    }
    ports = arena_array(arena, uint32_t, names.count);
    hosts = arena_array(arena, uint32_t, names.count);
    fabric_find_adapters(arena, run->fabric, names.items, names.count, ports);
    for (size_t i = 0; i < names.count; i++) {
        hosts[i] = (uint32_t)(i % run->host_count);
        if (ports[i] == FABRIC_NONE)
            return error_set(err, ERROR_USAGE,
                             "1 ranks are of no adapter, or of several, that the fabric calls so: %s",
                             names.items[i]);
    }
    run->question = (struct fabric_question){.ports = ports, .hosts = hosts, .count = names.count};
    return 0;
}

/* --- a flow --- */

/* The last uplink of the first rail's leaf of that host, by what the sweep calls it. */
static bool is_last_uplink(const struct links_run *run, const struct fault *fault, uint32_t way)
{
    const struct fabric_port *ports = run->fabric->ports.items;
    const char *name = arena_printf(run->tool->arena, ";l%ur0:", lab_unit(run->tool->lab, fault->host));
    const struct fabric_node *node = &run->fabric->nodes.items[ports[way].node];
    unsigned last = node->port_count;

    while (last > 0 && node->ports[last - 1] == FABRIC_NONE)
        last--;
    return strstr(node->name, name) != NULL && node->ports[last - 1] == way;
}

/* The fault of that kind that the way's link has; NULL. */
static const struct fault *fault_of_way(const struct links_run *run, enum fault_kind kind, uint32_t way)
{
    const struct lab *lab = run->tool->lab;

    for (size_t i = 0; i < lab->fault_count; i++)
        if (lab->faults[i].kind == kind &&
            (is_last_uplink(run, &lab->faults[i], way) ||
             is_last_uplink(run, &lab->faults[i], run->fabric->ports.items[way].far)))
            return &lab->faults[i];
    return NULL;
}

static double share_of(const struct links_run *run, const uint32_t *ways, unsigned count)
{
    double share = 1;

    for (unsigned i = 0; i < count; i++) {
        const struct fault *slow = fault_of_way(run, FAULT_UPLINK_SLOW, ways[i]);

        if (slow != NULL)
            share = fmin(share, 1 - slow->number / 100);
    }
    return share;
}

static double rate_of(const struct links_run *run, struct fabric_flow flow, const uint32_t *ways,
                      unsigned count)
{
    unsigned from_hca = 0, to_hca = 0;
    const struct lab_host *from = host_of(run, flow.from, &from_hca), *to = host_of(run, flow.to, &to_hca);
    double share = share_of(run, ways, count);

    if (from != NULL && to != NULL)
        share = fmin(share, fmin(from->rail[from_hca], to->rail[to_hca]));
    return run->tool->lab->profile->hca_rate * share * HEALTHY *
           (from != NULL ? 1 + lab_jitter(from, "links", flow.from * 7919 + flow.to) : 1);
}

/* Bits that an adapter's port receives wrong. */
static double errors_of(const struct links_run *run, uint32_t way, double words)
{
    const struct fault *uplink = fault_of_way(run, FAULT_UPLINK_ERRORS, way), *ber = NULL;
    unsigned hca = 0;
    uint32_t far = run->fabric->ports.items[way].far;
    const struct lab_host *host =
        run->fabric->nodes.items[run->fabric->ports.items[far].node].kind == FABRIC_ADAPTER
            ? host_of(run, far, &hca)
            : NULL;

    if (host != NULL)
        ber = fault_of_hca(host->lab, host->number, FAULT_LINK_BER, (int)hca);
    return (uplink != NULL ? floor(uplink->number) : 0) + (ber != NULL ? floor(ber->number * words * 32) : 0);
}

static void send(struct links_run *run, FILE *flows, struct fabric_flow flow)
{
    uint32_t ways[FABRIC_HOPS_MAX];
    unsigned count = fabric_route(run->fabric, flow.from, flow.to, ways);
    double gbits = rate_of(run, flow, ways, count), words = floor(gbits * 1e9 * run->seconds / 32);

    for (unsigned i = 0; i < count; i++) {
        uint32_t far = run->fabric->ports.items[ways[i]].far;

        run->sent[ways[i]] += words;
        run->received[far] += words;
        run->errors[far] += errors_of(run, ways[i], words);
    }
    fprintf(flows, "%s > %s: %.3f\n", fabric_port_name(run->fabric, flow.from),
            fabric_port_name(run->fabric, flow.to), gbits);
}

/* --- what it leaves behind --- */

static void write_counters(const struct links_run *run, FILE *file, size_t reading)
{
    fprintf(file, "# counters %zu\n", reading);
    for (size_t i = 0; i < run->fabric->ports.count; i++) {
        const struct fabric_port *port = &run->fabric->ports.items[i];
        const struct fabric_node *node = &run->fabric->nodes.items[port->node];

        fprintf(file, "%u %u %.0f %.0f %.0f\n", node->kind == FABRIC_SWITCH ? node->lid : port->lid,
                port->number, run->sent[i], run->received[i], run->errors[i]);
    }
}

static void run_rounds(struct links_run *run, FILE *flows, FILE *counters)
{
    const struct fabric_schedule *schedule = run->schedule;
    size_t at = 0;

    printf(
        "{\"assay_probe_links\": 1, \"program\": \"assay-probe-links %s\", \"ranks\": %zu, \"hosts\": %zu, "
        "\"links\": %zu, \"rounds\": %zu, \"flows\": %zu, \"seconds\": %g}\n",
        ASSAY_VERSION, run->question.count, run->host_count, schedule->links, schedule->ends.count,
        schedule->flows.count, run->seconds);
    write_counters(run, counters, 0);
    for (size_t round = 0; round < schedule->ends.count; round++) {
        size_t first = at;

        fprintf(flows, "# round %zu\n", round + 1);
        for (; at < schedule->ends.items[round]; at++)
            send(run, flows, schedule->flows.items[at]);
        write_counters(run, counters, round + 1);
        printf("{\"round\": %zu, \"flows\": %zu, \"counters\": \"fabric\"}\n", round + 1, at - first);
    }
    puts("{\"end\": \"ok\"}");
}

static int refuse(const struct error *err)
{
    fprintf(stderr, "assay-probe-links: %s\n", err->text);
    printf("{\"end\": \"unfit\", \"reason\": \"%s\"}\n", err->text);
    return 69;
}

int tool_probe_links_over(struct tool *tool, struct lab_host *hosts, size_t host_count, unsigned processes)
{
    struct links_run run = {.tool = tool, .hosts = hosts, .host_count = host_count};
    cleanup_file FILE *flows = fopen(tool_option(tool, "--flows", ""), "we");
    cleanup_file FILE *counters = fopen(tool_option(tool, "--counters", ""), "we");
    struct error err = {0};
    uint64_t rounds;

    (void)processes;
    if (flows == NULL || counters == NULL ||
        !scan_double(slice_of(tool_option(tool, "--seconds", "")), &run.seconds) ||
        !scan_u64(slice_of(tool_option(tool, "--rounds", "")), &rounds))
        return 64;
    if (load_fabric(&run, &err) < 0 || take_part(&run, &err) < 0)
        return refuse(&err);
    run.question.rounds_most = (unsigned)rounds;
    run.schedule = fabric_plan(tool->arena, run.fabric, &run.question);
    run.sent = arena_array(tool->arena, double, run.fabric->ports.count);
    run.received = arena_array(tool->arena, double, run.fabric->ports.count);
    run.errors = arena_array(tool->arena, double, run.fabric->ports.count);
    run_rounds(&run, flows, counters);
    return 0;
}

/* By itself it is one rank of one host. */
int tool_probe_links(struct tool *tool)
{
    if (tool->argc == 2 && strcmp(tool->argv[1], "--help") == 0) {
        puts(
            "usage: mpirun ... assay-probe-links --links FILE --routes FILE --flows FILE --counters FILE --hcas LIST");
        return 0;
    }
    fprintf(stderr, "assay-probe-links: expected to be started by mpirun on two hosts or more\n");
    return 69;
}

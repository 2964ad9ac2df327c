/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-links over the hosts of a lab, as mpirun starts it: what the program plans by the files of the lab's ibdiagnet,
 * with rates and counters as the lab's model has them, and without sending anything. On Ethernet it plans by the cables, dice are the
 * hash of the switches, and what these count lies in the lab's folder for the site's program to print.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/scan.h"
#include "assay/fabric/ecmp.h"
#include "assay/fabric/ethernet.h"
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
    unsigned streams; /* of a flow of Ethernet; 0: InfiniBand */
    struct fabric_ecmp *ecmp;
    uint64_t dice;
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

static int load_cables(struct links_run *run, const char *cables, struct error *err)
{
    struct arena *arena = run->tool->arena;
    struct fabric_cabling *cabling = fabric_cabling_new(arena);
    const struct fabric_cabling_options all = {.host_gbits = 0};
    struct fabric_remarks remarks;
    struct slice text;
    uint64_t streams;

    run->fabric = fabric_new(arena);
    if (!scan_u64(slice_of(tool_option(run->tool, "--streams", "")), &streams) || streams == 0)
        return error_set(err, ERROR_USAGE, "expected --streams");
    run->streams = (unsigned)streams;
    if (load(arena, cables, &text, err) < 0 || fabric_cabling_read_plan(cabling, cables, text, err) < 0)
        return -1;
    return fabric_cabling_build(cabling, &all, run->fabric, &remarks, err);
}

static int load_fabric(struct links_run *run, struct error *err)
{
    const char *cables = tool_option(run->tool, "--cables", "");
    struct arena *arena = run->tool->arena;
    const char *links = tool_option(run->tool, "--links", ""),
               *routes = tool_option(run->tool, "--routes", "");
    struct slice text;

    if (*cables != '\0')
        return load_cables(run, cables, err);
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

/* The port of that uplink, as a switch of Ethernet calls it. */
static const char *last_port(const struct links_run *run, const struct fault *fault)
{
    const struct fabric *fabric = lab_grow(run->tool->arena, run->tool->lab);

    return arena_printf(run->tool->arena, "swp%u",
                        fabric->ports.items[lab_last_uplink(run->tool->lab, fabric, fault->host)].number);
}

/* The last uplink of the first rail's leaf of that host, by what the sweep calls it. */
static bool is_last_uplink(const struct links_run *run, const struct fault *fault, uint32_t way)
{
    const struct fabric_port *ports = run->fabric->ports.items;
    const char *name = arena_printf(
        run->tool->arena, run->streams > 0 ? "l%ur0" : ";l%ur0:", lab_unit(run->tool->lab, fault->host));
    const struct fabric_node *node = &run->fabric->nodes.items[ports[way].node];
    unsigned last = node->port_count;

    if (run->streams > 0)
        return strcmp(node->name, name) == 0 && strcmp(ports[way].name, last_port(run, fault)) == 0;
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

/* --- a round on Ethernet --- */

struct stream {
    uint32_t ways[FABRIC_HOPS_MAX];
    unsigned hops;
    double gbits; /* that it wants, and then what it has */
};

static uint64_t draw(void *context)
{
    uint64_t *dice = context, value = *dice += 0x9e3779b97f4a7c15u;

    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

/* What of its rate the way can carry. */
static double able(const struct links_run *run, uint32_t way)
{
    const struct fault *slow = fault_of_way(run, FAULT_UPLINK_SLOW, way);
    unsigned hca = 0;
    const struct fabric_node *node = &run->fabric->nodes.items[run->fabric->ports.items[way].node];
    const struct lab_host *host =
        host_of(run, node->kind == FABRIC_ADAPTER ? way : run->fabric->ports.items[way].far, &hca);

    return (slow != NULL ? 1 - slow->number / 100 : 1) *
           (host != NULL
                ? fmin(1, host->rail[hca] * host->profile->hca_rate / run->fabric->ports.items[way].gbits)
                : 1);
}

/* Streams that meet on a way share it evenly, and are as slow on all others. */
static void share_ways(const struct links_run *run, struct stream *streams, size_t count)
{
    size_t ways = run->fabric->ports.count;
    double *wanted = arena_array(run->tool->arena, double, ways);

    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < streams[i].hops; k++)
            wanted[streams[i].ways[k]] += streams[i].gbits;
    for (size_t way = 0; way < ways; way++)
        if (wanted[way] > 0)
            wanted[way] =
                fmin(1, able(run, (uint32_t)way) * run->fabric->ports.items[way].gbits / wanted[way]);
    for (size_t i = 0; i < count; i++) {
        double share = HEALTHY;

        for (unsigned k = 0; k < streams[i].hops; k++)
            share = fmin(share, HEALTHY * wanted[streams[i].ways[k]]);
        streams[i].gbits *= share;
    }
}

static double count_stream(struct links_run *run, const struct stream *stream)
{
    double words = floor(stream->gbits * 1e9 * run->seconds / 32);

    for (unsigned k = 0; k < stream->hops; k++) {
        run->sent[stream->ways[k]] += words;
        run->received[run->fabric->ports.items[stream->ways[k]].far] += words;
    }
    return stream->hops > 0 ? stream->gbits : 0;
}

static void send_all(struct links_run *run, FILE *flows, const struct fabric_flow *first, size_t count)
{
    struct stream *streams = arena_array(run->tool->arena, struct stream, count * run->streams);
    const struct fabric_port *ports = run->fabric->ports.items;

    for (size_t i = 0; i < count * run->streams; i++) {
        const struct fabric_flow *flow = &first[i / run->streams];

        streams[i].hops = fabric_ecmp_route(run->ecmp, *flow, draw, &run->dice, streams[i].ways);
        streams[i].gbits = fmin(ports[flow->from].gbits, ports[flow->to].gbits) / run->streams;
    }
    share_ways(run, streams, count * run->streams);
    for (size_t i = 0; i < count; i++) {
        double gbits = 0;

        for (unsigned k = 0; k < run->streams; k++)
            gbits += count_stream(run, &streams[i * run->streams + k]);
        fprintf(flows, "%s > %s: %.3f\n", fabric_port_name(run->fabric, first[i].from),
                fabric_port_name(run->fabric, first[i].to), gbits);
    }
    for (uint32_t way = 0; way < run->fabric->ports.count; way++)
        if (ports[way].far != FABRIC_NONE)
            run->errors[ports[way].far] += errors_of(run, way, run->sent[way]);
}

/* A link that is not active carries nothing, and switches know. */
static void rest_idle_links(struct links_run *run)
{
    for (uint32_t way = 0; way < run->fabric->ports.count; way++)
        if (fault_of_way(run, FAULT_UPLINK_IDLE, way) != NULL)
            run->fabric->ports.items[way].inactive = true;
    run->ecmp = fabric_ecmp_new(run->tool->arena, run->fabric, &run->question);
}

static void write_octets(const struct links_run *run, FILE *file, enum fabric_kind kind)
{
    for (uint32_t i = 0; i < run->fabric->ports.count; i++) {
        const struct fabric_node *node = &run->fabric->nodes.items[run->fabric->ports.items[i].node];
        struct slice rest = slice_of(node->name), name;

        if (node->kind == kind && scan_word(&rest, &name))
            fprintf(file, "%.*s,%s,%.0f,%.0f,%.0f\n", slice_print(name), run->fabric->ports.items[i].name,
                    4 * run->sent[i], 4 * run->received[i], run->errors[i]);
    }
}

/* Of switches what the site's program prints. Whether it did. */
static bool write_readings(const struct links_run *run, FILE *file, size_t reading)
{
    struct arena *arena = run->tool->arena;
    const char *ask = tool_option(run->tool, "--ask", "");
    FILE *switches =
        fopen(arena_printf(arena, "%s/" LAB_SWITCH_COUNTERS ".csv", run->tool->lab->directory), "we");
    bool told = false;

    if (switches != NULL) {
        write_octets(run, switches, FABRIC_SWITCH);
        fclose(switches);
    }
    fprintf(file, "# counters %zu\n", reading);
    if (fflush(file) == 0 && *ask != '\0')
        told = system(arena_printf(arena, "(%s) >>'%s' </dev/null", ask,
                                   tool_option(run->tool, "--counters", ""))) == 0;
    fseek(file, 0, SEEK_END);
    write_octets(run, file, FABRIC_ADAPTER);
    return told;
}

/* --- what it leaves behind --- */

/* Whether all ports told theirs. */
static bool write_counters(const struct links_run *run, FILE *file, size_t reading)
{
    if (run->streams > 0)
        return write_readings(run, file, reading);
    fprintf(file, "# counters %zu\n", reading);
    for (size_t i = 0; i < run->fabric->ports.count; i++) {
        const struct fabric_port *port = &run->fabric->ports.items[i];
        const struct fabric_node *node = &run->fabric->nodes.items[port->node];

        fprintf(file, "%u %u %.0f %.0f %.0f\n", node->kind == FABRIC_SWITCH ? node->lid : port->lid,
                port->number, run->sent[i], run->received[i], run->errors[i]);
    }
    return true;
}

static void run_rounds(struct links_run *run, FILE *flows, FILE *counters)
{
    const struct fabric_schedule *schedule = run->schedule;
    size_t at = 0;
    bool told;

    printf(
        "{\"assay_probe_links\": 1, \"program\": \"assay-probe-links %s\", \"ranks\": %zu, \"hosts\": %zu, "
        "\"links\": %zu, \"rounds\": %zu, \"flows\": %zu, \"seconds\": %g}\n",
        ASSAY_VERSION, run->question.count, run->host_count, schedule->links, schedule->ends.count,
        schedule->flows.count, run->seconds);
    told = write_counters(run, counters, 0);
    for (size_t round = 0; round < schedule->ends.count; round++) {
        size_t first = at;

        fprintf(flows, "# round %zu\n", round + 1);
        if (run->streams > 0)
            send_all(run, flows, &schedule->flows.items[at], schedule->ends.items[round] - at);
        for (; at < schedule->ends.items[round]; at++)
            if (run->streams == 0)
                send(run, flows, schedule->flows.items[at]);
        told &= write_counters(run, counters, round + 1);
        printf("{\"round\": %zu, \"flows\": %zu, \"counters\": \"%s\"}\n", round + 1, at - first,
               told ? "fabric" : "hosts");
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
    struct links_run run = {.tool = tool, .hosts = hosts, .host_count = host_count, .dice = tool->lab->seed};
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
    run.schedule = run.streams > 0
                       ? fabric_ecmp_plan(tool->arena, run.fabric, &run.question, run.streams)->schedule
                       : fabric_plan(tool->arena, run.fabric, &run.question);
    if (run.streams > 0)
        rest_idle_links(&run);
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

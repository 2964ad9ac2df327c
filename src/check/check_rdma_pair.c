/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ib_write_bw or ib_send_bw between two hosts, for each compute HCA to its like: over both cables of the rail and
 * the switches between, first from the first host to the second ("way=there"), then "back". The launcher starts the
 * server on the one host and the client on the other, each by the host's name, so that no order of ranks can make a
 * host talk to itself; each goes through all HCAs by itself.
 *
 * With "latency" it is ib_write_lat or ib_send_lat: the time of a message of a few bytes, in which a path through too
 * many switches, a link that corrects errors all the time, or a processor that sleeps shows, and no bandwidth does.
 *
 * In both directions at once what is measured is their sum: another metric, so that no limit of one direction speaks of
 * it.
 */
#include <math.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

#include "launcher.h"
#include "rdma.h"
#include "rules.h"
#include "script.h"

enum {
    SCRIPT_BYTES = 32 * 1024,
    WAY_PORTS = 100, /* between the ports of both ways */
    SERVER_S = 30,   /* a server whose client cannot come is ended after so long, */
    CLIENT_S = 40,   /* and a client looks for its server for longer than that */
    LATENCY_BYTES = 2,
};

static bool is_gpudirect(const struct check_context *context)
{
    return check_flag(context, "gpudirect");
}

static bool is_bidirectional(const struct check_context *context)
{
    return check_flag(context, "bidirectional");
}

static bool is_latency(const struct check_context *context)
{
    return check_flag(context, "latency");
}

/* Of one message: as large as links are full, or so small that nothing but the way counts. */
static double message_size(const struct check_context *context)
{
    return is_latency(context) && json_get(context->step->arguments, "size") == NULL
               ? LATENCY_BYTES
               : check_number(context, "size");
}

static const char *tool_name(const struct check_context *context)
{
    return arena_printf(context->arena, "ib_%s_%s", check_text(context, "operation"),
                        is_latency(context) ? "lat" : "bw");
}

/* Patterns such as rdma.*.gpudirect.bandwidth are of one direction. */
static const char *metric(const struct check_context *context)
{
    if (is_latency(context))
        return arena_printf(context->arena, "rdma.%s.latency.typical", check_text(context, "operation"));
    return arena_printf(context->arena, "rdma.%s.%s%sbandwidth", check_text(context, "operation"),
                        is_gpudirect(context) ? "gpudirect." : "",
                        is_bidirectional(context) ? "bidirectional." : "");
}

static double scaled(const struct check_context *context, double seconds, double least)
{
    return fmax(seconds / context->timescale, least);
}

/* What both sides are told. under: words before the tool, or "". */
static void put_runs(const struct check_context *context, size_t way, const char *under, struct text *out)
{
    script_set_hcas(context, out);
    rdma_put_run(context, RDMA_FIRST_PORT + (unsigned)way * WAY_PORTS, message_size(context),
                 is_latency(context)         ? ""
                 : is_bidirectional(context) ? " --report_gbits -b"
                                             : " --report_gbits",
                 out);
    script_set(out, "gpudirect", is_gpudirect(context) ? "yes" : "");
    script_tool_under(context, out, "ib_bw", tool_name(context), under);
}

static void put_server(const struct check_context *context, size_t way, struct text *out)
{
    put_runs(context, way,
             arena_printf(context->arena, "timeout -k 5 %.0f", ceil(scaled(context, SERVER_S, 4))), out);
    text_put(out, script_rdma_server);
}

static void put_client(const struct check_context *context, size_t way, const char *server, struct text *out)
{
    put_runs(context, way, "", out);
    script_set(out, "server", server);
    script_set_number(out, "client_s", ceil(scaled(context, CLIENT_S, 6)), 0);
    script_set_number(out, "pause_s", scaled(context, 0.5, 0.1), 1);
    text_put(out, script_rdma_client);
}

static void put_side(const struct check_context *context, size_t member, const char *script, struct text *out)
{
    cleanup_text struct text name = {0};
    struct launch launch = {.ranks_per_host = 1, .count = "1"};

    text_init(&name, 1024);
    text_shell_quote(&name, launcher_name(context, member));
    launch.hosts = name.bytes;
    launcher_put(context, &launch, out);
    text_put(out, "sh -c");
    script_word(out, script);
}

/* from: the member that sends. */
static void put_way(const struct check_context *context, size_t from, struct text *out)
{
    cleanup_text struct text server = {0}, client = {0};
    size_t to = 1 - from;

    text_init(&server, SCRIPT_BYTES);
    text_init(&client, SCRIPT_BYTES);
    put_server(context, from, &server);
    put_client(context, from, context->members[to]->mpi_address, &client);
    script_begin(out, arena_printf(context->arena, "%s of each HCA", tool_name(context)));
    launcher_begin(context, out);
    text_put(out, "\nreceive() { exec ");
    put_side(context, to, server.bytes, out);
    text_put(out, "; }\nsend() { ");
    put_side(context, from, client.bytes, out);
    text_put(out, "; }\n");
    text_put(out, script_rdma_pair);
}

static void put_there(const struct check_context *context, struct text *out)
{
    put_way(context, 0, out);
}

static void put_back(const struct check_context *context, struct text *out)
{
    put_way(context, 1, out);
}

static const struct part_row parts[] = {
    {"there", "perftest", put_there, NULL}, {"back", "perftest", put_back, NULL}, {0}};

static const char *subject_of(const struct check_context *context, size_t hca)
{
    return check_hca(context, hca);
}

static void read_ways(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    out->status = READING_COMPLETE;
    for (size_t i = 0; parts[i].name != NULL; i++) {
        const struct rdma_names names = {subject_of, metric(context), parts[i].name,
                                         is_bidirectional(context)};

        rdma_read_part(context, attempt_part(attempt, parts[i].name), &names, out);
    }
}

/* What healthy fabrics stay below: InfiniBand, Ethernet, and racks of NVL72 over Ethernet. */
static const struct limit *most_latency(const struct check_context *context)
{
    const char *fabric = context->members[0]->fabric;
    bool rack = context->platform->nvlink_domain_hosts > 0;
    bool ethernet = fabric != NULL && strcmp(fabric, "ethernet") == 0;

    return rules_new(context,
                     LIMITS RULES(.metric = metric(context), .rule = RULE_CEILING,
                                  .value = rack       ? 9
                                           : ethernet ? 5
                                                      : 2.5,
                                  .unit = "us",
                                  .source = rack       ? "oracle-quickstart/oci-hpc: 9 us of GB200 and GB300"
                                            : ethernet ? "oracle-quickstart/oci-hpc: 5 us over RoCE"
                                                       : "Mellanox/ngc_multinode_perf: 2.5 us",
                                  .status = LIMIT_VENDOR));
}

static const struct limit *least_bandwidth(const struct check_context *context)
{
    if (is_bidirectional(context) || is_gpudirect(context))
        return rdma_share_of_rate(context, metric(context), is_bidirectional(context) ? 2 : 1);
    return rdma_shares_of_path(context, metric(context));
}

static void slots_of_ways(const struct check_context *context, struct slot_list *slots)
{
    const struct limit *rules = is_latency(context) ? most_latency(context) : least_bandwidth(context);

    for (size_t way = 0; parts[way].name != NULL; way++)
        for (size_t i = 0; check_hca(context, i) != NULL; i++)
            slot_add(context, slots, metric(context), check_hca(context, i),
                     arena_printf(context->arena, "way=%s%s size_bytes=%.0f", parts[way].name,
                                  is_latency(context) ? "" : " stat=average", message_size(context)),
                     DUTY_GATE, rules);
}

static const char *arguments_fault(const struct check_context *context)
{
    const char *operation = check_text(context, "operation");

    if (strcmp(operation, "write") != 0 && strcmp(operation, "send") != 0)
        return "operation is neither write nor send";
    if (is_latency(context) && (is_bidirectional(context) || is_gpudirect(context)))
        return "latency goes one way, from the memory of the host: without bidirectional and gpudirect";
    return check_hcas_fault(context);
}

/* Which GPU goes with which HCA follows from their order, where there are as many. */
static int host_valid(const struct check_context *context, const char *hostfile, struct error *err)
{
    const struct host *host = context->members[0];

    if (!is_gpudirect(context) || rdma_hca_count(context) == context->platform->gpu_count)
        return 0;
    return error_set(
        err, ERROR_USAGE,
        "%s:%u:%u: host '%s' is a %s with %u GPUs, and step '%s' has %u HCAs; expected as many, in "
        "the order in which they belong together, for gpudirect",
        hostfile, host->line, host->column, host->name, context->platform->name, context->platform->gpu_count,
        context->step->name, rdma_hca_count(context));
}

static unsigned expected_s(const struct check_context *context)
{
    return 40 + 10 * rdma_hca_count(context);
}

const struct check check_rdma_pair = {
    .name = "rdma-pair",
    .title = "RDMA between hosts",
    .summary =
        "bandwidth or latency of RDMA between two hosts over each rail, both ways, from host or GPU memory",
    .on = ON_HCAS,
    .scopes = SCOPE_PAIR,
    .exclusive = EXCLUSIVE_HOST,
    .window = true,
    .loads = LOAD_PORTS,
    .slight = is_latency,
    .arguments = ARGUMENTS(
        HCAS_ARGUMENT_ROW, {"operation", ARGUMENT_TEXT, "write", "write or send: ib_write_bw, ib_send_bw"},
        {"latency", ARGUMENT_FLAG, NULL,
         "the time of a message of 2 bytes instead: ib_write_lat, ib_send_lat"},
        {"bidirectional", ARGUMENT_FLAG, NULL,
         "both hosts send at once (-b): the sum of both directions, as a metric of its own"},
        {"gpudirect", ARGUMENT_FLAG, NULL,
         "from and to the memory of the GPU that goes with the HCA (--use_cuda)"},
        {"size", ARGUMENT_SIZE, "1M", "of one message"},
        {"iterations", ARGUMENT_COUNT, "20000", "messages of one run; short runs show too little",
         MORE_IS_MORE}),
    .arguments_fault = arguments_fault,
    .host_valid = host_valid,
    .parts = parts,
    .remedies = REMEDIES({"rdma.*.latency.*", REASON(look_for_what_adds_latency)},
                         {"rdma.*", REASON(look_at_both_ends_of_the_rail)},
                         {"sound", REASON(is_perftest_on_both_hosts)}),
    .more_slots = slots_of_ways,
    .plain = PLAIN_WORDS(
        {"rdma.write.latency*", PLAIN(rdma_takes_long, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)},
        {"rdma.*", PLAIN(rdma_runs_slowly, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)}),
    .expected = expected_s,
    .read = read_ways,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every link of an InfiniBand fabric, loaded and proven. The first host of the step sweeps the fabric by ibdiagnet, and starts
 * assay-probe-links with a rank for each adapter of each host. That plans rounds of flows by the links and tables of the sweep,
 * so that every link carries at least half of its rate once and each can be told from the others, runs the flows of a round at
 * once, and reads the counters of all ports between rounds (perfquery). Files come back as they are, and what they say is
 * worked out here: family/fabric_links.h, docs/guide/links.md.
 *
 * Ranks send by UCX over their own adapter alone, from memory of the host. Needs root on the head: /dev/infiniband/umad*.
 *
 * The check ethernet-links does the same on Ethernet: links are those that the hosts' lldpd tells, and those of a plan; flows are runs of
 * ib_write_bw, and MPI goes over TCP; counters are the hosts' own, and those that a command of the site prints of the switches.
 */
#include <math.h>

#include "assay/reasons/check.h"

#include "fabric_links.h"
#include "launcher.h"
#include "part_file.h"
#include "rules.h"
#include "script.h"

static const char program[] = "assay-probe-links";
enum {
    LOGIN_S = 40, /* of one login and what is asked there */
    LOGIN_LEAST_S = 15,
    LOGINS_AT_ONCE = 32,
    STREAMS_LEAST = 4,
    STREAMS_MOST = 65535,
};

static size_t hca_count(const struct check_context *context)
{
    size_t count = 0;

    while (check_hca(context, count) != NULL)
        count++;
    return count;
}

/* Of a round; both the program and the judgement go by it. */
static double seconds_of(const struct check_context *context)
{
    return fmax(check_number(context, "seconds") / context->timescale, 0.1);
}

/* --- the commands --- */

/* By the first adapter alone: all are of one fabric, or the program refuses those that it does not find. */
static void sweep(const struct check_context *context, struct text *out)
{
    script_begin(out, "ibdiagnet -i HCA -p 1 --skip pm");
    text_put(out, "set --");
    script_word(out, check_hca(context, 0));
    text_put(out, "\n");
    script_tool(context, out, "ibdiagnet", "ibdiagnet");
    text_put(out, script_cabling_fabric_sweep);
}

/* A script of its own, since the program starts it between rounds. */
static void put_questions(const struct check_context *context, struct text *out)
{
    text_put(out, "cat >\"$ASSAY_DIR/ask\" <<'END-OF-QUESTIONS'\n");
    script_set(out, "hca", check_hca(context, 0));
    script_set(out, "perfquery", check_tool(context, "perfquery")->path);
    text_put(out, script_fabric_links_counters);
    text_put(out, "END-OF-QUESTIONS\n");
}

static void put_file(const struct check_context *context, const char *option, const char *name,
                     struct text *out)
{
    text_printf(out, " --%s \"$ASSAY_DIR\"/", option);
    text_shell_quote(out, check_hca(context, 0));
    text_printf(out, "/%s", name);
}

static void put_hcas(const struct check_context *context, struct text *out)
{
    const char *list = check_hca(context, 0), *hca;

    for (size_t i = 1; (hca = check_hca(context, i)) != NULL; i++)
        list = arena_printf(context->arena, "%s,%s", list, hca);
    text_put(out, " --hcas");
    script_word(out, list);
}

/* What both kinds of fabric are told alike. */
static void put_run(const struct check_context *context, struct text *out)
{
    text_put(out, " --flows \"$ASSAY_DIR/flows\" --counters \"$ASSAY_DIR/counters\"");
    put_hcas(context, out);
    text_printf(out, " --seconds %.3f --size %.0f --rounds %.0f", seconds_of(context),
                check_number(context, "size"), check_number(context, "rounds"));
    command_probe_deadline(out);
}

static void run_flows(const struct check_context *context, struct text *out)
{
    static const struct suite_variable variables[] = {{"OMPI_MCA_pml", "ucx"}};
    const struct launch launch = {.ranks_per_host = (unsigned)hca_count(context),
                                  .variables = variables,
                                  .variable_count = ARRAY_SIZE(variables)};

    script_begin(out, "assay-probe-links over all adapters of all hosts");
    put_questions(context, out);
    launcher_tool(context, &launch, program, out);
    put_file(context, "links", "ibdiagnet2.lst", out);
    put_file(context, "routes", "ibdiagnet2.fdbs", out);
    text_put(out, " --ask \"sh '$ASSAY_DIR/ask'\"");
    put_run(context, out);
}

/* --- the commands on Ethernet --- */

/* Of the step, else of the hostfile; NULL: nobody says it. */
static const char *said_of(const struct check_context *context, const char *argument, const char *of_host)
{
    const char *text = check_text(context, argument);

    return text != NULL && *text != '\0' ? text : of_host;
}

/* Asked within a function that has no stdin, for the questions themselves come by that. */
static void put_ethernet_questions(const struct check_context *context, struct text *out)
{
    text_put(out, "cat >\"$ASSAY_DIR/ask\" <<'END-OF-QUESTIONS'\n");
    text_put(out, "ask() {\n");
    put_environment(context, out);
    script_set(out, "lldpctl", check_tool(context, "lldpctl")->path);
    text_put(out, script_ethernet_cables_ask);
    text_put(out, "}\nask \"$1\"");
    for (size_t i = 0; check_hca(context, i) != NULL; i++)
        script_word(out, check_hca(context, i));
    text_put(out, " </dev/null\nEND-OF-QUESTIONS\n");
}

static void ask_cables(const struct check_context *context, struct text *out)
{
    script_begin(out, "lldpctl -f keyvalue on each host, and the plan of the cables");
    put_ethernet_questions(context, out);
    launcher_put_log_in(context, fmax(LOGIN_S / context->timescale, LOGIN_LEAST_S), out);
    script_set(out, "uplinks", said_of(context, "uplinks", context->members[0]->uplinks));
    script_set_number(out, "logins_at_once", LOGINS_AT_ONCE, 0);
    text_put(out, script_ethernet_cables);
}

static void put_option(struct text *out, const char *option, const char *value)
{
    text_printf(out, " --%s", option);
    script_word(out, value);
}

static void run_ethernet_flows(const struct check_context *context, struct text *out)
{
    static const struct suite_variable variables[] = {{"OMPI_MCA_pml", "ob1"}, {"OMPI_MCA_btl", "tcp,self"}};
    const struct launch launch = {.ranks_per_host = (unsigned)hca_count(context),
                                  .variables = variables,
                                  .variable_count = ARRAY_SIZE(variables)};
    const char *counters = said_of(context, "switch_counters", context->members[0]->switch_counters);
    const char *flags = check_text(context, "flags");

    script_begin(out, "assay-probe-links over all adapters of all hosts");
    launcher_tool(context, &launch, program, out);
    text_put(out, " --cables \"$ASSAY_DIR/cables\"");
    put_option(out, "flow",
               arena_printf(context->arena, "%s %s", check_tool(context, "ib_write_bw")->path,
                            flags != NULL ? flags : ""));
    text_printf(out, " --streams %.0f", check_number(context, "streams"));
    if (counters != NULL)
        put_option(out, "ask", counters);
    put_run(context, out);
}

/* --- what is owed --- */

#define METHOD "assay: docs/guide/links.md"

static const struct limit host_rules[] = RULES_EQUAL("links.host", "good", METHOD);
static const struct limit slow_rules[] = RULES_EQUAL("links.slow", "none", METHOD);
static const struct limit errors_rules[] =
    RULES_EQUAL("links.errors", "none",
                "NVIDIA, InfiniBand Cluster Bring-up Procedure: 1e-14 after correction is an error");
static const struct limit ethernet_errors_rules[] =
    RULES_EQUAL("links.errors", "none", "IEEE 802.3bs: 1e-13 and better at the MAC");
static const struct limit unproven_rules[] =
    RULES_EQUAL("links.unproven", "none", METHOD, .inconclusive = true);
static const struct limit agree_rules[] = RULES_EQUAL("links.agree", "yes", METHOD, .inconclusive = true);
static const struct limit unexplained_rules[] =
    RULES_EQUAL("links.unexplained", "none", METHOD, .inconclusive = true);
static const struct limit typical_rules[] =
    RULES(.metric = "links.typical", .rule = RULE_FLOOR, .value = 90, .unit = "%", .status = LIMIT_TOOL,
          .inconclusive = true, .source = METHOD);

static const struct limit uplinks_rules[] = RULES_EQUAL("links.uplinks", "alike", METHOD);

/* By what reading the counters of a large fabric takes: 16 ports in 10 ms or so. */
static unsigned expected_s(const struct check_context *context)
{
    double adapters = (double)(hca_count(context) * context->member_count);
    double round = check_number(context, "seconds") + 5 + 0.01 * adapters;

    return 120 + (unsigned)context->member_count + (unsigned)(check_number(context, "rounds") * round);
}

static void read_ethernet(const struct check_context *context, const struct attempt *attempt,
                          struct reading *out)
{
    ethernet_links_read(context, attempt, seconds_of(context), out);
}

/* The program takes no fewer, for what to expect of them is not known well enough. */
static const char *ethernet_fault(const struct check_context *context)
{
    double streams = check_number(context, "streams");

    if (streams < STREAMS_LEAST || streams > STREAMS_MOST)
        return "streams is not from 4 to 65535";
    return check_hcas_fault(context);
}

static void read_links(const struct check_context *context, const struct attempt *attempt,
                       struct reading *out)
{
    fabric_links_read(context, attempt, seconds_of(context), out);
}

const struct check check_fabric_links = {
    .name = "fabric-links",
    .title = "Every link of the fabric",
    .summary =
        "flows over every link of an InfiniBand fabric, all of a round at once; counters prove what each carried, and the "
        "slow one is named",
    .on = ON_HCAS,
    .scopes = SCOPE_PAIR | SCOPE_GROUP | SCOPE_CLUSTER,
    .exclusive = EXCLUSIVE_FABRIC,
    .window = true,
    .loads = LOAD_PORTS,
    .as_root = true,
    .own_names = true,
    .arguments =
        ARGUMENTS(HCAS_ARGUMENT_ROW,
                  {"seconds", ARGUMENT_COUNT, "50", "how long the flows of a round run", MORE_IS_MORE},
                  {"rounds", ARGUMENT_COUNT, "32",
                   "at most so many; fewer where fewer cover all links and tell them apart", MORE_IS_MORE},
                  {"size", ARGUMENT_SIZE, "1M", "of a message"}),
    .arguments_fault = check_hcas_fault,
    .parts = PARTS(
        {"sweep", "ibdiagnet", sweep, NULL},
        {.name = "links", .script = "cat \"$ASSAY_DIR\"/*/ibdiagnet2.lst", .typed = "cat ibdiagnet2.lst"},
        {.name = "routes", .script = script_fabric_links_routes, .typed = "cat ibdiagnet2.fdbs"},
        {"main", "assay-probe-links", run_flows, NULL},
        {.name = "flows", .script = "cat \"$ASSAY_DIR/flows\"", .typed = "cat flows"},
        {.name = "counters", .script = "cat \"$ASSAY_DIR/counters\"", .typed = "cat counters"}),
    .items = ITEMS({"links.host", PER_MEMBER_HCA, NULL, DUTY_GATE, host_rules},
                   {"links.slow", PER_TARGET, NULL, DUTY_GATE, slow_rules},
                   {"links.errors", PER_TARGET, NULL, DUTY_GATE, errors_rules},
                   {"links.unproven", PER_TARGET, NULL, DUTY_GATE, unproven_rules},
                   {"links.agree", PER_TARGET, NULL, DUTY_GATE, agree_rules},
                   {"links.unexplained", PER_TARGET, NULL, DUTY_GATE, unexplained_rules},
                   {"links.typical", PER_TARGET, NULL, DUTY_GATE, typical_rules},
                   {"links.uplinks", PER_TARGET, NULL, DUTY_RECORD, uplinks_rules},
                   {"links.proven", PER_TARGET, NULL, DUTY_RECORD, NULL},
                   {"links.links", PER_TARGET, NULL, DUTY_RECORD, NULL},
                   {"links.rounds", PER_TARGET, NULL, DUTY_RECORD, NULL}),
    .remedies = REMEDIES(
        {"links.host", REASON(look_at_host_link)}, {"links.slow", REASON(look_at_slow_links)},
        {"links.errors", REASON(look_at_slow_links)}, {"links.unproven", REASON(let_links_be_proven)},
        {"links.agree", REASON(fix_routes_for_links)}, {"links.typical", REASON(find_why_all_are_slow)},
        {"links.unexplained", REASON(repeat_links)}, {"sound", REASON(see_links_program_starts)}),
    .expected = expected_s,
    .read = read_links,
    .hosts_file = launcher_hosts_file,
};

const struct check check_ethernet_links = {
    .name = "ethernet-links",
    .title = "Every link of the fabric, on Ethernet",
    .summary =
        "flows over every link of Ethernet with ECMP, all of a round at once; counters of hosts and switches prove what each "
        "carried, and what carried less than its siblings is named",
    .on = ON_HCAS,
    .scopes = SCOPE_PAIR | SCOPE_GROUP | SCOPE_CLUSTER,
    .exclusive = EXCLUSIVE_FABRIC,
    .window = true,
    .loads = LOAD_PORTS,
    .as_root = true,
    .own_names = true,
    .arguments =
        ARGUMENTS(HCAS_ARGUMENT_ROW,
                  {"uplinks", ARGUMENT_TEXT, NULL,
                   "file on the first host with the cables between switches: node,port,node,port,GBITS; "
                   "default: the hostfile's",
                   GIVEN_IS_MORE},
                  {"switch_counters", ARGUMENT_TEXT, NULL,
                   "command on the first host, as root, that prints node,port,out_octets,in_octets,errors of "
                   "the switches' ports; default: the hostfile's",
                   GIVEN_IS_MORE},
                  {"seconds", ARGUMENT_COUNT, "50", "how long the flows of a round run", MORE_IS_MORE},
                  {"rounds", ARGUMENT_COUNT, "32",
                   "at most so many; fewer where fewer are expected to cover all links", MORE_IS_MORE},
                  {"streams", ARGUMENT_COUNT, "16",
                   "queue pairs of each flow, each with a UDP source port of its own", MORE_IS_MORE},
                  {"size", ARGUMENT_SIZE, "1M", "of a message"},
                  {"flags", ARGUMENT_TEXT, NULL, "more options of ib_write_bw, such as --tclass=106"}),
    .arguments_fault = ethernet_fault,
    .parts =
        PARTS({"cables", NULL, ask_cables, NULL}, {"main", "assay-probe-links", run_ethernet_flows, NULL},
              {.name = "flows", .script = "cat \"$ASSAY_DIR/flows\"", .typed = "cat flows"},
              {.name = "counters", .script = "cat \"$ASSAY_DIR/counters\"", .typed = "cat counters"}),
    .items = ITEMS({"links.host", PER_MEMBER_HCA, NULL, DUTY_GATE, host_rules},
                   {"links.slow", PER_TARGET, NULL, DUTY_GATE, slow_rules},
                   {"links.errors", PER_TARGET, NULL, DUTY_GATE, ethernet_errors_rules},
                   {"links.unproven", PER_TARGET, NULL, DUTY_GATE, unproven_rules},
                   {"links.agree", PER_TARGET, NULL, DUTY_GATE, agree_rules},
                   {"links.typical", PER_TARGET, NULL, DUTY_RECORD, NULL},
                   {"links.expected", PER_TARGET, NULL, DUTY_RECORD, NULL},
                   {"links.uplinks", PER_TARGET, NULL, DUTY_RECORD, uplinks_rules},
                   {"links.proven", PER_TARGET, NULL, DUTY_RECORD, NULL},
                   {"links.links", PER_TARGET, NULL, DUTY_RECORD, NULL},
                   {"links.rounds", PER_TARGET, NULL, DUTY_RECORD, NULL}),
    .remedies = REMEDIES(
        {"links.host", REASON(look_at_host_link)}, {"links.slow", REASON(look_at_slow_ethernet)},
        {"links.errors", REASON(look_at_slow_ethernet)}, {"links.unproven", REASON(let_ethernet_be_proven)},
        {"links.agree", REASON(read_counters_at_once)}, {"sound", REASON(see_ethernet_links_start)}),
    .expected = expected_s,
    .read = read_ethernet,
    .hosts_file = launcher_hosts_file,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether hosts reach BMCs: whoever may log in to a host of a tenant's must come to no BMC, neither its own nor another's. From
 * the host it is tried to connect to the BMC's port, and to ping it, and whether IPMI over LAN answers (623/udp), by RMCP's ping
 * for presence; nothing else is sent.
 *
 * Of a pair each host tries both BMCs: a host may be kept from its own, with which it shares a cable (NC-SI), and reach all others.
 * Addresses between a host and its own BMC (169.254.0.0/16, fe80::/10) are no network.
 *
 * It is recorded: where hosts ask their BMCs themselves, as check redfish has it, they have to reach them.
 */
#include <string.h>
#include <strings.h>

#include "assay/model/hostfile.h"
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "rules.h"
#include "script.h"

enum { ADDRESSES_MOST = 64, PORT_HIGHEST = 65535 };

/* -- The addresses -- */

static bool is_link_local(const char *address)
{
    return strncmp(address, "169.254.", strlen("169.254.")) == 0 || strncasecmp(address, "fe80:", 5) == 0;
}

/* Those of the argument, or the members' own. */
static int list_addresses(const struct check_context *context, struct hostlist *ret_list, struct error *err)
{
    const struct json *given = json_get(context->step->arguments, "addresses");

    *ret_list = (struct hostlist){0};
    json_each (item, given) {
        struct hostlist some = {0};

        if (hostlist_expand(context->arena, item->string, &some, err) < 0)
            return -1;
        for (size_t i = 0; i < some.names.count; i++)
            *list_push(context->arena, &ret_list->names) = some.names.items[i];
    }
    for (size_t i = 0; given == NULL && i < context->member_count; i++)
        if (context->members[i]->bmc != NULL && !is_link_local(context->members[i]->bmc))
            *list_push(context->arena, &ret_list->names) = context->members[i]->bmc;
    return 0;
}

static void command(const struct check_context *context, struct text *out)
{
    struct hostlist list;

    (void)list_addresses(context, &list,
                         &(struct error){0}); /* arguments_fault has refused what cannot be read */
    script_begin(out, "curl https://BMC/; rmcpping BMC; ping BMC");
    script_set_number(out, "port", check_number(context, "port"), 0);
    script_tool(context, out, "curl_tool", "curl");
    script_tool(context, out, "ping_tool", "ping");
    text_put(out, "set --");
    for (size_t i = 0; i < list.names.count; i++)
        script_word(out, list.names.items[i]);
    text_put(out, "\n");
    text_put(out, script_bmc_network);
}

static const char *arguments_fault(const struct check_context *context)
{
    struct hostlist list;
    struct error err = {0};

    if (list_addresses(context, &list, &err) < 0)
        return arena_strdup(context->arena, err.text);
    if (json_get(context->step->arguments, "addresses") != NULL &&
        (list.names.count == 0 || list.names.count > ADDRESSES_MOST))
        return "\"addresses\" are 1 to 64: from each host each is tried";
    return check_number(context, "port") > PORT_HIGHEST ? "\"port\" is at most 65535" : NULL;
}

static int host_valid(const struct check_context *context, const char *hostfile, struct error *err)
{
    const struct host *host = context->members[0];

    if (host->bmc != NULL || json_get(context->step->arguments, "addresses") != NULL)
        return 0;
    return error_set(err, ERROR_USAGE,
                     "%s:%u:%u: host '%s' has no bmc=ADDRESS, and step '%s' names none; expected it, "
                     "\"addresses\" in the step's arguments, or \"when\": {\"bmc\": \"redfish\"} in the step",
                     hostfile, host->line, host->column, host->name, context->step->name);
}

/* -- Reading -- */

static const char *told_of(const struct reading *out, const char *how, const char *address)
{
    const char *told = reading_get_fact(out, how, address);

    return told != NULL ? told : "";
}

/* By what it answers: "443/tcp, 623/udp, ping"; NULL: by nothing. */
static const char *answer_of(const struct check_context *context, const struct reading *out,
                             const char *address)
{
    const struct {
        const char *how, *name;
    } ways[] = {{"bmc_network.port", arena_printf(out->arena, "%.0f/tcp", check_number(context, "port"))},
                {"bmc_network.rmcp", "623/udp"},
                {"bmc_network.ping", "ping"}};
    const char *text = NULL;

    for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
        if (strcmp(told_of(out, ways[i].how, address), "answers") == 0)
            text = text == NULL ? ways[i].name : arena_printf(out->arena, "%s, %s", text, ways[i].name);
    return text;
}

/* Why nobody knows whether it would answer; NULL: it does not. */
static const struct reason *doubt_of(const struct reading *out, const char *address)
{
    static const char *const rows[] = {"bmc_network.port", "bmc_network.ping", "bmc_network.rmcp"};

    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        const struct reason *why = reading_why_unread(out, rows[row], address);

        if (why != NULL)
            return reason(out->arena, about, address, why);
        if (*told_of(out, rows[row], address) == '\0')
            return reason(out->arena, about, address, REASON(bmc_not_tried));
        if (strcmp(told_of(out, rows[row], address), "refuses") == 0)
            return reason(out->arena, bmc_refuses, address);
    }
    return NULL;
}

/* doubts NULL: each was tried, and does not answer. */
static void tell(struct reading *out, const struct reason *answers, const struct reason *doubts)
{
    if (answers != NULL)
        reading_fact_said(out, "bmc_network.answers", "", answers);
    else if (doubts != NULL)
        reading_unread(out, "bmc_network.answers", "", doubts);
    else
        reading_fact(out, "bmc_network.answers", "", slice_of("none"));
}

static void read_network(const struct check_context *context, const struct attempt *attempt,
                         struct reading *out)
{
    const struct reason *answers = NULL, *doubts = NULL;
    struct hostlist list;

    read_parts(context, attempt, out);
    if (list_addresses(context, &list, &(struct error){0}) < 0 || list.names.count == 0)
        doubts = REASON(bmc_has_no_network_address);
    for (size_t i = 0; i < list.names.count; i++) {
        const char *address = list.names.items[i], *answer = answer_of(context, out, address);

        if (answer != NULL)
            answers = reason_also(out->arena, answers, reason(out->arena, noted, address, answer));
        else if (doubt_of(out, address) != NULL)
            doubts = reason_also(out->arena, doubts, doubt_of(out, address));
    }
    tell(out, answers, doubts);
}

/* -- What is owed -- */

const struct check check_bmc_network = {
    .name = "bmc-network",
    .title = "Way to the BMCs",
    .summary = "no BMC answers the hosts: by a connection to its port, IPMI over LAN, or ping",
    .concerns = OF_HOST | OF_NETWORK,
    .scopes = SCOPE_HOST | SCOPE_PAIR,
    .passive = true,
    .arguments = ARGUMENTS(
        {"addresses", ARGUMENT_LIST, NULL,
         "BMCs that each host tries, [\"10.9.0.[11-14]\"], at most 64; default: the hosts' own, of the hostfile",
         ANY_IS_OTHER},
        {"port", ARGUMENT_COUNT, "443", "the port that is tried on each", ANY_IS_OTHER}),
    .arguments_fault = arguments_fault,
    .host_valid = host_valid,
    .parts = PARTS({"values", "key-value", command, NULL}),
    .items = ITEMS({"bmc_network.answers", PER_TARGET, NULL, DUTY_RECORD,
                    LIMITS RULES_EQUAL("bmc_network.answers", "none",
                                       "NVIDIA/ai-cloud-validation SEC12: no BMC from networks of tenants")}),
    .remedies =
        REMEDIES({"bmc_network.*", REASON(see_whether_bmc_is_reached), .about = &sentence_value_not_read},
                 {"bmc_network.*", REASON(keep_hosts_off_bmc_network)}),
    .expected_s = 15,
    .read = read_network,
};

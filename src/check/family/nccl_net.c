/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an NCCL test across hosts went over, from NCCL's own log lines (NCCL_DEBUG=INFO): a run over sockets, or
 * over half of the rails, is no test of the fabric, however fast it was.
 *
 *   nccl.net_transport  "NET/IB", or "NET/Socket on node3"
 *   nccl.net_hcas       "all", or "node3 lacks mlx5_2, mlx5_5"
 *
 * Where not every host told it there is no value: METRIC.unread.
 */
#include <string.h>

#include "assay/reasons/check.h"

#include "launcher.h"
#include "nccl.h"
#include "rules.h"

#define IB "NET/IB"
#define ALL_HCAS "all"

static const struct limit transport_rules[] =
    RULES_EQUAL("nccl.net_transport", IB, "assay: the platform has compute HCAs");
static const struct limit hca_rules[] =
    RULES_EQUAL("nccl.net_hcas", ALL_HCAS, "assay: every compute HCA of the platform, or of the launcher");

void nccl_net_slots(const struct check_context *context, struct slot_list *slots)
{
    const char *members = arena_printf(context->arena, "%zu", context->member_count);

    if (!launcher_is_wide(context))
        return;
    slot_add(context, slots, "nccl.hosts", "", NULL, DUTY_GATE,
             rules_new(context, LIMITS RULES_EQUAL("nccl.hosts", members, "assay: the members of the step")));
    if (context->platform->hcas.count == 0)
        return;
    slot_add(context, slots, "nccl.net_transport", "", NULL, DUTY_GATE, transport_rules);
    slot_add(context, slots, "nccl.net_hcas", "", NULL, DUTY_GATE, hca_rules);
}

static size_t count_hosts(const struct reading *out, const char *fact)
{
    size_t count = 0;

    for (size_t i = 0; i < out->facts.count; i++) {
        bool earlier = strcmp(out->facts.items[i].name, fact) != 0;

        for (size_t k = 0; k < i && !earlier; k++)
            earlier = strcmp(out->facts.items[k].name, fact) == 0 &&
                      strcmp(out->facts.items[k].subject, out->facts.items[i].subject) == 0;
        count += !earlier;
    }
    return count;
}

/* Whether every host told it; else says that it was not read. */
static bool all_told(const struct check_context *context, struct reading *out, const char *fact,
                     const char *metric)
{
    size_t told = count_hosts(out, fact);
    const char *code = arena_printf(out->arena, "%s.unread", metric);

    if (told >= context->member_count)
        return true;
    if (told == 0)
        reading_finding(out, SEVERITY_INFO, code, "", REASON(nccl_did_not_tell));
    else
        reading_finding(out, SEVERITY_INFO, code, "",
                        reason(out->arena, only_some_hosts_told, told, context->member_count));
    return false;
}

/* What is wrong, host by host. */
struct wrongs {
    LIST_OF(const struct reason *) items;
};

/* right: the value where nothing is wrong. */
static void conclude(struct reading *out, const char *metric, const char *right, const struct wrongs *wrongs)
{
    const struct reason *all = NULL;

    for (size_t i = 0; i < wrongs->items.count; i++)
        all = reason_also(out->arena, all, wrongs->items.items[i]);
    if (all == NULL)
        reading_fact(out, metric, "", slice_of(right));
    else
        reading_fact_said(out, metric, "", all);
}

/* "IB", and what plugins call it: "IBext_v8". */
static bool is_ib(const char *network)
{
    return strncmp(network, "IB", 2) == 0;
}

static void read_transport(const struct check_context *context, struct reading *out)
{
    struct wrongs others = {0};

    if (!all_told(context, out, "nccl.host_network", "nccl.net_transport"))
        return;
    for (size_t i = 0; i < out->facts.count; i++) {
        const struct fact *fact = &out->facts.items[i];

        if (strcmp(fact->name, "nccl.host_network") == 0 && !is_ib(fact->value))
            *list_push(out->arena, &others.items) =
                reason(out->arena, net_on_host, fact->value, fact->subject);
    }
    /* A network that was chosen and not used: what channels were connected by. */
    for (size_t i = 0; i < out->facts.count; i++)
        if (strcmp(out->facts.items[i].name, "nccl.transport") == 0 &&
            strcmp(out->facts.items[i].value, "NET/Socket") == 0 && others.items.count == 0)
            *list_push(out->arena, &others.items) = REASON(sockets_between_some_ranks);
    conclude(out, "nccl.net_transport", IB, &others);
}

static bool in_list(const char *list, struct slice name)
{
    struct slice rest = slice_of(list);

    while (rest.length > 0) {
        size_t comma = slice_find(rest, ",");
        struct slice one = {rest.bytes, comma != (size_t)-1 ? comma : rest.length};

        if (one.length == name.length && memcmp(one.bytes, name.bytes, one.length) == 0)
            return true;
        rest = slice_from(rest, comma != (size_t)-1 ? comma + 1 : rest.length);
    }
    return false;
}

/* The HCAs of the list that ours are not in; "" when none is. */
static const char *lacking(const struct check_context *context, const char *list)
{
    const struct suite_launcher *launcher = &context->suite->launcher;
    bool given = launcher->hcas.count > 0;
    size_t count = given ? launcher->hcas.count : context->platform->hcas.count;
    const char *missing = "";

    for (size_t i = 0; i < count; i++) {
        struct slice name = slice_of(given ? launcher->hcas.items[i] : context->platform->hcas.items[i]);
        size_t colon = slice_find(name, ":");

        if (colon != (size_t)-1)
            name.length = colon;
        if (!in_list(list, name))
            missing = arena_printf(context->arena, "%s%s%.*s", missing, *missing != '\0' ? ", " : "",
                                   slice_print(name));
    }
    return missing;
}

static void read_hcas(const struct check_context *context, struct reading *out)
{
    struct wrongs all = {0};

    /* A host that finds no HCA has no line of them: it told of its network. */
    if (!all_told(context, out, "nccl.host_network", "nccl.net_hcas"))
        return;
    for (size_t i = 0; i < out->facts.count; i++) {
        const struct fact *fact = &out->facts.items[i];
        const char *list, *missing;

        if (strcmp(fact->name, "nccl.host_network") != 0)
            continue;
        list = reading_get_fact(out, "nccl.host_hcas", fact->subject);
        if (list == NULL && is_ib(fact->value)) {
            reading_unread(out, "nccl.net_hcas", "", reason(out->arena, host_told_no_hcas, fact->subject));
            return;
        }
        missing = lacking(context, list != NULL ? list : "");
        if (*missing != '\0')
            *list_push(out->arena, &all.items) = reason(out->arena, host_lacks, fact->subject, missing);
    }
    conclude(out, "nccl.net_hcas", ALL_HCAS, &all);
}

/* Each rank for itself, with a head of its own: N tests of one GPU, fast and worth nothing. Where their lines are
   mixed, not every head is followed by what tells its ranks. */
static bool is_without_mpi(const struct attempt *attempt)
{
    size_t alone = 0, runs = 0;

    for (size_t i = 0; i < attempt->parts.count; i++) {
        const struct reading *reading = &attempt->parts.items[i].reading;

        for (size_t k = 0; attempt->parts.items[i].window == 0 && k < reading->runs.count; k++) {
            const char *ranks = reading_get_fact(&reading->runs.items[k], "nccl.ranks", "");

            if (ranks != NULL && strcmp(ranks, "1") != 0)
                return false;
            alone += ranks != NULL;
            runs++;
        }
    }
    return alone > 0 && runs > 1;
}

void nccl_net_read(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    if (!launcher_is_wide(context))
        return;
    if (is_without_mpi(attempt)) {
        reading_finding(out, SEVERITY_WARNING, "nccl.no_mpi", "", REASON(each_rank_ran_its_own_test));
        reading_set(out, READING_PARTIAL, REASON(build_nccl_tests_with_mpi));
        return;
    }
    if (context->platform->hcas.count == 0)
        return;
    read_transport(context, out);
    read_hcas(context, out);
}

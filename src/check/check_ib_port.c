/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ports of the compute HCAs, as the kernel shows them under /sys/class/infiniband: that needs neither a
 * tool nor a right, and is there on InfiniBand and RoCE alike. Each HCA that the platform or the step names
 * must be there, its link up at the declared rate, and its firmware and board (NVIDIA's PSID) that of the same HCA on the
 * other hosts.
 */
#include <string.h>

#include "assay/reasons/check.h"

#include "rules.h"
#include "script.h"

/* Other makers' HCAs have no PSID: all of them alike. NVIDIA's are called by their device: "MT4129". */
static void tell_no_board(struct reading *out, const char *hca)
{
    const char *type = reading_get_fact(out, "ib.type", hca);

    if (type != NULL && strncmp(type, "MT", 2) != 0 && reading_get_fact(out, "ib.board", hca) == NULL)
        reading_fact(out, "ib.board", hca, slice_of("N/A"));
}

/* Of a whole listing an HCA is there or it is not; of another one nothing follows. */
static void read_ports(const struct check_context *context, const struct attempt *attempt,
                       struct reading *out)
{
    const char *hca;

    read_parts(context, attempt, out);
    for (size_t i = 0; out->status == READING_COMPLETE && (hca = check_hca(context, i)) != NULL; i++) {
        tell_no_board(out, hca);
        reading_fact(
            out, "ib.present", hca,
            slice_of(reading_get_fact(out, "ib.type", hca) != NULL ||
                             reading_get_fact(out, "ib.firmware", hca) != NULL ||
                             reading_get_fact(out, "ib.state", arena_printf(out->arena, "%s/1", hca)) != NULL
                         ? "yes"
                         : "no"));
    }
}

#define ALIKE "assay: one firmware on all hosts"

/* Exactly what the platform declares; recorded where it declares nothing. */
static const struct limit *rate_rules(const struct check_context *context)
{
    const char *rate = arena_printf(context->arena, "%g", context->platform->hca_gbits);

    if (context->platform->hca_gbits <= 0)
        return NULL;
    return rules_new(context, LIMITS RULES_EQUAL("ib.rate", rate, RULES_OF_PLATFORM(context)));
}

/* Some step of the suite is for one kind of fabric only. */
static bool kind_matters(const struct suite *suite)
{
    for (size_t i = 0; i < suite->steps.count; i++)
        if (json_get(suite->steps.items[i].when, "fabric") != NULL)
            return true;
    return false;
}

/* By the suite or the hostfile. Where neither says it and steps were chosen by it, another kind than the one that was
   assumed leaves the ports undecided: those steps would have been others. */
static const struct limit *layer_rules(const struct check_context *context)
{
    static const char alike[] = "assay: one link layer on all hosts";
    const char *stated = check_text(context, "link_layer"), *fabric = context->members[0]->fabric;
    const struct limit assumed[] = {
        {.metric = "ib.link_layer",
         .rule = RULE_EQUAL,
         .text = "InfiniBand",
         .source = "assay: the hostfile does not say fabric=",
         .status = LIMIT_TOOL,
         .inconclusive = true,
         .note = REASON(declare_fabric_ethernet)},
        {.metric = "ib.link_layer", .rule = RULE_SAME, .source = alike, .status = LIMIT_TOOL},
        {0}};

    if (stated != NULL)
        return rules_alike(context, "ib.link_layer", stated, "the suite's link_layer", alike);
    if (fabric != NULL)
        return rules_alike(context, "ib.link_layer",
                           strcmp(fabric, "ethernet") == 0 ? "Ethernet" : "InfiniBand",
                           "the hostfile's fabric=", alike);
    return rules_new(context, kind_matters(context->suite) ? assumed : assumed + 1);
}

static void slots_of_ports(const struct check_context *context, struct slot_list *slots)
{
    const struct limit *rate = rate_rules(context), *link_layer = layer_rules(context);
    const char *hca;

    for (size_t i = 0; (hca = check_hca(context, i)) != NULL; i++) {
        const char *port = arena_printf(context->arena, "%s/1", hca);

        slot_add(context, slots, "ib.rate", port, "state=Active", rate != NULL ? DUTY_GATE : DUTY_RECORD,
                 rate);
        slot_add(context, slots, "ib.link_layer", port, NULL, DUTY_GATE, link_layer);
    }
}

static const char *arguments_fault(const struct check_context *context)
{
    const char *layer = check_text(context, "link_layer");

    if (layer != NULL && strcmp(layer, "InfiniBand") != 0 && strcmp(layer, "Ethernet") != 0)
        return "link_layer is neither InfiniBand nor Ethernet";
    return check_hcas_fault(context) != NULL ? check_hcas_fault(context) : rules_allowed_fault(context);
}

const struct check check_ib_port = {
    .name = "ib-port",
    .title = "HCA ports",
    .summary = "every compute HCA is there, its link up at the declared rate, with one firmware and PSID on "
               "all hosts",
    .on = ON_HCAS,
    .concerns = OF_NETWORK,
    .passive = true,
    .loads = LOAD_PORTS,
    .arguments =
        ARGUMENTS(HCAS_ARGUMENT_ROW,
                  {"link_layer", ARGUMENT_TEXT, NULL,
                   "InfiniBand or Ethernet; default: the hostfile's fabric=, else whatever all hosts have",
                   GIVEN_IS_MORE},
                  ALLOWED_ARGUMENT_ROW("{\"ib.firmware\": \"28.39.2048|28.41.1000\"}")),
    .arguments_fault = arguments_fault,
    .parts = PARTS({.name = "sysfs",
                    .parser = "ib-sysfs",
                    .script = script_ib_port,
                    .typed = "grep of ports below /sys/class/infiniband"}),
    .items =
        ITEMS({"ib.present", PER_HCA, NULL, DUTY_GATE, LIMITS RULES_EQUAL("ib.present", "yes", "assay")},
              {"ib.state", PER_HCA_PORT, NULL, DUTY_GATE, LIMITS RULES_EQUAL("ib.state", "Active", "assay")},
              {"ib.physical_state", PER_HCA_PORT, NULL, DUTY_GATE,
               LIMITS RULES_EQUAL("ib.physical_state", "LinkUp", "assay")},
              {"ib.firmware", PER_HCA, NULL, DUTY_GATE, LIMITS RULES_SAME("ib.firmware", ALIKE)},
              {"ib.board", PER_HCA, NULL, DUTY_GATE, LIMITS RULES_SAME("ib.board", ALIKE)},
              {"ib.type", PER_HCA, NULL, DUTY_RECORD, NULL}),
    .remedies = REMEDIES(
        {"ib.present", REASON(find_missing_hca)}, {"ib.state", REASON(see_port_state)},
        {"ib.physical_state", REASON(see_physical_state)}, {"ib.rate", REASON(clean_cable_see_mlxlink)},
        {"ib.firmware", REASON(flash_same_hca_firmware)}, {"ib.board", REASON(have_hca_as_bought)},
        {"ib.link_layer", REASON(set_link_type)}, {"sound", REASON(is_mlx5_driver_loaded)}),
    .more_slots = slots_of_ports,
    .plain = PLAIN_WORDS(
        {"ib.rate*", PLAIN(link_runs_at_other_rate, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)},
        {"ib.state*", PLAIN(port_is_in_other_state, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)},
        {"ib.physical_state*", PLAIN(port_is_in_other_state, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)}),
    .expected_s = 3,
    .read = read_ports,
};

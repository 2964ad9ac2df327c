/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What RDMA over Ethernet needs beside a link: every compute HCA has a RoCE v2 address, and MTU, flow control
 * and congestion control are set alike on all hosts. One host that sends in another priority, or without it,
 * works alone and hurts all under load. What the right settings are belongs to the site's switches: the suite
 * may state them; without that, all hosts must have the same.
 *
 * For sites on Ethernet only: on a port of InfiniBand the step stays undecided.
 */
#include <string.h>

#include "assay/model/script_reason.h"
#include "assay/reasons/check.h"

#include "rules.h"
#include "script.h"

#define PRIORITIES 8
#define GIDS 256

static void command_settings(const struct check_context *context, struct text *out)
{
    script_begin(out, "mlnx_qos -i DEVICE of each HCA");
    script_set_hcas(context, out);
    script_set(out, "mlnx_qos", check_tool(context, "mlnx_qos")->path);
    script_tool(context, out, "mlnx_qos", "mlnx_qos");
    text_put(out, script_roce_settings);
}

/* Which of the priorities are on, and of how many that was told. */
struct priorities {
    bool on[PRIORITIES];
    unsigned told;
};

/* What stands under one heading of the settings. */
struct settings {
    const char *port; /* subject; NULL: before the first heading */
    struct priorities pfc, notify, react;
};

static void put_priority(struct priorities *priorities, uint64_t number, bool on)
{
    if (number >= PRIORITIES)
        return;
    priorities->on[number] = on;
    priorities->told++;
}

/* "3,4", "none"; NULL when not all were told. */
static const char *list_priorities(struct arena *arena, const struct priorities *priorities)
{
    const char *list = "";

    if (priorities->told != PRIORITIES)
        return NULL;
    for (unsigned i = 0; i < PRIORITIES; i++)
        if (priorities->on[i])
            list = arena_printf(arena, "%s%s%u", list, *list != '\0' ? "," : "", i);
    return *list != '\0' ? list : "none";
}

static void end_settings(struct reading *out, const struct settings *settings)
{
    const char *pfc = list_priorities(out->arena, &settings->pfc);
    const char *notify = list_priorities(out->arena, &settings->notify);
    const char *react = list_priorities(out->arena, &settings->react);

    if (settings->port == NULL)
        return;
    if (pfc != NULL)
        reading_fact(out, "roce.pfc", settings->port, slice_of(pfc));
    if (notify == NULL || react == NULL)
        return;
    if (strcmp(notify, react) == 0)
        reading_fact(out, "roce.ecn", settings->port, slice_of(notify));
    else
        reading_fact_said(out, "roce.ecn", settings->port,
                          reason(out->arena, ecn_notified_obeyed, notify, react));
}

/* "enabled     0   0   0   1   0   0   0   0" of mlnx_qos */
static void read_enabled(struct settings *settings, struct slice rest)
{
    struct slice word;

    for (unsigned i = 0; scan_word(&rest, &word); i++)
        put_priority(&settings->pfc, i, slice_equal(word, "1"));
}

/* "0:off 1:off 2:off 3:on ..." of dcb */
static void read_prio_pfc(struct settings *settings, struct slice rest)
{
    struct slice word;
    uint64_t number;

    while (scan_word(&rest, &word))
        if (scan_digits(&word, &number) && scan_text(&word, ":"))
            put_priority(&settings->pfc, number, slice_equal(word, "on"));
}

/* "../net/eth0/ecn/roce_np/enable/3:1" */
static void read_ecn(struct settings *settings, struct slice line)
{
    size_t at = slice_find(line, "/enable/");
    struct slice rest = slice_from(line, at + strlen("/enable/"));
    uint64_t number;

    if (!scan_digits(&rest, &number) || !scan_text(&rest, ":"))
        return;
    if (slice_contains(line, "/roce_np/"))
        put_priority(&settings->notify, number, slice_equal(rest, "1"));
    else if (slice_contains(line, "/roce_rp/"))
        put_priority(&settings->react, number, slice_equal(rest, "1"));
}

static void read_line(struct reading *out, struct settings *settings, struct slice line)
{
    struct slice device, netdev;

    if (scan_text(&line, "== ")) {
        end_settings(out, settings);
        *settings = (struct settings){0};
        if (!scan_word(&line, &device) || !scan_word(&line, &netdev))
            return;
        settings->port = arena_printf(out->arena, "%.*s/1", slice_print(device));
        reading_fact(out, "roce.netdev", settings->port, netdev);
    } else if (settings->port == NULL) {
        return;
    } else if (scan_text(&line, "mtu: ")) {
        reading_fact(out, "roce.mtu", settings->port, slice_trim(line));
    } else if (scan_text(&line, "Priority trust state: ")) {
        reading_fact(out, "roce.trust", settings->port, slice_trim(line));
    } else if (scan_text(&line, "enabled ")) {
        read_enabled(settings, line);
    } else if (scan_text(&line, "prio-pfc ")) {
        read_prio_pfc(settings, line);
    } else if (slice_contains(line, "/enable/")) {
        read_ecn(settings, line);
    }
}

static void read_settings(struct reading *out, const struct part *part)
{
    struct slice rest = part->out, line;
    const struct reason *complaint;
    struct settings settings = {0};

    while (scan_line(&rest, &line))
        read_line(out, &settings, slice_trim(line));
    end_settings(out, &settings);
    if (part->ended && part->rc == 0)
        return;
    complaint = script_complaint(out->arena, part->err);
    reading_set(out, READING_PARTIAL, reason(out->arena, settings_not_read, complaint));
}

/* The address that RDMA over routed Ethernet uses: the first of RoCE v2 that is not link-local. */
static void read_address(struct reading *out, const char *port)
{
    for (unsigned i = 0; i < GIDS; i++) {
        const char *name = arena_printf(out->arena, "ib.gid.%u", i), *gid = reading_get_fact(out, name, port);
        const char *type =
            gid != NULL ? reading_get_fact(out, arena_printf(out->arena, "%s.type", name), port) : NULL;

        if (type == NULL || strcmp(type, "RoCE v2") != 0 || strncmp(gid, "fe80:", 5) == 0)
            continue;
        reading_fact(out, "roce.v2", port, slice_of("yes"));
        reading_fact(out, "roce.gid_index", port, slice_of(arena_printf(out->arena, "%u", i)));
        return;
    }
    reading_fact(out, "roce.v2", port, slice_of("no"));
}

static void read_roce(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    const struct part *sysfs = attempt_part(attempt, "sysfs"), *settings = attempt_part(attempt, "settings");
    const char *hca;

    if (sysfs == NULL || settings == NULL) {
        reading_set(out, READING_PARTIAL, REASON(command_not_ended));
        return;
    }
    reading_merge(out, &sysfs->reading);
    reading_set(out, sysfs->reading.status, sysfs->reading.reason);
    for (size_t i = 0; out->status == READING_COMPLETE && (hca = check_hca(context, i)) != NULL; i++) {
        const char *port = arena_printf(out->arena, "%s/1", hca);

        if (reading_get_fact(out, "ib.link_layer", port) != NULL)
            read_address(out, port);
    }
    read_settings(out, settings);
}

static const struct limit layer_rules[] =
    RULES_EQUAL("ib.link_layer", "Ethernet", "assay: this check is for Ethernet", .inconclusive = true);
static const struct limit address_rules[] = RULES_EQUAL("roce.v2", "yes", "assay");

static void slots_of_settings(const struct check_context *context, struct slot_list *slots)
{
    static const char *const settings[] = {"mtu", "gid_index", "pfc", "ecn"};
    const char *hca;

    for (size_t s = 0; s < ARRAY_SIZE(settings); s++) {
        const char *metric = arena_printf(context->arena, "roce.%s", settings[s]);
        const struct limit *rules = rules_alike(context, metric, check_text(context, settings[s]),
                                                arena_printf(context->arena, "the suite's %s", settings[s]),
                                                "assay: alike on all hosts");

        for (size_t i = 0; (hca = check_hca(context, i)) != NULL; i++)
            slot_add(context, slots, metric, arena_printf(context->arena, "%s/1", hca), NULL, DUTY_GATE,
                     rules);
    }
}

const struct check check_roce = {
    .name = "roce",
    .title = "RoCE settings",
    .summary = "on Ethernet: RoCE v2 addresses, and MTU, flow and congestion control alike on all hosts",
    .on = ON_HCAS,
    .concerns = OF_NETWORK,
    .passive = true,
    .loads = LOAD_PORTS,
    .arguments = ARGUMENTS(
        HCAS_ARGUMENT_ROW,
        {"mtu", ARGUMENT_TEXT, NULL, "of the network devices, such as 9000; default: whatever all hosts have",
         GIVEN_IS_MORE},
        {"gid_index", ARGUMENT_TEXT, NULL,
         "of the first routable RoCE v2 address; default: whatever all have", GIVEN_IS_MORE},
        {"pfc", ARGUMENT_TEXT, NULL,
         "priorities with flow control, such as 3 or none; default: whatever all have", GIVEN_IS_MORE},
        {"ecn", ARGUMENT_TEXT, NULL, "priorities with congestion control; default: whatever all hosts have",
         GIVEN_IS_MORE}),
    .arguments_fault = check_hcas_fault,
    .parts = PARTS({.name = "sysfs",
                    .parser = "ib-sysfs",
                    .script = script_roce_addresses,
                    .typed = "grep of ports and addresses below /sys/class/infiniband"},
                   {"settings", NULL, command_settings, NULL}),
    .items = ITEMS({"ib.link_layer", PER_HCA_PORT, NULL, DUTY_GATE, layer_rules},
                   {"roce.v2", PER_HCA_PORT, NULL, DUTY_GATE, address_rules},
                   {"roce.netdev", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
                   {"roce.trust", PER_HCA_PORT, NULL, DUTY_RECORD, NULL}),
    .remedies =
        REMEDIES({"ib.link_layer", REASON(leave_out_on_infiniband)}, {"roce.v2", REASON(give_hca_an_address)},
                 {"roce.gid_index", REASON(give_same_ip_families)}, {"roce.mtu", REASON(set_mtu)},
                 {"roce.pfc", REASON(set_pfc)}, {"roce.ecn", REASON(enable_ecn)},
                 {"sound", REASON(install_mlnx_qos_or_dcb)}),
    .more_slots = slots_of_settings,
    .expected_s = 10,
    .read = read_roce,
};

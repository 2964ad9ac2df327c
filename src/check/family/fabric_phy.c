/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric_phy.h"

#include <string.h>

#include "assay/fabric/tiers.h"
#include "assay/parse/ib_ports.h"
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "assay/reasons/parse.h"

#include "fabric_evidence.h"
#include "link_quality.h"

/* From so many of a kind alike on the others are odd; below that there are several kinds. Our own figure. */
#define MOSTLY_ALIKE 0.9

struct evidence {
    struct reading *out;
    struct fabric *fabric;
    uint32_t *members; /* the port of each member's HCA, as check_member_hca has them */
    size_t member_count;
    const uint8_t *levels;
    const bool *above;                     /* of each port: its link is the members' or above them */
    struct ib_port_row **rates, **modules; /* of each port; NULL: the sweep has no row of it */
    bool modules_told;                     /* the table of them is whole */
    const struct reason **faults;          /* of each port: what is wrong with it */
    const struct reason **doubts;          /* why nobody knows */
    struct fabric_list erring, outside, untold;
};

/* --- the tables --- */

static uint32_t port_of(const struct fabric *fabric, const struct ib_port_row *row)
{
    uint32_t node = fabric_find_node(fabric, row->guid);

    return node != FABRIC_NONE && row->port < fabric->nodes.items[node].port_count
               ? fabric->nodes.items[node].ports[row->port]
               : FABRIC_NONE;
}

/* NULL: the table was read to its end; else what it lacks. Rows of other ports are left out. */
static const struct reason *read_table(struct evidence *evidence, struct slice text,
                                       struct ib_port_row **rows)
{
    struct arena *arena = evidence->out->arena;
    struct ib_ports table = {.columns = 0};
    struct ib_port_row row;
    struct slice line;
    bool headed = false;

    while (scan_line(&text, &line)) {
        enum ib_ports_line kind = ib_ports_take(&table, slice_trim(line), &row);
        uint32_t port = kind == IB_PORTS_ROW ? port_of(evidence->fabric, &row) : FABRIC_NONE;

        if (kind == IB_PORTS_LACKING || kind == IB_PORTS_DAMAGED)
            return reason(arena, line_not_understood, slice_trim(line));
        headed |= kind == IB_PORTS_HEADING;
        if (port == FABRIC_NONE || !evidence->above[port])
            continue;
        rows[port] = arena_new(arena, struct ib_port_row);
        *rows[port] = row;
    }
    if (!headed)
        return REASON(no_known_table);
    return table.cables || slice_trim(text).length > 0 ? REASON(table_breaks_off) : NULL;
}

static bool read_links(struct evidence *evidence, const struct check_context *context,
                       const struct attempt *attempt)
{
    struct reading *out = evidence->out;
    struct arena *arena = out->arena;
    struct error err = {0};
    struct slice links;

    if (!fabric_take_sweep(attempt, out) || !fabric_take(attempt, "links", out, &links))
        return false;
    evidence->fabric = fabric_new(arena);
    if (fabric_read_links(evidence->fabric, "ibdiagnet2.lst", links, &err) < 0) {
        reading_set(out, READING_PARTIAL, reason(arena, text, err.text));
        return false;
    }
    evidence->members = fabric_find_members(context, evidence->fabric, arena, &evidence->member_count);
    evidence->levels = fabric_find_levels(arena, evidence->fabric, evidence->members, evidence->member_count);
    evidence->above = fabric_find_above(arena, evidence->fabric, evidence->levels, evidence->members,
                                        evidence->member_count);
    return true;
}

/* NULL: the part is a whole table. */
static const struct reason *read_part(struct evidence *evidence, const struct attempt *attempt,
                                      const char *name, struct ib_port_row **rows)
{
    const struct part *part = attempt_part(attempt, name);

    if (part == NULL || !part->ended)
        return REASON(command_not_ended);
    return part->rc != 0 ? REASON(no_known_table) : read_table(evidence, part->out, rows);
}

static bool read_files(struct evidence *evidence, const struct check_context *context,
                       const struct attempt *attempt)
{
    struct reading *out = evidence->out;
    const struct reason *lack;
    size_t ports;

    if (!read_links(evidence, context, attempt))
        return false;
    ports = evidence->fabric->ports.count;
    evidence->rates = arena_array(out->arena, struct ib_port_row *, ports);
    evidence->modules = arena_array(out->arena, struct ib_port_row *, ports);
    evidence->faults = arena_array(out->arena, const struct reason *, ports);
    evidence->doubts = arena_array(out->arena, const struct reason *, ports);
    lack = read_part(evidence, attempt, "ports", evidence->rates);
    if (lack != NULL) {
        reading_set(out, READING_PARTIAL, reason(out->arena, about, "ibdiagnet2.net_dump_ext", lack));
        return false;
    }
    lack = read_part(evidence, attempt, "cables", evidence->modules);
    evidence->modules_told = lack == NULL;
    if (lack != NULL)
        reading_unread(out, "quality.modules", "",
                       reason(out->arena, about, "ibdiagnet2.db_csv, CABLE_INFO", lack));
    return true;
}

/* --- rates --- */

static const char *text_of(struct arena *arena, struct slice value)
{
    return value.length > 0 ? arena_strndup(arena, value.bytes, value.length) : NULL;
}

static void judge_rate(struct evidence *evidence, uint32_t port, const char *name, enum ib_value rate,
                       enum ib_value errors)
{
    struct arena *arena = evidence->out->arena;
    const struct ib_port_row *row = evidence->rates[port];
    const struct link_quality *quality = link_quality_of("IB-", text_of(arena, row->values[IB_FEC]), name);
    double ber, count,
        allowed = link_quality_errors(quality, evidence->fabric->ports.items[port].gbits * 1e9);
    const struct reason *above;

    if (!ib_value_number(row, rate, &ber) || ber <= quality->warning)
        return;
    above = link_quality_above(arena, quality, ber, ber > quality->error ? quality->error : quality->warning);
    if (ber <= quality->error)
        reading_finding(evidence->out, SEVERITY_WARNING, "quality.rising",
                        fabric_link_name(evidence->fabric, port),
                        reason(arena, at_end, above, fabric_port_name(evidence->fabric, port)));
    else if (!ib_value_number(row, errors, &count) || allowed <= 0)
        evidence->doubts[port] = reason(arena, errors_of_rate_not_told, above);
    else if (count <= allowed)
        evidence->doubts[port] = reason(arena, too_few_errors, above, arena_printf(arena, "%.0f", count),
                                        arena_printf(arena, "%.0f", allowed), LINK_QUALITY_LEAST_S / 60);
    else
        evidence->faults[port] = reason_also(arena, evidence->faults[port], above);
}

static void judge_rates(struct evidence *evidence, uint32_t port)
{
    const struct ib_port_row *row = evidence->rates[port];
    double effective;

    if (evidence->fabric->ports.items[port].inactive) {
        evidence->doubts[port] = REASON(its_link_not_active);
    } else if (row == NULL || row->values[IB_FEC].length == 0 ||
               !ib_value_number(row, IB_EFFECTIVE_BER, &effective)) {
        evidence->doubts[port] = REASON(no_error_rate_told);
    } else {
        judge_rate(evidence, port, "phy.ber.effective", IB_EFFECTIVE_BER, IB_EFFECTIVE_ERRORS);
        judge_rate(evidence, port, "phy.ber.symbol", IB_SYMBOL_BER, IB_SYMBOL_ERRORS);
    }
}

/* --- modules --- */

static bool is_outside(const struct ib_port_row *row, unsigned value, unsigned low, unsigned high)
{
    double number, least, most;

    return ib_value_number(row, value, &number) && ib_value_number(row, low, &least) &&
           ib_value_number(row, high, &most) && least < most && (number < least || number > most);
}

/* Alarms are latched until somebody asks: one alone may be of the time when the other end was off. */
static void remark_alarm(const struct evidence *evidence, uint32_t port, const char *alarm)
{
    struct arena *arena = evidence->out->arena;

    reading_finding(evidence->out, SEVERITY_WARNING, "quality.alarm",
                    fabric_link_name(evidence->fabric, port),
                    reason(arena, at_end, reason(arena, transceiver_gave_alarm, alarm),
                           fabric_port_name(evidence->fabric, port)));
}

static const struct reason *judge_light(const struct evidence *evidence, uint32_t port)
{
    static const struct {
        const char *name;
        unsigned power, low, high, alarm_low, alarm_high;
        const struct sentence *beyond;
    } ways[] = {{"RX", IB_RX_POWER, IB_RX_LOW, IB_RX_HIGH, IB_ALARM_RX_LOW, IB_ALARM_RX_HIGH,
                 &sentence_transceiver_receives_outside},
                {"TX", IB_TX_POWER, IB_TX_LOW, IB_TX_HIGH, IB_ALARM_TX_LOW, IB_ALARM_TX_HIGH,
                 &sentence_transceiver_sends_outside}};
    const struct ib_port_row *row = evidence->modules[port];
    struct arena *arena = evidence->out->arena;
    const struct reason *said = NULL;

    for (unsigned i = 0; i < ARRAY_SIZE(ways) * IB_LANES; i++) {
        unsigned way = i / IB_LANES, lane = i % IB_LANES;
        bool alarm =
            ib_value_flag(row, ways[way].alarm_low + lane) || ib_value_flag(row, ways[way].alarm_high + lane);

        if (alarm && is_outside(row, ways[way].power + lane, ways[way].low, ways[way].high))
            said = reason_also(arena, said,
                               reason_make(arena, ways[way].beyond,
                                           (const struct reason_value[]){REASON_VALUES(lane + 1)}, 1));
        else if (alarm)
            remark_alarm(evidence, port, arena_printf(arena, "%s%u power", ways[way].name, lane + 1));
    }
    return said;
}

/* NULL: it is inside its own bounds, or tells none. */
static const struct reason *judge_module(const struct evidence *evidence, uint32_t port)
{
    const struct ib_port_row *row = evidence->modules[port];
    const struct reason *said = NULL;
    double now = 0, low = 0, high = 0;

    if (row == NULL)
        return NULL;
    if (is_outside(row, IB_TEMPERATURE, IB_TEMPERATURE_LOW, IB_TEMPERATURE_HIGH)) {
        if (ib_value_number(row, IB_TEMPERATURE, &now) && ib_value_number(row, IB_TEMPERATURE_LOW, &low) &&
            ib_value_number(row, IB_TEMPERATURE_HIGH, &high))
            said = reason(evidence->out->arena, transceiver_temperature_outside_bounds, now, low, high);
    } else if (ib_value_flag(row, IB_ALARM_HOT) || ib_value_flag(row, IB_ALARM_COLD)) {
        remark_alarm(evidence, port, "temperature");
    }
    return reason_also(evidence->out->arena, said, judge_light(evidence, port));
}

/* --- of each link --- */

static bool is_judged(const struct evidence *evidence, uint32_t port)
{
    return evidence->above[port] &&
           evidence->fabric->nodes.items[evidence->fabric->ports.items[port].node].kind == FABRIC_SWITCH;
}

static void add_end(struct evidence *evidence, struct fabric_list *list, const char *code, uint32_t port,
                    const struct reason *what)
{
    struct arena *arena = evidence->out->arena;

    fabric_list_add(evidence->out, evidence->fabric, list, code, port,
                    reason(arena, link_end_says, fabric_link_name(evidence->fabric, port), what,
                           fabric_port_name(evidence->fabric, port)));
}

static void take_port(struct evidence *evidence, uint32_t port)
{
    const struct reason *module;
    bool hosts = fabric_is_host_link(evidence->fabric, port);

    judge_rates(evidence, port);
    module = judge_module(evidence, port);
    if (!hosts && evidence->faults[port] != NULL)
        add_end(evidence, &evidence->erring, "quality.links", port, evidence->faults[port]);
    if (!hosts && module != NULL)
        add_end(evidence, &evidence->outside, "quality.modules", port, module);
    if (!hosts && evidence->faults[port] == NULL && evidence->doubts[port] != NULL)
        add_end(evidence, &evidence->untold, "quality.untold", port, evidence->doubts[port]);
    evidence->faults[port] = reason_also(evidence->out->arena, evidence->faults[port], module);
}

static void tell_links(struct evidence *evidence)
{
    struct reading *out = evidence->out;
    size_t told = 0, links = 0;

    for (uint32_t port = 0; port < evidence->fabric->ports.count; port++) {
        if (!is_judged(evidence, port))
            continue;
        take_port(evidence, port);
        links += !fabric_is_host_link(evidence->fabric, port);
        told += evidence->doubts[port] == NULL;
    }
    reading_measure(out, "quality.ports", "", (double)told, "");
    fabric_tell(out, "quality.links", fabric_list_said(out->arena, &evidence->erring), "none");
    fabric_tell(out, "quality.untold",
                evidence->untold.count > 0 ? reason(out->arena, ends_not_told, evidence->untold.count, links,
                                                    fabric_list_said(out->arena, &evidence->untold))
                                           : NULL,
                "none");
    if (evidence->modules_told)
        fabric_tell(out, "quality.modules", fabric_list_said(out->arena, &evidence->outside), "none");
}

static void tell_hosts(struct evidence *evidence, const struct check_context *context)
{
    struct reading *out = evidence->out;

    for (size_t i = 0; i < evidence->member_count; i++) {
        const char *name = check_member_hca(context, i);
        uint32_t port = evidence->members[i],
                 at = port == FABRIC_NONE ? FABRIC_NONE : evidence->fabric->ports.items[port].far;

        if (at == FABRIC_NONE)
            reading_unread(out, "quality.host", name, reason(out->arena, node_without_link, name));
        else if (evidence->faults[at] != NULL)
            reading_fact_said(
                out, "quality.host", name,
                reason(out->arena, at_end, evidence->faults[at], fabric_port_name(evidence->fabric, at)));
        else if (evidence->doubts[at] != NULL)
            reading_unread(
                out, "quality.host", name,
                reason(out->arena, at_end, evidence->doubts[at], fabric_port_name(evidence->fabric, at)));
        else
            reading_fact(out, "quality.host", name, slice_of("good"));
    }
}

/* --- alike --- */

static const struct alike {
    const char *metric;
    enum ib_value value;
    bool of_module;
    bool
        varies; /* it may differ from one cable to the next by where they go: several kinds are nothing to remark */
} alikes[] = {
    {"quality.fec", IB_FEC, false, false},    {"quality.type", IB_MODULE, true, false},
    {"quality.cable", IB_CABLE, true, false}, {"quality.length", IB_LENGTH, true, true},
    {"quality.part", IB_PART, true, false},   {"quality.firmware", IB_FIRMWARE, true, false},
};

struct share {
    struct slice value;
    size_t count;
};
/* Ports of the same devices at the same levels. */
struct kind {
    uint8_t levels[2]; /* its own, and that of the other end */
    uint32_t devices[2];
    size_t ports;
    LIST_OF(struct share) shares;
};
struct kinds {
    LIST_OF(struct kind) items;
};

static struct slice value_of(const struct evidence *evidence, const struct alike *alike, uint32_t port)
{
    const struct ib_port_row *row = alike->of_module ? evidence->modules[port] : evidence->rates[port];

    return row != NULL && is_judged(evidence, port) ? row->values[alike->value] : slice_of("");
}

static struct kind *kind_of(const struct evidence *evidence, struct kinds *kinds, uint32_t port)
{
    const struct fabric_port *ports = evidence->fabric->ports.items;
    uint32_t own = ports[port].node, far = ports[ports[port].far].node;
    const struct fabric_node *nodes = evidence->fabric->nodes.items;
    struct kind wanted = {.levels = {evidence->levels[own], evidence->levels[far]},
                          .devices = {nodes[own].device, nodes[far].device}};

    for (size_t i = 0; i < kinds->items.count; i++)
        if (memcmp(kinds->items.items[i].levels, wanted.levels, sizeof wanted.levels) == 0 &&
            memcmp(kinds->items.items[i].devices, wanted.devices, sizeof wanted.devices) == 0)
            return &kinds->items.items[i];
    *list_push(evidence->out->arena, &kinds->items) = wanted;
    return &kinds->items.items[kinds->items.count - 1];
}

static bool is_same(struct slice a, struct slice b)
{
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

static void count_value(struct arena *arena, struct kind *kind, struct slice value)
{
    struct share *share = NULL;

    for (size_t i = 0; i < kind->shares.count && share == NULL; i++)
        if (is_same(kind->shares.items[i].value, value))
            share = &kind->shares.items[i];
    if (share == NULL) {
        share = list_push(arena, &kind->shares);
        *share = (struct share){value, 0};
    }
    share->count++;
    kind->ports++;
}

static const struct share *most_of(const struct kind *kind)
{
    const struct share *most = &kind->shares.items[0];

    list_each (share, kind->shares)
        if (share->count > most->count)
            most = share;
    return most;
}

static bool is_mostly_alike(const struct kind *kind)
{
    return (double)most_of(kind)->count >= MOSTLY_ALIKE * (double)kind->ports;
}

static const struct reason *name_of(struct arena *arena, const struct kind *kind)
{
    static const struct {
        uint8_t levels[2];
        const struct reason *words;
    } names[] = {{{1, 0}, REASON(leaf_ports_to_hosts)},
                 {{1, 2}, REASON(leaf_ports_to_spines)},
                 {{2, 1}, REASON(spine_ports_to_leaves)},
                 {{2, 3}, REASON(spine_ports_to_cores)},
                 {{3, 2}, REASON(core_ports_to_spines)}};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (memcmp(names[i].levels, kind->levels, sizeof kind->levels) == 0)
            return names[i].words;
    return reason(arena, ports_between_levels, (unsigned)kind->levels[0], (unsigned)kind->levels[1]);
}

/* "leaf ports to spines: 40 x MMA4Z00-NS, 24 x MCP4Y10-N002" */
static void say_kinds(const struct evidence *evidence, const struct kind *kind, struct fabric_list *list)
{
    struct arena *arena = evidence->out->arena;
    const struct reason *values = NULL;

    list_each (share, kind->shares)
        values = reason_also(arena, values,
                             reason(arena, so_many_of, share->count,
                                    arena_strndup(arena, share->value.bytes, share->value.length)));
    list->said = reason_also(arena, list->said, reason(arena, about, name_of(arena, kind), values));
}

/* What most of its kind have, where it has another value; "": it has not. */
static struct slice missed_by(const struct evidence *evidence, const struct alike *alike, struct kinds *kinds,
                              uint32_t port)
{
    struct slice value = value_of(evidence, alike, port);
    const struct kind *kind = value.length > 0 ? kind_of(evidence, kinds, port) : NULL;

    return kind != NULL && is_mostly_alike(kind) && !is_same(most_of(kind)->value, value)
               ? most_of(kind)->value
               : slice_of("");
}

/* Where both ends differ the link is named once. */
static void take_odd(struct evidence *evidence, const struct alike *alike, struct kinds *kinds, uint32_t port,
                     struct fabric_list *odd)
{
    struct arena *arena = evidence->out->arena;
    uint32_t far = evidence->fabric->ports.items[port].far;
    struct slice most = missed_by(evidence, alike, kinds, port);

    if (most.length > 0 && !(far < port && missed_by(evidence, alike, kinds, far).length > 0))
        fabric_list_add(evidence->out, evidence->fabric, odd, alike->metric, port,
                        reason(arena, link_end_unlike, fabric_link_name(evidence->fabric, port),
                               value_of(evidence, alike, port), fabric_port_name(evidence->fabric, port),
                               most, name_of(arena, kind_of(evidence, kinds, port))));
}

static void tell_alike(struct evidence *evidence, const struct alike *alike)
{
    struct arena *arena = evidence->out->arena;
    size_t ports = evidence->fabric->ports.count;
    struct fabric_list odd = {0};
    struct kinds kinds = {0};

    for (uint32_t port = 0; port < ports; port++)
        if (value_of(evidence, alike, port).length > 0)
            count_value(arena, kind_of(evidence, &kinds, port), value_of(evidence, alike, port));
    list_each (kind, kinds.items)
        if (!is_mostly_alike(kind) && !alike->varies)
            say_kinds(evidence, kind, &odd);
    for (uint32_t port = 0; port < ports; port++)
        take_odd(evidence, alike, &kinds, port, &odd);
    if (kinds.items.count > 0)
        fabric_tell(evidence->out, alike->metric, fabric_list_said(arena, &odd), "alike");
}

void fabric_phy_read(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    struct evidence evidence = {.out = out};

    out->status = READING_COMPLETE;
    if (!read_files(&evidence, context, attempt))
        return;
    tell_links(&evidence);
    tell_hosts(&evidence, context);
    for (size_t i = 0; i < ARRAY_SIZE(alikes); i++)
        tell_alike(&evidence, &alikes[i]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The links of the compute HCAs below the counters: bit error rates before and after correction, the kind of correction,
 * and the transceivers, as mlxlink tells them. A link that corrects too much works today and goes down under load, or in a
 * month; a module outside its own bounds is next to fail.
 *
 *   phy.read   yes | not read: WHY          undecided where another host of the run can; where none can, said beside the verdict
 *   phy.ber    good | high: WHAT | not known: WHY
 *   faults     phy.ber, module.bounds       of a port; warning: phy.ber.rising
 *
 * What a rate may be, and from when on it is judged: family/link_quality.h.
 */
#include <math.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

#include "link_quality.h"
#include "rules.h"
#include "script.h"

static void command_mlxlink(const struct check_context *context, struct text *out)
{
    script_begin(out, "mlxlink -d DEVICE -p 1 -m -c of each HCA");
    script_set_hcas(context, out);
    script_set(out, "mlxlink", check_tool(context, "mlxlink")->path);
    script_tool_under(context, out, "mlxlink", "mlxlink", "timeout -k 1 20");
    text_put(out, script_ib_phy);
}

static const struct bounded {
    const char *metric;
    const struct sentence *beyond;
} bounded[] = {{"module.temperature", &sentence_transceiver_temperature_outside_bounds},
               {"module.rx_power", &sentence_transceiver_rx_power_outside_bounds},
               {"module.tx_power", &sentence_transceiver_tx_power_outside_bounds}};

struct judged {
    struct reading *out;
    const char *port;
    double cleared_s;             /* NAN: not told */
    double bits_s;                /* of the link; 0: not declared */
    const struct reason *high;    /* what is too much */
    const struct reason *unknown; /* what is not known */
};

static void judge_rate(struct judged *judged, const char *rate)
{
    struct arena *arena = judged->out->arena;
    const struct link_quality *quality =
        link_quality_of(reading_get_fact(judged->out, "phy.speed", judged->port),
                        reading_get_fact(judged->out, "phy.fec", judged->port), rate);
    const struct measurement *ber = reading_get(judged->out, rate, judged->port), *errors;
    bool early = !(judged->cleared_s >= LINK_QUALITY_LEAST_S);

    if (quality == NULL || ber == NULL)
        return;
    errors = reading_get(judged->out, quality->errors, judged->port);
    if (early && (errors == NULL || judged->bits_s <= 0 ||
                  errors->value <= link_quality_errors(quality, judged->bits_s))) {
        judged->unknown =
            reason(arena, counted_too_short,
                   arena_printf(arena, "%.0f", isnan(judged->cleared_s) ? 0 : judged->cleared_s / 60),
                   LINK_QUALITY_LEAST_S / 60);
        return;
    }
    if (early || ber->value > quality->error) {
        const struct reason *high = link_quality_above(arena, quality, ber->value, quality->error);

        judged->high = judged->high != NULL ? reason(arena, clause, judged->high, high) : high;
        reading_finding(judged->out, SEVERITY_FAULT, "phy.ber", judged->port, high);
    } else if (ber->value > quality->warning) {
        reading_finding(judged->out, SEVERITY_WARNING, "phy.ber.rising", judged->port,
                        link_quality_above(arena, quality, ber->value, quality->warning));
    }
}

/* "-5..75": what the module itself gives an alarm beyond. */
static bool bounds_of(const struct reading *reading, const char *metric, const char *port, double *ret_low,
                      double *ret_high)
{
    const char *text = reading_get_fact(reading, arena_printf(reading->arena, "%s.range", metric), port);
    struct slice low, high;

    return text != NULL && slice_part(slice_of(text), "..", &low, &high) && scan_double(low, ret_low) &&
           scan_double(high, ret_high) && *ret_low < *ret_high;
}

static void judge_module(struct reading *out, const char *port)
{
    double low, high;

    for (size_t k = 0; k < ARRAY_SIZE(bounded); k++) {
        if (!bounds_of(out, bounded[k].metric, port, &low, &high))
            continue;
        for (size_t i = 0; i < out->measurements.count; i++) {
            const struct measurement *value = &out->measurements.items[i];

            if (strcmp(value->metric, bounded[k].metric) == 0 && strcmp(value->subject, port) == 0 &&
                (value->value < low || value->value > high))
                reading_finding(
                    out, SEVERITY_FAULT, "module.bounds", port,
                    reason_make(out->arena, bounded[k].beyond,
                                (const struct reason_value[]){REASON_VALUES(value->value, low, high)}, 3));
        }
    }
}

static bool number_in(const struct reason *what, size_t argument, double *ret_number)
{
    const char *text = reason_argument_text(what, argument);

    return text != NULL && scan_double(slice_of(text), ret_number);
}

/* "the transceiver is at 78 C, outside its own limits -5 to 75": which value of the port misses what. */
static struct limit module_limit(const struct reason *what)
{
    double value, low, high;

    for (size_t k = 0; k < ARRAY_SIZE(bounded); k++)
        if (reason_is_(what, bounded[k].beyond) && number_in(what, 1, &value) && number_in(what, 2, &low) &&
            number_in(what, 3, &high))
            return (struct limit){.metric = bounded[k].metric,
                                  .rule = value > high ? RULE_CEILING : RULE_FLOOR,
                                  .value = value > high ? high : low,
                                  .unit = metric_find(bounded[k].metric)->unit,
                                  .status = LIMIT_TOOL,
                                  .origin = REASON(modules_own_threshold)};
    return (struct limit){.metric = NULL};
}

static struct check_fault fault_of(struct arena *arena, const struct finding *finding)
{
    struct limit *missed = arena_new(arena, struct limit);

    *missed = module_limit(finding->what);
    if (missed->metric == NULL)
        *missed = link_quality_limit(finding->what);
    return (struct check_fault){.missed = missed->metric != NULL ? missed : NULL};
}

static void judge_port(const struct check_context *context, struct reading *out, const char *port)
{
    const struct measurement *cleared = reading_get(out, "phy.cleared", port);
    struct judged judged = {.out = out,
                            .port = port,
                            .cleared_s = cleared != NULL ? cleared->value : NAN,
                            .bits_s = context->platform->hca_gbits * 1e9};

    if (reading_get(out, "phy.ber.effective", port) == NULL)
        judged.unknown = REASON(no_error_rate_told);
    judge_rate(&judged, "phy.ber.effective");
    judge_rate(&judged, "phy.ber.symbol");
    judge_module(out, port);
    if (judged.high != NULL)
        reading_fact_said(out, "phy.ber", port, reason(out->arena, high_because, judged.high));
    else if (judged.unknown != NULL)
        reading_fact_said(out, "phy.ber", port, reason(out->arena, not_known_because, judged.unknown));
    else
        reading_fact(out, "phy.ber", port, slice_of("good"));
}

/* "== mlx5_3/1 not read: WHY" */
static const struct reason *why_unread(struct reading *out, const struct part *part, const char *port)
{
    const char *mark = arena_printf(out->arena, "== %s not read: ", port);
    struct slice rest = part->out, line;

    while (scan_line(&rest, &line))
        if (scan_text(&line, mark))
            return reason_text(out->arena, utf8_clean(out->arena, line));
    return REASON(mlxlink_tells_nothing);
}

static void read_phy(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    const struct part *part = attempt_part(attempt, "mlxlink");
    const char *hca;

    if (part == NULL || !part->ended) {
        reading_set(out, READING_PARTIAL, REASON(command_not_ended));
        return;
    }
    out->status = READING_COMPLETE;
    reading_merge(out, &part->reading);
    for (size_t i = 0; (hca = check_hca(context, i)) != NULL; i++) {
        const char *port = arena_printf(out->arena, "%s/1", hca);
        bool read = reading_get_fact(out, "phy.state", port) != NULL;

        if (!read) {
            reading_fact_said(out, "phy.read", port,
                              reason(out->arena, not_read, why_unread(out, part, port)));
            continue;
        }
        reading_fact(out, "phy.read", port, slice_of("yes"));
        judge_port(context, out, port);
    }
}

#define ALIKE "assay: one rail is built alike on all hosts"

const struct check check_ib_phy = {
    .name = "ib-phy",
    .title = "Link quality",
    .summary =
        "bit error rates, FEC and transceivers of every compute HCA's port, where mlxlink reports them",
    .on = ON_HCAS,
    .concerns = OF_NETWORK,
    .passive = true,
    .loads = LOAD_PORTS,
    .as_root = true,
    .arguments = ARGUMENTS(HCAS_ARGUMENT_ROW),
    .arguments_fault = check_hcas_fault,
    .parts = PARTS({"mlxlink", "mlxlink", command_mlxlink, NULL}),
    .items = ITEMS(
        {"phy.read", PER_HCA_PORT, NULL, DUTY_GATE,
         LIMITS RULES_READ("phy.read", REASON(quality_of_links),
                           "assay: every port must be read; of a port that was not, nothing is known")},
        {"phy.ber", PER_HCA_PORT, NULL, DUTY_RECORD,
         LIMITS RULES_EQUAL("phy.ber", "good", LINK_QUALITY_SOURCE, .inconclusive = true)},
        {"phy.ber.raw", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
        {"phy.ber.effective", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
        {"phy.ber.symbol", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
        {"phy.fec", PER_HCA_PORT, NULL, DUTY_RECORD, LIMITS RULES_SAME("phy.fec", ALIKE)},
        {"module.type", PER_HCA_PORT, NULL, DUTY_RECORD, LIMITS RULES_SAME("module.type", ALIKE)},
        {"module.cable", PER_HCA_PORT, NULL, DUTY_RECORD, LIMITS RULES_SAME("module.cable", ALIKE)},
        {"module.length", PER_HCA_PORT, NULL, DUTY_RECORD, LIMITS RULES_SAME("module.length", ALIKE)},
        {"module.part", PER_HCA_PORT, NULL, DUTY_RECORD, LIMITS RULES_SAME("module.part", ALIKE)},
        {"module.firmware", PER_HCA_PORT, NULL, DUTY_RECORD, LIMITS RULES_SAME("module.firmware", ALIKE)},
        {"module.serial", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
        {"module.temperature", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
        {"module.rx_power", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
        {"module.tx_power", PER_HCA_PORT, NULL, DUTY_RECORD, NULL}),
    .remedies =
        REMEDIES({"sound", REASON(clean_port_cable)},
                 {"phy.read", REASON(install_mlxlink), .about = &sentence_not_read},
                 /* A fault of a port that was read is laid at the port's gate. */
                 {"phy.read", REASON(clean_port_cable)}, {"phy.ber", REASON(look_again_after_125_minutes)},
                 {"phy.fec", REASON(compare_fec_of_both_ends)}, {"module.*", REASON(compare_transceivers)}),
    .expected_s = 20,
    .read = read_phy,
    .fault = fault_of,
};

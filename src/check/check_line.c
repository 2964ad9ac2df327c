/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line between two hosts, or from a host to an end that somebody else runs (argument endpoint, or line.NAME= of the hostfile where the
 * step goes by line), over the network that their
 * addresses lie in: what iperf3 sends both ways, the least second of it too, and what becomes of small packets and of ones as
 * large as the interface sends. That large ones vanish (a black hole of MTU) hangs whatever sends much, and no ping shows it.
 *
 * With windows in time the seconds of iperf3 are cut into stretches of that length: the slowest is told with when it was, and
 * what was slow for a while is found as it is among the slices of a soak (spells.h).
 *
 * There are no figures for lines that fit all: a contract's are limits of the step, such as line.bandwidth. Lines of the same kind
 * are compared with each other.
 */
#include <math.h>
#include <string.h>

#include "assay/base/robust.h"
#include "assay/base/utc.h"
#include "assay/model/spells.h"
#include "assay/parse/parser.h"
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "assay/reasons/parse.h"

#include "launcher.h"
#include "part_file.h"
#include "rates.h"
#include "rules.h"
#include "script.h"

enum {
    SCRIPT_BYTES = 8 * 1024,
    CONNECT_S = 30, /* a login to the other host, and a server that still serves */
    PORT_MOST = 65535,
    SECOND_BYTES = 500, /* of what iperf3 -J prints of one second of one stream, and of their sum */
};
#define SLOW_BY 0.1      /* as a soak fails from */
#define PING_EVERY_S 0.2 /* the least that ping takes from who is not root */

static bool is_by_line(const struct check_context *context)
{
    return context->step->by != NULL && strcmp(context->step->by, "line") == 0;
}

static bool is_to_endpoint(const struct check_context *context)
{
    return is_by_line(context) || check_text(context, "endpoint") != NULL;
}

/* NULL: it is not by line. */
static const struct host_line *declared(const struct check_context *context)
{
    for (size_t i = 0; is_by_line(context) && i < context->members[0]->lines.count; i++)
        if (strcmp(context->members[0]->lines.items[i].name, context->variant) == 0)
            return &context->members[0]->lines.items[i];
    return NULL;
}

static bool is_over(const struct check_context *context, const char *network)
{
    return strcmp(check_text(context, "over"), network) == 0;
}

/* The other end. */
static const char *address_of(const struct check_context *context)
{
    if (declared(context) != NULL)
        return declared(context)->address;
    if (is_to_endpoint(context))
        return check_text(context, "endpoint");
    return is_over(context, "address") ? context->members[1]->address : context->members[1]->mpi_address;
}

static double port_of(const struct check_context *context)
{
    return declared(context) != NULL && declared(context)->port > 0 ? declared(context)->port
                                                                    : check_number(context, "port");
}

static double scaled(const struct check_context *context, double seconds, double least)
{
    return context->timescale > 1 ? fmax(seconds / context->timescale, least) : seconds;
}

/* --- the command --- */

/* serve: the server on the other host, for one test, by the login that launches go by. */
static void put_server(const struct check_context *context, double for_s, struct text *out)
{
    text_put(out, "cat >\"$ASSAY_DIR/serve\" <<'END-OF-serve'\n");
    text_put(out, script_lab_root);
    put_environment(context, out);
    script_tool_under(context, out, "iperf", "iperf3",
                      arena_printf(context->arena, "timeout -k 2 %.0f", for_s));
    text_printf(out, "iperf -s -1 -p %.0f\nEND-OF-serve\n", port_of(context));
    launcher_put_log_in(context, for_s + CONNECT_S, out);
    text_put(out, "serve() { log_in");
    script_word(out, launcher_name(context, 1));
    text_put(out, " serve <\"$ASSAY_DIR/serve\"; }\n");
}

static void put_flow(const struct check_context *context, const char *way, const char *flags,
                     struct text *out)
{
    double seconds = check_number(context, "seconds"), connect_s = ceil(scaled(context, CONNECT_S, 10));

    script_begin(out,
                 arena_printf(context->arena, "iperf3 -c %s -P %.0f -t %.0f -J%s, %s", address_of(context),
                              check_number(context, "streams"), seconds, flags, way));
    if (!is_to_endpoint(context))
        put_server(context, connect_s + seconds + CONNECT_S, out);
    script_set(out, "address", address_of(context));
    script_set_number(out, "port", port_of(context), 0);
    script_set(
        out, "flags",
        arena_printf(context->arena, "-P %.0f -t %.0f%s", check_number(context, "streams"), seconds, flags));
    script_set_number(out, "connect_s", connect_s, 0);
    script_tool(context, out, "iperf", "iperf3");
    text_put(out, script_line_flow);
}

static void put_there(const struct check_context *context, struct text *out)
{
    put_flow(context, "there", "", out);
}

static void put_back(const struct check_context *context, struct text *out)
{
    put_flow(context, "back", " -R", out);
}

static void put_pings(const struct check_context *context, struct text *out)
{
    script_begin(out, arena_printf(context->arena, "ping %s", address_of(context)));
    script_set(out, "address", address_of(context));
    script_set_number(out, "pings", check_number(context, "pings"), 0);
    script_set_number(out, "interval_s", PING_EVERY_S, 1);
    script_tool(context, out, "ping_tool", "ping");
    text_put(out, script_line_ping);
}

/* --- reading --- */

#define MS_US 1000.0

static void measure_time(struct reading *out, const char *metric, double ms, const char *stat)
{
    struct measurement *measurement = reading_measure(out, metric, "", ms * MS_US, "us");

    if (stat != NULL)
        reading_at_text(out, measurement, "stat", slice_of(stat));
}

/* "0.099 0.043 0.040": the median, and how much one differs from the one before it, in the middle (RFC 3550's jitter is its
   running mean, which the last packets would decide). */
static void tell_times(struct reading *out)
{
    struct slice rest = slice_of(reading_get_fact(out, "line.times", "") != NULL
                                     ? reading_get_fact(out, "line.times", "")
                                     : ""),
                 word;
    size_t most = rest.length / 2 + 1, count = 0;
    double *times = arena_array(out->arena, double, most), *steps = arena_array(out->arena, double, most),
           largest = 0;

    while (count < most && scan_word(&rest, &word) && scan_double(word, &times[count])) {
        largest = fmax(largest, times[count]);
        if (count > 0)
            steps[count - 1] = fabs(times[count] - times[count - 1]);
        count++;
    }
    if (count < 2)
        return;
    measure_time(out, "line.jitter", robust_median(steps, count - 1), NULL);
    measure_time(out, "line.latency", robust_median(times, count), "median");
    measure_time(out, "line.latency", largest, "max");
}

/* "50 49" */
static void tell_loss(struct reading *out)
{
    const char *counts = reading_get_fact(out, "line.pings", "");
    struct slice rest = slice_of(counts != NULL ? counts : ""), word;
    double sent, returned;

    if (scan_word(&rest, &word) && scan_double(word, &sent) && sent > 0 && scan_word(&rest, &word) &&
        scan_double(word, &returned))
        reading_measure(out, "line.loss", "", 100 * (sent - returned) / sent, "%");
}

static double number_of(const struct part *part, const char *fact)
{
    const char *told = reading_get_fact(&part->reading, fact, "");
    double number = 0;

    return told != NULL && scan_double(slice_of(told), &number) ? number : 0;
}

/* What iperf3 says it was told, so that no shorter test passes for the one that was asked for, nor one of no line. */
static void hold_to_asked(const struct check_context *context, const struct part *part, struct reading *out)
{
    double seconds = check_number(context, "seconds"), streams = check_number(context, "streams");

    if (part == NULL || part->reading.status != READING_COMPLETE)
        return; /* said already */
    if (reading_get_fact(&part->reading, "iperf3.itself", "") != NULL)
        reading_set(
            out, READING_PARTIAL,
            reason(out->arena, line_to_itself, reading_get_fact(&part->reading, "iperf3.itself", "")));
    else if (number_of(part, "iperf3.seconds") < seconds)
        reading_set(out, READING_PARTIAL,
                    reason(out->arena, sum_is_of_less_time,
                           arena_printf(out->arena, "%.0f", number_of(part, "iperf3.seconds")),
                           arena_printf(out->arena, "%.0f", seconds)));
    else if (number_of(part, "iperf3.streams") < streams)
        reading_set(out, READING_PARTIAL,
                    reason(out->arena, streams_not_connected,
                           arena_printf(out->arena, "%.0f", number_of(part, "iperf3.streams")),
                           arena_printf(out->arena, "%.0f", streams)));
}

/* --- windows in time --- */

static const struct way {
    const char *part, *direction;
} ways[] = {{"there", "forward"}, {"back", "reverse"}};

static void tell_slowest(const struct check_context *context, const struct rates *rates,
                         const struct way *way, double began, struct reading *out)
{
    double window_s = check_number(context, "window");
    struct measurement *slowest =
        reading_measure(out, "line.window", "", round(rates->values[rates->slowest] * 1e4) / 1e4, "Gb/s");

    reading_at_text(out, slowest, "direction", slice_of(way->direction));
    reading_at_number(out, slowest, AT_BEGAN, began + window_s * (double)rates->slowest);
    reading_at_number(out, slowest, AT_LASTS, window_s);
}

/* What was slow for a while; NULL: nothing. */
static const struct reason *slow_for_a_while(struct arena *arena, const struct spells *spells, size_t count,
                                             const struct way *way, double began, double window_s)
{
    const struct spell *longest;
    struct utc_between at;

    if (spells->items.count == 0)
        return NULL;
    longest = &spells->items.items[spells->longest];
    at = utc_between(arena, began + window_s * (double)longest->first,
                     began + window_s * (double)(longest->first + longest->count));
    return reason(arena, line_slow_for_a_while, way->direction, at.from, at.to, spells->slow, count,
                  arena_printf(arena, "%.1f", spells->worst * 100),
                  arena_printf(arena, "%.4g Gb/s", spells->median));
}

/* One way's windows; what was slow is added to ret_slow. False: nothing was shown, and why. */
static bool tell_windows(const struct check_context *context, const struct attempt *attempt,
                         const struct way *way, struct reading *out, const struct reason **ret_slow,
                         const struct reason **ret_why)
{
    const struct part *part = attempt_part(attempt, way->part);
    const char *told = part != NULL ? reading_get_fact(&part->reading, "iperf3.rates", way->direction) : NULL;
    double began = part != NULL ? number_of(part, "iperf3.began") : 0,
           window_s = check_number(context, "window");
    struct spells spells;
    struct rates rates;

    *ret_why = REASON(no_seconds_of_iperf3);
    if (told == NULL || began <= 0 ||
        !rates_cut(out->arena, told, window_s, check_number(context, "seconds"), &rates))
        return false;
    tell_slowest(context, &rates, way, began, out);
    *ret_why = REASON(nothing_sent_most_of_the_time);
    if (rates.median <= 0)
        return false;
    spells_find(out->arena, &(struct spells_series){.values = rates.values, .count = rates.count}, SLOW_BY,
                SLOW_BY, &spells);
    *ret_slow = reason_also(out->arena, *ret_slow,
                            slow_for_a_while(out->arena, &spells, rates.count, way, began, window_s));
    *ret_why = reason(out->arena, windows_too_uneven, arena_printf(out->arena, "%.1f", spells.noise * 100),
                      SLOW_BY * 100);
    return !spells.blind || spells.items.count > 0;
}

static void tell_steady(const struct check_context *context, const struct attempt *attempt,
                        struct reading *out)
{
    const struct reason *slow = NULL, *why, *unknown = NULL;

    for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
        if (!tell_windows(context, attempt, &ways[i], out, &slow, &why))
            unknown = why;
    if (slow != NULL)
        reading_fact_said(out, "line.steady", "", slow);
    else if (unknown != NULL)
        reading_unread(out, "line.steady", "", unknown);
    else
        reading_fact(out, "line.steady", "", slice_of("yes"));
}

static void read_line(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    read_parts(context, attempt, out);
    hold_to_asked(context, attempt_part(attempt, "there"), out);
    hold_to_asked(context, attempt_part(attempt, "back"), out);
    tell_loss(out);
    tell_times(out);
    if (check_number(context, "window") > 0)
        tell_steady(context, attempt, out);
}

/* --- what is required --- */

static const struct limit whole_rules[] =
    RULES_EQUAL("line.whole", "yes", "RFC 2923, 2.1: what is lost without a word is a black hole of MTU");

static const struct limit steady_rules[] =
    RULES_EQUAL("line.steady", "yes", "assay: windows against their own median, from 10%");

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    static const struct {
        const char *metric, *at;
    } rows[] = {
        {"line.bandwidth", "direction=forward stat=average"},
        {"line.bandwidth", "direction=forward stat=slowest"},
        {"line.bandwidth", "direction=reverse stat=average"},
        {"line.bandwidth", "direction=reverse stat=slowest"},
        {"line.retransmits", "direction=forward"},
        {"line.retransmits", "direction=reverse"},
        {"line.loss", NULL},
        {"line.latency", "stat=median"},
        {"line.latency", "stat=max"},
        {"line.jitter", NULL},
        {"line.window", "direction=forward"},
        {"line.window", "direction=reverse"},
    };
    size_t count = ARRAY_SIZE(rows) - (check_number(context, "window") > 0 ? 0 : ARRAY_SIZE(ways));

    slot_add(context, slots, "line.whole", "", NULL, DUTY_GATE, whole_rules);
    slot_add(context, slots, "line.mtu", "", NULL, rules_duty(context, "line.mtu", ""), NULL);
    for (size_t i = 0; i < count; i++)
        slot_add(context, slots, rows[i].metric, "", rows[i].at, rules_duty(context, rows[i].metric, ""),
                 NULL);
    if (check_number(context, "window") > 0)
        slot_add(context, slots, "line.steady", "", NULL, DUTY_RECORD, steady_rules);
}

static const char *arguments_fault(const struct check_context *context)
{
    const char *endpoint = check_text(context, "endpoint");
    bool pair = strcmp(context->step->scope, "pair") == 0;

    if (is_by_line(context) && endpoint != NULL)
        return "\"endpoint\" does not go with \"by\": \"line\", whose ends the hostfile declares";
    if (!is_by_line(context) && pair == (endpoint != NULL))
        return pair
                   ? "\"endpoint\" goes with the scope host; a pair has two ends"
                   : "the scope host needs \"endpoint\" or \"by\": \"line\"; expected one of them, or the scope pair";
    if (endpoint != NULL && !host_is_line_end(endpoint))
        return "\"endpoint\" is no name and no address";
    if (!is_over(context, "address") && !is_over(context, "mpi_address"))
        return "\"over\" is neither address nor mpi_address";
    if (check_number(context, "port") < 1 || check_number(context, "port") > PORT_MOST)
        return "\"port\" is not 1 to 65535";
    if (check_number(context, "pings") < 2 || check_number(context, "seconds") < 1 ||
        check_number(context, "streams") < 1)
        return "\"pings\" must be at least 2, \"seconds\" and \"streams\" 1";
    if (check_number(context, "seconds") < SPELLS_LEAST * check_number(context, "window"))
        return "\"seconds\" must hold at least 8 of \"window\"";
    if (check_number(context, "seconds") * (check_number(context, "streams") + 1) * SECOND_BYTES >
        PARSER_DOCUMENT_BYTES)
        return "\"seconds\" are too many for what is read of iperf3's output; use fewer \"streams\", or repeat the step "
               "(\"repeat_for_s\")";
    return NULL;
}

/* "when": {"lines": true} takes those that have some. */
static int host_valid(const struct check_context *context, const char *hostfile, struct error *err)
{
    const struct host *host = context->members[0];

    if (!is_by_line(context) || host->lines.count > 0 || json_get(context->step->when, "lines") != NULL)
        return 0;
    return error_set(
        err, ERROR_USAGE,
        "%s:%u:%u: host '%s' has no line.NAME=ADDRESS, and step '%s' goes by line; expected it, or "
        "\"when\": {\"lines\": true} in the step",
        hostfile, host->line, host->column, host->name, context->step->name);
}

static unsigned expected_s(const struct check_context *context)
{
    return (unsigned)ceil(check_number(context, "pings") * PING_EVERY_S +
                          2 * check_number(context, "seconds")) +
           20;
}

const struct check check_line = {
    .name = "line",
    .title = "Line",
    .summary =
        "bandwidth both ways, loss, latency and lost large packets between two hosts, or to an end elsewhere",
    .concerns = OF_NETWORK,
    .scopes = SCOPE_PAIR | SCOPE_HOST | SCOPE_LINE,
    .exclusive = EXCLUSIVE_HOST,
    .arguments = ARGUMENTS(
        {"endpoint", ARGUMENT_TEXT, NULL,
         "from one host: the name or address of an end where `iperf3 -s` runs already; by line, those of the hostfile; without either, between the two hosts of a pair"},
        {"over", ARGUMENT_TEXT, "address",
         "of a pair, the network in which the controller reaches the second host (address= of the hostfile), or that of mpi_address="},
        {"port", ARGUMENT_COUNT, "5201", "of iperf3's server, where the hostfile has none"},
        {"streams", ARGUMENT_COUNT, "8", "of iperf3 at once", MORE_IS_MORE},
        {"seconds", ARGUMENT_COUNT, "10", "that iperf3 sends, each way", MORE_IS_MORE},
        {"window", ARGUMENT_COUNT, "0",
         "seconds of a window in time: the slowest one of each way is told, and whether one was slow for a while; 0: none"},
        {"pings", ARGUMENT_COUNT, "50", "small packets, five in a second", MORE_IS_MORE}),
    .arguments_fault = arguments_fault,
    .host_valid = host_valid,
    /* The pings first: at rest. */
    .parts = PARTS({"pings", "key-value", put_pings, NULL}, {"there", "iperf3", put_there, NULL},
                   {"back", "iperf3", put_back, NULL}),
    .remedies = REMEDIES(
        {"line.whole", REASON(look_for_small_mtu_on_the_way)},
        {"line.loss", REASON(look_for_what_drops_packets)},
        {"line.retransmits", REASON(look_for_what_drops_packets)},
        {"line.steady", REASON(look_what_stalls_line)}, {"line.window", REASON(look_what_stalls_line)},
        {"line.*", REASON(look_at_both_ends_of_line)}, {"sound", REASON(is_iperf3_on_both_ends)}),
    .more_slots = more_slots,
    .plain = PLAIN_WORDS({"line.whole*", PLAIN(line_drops_whole_packets, PLAIN_MEASURED)},
                         {"line.loss*", PLAIN(line_loses_packets, PLAIN_MEASURED, PLAIN_REQUIRED)},
                         {"line.bandwidth*", PLAIN(line_runs_slowly, PLAIN_MEASURED, PLAIN_REQUIRED)}),
    .expected = expected_s,
    .read = read_line,
};

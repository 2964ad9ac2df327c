/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared storage under elbencho: all hosts write at once, each thread a file, and read what the next host wrote; then once more with
 * smaller files whose bytes are compared; sh/storage_elbencho.sh. Its services are started by the launcher, one on each host.
 *
 *   elbencho.write.bandwidth, .read.bandwidth, .iops, .time   of the first table, until the last thread had done its part; gates where
 *                                                             the step has limits, else recorded
 *   elbencho.write.slowest, .read.slowest   recorded: the host that was done last, and how long it took
 *   elbencho.wrong   1 where what was read was not what was written: a gate
 *   elbencho.nodes   hosts that told when they were done, of both directions the fewer: a gate
 */
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

#include "clients.h"
#include "launcher.h"
#include "rules.h"
#include "script.h"

enum {
    RUNS = 2 /* of sh/storage_elbencho.sh */,
    START_S = 60,
    SETTINGS_BYTES = 64 * 1024,
    PORT_MOST = 65535
};
#define RATE_BYTES 1e8 /* of a host in a second, at least: it is waited for that long */
static const char *const directions[] = {"write", "read"};

static bool is_multiple(const struct check_context *context, const char *size)
{
    return check_number(context, size) >= check_number(context, "block") &&
           (uint64_t)check_number(context, size) % (uint64_t)check_number(context, "block") == 0;
}

static const char *arguments_fault(const struct check_context *context)
{
    if (check_number(context, "block") < 8 || !is_multiple(context, "size") ||
        !is_multiple(context, "checked"))
        return "\"size\" or \"checked\" is no multiple of \"block\", or \"block\" less than 8 bytes";
    if (check_number(context, "port") > PORT_MOST)
        return "\"port\" is at most 65535";
    return clients_arguments_fault(context);
}

static double file_count(const struct check_context *context)
{
    return check_number(context, "threads") * (double)context->member_count;
}

static double written_bytes(const struct check_context *context)
{
    return (check_number(context, "size") + check_number(context, "checked")) * file_count(context);
}

/* --- the command --- */

/* By the names that elbencho is given, and tells them again. */
static const char *service_of(const struct check_context *context, size_t member)
{
    return arena_printf(context->arena, "%s:%.0f", launcher_name(context, member),
                        check_number(context, "port"));
}

static void put_settings(const struct check_context *context, struct text *out)
{
    const char *hosts = "";

    for (size_t i = 0; i < context->member_count; i++)
        hosts = arena_printf(context->arena, "%s%s%s", hosts, i > 0 ? "," : "", service_of(context, i));
    script_set(out, "folder", clients_folder(context));
    script_set(out, "hosts", hosts);
    script_set_number(out, "kib", written_bytes(context) / 1024, 0);
    script_set_number(out, "files", file_count(context), 0);
    script_set_number(out, "threads", check_number(context, "threads"), 0);
    script_set_number(out, "block", check_number(context, "block"), 0);
    script_set_number(out, "size", check_number(context, "size"), 0);
    script_set_number(out, "checked", check_number(context, "checked"), 0);
    script_set_number(out, "port", check_number(context, "port"), 0);
}

static void command(const struct check_context *context, struct text *out)
{
    const struct launch launch = {.ranks_per_host = 1};
    const char *flags = check_text(context, "flags");

    script_begin(out, "elbencho over all hosts: write, read, compare");
    text_put(out, "serve() ( ");
    launcher_tool(context, &launch, "elbencho", out);
    text_put(out, " \"$@\" )\n");
    script_tool(context, out, "elbencho", "elbencho");
    put_settings(context, out);
    text_put(out, "set --");
    script_words(context, out, flags != NULL ? flags : "");
    text_put(out, "\n");
    text_put(out, script_storage_elbencho);
}

/* --- what is owed --- */

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    static const struct limit no_wrong[] =
        RULES_MOST("elbencho.wrong", 0, "assay: what was written is what is read");
    static const char *const rates[] = {"bandwidth", "iops", "time"};
    const char *count = arena_printf(context->arena, "%zu", context->member_count);

    slot_add(context, slots, "elbencho.nodes", "", NULL, DUTY_GATE,
             rules_new(context, LIMITS RULES_EQUAL("elbencho.nodes", count, "assay: all members of the step",
                                                   .inconclusive = true)));
    slot_add(context, slots, "elbencho.wrong", "", NULL, DUTY_GATE, no_wrong);
    for (size_t way = 0; way < ARRAY_SIZE(directions); way++) {
        for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
            const char *metric = arena_printf(context->arena, "elbencho.%s.%s", directions[way], rates[i]);

            slot_add(context, slots, metric, "", "run=1", rules_duty(context, metric, ""), NULL);
        }
        slot_add(context, slots, arena_printf(context->arena, "elbencho.%s.slowest", directions[way]), "",
                 NULL, DUTY_RECORD, NULL);
    }
    slot_add(context, slots, "elbencho.version", "", NULL, DUTY_RECORD, NULL);
}

/* --- what came out --- */

/* NULL: nobody of the step is called so. */
static const char *member_of(const struct check_context *context, const char *service)
{
    for (size_t i = 0; i < context->member_count; i++)
        if (strcmp(service_of(context, i), service) == 0)
            return context->members[i]->name;
    return NULL;
}

/* Who told of that direction in the first table; the last of them is recorded. */
static size_t tell_hosts(const struct check_context *context, const char *direction, struct reading *out)
{
    const char *metric = arena_printf(out->arena, "elbencho.%s.host_time", direction), *slowest = NULL;
    double most = 0, run;
    size_t count = 0;

    for (size_t i = 0; i < out->measurements.count; i++) {
        const struct measurement *host = &out->measurements.items[i];

        if (strcmp(host->metric, metric) != 0 || !measurement_at(host, "run", &run) || run > 1 ||
            member_of(context, host->subject) == NULL)
            continue;
        count++;
        if (slowest == NULL || host->value > most) {
            most = host->value;
            slowest = member_of(context, host->subject);
        }
    }
    if (slowest != NULL)
        reading_fact_said(out, arena_printf(out->arena, "elbencho.%s.slowest", direction), "",
                          reason(out->arena, noted, slowest, arena_printf(out->arena, "%.4g s", most)));
    return count;
}

/* A comparison that was not made says nothing. */
static void tell_wrong(const struct reading *main, struct reading *out)
{
    double run;
    bool compared = false;

    for (size_t i = 0; i < out->findings.count; i++)
        if (strcmp(out->findings.items[i].code, "elbencho.wrong") == 0) {
            reading_measure(out, "elbencho.wrong", "", 1, "");
            return;
        }
    for (size_t i = 0; i < out->measurements.count; i++)
        compared |= strcmp(out->measurements.items[i].metric, "elbencho.read.bandwidth") == 0 &&
                    measurement_at(&out->measurements.items[i], "run", &run) && run >= RUNS;
    if (compared && main->status == READING_COMPLETE)
        reading_measure(out, "elbencho.wrong", "", 0, "");
}

static void read_elbencho(const struct check_context *context, const struct attempt *attempt,
                          struct reading *out)
{
    const struct part *part = attempt_part(attempt, "main");
    size_t counts[ARRAY_SIZE(directions)], runs;

    read_parts(context, attempt, out);
    if (part == NULL)
        return;
    runs = part->reading.runs.count > 0 ? part->reading.runs.count : 1;
    for (size_t way = 0; way < ARRAY_SIZE(directions); way++)
        counts[way] = tell_hosts(context, directions[way], out);
    reading_fact(out, "elbencho.nodes", "",
                 slice_of(arena_printf(out->arena, "%zu", counts[0] < counts[1] ? counts[0] : counts[1])));
    tell_wrong(&part->reading, out);
    if (runs > RUNS)
        reading_doubt(out, reason(out->arena, several_runs_of_tool, runs, RUNS));
    else if (runs < RUNS && out->status == READING_COMPLETE)
        reading_set(out, READING_PARTIAL, reason(out->arena, several_runs_of_tool, runs, RUNS));
}

static unsigned expected_s(const struct check_context *context)
{
    /* Each host writes its part, and reads as much. */
    double bytes = written_bytes(context) / (double)context->member_count;

    return START_S + (unsigned)context->member_count / 4 + (unsigned)(2 * bytes / RATE_BYTES);
}

const struct check check_storage_elbencho = {
    .name = "storage-elbencho",
    .title = "Storage under elbencho",
    .summary =
        "elbencho over all hosts on a shared mount: bandwidth and requests of writing and reading, and the data compared",
    .concerns = OF_HOST,
    .scopes = SCOPE_HOSTS, /* one host would read what it has in its own memory */
    .exclusive = EXCLUSIVE_HOST,
    .arguments = ARGUMENTS(
        CLIENTS_ARGUMENT_ROWS,
        {"threads", ARGUMENT_COUNT, "16", "of each host, each with a file of its own (-t)", MORE_IS_MORE},
        {"block", ARGUMENT_SIZE, "1M", "of one request (-b)"},
        {"size", ARGUMENT_SIZE, "4G", "of each file (-s)", MORE_IS_MORE},
        {"checked", ARGUMENT_SIZE, "64M", "of each file whose bytes are compared", MORE_IS_MORE},
        {"port", ARGUMENT_COUNT, "1611", "at which elbencho's services listen meanwhile", ANY_IS_OTHER},
        {"flags", ARGUMENT_TEXT, "--direct", "further flags of elbencho"}),
    .arguments_fault = arguments_fault,
    .host_valid = clients_host_valid,
    .parts = PARTS({"main", "elbencho", command, NULL}),
    .results = RESULTS("elbencho.wrong"),
    .remedies = REMEDIES({"elbencho.wrong", REASON(trust_no_such_storage)},
                         {"elbencho.nodes", REASON(see_who_ran_on_which_host)},
                         {"elbencho.*", REASON(look_at_parallel_storage)},
                         {"sound", REASON(try_parallel_io_by_hand)}),
    .more_slots = more_slots,
    .expected = expected_s,
    .read = read_elbencho,
    .hosts_file = launcher_hosts_file,
};

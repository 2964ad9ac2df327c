/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared storage as an MPI program loads it: IOR over all hosts writes, reads what another host wrote, and compares what a third one
 * wrote, of two hosts again the other one; sh/storage_ior.sh. All ranks work at once and end together, so a bandwidth is of all hosts,
 * and as low as the slowest of them makes it: who that is storage-clients tells.
 *
 *   ior.write.bandwidth, ior.read.bandwidth   of runs in which nothing is compared; gates where the step has limits, else recorded
 *   ior.wrong                                 of the run in which all is: a gate
 */
#include <string.h>

#include "assay/reasons/check.h"
#include "assay/reasons/parse.h"

#include "launcher.h"
#include "parallel_io.h"
#include "rules.h"
#include "script.h"

enum { RUNS = 3 /* of sh/storage_ior.sh */, START_S = 30 /* of each */, SETTINGS_BYTES = 4096 };

static bool is_shared(const struct check_context *context)
{
    return strcmp(check_text(context, "layout"), "shared") == 0;
}

static const char *arguments_fault(const struct check_context *context)
{
    double transfer = check_number(context, "transfer"), block = check_number(context, "block");

    if (!is_shared(context) && strcmp(check_text(context, "layout"), "files") != 0)
        return "\"layout\" is neither \"files\" nor \"shared\"";
    if (transfer < 8 || block < transfer || (uint64_t)block % (uint64_t)transfer != 0 ||
        (uint64_t)transfer % 8 != 0)
        return "\"block\" is no multiple of \"transfer\", or \"transfer\" none of 8 bytes";
    return clients_arguments_fault(context);
}

static double written_bytes(const struct check_context *context)
{
    return check_number(context, "block") * launcher_ranks_per_host(context) * (double)context->member_count;
}

static void command(const struct check_context *context, struct text *out)
{
    cleanup_text struct text settings = {0};

    text_init(&settings, SETTINGS_BYTES);
    script_set(&settings, "layout", is_shared(context) ? "" : "-F");
    script_set_number(&settings, "transfer", check_number(context, "transfer"), 0);
    script_set_number(&settings, "block", check_number(context, "block"), 0);
    script_set_number(&settings, "seconds", check_number(context, "seconds"), 0);
    script_set_number(&settings, "further", context->member_count == 2 ? 1 : 2, 0);
    parallel_io_put(context,
                    &(const struct parallel_io_work){.title = "ior over all hosts: write, read, compare",
                                                     .tool = "ior",
                                                     .bytes = written_bytes(context),
                                                     .settings = settings.bytes,
                                                     .script = script_storage_ior},
                    out);
}

/* --- what is owed --- */

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    static const struct limit no_wrong[] =
        RULES_MOST("ior.wrong", 0, "assay: what was written is what is read");
    static const char *const metrics[] = {"ior.write.bandwidth", "ior.read.bandwidth", "ior.write.transfers",
                                          "ior.read.transfers",  "ior.write.time",     "ior.read.time"};

    parallel_io_slots(context, slots, "ior");
    slot_add(context, slots, "ior.wrong", "", NULL, DUTY_GATE, no_wrong);
    for (size_t i = 0; i < ARRAY_SIZE(metrics); i++)
        slot_add(context, slots, metrics[i], "", "verified=no", rules_duty(context, metrics[i], ""), NULL);
    slot_add(context, slots, "ior.version", "", NULL, DUTY_RECORD, NULL);
}

/* --- what came out --- */

/* Without its folder, which is of one attempt: several attempts may say the same. */
static const char *plain_name(const char *file)
{
    const char *slash = strrchr(file, '/');

    return slash != NULL ? slash + 1 : file;
}

/* With a file for each rank its name ends in the writer's: "data.00000012". */
static const char *writer_of(const struct check_context *context, const char *file)
{
    const char *dot = strrchr(file, '.');
    uint64_t rank;

    return !is_shared(context) && dot != NULL && scan_u64(slice_of(dot + 1), &rank)
               ? parallel_io_host(context, rank)
               : NULL;
}

/* "rank12" is of a host: it is that one which read wrong data, or the one that wrote it. */
static void name_host(const struct check_context *context, struct finding *finding)
{
    struct slice rank_text = slice_of(finding->subject);
    const char *host, *count, *file, *writer;
    uint64_t rank;

    if (strcmp(finding->code, "ior.wrong") != 0 || !scan_text(&rank_text, "rank") ||
        !scan_u64(rank_text, &rank) || (host = parallel_io_host(context, rank)) == NULL)
        return;
    finding->subject = arena_printf(context->arena, "%s/%s", host, finding->subject);
    if (!reason_is(finding->what, wrong_data_in_file))
        return;
    count = reason_argument_text(finding->what, 1);
    file = plain_name(reason_argument_text(finding->what, 2));
    writer = writer_of(context, file);
    finding->what = writer != NULL ? reason(context->arena, read_other_data_of, count, file, writer)
                                   : reason(context->arena, read_other_data, count, file);
}

static void read_ior(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    parallel_io_read(context, attempt, RUNS, out);
    for (size_t i = 0; i < out->findings.count; i++)
        name_host(context, &out->findings.items[i]);
}

static unsigned expected_s(const struct check_context *context)
{
    /* Reading and comparing take no longer than writing does; who waits for the fastest takes a little more. */
    return RUNS * (START_S + (unsigned)context->member_count / 4 +
                   (unsigned)check_number(context, "seconds") * 3 / 2);
}

const struct check check_storage_ior = {
    .name = "storage-ior",
    .title = "Storage under IOR",
    .summary =
        "ior over all hosts on a shared mount: bandwidth of writing and reading, and the data compared",
    .concerns = OF_HOST,
    .scopes = SCOPE_HOSTS, /* one host would read what it has in its own memory */
    .exclusive = EXCLUSIVE_HOST,
    .arguments =
        ARGUMENTS(PARALLEL_IO_ARGUMENT_ROWS,
                  {"layout", ARGUMENT_TEXT, "files",
                   "\"files\": a file for each rank (-F), or \"shared\": one for all"},
                  {"transfer", ARGUMENT_SIZE, "1M", "of one request (-t)"},
                  {"block", ARGUMENT_SIZE, "4G", "what each rank writes at most (-b)", MORE_IS_MORE},
                  {"seconds", ARGUMENT_COUNT, "60",
                   "how long they write at most: then all write as much as the fastest (-D)", MORE_IS_MORE},
                  {"flags", ARGUMENT_TEXT, NULL, "further flags of ior, such as --posix.odirect"}),
    .arguments_fault = arguments_fault,
    .host_valid = clients_host_valid,
    .parts = PARTS({"main", "ior", command, NULL}),
    .results = RESULTS("ior.wrong"),
    .remedies = REMEDIES(
        {"ior.wrong", REASON(trust_no_such_storage)}, {"ior.nodes", REASON(see_who_ran_on_which_host)},
        {"ior.tasks", REASON(see_who_ran_on_which_host)}, {"ior.*", REASON(look_at_parallel_storage)},
        {"sound", REASON(try_parallel_io_by_hand)}),
    .more_slots = more_slots,
    .expected = expected_s,
    .read = read_ior,
    .hosts_file = launcher_hosts_file,
};

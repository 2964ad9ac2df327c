/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metadata of shared storage as an MPI program loads it: mdtest over all hosts makes files, looks at those of the next host, reads
 * those of the one after that, and removes them; sh/storage_mdtest.sh. A rate is of all ranks together, until the last of them has done
 * its part.
 *
 *   mdtest.file.create, .stat, .read, .remove   gates where the step has limits, else recorded; of two hosts .read is not told: each
 *                                               would read its own files, from its own memory
 */
#include <string.h>

#include "assay/reasons/check.h"

#include "launcher.h"
#include "parallel_io.h"
#include "rules.h"
#include "script.h"

enum {
    START_S = 60,
    FILES_A_SECOND = 2000 /* of a slow server, in each of four ways */,
    SETTINGS_BYTES = 4096
};

#define READ "mdtest.file.read"

static bool has_own(const struct check_context *context)
{
    return strcmp(check_text(context, "directory"), "own") == 0;
}

static const char *arguments_fault(const struct check_context *context)
{
    if (!has_own(context) && strcmp(check_text(context, "directory"), "shared") != 0)
        return "\"directory\" is neither \"shared\" nor \"own\"";
    return clients_arguments_fault(context);
}

static double all_files(const struct check_context *context)
{
    return check_number(context, "files") * launcher_ranks_per_host(context) * (double)context->member_count;
}

static void command(const struct check_context *context, struct text *out)
{
    cleanup_text struct text settings = {0};

    text_init(&settings, SETTINGS_BYTES);
    script_set(&settings, "own", has_own(context) ? "-u" : "");
    script_set_number(&settings, "files", check_number(context, "files"), 0);
    script_set_number(&settings, "bytes", check_number(context, "bytes"), 0);
    parallel_io_put(context,
                    &(const struct parallel_io_work){
                        .title = "mdtest over all hosts: create, stat, read and remove files",
                        .tool = "mdtest",
                        .bytes = all_files(context) * check_number(context, "bytes"),
                        .settings = settings.bytes,
                        .script = script_storage_mdtest},
                    out);
}

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    static const char *const metrics[] = {"mdtest.file.create", "mdtest.file.stat", READ,
                                          "mdtest.file.remove"};

    parallel_io_slots(context, slots, "mdtest");
    for (size_t i = 0; i < ARRAY_SIZE(metrics); i++)
        slot_add(context, slots, metrics[i], "", NULL, rules_duty(context, metrics[i], ""), NULL);
    slot_add(context, slots, "mdtest.version", "", NULL, DUTY_RECORD, NULL);
}

static void drop_reads(struct reading *out)
{
    size_t kept = 0;

    for (size_t i = 0; i < out->measurements.count; i++)
        if (strcmp(out->measurements.items[i].metric, READ) != 0)
            out->measurements.items[kept++] = out->measurements.items[i];
    out->measurements.count = kept;
    reading_finding(out, SEVERITY_INFO, READ ".unread", "", REASON(two_hosts_read_own_files));
}

static void read_mdtest(const struct check_context *context, const struct attempt *attempt,
                        struct reading *out)
{
    parallel_io_read(context, attempt, 1, out);
    if (context->member_count < 3)
        drop_reads(out);
}

static unsigned expected_s(const struct check_context *context)
{
    return START_S + (unsigned)context->member_count / 4 +
           (unsigned)(all_files(context) * 4 / FILES_A_SECOND);
}

const struct check check_storage_mdtest = {
    .name = "storage-mdtest",
    .title = "Storage under mdtest",
    .summary = "mdtest over all hosts on a shared mount: files made, looked at, read and removed in a second",
    .concerns = OF_HOST,
    .scopes = SCOPE_HOSTS, /* one host would look at what it has in its own memory */
    .exclusive = EXCLUSIVE_HOST,
    .arguments = ARGUMENTS(PARALLEL_IO_ARGUMENT_ROWS,
                           {"files", ARGUMENT_COUNT, "1000", "how many each rank makes (-n)", MORE_IS_MORE},
                           {"bytes", ARGUMENT_SIZE, "3901", "of each of them, written and read (-w, -e)"},
                           {"directory", ARGUMENT_TEXT, "shared",
                            "\"shared\": one for the files of all ranks, or \"own\": one for each (-u)"},
                           {"flags", ARGUMENT_TEXT, NULL, "further flags of mdtest"}),
    .arguments_fault = arguments_fault,
    .host_valid = clients_host_valid,
    .parts = PARTS({"main", "mdtest", command, NULL}),
    .remedies =
        REMEDIES({"mdtest.nodes", REASON(see_who_ran_on_which_host)},
                 {"mdtest.tasks", REASON(see_who_ran_on_which_host)},
                 {"mdtest.*", REASON(look_at_metadata_servers)}, {"sound", REASON(try_parallel_io_by_hand)}),
    .more_slots = more_slots,
    .expected = expected_s,
    .read = read_mdtest,
    .hosts_file = launcher_hosts_file,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shared mount as its users load it: 1, 2, 4, ... and all hosts at once write and read (files of their own, one
 * that all read, a checkpoint that one of them restores), and make, look at and remove files, each in its folder and all in one.
 * The first host logs in to all of them (launcher.h), and they begin in the same second by their clocks, which are compared
 * before. What is read of it: family/clients.h, family/sweep.h.
 *
 * Each host is compared with the others that did the same beside it, by the rule of peers: who is slow there is named. There are
 * no figures for storage that fit all; a contract's are limits of the step, such as clients.read.bandwidth of "16 clients".
 */
#include <math.h>
#include <string.h>

#include "assay/reasons/check.h"

#include "clients.h"
#include "launcher.h"
#include "rules.h"
#include "script.h"
#include "sweep.h"

static size_t count_turns(const struct check_context *context)
{
    size_t jobs = 0, levels = 0;

    while (sweep_job(context, jobs) != NULL)
        jobs++;
    while (sweep_level(context, levels) != 0)
        levels++;
    return jobs * levels;
}

/* --- the command --- */

static const char *jobs_text(const struct check_context *context)
{
    const char *text = "";

    for (size_t i = 0; sweep_job(context, i) != NULL; i++)
        text = arena_printf(context->arena, "%s%s%s", text, i > 0 ? " " : "", sweep_job(context, i)->name);
    return text;
}

static const char *levels_text(const struct check_context *context)
{
    const char *text = "";

    for (size_t i = 0; sweep_level(context, i) != 0; i++)
        text = arena_printf(context->arena, "%s%s%zu", text, i > 0 ? " " : "", sweep_level(context, i));
    return text;
}

enum { SETTINGS_BYTES = 16 * 1024 };

static void command(const struct check_context *context, struct text *out)
{
    cleanup_text struct text settings = {0};
    double seconds = check_number(context, "seconds");

    text_init(&settings, SETTINGS_BYTES);
    script_set(&settings, "levels", levels_text(context));
    script_set(&settings, "jobs", jobs_text(context));
    script_set_number(&settings, "job_s", ceil(seconds / context->timescale), 0);
    script_set_number(&settings, "seconds", seconds, 0);
    script_set(&settings, "block", check_text(context, "block"));
    script_set(&settings, "small", check_text(context, "small_block"));
    script_set(&settings, "flags", check_text(context, "fio_flags"));
    script_tool(context, &settings, "fio_tool", "fio");
    clients_put(context,
                &(const struct clients_work){
                    .title = arena_printf(context->arena, "%s of 1, 2, 4 ... hosts at once in %s",
                                          jobs_text(context), clients_folder(context)),
                    .bytes = check_number(context, "size") *
                             (sweep_has_job(context, "write") + sweep_has_job(context, "checkpoint")),
                    .files = check_number(context, "files") *
                             (sweep_has_job(context, "create") + sweep_has_job(context, "fill")),
                    .slot_s = sweep_slot_s(context),
                    .turns = count_turns(context),
                    .settings = settings.bytes,
                    .script = script_storage_client,
                },
                out);
}

/* --- what is owed --- */

static const struct limit together_rules[] =
    RULES_EQUAL("clients.*.together", "yes", "assay: a sum is of clients that work at the same time",
                .inconclusive = true);

static const struct limit whole_rules[] =
    RULES_EQUAL("clients.*.whole", "yes", "assay: argument files, within the argument seconds");

static void add_sum(const struct check_context *context, struct slot_list *slots, const struct sweep_job *job,
                    size_t level)
{
    const char *subject = sweep_subject(context->arena, level);
    const char *sum = sweep_metric(context->arena, "clients", job, job->what);

    slot_add(context, slots, sweep_metric(context->arena, "clients", job, "together"), subject, NULL,
             DUTY_GATE, together_rules);
    slot_add(context, slots, sum, subject, NULL, rules_duty(context, sum, subject), NULL);
    if (job->counted != COUNTED_NOT)
        slot_add(context, slots, sweep_metric(context->arena, "clients", job, "whole"), subject, NULL,
                 DUTY_RECORD, whole_rules);
}

static void add_members(const struct check_context *context, struct slot_list *slots,
                        const struct sweep_job *job, size_t level)
{
    const char *metric = sweep_metric(context->arena, "client", job, job->what);
    const char *at = arena_printf(context->arena, "clients=%zu", level);

    for (size_t i = 0; i < sweep_workers(job, level); i++) {
        const char *name = context->members[i]->name;

        slot_add(context, slots, metric, name, at, rules_duty(context, metric, name), NULL);
    }
}

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    const struct sweep_job *job;
    size_t level;

    clients_slots(context, slots, sweep_late_s(context));
    for (size_t k = 0; (job = sweep_job(context, k)) != NULL; k++) {
        const char *knee = sweep_metric(context->arena, "clients", job, "knee");

        for (size_t i = 0; (level = sweep_level(context, i)) != 0; i++) {
            add_sum(context, slots, job, level);
            add_members(context, slots, job, level);
        }
        if (job->by_first)
            continue;
        slot_add(context, slots, knee, "", NULL, rules_duty(context, knee, ""), NULL);
        slot_add(context, slots, sweep_metric(context->arena, "clients", job, "scaling"), "", NULL,
                 DUTY_RECORD, NULL);
    }
}

static const char *jobs_fault(const struct check_context *context)
{
    const struct json *jobs = json_get(context->step->arguments, "jobs");
    const struct sweep_job *job;
    size_t known = 0;

    for (; (job = sweep_job(context, known)) != NULL; known++)
        if (job->needs != NULL && !sweep_has_job(context, job->needs))
            return arena_printf(context->arena, "\"jobs\" names \"%s\", which needs \"%s\": name that too",
                                job->name, job->needs);
    if (jobs != NULL && (known == 0 || known != jobs->count))
        return "\"jobs\" are of write, read, shared, randwrite, randread, checkpoint, restore, create, stat, delete, fill, list "
               "and clear, each once";
    return NULL;
}

static const char *arguments_fault(const struct check_context *context)
{
    const char *fault = clients_arguments_fault(context);

    return fault != NULL ? fault : jobs_fault(context);
}

static double turns_s(const struct check_context *context)
{
    return clients_work_s(context, &(const struct clients_work){.slot_s = sweep_slot_s(context),
                                                                .turns = count_turns(context)});
}

static unsigned expected_s(const struct check_context *context)
{
    return clients_expected_s(context, &(const struct clients_work){.slot_s = sweep_slot_s(context),
                                                                    .turns = count_turns(context)});
}

const struct check check_storage_clients = {
    .name = "storage-clients",
    .title = "Storage under many clients",
    .summary =
        "1, 2, 4 ... hosts at once on a shared mount: bandwidth, IOPS and files in a second, the knee, the slow client",
    .concerns = OF_HOST,
    .scopes = SCOPE_PAIR | SCOPE_GROUP | SCOPE_CLUSTER,
    .exclusive = EXCLUSIVE_HOST,
    .arguments = ARGUMENTS(
        CLIENTS_ARGUMENT_ROWS,
        {"jobs", ARGUMENT_LIST, NULL,
         "what the clients do; with fio: write, read, shared (all read one file), randwrite, randread, checkpoint (all write a "
         "file until the storage has it), restore (one host reads all of those); with files: create, stat, delete, and in one "
         "folder of all fill, list, clear; default: all"},
        {"seconds", ARGUMENT_COUNT, "20",
         "how long each job of fio works; for checkpoint, restore and files how long each may take"},
        {"size", ARGUMENT_SIZE, "1G", "size of each client's file"},
        {"block", ARGUMENT_TEXT, "1M", "of one request of fio (--bs), but for randwrite and randread"},
        {"small_block", ARGUMENT_TEXT, "4k", "of one request of randwrite and randread"},
        {"files", ARGUMENT_COUNT, "1000",
         "how many files each client makes, looks at and removes, and once more in the folder of all"},
        {"fio_flags", ARGUMENT_TEXT, "--ioengine=libaio --direct=1 --iodepth=16 --group_reporting",
         "further flags of fio"}),
    .arguments_fault = arguments_fault,
    .host_valid = clients_host_valid,
    .parts = PARTS({"clients", "key-value", command, NULL}),
    .remedies = REMEDIES(
        {"client.works", REASON(let_client_use_mount)}, {"client.clock", REASON(run_time_service)},
        {"client.late", REASON(see_why_client_is_late)},
        {"clients.*.together", REASON(see_clients_that_lack)},
        {"clients.*.whole", REASON(give_files_more_seconds)}, {"client.*", REASON(look_at_slow_client)},
        {"clients.*", REASON(look_at_storage_servers)}, {"sound", REASON(see_streams_of_clients)}),
    .more_slots = more_slots,
    .expected = expected_s,
    .turns_s = turns_s,
    .read = sweep_read,
    .hosts_file = launcher_hosts_file,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a login must find on a host before anything is tested there, and what the hostfile says of it: space for
 * outputs, open files, processes that outlive a login, names of the other hosts, slots, and that it is a host of its
 * own. It runs as the login user, because tests and mpirun's ranks do.
 */
#include <string.h>

#include "assay/model/hostfile.h"
#include "assay/reasons/check.h"
#include "rules.h"
#include "script.h"

enum { NAMES_WITHIN_S = 30 /* as sh/setup.sh has it */ };

static const struct json *argument(const struct check_context *context, const char *name)
{
    return json_get(context->step->arguments, name);
}

/* -- The command -- */

/* How many there are, for they come before the names. */
static size_t put_folders(const struct check_context *context, struct text *out)
{
    size_t count = 0;

    json_each (folder, argument(context, "folders")) {
        script_word(out, folder->string);
        count++;
    }
    if (argument(context, "folders") != NULL)
        return count;
    script_word(out, "/var/tmp");
    return 1;
}

static bool is_address(const char *name)
{
    return strchr(name, ':') != NULL || strspn(name, "0123456789.") == strlen(name);
}

static void list_names(const struct check_context *context, struct hostlist *ret_names)
{
    *ret_names = (struct hostlist){0};
    json_each (item, argument(context, "names")) {
        struct hostlist names = {0};
        struct error err = {0};

        if (hostlist_expand(context->arena, item->string, &names, &err) < 0)
            continue; /* arguments_fault has refused it */
        for (size_t i = 0; i < names.names.count; i++)
            if (!is_address(names.names.items[i]))
                *list_push(context->arena, &ret_names->names) = names.names.items[i];
    }
}

static void command(const struct check_context *context, struct text *out)
{
    const char *own = context->members[0]->mpi_address;
    struct hostlist names;
    size_t folders;

    script_begin(out, "df; ulimit; getent ahosts NAME...");
    list_names(context, &names);
    text_put(out, "set --");
    folders = put_folders(context, out);
    for (size_t i = 0; i < names.names.count; i++)
        if (strcmp(names.names.items[i], own) != 0)
            script_word(out, names.names.items[i]);
    text_put(out, "\n");
    script_set_number(out, "folder_count", (double)folders, 0);
    script_set(out, "gpus", context->platform->gpu_count > 0 ? "yes" : "");
    script_set(out, "names", names.names.count > 0 ? "yes" : "");
    script_set(out, "own", is_address(own) ? "" : own);
    if (context->platform->gpu_count > 0)
        script_tool(context, out, "nvidia_smi", "nvidia-smi");
    text_put(out, script_setup);
}

/* -- Reading -- */

/* A fact that is a number becomes a measurement; one that is none stays a fact, and the item undecided. Why there is
   none is carried over too. */
static void measure(struct reading *out, const char *fact, const char *metric, const char *unit)
{
    const char *unread = arena_printf(out->arena, "%s.unread", fact);
    size_t findings = out->findings.count;

    for (size_t i = 0; i < findings; i++)
        if (strcmp(out->findings.items[i].code, unread) == 0)
            reading_unread(out, metric, out->findings.items[i].subject, out->findings.items[i].what);
    for (size_t i = 0; i < out->facts.count; i++) {
        const struct fact *told = &out->facts.items[i];
        double number;

        if (strcmp(told->name, fact) != 0)
            continue;
        if (scan_double(slice_of(told->value), &number))
            reading_measure(out, metric, told->subject, number, unit);
        else
            reading_unread(out, metric, told->subject, reason(out->arena, is_no_number, told->value));
    }
}

/* What the hostfile says of slots, or where it says nothing the platform of GPUs, and what is there. */
static void read_slots(const struct check_context *context, struct reading *out)
{
    unsigned slots = context->members[0]->slots;
    const struct platform *platform = context->platform;
    const char *gpus = reading_get_fact(out, "setup.gpus", "");
    uint64_t count;

    if (gpus == NULL || !scan_u64(slice_of(gpus), &count))
        return;
    if (count == (slots > 0 ? slots : platform->gpu_count))
        reading_fact_said(out, "setup.slots", "", REASON(as_declared));
    else if (slots > 0)
        reading_fact_said(out, "setup.slots", "", reason(out->arena, gpus_and_slots_differ, count, slots));
    else
        reading_fact_said(
            out, "setup.slots", "",
            reason(out->arena, gpus_and_platform_differ, count, platform->name, platform->gpu_count));
}

static void read_values(const struct check_context *context, const struct attempt *attempt,
                        struct reading *out)
{
    read_parts(context, attempt, out);
    measure(out, "setup.free", "setup.free_space", "MiB");
    measure(out, "setup.open_files", "setup.file_limit", "");
    read_slots(context, out);
}

/* -- What is owed -- */

static const struct limit writable_rules[] =
    RULES_EQUAL("setup.writable", "yes", "assay", .note = REASON(outputs_are_kept_there));
static const struct limit kill_rules[] =
    RULES_EQUAL("setup.kill_user_processes", "no", "assay", .note = REASON(systemd_ends_tests_at_logout));
static const struct limit names_rules[] =
    RULES_EQUAL("setup.names", "all", "assay", .note = REASON(name_leads_to_itself));
static const struct limit slots_rules[] = RULES_EQUAL("setup.slots", "as declared", "assay");

static const struct limit *floor_rule(const struct check_context *context, const char *metric,
                                      const char *argument_name, const char *unit)
{
    return rules_new(context,
                     LIMITS RULES(.metric = metric, .rule = RULE_FLOOR,
                                  .value = check_number(context, argument_name), .unit = unit,
                                  .source = arena_printf(context->arena, "assay: argument %s", argument_name),
                                  .status = LIMIT_TOOL));
}

static void slots_of_folder(const struct check_context *context, struct slot_list *slots, const char *folder)
{
    slot_add(context, slots, "setup.free_space", folder, NULL, DUTY_GATE,
             floor_rule(context, "setup.free_space", "free_mib", "MiB"));
    slot_add(context, slots, "setup.writable", folder, NULL, DUTY_GATE, writable_rules);
    slot_add(context, slots, "setup.inodes", folder, NULL, DUTY_RECORD, NULL);
}

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    const struct json *folders = argument(context, "folders");
    struct hostlist names;

    if (folders == NULL)
        slots_of_folder(context, slots, "/var/tmp");
    json_each (folder, folders)
        slots_of_folder(context, slots, folder->string);
    slot_add(context, slots, "setup.file_limit", "", NULL, DUTY_GATE,
             floor_rule(context, "setup.file_limit", "open_files", ""));
    if (context->platform->gpu_count > 0)
        slot_add(context, slots, "setup.slots", "", NULL, DUTY_GATE, slots_rules);
    list_names(context, &names);
    if (names.names.count > 0)
        slot_add(context, slots, "setup.names", "", NULL, DUTY_GATE, names_rules);
}

static const char *arguments_fault(const struct check_context *context)
{
    json_each (item, argument(context, "names")) {
        struct hostlist names = {0};
        struct error err = {0};

        if (hostlist_expand(context->arena, item->string, &names, &err) < 0)
            return arena_printf(context->arena, "names: %s", err.text);
    }
    return NULL;
}

const struct check check_setup = {
    .name = "setup",
    .title = "Set-up",
    .summary = "space, open files, names of the other hosts, slots as declared",
    .passive = true,
    .arguments = ARGUMENTS(
        {"folders", ARGUMENT_LIST, NULL,
         "where there must be space; default [\"/var/tmp\"], which keeps outputs of tests", GIVEN_IS_MORE},
        {"free_mib", ARGUMENT_COUNT, "1024", "free space that each of them must have, MiB", MORE_IS_MORE},
        {"open_files", ARGUMENT_COUNT, "1024", "files that a login may have open at least", MORE_IS_MORE},
        {"names", ARGUMENT_LIST, NULL,
         "names that must resolve on the host, [\"node[1-8]\"]; addresses are passed over", GIVEN_IS_MORE}),
    .arguments_fault = arguments_fault,
    .parts = PARTS({"values", "key-value", command, NULL}),
    .items = ITEMS({"setup.kill_user_processes", PER_TARGET, NULL, DUTY_GATE, kill_rules},
                   {"setup.hostname", PER_TARGET, NULL, DUTY_RECORD, NULL}),
    .remedies = REMEDIES(
        {"setup.free_space", REASON(make_room_in_folder), .problem = "disk space", .on_hosts = true,
         .command = "sudo du -xh -d 2 {subject} | sort -h | tail"},
        {"setup.writable", REASON(let_login_write), .problem = "disk space", .on_hosts = true,
         .command = "ls -ld {subject}"},
        {"setup.file_limit", REASON(raise_open_files), .problem = "open files", .on_hosts = true,
         .command = "printf '* soft nofile 65536\\n* hard nofile 1048576\\n' | sudo tee "
                    "/etc/security/limits.d/assay-files.conf"},
        {"setup.kill_user_processes", REASON(keep_processes_after_logout), .problem = "logout ends processes",
         .on_hosts = true, .command = "sudo loginctl enable-linger {user}"},
        {"setup.names", REASON(give_hosts_same_names), .problem = "name resolution", .on_hosts = true,
         .command = "getent ahosts NAME; cat /etc/hosts"},
        {"setup.slots", REASON(correct_slots), .problem = "slots"}),
    .more_slots = more_slots,
    .expected_s = NAMES_WITHIN_S,
    .read = read_values,
};

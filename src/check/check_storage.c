/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Storage: the mounts that the suite declares are there on every host, the same everywhere, with the space that
 * is asked for; and, where the suite names a folder, what fio can do there. Whether GPUs reach storage directly is recorded, with a
 * remark where hosts differ: hosts without it are as good.
 *
 * df goes first: on an automounter it is what mounts.
 */
#include <string.h>

#include "assay/reasons/check.h"

#include "part_file.h"
#include "rules.h"
#include "script.h"
#include "storage.h"

enum { NO_SPACE = 3 }; /* exit status of sh/storage_fio.sh: its file does not fit */

/* The i-th mount point: of the suite's, else of the hostfile's; NULL when there are no more. */
static const char *mount_of(const struct check_context *context, size_t i)
{
    const struct json *given = json_get(context->step->arguments, "mounts");

    if (given == NULL)
        return storage_declared(context, i);
    json_each (mount, given)
        if (i-- == 0)
            return mount->string;
    return NULL;
}

static const char *arguments_fault(const struct check_context *context)
{
    const struct json *mounts = json_get(context->step->arguments, "mounts");
    const char *folder = check_text(context, "fio_folder");

    if (mounts != NULL && mounts->count == 0)
        return "\"mounts\" must name at least one mount point";
    json_each (mount, mounts)
        if (mount->string[0] != '/' || strpbrk(mount->string, " \t\n\\") != NULL)
            return arena_printf(context->arena, "mount point '%s' does not begin with '/', or has a blank",
                                mount->string);
    if (folder != NULL && folder[0] != '/')
        return "\"fio_folder\" does not begin with '/'";
    return NULL;
}

static int host_valid(const struct check_context *context, const char *hostfile, struct error *err)
{
    const struct host *host = context->members[0];

    if (mount_of(context, 0) != NULL)
        return 0;
    return error_set(
        err, ERROR_USAGE,
        "%s:%u:%u: host '%s' declares no mounts, and step '%s' names none; expected mounts=/data "
        "on its line or on a defaults line, or \"mounts\" in the step's arguments",
        hostfile, host->line, host->column, host->name, context->step->name);
}

static void command_df(const struct check_context *context, struct text *out)
{
    const char *mount;

    text_put(out, "df -P -k --");
    for (size_t i = 0; (mount = mount_of(context, i)) != NULL; i++) {
        text_put(out, " ");
        text_shell_quote(out, mount);
    }
}

static void command_fio(const struct check_context *context, struct text *out)
{
    const char *folder = check_text(context, "fio_folder");

    if (folder == NULL) {
        text_put(out, ": no fio_folder is given");
        return;
    }
    script_begin(out, "fio in fio_folder");
    text_put(out, "set --");
    script_words(context, out, check_text(context, "fio_flags"));
    text_put(out, "\n");
    script_set(out, "fio_folder", folder);
    script_set_number(out, "fio_bytes", check_number(context, "fio_size"), 0);
    script_set_number(out, "fio_seconds", check_number(context, "fio_seconds"), 0);
    script_tool(context, out, "fio", "fio");
    text_put(out, script_storage_fio);
}

/* Reading. */

/* The words at the end of a line of df -P: "... 1024-blocks Used Available Capacity Mounted". */
static bool read_df_line(struct slice line, struct slice *ret_mount, double *ret_kib, double *ret_free,
                         double *ret_used_percent)
{
    struct slice words[16], word;
    size_t count = 0;

    while (count < 16 && scan_word(&line, &word))
        words[count++] = word;
    if (count < 6 || !slice_ends(words[count - 2], "%"))
        return false;
    *ret_mount = words[count - 1];
    words[count - 2].length--;
    return scan_double(words[count - 5], ret_kib) && scan_double(words[count - 3], ret_free) &&
           scan_double(words[count - 2], ret_used_percent);
}

static void read_space(const struct check_context *context, const struct part *part, struct reading *out)
{
    struct slice rest = part->out, line, mounted;
    double kib, available, used;
    const char *mount;

    while (scan_line(&rest, &line)) {
        if (!read_df_line(line, &mounted, &kib, &available, &used))
            continue;
        for (size_t i = 0; (mount = mount_of(context, i)) != NULL; i++)
            /* Of a folder where nothing is mounted df shows what lies below it. */
            if (slice_equal(mounted, mount)) {
                reading_measure(out, "storage.capacity", mount, kib / 1024, "MiB");
                reading_measure(out, "storage.free", mount, available / 1024, "MiB");
                reading_measure(out, "storage.used", mount, used, "%");
            }
    }
}

/* The last of several mounts on one point is the one that is seen. */
static bool find_mount(struct slice listing, const char *mount, struct slice *ret_source,
                       struct slice *ret_type, struct slice *ret_options)
{
    struct slice line, target;
    bool found = false;

    while (scan_line(&listing, &line)) {
        struct slice source, type, options;

        if (scan_word(&line, &target) && slice_equal(target, mount) && scan_word(&line, &source) &&
            scan_word(&line, &type) && scan_word(&line, &options) && !slice_equal(type, "autofs")) {
            *ret_source = source;
            *ret_type = type;
            *ret_options = options;
            found = true;
        }
    }
    return found;
}

static bool is_read_only(struct slice options)
{
    return slice_equal(options, "ro") || slice_starts(options, "ro,");
}

static void read_mounts(const struct check_context *context, const struct part *part, struct reading *out)
{
    const char *mount;

    for (size_t i = 0; (mount = mount_of(context, i)) != NULL; i++) {
        struct slice source, type, options;

        if (!find_mount(part->out, mount, &source, &type, &options)) {
            reading_fact(out, "storage.mounted", mount, slice_of("no"));
            continue;
        }
        reading_fact(out, "storage.mounted", mount, slice_of("yes"));
        reading_fact(out, "storage.source", mount, source);
        reading_fact(out, "storage.type", mount, type);
        reading_fact(out, "storage.mode", mount,
                     slice_of(is_read_only(options) ? "read-only" : "read-write"));
    }
}

static void read_fio(const struct check_context *context, const struct part *part, struct reading *out)
{
    if (part->rc == NO_SPACE) {
        reading_finding(out, SEVERITY_WARNING, "storage.no_space", check_text(context, "fio_folder"),
                        part_with_complaint(out->arena, part, REASON(fio_file_does_not_fit)));
        return;
    }
    reading_merge(out, &part->reading);
    if (part->reading.status != READING_COMPLETE)
        reading_set(out, part->reading.status, reason(out->arena, by_fio, part->reading.reason));
}

/* part NULL: a run from before it was asked for. */
static void read_gds(const struct part *part, struct reading *out)
{
    if (part != NULL && part->ended && part->reading.status == READING_COMPLETE)
        reading_merge(out, &part->reading);
}

static void read_storage(const struct check_context *context, const struct attempt *attempt,
                         struct reading *out)
{
    const struct part *df = attempt_part(attempt, "df"), *findmnt = attempt_part(attempt, "findmnt");
    const struct part *fio = attempt_part(attempt, "fio");

    if (df == NULL || findmnt == NULL || fio == NULL || !df->ended || !findmnt->ended || !fio->ended) {
        reading_set(out, READING_PARTIAL, REASON(commands_not_ended));
        return;
    }
    reading_set(out, READING_COMPLETE, NULL);
    read_space(context, df, out);
    if (slice_trim(findmnt->out).length == 0) {
        reading_set(out, READING_FAILED,
                    part_with_complaint(out->arena, findmnt, REASON(findmnt_lists_no_mount)));
        return;
    }
    read_mounts(context, findmnt, out);
    if (check_text(context, "fio_folder") != NULL)
        read_fio(context, fio, out);
    read_gds(attempt_part(attempt, "gds"), out);
}

/* What is owed. */

#define ALIKE "assay: what the suite declares is the same on all hosts"

#define GDS_ALIKE "assay: GPUDirect Storage is the same on all hosts"

static const struct limit mounted_rules[] = RULES_EQUAL("storage.mounted", "yes", ALIKE);
static const struct limit source_rules[] = RULES_SAME("storage.source", ALIKE);
static const struct limit type_rules[] = RULES_SAME("storage.type", ALIKE);
static const struct limit mode_rules[] = RULES_SAME("storage.mode", ALIKE);

static const struct limit *free_rules(const struct check_context *context)
{
    return rules_new(context,
                     LIMITS RULES(.metric = "storage.free", .rule = RULE_FLOOR,
                                  .value = check_number(context, "free_gib") * 1024, .unit = "MiB",
                                  .source = "free_gib of the suite's step", .status = LIMIT_CONTRACT));
}

/* fio counts in ms, and ends a job a few of them early or late. */
#define RUNTIME_TOLERANCE 0.01

/* A shorter run says nothing against the storage, and too little for it. */
static void add_runtime_slot(const struct check_context *context, struct slot_list *slots, const char *metric,
                             const char *at)
{
    slot_add(context, slots, metric, "", at, DUTY_GATE,
             rules_new(context,
                       LIMITS RULES(.metric = metric, .rule = RULE_FLOOR,
                                    .value = check_number(context, "fio_seconds"),
                                    .tolerance = RUNTIME_TOLERANCE, .unit = "s", .status = LIMIT_TOOL,
                                    .source = "assay: as long as the suite asks for", .inconclusive = true)));
}

static void add_fio_slots(const struct check_context *context, struct slot_list *slots)
{
    static const struct {
        const char *metric, *at;
    } rows[] = {
        {"storage.write.bandwidth", "job=write"},
        {"storage.read.bandwidth", "job=read"},
        {"storage.write.iops", "job=write"},
        {"storage.read.iops", "job=read"},
        {"storage.write.latency", "job=write stat=p99"},
        {"storage.read.latency", "job=read stat=p99"},
    };

    add_runtime_slot(context, slots, "storage.write.runtime", "job=write");
    add_runtime_slot(context, slots, "storage.read.runtime", "job=read");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        slot_add(context, slots, rows[i].metric, "", rows[i].at, rules_duty(context, rows[i].metric, ""),
                 NULL);
}

static void slots_of_mounts(const struct check_context *context, struct slot_list *slots)
{
    bool asks_space = check_number(context, "free_gib") > 0;
    const char *subject;

    for (size_t i = 0; (subject = mount_of(context, i)) != NULL; i++) {
        slot_add(context, slots, "storage.mounted", subject, NULL, DUTY_GATE, mounted_rules);
        slot_add(context, slots, "storage.source", subject, NULL, DUTY_GATE, source_rules);
        slot_add(context, slots, "storage.type", subject, NULL, DUTY_GATE, type_rules);
        slot_add(context, slots, "storage.mode", subject, NULL, DUTY_GATE, mode_rules);
        slot_add(context, slots, "storage.free", subject, NULL,
                 asks_space ? DUTY_GATE : rules_duty(context, "storage.free", subject),
                 asks_space ? free_rules(context) : NULL);
        slot_add(context, slots, "storage.capacity", subject, NULL,
                 rules_duty(context, "storage.capacity", subject), NULL);
        slot_add(context, slots, "storage.used", subject, NULL, rules_duty(context, "storage.used", subject),
                 NULL);
    }
    if (check_text(context, "fio_folder") != NULL)
        add_fio_slots(context, slots);
}

static unsigned expected_s(const struct check_context *context)
{
    return check_text(context, "fio_folder") != NULL ? (unsigned)check_number(context, "fio_seconds") * 2 + 30
                                                     : 10;
}

const struct check check_storage = {
    .name = "storage",
    .title = "Storage",
    .summary = "declared mounts are there, the same on all hosts, with space; what fio does in a folder",
    .concerns = OF_HOST,
    .scopes = SCOPE_HOST,
    .exclusive = EXCLUSIVE_HOST,
    .arguments = ARGUMENTS(
        {"mounts", ARGUMENT_LIST, NULL,
         "mount points that every host must have: [\"/data\"]; default: the hostfile's mounts=",
         GIVEN_IS_MORE},
        {"free_gib", ARGUMENT_COUNT, "0", "free space that each of them must have, in GiB", MORE_IS_MORE},
        {"fio_folder", ARGUMENT_TEXT, NULL, "folder where fio writes and reads; without it fio is not run",
         GIVEN_IS_MORE, "storage.*.bandwidth", REASON(storage_speed_not_tested)},
        {"fio_size", ARGUMENT_SIZE, "4G", "size of fio's file", MORE_IS_MORE},
        {"fio_seconds", ARGUMENT_COUNT, "30", "how long fio writes, and then how long it reads",
         MORE_IS_MORE},
        {"fio_flags", ARGUMENT_TEXT, "--ioengine=libaio --direct=1 --bs=1M --iodepth=32",
         "further flags of fio"}),
    .arguments_fault = arguments_fault,
    .host_valid = host_valid,
    .parts = PARTS({"df", NULL, command_df, NULL},
                   {.name = "findmnt", .script = "findmnt -rn -o TARGET,SOURCE,FSTYPE,OPTIONS"},
                   {"fio", "fio", command_fio, NULL},
                   {"gds", "key-value", .script = script_storage_gds,
                    .typed = "cat /proc/driver/nvidia-fs/version /proc/driver/nvidia-fs/stats; gdscheck -p"}),
    .items = ITEMS(
        {"storage.gds.driver", PER_TARGET, NULL, DUTY_RECORD,
         LIMITS RULES_SAME("storage.gds.driver", GDS_ALIKE)},
        {"storage.gds.rdma", PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_SAME("storage.gds.rdma", GDS_ALIKE)},
        {"storage.gds.supported", PER_TARGET, NULL, DUTY_RECORD,
         LIMITS RULES_SAME("storage.gds.supported", GDS_ALIKE)}),
    .remedies =
        REMEDIES({"storage.gds.*", REASON(make_gds_alike)}, {"storage.mounted", REASON(mount_file_system)},
                 {"storage.mode", REASON(check_and_remount)}, {"storage.s*", REASON(compare_fstab)},
                 {"storage.type", REASON(compare_fstab)}, {"storage.free", REASON(make_room_on_mount)},
                 {"storage.*.runtime", REASON(see_which_fio_runs)}, {"storage.*.*", REASON(run_fio_by_hand)},
                 {"sound", REASON(install_fio_let_login_write)}),
    .more_slots = slots_of_mounts,
    .expected = expected_s,
    .read = read_storage,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Space: how full a host's own file systems are, and what takes it: logs, homes, what containers left. What is full is a
 * fault; how folders grow from run to run is told by `assay history` (history_growth.c).
 */
#include <string.h>

#include "assay/reasons/check.h"
#include "rules.h"
#include "script.h"

enum { LARGEST_TOLD = 5, KIB_OF_MIB = 1024, MIB_OF_GIB = 1024 };

static const char *const usual_folders[] = {"/home/*", "/mnt",     "/opt",     "/root",    "/srv", "/tmp",
                                            "/usr",    "/var/lib", "/var/log", "/var/tmp", NULL};

/* The i-th folder; NULL when there are no more. */
static const char *folder_of(const struct check_context *context, size_t i)
{
    const struct json *given = json_get(context->step->arguments, "folders");

    if (given == NULL)
        return usual_folders[i];
    json_each (folder, given)
        if (i-- == 0)
            return folder->string;
    return NULL;
}

static bool is_of_each(const char *folder)
{
    size_t length = strlen(folder);

    return length >= 2 && strcmp(folder + length - 2, "/*") == 0;
}

static const char *arguments_fault(const struct check_context *context)
{
    const char *folder;

    if (check_number(context, "used_most") > 100 || check_number(context, "inodes_most") > 100)
        return "\"used_most\" and \"inodes_most\" are percent: at most 100";
    for (size_t i = 0; (folder = folder_of(context, i)) != NULL; i++)
        if (folder[0] != '/' || strpbrk(folder, "\t\n") != NULL ||
            strcspn(folder, "*?[") < strlen(folder) - (is_of_each(folder) ? 1 : 0))
            return arena_printf(context->arena,
                                "folder '%s' is not a path as \"/var/log\", or \"/home/*\" for each in it",
                                folder);
    return NULL;
}

static void command(const struct check_context *context, struct text *out)
{
    const char *folder;

    script_begin(out, "df; du of folders");
    text_put(out, "set --");
    for (size_t i = 0; (folder = folder_of(context, i)) != NULL; i++)
        script_word(out, folder);
    text_put(out, "\n");
    script_set_number(out, "within_s", check_number(context, "seconds"), 0);
    text_put(out, script_space);
}

/* -- Reading -- */

static bool number_of(const struct fact *fact, double *ret_number)
{
    struct slice rest = slice_of(fact->value), word;

    return scan_word(&rest, &word) && scan_double(word, ret_number);
}

/* Which file systems are fuller than the suite allows: "/ 97 %; /var 93 %". That none is, only who has read all can say. */
static void tell_full(struct reading *out, const char *rows, const char *fact, double most)
{
    const struct reason *full = NULL;
    double fullest = -1, percent;

    for (size_t i = 0; i < out->facts.count; i++) {
        const struct fact *row = &out->facts.items[i];

        if (strcmp(row->name, rows) != 0 || !number_of(row, &percent))
            continue;
        fullest = percent > fullest ? percent : fullest;
        if (percent > most)
            full = reason_also(out->arena, full,
                               reason(out->arena, file_system_filled, row->subject, row->value));
    }
    if (fullest < 0)
        return;
    reading_measure(out, arena_printf(out->arena, "%s_most", rows), "", fullest, "%");
    if (full != NULL)
        reading_fact_said(out, fact, "", full);
    else if (!reading_is_unread(out, fact))
        reading_fact(out, fact, "", slice_of("no"));
}

/* "812345 alice": the largest come first. */
static void tell_entries(struct reading *out, const char *folder)
{
    size_t told = 0;
    const char *text = "";

    for (size_t i = 0; i < out->facts.count && told < LARGEST_TOLD; i++) {
        const struct fact *row = &out->facts.items[i];
        const char *name = strchr(row->value, ' ');
        double kib;

        if (strcmp(row->name, "space.entry") != 0 || strcmp(row->subject, folder) != 0 || name == NULL ||
            !number_of(row, &kib))
            continue;
        if (told++ == 0)
            reading_measure(out, "space.largest", folder, kib / KIB_OF_MIB, "MiB");
        text = arena_printf(out->arena, "%s%s%s %s", text, *text != '\0' ? ", " : "", name + 1,
                            room_text(out->arena, kib / KIB_OF_MIB));
    }
    if (told > 0)
        reading_fact(out, "space.largest_are", folder, slice_of(text));
    else if (reading_get_fact(out, "space.folder", folder) != NULL)
        reading_measure(out, "space.largest", folder, 0, "MiB");
}

static void read_space(const struct check_context *context, const struct attempt *attempt,
                       struct reading *out)
{
    const char *folder;

    read_parts(context, attempt, out);
    tell_full(out, "space.used", "space.full", check_number(context, "used_most"));
    tell_full(out, "space.inodes_used", "space.inodes_full", check_number(context, "inodes_most"));
    for (size_t i = 0; (folder = folder_of(context, i)) != NULL; i++) {
        static const struct {
            const char *row, *metric, *unit;
            double divisor;
        } rows[] = {{"space.folder", "space.size", "MiB", KIB_OF_MIB},
                    {"space.free", "space.left", "MiB", KIB_OF_MIB},
                    {"space.fills", "space.filled", "%", 1}};

        for (size_t k = 0; k < ARRAY_SIZE(rows); k++) {
            const char *told = reading_get_fact(out, rows[k].row, folder);
            double number;

            if (told != NULL && scan_double(slice_of(told), &number))
                reading_measure(out, rows[k].metric, folder, number / rows[k].divisor, rows[k].unit);
        }
        if (is_of_each(folder))
            tell_entries(out, folder);
    }
}

/* -- What is owed -- */

static void add_size(const struct check_context *context, struct slot_list *slots, const char *metric,
                     const char *folder, bool judged)
{
    double most = check_number(context, "folder_most_gib");

    judged = judged && most > 0;
    slot_add(context, slots, metric, folder, NULL, judged ? DUTY_GATE : DUTY_RECORD,
             judged ? rules_new(context, LIMITS RULES(.metric = metric, .rule = RULE_CEILING,
                                                      .value = most * MIB_OF_GIB, .unit = "MiB",
                                                      .source = "assay: argument folder_most_gib",
                                                      .status = LIMIT_TOOL))
                    : NULL);
}

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    const char *folder;

    for (size_t i = 0; (folder = folder_of(context, i)) != NULL; i++) {
        add_size(context, slots, "space.size", folder, !is_of_each(folder));
        if (is_of_each(folder)) {
            add_size(context, slots, "space.largest", folder, true);
            slot_add(context, slots, "space.largest_are", folder, NULL, DUTY_RECORD, NULL);
        }
        slot_add(context, slots, "space.left", folder, NULL, DUTY_RECORD, NULL);
        slot_add(context, slots, "space.filled", folder, NULL, DUTY_RECORD, NULL);
    }
}

static unsigned expected_s(const struct check_context *context)
{
    return (unsigned)check_number(context, "seconds") + 10;
}

const struct check check_space = {
    .name = "space",
    .title = "Space",
    .summary = "how full the host's own file systems are, and which folders take it and grow",
    .concerns = OF_HOST,
    .passive = true,
    .as_root = true,
    .arguments = ARGUMENTS(
        {"folders", ARGUMENT_LIST, NULL,
         "folders whose size is told; of \"/home/*\" the largest of each in it too; default [\"/home/*\", \"/root\", \"/tmp\", "
         "\"/var/lib\", \"/var/log\", \"/var/tmp\"]",
         GIVEN_IS_MORE},
        {"used_most", ARGUMENT_COUNT, "90", "percent of a file system of the host's own that may be used",
         LESS_IS_MORE},
        {"inodes_most", ARGUMENT_COUNT, "90", "percent of its inodes that may be used", LESS_IS_MORE},
        {"folder_most_gib", ARGUMENT_COUNT, "0",
         "GiB that a folder, of \"/home/*\" each in it, may take; without it sizes are recorded",
         LESS_IS_MORE},
        {"seconds", ARGUMENT_COUNT, "120", "how long reading the folders may take", MORE_IS_MORE}),
    .arguments_fault = arguments_fault,
    .parts = PARTS({"values", "key-value", command, NULL}),
    .items = ITEMS({"space.full", PER_TARGET, NULL, DUTY_GATE,
                    LIMITS RULES_EQUAL("space.full", "no", "assay: argument used_most")},
                   {"space.inodes_full", PER_TARGET, NULL, DUTY_GATE,
                    LIMITS RULES_EQUAL("space.inodes_full", "no", "assay: argument inodes_most")},
                   {"space.used_most", PER_TARGET, NULL, DUTY_RECORD, NULL},
                   {"space.inodes_used_most", PER_TARGET, NULL, DUTY_RECORD, NULL}),
    .remedies =
        REMEDIES({"space.full", REASON(make_room_where_full), .problem = "disk space", .on_hosts = true,
                  .command = "df -h -l; sudo du -xh -d 2 / | sort -h | tail -n 20"},
                 {"space.inodes_full", REASON(remove_many_small_files), .problem = "inodes", .on_hosts = true,
                  .command = "df -i -l; sudo du -x --inodes -d 2 / | sort -n | tail -n 20"},
                 {"space.size", REASON(make_room_in_folder)}, {"space.largest", REASON(make_room_in_folder)}),
    .more_slots = more_slots,
    .expected = expected_s,
    .read = read_space,
};

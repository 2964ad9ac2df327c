/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tools that a suite will run, before it does: each is there, its libraries too, and what was built for the site is
 * the same file on all hosts. `assay preflight` fills the argument from the checks of the suite.
 *
 * A tool is never started to ask for its version unless its way of telling it is known to do nothing else.
 */
#include <string.h>

#include "assay/reasons/check.h"

#include "rules.h"
#include "script.h"

static const struct known {
    const char *name;
    const char *version; /* arguments that print a version and do nothing else; NULL: none known */
    const char *instead; /* does the same where the tool is not there; NULL: nothing */
    bool
        distributed; /* comes with the system or the driver: another file on another host is only remarked on */
} known[] = {
    {"nvidia-smi", "--version", NULL, true},
    {"dcgmi", "--version", NULL, true},
    {"nv-fabricmanager", "--version", NULL, true},
    {"fio", "--version", NULL, true},
    {"lspci", "--version", NULL, true},
    {"ethtool", "--version", NULL, true},
    {"dmidecode", "--version", NULL, true},
    {"ipmitool", "-V", NULL, true},
    {"mlnx_qos", NULL, "dcb", true},
    {"ibdiagnet", "--version", NULL, true},
    {"iblinkinfo", "--version", NULL, true},
    {"lldpctl", "-v", NULL, true},
    {"ib_write_bw", "--version", NULL, true},
    {"ib_send_bw", "--version", NULL, true},
    {"ib_write_lat", "--version", NULL, true},
    {"ib_send_lat", "--version", NULL, true},
    {"ib_read_bw", "--version", NULL, true},
    {"npu-smi", "-v", NULL, true},
};

static const struct known *known_tool(const char *name)
{
    static const struct known other = {0};

    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        if (strcmp(known[i].name, name) == 0)
            return &known[i];
    return &other;
}

static const struct json *tools_of(const struct check_context *context)
{
    return json_get(context->step->arguments, "tools");
}

static bool is_wanted(const struct check_context *context, const struct json *tool)
{
    struct slice rest = slice_of(tool->string), word;

    if (*tool->string == '\0')
        return true;
    while (scan_word(&rest, &word))
        if (slice_equal(word, context->platform->name))
            return true;
    return false;
}

/* The five words that sh/tools.sh takes of each tool. */
static void put_tool(const struct check_context *context, const char *name, struct text *out)
{
    const struct suite_tool *row = check_tool(context, name);
    const struct known *how = known_tool(name);
    const char *words[] = {name, row->path, how->instead, row->folder, how->version};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        script_word(out, words[i] != NULL ? words[i] : "");
}

static void command(const struct check_context *context, struct text *out)
{
    script_begin(out, "ldd TOOL; sha256sum TOOL of each tool");
    text_put(out, "set --");
    json_each (tool, tools_of(context)) {
        if (is_wanted(context, tool))
            put_tool(context, tool->key, out);
    }
    text_put(out, "\n");
    text_put(out, script_tools);
}

/* -- What is owed -- */

/* A tool that is not there says nothing about the hardware: undecided, with the remedy. */
static const struct limit found_rules[] =
    RULES_EQUAL("tool.found", "yes", "the suite's steps", .inconclusive = true);
static const struct limit library_rules[] =
    RULES_EQUAL("tool.libraries", "found", "ldd", .inconclusive = true);
static const struct limit same_rules[] =
    RULES_SAME("tool.sha256", "assay: hosts are compared by one program");

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    json_each (tool, tools_of(context)) {
        const struct known *how = known_tool(tool->key);

        if (!is_wanted(context, tool))
            continue;
        slot_add(context, slots, "tool.found", tool->key, NULL, DUTY_GATE, found_rules);
        slot_add(context, slots, "tool.libraries", tool->key, NULL, DUTY_GATE, library_rules);
        slot_add(context, slots, "tool.sha256", tool->key, NULL, how->distributed ? DUTY_RECORD : DUTY_GATE,
                 same_rules);
        slot_add(context, slots, "tool.path", tool->key, NULL, DUTY_RECORD, NULL);
        if (how->version != NULL)
            slot_add(context, slots, "tool.version", tool->key, NULL, DUTY_RECORD, NULL);
    }
}

static const char *arguments_fault(const struct check_context *context)
{
    const struct json *tools = tools_of(context);

    return tools == NULL || tools->count == 0 ? "\"tools\" names no tool" : NULL;
}

static unsigned expected_s(const struct check_context *context)
{
    const struct json *tools = tools_of(context);

    return 2 + (tools != NULL ? (unsigned)tools->count : 0);
}

const struct check check_tools = {
    .name = "tools",
    .title = "Tools",
    .summary = "the tools that a suite needs are there with their libraries, and the same on all hosts",
    .passive = true,
    .arguments = ARGUMENTS(
        {"tools", ARGUMENT_MAP, NULL,
         "which tools, by the names that checks have for them, and on which platforms: {\"gpu_burn\": \"hgx-h100 "
         "hgx-h200\"}; \"\" on all"}),
    .arguments_fault = arguments_fault,
    .parts = PARTS({"values", "key-value", command, NULL}),
    .remedies = REMEDIES(
        {"tool.found", REASON(bring_the_tool), .problem = "tool missing", .on_hosts = true},
        {"tool.libraries", REASON(bring_or_name_the_library), .problem = "library missing", .on_hosts = true},
        {"tool.sha256", REASON(copy_one_program_to_all)},
        {"tool.*", .problem = "tool differs", .on_hosts = true,
         .command = "sha256sum \"$(command -v {subject})\""}),
    .more_slots = more_slots,
    .expected = expected_s,
    .read = read_parts,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Building blocks that several checks share: commands, and the reading of parts. */
#include <string.h>

#include "assay/reasons/any.h"

#include "script.h"

/* The variant's is exported to all commands, and the tool's own would hide it. */
static bool is_varied(const struct check_context *context, const char *name)
{
    const struct suite_variant *variant = check_variant(context);

    for (size_t i = 0; variant != NULL && i < variant->environment.count; i++)
        if (strcmp(variant->environment.items[i].name, name) == 0)
            return true;
    return false;
}

static void add_tool(struct arena *arena, struct tool_list *tools, const char *tool)
{
    for (size_t i = 0; i < tools->names.count; i++)
        if (strcmp(tools->names.items[i], tool) == 0)
            return;
    *list_push(arena, &tools->names) = arena_strdup(arena, tool);
}

const struct suite_tool *check_tool(const struct check_context *context, const char *tool)
{
    if (context->tools != NULL)
        add_tool(context->arena, context->tools, tool);
    return suite_tool(context->arena, context->suite, tool);
}

static void put_folder(const struct suite_tool *row, struct text *out)
{
    if (row->folder == NULL)
        return;
    text_put(out, "cd");
    script_word(out, row->folder);
    text_put(out, " && ");
}

static void put_variables(const struct check_context *context, const struct suite_tool *row, struct text *out)
{
    for (size_t i = 0; i < row->environment.count; i++) {
        if (is_varied(context, row->environment.items[i].name))
            continue;
        script_assign(out, row->environment.items[i].name, row->environment.items[i].value);
        text_put(out, " ");
    }
}

void script_tool_under(const struct check_context *context, struct text *out, const char *name,
                       const char *tool, const char *under)
{
    const struct suite_tool *row = check_tool(context, tool);

    /* `command`: the program, where the function has its name. In a subshell: the tool's folder is its own. */
    text_printf(out, "%s() ( ", name);
    put_folder(row, out);
    put_variables(context, row, out);
    text_printf(out, "command%s%s", *under != '\0' ? " " : "", under);
    script_word(out, row->path);
    text_put(out, " \"$@\" )\n");
}

void script_tool(const struct check_context *context, struct text *out, const char *name, const char *tool)
{
    script_tool_under(context, out, name, tool, "");
}

void script_tool_exec(const struct check_context *context, struct text *out, const char *name,
                      const char *tool)
{
    const struct suite_tool *row = check_tool(context, tool);

    text_printf(out, "%s() { ", name);
    put_folder(row, out);
    /* What a shell does with variables before `exec` is not the same everywhere. */
    text_put(out, "exec env ");
    put_variables(context, row, out);
    text_shell_quote(out, row->path);
    text_put(out, " \"$@\"; }\n");
}

void command_tool(const struct check_context *context, struct text *out, const char *tool)
{
    const struct suite_tool *row = check_tool(context, tool);

    put_folder(row, out);
    put_variables(context, row, out);
    text_shell_quote(out, row->path);
}

void command_probe_deadline(struct text *out)
{
    text_put(out, " --deadline $((ASSAY_DEADLINE > 20 ? ASSAY_DEADLINE - 10 : (ASSAY_DEADLINE + 1) / 2))");
}

void command_gpu_burn(const struct check_context *context, struct text *out, const char *flags)
{
    const struct suite_tool *tool = check_tool(context, "gpu_burn");

    script_begin(out, arena_printf(context->arena, "gpu_burn %.0f", check_number(context, "seconds")));
    text_put(out, "set --");
    script_words(context, out, flags);
    text_printf(out, " %.0f\n", check_number(context, "seconds"));
    script_set(out, "gpu_burn", tool->folder == NULL ? tool->path : "");
    script_tool(context, out, "gpu_burn", "gpu_burn");
    text_put(out, script_gpu_burn);
}

void command_nvidia_smi_query(const struct check_context *context, struct text *out)
{
    command_tool(context, out, "nvidia-smi");
    text_put(out, " -q -x");
}

void check_part_command(const struct check_context *context, const struct part_row *row, struct text *out)
{
    if (row->script == NULL) {
        row->command(context, out);
        return;
    }
    if (row->typed != NULL)
        script_begin(out, row->typed);
    text_put(out, row->script);
}

const struct part *attempt_part(const struct attempt *attempt, const char *name)
{
    for (size_t i = 0; i < attempt->parts.count; i++)
        if (attempt->parts.items[i].window == 0 && strcmp(attempt->parts.items[i].name, name) == 0)
            return attempt->parts.items[i].began ? &attempt->parts.items[i] : NULL;
    return NULL;
}

static void merge_values(struct reading *out, const struct reading *from)
{
    for (size_t i = 0; i < from->facts.count; i++)
        *list_push(out->arena, &out->facts) = from->facts.items[i];
    for (size_t i = 0; i < from->measurements.count; i++)
        *list_push(out->arena, &out->measurements) = from->measurements.items[i];
}

void reading_merge(struct reading *out, const struct reading *from)
{
    merge_values(out, from);
    /* The top level has the findings of all runs, and the values of the last one only. */
    for (size_t i = 0; i + 1 < from->runs.count; i++)
        merge_values(out, &from->runs.items[i]);
    for (size_t i = 0; i < from->findings.count; i++)
        *list_push(out->arena, &out->findings) = from->findings.items[i];
}

void reading_doubt(struct reading *reading, const struct reason *why)
{
    reading_finding(reading, SEVERITY_WARNING, OUTPUT_DOUBTED, "", why);
    if (reading_get_fact(reading, OUTPUT_DOUBTED, "") == NULL)
        reading_fact_said(reading, OUTPUT_DOUBTED, "", why);
}

void read_parts(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    out->status = READING_COMPLETE;
    for (const struct part_row *row = context->check->parts; row->name != NULL; row++) {
        const struct reading *reading = &attempt->parts.items[row - context->check->parts].reading;

        reading_merge(out, reading);
        if (row->parser != NULL && !attempt->parts.items[row - context->check->parts].aside &&
            reading->status < out->status)
            reading_set(out, reading->status, reason(out->arena, about, row->name, reading->reason));
    }
}

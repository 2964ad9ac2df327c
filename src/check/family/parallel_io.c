/* SPDX-License-Identifier: Apache-2.0 */
#include "parallel_io.h"

#include "assay/reasons/check.h"

#include <string.h>

#include "launcher.h"
#include "rules.h"
#include "script.h"

void parallel_io_put(const struct check_context *context, const struct parallel_io_work *work,
                     struct text *out)
{
    const struct launch launch = {.ranks_per_host = launcher_ranks_per_host(context)};
    const char *flags = check_text(context, "flags");

    script_begin(out, work->title);
    /* In a subshell, so that a launcher of unknown kind does not end the script before it has cleaned up. */
    text_printf(out, "%s() ( ", work->tool);
    launcher_tool(context, &launch, work->tool, out);
    text_put(out, " \"$@\" )\n");
    script_set(out, "folder", clients_folder(context));
    script_set_number(out, "kib", work->bytes / 1024, 0);
    text_put(out, work->settings);
    text_put(out, "set --");
    script_words(context, out, flags != NULL ? flags : "");
    text_put(out, "\n");
    text_put(out, work->script);
}

/* --- what is owed --- */

static void count_slot(const struct check_context *context, struct slot_list *slots, const char *metric,
                       unsigned count)
{
    const char *text = arena_printf(context->arena, "%u", count);

    slot_add(context, slots, metric, "", NULL, DUTY_GATE,
             rules_new(context, LIMITS RULES_EQUAL(metric, text, "assay: all members of the step",
                                                   .inconclusive = true)));
}

void parallel_io_slots(const struct check_context *context, struct slot_list *slots, const char *tool)
{
    unsigned hosts = (unsigned)context->member_count;

    count_slot(context, slots, arena_printf(context->arena, "%s.nodes", tool), hosts);
    count_slot(context, slots, arena_printf(context->arena, "%s.tasks", tool),
               hosts * launcher_ranks_per_host(context));
}

/* --- what came out --- */

/* Lines of all ranks come out together: one that prints a summary of its own does not hide the true one. */
void parallel_io_read(const struct check_context *context, const struct attempt *attempt, size_t runs,
                      struct reading *out)
{
    const struct part *part = attempt_part(attempt, "main");
    size_t seen = part != NULL && part->reading.runs.count > 0 ? part->reading.runs.count : 1;

    read_parts(context, attempt, out);
    if (seen > runs)
        reading_doubt(out, reason(out->arena, several_runs_of_tool, seen, runs));
    else if (seen < runs && out->status == READING_COMPLETE)
        reading_set(out, READING_PARTIAL, reason(out->arena, several_runs_of_tool, seen, runs));
}

const char *parallel_io_host(const struct check_context *context, uint64_t rank)
{
    unsigned ranks = launcher_ranks_per_host(context);

    if (context->suite->launcher.map_by != NULL || ranks == 0 || rank / ranks >= context->member_count)
        return NULL;
    return context->members[rank / ranks]->name;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Tools that `assay stage` has brought: how commands find them, and that they are what was brought. */
#include <string.h>

#include "script.h"
#include "staged.h"

enum { PART_BYTES = 64 * 1024 };

/*
 * The folder of the version into ASSAY_TOOLS: below where src/run/stage.sh puts it, private to the login user. Behind
 * sudo that is another user than the one who asks.
 */
void put_staged_path(const struct check_context *context, struct text *out)
{
    const struct staged *staged = context->staged;

    if (staged == NULL)
        return;
    text_put(out, "ASSAY_TOOLS=$(\n");
    script_set(out, "version", staged->toolset->version);
    script_set(out, "root", staged->root);
    text_put(out, script_staged_folder);
    text_put(out, ")\n");
    text_put(out, "if [ -n \"$ASSAY_TOOLS\" ]; then\n    PATH=$ASSAY_TOOLS/bin:$PATH\n");
    if (toolset_has_folder(staged->toolset, "lib"))
        text_put(out, "    LD_LIBRARY_PATH=$ASSAY_TOOLS/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}; export "
                      "LD_LIBRARY_PATH\n");
    text_put(out, "fi\n");
}

static void put_comparison(const struct check_context *context, const struct toolset_file *file,
                           struct text *out)
{
    script_set(out, "version",
               arena_strndup(context->arena, context->staged->toolset->version, TOOLSET_SHORT));
    script_set(out, "file", file->path);
    script_set(out, "sha256", file->sha256);
    text_put(out, script_staged_same);
}

void put_staged_guard(const struct check_context *context, const struct part_row *row, struct text *out)
{
    struct check_context asking = *context;
    struct tool_list tools = {0};
    cleanup_text struct text command = {0};

    /* Who only wants to know the tools of a command has asked for its own list of them. */
    if (context->staged == NULL || context->tools != NULL)
        return;
    asking.tools = &tools;
    text_init(&command, PART_BYTES);
    check_part_command(&asking, row, &command);
    for (size_t i = 0; i < tools.names.count; i++) {
        const char *path = suite_tool(context->arena, context->suite, tools.names.items[i])->path;
        const struct toolset_file *file = toolset_program(context->staged->toolset, path);

        if (file != NULL)
            put_comparison(context, file, out);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Tools that `assay stage` has brought: how commands find them, and that they are what was brought. */
#include <string.h>

#include "command_file.h"

enum { PART_BYTES = 64 * 1024 };

const char staged_login_user[] =
    "login_user() {\n"
    "    while read -r key uid _; do [ \"$key\" = Uid: ] && break; done </proc/self/status\n"
    "    home=$HOME\n"
    "    case $uid$SUDO_USER in 0*[!A-Za-z0-9._-]* | 0) return ;; "
    "0*) uid=$SUDO_UID; eval \"home=~$SUDO_USER\" ;; esac\n"
    "}\n";

/*
 * The folder of the version into ASSAY_TOOLS: below where src/run/stage.sh puts it, private to the login user. Behind
 * sudo that is another user than the one who asks.
 */
void put_staged_path(const struct check_context *context, struct text *out)
{
    const struct staged *staged = context->staged;

    if (staged == NULL)
        return;
    text_put(out, staged_login_user);
    text_put(out, "ASSAY_TOOLS=$(login_user\n    for root in ");
    if (staged->root != NULL)
        text_shell_quote(out, staged->root);
    else
        text_put(out, "${ASSAY_STAGE:-/var/tmp/assay-$uid/tools $home/.assay/tools}");
    text_printf(out,
                "; do\n        [ \"$(stat -c '%%F %%u %%a' \"$root/%s\" 2>/dev/null)\" = \"directory $uid "
                "700\" ] &&\n"
                "            echo \"$root/%s\" && break\n    done)\n",
                staged->toolset->version, staged->toolset->version);
    text_put(out, "if [ -n \"$ASSAY_TOOLS\" ]; then\n    PATH=$ASSAY_TOOLS/bin:$PATH\n");
    if (toolset_has_folder(staged->toolset, "lib"))
        text_put(out, "    LD_LIBRARY_PATH=$ASSAY_TOOLS/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}; export "
                      "LD_LIBRARY_PATH\n");
    text_put(out, "fi\n");
}

static void put_comparison(const struct toolset *set, const struct toolset_file *file, struct text *out)
{
    text_printf(out,
                "[ -n \"$ASSAY_TOOLS\" ] || { echo 'tools %.*s are not on this host: `assay stage` brings "
                "them' >&2; exit 127; }\n"
                "[ \"$(sha256sum <\"$ASSAY_TOOLS/%s\" | cut -c 1-64)\" = %s ] ||\n"
                "    { echo \"$ASSAY_TOOLS/%s is not what was staged: \\`assay stage\\` mends it\" >&2; exit "
                "127; }\n",
                TOOLSET_SHORT, set->version, file->path, file->sha256, file->path);
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
    row->command(&asking, &command);
    for (size_t i = 0; i < tools.names.count; i++) {
        const char *path = suite_tool(context->arena, context->suite, tools.names.items[i])->path;
        const struct toolset_file *file = toolset_program(context->staged->toolset, path);

        if (file != NULL)
            put_comparison(context->staged->toolset, file, out);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/campaign_folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "assay/app/sources.h"
#include "assay/base/files.h"

extern const char campaign_sh[]; /* sh/campaign.sh */

static int write_document(const struct acceptance *acceptance, const char *kind, const char *path,
                          struct error *err)
{
    const struct document *document = document_find(&acceptance->documents, kind);

    return document == NULL ? 0 : file_write(path, document->bytes.bytes, document->bytes.length, 0644, err);
}

/* Of the last of its runs that had any: what is repeated is repeated with the same tools. */
static const struct document *tools_of(const struct acceptance *acceptance)
{
    const struct document *tools = NULL;

    for (size_t i = acceptance->runs.count; tools == NULL && i-- > 0;)
        tools = document_find(&acceptance->runs.items[i]->documents, "tools");
    return tools;
}

static void put_tools(struct text *line, const struct acceptance *acceptance, const char *folder)
{
    const struct document *tools = tools_of(acceptance);

    if (tools == NULL)
        return;
    text_put(line, " --tools ");
    text_shell_quote(line, arena_printf(acceptance->arena, "%s/tools.manifest", folder));
    if (strcmp(tools->name, TOOLS_STAGED) != 0) {
        text_put(line, " --tools-root ");
        text_shell_quote(line, tools->name);
    }
}

static int write_tools(const struct acceptance *acceptance, const char *folder, struct error *err)
{
    const struct document *tools = tools_of(acceptance);

    return tools == NULL ? 0
                         : file_write(arena_printf(acceptance->arena, "%s/tools.manifest", folder),
                                      tools->bytes.bytes, tools->bytes.length, 0644, err);
}

static const char *join_names(struct arena *arena, const struct hostlist *list)
{
    const char *joined = "";

    for (size_t i = 0; i < list->names.count; i++)
        joined = arena_printf(arena, "%s%s%s", joined, i > 0 ? "," : "", list->names.items[i]);
    return joined;
}

/* The command line of one of the next runs. */
static const char *command_line(const struct acceptance *acceptance, const struct campaign_block *block,
                                const char *folder, const char *database)
{
    const struct document *baseline = document_find(&acceptance->documents, "baseline option");
    const char *steps;
    cleanup_text struct text line = {0};

    text_init(&line, 1 << 20);
    text_put(&line, "assay run -H ");
    text_shell_quote(&line, arena_printf(acceptance->arena, "%s/hostfile", folder));
    text_put(&line, " -s ");
    text_shell_quote(&line, arena_printf(acceptance->arena, "%s/suite.json", folder));
    text_put(&line, " --hosts ");
    text_shell_quote(&line,
                     hostlist_fold(acceptance->arena, block->hosts.names.items, block->hosts.names.count));
    steps = join_names(acceptance->arena, &block->steps);
    text_put(&line, " --steps ");
    text_shell_quote(&line, steps);
    if (baseline != NULL) {
        text_put(&line, " --baseline ");
        text_shell_quote(&line, baseline->name);
    }
    if (document_find(&acceptance->documents, "contract") != NULL) {
        text_put(&line, " --contract ");
        text_shell_quote(&line, arena_printf(acceptance->arena, "%s/contract.json", folder));
    }
    put_tools(&line, acceptance, folder);
    if (database != NULL) {
        text_put(&line, " --db ");
        text_shell_quote(&line, database);
    }
    return arena_strndup(acceptance->arena, line.bytes, line.length);
}

/* The text of sh/campaign.sh, what it is about, and the runs. */
static int write_script(const struct acceptance *acceptance, const char *path, const char *lines,
                        const char *database, struct error *err)
{
    cleanup_text struct text script = {0};

    text_init(&script, 16 << 20);
    text_put(&script, campaign_sh);
    text_put(&script, "\nacceptance=");
    text_shell_quote(&script, acceptance->name);
    text_put(&script, "\ndatabase=");
    text_shell_quote(&script, database != NULL ? database : "");
    text_put(&script, "\n");
    for (const char *line = lines, *end; *line != '\0'; line = end) {
        end = line + strcspn(line, "\n") + 1;
        text_put(&script, "run ");
        text_add(&script, line, (size_t)(end - line));
    }
    text_put(&script, "finish\n");
    return file_write(path, script.bytes, script.length, 0755, err);
}

int campaign_folder_write(const struct acceptance *acceptance, const struct campaign_next *next,
                          const char *folder, const char *database, struct campaign_commands *ret_commands,
                          struct error *err)
{
    struct arena *arena = acceptance->arena;
    const char *lines = "";
    size_t runs = 0;

    if (mkdir(folder, 0755) < 0 && errno != EEXIST)
        return error_set(err, ERROR_USAGE, "%s: %s", folder, strerror(errno));
    list_each (block, next->blocks) {
        const char *line = command_line(acceptance, block, folder, database);

        for (unsigned k = 0; k < block->times; k++, runs++)
            lines = arena_printf(arena, "%s%s\n", lines, line);
    }
    *ret_commands = (struct campaign_commands){arena_printf(arena, "%s/commands", folder), lines,
                                               arena_printf(arena, "%s/run", folder), runs};
    if (file_write(arena_printf(arena, "%s/hostfile", folder), next->hostfile, strlen(next->hostfile), 0644,
                   err) < 0 ||
        write_document(acceptance, "suite", arena_printf(arena, "%s/suite.json", folder), err) < 0 ||
        write_document(acceptance, "contract", arena_printf(arena, "%s/contract.json", folder), err) < 0 ||
        write_tools(acceptance, folder, err) < 0 ||
        write_script(acceptance, ret_commands->script, lines, database, err) < 0)
        return -1;
    return file_write(ret_commands->path, lines, strlen(lines), 0644, err);
}

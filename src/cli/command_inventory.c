/* SPDX-License-Identifier: Apache-2.0 */
/* assay inventory: from saved outputs, so that it works where no scheduler is at hand; or asks the local client. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "assay/base/files.h"
#include "assay/parse/inventory.h"
#include "cli.h"

enum { INPUT_BYTES = 256 << 20, OUTPUT_BYTES = 64 << 20 };

/* What is asked of the client where no file is given; what may fail is told of and done without. */
static const struct inquiry {
    enum host_scheduler scheduler;
    const char *command;
    bool may_fail;
} questions[] = {
    {SCHEDULER_SLURM, "scontrol show nodes --oneliner", false},
    {SCHEDULER_SLURM, "scontrol show topology", true},
    {SCHEDULER_KUBERNETES, "kubectl get nodes -o json", false},
};

struct options {
    const char *output, *unit, *rack;
};

/* Its standard output; what it complains of goes where ours goes. */
static int ask(struct text *out, const char *command, struct error *err)
{
    char buffer[65536];
    size_t got;
    FILE *pipe = popen(command, "re");
    int status;

    if (pipe == NULL)
        return error_set(err, ERROR_INTERNAL, "%s cannot be started: %s", command, strerror(errno));
    while ((got = fread(buffer, 1, sizeof buffer, pipe)) > 0)
        text_add(out, buffer, got);
    status = pclose(pipe);
    if (out->clipped)
        return error_set(err, ERROR_USAGE, "%s says more than %d MiB", command, INPUT_BYTES >> 20);
    if (status != 0)
        return error_set(err, ERROR_USAGE,
                         "%s failed (exit status %d); save its output where it works, and give that as FILE",
                         command, WIFEXITED(status) ? WEXITSTATUS(status) : 255);
    return 0;
}

static int read_answer(struct arena *arena, struct inventory *inventory, const struct inquiry *inquiry,
                       struct error *err)
{
    cleanup_text struct text out = {0};
    const char *quiet = inquiry->may_fail ? " 2>/dev/null" : "";
    struct error inner = {0};

    text_init(&out, INPUT_BYTES);
    text_put(&out, "");
    if (ask(&out, arena_printf(arena, "%s%s", inquiry->command, quiet), &inner) == 0 &&
        inventory_read(arena, inventory, inquiry->command,
                       slice_of(arena_strndup(arena, out.bytes, out.length)), &inner) == 0)
        return 0;
    if (!inquiry->may_fail) {
        *err = inner;
        return -1;
    }
    *list_push(arena, &inventory->remarks) =
        arena_printf(arena, "no leaf switches are given: %s reports none", inquiry->command);
    return 0;
}

static int ask_client(struct arena *arena, struct inventory *inventory, struct error *err)
{
    for (size_t i = 0; i < ARRAY_SIZE(questions); i++)
        if (questions[i].scheduler == inventory->scheduler &&
            read_answer(arena, inventory, &questions[i], err) < 0)
            return -1;
    return 0;
}

static int read_files(struct arena *arena, struct inventory *inventory, char **paths, int count,
                      struct error *err)
{
    for (int i = 0; i < count; i++) {
        cleanup_text struct text bytes = {0};

        text_init(&bytes, INPUT_BYTES);
        if (file_read(paths[i], &bytes, err) < 0 ||
            inventory_read(arena, inventory, strcmp(paths[i], "-") == 0 ? "standard input" : paths[i],
                           (struct slice){arena_strndup(arena, bytes.bytes, bytes.length), bytes.length},
                           err) < 0)
            return -1;
    }
    return 0;
}

static int make(struct arena *arena, const struct options *options, char **words, int count,
                struct error *err)
{
    struct inventory inventory = {.keys = {.unit = options->unit, .rack = options->rack}};
    cleanup_text struct text out = {0};

    if (count == 0 || !host_scheduler_find(words[0], &inventory.scheduler) ||
        inventory.scheduler == SCHEDULER_NONE)
        return error_set(err, ERROR_USAGE, "found '%s'; expected slurm or kubernetes",
                         count > 0 ? words[0] : "");
    if (count > 1 ? read_files(arena, &inventory, words + 1, count - 1, err) < 0
                  : ask_client(arena, &inventory, err) < 0)
        return -1;
    text_init(&out, OUTPUT_BYTES);
    if (inventory_write(arena, &inventory, &out, err) < 0)
        return -1;
    return file_write(options->output != NULL ? options->output : "-", out.bytes, out.length, 0644, err);
}

int command_inventory(int argc, char **argv)
{
    struct options options = {0};
    const struct option_row rows[] = {
        CLI_OUTPUT_ROW(&options.output),
        {"unit", 'u', OPTION_STRING, "KEY", &options.unit,
         "where the scalable unit is taken from: partition (Slurm), or a label of Kubernetes"},
        {"rack", 'r', OPTION_STRING, "KEY", &options.rack, "the label of Kubernetes that says the rack"},
        OPTION_END,
    };
    struct error err = {0};
    cleanup_arena struct arena *arena = NULL;
    int first, status;

    if (!cli_options(rows, "inventory slurm|kubernetes [FILE...]", argc, argv, &first, &status))
        return status;
    arena = arena_create();
    return make(arena, &options, argv + first, argc - first, &err) < 0 ? cli_fail(&err) : EXIT_ACCEPT;
}

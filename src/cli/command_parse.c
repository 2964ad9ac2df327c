/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay parse TOOL [FILE]: the reading of a saved output as JSON.
 *
 * Exit status: 0 complete without fault, 1 complete with a fault, 2 not complete, 64 usage or no such file.
 */
#include "assay/base/cleanup.h"
#include "assay/base/text.h"
#include "assay/parse/parser.h"

#include "cli.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int command_parse(int argc, char **argv);

enum { EXIT_FAULT = 1, EXIT_NOT_COMPLETE = 2 };

static void print_help(FILE *out)
{
    size_t count;
    const struct parser *const *parsers = parser_list(&count);

    fputs("usage: assay parse TOOL [FILE]\n"
          "Reads a saved output of TOOL (FILE, or standard input) and prints it as JSON.\n"
          "Exit status: 0 complete, 1 complete and the tool found a fault, 2 not complete, 64 usage.\n\n"
          "TOOL is one of\n",
          out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "  %-24s %s\n", parsers[i]->name, parsers[i]->summary);
    fputs("\nOutputs of these versions were read; the other tools do not print theirs:\n\n", out);
    for (size_t i = 0; i < count; i++)
        if (*parser_samples(parsers[i])->versions != '\0')
            fprintf(out, "%s: %s\n", parsers[i]->name, parser_samples(parsers[i])->versions);
}

/* A slip of the hand, else a name that has the word in it: "smi". */
static const char *nearest(const char *word)
{
    size_t count;
    const struct parser *const *parsers = parser_list(&count);
    cleanup_free const char **names = mem_alloc((count + 1) * sizeof *names);
    const char *near;

    for (size_t i = 0; i < count; i++)
        names[i] = parsers[i]->name;
    near = nearest_word(word, names, count);
    for (size_t i = 0; i < count && near == NULL && strlen(word) >= 3; i++)
        if (strstr(names[i], word) != NULL)
            near = names[i];
    return near;
}

static int refuse_tool(const char *word)
{
    size_t count;
    const struct parser *const *parsers = parser_list(&count);
    const char *meant = nearest(word);

    cli_warn("assay parse: no parser for '%s'", word);
    if (meant != NULL)
        cli_warn("; did you mean '%s'?", meant);
    cli_warn("\ntools:");
    for (size_t i = 0; i < count; i++)
        cli_warn(" %s", parsers[i]->name);
    cli_warn("\n");
    return ERROR_USAGE;
}

static int exit_status(const struct reading *reading)
{
    if (reading->status != READING_COMPLETE)
        return EXIT_NOT_COMPLETE;
    for (size_t i = 0; i < reading->findings.count; i++)
        if (reading->findings.items[i].severity == SEVERITY_FAULT)
            return EXIT_FAULT;
    return 0;
}

static int print_reading(const struct reading *reading)
{
    cleanup_text struct text out = {0};
    struct json_writer writer;

    text_init(&out, SIZE_MAX / 2);
    json_writer_init(&writer, &out, false);
    reading_write(reading, &writer);
    text_put(&out, "\n");
    if (fwrite(out.bytes, 1, out.length, stdout) != out.length || fflush(stdout) != 0) {
        perror("assay parse: standard output");
        return ERROR_INTERNAL;
    }
    return exit_status(reading);
}

static int read_file(const struct parser *parser, const char *path)
{
    bool from_stdin = strcmp(path, "-") == 0;
    cleanup_fd int opened = from_stdin ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    cleanup_source struct source source = {0};
    struct error err = {0};
    struct reading reading;
    cleanup_arena struct arena *arena = NULL;
    int status;

    if (!from_stdin && opened < 0) {
        cli_warn("assay parse: %s: %s\n", path, strerror(errno));
        return ERROR_USAGE;
    }
    source_of_file(&source, from_stdin ? STDIN_FILENO : opened);
    arena = arena_create();
    if (parser_run_source(parser, &source, arena, &reading, &err) == 0) {
        status = print_reading(&reading);
    } else {
        cli_warn("assay parse: %s: %s\n", path, err.text);
        status = (int)err.code;
    }
    return status;
}

int command_parse(int argc, char **argv)
{
    static const struct option_row no_options[] = {OPTION_END};
    const struct parser *parser;

    if (cli_syntax_asked(no_options, "parse TOOL [FILE]"))
        return 0;
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_help(stdout);
        return 0;
    }
    if (argc >= 2 && argv[1][0] == '-')
        cli_warn("assay parse: no option '%s'\n", argv[1]);
    if (argc < 2 || argc > 3 || argv[1][0] == '-') {
        print_help(stderr);
        return ERROR_USAGE;
    }
    parser = parser_find(argv[1]);
    if (parser == NULL)
        return refuse_tool(argv[1]);
    return read_file(parser, argc == 3 ? argv[2] : "-");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* `assay lab` and the parsers as a program of their own, so that these tests need nothing else of assay. */
#include <stdio.h>
#include <string.h>

#include "assay/base/files.h"
#include "assay/lab/lab.h"
#include "assay/parse/parser.h"

int command_lab(int argc, char **argv);
int command_lab_tool(int argc, char **argv);

/* Prints the reading of standard input as `assay parse` does. */
static int parse(const char *tool)
{
    const struct parser *parser = parser_find(tool);
    struct arena *arena;
    struct reading reading;
    struct json_writer writer;
    struct text in, out;
    struct error err;

    if (parser == NULL)
        return 64;
    arena = arena_create();
    text_init(&in, 64 << 20);
    text_init(&out, 64 << 20);
    if (file_read("-", &in, &err) == 0) {
        parser_run(parser, (struct slice){in.bytes, in.length}, arena, &reading);
        json_writer_init(&writer, &out, true);
        reading_write(&reading, &writer);
        printf("%s\n", out.bytes);
    }
    text_release(&in);
    text_release(&out);
    arena_destroy(arena);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "lab") == 0)
        return command_lab(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], LAB_TOOL_WORD) == 0)
        return command_lab_tool(argc - 1, argv + 1);
    if (argc == 3 && strcmp(argv[1], "parse") == 0)
        return parse(argv[2]);
    fprintf(stderr, "usage: lab-alone lab ... | lab-alone parse TOOL\n");
    return 64;
}

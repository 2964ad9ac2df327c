/* SPDX-License-Identifier: Apache-2.0 */
/* The one way to the terminal: what a host, a file or a bundle said cannot steer it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "assay/base/nearest.h"
#include "assay/base/printable.h"
#include "assay/base/sha256.h"
#include "assay/base/text.h"
#include "cli.h"

enum { PRINTED_BYTES = 64 << 20, WORDS_BYTES = 4096 };

/* Stands for the line breaks of a format: none that an argument has can be it. */
static const char *line_break(void)
{
    static char mark[UUID_SIZE];

    if (mark[0] == '\0')
        uuid_create(mark);
    return mark;
}

static void put_broken(struct text *out, const char *format)
{
    for (const char *at = format; *at != '\0'; at++)
        if (*at == '\n')
            text_put(out, line_break());
        else
            text_add(out, at, 1);
}

/* A line break of an argument begins no line of ours: what follows is indented under a bar. */
static void put_plain(struct text *out, const char *text)
{
    size_t length = strlen(line_break());
    struct slice character;

    while (*text != '\0')
        if (strncmp(text, line_break(), length) == 0) {
            text_put(out, "\n");
            text += length;
        } else if (printable_next(&text, &character)) {
            text_add(out, character.bytes, character.length);
            if (character.length == 1 && *character.bytes == '\n')
                text_put(out, "    | ");
        }
}

static void print_to(FILE *stream, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* The format is the caller's, which the compiler has looked at, but for its line breaks. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void print_to(FILE *stream, const char *format, va_list arguments)
{
    cleanup_text struct text broken = {0}, text = {0}, plain = {0};

    text_init(&broken, PRINTED_BYTES);
    text_init(&text, PRINTED_BYTES);
    text_init(&plain, 8 * (size_t)PRINTED_BYTES); /* a line break is shown by seven bytes */
    put_broken(&broken, format);
    text_vprintf(&text, broken.bytes, arguments);
    put_plain(&plain, text.bytes);
    fwrite(plain.bytes, 1, plain.length, stream);
}
#pragma GCC diagnostic pop

void cli_print_lines(const char *lines)
{
    cleanup_text struct text plain = {0};
    struct slice character;

    text_init(&plain, 3 * (size_t)PRINTED_BYTES); /* what may not be shown is shown by three bytes */
    while (printable_next(&lines, &character))
        text_add(&plain, character.bytes, character.length);
    fwrite(plain.bytes, 1, plain.length, stdout);
}

void cli_print(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_to(stdout, format, arguments);
    va_end(arguments);
}

void cli_warn(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_to(stderr, format, arguments);
    va_end(arguments);
}

void cli_tell(void *context, const char *line)
{
    (void)context;
    cli_print("%s\n", line);
}

void cli_tell_note(void *context, const char *line)
{
    (void)context;
    cli_warn("assay: %s\n", line);
}

void cli_print_signed(const struct proof_files *files)
{
    cli_print("report: %s\nmanifest: %s\nsignature: %s\n", files->report, files->manifest,
              files->signature != NULL ? files->signature : "there already, by this key");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The one way to the terminal: what a host, a file or a bundle said cannot steer it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

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

/* Columns that a line may take on the terminal that stdout is; 0: it is none, and lines stay whole for programs. */
static size_t columns_of_stdout(void)
{
    enum { LEAST = 40 };
    struct winsize size;

    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= LEAST
               ? size.ws_col - 1
               : 0;
}

/* A word, or what stands between two `, which people copy, and whatever hangs on it. */
static const char *end_of_word(const char *at, size_t *ret_columns)
{
    struct slice character;
    bool quoted = false;

    *ret_columns = 0;
    while (*at != '\0' && *at != '\n' && (quoted || *at != ' ') && printable_next(&at, &character)) {
        quoted ^= *character.bytes == '`';
        *ret_columns += printable_columns(&character);
    }
    return at;
}

/* Terminals break lines anywhere. */
static void put_folded(struct text *out, const char *text, size_t columns)
{
    static const char indent[] = "    ";
    size_t at = 0, blanks = 0, width;

    while (*text != '\0') {
        const char *end = end_of_word(text + strspn(text, " "), &width);

        blanks = strspn(text, " ");
        if (at > strlen(indent) && width > 0 && at + blanks + width > columns) {
            text_printf(out, "\n%s", indent);
            at = strlen(indent);
            text += blanks;
            blanks = 0;
        }
        text_add(out, text, (size_t)(end - text));
        at += blanks + width;
        text = end;
        if (*text == '\n') {
            text_add(out, text++, 1);
            at = 0;
        }
    }
}

static void print_to(FILE *stream, size_t columns, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* The format is the caller's, which the compiler has looked at, but for its line breaks. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void print_to(FILE *stream, size_t columns, const char *format, va_list arguments)
{
    cleanup_text struct text broken = {0}, text = {0}, plain = {0}, folded = {0};

    text_init(&broken, PRINTED_BYTES);
    text_init(&text, PRINTED_BYTES);
    text_init(&plain, 8 * (size_t)PRINTED_BYTES); /* a line break is shown by seven bytes */
    put_broken(&broken, format);
    text_vprintf(&text, broken.bytes, arguments);
    put_plain(&plain, text.bytes);
    if (columns > 0) {
        text_init(&folded, 16 * (size_t)PRINTED_BYTES);
        put_folded(&folded, plain.bytes, columns);
    }
    fwrite(columns > 0 ? folded.bytes : plain.bytes, 1, columns > 0 ? folded.length : plain.length, stream);
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
    print_to(stdout, 0, format, arguments);
    va_end(arguments);
}

void cli_print_sentence(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_to(stdout, columns_of_stdout(), format, arguments);
    va_end(arguments);
}

void cli_warn(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_to(stderr, 0, format, arguments);
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

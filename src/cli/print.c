/* SPDX-License-Identifier: Apache-2.0 */
/* The one way to the terminal: what a host, a file or a bundle said cannot steer it. */
#include <stdarg.h>
#include <stdio.h>

#include "assay/printable.h"
#include "assay/text.h"
#include "cli.h"

enum { PRINTED_BYTES = 64 << 20 };

static void print_to(FILE *stream, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

static void print_to(FILE *stream, const char *format, va_list arguments)
{
    cleanup_text struct text text = {0}, plain = {0};
    struct slice character;
    const char *rest;

    text_init(&text, PRINTED_BYTES);
    text_init(&plain, 3 * PRINTED_BYTES); /* what may not be shown is shown by three bytes */
    text_vprintf(&text, format, arguments);
    for (rest = text.bytes; printable_next(&rest, &character);)
        text_add(&plain, character.bytes, character.length);
    fwrite(plain.bytes, 1, plain.length, stream);
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

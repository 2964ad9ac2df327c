/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/base/error.h"

#include <stdio.h>
#include <string.h>

int error_set(struct error *err, enum error_code code, const char *format, ...)
{
    va_list arguments;

    if (err == NULL)
        return -1;
    err->code = code;
    err->count = 1;
    err->untold = 0;
    err->more[0] = '\0';
    va_start(arguments, format);
    vsnprintf(err->text, sizeof err->text, format, arguments);
    va_end(arguments);
    return -1;
}

/* For "and 34 more errors", a newline and the NUL. */
enum { LAST_LINE_BYTES = 40 };

static void put_more(struct error *err, const char *line)
{
    size_t used = strlen(err->more);

    snprintf(err->more + used, sizeof err->more - used, "%s%s", used > 0 ? "\n" : "", line);
}

static void count_on(struct error *err, unsigned count)
{
    char last[LAST_LINE_BYTES], *before = strrchr(err->more, '\n');

    if (count == 0)
        return;
    if (err->untold > 0)
        *(before != NULL ? before : err->more) = '\0';
    err->untold += count;
    err->count += count;
    snprintf(last, sizeof last, "and %u more error%s", err->untold, err->untold == 1 ? "" : "s");
    put_more(err, last);
}

static void add(struct error *err, enum error_code code, const char *line)
{
    if (err->code == ERROR_NONE || code == ERROR_INTERNAL) {
        (void)error_set(err, code, "%s", line);
    } else if (err->count >= ERRORS_TOLD || err->untold > 0 ||
               strlen(err->more) + strlen(line) + LAST_LINE_BYTES >= sizeof err->more) {
        count_on(err, 1);
    } else {
        err->count++;
        put_more(err, line);
    }
}

int error_add(struct error *err, enum error_code code, const char *format, ...)
{
    char line[sizeof err->text];
    va_list arguments;

    if (err == NULL || err->code == ERROR_INTERNAL)
        return -1;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    add(err, code, line);
    return -1;
}

void error_clear(struct error *err)
{
    if (err == NULL)
        return;
    err->code = ERROR_NONE;
    err->count = err->untold = 0;
    err->text[0] = err->more[0] = '\0';
}

int error_join(struct error *err, const struct error *other)
{
    const char *line = other->more;

    if (err == NULL || other->code == ERROR_NONE || err->code == ERROR_INTERNAL)
        return -1;
    add(err, other->code, other->text);
    for (unsigned told = other->count - other->untold; told > 1; told--) {
        char one[sizeof err->text];
        size_t length = strcspn(line, "\n");

        (void)snprintf(one, sizeof one, "%.*s", (int)length, line);
        add(err, other->code, one);
        line += length + (line[length] == '\n');
    }
    count_on(err, other->untold);
    return -1;
}

int error_wrap(struct error *err, const char *format, ...)
{
    char before[sizeof err->text];
    va_list arguments;
    size_t used;

    if (err == NULL)
        return -1;
    memcpy(before, err->text, sizeof before);
    va_start(arguments, format);
    vsnprintf(err->text, sizeof err->text, format, arguments);
    va_end(arguments);
    used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, ": %s", before);
    return -1;
}

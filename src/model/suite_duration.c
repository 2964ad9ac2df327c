/* SPDX-License-Identifier: Apache-2.0 */
/* How long a suite's soak lasts, in the place of what its file says: another number in its bytes, and nothing else. */
#include <string.h>

#include "assay/base/text.h"
#include "suite_private.h"

enum { SECONDS_MOST = 1209600 /* as in the schema: two weeks */ };

bool seconds_parse(const char *text, unsigned *ret_seconds)
{
    static const struct {
        char letter;
        unsigned seconds;
    } units[] = {{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}};
    struct slice rest = slice_of(text);
    uint64_t number, sum = 0;
    size_t unit = 0; /* each once, the larger before the smaller */

    while (rest.length > 0) {
        if (!scan_digits(&rest, &number) || number > SECONDS_MOST || rest.length == 0)
            return false;
        while (unit < ARRAY_SIZE(units) && units[unit].letter != rest.bytes[0])
            unit++;
        if (unit == ARRAY_SIZE(units))
            return false;
        sum += number * units[unit++].seconds;
        rest = slice_from(rest, 1);
    }
    *ret_seconds = (unsigned)sum;
    return sum > 0 && sum <= SECONDS_MOST;
}

/* Where the value stands in the document; columns count characters. */
static size_t offset_of(struct slice bytes, const struct json *value)
{
    size_t at = 0;

    for (unsigned line = 1; line < value->line; line++)
        at += strcspn(bytes.bytes + at, "\n") + 1;
    for (unsigned column = 1; column < value->column; column++)
        do
            at++;
        while (((unsigned char)bytes.bytes[at] & 0xC0) == 0x80);
    return at;
}

/* From the last to the first, so that what stands before keeps its place. */
const struct suite *suite_with_duration(struct arena *arena, const struct suite *suite, unsigned seconds,
                                        struct error *err)
{
    struct slice bytes = suite->bytes;
    bool any = false;

    for (size_t i = suite->steps.count; i-- > 0;) {
        const struct json *value = json_get(suite->steps.items[i].at, "repeat_for_s");
        size_t at, end;

        if (value == NULL)
            continue;
        any = true;
        bytes.bytes = arena_strndup(arena, bytes.bytes, bytes.length); /* it ends in NUL */
        at = offset_of(bytes, value);
        end = at + strspn(bytes.bytes + at, "0123456789.eE+-");
        bytes.bytes = arena_printf(arena, "%.*s%u%s", (int)at, bytes.bytes, seconds, bytes.bytes + end);
        bytes.length = strlen(bytes.bytes);
    }
    if (!any) {
        error_set(err, ERROR_USAGE,
                  "%s: no step of the suite says repeat_for_s, which --duration could replace; expected a "
                  "suite such as soak",
                  suite->path);
        return NULL;
    }
    return suite_parse(arena, suite->path, bytes, err);
}

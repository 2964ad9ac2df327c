/* SPDX-License-Identifier: Apache-2.0 */
#include "probe_lines.h"

#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "loose_json.h"

bool probe_line_has(struct slice line, const char *key)
{
    return scan_text(&line, "{\"") && scan_text(&line, key) && slice_starts(line, "\": ");
}

const struct json *probe_line_read(struct reading *reading, struct slice text, bool ended,
                                   const struct reason **damage)
{
    struct error err = {0};
    const struct json *line = json_parse(reading->arena, "line", text.bytes, text.length, &err);

    if (line != NULL && !ended)
        return line;
    *damage = line == NULL ? reason(reading->arena, text, err.text) : REASON(more_after_the_end);
    return NULL;
}

bool probe_line_number(struct reading *reading, const struct json *line, const char *key, double least,
                       double *ret_number, const struct reason **damage)
{
    double number;

    if (loose_number(line, key, &number) && number >= least) {
        *ret_number = number;
        return true;
    }
    *damage = reason(reading->arena, line_lacks_number, line->line, key);
    return false;
}

void probe_lines_end(struct reading *reading, bool seen, bool ended, const struct reason *damage,
                     const struct reason *strange)
{
    if (!seen)
        reading_strange(reading, strange);
    if (damage != NULL)
        reading_lacks(reading, damage);
    if (!ended)
        reading_lacks(reading, REASON(probe_end_missing));
}

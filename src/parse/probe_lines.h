/* SPDX-License-Identifier: Apache-2.0 */
/* The form that the outputs of our own probes share: lines of JSON among others, a head, rows, and an end. */
#ifndef ASSAY_PARSE_PROBE_LINES_H
#define ASSAY_PARSE_PROBE_LINES_H

#include "frame.h"

/* Whether the line begins with this key: {"key": */
bool probe_line_has(struct slice line, const char *key);
/* NULL, and noted as damage, where it is no JSON, or comes behind the end. */
const struct json *probe_line_read(struct reading *reading, struct slice text, bool ended,
                                   const struct reason **damage);
/* A number that must be there, and be at least so large; else it is noted as damage. */
bool probe_line_number(struct reading *reading, const struct json *line, const char *key, double least,
                       double *ret_number, const struct reason **damage);
/* What every output must have: a line of ours (else `strange` is said), its end, and no damage. */
void probe_lines_end(struct reading *reading, bool seen, bool ended, const struct reason *damage,
                     const struct reason *strange);

#endif

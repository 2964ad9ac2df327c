/* SPDX-License-Identifier: Apache-2.0 */
/* A line of JSON on stdout, written at once and whole: between lines of mpirun and of other ranks it stays one. */
#ifndef ASSAY_PROBE_LINE_H
#define ASSAY_PROBE_LINE_H

#include "assay/base/json.h"
#include "assay/base/text.h"

struct probe_line {
    struct text text;
    struct json_writer writer;
};

void probe_line_begin(struct probe_line *line);
void probe_line_number(struct probe_line *line, const char *key, double value);
void probe_line_end(struct probe_line *line);

#endif

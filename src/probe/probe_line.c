/* SPDX-License-Identifier: Apache-2.0 */
#include "probe_line.h"

#include <stdio.h>

enum { LINE_MOST = 64 << 20 };

void probe_line_begin(struct probe_line *line)
{
    text_init(&line->text, LINE_MOST);
    json_writer_init(&line->writer, &line->text, true);
    json_open_object(&line->writer);
}

void probe_line_number(struct probe_line *line, const char *key, double value)
{
    json_member_number(&line->writer, key, value);
}

void probe_line_end(struct probe_line *line)
{
    json_close_object(&line->writer);
    text_put(&line->text, "\n");
    fwrite(line->text.bytes, 1, line->text.length, stdout);
    fflush(stdout);
    text_release(&line->text);
}

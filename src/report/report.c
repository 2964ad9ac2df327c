/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/report.h"

#include <string.h>

#include "report_formats.h"

static const struct report_format formats[] = {
    {"html", ".html", "one file for screen and print, with plots and evidence", report_html},
    {"text", ".txt", "100 columns, for terminals and mail", report_text},
    {"json", ".json", "everything, for programs (schema 1)", report_json},
};

const struct report_format *report_format_find(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

const struct report_format *report_format_list(size_t *ret_count)
{
    *ret_count = sizeof formats / sizeof formats[0];
    return formats;
}

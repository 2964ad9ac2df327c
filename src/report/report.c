/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/report/report.h"

#include <string.h>

#include "report_formats.h"

static const struct report_format formats[] = {
    {"html", ".html", "one file for screen and print, with plots and evidence", report_html},
    {"text", ".txt", "80 columns, for terminals and mail", report_text},
    {"json", ".json", "everything, for programs (reports/report.schema.json)", report_json},
    {"csv", ".csv", "one value a row, for spreadsheets and statistics", report_csv},
    {"junit", ".xml", "the gates for build servers; what was not decided is an error", report_junit},
    {"prometheus", ".prom", "verdicts, counts and the values of gates for a text file collector",
     report_prometheus},
};

const struct report_format *report_format_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

const struct report_format *report_format_list(size_t *ret_count)
{
    *ret_count = ARRAY_SIZE(formats);
    return formats;
}

static const struct acceptance_format acceptance_formats[] = {
    {"html", acceptance_html}, {"text", acceptance_text}, {"json", acceptance_json}};

const struct acceptance_format *acceptance_format_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(acceptance_formats); i++)
        if (strcmp(acceptance_formats[i].name, name) == 0)
            return &acceptance_formats[i];
    return NULL;
}

size_t report_appendices(const struct appendix_row **ret_rows)
{
    static const struct appendix_row rows[] = {{"hosts", APPENDIX_HOSTS},
                                               {"evidence", APPENDIX_EVIDENCE},
                                               {"hardware", APPENDIX_HARDWARE},
                                               {"commands", APPENDIX_COMMANDS}};

    *ret_rows = rows;
    return ARRAY_SIZE(rows);
}

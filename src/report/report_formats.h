/* SPDX-License-Identifier: Apache-2.0 */
/* The writers behind the rows of report.c, and what the build puts into the program for them. */
#ifndef ASSAY_REPORT_FORMATS_H
#define ASSAY_REPORT_FORMATS_H

#include "assay/report/report.h"

void report_html(const struct record *record, enum report_language language, struct text *out);
void report_text(const struct record *record, enum report_language language, struct text *out);
void report_json(const struct record *record, enum report_language language, struct text *out);
void report_csv(const struct record *record, enum report_language language, struct text *out);
void report_junit(const struct record *record, enum report_language language, struct text *out);
void report_prometheus(const struct record *record, enum report_language language, struct text *out);

void acceptance_html(const struct acceptance *acceptance, enum report_language language, struct text *out);
void acceptance_text(const struct acceptance *acceptance, enum report_language language, struct text *out);
void acceptance_json(const struct acceptance *acceptance, enum report_language language, struct text *out);

/* report_compare.c. The members of an object that is open: counts, and the lists of what is worse, better, changed, gone
   and added. */
void compare_put(struct json_writer *json, const struct comparison *comparison);

/* report_json.c. JSON, with what means something to a browser or a terminal as \u escapes. */
void json_copy_harmless(struct text *out, const struct text *from);

extern const char report_css[];                    /* report.css */
extern const char site_css[];                      /* site.css, behind it on the pages of a site */
extern const char report_js[], report_js_sha256[]; /* report.js, and the base64 of its SHA-256 */
extern const char site_board_js[];                 /* site_board.js */

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands around every HTML page: head, style, and the script that sorts and filters. The page allows that one
 * script by its hash, and no other; it fetches nothing.
 */
#ifndef ASSAY_REPORT_FRAME_H
#define ASSAY_REPORT_FRAME_H

#include "assay/report.h"

/* Up to and with <main>. The foot stands on every printed page; of it letters, digits, blanks and '-' are shown. */
void frame_open(struct text *out, enum report_language language, const char *title, const char *foot);
void frame_close(struct text *out, enum report_language language);

#endif

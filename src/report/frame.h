/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands around every HTML page: head, style, and the script that sorts and filters. The page allows that one
 * script by its hash, and no other; it fetches nothing.
 */
#ifndef ASSAY_REPORT_FRAME_H
#define ASSAY_REPORT_FRAME_H

#include "assay/report/report.h"
#include "language.h"

/* Up to and with <main>. The foot stands on every printed page; of it letters, digits, blanks and '-' are shown. */
void frame_open(struct text *out, enum report_language language, const char *title, const char *foot);
/* The same of a page of a site. */
void frame_open_site(struct text *out, enum report_language language, const char *title);
/* Likewise of one that has no script and takes its style from a file; frame_end closes it. */
void frame_open_linked(struct text *out, enum report_language language, const char *title, const char *style);
/* Likewise of one that brings itself up to date, by a script from a file of the same server. */
void frame_open_live(struct text *out, enum report_language language, const char *title, const char *style);
/* The way back to a site's pages, on the screen alone. */
void frame_back(struct text *out, enum report_language language, const char *index);
/* The way to the board of a run that goes on. */
void frame_live(struct text *out, enum report_language language, const char *board);
/* A reason in the language, or its pieces; those that nobody translates are marked as English. */
void frame_pieces(struct text *out, enum report_language language, const struct said_list *pieces);
void frame_said(struct text *out, struct arena *arena, enum report_language language,
                const struct reason *reason);
/* What stands in place of that, and on top, where the hosts were simulated, so that nobody can sign it; false: they were not. */
bool frame_simulated(struct text *out, enum report_language language, double timescale);
/* What both parties sign: the statement, of which run or acceptance it is, and a place for each of them. */
void frame_sign_off(struct text *out, enum report_language language, enum text_key statement,
                    enum text_key what, const char *uuid);
void frame_close(struct text *out, enum report_language language);
void frame_end(struct text *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Which pages of repair are about a word that people read in a report: a check, or a step of a built-in suite. */
#ifndef ASSAY_REPORT_REPAIR_PAGES_H
#define ASSAY_REPORT_REPAIR_PAGES_H

#include "assay/check/repair.h"

/* None where the word is neither, or no page is about it. */
void report_repair_pages(struct arena *arena, const char *word, struct repair_pages *ret_pages);

#endif

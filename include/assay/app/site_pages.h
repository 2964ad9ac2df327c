/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of a site (site.h) out of the database: what `assay site` writes into a folder and `assay serve` sends. */
#ifndef ASSAY_APP_SITE_PAGES_H
#define ASSAY_APP_SITE_PAGES_H

#include "assay/report/site.h"
#include "assay/store/store.h"

/* Who is compared with whom, into pairs and `previous`: of a suite with few runs every two, of more each with the one
   before. */
void site_pages_pair(struct arena *arena, struct site *site);
int site_pages_compare(struct store *store, long long earlier, long long later, enum report_language language,
                       struct text *out, struct error *err) __attribute__((warn_unused_result));
/* Of a run that cannot be read: what the list of runs has of it, and why. No verdict stands there for it. */
void site_pages_damaged(struct arena *arena, const struct run_summary *summary, const struct error *why,
                        struct site_run *ret_run);
/* "acceptances/iron.html" */
const char *site_pages_acceptance_path(struct arena *arena, const char *name);
/* As it stands now, and how the index shows it, in the arena. out NULL: only that. */
int site_pages_acceptance(struct store *store, struct arena *arena, const char *name,
                          enum report_language language, struct text *out,
                          struct site_acceptance *ret_acceptance, struct error *err)
    __attribute__((warn_unused_result));

/* All pages of a database that others write to meanwhile. */
struct site_pages;
/* The store must outlive it. */
struct site_pages *site_pages_create(struct store *store, enum report_language language);
/* Accepts NULL. */
void site_pages_destroy(struct site_pages *pages);
/* The page that lies there in a site: made of what the database has now, or taken from the few that were made last, while
   nothing has changed. 1; 0: a site has no such page; -1 with err set. */
int site_pages_make(struct site_pages *pages, const char *path, struct text *out, struct error *err)
    __attribute__((warn_unused_result));

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the pages of a site share. Of a struct page they have out, arena and language only. */
#ifndef ASSAY_REPORT_SITE_PAGE_H
#define ASSAY_REPORT_SITE_PAGE_H

#include "assay/report/site.h"
#include "page.h"

/* The way to a page: those above it. */
struct site_step {
    enum text_key text;
    const char *href; /* NULL ends the way */
};
/* The way, a heading and what stands under it ("" nothing), in a page whose frame is open. */
void site_head(struct page *page, const struct site_step *way, const char *heading, const char *subtitle);
/* <section id="ID"> with its heading; the id is a literal. */
#define site_section(page, id, key)                                                                         \
    (html_markup((page)->out, "<section id=\"" id "\">\n<h2>"), html_text((page)->out, say((page), (key))), \
     html_markup((page)->out, "</h2>\n"))
/* <table class="site ..."> up to <tbody>. */
#define site_table(page, ...)                                                                \
    (html_markup((page)->out, "<table class=\"site\">"),                                     \
     page_heads((page), (const struct page_head[]){__VA_ARGS__},                             \
                sizeof((const struct page_head[]){__VA_ARGS__}) / sizeof(struct page_head)), \
     html_markup((page)->out, "<tbody>\n"))
void site_table_end(struct page *page);
/* <td data-name="Suite">: on a telephone, where there is no head over it, it says its name. */
void site_open_cell(struct page *page, enum text_key name);
void site_cell(struct page *page, enum text_key name, const char *text);
void site_number_cell(struct page *page, enum text_key name, const char *text);
/* <a href="...">text</a> */
void site_link(struct page *page, const char *href, const char *text);
/* "✕ reject", as that kind of run has it. */
void site_verdict(struct page *page, const struct standing *standing, enum verdict_word verdict);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The HTML report: one table of sections, written by several files. */
#ifndef ASSAY_REPORT_PAGE_H
#define ASSAY_REPORT_PAGE_H

#include "alike.h"
#include "assay/check/check.h"
#include "assay/model/sighting.h"
#include "assay/report/report.h"
#include "assay/report/site.h"
#include "causes.h"
#include "distributions.h"
#include "html.h"
#include "language.h"
#include "matrix.h"
#include "names.h"
#include "reached.h"
#include "series.h"
#include "variants.h"
#include "view.h"

struct page {
    struct text *out;
    struct arena *arena;
    enum report_language language;
    const struct view *view;
    struct report_entry *entries;
    size_t entry_count;
    size_t *entry_of_step; /* number (from 1) of the first entry that speaks of the step; 0: none does */
    struct report_causes causes;
    struct report_names names;
    const struct matrix *matrix;
    struct heat_map_list heat_maps;
    struct charts charts;
    struct tunings tunings;
    struct distributions distributions;
    struct gpu_tables burns;
    struct reached reached;
    struct alike alike;
    struct worth_measured worth;
    struct sightings sightings; /* by host */
};

/* -- Words: page.c, and language.h. */
/* Whether this appendix is on paper too; 0 is no appendix. */
bool page_prints(const struct page *page, unsigned appendix);
/* Of a long table paper shows the first rows: <tr>, with a class where this row is not printed without the appendix; and
   behind the table how many are left out, with the command that prints them. */
bool page_row_prints(const struct page *page, size_t row, size_t most);
void page_open_row(struct page *page, bool printed);
void page_left_out(struct page *page, size_t rows, size_t most);
/* A number as a value of sayf. */
const char *number(const struct page *page, size_t count);

/* "2026-03-01 12:00:00 to 12:06:40 UTC" */
const char *span_text(const struct page *page, double start, double end);
/* "2026-03-01 12:00:00 UTC", "3.2 s" */
const char *when(const struct page *page, double unix_time);
const char *how_long(const struct page *page, double seconds);

/* <h3>...</h3>, <p>...</p> */
void page_heading(struct page *page, enum text_key key);
void page_paragraph(struct page *page, enum text_key key);
/* <dt>, <dd> */
void page_pair(struct page *page, enum text_key key, const char *value);
void page_said_pair(struct page *page, enum text_key key, const struct reason *reason);
/* Of how many hosts the section tells one by one, where it is not all of them, and where the others are. */
void page_told(struct page *page);
/* A reason in the page's language; each piece that nobody translates, as what a tool printed, is marked as English. */
void page_said(struct page *page, const struct reason *reason);
/* Hosts by name, of which there may be hundreds: the first of them, and all where the reader asks. */
void page_targets(struct page *page, const struct reason *targets);
void page_said_cell(struct page *page, const struct reason *reason);
/* Where the reason says nothing, the text in its place. */
void page_said_cell_or(struct page *page, const struct reason *reason, enum text_key none);
/* A line in small print below what a cell says. */
void page_small(struct page *page, const char *text);
/* What to do about a cause. */
void page_advice(struct page *page, const struct report_cause *cause, bool pages);
/* A table up to the end of its head: page_table(page, "compact", COLUMN(HOST), NUMBERS(ITEMS)). */
struct page_head {
    enum text_key text;
    bool numbers;
};
#define COLUMN(key)       \
    {                     \
        TEXT_##key, false \
    }
#define NUMBERS(key)     \
    {                    \
        TEXT_##key, true \
    }
#define page_table(page, class, ...)                             \
    (html_markup((page)->out, "<table class=\"" class "\">"),    \
     page_heads((page), (const struct page_head[]){__VA_ARGS__}, \
                sizeof((const struct page_head[]){__VA_ARGS__}) / sizeof(struct page_head)))
void page_heads(struct page *page, const struct page_head *heads, size_t count);
/* The same, and behind them the titles of the facts that the checks list there. */
void page_heads_listed(struct page *page, const struct page_head *heads, size_t count, enum listed list);

/* <a href> to an attempt among the evidence; false: it is not listed there, and nothing was opened. */
bool page_open_attempt(struct page *page, const struct attempt *attempt);

/* page_answer.c */
void page_answer(struct page *page);

/* page_causes.c */
void page_failures(struct page *page);

/* page_fleet.c: every host as one cell, of any number of them. */
void page_fleet(struct page *page);

/* page_results.c */
void page_undecided(struct page *page);
void page_remarks(struct page *page);
void page_coverage(struct page *page);
void page_matrix(struct page *page);
bool page_has_remarks(const struct page *page);

/* page_map.c */
void page_map(struct page *page);

/* page_unrun.c */
void page_unrun(struct page *page);

/* page_searches.c */
void page_searches(struct page *page);
bool page_has_searches(const struct page *page);

/* page_preflight.c */
void page_preflight(struct page *page);
bool page_has_preflight(const struct page *page);

/* page_retests.c */
void page_retests(struct page *page);
bool page_has_retests(const struct page *page);

/* page_method.c */
void page_method(struct page *page);

/* page_unjudged.c */
void page_unjudged(struct page *page);
bool page_has_unjudged(const struct page *page);
/* page_slices.c */
void page_slices(struct page *page);
bool page_has_slices(const struct page *page);

/* page_variants.c */
void page_variants(struct page *page);
bool page_has_variants(const struct page *page);

/* page_worth.c */
void page_worth(struct page *page);
bool page_has_worth(const struct page *page);

/* page_numbers.c */
void page_heat_maps(struct page *page);
void page_charts(struct page *page);
void page_burn(struct page *page);
bool page_has_heat_maps(const struct page *page);
bool page_has_charts(const struct page *page);
bool page_has_burn(const struct page *page);

/* page_earlier.c */
void page_earlier(struct page *page);
bool page_has_earlier(const struct page *page);

/* page_distributions.c */
void page_distributions(struct page *page);
bool page_has_distributions(const struct page *page);

/* page_reached.c: all of it, and for the first page of what passed. */
void page_reached(struct page *page);
void page_reached_short(struct page *page);
bool page_has_reached(const struct page *page);

/* page_alike.c */
bool page_has_alike(const struct page *page);
void page_alike(struct page *page);

/* page_evidence.c */
void page_inventory(struct page *page);
void page_limits(struct page *page);
void page_documents(struct page *page);
void page_sign_off(struct page *page);
void page_commands(struct page *page);
void page_attempts(struct page *page);
/* In a site: opens a link to what the attempt left. false: there is nothing to lead to. */
bool page_open_output(struct page *page, const struct attempt *attempt, enum site_output output);
void page_equipment(struct page *page);
bool page_has_equipment(const struct page *page);

/* page_assets.c */
void page_assets(struct page *page);
bool page_has_assets(const struct page *page);

/* "✓ pass" in the colour of the word, linked to the evidence of the step or to the entry that says why there
 * is none. */
void page_word(struct page *page, enum outcome_word word);
void page_word_link(struct page *page, enum outcome_word word, size_t step);
/* Opens that link; false: there is nothing to lead to. */
bool page_open_link(struct page *page, size_t step);
/* " v-reject": the class of a verdict; its sign; how many verdicts there are of "unit" or "host". */
void page_verdict_class(struct text *out, enum verdict_word word);
const char *page_verdict_symbol(enum verdict_word word);
size_t page_count_verdicts(const struct page *page, const char *scope);
/* The metric, which may be broken behind its points. */
void page_metric(struct page *page, const char *metric);
/* The metric, and where it is taken in small letters behind it. */
void page_metric_cell(struct page *page, const char *metric, const struct reason *at);
/* A number with so many decimals, or a dash. */
void page_number(struct page *page, double value, int decimals);

#endif

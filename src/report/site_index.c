/* SPDX-License-Identifier: Apache-2.0 */
/* The two pages of a site that list runs: all of them, and what is compared with what. */
#include <string.h>

#include "frame.h"
#include "names.h"
#include "site_page.h"

static struct run_origin *keep_origin(struct arena *arena, const struct run_origin *origin)
{
    struct run_origin *kept;

    if (origin == NULL)
        return NULL;
    kept = arena_new(arena, struct run_origin);
    *kept = *origin;
    kept->bundle = arena_strdup(arena, origin->bundle);
    kept->signers = arena_strdup(arena, origin->signers);
    return kept;
}

void site_run_of(struct arena *arena, const struct record *record, struct site_run *ret_run)
{
    struct arena *scratch = arena_create();
    struct report_names names;

    report_names_of(scratch, record, &names);
    *ret_run = (struct site_run){
        .number = record->number,
        .title = arena_strdup(arena, names.title),
        .customer = arena_strdup(arena, names.customer),
        .site = arena_strdup(arena, names.site),
        .suite = arena_strdup(arena, record->suite),
        .started = record->started,
        .state = record->state,
        .standing = record->standing,
        .judged = record->judgement.verdict_count > 0,
        .verdict = report_verdict(record),
        .caveat = report_verdict(record) != VERDICT_REJECT && caveat_of_run(scratch, record) != NULL,
        .hosts = record->plan->hosts.count,
        .origin = keep_origin(arena, record->origin),
    };
    arena_destroy(scratch);
}

static const char *run_number(const struct page *page, long long run)
{
    return arena_printf(page->arena, "%lld", run);
}

/* -- Cells of a run --------------------------------------------------------------------------------------------- */

static void write_head(struct page *page, const struct site_run *run, const char *up)
{
    html_markup(page->out, "<tr><th scope=\"row\" data-name=\"");
    html_text(page->out, say(page, TEXT_RUN));
    html_markup(page->out, "\">");
    if (run->damage == NULL)
        site_link(page, arena_printf(page->arena, "%sruns/%lld/index.html", up, run->number),
                  run_number(page, run->number));
    else
        html_text(page->out, run_number(page, run->number));
    html_markup(page->out, "</th><td class=\"when\">");
    html_text(page->out, when(page, run->started));
    html_markup(page->out, "</td>");
}

static void write_cluster(struct page *page, const struct site_run *run)
{
    const char *customer = *run->customer != '\0' ? sayf(page, TEXT_CUSTOMER_NAMED, run->customer) : "";
    const char *site = *run->site != '\0' ? sayf(page, TEXT_SITE_NAMED, run->site) : "";

    site_open_cell(page, TEXT_SITE_CLUSTER);
    html_text(page->out, run->title);
    if (*customer != '\0' || *site != '\0') {
        html_markup(page->out, "<small>");
        html_textf(page->out, "%s%s%s", customer, *customer != '\0' && *site != '\0' ? ", " : "", site);
        html_markup(page->out, "</small>");
    }
    html_markup(page->out, "</td>");
}

static void write_question(struct page *page, const struct site_run *run)
{
    site_cell(page, TEXT_SUITE, run->suite);
    site_cell(page, TEXT_SITE_RUN_KIND,
              run->damage == NULL ? word(page, run_kind_title(run->standing.kind)) : "");
    site_number_cell(page, TEXT_HOSTS, number(page, run->hosts));
}

static void write_verdict(struct page *page, const struct site_run *run)
{
    site_open_cell(page, TEXT_VERDICT);
    if (run->damage != NULL) {
        html_markup(page->out, "<strong>");
        html_text(page->out, sayf(page, TEXT_SITE_DAMAGED, run->damage));
        html_markup(page->out, "</strong></td>");
        return;
    }
    if (!run->judged)
        html_text(page->out, say(page, TEXT_SITE_NOT_JUDGED));
    else if (run->origin == NULL || run->origin->judged_here)
        site_verdict(page, &run->standing, run->verdict);
    else /* in no colour: it is not ours */
        html_text(page->out, word(page, standing_verdict(&run->standing, run->verdict)));
    if (run->judged && run->caveat) {
        html_markup(page->out, "<small>");
        html_text(page->out, say(page, TEXT_SITE_CAVEAT));
        html_markup(page->out, "</small>");
    }
    if (run->state != RUN_ENDED) {
        html_markup(page->out, "<small>");
        html_text(page->out, word(page, run_state_name(run->state)));
        html_markup(page->out, "</small>");
    }
    if (run->live) {
        html_markup(page->out, "<small>");
        site_link(page, arena_printf(page->arena, "runs/%lld/live.html", run->number),
                  say(page, TEXT_SITE_LIVE));
        html_markup(page->out, "</small>");
    }
    if (run->judged && run->origin != NULL) {
        html_markup(page->out, "<small>");
        html_text(page->out,
                  say(page, run->origin->judged_here ? TEXT_SITE_VERDICT_OURS : TEXT_SITE_VERDICT_THEIRS));
        html_markup(page->out, "</small>");
    }
    html_markup(page->out, "</td>");
}

static void write_origin(struct page *page, const struct run_origin *origin)
{
    site_open_cell(page, TEXT_ORIGIN);
    html_markup(page->out, "<b>");
    html_text(page->out, *origin->signers != '\0' ? sayf(page, TEXT_SITE_SIGNED, origin->signers)
                                                  : say(page, TEXT_SITE_UNSIGNED));
    html_markup(page->out, "</b><small>");
    html_text(page->out,
              sayf(page, TEXT_SITE_IMPORTED, time_text(page->arena, origin->imported), origin->bundle));
    html_markup(page->out, "</small></td>");
}

/* -- The index --------------------------------------------------------------------------------------------------- */

static void write_own_runs(struct page *page, const struct site *site)
{
    size_t count = 0;

    site_section(page, "runs", TEXT_SITE_RUNS);
    for (size_t i = 0; i < site->runs.count; i++) {
        const struct site_run *run = &site->runs.items[i];

        if (run->origin != NULL)
            continue;
        if (count++ == 0)
            site_table(page, COLUMN(RUN), COLUMN(STARTED), COLUMN(SITE_CLUSTER), COLUMN(SUITE),
                       COLUMN(SITE_RUN_KIND), NUMBERS(HOSTS), COLUMN(VERDICT), COLUMN(SITE_COMPARED));
        write_head(page, run, "");
        write_cluster(page, run);
        write_question(page, run);
        write_verdict(page, run);
        if (run->previous != 0) {
            site_open_cell(page, TEXT_SITE_COMPARED);
            site_link(page, arena_printf(page->arena, "compare/%lld-%lld.html", run->previous, run->number),
                      sayf(page, TEXT_SITE_RUN, run_number(page, run->previous)));
            html_markup(page->out, "</td></tr>\n");
        } else {
            html_markup(page->out, "<td></td></tr>\n");
        }
    }
    if (count > 0)
        site_table_end(page);
    else
        page_paragraph(page, TEXT_SITE_NO_RUNS);
    html_markup(page->out, "</section>\n");
}

static void write_foreign_runs(struct page *page, const struct site *site)
{
    size_t count = 0;

    for (size_t i = 0; i < site->runs.count; i++) {
        const struct site_run *run = &site->runs.items[i];

        if (run->origin == NULL)
            continue;
        if (count++ == 0) {
            site_section(page, "imported", TEXT_SITE_FOREIGN);
            page_paragraph(page, TEXT_SITE_FOREIGN_INTRO);
            site_table(page, COLUMN(RUN), COLUMN(STARTED), COLUMN(ORIGIN), COLUMN(SITE_CLUSTER),
                       COLUMN(SUITE), COLUMN(SITE_RUN_KIND), NUMBERS(HOSTS), COLUMN(VERDICT));
        }
        write_head(page, run, "");
        write_origin(page, run->origin);
        write_cluster(page, run);
        write_question(page, run);
        write_verdict(page, run);
        html_markup(page->out, "</tr>\n");
    }
    if (count > 0) {
        site_table_end(page);
        html_markup(page->out, "</section>\n");
    }
}

static void write_stands(struct page *page, const struct site_acceptance *acceptance)
{
    html_markup(page->out, "<span class=\"vw");
    page_verdict_class(page->out, acceptance->verdict);
    html_markup(page->out, "\">");
    html_text(page->out, page_verdict_symbol(acceptance->verdict));
    html_text(page->out, " ");
    html_text(page->out, said(page, acceptance->verdict_text));
    html_markup(page->out, "</span>");
}

static void write_acceptances(struct page *page, const struct site *site)
{
    if (site->acceptances.count == 0)
        return;
    site_section(page, "acceptances", TEXT_SITE_ACCEPTANCES);
    site_table(page, COLUMN(SITE_ACCEPTANCE), COLUMN(VERDICT));
    for (size_t i = 0; i < site->acceptances.count; i++) {
        const struct site_acceptance *acceptance = &site->acceptances.items[i];

        html_markup(page->out, "<tr><th scope=\"row\">");
        if (acceptance->damage == NULL)
            site_link(
                page,
                arena_printf(page->arena, "acceptances/%s.html", site_name(page->arena, acceptance->name)),
                acceptance->name);
        else
            html_text(page->out, acceptance->name);
        html_markup(page->out, "</th>");
        site_open_cell(page, TEXT_VERDICT);
        if (acceptance->damage != NULL)
            html_text(page->out, sayf(page, TEXT_SITE_DAMAGED, acceptance->damage));
        else
            write_stands(page, acceptance);
        html_markup(page->out, "</td></tr>\n");
    }
    site_table_end(page);
    html_markup(page->out, "</section>\n");
}

static void write_links(struct page *page, const struct site *site)
{
    html_markup(page->out, "<nav aria-label=\"");
    html_text(page->out, say(page, TEXT_SITE_MORE));
    html_markup(page->out, "\"><ul class=\"links\">");
    if (site->pairs.count > 0) {
        html_markup(page->out, "<li>");
        site_link(page, "compare/index.html", say(page, TEXT_SITE_COMPARISONS));
        html_markup(page->out, "</li>");
    }
    if (site->has_history) {
        html_markup(page->out, "<li>");
        site_link(page, "history/index.html", say(page, TEXT_SITE_HISTORY));
        html_markup(page->out, "</li>");
    }
    html_markup(page->out, "</ul></nav>\n");
}

void site_index(const struct site *site, struct text *out)
{
    static const struct site_step top[] = {{0, NULL}};
    struct page page = {.out = out, .arena = arena_create(), .language = site->language};

    frame_open_site(out, site->language, say(&page, TEXT_SITE_TITLE));
    site_head(&page, top, say(&page, TEXT_SITE_TITLE),
              sayf(&page, TEXT_SITE_COUNT, number(&page, site->runs.count)));
    if (site->redacted)
        page_paragraph(&page, TEXT_SITE_REDACTED);
    if (site->pairs.count > 0 || site->has_history)
        write_links(&page, site);
    write_acceptances(&page, site);
    write_own_runs(&page, site);
    write_foreign_runs(&page, site);
    frame_close(out, site->language);
    arena_destroy(page.arena);
}

/* -- What is compared ---------------------------------------------------------------------------------------------- */

static void write_run_of_pair(struct page *page, const struct site_run *run, enum text_key name)
{
    site_open_cell(page, name);
    site_link(page, arena_printf(page->arena, "../runs/%lld/index.html", run->number),
              sayf(page, TEXT_SITE_RUN, run_number(page, run->number)));
    html_markup(page->out, " ");
    site_verdict(page, &run->standing, run->verdict);
    html_markup(page->out, "<small>");
    html_text(page->out, when(page, run->started));
    html_markup(page->out, "</small></td>");
}

static void write_pair(struct page *page, const struct site *site, const struct site_pair *pair)
{
    const struct site_run *later = &site->runs.items[pair->later];
    const struct site_run *earlier = &site->runs.items[pair->earlier];

    html_markup(page->out, "<tr><th scope=\"row\">");
    site_link(page, arena_printf(page->arena, "%lld-%lld.html", earlier->number, later->number),
              sayf(page, TEXT_SITE_COMPARE_TITLE, run_number(page, later->number),
                   run_number(page, earlier->number)));
    html_markup(page->out, "</th>");
    site_cell(page, TEXT_SUITE, later->suite);
    write_run_of_pair(page, later, TEXT_SITE_LATER);
    write_run_of_pair(page, earlier, TEXT_SITE_EARLIER);
    html_markup(page->out, "</tr>\n");
}

void site_comparisons(const struct site *site, struct text *out)
{
    static const struct site_step way[] = {{TEXT_SITE_TITLE, "../index.html"}, {0, NULL}};
    struct page page = {.out = out, .arena = arena_create(), .language = site->language};

    frame_open_site(out, site->language, say(&page, TEXT_SITE_COMPARISONS));
    site_head(&page, way, say(&page, TEXT_SITE_COMPARISONS), "");
    page_paragraph(&page, TEXT_SITE_COMPARISONS_INTRO);
    site_section(&page, "pairs", TEXT_SITE_RUNS);
    site_table(&page, COLUMN(SITE_COMPARE), COLUMN(SUITE), COLUMN(SITE_LATER), COLUMN(SITE_EARLIER));
    for (size_t i = 0; i < site->pairs.count; i++)
        write_pair(&page, site, &site->pairs.items[i]);
    site_table_end(&page);
    html_markup(page.out, "</section>\n");
    frame_close(out, site->language);
    arena_destroy(page.arena);
}

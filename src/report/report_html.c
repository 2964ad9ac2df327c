/* SPDX-License-Identifier: Apache-2.0 */
/* The HTML report as a whole: head, contents, and the table of its sections. */
#include "report_formats.h"

#include "frame.h"
#include "page.h"

static bool always(const struct page *page)
{
    (void)page;
    return true;
}

/* Nothing else is signed by hand: what is no acceptance must not look like one. */
static bool is_acceptance(const struct page *page)
{
    return standing_is_acceptance(&page->view->record->standing);
}

static const struct section {
    const char *id;
    enum text_key title;
    bool appendix;
    unsigned printed_with; /* on paper only where this appendix is asked for; 0: always */
    bool (*has)(const struct page *page);
    void (*write)(struct page *page);
} sections[] = {
    {"failures", TEXT_FAILURES, false, 0, always, page_failures},
    {"isolation", TEXT_ISOLATION, false, 0, page_has_searches, page_searches},
    {"undecided", TEXT_UNDECIDED, false, 0, always, page_undecided},
    {"unjudged", TEXT_UNJUDGED, false, 0, page_has_unjudged, page_unjudged},
    {"reached", TEXT_REACHED, false, 0, page_has_reached, page_reached},
    {"coverage", TEXT_COVERAGE, false, 0, always, page_coverage},
    {"matrix", TEXT_MATRIX, false, 0, always, page_matrix},
    {"remarks", TEXT_REMARKS, false, 0, page_has_remarks, page_remarks},
    {"slices", TEXT_SLICES, false, APPENDIX_HOSTS, page_has_slices, page_slices},
    {"retests", TEXT_RETESTS, false, APPENDIX_EVIDENCE, page_has_retests, page_retests},
    {"earlier", TEXT_EARLIER, false, 0, page_has_earlier, page_earlier},
    {"distributions", TEXT_DISTRIBUTIONS, false, 0, page_has_distributions, page_distributions},
    {"p2p", TEXT_P2P, false, APPENDIX_HOSTS, page_has_heat_maps, page_heat_maps},
    {"collectives", TEXT_COLLECTIVES, false, 0, page_has_charts, page_charts},
    {"tuning", TEXT_TUNING, false, 0, page_has_variants, page_variants},
    {"burn", TEXT_BURN, false, APPENDIX_HOSTS, page_has_burn, page_burn},
    {"worth", TEXT_WORTH, false, 0, page_has_worth, page_worth},
    {"inventory", TEXT_INVENTORY, false, 0, always, page_inventory},
    {"alike", TEXT_ALIKE, false, 0, page_has_alike, page_alike},
    {"limits", TEXT_LIMITS, false, 0, always, page_limits},
    {"method", TEXT_METHOD, false, 0, always, page_method},
    {"documents", TEXT_DOCUMENTS, false, 0, always, page_documents},
    {"preflight", TEXT_PREFLIGHT, true, APPENDIX_EVIDENCE, page_has_preflight, page_preflight},
    {"commands", TEXT_COMMANDS, true, APPENDIX_COMMANDS, always, page_commands},
    {"evidence", TEXT_EVIDENCE, true, APPENDIX_EVIDENCE, always, page_attempts},
    {"equipment", TEXT_EQUIPMENT, true, APPENDIX_HARDWARE, page_has_equipment, page_equipment},
    {"assets", TEXT_ASSETS, true, APPENDIX_HARDWARE, page_has_assets, page_assets},
    {"signatures", TEXT_SIGN_OFF, false, 0, is_acceptance, page_sign_off},
};
enum { SECTION_COUNT = ARRAY_SIZE(sections) };

/* In the order of report_appendices. */
static const enum text_key appendix_titles[] = {TEXT_APPENDIX_HOSTS, TEXT_APPENDIX_EVIDENCE,
                                                TEXT_APPENDIX_HARDWARE, TEXT_APPENDIX_COMMANDS};

struct numbering {
    unsigned section;
    char appendix;
};

/* "3" or "Appendix B" */
static const char *section_label(const struct page *page, struct numbering *numbering,
                                 const struct section *section)
{
    if (section->appendix)
        return sayf(page, TEXT_APPENDIX, arena_printf(page->arena, "%c", numbering->appendix++));
    return arena_printf(page->arena, "%u", numbering->section++);
}

static void write_contents(struct page *page)
{
    struct numbering numbering = {1, 'A'};
    struct text *out = page->out;

    html_markup(out, "<nav class=\"contents\" aria-label=\"");
    html_text(out, say(page, TEXT_CONTENTS));
    html_markup(out, "\"><ol>\n");
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        if (!sections[i].has(page))
            continue;
        html_markup(out, "<li><a href=\"#");
        html_text(out, sections[i].id);
        html_markup(out, "\"><span class=\"n\">");
        html_words(out, section_label(page, &numbering, &sections[i]));
        html_markup(out, "</span> ");
        html_words(out, say(page, sections[i].title));
        html_markup(out, "</a></li>\n");
    }
    html_markup(out, "</ol></nav>\n");
}

static bool is_printed(const struct page *page, const struct section *section)
{
    return page_prints(page, section->printed_with) && section->write != page_sign_off;
}

/* On which medium it stands, and whether a browser may lay it out late: what is not laid out is blank in a picture of the
   whole page, so only where all of it would take seconds. */
static void write_class(struct page *page, const struct section *section)
{
    enum { LARGE = 1500 }; /* attempts: about 40 hosts of the delivery suite */
    bool printed = is_printed(page, section);
    bool lazy = (section->printed_with != 0 || section->write == page_matrix) &&
                page->view->record->attempts.count > LARGE;

    if (lazy && printed)
        html_markup(page->out, " class=\"lazy\"");
    else if (lazy)
        html_markup(page->out, " class=\"lazy on-screen\"");
    else if (!printed)
        html_markup(page->out, " class=\"on-screen\"");
}

/* The same number on the screen and on paper, also where paper leaves some out: letters cite it. */
static void write_label(struct page *page, struct numbering *numbering, const struct section *section)
{
    html_markup(page->out, "<h2><span class=\"n\">");
    html_words(page->out, section_label(page, numbering, section));
    html_markup(page->out, "</span> ");
}

static void write_sections(struct page *page)
{
    struct numbering numbering = {1, 'A'};
    struct text *out = page->out;

    for (size_t i = 0; i < SECTION_COUNT; i++) {
        if (i == 0)
            write_contents(page);
        if (!sections[i].has(page))
            continue;
        html_markup(out, "<section id=\"");
        html_text(out, sections[i].id);
        html_markup(out, "\"");
        write_class(page, &sections[i]);
        html_markup(out, ">\n");
        write_label(page, &numbering, &sections[i]);
        html_words(out, say(page, sections[i].title));
        html_markup(out, "</h2>\n");
        sections[i].write(page);
        html_markup(out, "</section>\n\n");
    }
}

/* On paper alone: what is left out there, and the command that prints it. */
static void write_not_printed(struct page *page)
{
    const struct record *record = page->view->record;
    const struct appendix_row *rows;
    size_t count = 0, total = report_appendices(&rows);

    for (size_t i = 0; i < total; i++) {
        if (page_prints(page, rows[i].bit))
            continue;
        if (count++ == 0) {
            html_markup(page->out, "<section class=\"on-paper whole\">\n");
            page_heading(page, TEXT_NOT_PRINTED);
            page_paragraph(page, TEXT_NOT_PRINTED_INTRO);
            html_markup(page->out, "<ul>\n");
        }
        html_markup(page->out, "<li>");
        html_words(page->out, sayf(page, TEXT_NOT_PRINTED_HOW, rows[i].name, say(page, appendix_titles[i]),
                                   arena_printf(page->arena, "%lld", record->number)));
        html_markup(page->out, "</li>\n");
    }
    if (count > 0)
        html_markup(page->out, "</ul></section>\n");
}

static const char *title_text(const struct page *page)
{
    const struct record *record = page->view->record;
    const char *number = arena_printf(page->arena, "%lld", record->number);
    const char *verdict = word(page, standing_verdict(&record->standing, page->view->verdict));

    if (standing_is_acceptance(&record->standing))
        return sayf(page, TEXT_REPORT_TITLE, page->names.title, number, verdict);
    return sayf(page, TEXT_REPORT_TITLE_OTHER, page->names.title,
                word(page, run_kind_title(record->standing.kind)), number, verdict);
}

/* What tells a loose printed page apart from those of another run. */
static const char *foot_text(const struct page *page)
{
    const struct record *record = page->view->record;

    return sayf(page, TEXT_FOOT, arena_printf(page->arena, "%lld", record->number), record->uuid);
}

static void index_entries(struct page *page)
{
    page->entry_of_step = arena_array(page->arena, size_t, page->view->step_count);
    for (size_t i = page->entry_count; i > 0; i--)
        for (size_t k = 0; k < page->entries[i - 1].items; k++)
            page->entry_of_step[page->entries[i - 1].outcomes[k]->step] = i;
}

void report_html(const struct record *record, enum report_language language, struct text *out)
{
    cleanup_arena struct arena *arena = arena_create();
    struct page page = {.out = out, .arena = arena, .language = language, .view = view_create(arena, record)};

    page.entry_count = entries_of_view(page.view, &page.entries);
    index_entries(&page);
    report_causes_of(page.view, page.entries, page.entry_count, &page.causes);
    report_names_of(arena, record, &page.names);
    page.matrix = matrix_create(page.view);
    heat_maps_collect(page.view, &page.heat_maps);
    charts_collect(page.view, &page.charts);
    tunings_collect(page.view, &page.tunings);
    distributions_collect(page.view, &page.distributions);
    gpu_tables_collect(page.view, &page.burns);
    reached_of(page.view, &page.reached);
    alike_of(page.view, &page.alike);
    worth_measure(arena, record, &page.worth);
    sightings_of_record(arena, record, &page.sightings);
    frame_open(out, language, title_text(&page), foot_text(&page));
    if (record->site != NULL)
        frame_back(out, language, record->site->index);
    if (record->site != NULL && record->site->live != NULL)
        frame_live(out, language, record->site->live);
    page_answer(&page);
    write_sections(&page);
    write_not_printed(&page);
    frame_close(out, language);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Words and small parts that all sections share. */
#include "page.h"

#include <string.h>

#include "frame.h"

enum { TARGETS_SHOWN = 100 }; /* bytes: two lines of a table's first column */

bool page_prints(const struct page *page, unsigned appendix)
{
    return appendix == 0 || (page->view->record->appendices & appendix) != 0;
}

bool page_row_prints(const struct page *page, size_t row, size_t most)
{
    return row < most || page_prints(page, APPENDIX_HOSTS);
}

bool page_open_attempt(struct page *page, const struct attempt *attempt)
{
    bool listed = view_tells_step(page->view, attempt->step);

    if (listed)
        html_shape(page->out, "<a href=\"#e@\">", (double)view_attempt_index(page->view, attempt));
    return listed;
}

void page_open_row(struct page *page, bool printed)
{
    if (printed)
        html_markup(page->out, "<tr>");
    else
        html_markup(page->out, "<tr class=\"on-screen\">");
}

void page_left_out(struct page *page, size_t rows, size_t most)
{
    const struct appendix_row *hosts;

    report_appendices(&hosts);
    if (rows <= most || page_prints(page, APPENDIX_HOSTS))
        return;
    html_markup(page->out, "<p class=\"on-paper\">");
    html_words(page->out, sayf(page, TEXT_ROWS_NOT_PRINTED, number(page, rows - most),
                               arena_printf(page->arena, "%lld", page->view->record->number), hosts->name));
    html_markup(page->out, "</p>\n");
}

const char *number(const struct page *page, size_t count)
{
    return count_text(page->arena, count);
}

const char *when(const struct page *page, double unix_time)
{
    const char *text = time_text(page->arena, unix_time);

    return strcmp(text, "unknown") == 0 ? say(page, TEXT_UNKNOWN) : text;
}

const char *how_long(const struct page *page, double seconds)
{
    const char *text = duration_text(page->arena, seconds);

    return strcmp(text, "unknown") == 0 ? say(page, TEXT_UNKNOWN) : text;
}

const char *span_text(const struct page *page, double start, double end)
{
    enum { DATE = 11 }; /* "2026-03-01 " */
    const char *from = time_text(page->arena, start), *to = time_text(page->arena, end);

    if (strcmp(to, "unknown") == 0)
        return sayf(page, TEXT_SPAN, when(page, start), say(page, TEXT_NO_END_SEEN));
    if (strcmp(from, "unknown") == 0)
        return sayf(page, TEXT_SPAN, when(page, start), to);
    from = arena_strndup(page->arena, from, strlen(from) - strlen(" UTC"));
    return sayf(page, TEXT_SPAN, from, strncmp(from, to, DATE) == 0 ? to + DATE : to);
}

void page_heading(struct page *page, enum text_key key)
{
    html_markup(page->out, "<h3>");
    html_words(page->out, say(page, key));
    html_markup(page->out, "</h3>\n");
}

void page_paragraph(struct page *page, enum text_key key)
{
    html_paragraph(page->out, say(page, key));
}

void page_told(struct page *page)
{
    const struct view *view = page->view;
    size_t hosts = view->record->plan->hosts.count;

    if (view_tells_all(view))
        return;
    html_markup(page->out, "<p class=\"note\">");
    html_words(page->out, sayf(page, TEXT_HOSTS_TOLD, number(page, hosts), number(page, view->told_count),
                               arena_printf(page->arena, "%lld", view->record->number)));
    html_markup(page->out, "</p>\n");
}

void page_small(struct page *page, const char *text)
{
    html_markup(page->out, "<small class=\"serial\">");
    html_words(page->out, text);
    html_markup(page->out, "</small>");
}

void page_pair(struct page *page, enum text_key key, const char *value)
{
    html_pair(page->out, say(page, key), value);
}

void page_said(struct page *page, const struct reason *reason)
{
    frame_said(page->out, page->arena, page->language, reason);
}

void page_targets(struct page *page, const struct reason *targets)
{
    const char *all = said(page, targets);
    int shown = strlen(all) > TARGETS_SHOWN ? TARGETS_SHOWN : 0;

    while (shown > 0 && all[shown] != ',')
        shown--;
    if (shown == 0) {
        html_words(page->out, all);
        return;
    }
    html_markup(page->out, "<details class=\"targets\"><summary>");
    html_textf(page->out, "%.*s, \xe2\x80\xa6", shown, all);
    html_markup(page->out, "</summary>");
    html_words(page->out, all);
    html_markup(page->out, "</details>");
}

void page_said_cell(struct page *page, const struct reason *reason)
{
    html_markup(page->out, "<td>");
    page_said(page, reason);
    html_markup(page->out, "</td>");
}

void page_said_cell_or(struct page *page, const struct reason *reason, enum text_key none)
{
    html_markup(page->out, "<td>");
    if (reason != NULL)
        page_said(page, reason);
    else
        html_words(page->out, say(page, none));
    html_markup(page->out, "</td>");
}

static void open_pair(struct page *page, enum text_key key)
{
    html_markup(page->out, "<div><dt>");
    html_words(page->out, say(page, key));
    html_markup(page->out, "</dt><dd>");
}

void page_said_pair(struct page *page, enum text_key key, const struct reason *reason)
{
    open_pair(page, key);
    page_said(page, reason);
    html_markup(page->out, "</dd></div>\n");
}

static void write_heads(struct page *page, const struct page_head *heads, size_t count)
{
    html_markup(page->out, "<thead><tr>");
    for (size_t i = 0; i < count; i++) {
        if (heads[i].numbers)
            html_markup(page->out, "<th class=\"num\">");
        else
            html_markup(page->out, "<th>");
        html_words(page->out, say(page, heads[i].text));
        html_markup(page->out, "</th>");
    }
}

void page_heads(struct page *page, const struct page_head *heads, size_t count)
{
    write_heads(page, heads, count);
    html_markup(page->out, "</tr></thead>\n");
}

void page_heads_listed(struct page *page, const struct page_head *heads, size_t count, enum listed list)
{
    const struct listed_fact *fact;

    write_heads(page, heads, count);
    for (size_t i = 0; (fact = check_listed(list, i)) != NULL; i++) {
        html_markup(page->out, "<th>");
        html_words(page->out, said(page, fact->title));
        html_markup(page->out, "</th>");
    }
    html_markup(page->out, "</tr></thead>\n");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* How each number lies over all that have it, and who stands out. */
#include <string.h>

#include "assay/reasons/any.h"
#include "page.h"
#include "svg.h"

enum { NAMED = 16 };

bool page_has_distributions(const struct page *page)
{
    return page->distributions.items.count > 0;
}

static const char *who(struct page *page, const struct outcome *outcome)
{
    const char *target = said(page, step_target_said(page->arena, page->view->steps[outcome->step].step));
    const char *subject = view_slot(page->view, outcome)->subject;

    return arena_printf(page->arena, "%s%s%s", target, *subject != '\0' ? " " : "", subject);
}

static bool on_many_platforms(const struct page *page)
{
    const struct distributions *all = &page->distributions;

    for (size_t i = 1; i < all->items.count; i++)
        if (strcmp(all->items.items[i].platform, all->items.items[0].platform) != 0)
            return true;
    return false;
}

static const struct reason *where_text(struct page *page, const struct distribution *distribution)
{
    const struct reason *at = slot_at_text(page->arena, distribution->slot);

    if (!on_many_platforms(page))
        return at;
    return at == NULL ? reason(page->arena, text, distribution->platform)
                      : reason(page->arena, clause, at, distribution->platform);
}

/* What is held against a gate, what somebody stands out in, and rates: the others are in the table alone. */
static bool is_drawn(const struct distribution *distribution)
{
    return distribution->is_rate || distribution->gate_count > 0 || distribution->found.count > 0;
}

static void write_figure(struct page *page, const struct distribution *distribution, bool printed)
{
    const char *where = said(page, where_text(page, distribution));
    struct text *out = page->out;

    if (printed)
        html_markup(out, "<figure>");
    else
        html_markup(out, "<figure class=\"on-screen\">");
    html_markup(out, "\n<figcaption><b>");
    html_words(out, distribution->suite_step);
    html_markup(out, "</b> ");
    html_code(out, distribution->metric);
    html_textf(out, " %s%s", where, *where != '\0' ? ", " : "");
    html_textf(out, "%s%s%s", distribution->unit, *distribution->unit != '\0' ? ", " : "",
               sayf(page, TEXT_VALUES_OF, number(page, distribution->values.count)));
    html_markup(out, "</figcaption>\n");
    svg_distribution(page, distribution);
    html_markup(out, "</figure>\n");
}

static void number_cell(struct page *page, double value, const struct outcome *outcome)
{
    html_markup(page->out, "<td class=\"num\">");
    html_words(page->out, distribution_number(page->arena, value));
    if (outcome != NULL) {
        html_markup(page->out, "<br><small>");
        html_words(page->out, who(page, outcome));
        html_markup(page->out, "</small>");
    }
    html_markup(page->out, "</td>");
}

static void write_row(struct page *page, const struct distribution *distribution, bool printed)
{
    struct text *out = page->out;

    page_open_row(page, printed);
    html_row_head(out, distribution->suite_step);
    page_metric_cell(page, distribution->metric, where_text(page, distribution));
    html_cell(out, distribution->unit);
    html_number_cell(out, count_text(page->arena, distribution->values.count));
    page_said_cell(page, distribution->gate);
    for (size_t i = 0; i < QUANTILES; i++)
        number_cell(page, distribution->quantiles[i],
                    i == 0               ? distribution->lowest
                    : i == QUANTILES - 1 ? distribution->highest
                                         : NULL);
    html_markup(out, "</tr>\n");
}

static void write_outlier(struct page *page, const struct distribution *distribution,
                          const struct outlier *outlier)
{
    double median = distribution->quantiles[QUANTILES / 2];
    struct text *out = page->out;

    html_markup(out, "<tr><td>");
    page_word_link(page, outlier->named->word, outlier->named->step);
    html_markup(out, "</td>");
    html_row_head(out, who(page, outlier->outcome));
    page_metric_cell(page, distribution->metric, where_text(page, distribution));
    html_cell(out, said(page, outlier->outcome->measured));
    html_markup(out, "<td class=\"num\">");
    if (median > 0)
        html_textf(out, "%+.1f%%", (outlier->outcome->value / median - 1) * 100);
    html_markup(out, "</td>");
    page_said_cell(page, outlier->named->cause);
    html_markup(out, "</tr>\n");
}

static void write_outliers(struct page *page)
{
    size_t found = 0;

    for (size_t i = 0; i < page->distributions.items.count; i++)
        found += page->distributions.items.items[i].found.count;
    if (found == 0) {
        page_paragraph(page, TEXT_NONE_STANDS_OUT);
        return;
    }
    page_heading(page, TEXT_WHO_STANDS_OUT);
    page_table(page, "compact", COLUMN(OUTCOME), COLUMN(WHO), COLUMN(METRIC), COLUMN(VALUE),
               NUMBERS(AGAINST_MEDIAN), COLUMN(FOUND));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = 0; i < page->distributions.items.count; i++) {
        const struct distribution *distribution = &page->distributions.items.items[i];

        for (size_t k = 0; k < distribution->found.count && k < NAMED; k++)
            write_outlier(page, distribution, &distribution->found.items[k]);
        if (distribution->found.count > NAMED) {
            html_markup(page->out, "<tr><td></td><td colspan=\"5\">");
            html_words(page->out, sayf(page, TEXT_MORE_OF, number(page, distribution->found.count - NAMED),
                                       distribution->metric));
            html_markup(page->out, "</td></tr>\n");
        }
    }
    html_markup(page->out, "</tbody></table>\n");
}

/* -- Folding: what marks nothing, or the same as one that is shown ---------------------------------------- */

/* Where a distribution is shown. */
enum showing { NOT_DRAWN, SHOWN, FOLDED_CLEAN, FOLDED_SAME };
struct fold {
    enum showing *showing; /* by distribution */
    size_t *like;          /* of FOLDED_SAME: the one that is shown */
    size_t drawn, shown;
};

static bool marks_the_same(const struct page *page, const struct distribution *a,
                           const struct distribution *b)
{
    if (a->found.count != b->found.count || strcmp(a->suite_step, b->suite_step) != 0)
        return false;
    for (size_t i = 0; i < a->found.count; i++) {
        const struct outcome *one = a->found.items[i].outcome, *other = b->found.items[i].outcome;

        if (one->step != other->step ||
            strcmp(view_slot(page->view, one)->subject, view_slot(page->view, other)->subject) != 0)
            return false;
    }
    return true;
}

static void take_into_fold(const struct page *page, size_t index, struct fold *fold)
{
    const struct distribution *all = page->distributions.items.items;

    if (!is_drawn(&all[index]))
        return;
    fold->drawn++;
    fold->showing[index] = all[index].found.count == 0 ? FOLDED_CLEAN : SHOWN;
    for (size_t i = 0; i < index && fold->showing[index] == SHOWN; i++)
        if (fold->showing[i] == SHOWN && marks_the_same(page, &all[i], &all[index])) {
            fold->showing[index] = FOLDED_SAME;
            fold->like[index] = i;
        }
    fold->shown += fold->showing[index] == SHOWN;
}

static bool is_in_the_fold(const struct page *page, const struct fold *fold, size_t first, size_t index)
{
    const struct distribution *all = page->distributions.items.items;

    return fold->showing[index] == fold->showing[first] &&
           strcmp(all[index].suite_step, all[first].suite_step) == 0 &&
           fold->like[index] == fold->like[first];
}

/* All that are folded for the same reason as the first of them. */
static void write_fold(struct page *page, const struct fold *fold, size_t first)
{
    const struct distributions *all = &page->distributions;
    const char *step = all->items.items[first].suite_step;
    size_t count = 0;

    for (size_t i = 0; i < first; i++)
        if (is_in_the_fold(page, fold, first, i))
            return;
    for (size_t i = first; i < all->items.count; i++)
        count += is_in_the_fold(page, fold, first, i);
    if (page_prints(page, APPENDIX_HOSTS))
        html_markup(page->out, "<details open><summary>");
    else
        html_markup(page->out, "<details><summary>");
    html_words(page->out, fold->showing[first] == FOLDED_CLEAN
                              ? sayf(page, TEXT_FOLDED_CLEAN, step, number(page, count))
                              : sayf(page, TEXT_FOLDED_SAME, step, number(page, count),
                                     all->items.items[fold->like[first]].metric));
    html_markup(page->out, "</summary>\n<div class=\"figures\">\n");
    for (size_t i = first; i < all->items.count; i++)
        if (is_in_the_fold(page, fold, first, i))
            write_figure(page, &all->items.items[i], true);
    html_markup(page->out, "</div></details>\n");
}

static void write_figures(struct page *page)
{
    enum { FIGURES_PRINTED = 6 };
    size_t count = page->distributions.items.count, shown = 0;
    struct fold fold = {.showing = arena_array(page->arena, enum showing, count),
                        .like = arena_array(page->arena, size_t, count)};

    for (size_t i = 0; i < count; i++)
        take_into_fold(page, i, &fold);
    if (fold.shown > 0)
        html_markup(page->out, "<div class=\"figures\">\n");
    for (size_t i = 0; i < count; i++)
        if (fold.showing[i] == SHOWN)
            write_figure(page, &page->distributions.items.items[i],
                         page_row_prints(page, shown++, FIGURES_PRINTED));
    if (fold.shown > 0)
        html_markup(page->out, "</div>\n");
    for (size_t i = 0; i < count; i++)
        if (fold.showing[i] == FOLDED_CLEAN || fold.showing[i] == FOLDED_SAME)
            write_fold(page, &fold, i);
    page_left_out(page, fold.drawn, fold.shown < FIGURES_PRINTED ? fold.shown : FIGURES_PRINTED);
}

void page_distributions(struct page *page)
{
    enum { ROWS_PRINTED = 14 };
    const struct distributions *all = &page->distributions;

    page_paragraph(page, TEXT_DISTRIBUTIONS_INTRO);
    write_figures(page);
    write_outliers(page);
    page_heading(page, TEXT_SAME_IN_NUMBERS);
    page_table(page, "compact quantiles", COLUMN(STEP), COLUMN(METRIC), COLUMN(UNIT_OF_VALUE),
               NUMBERS(VALUES), COLUMN(GATE), NUMBERS(LOWEST), NUMBERS(Q1), NUMBERS(Q25), NUMBERS(MEDIAN),
               NUMBERS(Q75), NUMBERS(Q99), NUMBERS(HIGHEST));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = 0; i < all->items.count; i++)
        write_row(page, &all->items.items[i], page_row_prints(page, i, ROWS_PRINTED));
    html_markup(page->out, "</tbody></table>\n");
    page_left_out(page, all->items.count, ROWS_PRINTED);
}

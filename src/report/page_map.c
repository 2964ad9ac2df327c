/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hosts and steps as one picture, for runs of more hosts than can be read row by row: a column for each host, a row
 * for each step, a sign for each outcome. The table below it says the same in words. What passed is drawn as one path a
 * row; a column leads to the evidence of its host, a cell that failed or is undecided to its own.
 */
#include <string.h>

#include "page.h"

/* Columns of one picture, and the user units of its parts. */
enum { COLUMNS = 125, CELL_WIDTH = 8, CELL_HEIGHT = 12, STEPS_WIDTH = 152, HEAD = 19, NAME_LETTERS = 16 };
enum { MAP_WIDTH = STEPS_WIDTH + COLUMNS * CELL_WIDTH };

/* Hosts that stand side by side, units whole where they fit. A column stays free between two units. */
struct band {
    size_t first, end; /* in plan->hosts */
    size_t *columns;   /* of each host from first on */
};

static const char *unit_of(const struct page *page, size_t host)
{
    return page->view->record->plan->hosts.items[host]->unit;
}

static size_t unit_end(const struct page *page, size_t first)
{
    size_t end = first + 1;

    while (end < page->view->record->plan->hosts.count &&
           strcmp(unit_of(page, end), unit_of(page, first)) == 0)
        end++;
    return end;
}

static struct band next_band(const struct page *page, size_t first)
{
    struct band band = {first, first, arena_array(page->arena, size_t, COLUMNS)};
    size_t column = 0;

    while (band.end < page->view->record->plan->hosts.count) {
        size_t end = unit_end(page, band.end);

        if (column + end - band.end > COLUMNS && column > 0)
            break;
        for (; band.end < end && column < COLUMNS; band.end++)
            band.columns[band.end - first] = column++;
        column++;
        if (band.end < end)
            break;
    }
    return band;
}

static double column_x(const struct band *band, size_t host)
{
    return STEPS_WIDTH + (double)band->columns[host - band->first] * CELL_WIDTH;
}

static double row_y(size_t row)
{
    return HEAD + (double)row * CELL_HEIGHT;
}

static const struct cell *cell_at(const struct page *page, size_t host, size_t row)
{
    return &page->matrix->cells[host * page->matrix->columns.count + row];
}

static bool is_singled_out(const struct cell *cell)
{
    return cell->planned && cell->word >= OUTCOME_INCONCLUSIVE;
}

/* What the pictures draw with: a tile for each word that comes in runs, a sign for each that stands alone. They are the
   signs of the legend that stands above, and of the table below. */
static void write_signs(struct page *page)
{
    struct text *out = page->out;

    html_markup(
        out, "<defs><g id=\"map1\"><path d=\"M0 0h7v11h-7z\" class=\"plot-pass-cell\"/>"
             "<path d=\"M1.8 5.8l1.3 1.9l2.4 -4\" class=\"plot-pass-mark\"/></g>"
             "<g id=\"map4\"><path class=\"plot-fail-cell\" d=\"M0 0h7v11h-7z\"/><path d=\"M1.5 3l4 5m0-5l-4 "
             "5\" class=\"plot-fail-mark\"/></g>"
             "<g id=\"map3\"><path d=\"M0 0h7v11h-7z\" class=\"plot-open-cell\"/><path d=\"M2 4.1q0 -1.6 1.5 "
             "-1.6t1.5 1.6q0 .8 -.8 1.3t-.7 1.4m0 1v1\" class=\"plot-open-mark\"/></g>"
             "<g id=\"map2\"><path d=\"M0 0h7v11h-7z\" class=\"plot-off-cell\"/><path d=\"M1.5 5.5h4\" "
             "class=\"plot-off-mark\"/></g>"
             "<g id=\"map0\"><path d=\"M0 0h7v11h-7z\" class=\"plot-no-cell\"/><circle cx=\"3.5\" "
             "cy=\"5.5\" r=\"1\" class=\"plot-no-mark\"/></g>");
    for (size_t i = 0; i < 3; i++)
        html_shape(out,
                   "<pattern id=\"maps@\" x=\"@\" y=\"@\" width=\"@\" height=\"@\" "
                   "patternUnits=\"userSpaceOnUse\"><use href=\"#map@\"/></pattern>",
                   (double)i, STEPS_WIDTH, HEAD, CELL_WIDTH, CELL_HEIGHT, (double)i);
    html_markup(out, "</defs>\n");
}

/* "su1: node1 to node125" */
static const char *hosts_text(const struct page *page, const char *unit, const char *first, const char *last)
{
    if (*unit == '\0')
        return sayf(page, TEXT_MAP_HOSTS, first, last);
    return sayf(page, TEXT_MAP_UNIT, unit, first, last);
}

/* The same over the hosts of each unit, where there is room for it. */
static void write_units(struct page *page, const struct band *band)
{
    enum { LETTER = 6 };
    double free_from = 0;

    for (size_t host = band->first, end; host < band->end; host = end) {
        const struct plan *plan = page->view->record->plan;
        const char *label, *unit = unit_of(page, host);

        end = unit_end(page, host) < band->end ? unit_end(page, host) : band->end;
        label = hosts_text(page, unit, plan->hosts.items[host]->name, plan->hosts.items[end - 1]->name);
        if ((double)strlen(label) * LETTER > (double)(end - host + 1) * CELL_WIDTH && *unit != '\0')
            label = unit;
        if (column_x(band, host) < free_from)
            continue;
        html_shape(page->out, "<text x=\"@\" y=\"13\">", column_x(band, host));
        html_text(page->out, label);
        html_markup(page->out, "</text>");
        free_from = column_x(band, host) + (double)strlen(label) * LETTER;
    }
}

static void write_step_names(struct page *page)
{
    for (size_t row = 0; row < page->matrix->columns.count; row++) {
        html_shape(page->out, "<text x=\"@\" y=\"@\" text-anchor=\"end\">", STEPS_WIDTH - 6, row_y(row) + 9);
        html_textf(page->out, "%.26s", page->matrix->columns.items[row]);
        html_markup(page->out, "</text>");
    }
    html_markup(page->out, "\n");
}

/* All cells of one row that have this word, as one path: what stands side by side is one box. */
static void write_runs(struct page *page, const struct band *band, size_t row, enum outcome_word word)
{
    bool any = false;

    for (size_t host = band->first, end; host < band->end; host = end) {
        const struct cell *cell = cell_at(page, host, row);

        end = host + 1;
        if (!cell->planned || cell->word != word)
            continue;
        while (end < band->end && cell_at(page, end, row)->planned && cell_at(page, end, row)->word == word &&
               column_x(band, end) - column_x(band, end - 1) == CELL_WIDTH)
            end++;
        if (!any)
            html_shape(page->out, "<path fill=\"url(#maps@)\" d=\"", word);
        any = true;
        html_shape(page->out, "M@ @h@v@H@z", column_x(band, host), row_y(row),
                   (double)(end - host) * CELL_WIDTH, CELL_HEIGHT, column_x(band, host));
    }
    if (any)
        html_markup(page->out, "\"/>\n");
}

/* Over the cells of each host lies a link to the first that was tried of it; keys reach them in the table. */
static void write_columns(struct page *page, const struct band *band)
{
    size_t rows = page->matrix->columns.count;

    html_markup(page->out, "<g fill=\"transparent\" aria-hidden=\"true\">\n");
    for (size_t host = band->first; host < band->end; host++) {
        const struct step_view *step = NULL;

        for (size_t row = 0; row < rows && (step == NULL || step->attempts.count == 0); row++)
            if (cell_at(page, host, row)->planned)
                step = &page->view->steps[cell_at(page, host, row)->step];
        if (step == NULL || step->attempts.count == 0 || !page->view->told[host])
            continue;
        html_shape(page->out, "<a href=\"#e@\" tabindex=\"-1\"><path d=\"M@ @h@v@h-@z\"><title>",
                   (double)view_attempt_index(page->view, step->attempts.items[0]), column_x(band, host),
                   HEAD, CELL_WIDTH, (double)rows * CELL_HEIGHT, CELL_WIDTH);
        html_text(page->out, page->view->record->plan->hosts.items[host]->name);
        html_markup(page->out, "</title></path></a>\n");
    }
    html_markup(page->out, "</g>\n");
}

static void write_singled_out(struct page *page, const struct band *band, size_t host)
{
    const char *name = page->view->record->plan->hosts.items[host]->name;
    bool failed = false;

    for (size_t row = 0; row < page->matrix->columns.count; row++) {
        const struct cell *cell = cell_at(page, host, row);
        bool linked;

        if (!is_singled_out(cell))
            continue;
        linked = page_open_link(page, cell->step);
        html_shape(page->out, "<use href=\"#map@\" x=\"@\" y=\"@\"><title>", cell->word, column_x(band, host),
                   row_y(row));
        html_textf(page->out, "%s %s: %s", name, page->matrix->columns.items[row],
                   word(page, outcome_name(cell->word)));
        html_markup(page->out, "</title></use>");
        if (linked)
            html_markup(page->out, "</a>");
        html_markup(page->out, "\n");
        failed |= cell->word == OUTCOME_FAIL;
    }
    if (failed) {
        html_shape(page->out,
                   "<text transform=\"translate(@,@) rotate(90)\" font-size=\"8\" class=\"plot-bad-name\">",
                   column_x(band, host) + 1, row_y(page->matrix->columns.count) + 4);
        html_textf(page->out, "%.*s", NAME_LETTERS, name);
        html_markup(page->out, "</text>\n");
    }
}

/* Below the cells: room for the longest name of a host that failed. */
static double names_height(const struct page *page, const struct band *band)
{
    enum { LETTER = 5, APART = 8 };
    size_t longest = 0;

    for (size_t host = band->first; host < band->end; host++)
        for (size_t row = 0; row < page->matrix->columns.count; row++)
            if (cell_at(page, host, row)->planned && cell_at(page, host, row)->word == OUTCOME_FAIL) {
                size_t length = strlen(page->view->record->plan->hosts.items[host]->name);

                longest = length > longest ? length : longest;
            }
    return APART + LETTER * (double)(longest < NAME_LETTERS ? longest : NAME_LETTERS);
}

static void write_band(struct page *page, const struct band *band)
{
    const struct plan *plan = page->view->record->plan;
    size_t rows = page->matrix->columns.count;
    struct text *out = page->out;

    html_shape(out, "<svg class=\"plot map\" viewBox=\"0 0 @ @\" role=\"group\" font-size=\"10.5\"><title>",
               MAP_WIDTH, row_y(rows) + names_height(page, band));
    html_text(out, sayf(page, TEXT_MAP_OUTCOMES, number(page, rows), plan->hosts.items[band->first]->name,
                        plan->hosts.items[band->end - 1]->name));
    html_markup(out, "</title>\n");
    if (band->first == 0)
        write_signs(page);
    write_units(page, band);
    write_step_names(page);
    for (size_t row = 0; row < rows; row++)
        for (enum outcome_word word = OUTCOME_RECORDED; word <= OUTCOME_NOT_RUN; word++)
            write_runs(page, band, row, word);
    write_columns(page, band);
    for (size_t host = band->first; host < band->end; host++)
        write_singled_out(page, band, host);
    html_markup(out, "</svg>\n");
}

void page_map(struct page *page)
{
    size_t hosts = page->view->record->plan->hosts.count;

    if (hosts == 0 || page->matrix->columns.count == 0)
        return;
    html_markup(page->out, "<figure class=\"wide\">\n<figcaption>");
    html_text(page->out, say(page, TEXT_MAP_INTRO));
    html_markup(page->out, "</figcaption>\n");
    for (struct band band = next_band(page, 0);; band = next_band(page, band.end)) {
        write_band(page, &band);
        if (band.end >= hosts)
            break;
    }
    html_markup(page->out, "</figure>\n");
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fleet at a glance: every host one cell, units apart, so that a reader sees how many are to be fixed and where they
 * stand, be it 4 hosts or 1,250. Colour is never alone: what is not fit has a sign. What is fit and alike is one path.
 */
#include <ctype.h>
#include <string.h>

#include "page.h"

/* FEW: so many have cells that can be read on a telephone too. */
enum { MAP_WIDTH = 1024, DIGITS = 4, FEW = 32 };

struct grid {
    double cell;    /* width and height */
    size_t columns; /* cells in a row */
    size_t *column, *row;
    size_t *lift; /* of a host: how many rows of other units stand above its own */
    size_t lifts; /* of the last one */
    size_t used;  /* cells of the longest row */
    bool named;   /* the cells have room for a host's number */
};

static const struct host *host_at(const struct page *page, size_t host)
{
    return page->view->record->plan->hosts.items[host];
}

/* Row by row; a new unit begins in a new row where it does not fit into the rest of this one, else one cell on. Among small
   cells a free one looks like a host that is missing: there are none. */
static void lay_out(const struct page *page, struct grid *grid)
{
    size_t count = page->view->record->plan->hosts.count, column = 0, row = 0, lift = 0, end;

    grid->lift = arena_array(page->arena, size_t, count);
    grid->column = arena_array(page->arena, size_t, count);
    grid->row = arena_array(page->arena, size_t, count);
    for (size_t i = 0; i < count; i = end) {
        for (end = i + 1; end < count && strcmp(host_at(page, end)->unit, host_at(page, i)->unit) == 0; end++)
            ;
        if (column > 0 && column + (end - i) > grid->columns && end - i <= grid->columns) {
            column = 0;
            row++;
            lift++;
        }
        for (size_t k = i; k < end; k++, column++) {
            if (column >= grid->columns) {
                column = 0;
                row++;
            }
            grid->column[k] = column;
            grid->row[k] = row;
            grid->lift[k] = lift;
            grid->used = column + 1 > grid->used ? column + 1 : grid->used;
        }
        column += grid->named && column > 0 && column < grid->columns;
    }
    grid->lifts = lift;
}

/* A unit that begins in a new row stands apart from the one above it, where cells have room for numbers and there are few rows. */
static double top_of(const struct grid *grid, size_t host)
{
    enum { APART = 7, ROWS_APART = 3 };

    return (double)grid->row[host] * grid->cell +
           (grid->named && grid->lifts < ROWS_APART ? (double)grid->lift[host] * APART : 0);
}

/* "150" of gpu-node150: the digits at the end of the name. */
static const char *number_of(const char *name)
{
    const char *at = name + strlen(name);

    while (at > name && isdigit((unsigned char)at[-1]))
        at--;
    return strlen(at) <= DIGITS ? at : "";
}

static void write_cell(struct page *page, const struct grid *grid, size_t host)
{
    static const char *const names[] = {[HOST_FIT] = "h-fit",
                                        [HOST_WAIVED] = "h-waived",
                                        [HOST_UNTESTED] = "h-none",
                                        [HOST_OPEN] = "h-open",
                                        [HOST_TO_FIX] = "h-fix"};
    enum host_state state = page->causes.states[host];
    size_t cause = page->causes.of_host[host];
    double x = (double)grid->column[host] * grid->cell, y = top_of(grid, host);
    double side = grid->cell - 1, inset = side < 8 ? 1 : 2, sign = side - 2 * inset;
    struct text *out = page->out;

    if (cause > 0 && page->causes.items.items[cause - 1].word == OUTCOME_FAIL)
        html_shape(out, "<a href=\"#k@\" tabindex=\"-1\">", (double)cause);
    html_markup(out, "<g class=\"");
    html_text(out, names[state]);
    html_shape(out, "\"><path d=\"M@ @h@v@h-@z\"/>", x, y, side, side, side);
    if (grid->named) {
        html_shape(out, "<text x=\"@\" y=\"@\">", x + side / 2, y + side / 2 + 3.5);
        html_words(out, number_of(host_at(page, host)->name));
        html_markup(out, "</text>");
    } else if (state == HOST_TO_FIX) {
        html_shape(out, "<path class=\"sign\" d=\"M@ @l@ @m0-@l-@ @\"/>", x + inset, y + inset, sign, sign,
                   sign, sign, sign);
    }
    if (state == HOST_WAIVED) /* a corner leaves the number readable */
        html_shape(out, "<path class=\"corner\" d=\"M@ @v@h-@z\"/>", x + side, y + side / 2, side / 2,
                   side / 2);
    html_markup(out, "<title>");
    html_text(out, host_at(page, host)->name);
    html_markup(out, "</title></g>");
    if (cause > 0 && page->causes.items.items[cause - 1].word == OUTCOME_FAIL)
        html_markup(out, "</a>");
    html_markup(out, "\n");
}

/* What is fit is most of it, and where no number stands in the cells one path draws them all. */
static void write_fit(struct page *page, const struct grid *grid)
{
    html_markup(page->out, "<path class=\"h-fit\" d=\"");
    for (size_t i = 0; i < page->view->record->plan->hosts.count; i++)
        if (page->causes.states[i] == HOST_FIT)
            html_shape(page->out, "M@ @h@v@h-@z", (double)grid->column[i] * grid->cell, top_of(grid, i),
                       grid->cell - 1, grid->cell - 1, grid->cell - 1);
    html_markup(page->out, "\"/>\n");
}

static void write_legend(struct page *page)
{
    static const struct {
        enum host_state state;
        enum text_key text;
        enum outcome_word like;
    } words[] = {{HOST_FIT, TEXT_FLEET_FIT, OUTCOME_PASS},
                 {HOST_TO_FIX, TEXT_FLEET_FAULT, OUTCOME_FAIL},
                 {HOST_OPEN, TEXT_FLEET_OPEN, OUTCOME_INCONCLUSIVE},
                 {HOST_WAIVED, TEXT_FLEET_WAIVED, OUTCOME_FAIL},
                 {HOST_UNTESTED, TEXT_FLEET_NONE, OUTCOME_NOT_RUN}};
    static const char corner[] = "\xe2\x97\xa2"; /* as the cell has it */
    size_t hosts = page->view->record->plan->hosts.count;

    html_words(page->out, sayf(page, TEXT_FLEET, number(page, hosts)));
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        size_t count = 0;

        for (size_t k = 0; k < hosts; k++)
            count += page->causes.states[k] == words[i].state;
        if (count == 0)
            continue;
        html_markup(page->out, " <span");
        html_word_class(page->out, words[i].like);
        html_markup(page->out, ">");
        html_textf(page->out, "%s %s %s", words[i].state == HOST_WAIVED ? corner : word_symbol(words[i].like),
                   number(page, count), say(page, words[i].text));
        html_markup(page->out, "</span>");
    }
}

void page_fleet(struct page *page)
{
    size_t count = page->view->record->plan->hosts.count;
    struct grid grid = {.cell = count <= FEW ? 32 : count <= 420 ? 21 : count <= HOSTS_TOLD ? 10 : 6};

    if (count < 2)
        return;
    grid.columns = (size_t)(MAP_WIDTH / grid.cell);
    grid.named = grid.cell > 20;
    lay_out(page, &grid);
    html_markup(page->out, "<figure class=\"fleet\">\n<figcaption>");
    write_legend(page);
    html_markup(page->out, "</figcaption>\n");
    html_markup(page->out, "<svg");
    if (count > FEW)
        html_markup(page->out, " class=\"many\"");
    html_shape(page->out, " viewBox=\"0 0 @ @\" width=\"@\" role=\"group\"><title>",
               (double)grid.used * grid.cell, top_of(&grid, count - 1) + grid.cell,
               (double)grid.used * grid.cell);
    html_text(page->out, sayf(page, TEXT_FLEET, number(page, count)));
    html_markup(page->out, "</title>\n");
    if (!grid.named)
        write_fit(page, &grid);
    for (size_t i = 0; i < count; i++)
        if (grid.named || page->causes.states[i] != HOST_FIT)
            write_cell(page, &grid, i);
    html_markup(page->out, "</svg>\n</figure>\n");
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GPU by GPU over the fleet: a column for each host, in it a dot for each GPU on a line from the lowest to the highest. The
 * band holds nine of ten GPUs; who failed or has a remark is crossed and named.
 */
#include <math.h>
#include <string.h>

#include "svg.h"

enum { LEFT = 58, TOP = 20, PLOT_WIDTH = 640, PLOT_HEIGHT = 104, RIGHT = 162, BOTTOM = 34, NAMED = 7 };

struct strip {
    struct page *page;
    const struct gpu_table *burn;
    size_t column; /* which of a row's numbers */
    double low, high;
    double band_low, median, band_high;
    size_t count;
};

static double value_of(const struct strip *strip, size_t host, size_t gpu)
{
    const struct gpu_row *row = &strip->burn->rows.items[host];
    const double *columns[] = {row->values, row->temperatures, row->powers};

    return columns[strip->column][gpu];
}

static double place_x(const struct strip *strip, size_t host)
{
    return LEFT + ((double)host + 0.5) / (double)strip->burn->rows.count * PLOT_WIDTH;
}

static double place_y(const struct strip *strip, double value)
{
    return TOP + PLOT_HEIGHT - (value - strip->low) / (strip->high - strip->low) * PLOT_HEIGHT;
}

/* What differs by noise only stays a flat line: a tenth of the highest value is shown at least. */
static bool strip_fit(struct strip *strip)
{
    struct arena *arena = strip->page->arena;
    const struct gpu_table *burn = strip->burn;
    double *values = arena_array(arena, double, burn->rows.count * burn->gpus), room;

    for (size_t host = 0; host < burn->rows.count; host++)
        for (size_t gpu = 0; gpu < burn->gpus; gpu++)
            if (isfinite(value_of(strip, host, gpu)))
                values[strip->count++] = value_of(strip, host, gpu);
    if (strip->count < 2)
        return false;
    strip->median = median_of(values, strip->count);
    strip->band_low = values[(strip->count - 1) / 20];
    strip->band_high = values[strip->count - 1 - (strip->count - 1) / 20];
    room = fmax((fabs(values[strip->count - 1]) * 0.1 - (values[strip->count - 1] - values[0])) / 2,
                (values[strip->count - 1] - values[0]) * 0.06);
    strip->low = values[0] - room;
    strip->high = values[strip->count - 1] + room;
    return strip->high > strip->low;
}

static void draw_axes(const struct strip *strip, const char *unit)
{
    struct text *out = strip->page->out;
    double step = pow(10, floor(log10((strip->high - strip->low) / 2)));

    while ((strip->high - strip->low) / step > 5)
        step *= (strip->high - strip->low) / step > 10 ? 5 : 2;
    html_markup(out, "<text x=\"0\" y=\"11\">");
    html_text(out, unit);
    html_markup(out, "</text>\n");
    for (double value = ceil(strip->low / step) * step; value <= strip->high; value += step) {
        double y = place_y(strip, value);

        html_shape(out, "<path class=\"plot-grid\" d=\"M@ @h@\"/><text x=\"@\" y=\"@\" text-anchor=\"end\">",
                   LEFT, y, PLOT_WIDTH, LEFT - 6, y + 4);
        html_text(out, arena_printf(strip->page->arena, "%.6g", value));
        html_markup(out, "</text>\n");
    }
    html_shape(out, "<path class=\"plot-axis\" d=\"M@ @h@\"/><text x=\"@\" y=\"@\" text-anchor=\"middle\">",
               LEFT, TOP + PLOT_HEIGHT, PLOT_WIDTH, LEFT + PLOT_WIDTH / 2.0, TOP + PLOT_HEIGHT + 29);
    html_text(out, sayf(strip->page, TEXT_SVG_HOSTS_IN_ORDER, number(strip->page, strip->burn->rows.count)));
    html_markup(out, "</text>\n");
}

static const char *host_name(const struct strip *strip, size_t host)
{
    return said(strip->page,
                step_target_said(strip->page->arena,
                                 strip->page->view->steps[strip->burn->rows.items[host].step].step));
}

/* The first and the last host by name: the others are as far apart as they are in the hostfile. */
static void draw_ends(const struct strip *strip)
{
    struct text *out = strip->page->out;
    size_t last = strip->burn->rows.count - 1;

    html_shape(out, "<text x=\"@\" y=\"@\">", LEFT, TOP + PLOT_HEIGHT + 14);
    html_text(out, host_name(strip, 0));
    html_shape(out, "</text><text x=\"@\" y=\"@\" text-anchor=\"end\">", LEFT + PLOT_WIDTH,
               TOP + PLOT_HEIGHT + 14);
    html_text(out, last > 0 ? host_name(strip, last) : "");
    html_markup(out, "</text>\n");
}

static void draw_band(const struct strip *strip)
{
    double top = place_y(strip, strip->band_high);

    html_shape(strip->page->out,
               "<rect class=\"plot-band\" x=\"@\" y=\"@\" width=\"@\" height=\"@\"/>"
               "<path class=\"plot-line\" d=\"M@ @h@\"/>\n",
               LEFT, top, PLOT_WIDTH, place_y(strip, strip->band_low) - top, LEFT,
               place_y(strip, strip->median), PLOT_WIDTH);
}

static void widen(const struct strip *strip, size_t host, double *lowest, double *highest)
{
    for (size_t gpu = 0; gpu < strip->burn->gpus; gpu++) {
        double value = value_of(strip, host, gpu);

        *lowest = fmin(*lowest, isfinite(value) ? value : INFINITY);
        *highest = fmax(*highest, isfinite(value) ? value : -INFINITY);
    }
}

/* A line a host; of more than can be told apart, one for those that stand side by side. */
static void draw_spreads(const struct strip *strip)
{
    enum { LINES = 2 * PLOT_WIDTH };
    size_t count = strip->burn->rows.count, together = (count + LINES - 1) / LINES;
    struct text *out = strip->page->out;

    html_markup(out, "<path class=\"plot-spread\" d=\"");
    for (size_t first = 0; first < count; first += together) {
        double lowest = INFINITY, highest = -INFINITY;

        for (size_t host = first; host < first + together && host < count; host++)
            widen(strip, host, &lowest, &highest);
        if (highest > lowest)
            html_shape(out, "M@ @V@", place_x(strip, first), place_y(strip, lowest), place_y(strip, highest));
    }
    html_markup(out, "\"/>");
}

/* Of all hosts the lines, and of all GPUs the dots, each as one path: 10,000 GPUs stay small. Of many more the lines alone. */
static void draw_gpus(const struct strip *strip)
{
    struct text *out = strip->page->out;
    size_t count = strip->burn->rows.count;

    draw_spreads(strip);
    html_shape(out, "<path class=\"plot-dots\" stroke-width=\"@\" d=\"",
               fmin(5, fmax(1.4, 0.7 * PLOT_WIDTH / (double)count)));
    for (size_t host = 0; host < count && count <= HOSTS_TOLD; host++)
        for (size_t gpu = 0; gpu < strip->burn->gpus; gpu++)
            if (isfinite(value_of(strip, host, gpu)) && !strip->burn->rows.items[host].odd[gpu])
                html_shape(out, "M@ @h0", place_x(strip, host), place_y(strip, value_of(strip, host, gpu)));
    html_markup(out, "\"/>\n");
}

/* Crossed where they are, named at the right: the lowest first, as far as there is room. */
static void draw_odd(const struct strip *strip)
{
    struct text *out = strip->page->out;
    size_t named = 0, left_out = 0;

    for (size_t host = 0; host < strip->burn->rows.count; host++)
        for (size_t gpu = 0; gpu < strip->burn->gpus; gpu++) {
            double value = value_of(strip, host, gpu);

            if (!strip->burn->rows.items[host].odd[gpu] || !isfinite(value))
                continue;
            html_shape(out, "<path class=\"plot-bad\" d=\"M@ @l7 7m0 -7l-7 7\"/>", place_x(strip, host) - 3.5,
                       place_y(strip, value) - 3.5);
            if (named == NAMED) {
                left_out++;
                continue;
            }
            html_shape(out, "<text class=\"plot-bad-name\" x=\"@\" y=\"@\">", LEFT + PLOT_WIDTH + 10,
                       TOP + 8 + 13 * (double)named++);
            html_text(out, host_name(strip, host));
            html_shape(out, " gpu@: @</text>\n", (double)gpu, round(value));
        }
    if (left_out > 0) {
        html_shape(out, "<text x=\"@\" y=\"@\">", LEFT + PLOT_WIDTH + 10, TOP + 8 + 13.0 * NAMED);
        html_text(out, sayf(strip->page, TEXT_SVG_AND_MORE, number(strip->page, left_out)));
        html_markup(out, "</text>\n");
    }
}

void svg_strip(struct page *page, const struct gpu_table *burn, enum text_key unit, size_t column)
{
    struct strip strip = {.page = page, .burn = burn, .column = column};
    struct text *out = page->out;

    if (!strip_fit(&strip))
        return;
    html_shape(out, "<svg class=\"plot strip\" viewBox=\"0 0 @ @\" role=\"img\" font-size=\"11\">",
               LEFT + PLOT_WIDTH + RIGHT, TOP + PLOT_HEIGHT + BOTTOM);
    html_markup(out, "<title>");
    html_text(out, sayf(page, TEXT_SVG_STRIP, say(page, unit), burn->suite_step, number(page, strip.count)));
    html_markup(out, "</title>\n");
    draw_band(&strip);
    draw_axes(&strip, say(page, unit));
    draw_ends(&strip);
    draw_gpus(&strip);
    draw_odd(&strip);
    html_markup(out, "</svg>\n");
}

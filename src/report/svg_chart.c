/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bus bandwidth over message size, both by logarithm: a factor is the same distance everywhere, so that a curve which is
 * slow by a third at every size is parallel to one that is not. What is drawn is told apart by dash and mark and named at
 * its right end, so that it can be read without colour.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/printable.h"
#include "assay/model/suite.h"
#include "assay/reasons/any.h"
#include "assay/reasons/model.h"
#include "svg.h"

enum { LEFT = 52, TOP = 14, PLOT_WIDTH = 540, PLOT_HEIGHT = 250, RIGHT = 138, BOTTOM = 44 };
/* Below this part of the highest value nothing is drawn: there only the start of a message is measured. */
static const double least_part = 5e-3;
/* What differs by noise only stays a flat line. */
static const double least_factor = 1.5;

/* A name at the right end of what it names. */
struct label {
    double y;
    const char *class, *text;
};

struct axes {
    struct text *out;
    const struct page *page;
    double size_min, size_max, low, high; /* bytes; GB/s */
    LIST_OF(struct label) labels;
};

static double place_x(const struct axes *axes, double size)
{
    double span = log2(axes->size_max / axes->size_min);

    return span > 0 ? LEFT + log2(size / axes->size_min) / span * PLOT_WIDTH : LEFT + PLOT_WIDTH / 2.0;
}

static double place_y(const struct axes *axes, double value)
{
    return TOP + PLOT_HEIGHT - log(value / axes->low) / log(axes->high / axes->low) * PLOT_HEIGHT;
}

static bool is_drawn(const struct axes *axes, const struct point *point)
{
    return point->value >= axes->low;
}

static void add_label(struct axes *axes, double value, const char *class, const char *text)
{
    if (value >= axes->low)
        *list_push(axes->page->arena, &axes->labels) = (struct label){place_y(axes, value), class, text};
}

/* -- Axes ------------------------------------------------------------------------------------------------- */

struct extent {
    double size_min, size_max, lowest, highest;
};

static void extend(struct extent *extent, const struct point *points, size_t count, double low)
{
    for (size_t i = 0; i < count; i++) {
        if (points[i].value <= low)
            continue;
        extent->size_min = fmin(extent->size_min, points[i].size);
        extent->size_max = fmax(extent->size_max, points[i].size);
        extent->highest = fmax(extent->highest, points[i].value);
        extent->lowest = fmin(extent->lowest, points[i].value);
    }
}

/* Of all that is drawn and lies above low. */
static struct extent extent_of(const struct chart *chart, double low)
{
    struct extent extent = {INFINITY, 0, INFINITY, isfinite(chart->ceiling) ? chart->ceiling : 0};

    for (size_t i = 0; i < chart->curves.count; i++)
        extend(&extent, chart->curves.items[i].points.items, chart->curves.items[i].points.count, low);
    for (size_t i = 0; i < chart->subsets.count; i++)
        extend(&extent, chart->subsets.items[i].points.items, chart->subsets.items[i].points.count, low);
    extend(&extent, chart->gates.items, chart->gates.count, low);
    extend(&extent, chart->earlier.items, chart->earlier.count, low);
    return extent;
}

/* false: nothing was measured that could be drawn. */
static bool axes_fit(struct axes *axes, const struct chart *chart)
{
    double most = extent_of(chart, 0).highest;
    struct extent extent = extent_of(chart, most * least_part);

    axes->size_min = extent.size_min;
    axes->size_max = extent.size_max;
    axes->high = extent.highest * 1.06;
    axes->low = fmin(extent.lowest / 1.06, axes->high / least_factor);
    return extent.size_max > 0;
}

static void draw_tick(const struct axes *axes, double value, bool named)
{
    double y;

    if (value < axes->low || value > axes->high)
        return;
    y = place_y(axes, value);
    html_shape(axes->out, "<path class=\"plot-grid\" d=\"M@ @h@\"/>", LEFT, y, PLOT_WIDTH);
    if (named)
        html_shape(axes->out, "<text x=\"@\" y=\"@\" text-anchor=\"end\">@</text>\n", LEFT - 7, y + 4, value);
}

/* At 1, 2 and 5 times each power of ten, over more than two or so only the powers are named; where that is too coarse, at
   about five round numbers. */
static void draw_ticks(const struct axes *axes)
{
    static const double steps[] = {1, 2, 5};
    double power = pow(10, floor(log10(axes->low))), step = pow(10, floor(log10(axes->high - axes->low)));
    bool wide = axes->high / axes->low > 300;

    if (axes->high / axes->low < 5) {
        step /= (axes->high - axes->low) / step < 2 ? 5 : (axes->high - axes->low) / step < 5 ? 2 : 1;
        for (double value = ceil(axes->low / step) * step; value <= axes->high; value += step)
            draw_tick(axes, value, true);
        return;
    }
    for (; power <= axes->high; power *= 10)
        for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
            draw_tick(axes, steps[i] * power, !wide || i == 0);
}

static void draw_value_axis(const struct axes *axes)
{
    draw_ticks(axes);
    html_shape(axes->out, "<text transform=\"translate(12,@) rotate(-90)\" text-anchor=\"middle\">",
               TOP + PLOT_HEIGHT / 2.0);
    html_text(axes->out, say(axes->page, TEXT_SVG_BUSBW));
    html_markup(axes->out, "</text>\n");
}

static void draw_size_axis(const struct axes *axes)
{
    double octaves = log2(axes->size_max / axes->size_min), every = octaves > 24 ? 4 : octaves > 12 ? 2 : 1;
    double bottom = TOP + PLOT_HEIGHT;

    html_shape(axes->out, "<path class=\"plot-axis\" d=\"M@ @h@\"/>", LEFT, bottom, PLOT_WIDTH);
    /* From the largest size down: that is where the gates are. */
    for (double back = 0; back <= octaves + 1e-9; back += every) {
        double size = axes->size_max / exp2(back), x = place_x(axes, size);

        html_shape(axes->out,
                   "<path class=\"plot-axis\" d=\"M@ @v4\"/><text x=\"@\" y=\"@\" text-anchor=\"middle\">", x,
                   bottom, x, bottom + 17);
        html_text(axes->out, size_text(axes->page->arena, size));
        html_markup(axes->out, "</text>\n");
    }
    html_shape(axes->out, "<text x=\"@\" y=\"@\" text-anchor=\"middle\">", LEFT + PLOT_WIDTH / 2.0,
               bottom + 36);
    html_text(axes->out, say(axes->page, TEXT_SVG_SIZES));
    html_markup(axes->out, "</text>\n");
}

/* -- Curves ----------------------------------------------------------------------------------------------- */

static void draw_points(const struct axes *axes, const struct point *points, size_t count)
{
    html_markup(axes->out, " points=\"");
    for (size_t i = 0; i < count; i++)
        if (is_drawn(axes, &points[i]))
            html_shape(axes->out, "@,@ ", place_x(axes, points[i].size), place_y(axes, points[i].value));
    html_markup(axes->out, "\"/>\n");
}

/* A dot at each point of what is to be read point by point. */
static void draw_dots(const struct axes *axes, const struct curve *curve)
{
    list_each (point, curve->points) {
        if (!is_drawn(axes, point))
            continue;
        if (curve->failing)
            html_markup(axes->out, "<circle class=\"plot-bad-dot\"");
        else
            html_markup(axes->out, "<circle class=\"plot-dot\"");
        html_shape(axes->out, " cx=\"@\" cy=\"@\" r=\"2.6\"/>", place_x(axes, point->size),
                   place_y(axes, point->value));
    }
    html_markup(axes->out, "\n");
}

static void draw_curve(const struct axes *axes, const struct curve *curve, bool alone)
{
    if (curve->failing)
        html_markup(axes->out, "<polyline class=\"plot-bad\"");
    else if (alone)
        html_markup(axes->out, "<polyline class=\"plot-line\"");
    else
        html_markup(axes->out, "<polyline class=\"plot-thin\"");
    draw_points(axes, curve->points.items, curve->points.count);
    if (curve->failing || alone)
        draw_dots(axes, curve);
}

struct band {
    LIST_OF(struct point) low, middle, high;
};

/* Lowest, median and highest of the curves that did not fail, at every size that any of them has. */
static void band_collect(struct arena *arena, const struct chart *chart, struct band *band)
{
    double *values = arena_array(arena, double, chart->curves.count);
    double size = 0;

    for (;;) {
        double next = INFINITY;
        size_t count = 0;

        for (size_t i = 0; i < chart->curves.count; i++)
            for (size_t k = 0; !chart->curves.items[i].failing && k < chart->curves.items[i].points.count;
                 k++)
                if (chart->curves.items[i].points.items[k].size > size)
                    next = fmin(next, chart->curves.items[i].points.items[k].size);
        if (!isfinite(next))
            return;
        size = next;
        for (size_t i = 0; i < chart->curves.count; i++)
            for (size_t k = 0; !chart->curves.items[i].failing && k < chart->curves.items[i].points.count;
                 k++)
                if (chart->curves.items[i].points.items[k].size == size)
                    values[count++] = chart->curves.items[i].points.items[k].value;
        *list_push(arena, &band->middle) = (struct point){size, median_of(values, count)};
        *list_push(arena, &band->low) = (struct point){size, values[0]};
        *list_push(arena, &band->high) = (struct point){size, values[count - 1]};
    }
}

static void draw_band(struct axes *axes, const struct chart *chart)
{
    struct arena *arena = axes->page->arena;
    struct band band = {0};
    LIST_OF(struct point) outline = {0};

    band_collect(arena, chart, &band);
    for (size_t i = 0; i < band.low.count; i++)
        *list_push(arena, &outline) = band.low.items[i];
    for (size_t i = band.high.count; i > 0; i--)
        *list_push(arena, &outline) = band.high.items[i - 1];
    html_markup(axes->out, "<polygon class=\"plot-band\"");
    draw_points(axes, outline.items, outline.count);
    html_markup(axes->out, "<polyline class=\"plot-line\"");
    draw_points(axes, band.middle.items, band.middle.count);
    if (band.middle.count > 0)
        add_label(axes, band.middle.items[band.middle.count - 1].value, "plot-name",
                  say(axes->page, TEXT_SVG_MEDIAN));
}

/* "node[3-4]" of "2 hosts: node[3-4]": whom a curve is of is worth the room more than how many they are. */
static const char *hosts_of_curve(const struct page *page, const struct curve *curve)
{
    const struct reason *name = curve->name;
    bool varies = reason_is(name, clause);
    const struct reason *hosts = varies ? reason_argument(page->arena, name, 1) : name;

    if (!reason_is(hosts, hosts_of_step))
        return said(page, name);
    hosts = reason_argument(page->arena, hosts, 2);
    return said(page,
                varies ? reason(page->arena, clause, hosts, reason_argument(page->arena, name, 2)) : hosts);
}

/* As much of it as there is room for, whole characters; what is cut says so. */
static const char *short_name(const struct page *page, const struct curve *curve)
{
    enum { COLUMNS = 16 };
    const char *name = hosts_of_curve(page, curve), *rest = name, *end = name;
    struct slice character;

    if (printable_width(name) <= COLUMNS)
        return name;
    for (size_t room = COLUMNS - 1; printable_next(&rest, &character); end = rest) {
        if (printable_columns(&character) > room)
            break;
        room -= printable_columns(&character);
    }
    return arena_printf(page->arena, "%.*s\xe2\x80\xa6", (int)(end - name), name);
}

/* Those that failed are drawn last and named, and who is alone. */
static void draw_curves(struct axes *axes, const struct chart *chart)
{
    enum { NAMES = 8 };
    bool band = chart->curves.count > CURVES_DRAWN, alone = chart->curves.count == 1;
    size_t named = 0;

    if (band)
        draw_band(axes, chart);
    for (unsigned failing = 0; failing < 2; failing++)
        list_each (curve, chart->curves) {
            if (curve->failing != failing || (band && !failing))
                continue;
            draw_curve(axes, curve, alone);
            if ((alone || failing) && named++ < NAMES)
                add_label(axes, curve->points.items[curve->points.count - 1].value,
                          failing ? "plot-bad-name" : "plot-name",
                          alone ? say(axes->page, TEXT_SVG_THIS_RUN) : short_name(axes->page, curve));
        }
}

static void draw_subsets(struct axes *axes, const struct chart *chart)
{
    double best = 0;

    for (size_t i = 0; i < chart->subsets.count && i < CURVES_DRAWN; i++) {
        const struct curve *curve = &chart->subsets.items[i];

        html_markup(axes->out, "<polyline class=\"plot-subset\"");
        draw_points(axes, curve->points.items, curve->points.count);
        /* A search asks for one size only, as a rule: a line of one point is nothing to see. */
        for (size_t k = 0; k < curve->points.count; k++)
            if (is_drawn(axes, &curve->points.items[k]))
                html_shape(axes->out, "<path class=\"plot-subset-mark\" d=\"M@ @h9\"/>",
                           place_x(axes, curve->points.items[k].size) - 4.5,
                           place_y(axes, curve->points.items[k].value));
        best = fmax(best, curve->points.items[curve->points.count - 1].value);
    }
    add_label(axes, best, "plot-soft", say(axes->page, TEXT_SVG_SUBSETS));
}

/* -- What it is held against ------------------------------------------------------------------------------ */

static void draw_earlier(struct axes *axes, const struct chart *chart)
{
    const struct point *points = chart->earlier.items;
    size_t count = chart->earlier.count;

    if (count == 0)
        return;
    html_markup(axes->out, "<polyline class=\"plot-earlier\"");
    draw_points(axes, points, count);
    for (size_t i = 0; i < count; i++)
        if (is_drawn(axes, &points[i]))
            html_shape(axes->out, "<path class=\"plot-earlier-mark\" d=\"M@ @l5 5l-5 5l-5 -5z\"/>",
                       place_x(axes, points[i].size), place_y(axes, points[i].value) - 5);
    add_label(axes, points[count - 1].value, "plot-soft",
              sayf(axes->page, TEXT_SVG_EARLIER,
                   arena_printf(axes->page->arena, "%lld", axes->page->view->record->earlier->number)));
}

static void draw_ceiling(struct axes *axes, const struct chart *chart)
{
    if (!isfinite(chart->ceiling))
        return;
    html_shape(axes->out, "<path class=\"plot-ceiling\" d=\"M@ @h@\"/>\n", LEFT,
               place_y(axes, chart->ceiling), PLOT_WIDTH);
    add_label(axes, chart->ceiling, "plot-soft",
              sayf(axes->page, TEXT_SVG_CEILING, arena_printf(axes->page->arena, "%.4g", chart->ceiling)));
}

static void draw_gates(struct axes *axes, const struct chart *chart)
{
    enum { HALF = 15 };
    const struct point *last = NULL;

    list_each (gate, chart->gates) {
        double x = place_x(axes, gate->size), y = place_y(axes, gate->value);

        html_shape(
            axes->out,
            "<path class=\"plot-gate\" d=\"M@ @h@\"/><path class=\"plot-gate-mark\" d=\"M@ @l-4 7h8z\"/>",
            x - HALF, y, 2.0 * HALF, x, y + 1);
        last = gate;
    }
    if (last != NULL)
        add_label(axes, last->value, "plot-gate-name",
                  sayf(axes->page, TEXT_SVG_GATE_AT, arena_printf(axes->page->arena, "%.4g", last->value)));
}

/* -- Names ------------------------------------------------------------------------------------------------ */

static int compare_labels(const void *left, const void *right)
{
    const struct label *a = left, *b = right;

    return a->y < b->y ? -1 : a->y > b->y;
}

/* From the top down, each below the last one; as far up again as the plot's end asks for. */
static void draw_labels(struct axes *axes)
{
    enum { APART = 13 };
    double room = TOP + PLOT_HEIGHT;

    if (axes->labels.count == 0)
        return;
    qsort(axes->labels.items, axes->labels.count, sizeof *axes->labels.items, compare_labels);
    for (size_t i = 1; i < axes->labels.count; i++)
        axes->labels.items[i].y = fmax(axes->labels.items[i].y, axes->labels.items[i - 1].y + APART);
    for (size_t i = axes->labels.count; i > 0; i--) {
        axes->labels.items[i - 1].y = fmin(axes->labels.items[i - 1].y, room);
        room = axes->labels.items[i - 1].y - APART;
    }
    for (size_t i = 0; i < axes->labels.count; i++) {
        html_markup(axes->out, "<text class=\"");
        html_text(axes->out, axes->labels.items[i].class);
        html_shape(axes->out, "\" x=\"@\" y=\"@\">", LEFT + PLOT_WIDTH + 20, axes->labels.items[i].y + 4);
        html_text(axes->out, axes->labels.items[i].text);
        html_markup(axes->out, "</text>\n");
    }
}

void svg_chart(struct page *page, const struct chart *chart)
{
    struct text *out = page->out;
    struct axes axes = {.out = out, .page = page};

    if (!axes_fit(&axes, chart))
        return;
    html_shape(out, "<svg class=\"plot chart\" viewBox=\"0 0 @ @\" role=\"img\" font-size=\"11.5\">",
               LEFT + PLOT_WIDTH + RIGHT, TOP + PLOT_HEIGHT + BOTTOM);
    html_markup(out, "<title>");
    html_text(out, sayf(page, TEXT_SVG_CHART, chart->metric, chart->suite_step));
    html_markup(out, "</title>\n");
    draw_value_axis(&axes);
    draw_size_axis(&axes);
    draw_ceiling(&axes, chart);
    draw_subsets(&axes, chart);
    draw_curves(&axes, chart);
    draw_earlier(&axes, chart);
    draw_gates(&axes, chart);
    draw_labels(&axes);
    html_markup(out, "</svg>\n");
}

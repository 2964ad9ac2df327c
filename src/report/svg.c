/* SPDX-License-Identifier: Apache-2.0 */
#include "svg.h"

#include <math.h>
#include <string.h>

#include "assay/printable.h"
#include "assay/suite.h"

/* -- Heat map ---------------------------------------------------------------------------------------------
 */

enum { CELL_WIDTH = 42, CELL_HEIGHT = 25, LABEL_WIDTH = 42, LABEL_HEIGHT = 20 };

/* White at nothing, a mid blue at the highest value: dark figures stay legible on all of it. */
static void cell_fill(struct text *out, const struct heat_maps *maps, double value, bool failing)
{
    double part = maps->highest > 0 && isfinite(value) ? value / maps->highest : 0;

    if (failing)
        html_markup(out, " fill=\"#fbdcd8\" stroke=\"#a3161a\" stroke-width=\"2.5\"");
    else if (!isfinite(value))
        html_markup(out, " fill=\"#f4f4f2\" stroke=\"#ffffff\"");
    else
        html_shape(out, " fill=\"rgb(@,@,@)\" stroke=\"#ffffff\"", round(255 - 100 * part),
                   round(255 - 58 * part), round(255 - 24 * part));
}

static void heat_cell(struct text *out, const struct heat_maps *maps, const struct heat_map *map, size_t from,
                      size_t to)
{
    double value = map->values[from * map->gpus + to];
    bool failing = map->failing[from * map->gpus + to];
    double x = LABEL_WIDTH + (double)to * CELL_WIDTH, y = LABEL_HEIGHT + (double)from * CELL_HEIGHT;

    html_shape(out, "<rect x=\"@\" y=\"@\" width=\"@\" height=\"@\"", x + 1, y + 1, CELL_WIDTH - 2,
               CELL_HEIGHT - 2);
    cell_fill(out, maps, value, failing);
    html_shape(out, "/><text x=\"@\" y=\"@\" text-anchor=\"middle\"", x + CELL_WIDTH / 2.0, y + 17);
    if (failing)
        html_markup(out, " font-weight=\"700\" fill=\"#7d0d10\"");
    html_markup(out, ">");
    if (isfinite(value))
        html_textf(out, value < 99.95 ? "%.1f" : "%.0f", value);
    else
        html_text(out, from == to ? "" : "\xe2\x80\x93");
    html_markup(out, "</text>");
}

void svg_heat_map(struct page *page, const struct heat_maps *maps, const struct heat_map *map)
{
    struct text *out = page->out;
    double width = LABEL_WIDTH + (double)map->gpus * CELL_WIDTH,
           height = LABEL_HEIGHT + (double)map->gpus * CELL_HEIGHT;

    html_shape(out, "<svg class=\"heat\" viewBox=\"0 0 @ @\" role=\"img\" font-size=\"11.5\">", width,
               height);
    html_markup(out, "<title>");
    html_text(out, sayf(page, TEXT_SVG_P2P, maps->metric));
    html_markup(out, "</title>\n");
    for (size_t gpu = 0; gpu < map->gpus; gpu++) {
        html_shape(out, "<text x=\"@\" y=\"13\" text-anchor=\"middle\" fill=\"#555\">gpu@</text>",
                   LABEL_WIDTH + (double)gpu * CELL_WIDTH + CELL_WIDTH / 2.0, (double)gpu);
        html_shape(out, "<text x=\"@\" y=\"@\" text-anchor=\"end\" fill=\"#555\">gpu@</text>",
                   LABEL_WIDTH - 6, LABEL_HEIGHT + (double)gpu * CELL_HEIGHT + 17, (double)gpu);
    }
    for (size_t from = 0; from < map->gpus; from++)
        for (size_t to = 0; to < map->gpus; to++)
            heat_cell(out, maps, map, from, to);
    html_markup(out, "</svg>\n");
}

/* -- Chart ------------------------------------------------------------------------------------------------
 */

enum { LEFT = 52, TOP = 12, PLOT_WIDTH = 560, PLOT_HEIGHT = 210, RIGHT = 118, BOTTOM = 44 };

struct axes {
    struct text *out;
    const struct page *page;
    double size_min, size_max, top, tick;
};

static double place_x(const struct axes *axes, double size)
{
    double span = log2(axes->size_max) - log2(axes->size_min);

    return span > 0 ? LEFT + (log2(size) - log2(axes->size_min)) / span * PLOT_WIDTH
                    : LEFT + PLOT_WIDTH / 2.0;
}

static double place_y(const struct axes *axes, double value)
{
    return TOP + PLOT_HEIGHT - value / axes->top * PLOT_HEIGHT;
}

/* 1, 2 or 5 times a power of ten, so that about five ticks reach the highest value. */
static double tick_for(double highest)
{
    static const double steps[] = {1, 2, 5, 10};
    double power = pow(10, floor(log10(highest / 5)));

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (highest / (steps[i] * power) <= 6)
            return steps[i] * power;
    return 10 * power;
}

static void axes_fit(struct axes *axes, const struct chart *chart)
{
    double highest = 0;

    axes->size_min = INFINITY;
    axes->size_max = 0;
    for (size_t i = 0; i < chart->curves.count; i++)
        for (size_t k = 0; k < chart->curves.items[i].points.count; k++) {
            const struct point *point = &chart->curves.items[i].points.items[k];

            axes->size_min = fmin(axes->size_min, point->size);
            axes->size_max = fmax(axes->size_max, point->size);
            highest = fmax(highest, point->value);
        }
    for (size_t i = 0; i < chart->gates.count; i++) {
        axes->size_min = fmin(axes->size_min, chart->gates.items[i].size);
        axes->size_max = fmax(axes->size_max, chart->gates.items[i].size);
        highest = fmax(highest, chart->gates.items[i].value);
    }
    axes->tick = tick_for(highest > 0 ? highest : 1);
    axes->top = ceil(fmax(highest, axes->tick) * 1.04 / axes->tick) * axes->tick;
}

static void draw_grid(const struct axes *axes, struct arena *arena)
{
    struct text *out = axes->out;
    double octaves = log2(axes->size_max) - log2(axes->size_min), every = octaves > 12 ? 2 : 1;

    for (double value = 0; value <= axes->top + axes->tick / 2; value += axes->tick) {
        html_shape(out, "<line x1=\"@\" x2=\"@\" y1=\"@\" y2=\"@\" stroke=\"#e3e3e0\"/>", LEFT,
                   LEFT + PLOT_WIDTH, place_y(axes, value), place_y(axes, value));
        html_shape(out, "<text x=\"@\" y=\"@\" text-anchor=\"end\">@</text>", LEFT - 7,
                   place_y(axes, value) + 4, value);
    }
    /* From the largest size down: that is where the gates are. */
    for (double back = 0; back <= octaves + 1e-9; back += every) {
        double size = axes->size_max / exp2(back), x = place_x(axes, size);

        html_shape(out, "<line x1=\"@\" x2=\"@\" y1=\"@\" y2=\"@\" stroke=\"#999\"/>", x, x,
                   TOP + PLOT_HEIGHT, TOP + PLOT_HEIGHT + 4);
        html_shape(out, "<text x=\"@\" y=\"@\" text-anchor=\"middle\">", x, TOP + PLOT_HEIGHT + 17);
        html_text(out, size_text(arena, size));
        html_markup(out, "</text>\n");
    }
    html_shape(out, "<line x1=\"@\" x2=\"@\" y1=\"@\" y2=\"@\" stroke=\"#777\"/>", LEFT, LEFT + PLOT_WIDTH,
               TOP + PLOT_HEIGHT, TOP + PLOT_HEIGHT);
    html_shape(out, "<text x=\"@\" y=\"@\" text-anchor=\"middle\">", LEFT + PLOT_WIDTH / 2.0,
               TOP + PLOT_HEIGHT + 36);
    html_text(out, say(axes->page, TEXT_SVG_SIZES));
    html_shape(out, "</text><text transform=\"translate(12,@) rotate(-90)\" text-anchor=\"middle\">",
               TOP + PLOT_HEIGHT / 2.0);
    html_text(out, say(axes->page, TEXT_SVG_BUSBW));
    html_markup(out, "</text>\n");
}

static void draw_points(const struct axes *axes, const struct point *points, size_t count)
{
    html_markup(axes->out, " points=\"");
    for (size_t i = 0; i < count; i++)
        html_shape(axes->out, "@,@ ", place_x(axes, points[i].size), place_y(axes, points[i].value));
    html_markup(axes->out, "\"/>");
}

static void draw_curve(const struct axes *axes, const struct curve *curve, bool alone)
{
    if (curve->failing)
        html_markup(axes->out, "<polyline fill=\"none\" stroke=\"#a3161a\" stroke-width=\"2.2\"");
    else if (alone)
        html_markup(axes->out, "<polyline fill=\"none\" stroke=\"#1d4f82\" stroke-width=\"2\"");
    else
        html_markup(axes->out, "<polyline fill=\"none\" stroke=\"#5d8fbd\" stroke-width=\"1.2\"");
    draw_points(axes, curve->points.items, curve->points.count);
    for (size_t i = 0; (curve->failing || alone) && i < curve->points.count; i++) {
        html_shape(axes->out, "<circle cx=\"@\" cy=\"@\" r=\"2.6\"",
                   place_x(axes, curve->points.items[i].size), place_y(axes, curve->points.items[i].value));
        if (curve->failing)
            html_markup(axes->out, " fill=\"#a3161a\"/>");
        else
            html_markup(axes->out, " fill=\"#1d4f82\"/>");
    }
    html_markup(axes->out, "\n");
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

static void draw_band(const struct axes *axes, struct arena *arena, const struct chart *chart)
{
    struct band band = {0};
    LIST_OF(struct point) outline = {0};

    band_collect(arena, chart, &band);
    for (size_t i = 0; i < band.low.count; i++)
        *list_push(arena, &outline) = band.low.items[i];
    for (size_t i = band.high.count; i > 0; i--)
        *list_push(arena, &outline) = band.high.items[i - 1];
    html_markup(axes->out, "<polygon fill=\"#c9dcee\" stroke=\"#8db2d4\" stroke-width=\"0.8\"");
    draw_points(axes, outline.items, outline.count);
    html_markup(axes->out, "<polyline fill=\"none\" stroke=\"#1d4f82\" stroke-width=\"2\"");
    draw_points(axes, band.middle.items, band.middle.count);
    html_markup(axes->out, "\n");
}

static void draw_gates(const struct axes *axes, const struct chart *chart)
{
    enum { HALF = 15 };

    for (size_t i = 0; i < chart->gates.count; i++) {
        const struct point *gate = &chart->gates.items[i];
        double x = place_x(axes, gate->size), y = place_y(axes, gate->value);

        html_shape(axes->out,
                   "<line x1=\"@\" x2=\"@\" y1=\"@\" y2=\"@\" stroke=\"#222\" stroke-width=\"2.4\"/>"
                   "<path d=\"M@ @l-4 7h8z\" fill=\"#222\"/>",
                   x - HALF, x + HALF, y, y, x, y + 1);
    }
    if (chart->gates.count > 0) {
        const struct point *last = &chart->gates.items[chart->gates.count - 1];

        html_shape(axes->out, "<text x=\"@\" y=\"@\" font-weight=\"600\" fill=\"#222\">",
                   place_x(axes, last->size) + HALF + 5, place_y(axes, last->value) + 4);
        html_text(axes->out, say(axes->page, TEXT_SVG_GATE));
        html_shape(axes->out, " \xe2\x89\xa5 @</text>\n", last->value);
    }
}

/* As much of the target as there is room for, whole characters. */
static const char *short_name(const struct page *page, const struct curve *curve)
{
    enum { COLUMNS = 14 };
    const char *name = said(page, curve->name), *rest = name, *end = name;
    struct slice character;

    for (size_t room = COLUMNS; printable_next(&rest, &character); end = rest) {
        if (printable_columns(&character) > room)
            break;
        room -= printable_columns(&character);
    }
    return arena_strndup(page->arena, name, (size_t)(end - name));
}

/* Names of failing curves at their right end, kept apart from each other and from the gate's label. */
static void draw_names(const struct axes *axes, const struct chart *chart)
{
    enum { APART = 13, NAMES = 8 };
    double last =
        chart->gates.count > 0 ? place_y(axes, chart->gates.items[chart->gates.count - 1].value) : -APART;
    size_t named = 0;

    for (size_t i = 0; i < chart->curves.count && named < NAMES; i++) {
        const struct curve *curve = &chart->curves.items[i];
        const struct point *end = &curve->points.items[curve->points.count - 1];
        double y = place_y(axes, end->value);

        if (!curve->failing)
            continue;
        if (fabs(y - last) < APART || named > 0)
            y = fmax(y, last + APART);
        last = y;
        named++;
        html_shape(axes->out, "<text x=\"@\" y=\"@\" font-weight=\"600\" fill=\"#a3161a\">",
                   place_x(axes, end->size) + 20, y + 4);
        html_text(axes->out, short_name(axes->page, curve));
        html_markup(axes->out, "</text>\n");
    }
}

void svg_chart(struct page *page, const struct chart *chart)
{
    struct text *out = page->out;
    struct axes axes = {.out = out, .page = page};
    bool band = chart->curves.count > CURVES_DRAWN;

    axes_fit(&axes, chart);
    html_shape(out, "<svg class=\"chart\" viewBox=\"0 0 @ @\" role=\"img\" font-size=\"11.5\" fill=\"#444\">",
               LEFT + PLOT_WIDTH + RIGHT, TOP + PLOT_HEIGHT + BOTTOM);
    html_markup(out, "<title>");
    html_text(out, sayf(page, TEXT_SVG_CHART, chart->metric, chart->suite_step));
    html_markup(out, "</title>\n");
    draw_grid(&axes, page->arena);
    if (band)
        draw_band(&axes, page->arena, chart);
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < chart->curves.count; i++)
            if (chart->curves.items[i].failing == (pass == 1) && (pass == 1 || !band))
                draw_curve(&axes, &chart->curves.items[i], chart->curves.count == 1);
    draw_gates(&axes, chart);
    draw_names(&axes, chart);
    html_markup(out, "</svg>\n");
}

/* -- Course -----------------------------------------------------------------------------------------------
 */

enum {
    COURSE_LEFT = 34,
    COURSE_TOP = 21,
    COURSE_WIDTH = 230,
    COURSE_HEIGHT = 64,
    COURSE_RIGHT = 6,
    COURSE_BOTTOM = 16
};

static double course_x(const struct course *course, size_t point)
{
    return COURSE_LEFT + (double)point / (double)(course->points - 1) * COURSE_WIDTH;
}

/* What differs by noise only stays a flat line: a span of a tenth of the highest value at least. */
static double course_y(const struct course *course, double value)
{
    double span = fmax(course->high - course->low, fmax(course->high * 0.1, 1));
    double bottom = (course->high + course->low - span) / 2;

    return COURSE_TOP + COURSE_HEIGHT - (value - bottom) / span * COURSE_HEIGHT;
}

/* A gap parts the line, as nothing was seen there. */
static void draw_course(struct text *out, const struct course *course, size_t gpu)
{
    const double *values = course->values[gpu];
    bool open = false;

    for (size_t i = 0; i < course->points; i++) {
        if (isfinite(values[i]) && !open) {
            if (gpu == course->worst_gpu)
                html_markup(out, "<polyline fill=\"none\" stroke=\"#9a5b00\" stroke-width=\"1.8\" points=\"");
            else
                html_markup(out, "<polyline fill=\"none\" stroke=\"#8fb3d3\" stroke-width=\"1\" points=\"");
        }
        if (isfinite(values[i]))
            html_shape(out, "@,@ ", course_x(course, i), course_y(course, values[i]));
        else if (open)
            html_markup(out, "\"/>");
        open = isfinite(values[i]);
    }
    if (open)
        html_markup(out, "\"/>");
}

void svg_course(struct page *page, const struct course *course)
{
    struct text *out = page->out;
    double worst = course->values[course->worst_gpu][course->worst_point];
    double seconds = course->every_s * (double)(course->points - 1);

    html_shape(out, "<svg class=\"course\" viewBox=\"0 0 @ @\" role=\"img\" font-size=\"9.5\" fill=\"#444\">",
               COURSE_LEFT + COURSE_WIDTH + COURSE_RIGHT, COURSE_TOP + COURSE_HEIGHT + COURSE_BOTTOM);
    html_markup(out, "<title>");
    html_text(out, sayf(page, TEXT_SVG_COURSE, word(page, course->title), number(page, course->gpus)));
    html_markup(out, "</title>");
    html_markup(out, "<text x=\"0\" y=\"10\">");
    html_text(out, sayf(page, TEXT_SVG_UNIT, word(page, course->title), course->unit));
    html_shape(out, "</text><text x=\"@\" y=\"10\" text-anchor=\"end\" font-weight=\"600\" fill=\"#9a5b00\">",
               COURSE_LEFT + COURSE_WIDTH);
    html_text(out,
              sayf(page, course->lowest ? TEXT_SVG_LOWEST : TEXT_SVG_HIGHEST, number(page, course->worst_gpu),
                   arena_printf(page->arena, "%.0f", worst), course->unit));
    html_markup(out, "</text>");
    html_shape(out, "<path d=\"M@ @v@h@\" fill=\"none\" stroke=\"#bbb\"/>", COURSE_LEFT, COURSE_TOP,
               COURSE_HEIGHT, COURSE_WIDTH);
    html_shape(out, "<text x=\"@\" y=\"@\" text-anchor=\"end\">@</text>", COURSE_LEFT - 4,
               course_y(course, course->high) + 3, course->high);
    if (course_y(course, course->low) - course_y(course, course->high) > 10)
        html_shape(out, "<text x=\"@\" y=\"@\" text-anchor=\"end\">@</text>", COURSE_LEFT - 4,
                   course_y(course, course->low) + 3, course->low);
    html_shape(out, "<text x=\"@\" y=\"@\">0</text><text x=\"@\" y=\"@\" text-anchor=\"end\">", COURSE_LEFT,
               COURSE_TOP + COURSE_HEIGHT + 11, COURSE_LEFT + COURSE_WIDTH, COURSE_TOP + COURSE_HEIGHT + 11);
    html_text(out, sayf(page, seconds < 600 ? TEXT_SVG_SECONDS : TEXT_SVG_MINUTES,
                        arena_printf(page->arena, "%.0f", seconds < 600 ? seconds : seconds / 60)));
    html_markup(out, "</text>\n");
    for (size_t gpu = 0; gpu < course->gpus; gpu++)
        if (gpu != course->worst_gpu)
            draw_course(out, course, gpu);
    draw_course(out, course, course->worst_gpu);
    html_shape(out, "<circle cx=\"@\" cy=\"@\" r=\"2.4\" fill=\"#9a5b00\"/></svg>\n",
               course_x(course, course->worst_point), course_y(course, worst));
}

/* -- Slices -----------------------------------------------------------------------------------------------
 */

enum { SLICES_WIDTH = 220, SLICES_HEIGHT = 26, SLICES_EDGE = 3 };

void svg_slices(struct page *page, const struct slice_row *row)
{
    struct text *out = page->out;
    /* As of a course: what differs by noise only stays a flat line. */
    double span = fmax(row->spread.high - row->spread.low, row->spread.high * 0.1);
    double bottom = (row->spread.high + row->spread.low - span) / 2;

    html_shape(out, "<svg class=\"slices\" viewBox=\"0 0 @ @\" width=\"@\" height=\"@\" role=\"img\">",
               SLICES_WIDTH, SLICES_HEIGHT, SLICES_WIDTH, SLICES_HEIGHT);
    html_markup(out, "<title>");
    html_text(out, sayf(page, TEXT_SVG_SLICES, row->slot->metric, number(page, row->count)));
    html_markup(out, "</title><polyline fill=\"none\" stroke=\"#1d4f82\" stroke-width=\"1.2\" points=\"");
    for (size_t i = 0; i < row->count; i++)
        html_shape(out, "@,@ ",
                   SLICES_EDGE +
                       (double)i / fmax((double)row->count - 1, 1) * (SLICES_WIDTH - 2 * SLICES_EDGE),
                   SLICES_HEIGHT - SLICES_EDGE -
                       (row->values[i] - bottom) / span * (SLICES_HEIGHT - 2 * SLICES_EDGE));
    html_markup(out, "\"/></svg>");
}

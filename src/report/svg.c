/* SPDX-License-Identifier: Apache-2.0 */
#include "svg.h"

#include <math.h>
#include <string.h>

#include "assay/check/check.h"

/* -- Heat map ---------------------------------------------------------------------------------------------
 */

enum { CELL_WIDTH = 42, CELL_HEIGHT = 25, LABEL_WIDTH = 58, LABEL_HEIGHT = 36 };

/* A tint that grows with the value. What failed is outlined, bold and crossed at its corner. */
static void heat_cell(struct text *out, const struct heat_maps *maps, const struct heat_map *map, size_t from,
                      size_t to)
{
    double value = map->values[from * map->gpus + to];
    bool failing = map->failing[from * map->gpus + to];
    double x = LABEL_WIDTH + (double)to * CELL_WIDTH, y = LABEL_HEIGHT + (double)from * CELL_HEIGHT;

    if (failing)
        html_markup(out, "<rect class=\"plot-bad-cell\"");
    else if (!isfinite(value))
        html_markup(out, "<rect class=\"plot-no-cell\"");
    else
        html_shape(out, "<rect class=\"plot-cell\" fill-opacity=\"@\"",
                   maps->highest > 0 ? round(50 * value / maps->highest) / 100 : 0);
    html_shape(out, " x=\"@\" y=\"@\" width=\"@\" height=\"@\"/>", x + 1, y + 1, CELL_WIDTH - 2,
               CELL_HEIGHT - 2);
    if (failing)
        html_shape(out, "<path class=\"plot-bad-corner\" d=\"M@ @h7l-7 7z\"/><text class=\"plot-bad-name\"",
                   x + 2, y + 2);
    else
        html_markup(out, "<text class=\"plot-figure\"");
    html_shape(out, " x=\"@\" y=\"@\" text-anchor=\"middle\">", x + CELL_WIDTH / 2.0, y + 17);
    if (isfinite(value))
        html_textf(out, value < 99.95 ? "%.1f" : "%.0f", value);
    else
        html_text(out, from == to ? "" : "\xe2\x80\x93");
    html_markup(out, "</text>");
}

static void heat_axes(struct page *page, const struct heat_map *map)
{
    struct text *out = page->out;

    html_shape(out, "<text x=\"@\" y=\"12\" text-anchor=\"middle\">",
               LABEL_WIDTH + (double)map->gpus * CELL_WIDTH / 2);
    html_text(out, say(page, TEXT_SVG_TO_GPU));
    html_shape(out, "</text><text transform=\"translate(11,@) rotate(-90)\" text-anchor=\"middle\">",
               LABEL_HEIGHT + (double)map->gpus * CELL_HEIGHT / 2);
    html_text(out, say(page, TEXT_SVG_FROM_GPU));
    html_markup(out, "</text>\n");
    for (size_t gpu = 0; gpu < map->gpus; gpu++) {
        html_shape(out, "<text x=\"@\" y=\"@\" text-anchor=\"middle\">gpu@</text>",
                   LABEL_WIDTH + (double)gpu * CELL_WIDTH + CELL_WIDTH / 2.0, LABEL_HEIGHT - 7, (double)gpu);
        html_shape(out, "<text x=\"@\" y=\"@\" text-anchor=\"end\">gpu@</text>", LABEL_WIDTH - 6,
                   LABEL_HEIGHT + (double)gpu * CELL_HEIGHT + 17, (double)gpu);
    }
}

void svg_heat_map(struct page *page, const struct heat_maps *maps, const struct heat_map *map)
{
    struct text *out = page->out;
    double width = LABEL_WIDTH + (double)map->gpus * CELL_WIDTH,
           height = LABEL_HEIGHT + (double)map->gpus * CELL_HEIGHT;

    html_shape(out, "<svg class=\"plot heat\" viewBox=\"0 0 @ @\" role=\"img\" font-size=\"11.5\">", width,
               height);
    html_markup(out, "<title>");
    html_text(out, sayf(page, TEXT_SVG_P2P, maps->of->metric, maps->of->unit));
    html_markup(out, "</title>\n");
    heat_axes(page, map);
    for (size_t from = 0; from < map->gpus; from++)
        for (size_t to = 0; to < map->gpus; to++)
            heat_cell(out, maps, map, from, to);
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
                html_markup(out, "<polyline class=\"plot-odd\" points=\"");
            else
                html_markup(out, "<polyline class=\"plot-thin\" points=\"");
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

    html_shape(out, "<svg class=\"plot course\" viewBox=\"0 0 @ @\" role=\"img\" font-size=\"9.5\">",
               COURSE_LEFT + COURSE_WIDTH + COURSE_RIGHT, COURSE_TOP + COURSE_HEIGHT + COURSE_BOTTOM);
    html_markup(out, "<title>");
    html_text(out, sayf(page, TEXT_SVG_COURSE, word(page, course->title), number(page, course->gpus)));
    html_markup(out, "</title>");
    html_markup(out, "<text x=\"0\" y=\"10\">");
    html_text(out, sayf(page, TEXT_SVG_UNIT, word(page, course->title), course->unit));
    html_shape(out, "</text><text x=\"@\" y=\"10\" text-anchor=\"end\" class=\"plot-odd-name\">",
               COURSE_LEFT + COURSE_WIDTH);
    html_text(out,
              sayf(page, course->lowest ? TEXT_SVG_LOWEST : TEXT_SVG_HIGHEST, number(page, course->worst_gpu),
                   arena_printf(page->arena, "%.0f", worst), course->unit));
    html_markup(out, "</text>");
    html_shape(out, "<path class=\"plot-axis\" d=\"M@ @v@h@\"/>", COURSE_LEFT, COURSE_TOP, COURSE_HEIGHT,
               COURSE_WIDTH);
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
    html_shape(out, "<circle cx=\"@\" cy=\"@\" r=\"2.4\" class=\"plot-odd-mark\"/></svg>\n",
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

    html_shape(out, "<svg class=\"plot slices\" viewBox=\"0 0 @ @\" width=\"@\" height=\"@\" role=\"img\">",
               SLICES_WIDTH, SLICES_HEIGHT, SLICES_WIDTH, SLICES_HEIGHT);
    html_markup(out, "<title>");
    html_text(out, sayf(page, TEXT_SVG_SLICES, row->slot->metric, number(page, row->count)));
    html_markup(out, "</title><polyline class=\"plot-line\" points=\"");
    for (size_t i = 0; i < row->count; i++)
        html_shape(out, "@,@ ",
                   SLICES_EDGE +
                       (double)i / fmax((double)row->count - 1, 1) * (SLICES_WIDTH - 2 * SLICES_EDGE),
                   SLICES_HEIGHT - SLICES_EDGE -
                       (row->values[i] - bottom) / span * (SLICES_HEIGHT - 2 * SLICES_EDGE));
    html_markup(out, "\"/></svg>");
}

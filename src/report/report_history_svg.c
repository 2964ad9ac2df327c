/* SPDX-License-Identifier: Apache-2.0 */
/* A history as one plot: a line for each chosen series, what deviates over the runs. */
#include <math.h>

#include "assay/report/report.h"
#include "history_shown.h"
#include "html.h"

enum { WIDTH = 860, PLOT_WIDTH = 780, PLOT_HEIGHT = 320, LEFT = 64, TOP = 28, LINE_HEIGHT = 18 };

/* Okabe and Ito's colours, told apart by the colour-blind too; lines also differ by their dashes. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#56b4e9", "#e69f00", "#555555", "#000000"};
static const char *const dashes[] = {"none", "6 3", "2 2", "8 3 2 3"};

struct plot {
    struct text *out;
    bool one_subject;
    const struct history *history;
    double low, high;
};

static double x_of(const struct plot *plot, size_t run)
{
    size_t last = plot->history->runs.count - 1;

    return LEFT + (last == 0 ? 0.5 : (double)run / (double)last) * (PLOT_WIDTH - LEFT);
}

static double y_of(const struct plot *plot, double deviation)
{
    return TOP + (plot->high - deviation) / (plot->high - plot->low) * PLOT_HEIGHT;
}

static void put_axes(const struct plot *plot, double step)
{
    enum { MOST_LABELS = 24 };
    size_t every = (plot->history->runs.count + MOST_LABELS - 1) / MOST_LABELS;
    struct text *out = plot->out;

    for (double at = ceil(plot->low / step) * step; at <= plot->high + step / 1e6; at += step) {
        html_shape(out, "<line x1=\"@\" x2=\"@\" y1=\"@\" y2=\"@\" stroke=\"#cccccc\"/>", LEFT, PLOT_WIDTH,
                   y_of(plot, at), y_of(plot, at));
        html_shape(out, "<text x=\"@\" y=\"@\" text-anchor=\"end\">", LEFT - 6, y_of(plot, at) + 4);
        html_textf(out, "%+.0f%%", 100 * at);
        html_markup(out, "</text>\n");
    }
    for (size_t i = 0; i < plot->history->runs.count; i += every) {
        html_shape(out, "<text x=\"@\" y=\"@\" text-anchor=\"middle\">", x_of(plot, i),
                   TOP + PLOT_HEIGHT + 18);
        html_textf(out, "%lld", plot->history->runs.items[i].number);
        html_markup(out, "</text>\n");
    }
}

/* A line of one point would not be seen. */
static void put_point(const struct plot *plot, const struct history_series *series, const char *colour)
{
    const struct history_point *point = series->points.items;

    if (series->points.count != 1)
        return;
    html_shape(plot->out, "<circle r=\"3.5\" cx=\"@\" cy=\"@\" fill=\"", x_of(plot, point->run),
               y_of(plot, point->deviation));
    html_text(plot->out, colour);
    html_markup(plot->out, "\"/>\n");
}

static void put_line(const struct plot *plot, const struct history_subject *subject,
                     const struct history_series *series, size_t n)
{
    struct text *out = plot->out;
    const char *colour = colours[n % (ARRAY_SIZE(colours))];
    const char *dash = dashes[n % (ARRAY_SIZE(dashes))];

    html_markup(out, "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"");
    html_text(out, colour);
    html_markup(out, "\" stroke-dasharray=\"");
    html_text(out, dash);
    html_markup(out, "\" points=\"");
    for (size_t i = 0; i < series->points.count; i++)
        html_shape(out, "@,@ ", x_of(plot, series->points.items[i].run),
                   y_of(plot, series->points.items[i].deviation));
    html_markup(out, "\"/>\n");
    put_point(plot, series, colour);
    html_markup(out, "<line stroke-width=\"2\" stroke=\"");
    html_text(out, colour);
    html_markup(out, "\" stroke-dasharray=\"");
    html_text(out, dash);
    html_shape(out, "\" x1=\"@\" x2=\"@\" y1=\"@\" y2=\"@\"/>", LEFT, LEFT + 30,
               TOP + PLOT_HEIGHT + 36 + (double)n * LINE_HEIGHT,
               TOP + PLOT_HEIGHT + 36 + (double)n * LINE_HEIGHT);
    html_shape(out, "<text x=\"@\" y=\"@\">", LEFT + 38, TOP + PLOT_HEIGHT + 40 + (double)n * LINE_HEIGHT);
    if (!plot->one_subject)
        html_textf(out, "%s (%s): ", subject->name, subject->place);
    html_textf(out, "%s %s", series->suite_step, series->metric);
    html_markup(out, "</text>\n");
}

static void fit(struct plot *plot, const struct history_series *series)
{
    for (size_t k = 0; k < series->points.count; k++) {
        plot->low = fmin(plot->low, 1.1 * series->points.items[k].deviation);
        plot->high = fmax(plot->high, 1.1 * series->points.items[k].deviation);
    }
}

void history_plot(const struct history_plot *shown, struct text *out)
{
    struct plot plot = {
        .out = out, .one_subject = shown->one_subject, .history = shown->history, .low = -0.02, .high = 0.02};
    const struct history_findings *findings = shown->findings;

    for (size_t i = 0; i < shown->count; i++)
        fit(&plot, &findings->series.items[shown->series[i]]);
    html_shape(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 @ @\" role=\"img\" ", WIDTH,
               TOP + PLOT_HEIGHT + 50 + (double)(shown->count + 1) * LINE_HEIGHT);
    html_markup(out, "font-family=\"sans-serif\" font-size=\"12\">\n<title>");
    html_text(out, shown->title);
    html_markup(out, "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    put_axes(&plot, plot.high - plot.low > 0.2 ? 0.05 : 0.01);
    for (size_t i = 0; i < shown->count; i++) {
        const struct history_series *series = &findings->series.items[shown->series[i]];

        put_line(&plot, &findings->subjects.items[series->subject], series, i);
    }
    if (*shown->more != '\0') {
        html_shape(out, "<text x=\"@\" y=\"@\">", LEFT,
                   TOP + PLOT_HEIGHT + 40 + (double)shown->count * LINE_HEIGHT);
        html_text(out, shown->more);
        html_markup(out, "</text>\n");
    }
    html_markup(out, "</svg>\n");
}

void report_history_svg(struct arena *arena, const struct history *history,
                        const struct history_findings *findings, const struct history_choice *choice,
                        struct text *out)
{
    struct history_plot plot = {.title = "Deviation from what is expected, over runs",
                                .more = "",
                                .history = history,
                                .findings = findings};
    size_t left_out = 0;

    for (size_t i = 0; i < findings->series.count; i++) {
        if (!history_chosen(findings, choice, i))
            continue;
        if (plot.count == HISTORY_LINES)
            left_out++;
        else
            plot.series[plot.count++] = i;
    }
    if (plot.count == 0)
        plot.more = "nothing to draw";
    else if (left_out > 0)
        plot.more = arena_printf(arena, "and %zu more, which are not drawn", left_out);
    history_plot(&plot, out);
}

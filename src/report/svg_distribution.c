/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram: the bulk as bars, the gates and the median as lines, each that stands out as a mark of its own below. */
#include <math.h>

#include "svg.h"

enum { WIDTH = 460, LEFT = 12, PLOT = 436, TOP = 31, BARS = 62, BOTTOM = 34, BINS = 62 };
static const double axis_y = TOP + BARS;

struct scale {
    double low, high;
};

/* All values and all gates, with a little room at both ends. */
static struct scale scale_of(const struct distribution *distribution)
{
    struct scale scale = {distribution->quantiles[0], distribution->quantiles[QUANTILES - 1]};
    double room;

    for (size_t i = 0; i < distribution->gate_count; i++) {
        scale.low = fmin(scale.low, distribution->gates[i]);
        scale.high = fmax(scale.high, distribution->gates[i]);
    }
    room = (scale.high - scale.low) * 0.02;
    return (struct scale){scale.low - room, scale.high + room};
}

static double place(const struct scale *scale, double value)
{
    return LEFT + (value - scale->low) / (scale->high - scale->low) * PLOT;
}

static void draw_bars(struct text *out, const struct distribution *distribution, const struct scale *scale)
{
    size_t counts[BINS] = {0}, most = 0;

    for (size_t i = 0; i < distribution->values.count; i++) {
        double part = (distribution->values.items[i] - scale->low) / (scale->high - scale->low);
        size_t bin = (size_t)fmin(part * BINS, BINS - 1);

        counts[bin]++;
        most = counts[bin] > most ? counts[bin] : most;
    }
    html_markup(out, "<path class=\"plot-bars\" d=\"");
    for (size_t i = 0; i < BINS; i++)
        if (counts[i] > 0) {
            double height = fmax((double)counts[i] / (double)most * BARS, 1.5);

            html_shape(out, "M@ @h@v@h-@z", LEFT + (double)i * PLOT / BINS, axis_y - height,
                       (double)PLOT / BINS - 0.6, height, (double)PLOT / BINS - 0.6);
        }
    html_markup(out, "\"/>");
}

/* Three or four round numbers. */
static void draw_axis(struct text *out, struct arena *arena, const struct scale *scale)
{
    double span = scale->high - scale->low, step = pow(10, floor(log10(span / 2)));

    while (span / step > 5)
        step *= span / step > 10 ? 5 : 2;
    html_shape(out, "<path class=\"plot-axis\" d=\"M@ @h@\"/>\n", LEFT, axis_y, PLOT);
    for (double value = ceil(scale->low / step) * step; value <= scale->high; value += step) {
        html_shape(out,
                   "<path class=\"plot-axis\" d=\"M@ @v4\"/><text x=\"@\" y=\"@\" text-anchor=\"middle\">",
                   place(scale, value), axis_y, place(scale, value), axis_y + 29);
        html_text(out, arena_printf(arena, "%.6g", fabs(value) < step / 1000 ? 0 : value));
        html_markup(out, "</text>");
    }
    html_markup(out, "\n");
}

/* Of two lines the one nearer to the edge has its name above: names run inwards, over the other line, which begins below. */
static bool is_above(double gate, double median)
{
    return gate > WIDTH / 2.0 ? gate > median || median <= WIDTH / 2.0 : gate <= median;
}

static void draw_line(struct text *out, double x, double label_y, bool gate, const char *label)
{
    double label_x = x + (x > WIDTH / 2.0 ? 3 : -3);

    if (gate)
        html_shape(
            out,
            "<path class=\"plot-gate plot-dashed\" d=\"M@ @V@\"/><text class=\"plot-gate-name plot-halo\"", x,
            label_y + 2, axis_y + 4);
    else
        html_shape(out, "<path class=\"plot-line\" d=\"M@ @V@\"/><text class=\"plot-name plot-halo\"", x,
                   label_y + 2, axis_y);
    html_shape(out, " x=\"@\" y=\"@\"", label_x, label_y);
    if (x > WIDTH / 2.0)
        html_markup(out, " text-anchor=\"end\">");
    else
        html_markup(out, ">");
    html_text(out, label);
    html_markup(out, "</text>\n");
}

/* One mark for all of a kind that fall on the same spot. */
static void draw_marks(struct text *out, const struct distribution *distribution, const struct scale *scale)
{
    bool failed[WIDTH] = {false}, remarked[WIDTH] = {false};

    for (size_t i = 0; i < distribution->found.count; i++) {
        size_t spot = (size_t)place(scale, distribution->found.items[i].outcome->value);

        failed[spot] |= distribution->found.items[i].named->word == OUTCOME_FAIL;
        remarked[spot] |= distribution->found.items[i].named->word != OUTCOME_FAIL;
    }
    for (size_t spot = 0; spot < WIDTH; spot++) {
        if (remarked[spot])
            html_shape(out, "<path d=\"M@ @l4 5l-4 5l-4 -5z\" class=\"plot-odd-mark\"/>\n", (double)spot,
                       axis_y + 5);
        if (failed[spot])
            html_shape(out, "<path d=\"M@ @l7 8m0 -8l-7 8\" class=\"plot-bad\"/>\n", (double)spot - 3.5,
                       axis_y + 6);
    }
}

void svg_distribution(struct page *page, const struct distribution *distribution)
{
    struct text *out = page->out;
    struct arena *arena = page->arena;
    struct scale scale = scale_of(distribution);
    double median = distribution->quantiles[QUANTILES / 2];
    bool gate_above = distribution->gate_count > 0 &&
                      is_above(place(&scale, distribution->gates[0]), place(&scale, median));

    html_shape(out, "<svg class=\"plot spread\" viewBox=\"0 0 @ @\" role=\"img\" font-size=\"10.5\">", WIDTH,
               TOP + BARS + BOTTOM);
    html_markup(out, "<title>");
    html_text(out, sayf(page, TEXT_SVG_DISTRIBUTION, distribution->suite_step, distribution->metric,
                        number(page, distribution->values.count), arena_printf(arena, "%.6g", median),
                        number(page, distribution->found.count)));
    html_markup(out, "</title>\n");
    draw_bars(out, distribution, &scale);
    draw_axis(out, arena, &scale);
    for (size_t i = 0; i < distribution->gate_count; i++)
        draw_line(out, place(&scale, distribution->gates[i]),
                  (gate_above && i == 0 ? 12 : 26) + 14 * (double)i, true,
                  sayf(page, TEXT_SVG_GATE_AT, distribution_number(arena, distribution->gates[i])));
    draw_line(out, place(&scale, median), gate_above ? 26 : 12, false,
              sayf(page, TEXT_SVG_MEDIAN_AT, distribution_number(arena, median)));
    draw_marks(out, distribution, &scale);
    html_markup(out, "</svg>\n");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Plots as inline SVG: vector in print, text that can be searched, nothing fetched. */
#ifndef ASSAY_REPORT_SVG_H
#define ASSAY_REPORT_SVG_H

#include "distributions.h"
#include "series.h"

/* From GPU (rows) to GPU (columns); what failed is outlined and bold, so that it shows without colour too. */
void svg_heat_map(struct text *out, const struct heat_maps *maps, const struct heat_map *map);
/* Bus bandwidth over message size, the gates at the sizes they judge. */
void svg_chart(struct text *out, const struct view *view, const struct chart *chart);
/* A line for each GPU over the time of one attempt; the GPU with the worst point is named. */
void svg_course(struct text *out, const struct course *course);
/* svg_distribution.c. How often which value was measured; what failed or stands out has marks of its own. */
void svg_distribution(struct text *out, struct arena *arena, const struct distribution *distribution);
/* More curves than this are drawn as a band from lowest to highest. */
enum { CURVES_DRAWN = 16 };

#endif

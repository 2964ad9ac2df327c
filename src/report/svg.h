/* SPDX-License-Identifier: Apache-2.0 */
/* Plots as inline SVG: vector in print, text that can be searched, nothing fetched. */
#ifndef ASSAY_REPORT_SVG_H
#define ASSAY_REPORT_SVG_H

#include "page.h"
#include "slices.h"

/* From GPU (rows) to GPU (columns); what failed is outlined and bold, so that it shows without colour too. */
void svg_heat_map(struct page *page, const struct heat_maps *maps, const struct heat_map *map);
/* svg_chart.c. Bus bandwidth over message size, with its gates, its ceiling, healthy parts and an earlier run. */
void svg_chart(struct page *page, const struct chart *chart);
/* svg_strip.c. One number of each GPU over all hosts: Gflop/s, temperature or power (column 0, 1, 2 of a row); nothing
   where fewer than two have it. */
void svg_strip(struct page *page, const struct gpu_table *burn, enum text_key unit, size_t column);
/* A line for each GPU over the time of one attempt; the GPU with the worst point is named. */
void svg_course(struct page *page, const struct course *course);
/* A line as small as a cell: each slice a point, between the lowest and the highest of all. */
void svg_slices(struct page *page, const struct slice_row *row);
/* svg_distribution.c. How often which value was measured; what failed or stands out has marks of its own. */
void svg_distribution(struct page *page, const struct distribution *distribution);
/* More curves than this are drawn as a band from lowest to highest. */
enum { CURVES_DRAWN = 16 };

#endif

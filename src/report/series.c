/* SPDX-License-Identifier: Apache-2.0 */
#include "series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/robust.h"
#include "assay/base/scan.h"
#include "assay/check/check.h"
#include "assay/model/sighting.h"
#include "assay/reasons/any.h"
#include "assay/report/report.h"

#include "gates.h"

enum { GPUS_MAX = FACT_GPUS };

double median_of(double *values, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            values[kept++] = values[i];
    if (kept == 0)
        return NAN;
    qsort(values, kept, sizeof *values, robust_compare);
    return kept % 2 == 1 ? values[kept / 2] : (values[kept / 2 - 1] + values[kept / 2]) / 2;
}

/* "gpu12" off the front of rest; GPUS_MAX when there is none. */
static size_t take_gpu(struct slice *rest)
{
    uint64_t number;

    if (!scan_text(rest, "gpu") || !scan_digits(rest, &number) || number >= GPUS_MAX)
        return GPUS_MAX;
    return (size_t)number;
}

static size_t gpu_of(const char *subject)
{
    struct slice rest = slice_of(subject);
    size_t gpu = take_gpu(&rest);

    return rest.length == 0 ? gpu : GPUS_MAX;
}

static bool gpu_pair_of(const char *subject, size_t *ret_from, size_t *ret_to)
{
    struct slice rest = slice_of(subject);

    *ret_from = take_gpu(&rest);
    if (*ret_from == GPUS_MAX || !scan_text(&rest, "->"))
        return false;
    *ret_to = take_gpu(&rest);
    return *ret_to < GPUS_MAX && rest.length == 0;
}

/* -- Heat maps --------------------------------------------------------------------------------------------
 */

static size_t count_gpus(const struct shape *shape, const char *metric)
{
    size_t gpus = 0, from, to;

    for (size_t i = 0; i < shape->slot_count; i++)
        if (strcmp(shape->slots[i].metric, metric) == 0 && gpu_pair_of(shape->slots[i].subject, &from, &to)) {
            gpus = from + 1 > gpus ? from + 1 : gpus;
            gpus = to + 1 > gpus ? to + 1 : gpus;
        }
    return gpus;
}

static struct heat_map heat_map_make(struct arena *arena, size_t step, size_t gpus)
{
    struct heat_map map = {.step = step,
                           .gpus = gpus,
                           .hosts = 1,
                           .values = arena_array(arena, double, gpus *gpus),
                           .failing = arena_array(arena, bool, gpus *gpus)};

    for (size_t i = 0; i < gpus * gpus; i++)
        map.values[i] = NAN;
    return map;
}

static struct heat_map heat_map_read(const struct view *view, size_t step, const char *metric, size_t gpus,
                                     struct heat_maps *maps)
{
    const struct step_view *at = &view->steps[step];
    struct heat_map map = heat_map_make(view->arena, step, gpus);
    size_t from, to;

    for (size_t i = 0; i < at->step->shape->slot_count; i++) {
        const struct slot *slot = &at->step->shape->slots[i];

        if (strcmp(slot->metric, metric) != 0 || !gpu_pair_of(slot->subject, &from, &to))
            continue;
        map.values[from * gpus + to] = at->items[i]->value;
        map.failing[from * gpus + to] = at->items[i]->word == OUTCOME_FAIL;
        map.bad |= at->items[i]->word != OUTCOME_PASS && at->items[i]->word != OUTCOME_RECORDED;
        if (at->items[i]->value > maps->highest)
            maps->highest = at->items[i]->value;
        if (maps->gate == NULL && at->items[i]->held->gate != NULL)
            maps->gate = at->items[i];
    }
    return map;
}

static bool heat_map_empty(const struct heat_map *map)
{
    for (size_t i = 0; i < map->gpus * map->gpus; i++)
        if (isfinite(map->values[i]))
            return false;
    return true;
}

/* The median of all good maps with this many GPUs, cell by cell. */
static struct heat_map heat_map_median(struct arena *arena, const struct heat_map *maps, size_t count,
                                       size_t gpus)
{
    struct heat_map median = {0};
    double *values = arena_array(arena, double, count);

    for (size_t i = 0; i < count; i++)
        if (maps[i].gpus == gpus) {
            if (median.hosts == 0)
                median = heat_map_make(arena, maps[i].step, gpus);
            else
                median.hosts++;
        }
    for (size_t cell = 0; median.hosts > 0 && cell < gpus * gpus; cell++) {
        size_t kept = 0;

        for (size_t i = 0; i < count; i++)
            if (maps[i].gpus == gpus)
                values[kept++] = maps[i].values[cell];
        median.values[cell] = median_of(values, kept);
    }
    return median;
}

static bool heat_maps_of(const struct view *view, const struct pair_metric *of, struct heat_maps *ret_maps)
{
    LIST_OF(struct heat_map) good = {0};

    *ret_maps = (struct heat_maps){.of = of};
    for (size_t i = 0; i < view->step_count; i++) {
        size_t gpus = count_gpus(view->steps[i].step->shape, of->metric);
        struct heat_map map;

        if (gpus < 2)
            continue;
        map = heat_map_read(view, i, of->metric, gpus, ret_maps);
        if (heat_map_empty(&map))
            continue;
        if (map.bad)
            *list_push(view->arena, &ret_maps->items) = map;
        else
            *list_push(view->arena, &good) = map;
    }
    for (size_t gpus = 2; gpus <= GPUS_MAX; gpus++) {
        struct heat_map median = heat_map_median(view->arena, good.items, good.count, gpus);

        if (median.hosts > 0)
            *list_push(view->arena, &ret_maps->items) = median;
    }
    return ret_maps->items.count > 0;
}

void heat_maps_collect(const struct view *view, struct heat_map_list *ret_list)
{
    size_t count;
    const struct check *const *checks = check_list(&count);
    struct heat_maps maps;

    *ret_list = (struct heat_map_list){0};
    for (size_t i = 0; i < count; i++)
        for (const struct pair_metric *of = checks[i]->pairs; of != NULL && of->metric != NULL; of++)
            if (heat_maps_of(view, of, &maps))
                *list_push(view->arena, &ret_list->items) = maps;
}

/* Maps of one metric by host, of the first step there that has it. */
static struct heat_map *maps_by_host(const struct view *view, const char *metric)
{
    struct heat_map *maps = arena_array(view->arena, struct heat_map, view->record->plan->hosts.count);
    struct heat_maps unused = {0};

    for (size_t i = 0; i < view->step_count; i++) {
        size_t gpus = count_gpus(view->steps[i].step->shape, metric),
               host = gpus > 1 ? view_host(view, view->steps[i].step->members[0]) : (size_t)-1;

        if (host != (size_t)-1 && maps[host].gpus == 0)
            maps[host] = heat_map_read(view, i, metric, gpus, &unused);
    }
    return maps;
}

struct agreement pair_agreement(const struct view *view, const struct pair_metric *of)
{
    const size_t hosts = view->record->plan->hosts.count;
    struct heat_map *ours, *others;
    struct agreement agreement = {0};
    LIST_OF(double) ratios = {0};

    if (of->beside == NULL)
        return agreement;
    ours = maps_by_host(view, of->metric);
    others = maps_by_host(view, of->beside);
    for (size_t i = 0; i < hosts; i++)
        for (size_t cell = 0; ours[i].gpus == others[i].gpus && cell < ours[i].gpus * ours[i].gpus; cell++)
            if (ours[i].values[cell] > 0 && others[i].values[cell] > 0)
                *list_push(view->arena, &ratios) = ours[i].values[cell] / others[i].values[cell];
    if (ratios.count == 0)
        return agreement;
    agreement = (struct agreement){.pairs = ratios.count, .median = median_of(ratios.items, ratios.count)};
    agreement.least = ratios.items[0];
    agreement.most = ratios.items[ratios.count - 1];
    return agreement;
}

/* -- Curves -----------------------------------------------------------------------------------------------
 */

bool measurement_size(const struct measurement *measurement, double *ret_size)
{
    bool sized = false;

    list_each (field, measurement->at) {
        if (strcmp(field->key, "place") == 0 && strcmp(field->text, "out") != 0)
            return false;
        if (strcmp(field->key, "size_bytes") == 0)
            sized = scan_double(slice_of(field->text), ret_size) && *ret_size > 0;
    }
    return sized;
}

static void curve_add(struct arena *arena, struct curve *curve, double size, double value)
{
    if (!isfinite(value))
        return;
    for (size_t i = 0; i < curve->points.count; i++)
        if (curve->points.items[i].size == size) {
            if (value < curve->points.items[i].value)
                curve->points.items[i].value = value;
            return;
        }
    *list_push(arena, &curve->points) = (struct point){size, value};
}

static int compare_points(const void *left, const void *right)
{
    const struct point *a = left, *b = right;

    return a->size < b->size ? -1 : a->size > b->size;
}

/* The floor that the metric itself is held to. */
static bool floor_of(struct arena *arena, const struct reason *gate, double *ret_value)
{
    *ret_value = reason_is(gate, gate_of_metric) ? NAN : limit_bound_of(gate_bound(arena, gate)).least;
    return isfinite(*ret_value);
}

static void chart_add_gate(struct arena *arena, struct chart *chart, double size, double value)
{
    for (size_t i = 0; i < chart->gates.count; i++)
        if (chart->gates.items[i].size == size && chart->gates.items[i].value == value)
            return;
    *list_push(arena, &chart->gates) = (struct point){size, value};
}

/* What the step asks of this size, and what its links can carry at most. */
static void chart_add_limits(struct arena *arena, struct chart *chart, const struct slot *slot,
                             const struct outcome *outcome)
{
    double value;

    if (floor_of(arena, outcome->held->gate, &value))
        chart_add_gate(arena, chart, slot->size_bytes, value);
    for (size_t i = 0; i < slot->own_count; i++)
        if (slot->own[i].rule == RULE_PLAUSIBLE)
            chart->ceiling = fmax(chart->ceiling, limit_gate(&slot->own[i]));
}

static void chart_add_step(const struct view *view, struct chart *chart, size_t index)
{
    const struct step_view *step = &view->steps[index];
    bool subset = step->step->origin == ORIGIN_ISOLATE;
    struct curve curve = {.name = step_target_said(view->arena, step->step), .step = index};
    double size;

    for (size_t i = 0; i < step->step->shape->slot_count; i++) {
        const struct slot *slot = &step->step->shape->slots[i];

        if (strcmp(slot->metric, chart->metric) != 0)
            continue;
        curve.failing |= step->items[i]->word == OUTCOME_FAIL;
        if (slot->size_bytes > 0)
            curve_add(view->arena, &curve, slot->size_bytes, step->items[i]->value);
        if (slot->size_bytes > 0 && !subset)
            chart_add_limits(view->arena, chart, slot, step->items[i]);
    }
    for (size_t i = 0; i < step->attempts.count; i++) {
        const struct reading *reading = &step->attempts.items[i]->reading;

        for (size_t k = 0; k < reading->measurements.count; k++)
            if (strcmp(reading->measurements.items[k].metric, chart->metric) == 0 &&
                measurement_size(&reading->measurements.items[k], &size))
                curve_add(view->arena, &curve, size, reading->measurements.items[k].value);
    }
    if (curve.points.count == 0 || (subset && curve.failing))
        return;
    qsort(curve.points.items, curve.points.count, sizeof *curve.points.items, compare_points);
    if (subset)
        *list_push(view->arena, &chart->subsets) = curve;
    else
        *list_push(view->arena, &chart->curves) = curve;
}

static struct chart *chart_find(const struct view *view, struct charts *charts, const char *suite_step,
                                const char *metric)
{
    struct chart *chart;

    for (size_t i = 0; i < charts->items.count; i++)
        if (strcmp(charts->items.items[i].suite_step, suite_step) == 0 &&
            strcmp(charts->items.items[i].metric, metric) == 0)
            return &charts->items.items[i];
    chart = list_push(view->arena, &charts->items);
    *chart = (struct chart){.suite_step = suite_step, .metric = metric, .ceiling = NAN};
    return chart;
}

/* What the run before measured at the place of this slot: the median over its targets; NAN when nothing. */
static double earlier_value(struct arena *arena, const struct earlier *earlier, const struct chart *chart,
                            const struct slot *slot)
{
    const struct history *history = earlier->history;
    bool *here = arena_array(arena, bool, history->positions.count);
    LIST_OF(double) values = {0};

    for (size_t i = 0; i < history->positions.count; i++) {
        const struct history_position *position = &history->positions.items[i];

        here[i] = *position->variant == '\0' && strcmp(position->suite_step, chart->suite_step) == 0 &&
                  strcmp(position->metric, slot->metric) == 0 && strcmp(position->at, slot->at) == 0;
    }
    list_each (value, history->values)
        if (here[value->position] && strcmp(history->runs.items[value->run].uuid, earlier->uuid) == 0)
            *list_push(arena, &values) = value->value;
    return median_of(values.items, values.count);
}

static void chart_add_earlier(const struct view *view, struct chart *chart)
{
    const struct earlier *earlier = view->record->earlier;
    const struct shape *shape;

    if (earlier == NULL || earlier->number == 0 || chart->curves.count == 0)
        return;
    shape = view->steps[chart->curves.items[0].step].step->shape;
    for (size_t i = 0; i < shape->slot_count; i++) {
        double value;

        if (shape->slots[i].size_bytes <= 0 || strcmp(shape->slots[i].metric, chart->metric) != 0)
            continue;
        value = earlier_value(view->arena, earlier, chart, &shape->slots[i]);
        if (isfinite(value))
            *list_push(view->arena, &chart->earlier) = (struct point){shape->slots[i].size_bytes, value};
    }
    if (chart->earlier.count > 0)
        qsort(chart->earlier.items, chart->earlier.count, sizeof *chart->earlier.items, compare_points);
}

void charts_collect(const struct view *view, struct charts *ret_charts)
{
    *ret_charts = (struct charts){0};
    for (size_t i = 0; i < view->step_count; i++) {
        const struct shape *shape = view->steps[i].step->shape;
        const char *last = "";

        /* Slots of one metric stand together: one look for each metric is enough. */
        for (size_t k = 0; k < shape->slot_count; k++)
            if (shape->slots[k].size_bytes > 0 && strcmp(shape->slots[k].metric, last) != 0 &&
                check_draws_curve(shape->slots[k].metric)) {
                last = shape->slots[k].metric;
                chart_add_step(view, chart_find(view, ret_charts, shape->suite_step, last), i);
            }
    }
    for (size_t i = 0; i < ret_charts->items.count; i++)
        chart_add_earlier(view, &ret_charts->items.items[i]);
}

/* -- GPUs -------------------------------------------------------------------------------------------------
 */

static void keep_worst(double *place, double value, bool highest)
{
    if (isfinite(value) && (!isfinite(*place) || (highest ? value > *place : value < *place)))
        *place = value;
}

static struct gpu_row gpu_row_make(struct arena *arena, size_t step)
{
    struct gpu_row row = {.step = step,
                          .values = arena_array(arena, double, GPUS_MAX),
                          .temperatures = arena_array(arena, double, GPUS_MAX),
                          .powers = arena_array(arena, double, GPUS_MAX),
                          .odd = arena_array(arena, bool, GPUS_MAX),
                          .words = arena_array(arena, enum outcome_word, GPUS_MAX)};

    for (size_t i = 0; i < GPUS_MAX; i++)
        row.values[i] = row.temperatures[i] = row.powers[i] = NAN;
    return row;
}

static bool is_metric(const char *wanted, const char *metric)
{
    return wanted != NULL && strcmp(wanted, metric) == 0;
}

static bool gpu_row_take(struct gpu_row *row, const struct gpu_numbers *numbers, const char *metric,
                         const char *subject, double value)
{
    size_t gpu = gpu_of(subject);

    if (gpu == GPUS_MAX)
        return false;
    if (is_metric(numbers->value, metric))
        keep_worst(&row->values[gpu], value, false);
    else if (is_metric(numbers->temperature, metric))
        keep_worst(&row->temperatures[gpu], value, true);
    else if (is_metric(numbers->power, metric))
        keep_worst(&row->powers[gpu], value, true);
    else
        return false;
    return true;
}

static bool gpu_row_read(const struct view *view, const struct gpu_numbers *numbers, struct gpu_row *row)
{
    const struct step_view *step = &view->steps[row->step];
    bool any = false;

    for (size_t i = 0; i < step->step->shape->slot_count; i++) {
        const struct slot *slot = &step->step->shape->slots[i];
        size_t gpu = gpu_of(slot->subject);

        any |= gpu_row_take(row, numbers, slot->metric, slot->subject, step->items[i]->value);
        if (gpu == GPUS_MAX || check_gpu_table(slot->metric) != numbers)
            continue;
        row->odd[gpu] |= step->items[i]->word > OUTCOME_PASS || step->items[i]->remark;
        if (step->items[i]->word > row->words[gpu])
            row->words[gpu] = step->items[i]->word;
    }
    for (size_t i = 0; i < step->attempts.count; i++) {
        const struct reading *reading = &step->attempts.items[i]->reading;

        for (size_t k = 0; k < reading->measurements.count; k++)
            any |= gpu_row_take(row, numbers, reading->measurements.items[k].metric,
                                reading->measurements.items[k].subject, reading->measurements.items[k].value);
    }
    return any;
}

static struct gpu_table *gpu_table_of(const struct view *view, struct gpu_tables *tables,
                                      const char *suite_step)
{
    struct gpu_table *table;

    for (size_t i = 0; i < tables->items.count; i++)
        if (strcmp(tables->items.items[i].suite_step, suite_step) == 0)
            return &tables->items.items[i];
    table = list_push(view->arena, &tables->items);
    *table = (struct gpu_table){.suite_step = suite_step};
    return table;
}

void gpu_tables_collect(const struct view *view, struct gpu_tables *ret_tables)
{
    *ret_tables = (struct gpu_tables){0};
    for (size_t i = 0; i < view->step_count; i++) {
        const struct shape *shape = view->steps[i].step->shape;
        const struct gpu_numbers *numbers = NULL;
        struct gpu_table *table;
        struct gpu_row row;

        for (size_t k = 0; k < shape->slot_count && numbers == NULL; k++)
            numbers = check_gpu_table(shape->slots[k].metric);
        if (numbers == NULL || view->steps[i].attempts.count == 0)
            continue;
        row = gpu_row_make(view->arena, i);
        if (!gpu_row_read(view, numbers, &row))
            continue;
        table = gpu_table_of(view, ret_tables, shape->suite_step);
        for (size_t gpu = 0; gpu < GPUS_MAX; gpu++)
            if (isfinite(row.values[gpu]) || isfinite(row.temperatures[gpu]) ||
                row.words[gpu] != OUTCOME_RECORDED)
                table->gpus = gpu + 1 > table->gpus ? gpu + 1 : table->gpus;
        *list_push(view->arena, &table->rows) = row;
    }
}

/* -- Courses ----------------------------------------------------------------------------------------------
 */

/* "every 4 s: 45 61 - 62" */
static bool course_add(struct course *course, size_t gpu, const char *text)
{
    struct slice rest = slice_of(text), word;
    double every, value;
    size_t count = 0;

    if (!scan_text(&rest, "every ") || !scan_word(&rest, &word) || !scan_double(word, &every) ||
        !scan_word(&rest, &word) || !slice_equal(word, "s:"))
        return false;
    for (; count < COURSE_POINTS && scan_word(&rest, &word); count++) {
        if (!scan_double(word, &value))
            continue;
        course->values[gpu][count] = value;
        course->low = fmin(course->low, value);
        course->high = fmax(course->high, value);
        if (value == (course->lowest ? course->low : course->high) &&
            (course->worst_gpu == COURSE_GPUS ||
             value != course->values[course->worst_gpu][course->worst_point])) {
            course->worst_gpu = gpu;
            course->worst_point = count;
        }
    }
    course->every_s = fmax(course->every_s, every);
    course->points = count > course->points ? count : course->points;
    course->gpus = gpu + 1 > course->gpus ? gpu + 1 : course->gpus;
    return count > 0;
}

bool courses_collect(struct arena *arena, const struct attempt *attempt, struct courses *ret_courses)
{
    size_t kinds;
    const struct check_course *rows = check_courses(&kinds);

    *ret_courses = (struct courses){0};
    for (size_t kind = 0; kind < kinds; kind++) {
        struct course course = {.title = rows[kind].title,
                                .unit = rows[kind].unit,
                                .lowest = rows[kind].lowest,
                                .low = INFINITY,
                                .high = -INFINITY,
                                .worst_gpu = COURSE_GPUS};
        const struct reading *reading = &attempt->reading;

        for (size_t i = 0; i < reading->facts.count; i++) {
            size_t gpu = gpu_of(reading->facts.items[i].subject);

            if (strcmp(reading->facts.items[i].name, rows[kind].fact) != 0 || gpu >= COURSE_GPUS)
                continue;
            if (course.values == NULL) {
                course.values = arena_alloc(arena, COURSE_GPUS * sizeof *course.values);
                for (size_t k = 0; k < COURSE_GPUS * COURSE_POINTS; k++)
                    course.values[k / COURSE_POINTS][k % COURSE_POINTS] = NAN;
            }
            (void)course_add(&course, gpu, reading->facts.items[i].value);
        }
        if (course.worst_gpu < COURSE_GPUS && course.points > 1)
            *list_push(arena, &ret_courses->items) = course;
    }
    return ret_courses->items.count > 0;
}

/* -- Facts ------------------------------------------------------------------------------------------------
 */

/* What the checks say that pages list is asked of the parts of an attempt too. */
bool report_rests_on(const char *tool, const char *fact)
{
    return check_lists(fact) || sighting_rests_on(tool, fact);
}

const char *step_fact(const struct step_view *step, const char *name, const char *subject)
{
    bool listed = check_lists(name);

    for (size_t i = step->attempts.count; i > 0; i--) {
        const struct attempt *attempt = step->attempts.items[i - 1];
        const char *value = reading_get_fact(&attempt->reading, name, subject);

        for (size_t k = 0; value == NULL && listed && k < attempt->parts.count; k++)
            value = reading_get_fact(&attempt->parts.items[k].reading, name, subject);
        if (value != NULL)
            return value;
    }
    return "";
}

/* Of "gpu12", as a parser writes it; GPUS_MAX of anything else. */
static size_t gpu_of_fact(const struct fact *fact)
{
    const char *digits = fact->subject + strlen("gpu");
    size_t gpu = gpu_of(fact->subject);

    return gpu < GPUS_MAX && (*digits != '0' || digits[1] == '\0') ? gpu : GPUS_MAX;
}

static void take_gpu_facts(const struct reading *reading, const char *name, const char **values)
{
    list_each (fact, reading->facts) {
        size_t gpu = strcmp(fact->name, name) == 0 ? gpu_of_fact(fact) : GPUS_MAX;

        if (gpu < GPUS_MAX && values[gpu] == NULL)
            values[gpu] = fact->value;
    }
}

void step_gpu_facts(const struct step_view *step, const char *name, const char *ret_values[FACT_GPUS])
{
    bool listed = check_lists(name);

    for (size_t gpu = 0; gpu < FACT_GPUS; gpu++)
        ret_values[gpu] = NULL;
    for (size_t i = step->attempts.count; i > 0; i--) {
        const struct attempt *attempt = step->attempts.items[i - 1];

        take_gpu_facts(&attempt->reading, name, ret_values);
        for (size_t k = 0; listed && k < attempt->parts.count; k++)
            take_gpu_facts(&attempt->parts.items[k].reading, name, ret_values);
    }
    for (size_t gpu = 0; gpu < FACT_GPUS; gpu++)
        if (ret_values[gpu] == NULL)
            ret_values[gpu] = "";
}

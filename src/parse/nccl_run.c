/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "nccl_run.h"

#include <math.h>
#include <string.h>

#include "frame.h"

enum { MAX_SIZES = 100000 };

/* busbw = algbw x factor(ranks) by definition of the tests; ranks without root and with redop tell them
 * apart. */
enum factor { FACTOR_ONE, FACTOR_SHARE, FACTOR_TWICE };
static const struct collective {
    const char *name;
    enum factor factor;
    bool has_redop, has_root;
} collectives[] = {
    {"all_reduce", FACTOR_TWICE, true, false}, {"reduce_scatter", FACTOR_SHARE, true, false},
    {"sendrecv", FACTOR_ONE, true, false},     {"all_gather", FACTOR_SHARE, false, false},
    {"alltoall", FACTOR_SHARE, false, false},  {"alltoallv", FACTOR_SHARE, false, false},
    {"hypercube", FACTOR_ONE, false, false},   {"reduce", FACTOR_ONE, true, true},
    {"broadcast", FACTOR_ONE, false, true},    {"gather", FACTOR_SHARE, false, true},
    {"scatter", FACTOR_SHARE, false, true},
};

enum { COLLECTIVES = ARRAY_SIZE(collectives) };

const char *nccl_collective_of(struct slice word)
{
    for (size_t i = 0; i < word.length; i++)
        if (word.bytes[i] == '/') {
            word = slice_from(word, i + 1);
            i = (size_t)-1;
        }
    for (size_t i = 0; i < COLLECTIVES; i++) {
        struct slice rest = word;

        if (scan_text(&rest, collectives[i].name) && slice_starts(rest, "_perf") &&
            (rest.length == 5 || rest.bytes[5] == '_' || rest.bytes[5] == '.'))
            return collectives[i].name;
    }
    return NULL;
}

const char *nccl_version_text(struct arena *arena, uint64_t code)
{
    /* NCCL 2.9 went from 2804 to 20900. */
    uint64_t unit = code >= 10000 ? 10000 : 1000;

    return arena_printf(arena, "%llu.%llu.%llu", (unsigned long long)(code / unit),
                        (unsigned long long)(code % unit / 100), (unsigned long long)(code % 100));
}

void nccl_fact(struct reading *reading, const char *name, const char *value)
{
    if (reading_get_fact(reading, name, "") == NULL)
        reading_fact(reading, name, "", slice_of(value));
}

bool nccl_run_closed(const struct nccl_run *run)
{
    return run->has_bounds && run->has_average && (run->concluded || !run->announces_end);
}

static double factor_of(enum factor factor, uint64_t ranks)
{
    double share = ranks > 0 ? (double)(ranks - 1) / (double)ranks : 0;

    return factor == FACTOR_ONE ? 1 : factor == FACTOR_TWICE ? 2 * share : share;
}

/* Whether the bandwidths of the cell, each rounded to a hundredth, fit the collective. */
static bool cell_fits(const struct nccl_cell *cell, const struct collective *collective, uint64_t ranks)
{
    double low = (cell->busbw - 0.006) / (cell->algbw + 0.006),
           high = (cell->busbw + 0.006) / (cell->algbw - 0.006);
    double factor = factor_of(collective->factor, ranks);

    if (ranks > 0)
        return low <= factor && factor <= high;
    /* Without the number of ranks only what no other collective can have is told: more than 1. */
    return collective->factor == FACTOR_TWICE ? high > 1 : low <= 1;
}

/* The only collective that fits the row; NULL when none or several do. */
static const char *collective_of_row(const struct nccl_row *row, uint64_t ranks)
{
    bool has_redop = row->redop != NULL && strcmp(row->redop, "none") != 0;
    const char *found = NULL;

    if (!row->cell[PLACE_OUT].there || row->cell[PLACE_OUT].algbw < 0.1)
        return NULL;
    for (size_t i = 0; i < COLLECTIVES; i++) {
        if (collectives[i].has_redop != has_redop || collectives[i].has_root != (row->root >= 0) ||
            !cell_fits(&row->cell[PLACE_OUT], &collectives[i], ranks))
            continue;
        if (found != NULL)
            return NULL;
        found = collectives[i].name;
    }
    return found;
}

/* Old versions name the collective nowhere. The first row that leaves no choice decides, so that a cut output
 * is not read differently. */
static const char *infer_collective(const struct nccl_run *run)
{
    for (size_t i = 0; i < run->rows.count; i++) {
        const char *found = collective_of_row(&run->rows.items[i], run->ranks);

        if (found != NULL)
            return found;
    }
    return NULL;
}

static void add_at(struct nccl_run *run, const struct nccl_row *row, int place,
                   struct measurement *measurement)
{
    struct reading *reading = run->reading;

    reading_at_number(reading, measurement, "size_bytes", (double)row->size);
    reading_at_text(reading, measurement, "place", place == PLACE_OUT ? slice_of("out") : slice_of("in"));
    reading_at_text(reading, measurement, "type", slice_of(row->type));
    if (row->redop != NULL)
        reading_at_text(reading, measurement, "redop", slice_of(row->redop));
    if (row->root >= 0)
        reading_at_number(reading, measurement, "root", (double)row->root);
}

static void measure_cell(struct nccl_run *run, const char *collective, const struct nccl_row *row, int place)
{
    const struct nccl_cell *cell = &row->cell[place];
    const struct {
        const char *name, *unit;
        double value;
        bool there;
    } values[] = {
        {run->is_cpu_time ? "cpu_time" : "time", "us", cell->time, true},
        {"algbw", "GB/s", cell->algbw, true},
        {"busbw", "GB/s", cell->busbw, true},
        {"wrong", "", cell->wrong, cell->has_wrong},
        {"error", "", cell->error, cell->has_error},
    };

    for (size_t i = 0; cell->there && i < ARRAY_SIZE(values); i++)
        if (values[i].there)
            add_at(
                run, row, place,
                reading_measure(run->reading,
                                arena_printf(run->reading->arena, "nccl.%s.%s", collective, values[i].name),
                                "", values[i].value, values[i].unit));
}

static void measure(struct nccl_run *run, const char *collective)
{
    struct reading *reading = run->reading;

    for (size_t i = 0; i < run->rows.count; i++)
        for (int place = PLACE_OUT; place < PLACES; place++)
            measure_cell(run, collective, &run->rows.items[i], place);
    if (run->has_average)
        reading_measure(reading, arena_printf(reading->arena, "nccl.%s.avg_busbw", collective), "",
                        run->average, "GB/s");
    if (run->has_bounds)
        reading_measure(reading, "nccl.out_of_bounds", "", run->out_of_bounds, "");
}

static const struct reason *wrong_values_of(struct arena *arena, double count, uint64_t size,
                                            bool out_of_place)
{
    const char *wrong = arena_printf(arena, "%.0f", count);

    return out_of_place ? reason(arena, wrong_values_out_of_place, wrong, size)
                        : reason(arena, wrong_values_in_place, wrong, size);
}

static void find_faults(struct nccl_run *run)
{
    struct reading *reading = run->reading;

    for (size_t i = 0; i < run->rows.count; i++)
        for (int place = PLACE_OUT; place < PLACES; place++) {
            const struct nccl_cell *cell = &run->rows.items[i].cell[place];

            if (cell->there && cell->has_wrong && cell->wrong != 0)
                reading_finding(reading, SEVERITY_FAULT, "nccl.wrong", "",
                                wrong_values_of(reading->arena, cell->wrong, run->rows.items[i].size,
                                                place == PLACE_OUT));
        }
    if (run->has_bounds && (run->bounds_failed || run->out_of_bounds != 0))
        reading_finding(reading, SEVERITY_FAULT, "nccl.out_of_bounds", "",
                        reason_text(reading->arena,
                                    arena_printf(reading->arena, "Out of bounds values : %.0f %s",
                                                 run->out_of_bounds, run->bounds_failed ? "FAILED" : "OK")));
    if (run->has_average && run->average_failed)
        reading_finding(reading, SEVERITY_FAULT, "nccl.avg_busbw", "",
                        reason(reading->arena, average_bandwidth_too_low,
                               arena_printf(reading->arena, "%g", run->average)));
}

/* How much smaller than asked for a size may be: it is rounded down to whole aligned shares of all ranks. */
static bool size_fits(const struct nccl_run *run, double nominal, double size)
{
    double slack = run->ranks > 0 ? 64.0 * (double)run->ranks : 65536 + nominal / 16;

    return size <= nominal && nominal - size < slack;
}

/* The rows are the announced sizes, in order, as often as there are types, operations, roots and cycles. */
static const struct reason *missing_rows(const struct nccl_run *run)
{
    LIST_OF(double) sizes = {0};
    struct arena *arena = run->reading->arena;

    if (!run->has_sizes)
        return NULL;
    for (double size = run->min; size <= run->max && sizes.count < MAX_SIZES;
         size = run->step_is_factor ? size * run->step : size + run->step) {
        *list_push(arena, &sizes) = size;
        if (run->step_is_factor ? run->step <= 1 || size <= 0 : run->step <= 0)
            break;
    }
    if (sizes.count == 0 || sizes.count >= MAX_SIZES)
        return REASON(announced_sizes_impossible);
    for (size_t i = 0; i < run->rows.count; i++)
        if (!size_fits(run, sizes.items[i % sizes.count], (double)run->rows.items[i].size))
            return reason(arena, row_size_not_as_announced, i + 1, run->rows.items[i].size,
                          arena_printf(arena, "%.0f", sizes.items[i % sizes.count]));
    if (run->rows.count % sizes.count != 0)
        return reason(arena, rows_not_as_announced, run->rows.count, sizes.count);
    return NULL;
}

/* The tool's average is that of the bus bandwidths of all rows: a lost row shows here even where no sizes
 * were announced. */
static const struct reason *average_differs(const struct nccl_run *run)
{
    double sum = 0, mean;
    size_t count = 0;

    for (size_t i = 0; i < run->rows.count; i++)
        for (int place = PLACE_OUT; place < PLACES; place++)
            if (run->rows.items[i].cell[place].there) {
                sum += run->rows.items[i].cell[place].busbw;
                count++;
            }
    mean = count > 0 ? sum / (double)count : 0;
    if (fabs(mean - run->average) <= 0.02 + 0.02 * fabs(run->average))
        return NULL;
    return reason(run->reading->arena, average_not_of_rows, arena_printf(run->reading->arena, "%.2f", mean),
                  arena_printf(run->reading->arena, "%g", run->average));
}

static void find_lacks(struct nccl_run *run)
{
    struct reading *reading = run->reading;
    const struct reason *missing = missing_rows(run), *differs = average_differs(run);

    if (run->failure != NULL)
        reading_failed(reading, reason(reading->arena, text, run->failure));
    if (!run->began)
        reading_strange(reading, REASON(no_nccl_tests_output));
    if (run->rows.count == 0)
        reading_lacks(reading, REASON(no_result_row));
    if (run->damage != NULL)
        reading_lacks(reading, run->damage);
    if (!nccl_run_closed(run))
        reading_lacks(reading, REASON(closing_lines_missing));
    if (missing != NULL)
        reading_lacks(reading, missing);
    if (differs != NULL)
        reading_lacks(reading, differs);
}

void nccl_run_finish(struct nccl_run *run)
{
    if (run->collective == NULL)
        run->collective = infer_collective(run);
    if (run->collective != NULL)
        nccl_fact(run->reading, "nccl.collective", run->collective);
    find_lacks(run);
    /* Numbers of a collective that no row could tell yet would get its name later. */
    if (run->collective != NULL || run->reading->status == READING_COMPLETE)
        measure(run, run->collective != NULL ? run->collective : "unknown");
    find_faults(run);
}

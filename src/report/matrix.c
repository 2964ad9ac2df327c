/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix.h"

#include <string.h>

enum { ROWS_READABLE = 64 };

static size_t column_of(const struct view *view, struct matrix *matrix, const char *name)
{
    for (size_t i = 0; i < matrix->columns.count; i++)
        if (strcmp(matrix->columns.items[i], name) == 0)
            return i;
    *list_push(view->arena, &matrix->columns) = name;
    return matrix->columns.count - 1;
}

/* What one host owes; not the parts of slow tests, which have a section of their own. */
static bool is_column(const struct step *step)
{
    return step->member_count == 1 && step->origin != ORIGIN_ISOLATE;
}

static void fill_cells(const struct view *view, struct matrix *matrix, struct cell *cells, size_t columns)
{
    for (size_t i = 0; i < view->step_count; i++) {
        const struct step *step = view->steps[i].step;
        size_t host = is_column(step) ? view_host(view, step->members[0]) : (size_t)-1;
        struct cell *cell;

        if (host == (size_t)-1)
            continue;
        cell = &cells[host * columns + column_of(view, matrix, step->shape->suite_step)];
        if (!cell->planned || view->steps[i].word > cell->word)
            *cell = (struct cell){true, view->steps[i].word, i};
    }
}

static bool has_failure(const struct cell *cells, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        if (cells[i].planned && cells[i].word == OUTCOME_FAIL)
            return true;
    return false;
}

static bool same_cells(const struct cell *a, const struct cell *b, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        if (a[i].planned != b[i].planned || (a[i].planned && a[i].word != b[i].word))
            return false;
    return true;
}

/* The row that this host folds into; NULL: it needs its own. */
static struct matrix_row *find_row(struct matrix *matrix, const char *unit, const struct cell *cells)
{
    if (!matrix->folded || has_failure(cells, matrix->columns.count))
        return NULL;
    for (size_t i = 0; i < matrix->rows.count; i++)
        if (strcmp(matrix->rows.items[i].unit, unit) == 0 &&
            same_cells(matrix->rows.items[i].cells, cells, matrix->columns.count))
            return &matrix->rows.items[i];
    return NULL;
}

static void name_rows(const struct view *view, struct matrix *matrix, const size_t *row_of)
{
    const struct plan *plan = view->record->plan;

    for (size_t i = 0; i < matrix->rows.count; i++) {
        struct matrix_row *row = &matrix->rows.items[i];
        const struct host **members = arena_array(view->arena, const struct host *, row->hosts);
        struct step step = {.members = members};

        for (size_t k = 0; k < plan->hosts.count && step.member_count < row->hosts; k++)
            if (row_of[k] == i)
                members[step.member_count++] = plan->hosts.items[k];
        row->name = step_target_said(view->arena, &step);
    }
}

struct matrix *matrix_create(const struct view *view)
{
    const struct plan *plan = view->record->plan;
    struct matrix *matrix = arena_new(view->arena, struct matrix);
    size_t columns, *row_of = arena_array(view->arena, size_t, plan->hosts.count);
    struct cell *cells;

    for (size_t i = 0; i < view->step_count; i++)
        if (is_column(view->steps[i].step))
            column_of(view, matrix, view->steps[i].step->shape->suite_step);
    columns = matrix->columns.count;
    cells = arena_array(view->arena, struct cell, plan->hosts.count * columns);
    fill_cells(view, matrix, cells, columns);
    matrix->cells = cells;
    matrix->folded = plan->hosts.count > ROWS_READABLE;
    for (size_t i = 0; i < plan->hosts.count; i++) {
        struct matrix_row *row = find_row(matrix, plan->hosts.items[i]->unit, &cells[i * columns]);

        if (row == NULL) {
            row = list_push(view->arena, &matrix->rows);
            *row = (struct matrix_row){
                .unit = plan->hosts.items[i]->unit, .host = i, .cells = &cells[i * columns]};
        }
        row->hosts++;
        row_of[i] = (size_t)(row - matrix->rows.items);
    }
    name_rows(view, matrix, row_of);
    return matrix;
}

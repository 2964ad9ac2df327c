/* SPDX-License-Identifier: Apache-2.0 */
#include "board_lines.h"

#include <math.h>
#include <string.h>

#include "assay/base/printable.h"
#include "board_fit.h"

enum { NAME_MOST = 24, NARROW = 100, WIDE = 160, LINE_BYTES = 64 * 1024 };

struct drawing {
    struct arena *arena;
    const struct board_state *state;
    const struct board_look *look;
    double now;
    struct board_picture *picture;
    size_t name_width, count_width, told_width, bar_width; /* columns of the rows that are drawn */
};

/* -- A line, piece by piece -- */

static struct board_line *new_line(struct drawing *drawing)
{
    return list_push(drawing->arena, &drawing->picture->lines);
}

static void put_character(const struct drawing *drawing, struct text *out, const struct slice *character)
{
    bool blank = *character->bytes == '\n' || *character->bytes == '\t';

    if (blank)
        text_put(out, " ");
    else if (!drawing->look->utf8 && (unsigned char)*character->bytes >= 0x80)
        text_put(out, "?");
    else
        text_add(out, character->bytes, character->length);
}

static size_t columns_of(const struct drawing *drawing, const struct slice *character)
{
    return drawing->look->utf8 ? printable_columns(character) : 1;
}

static size_t width_of(const struct drawing *drawing, const char *string)
{
    struct slice character;
    size_t width = 0;

    while (printable_next(&string, &character))
        width += columns_of(drawing, &character);
    return width;
}

/* As much of it as these columns take, with a mark where it was cut. */
static const char *cut(const struct drawing *drawing, const char *string, size_t columns)
{
    bool fits = width_of(drawing, string) <= columns;
    cleanup_text struct text out = {0};
    struct slice character;
    size_t used = fits ? 0 : 1;

    if (columns == 0)
        return "";
    text_init(&out, LINE_BYTES);
    while (printable_next(&string, &character)) {
        used += columns_of(drawing, &character);
        if (used > columns)
            break;
        put_character(drawing, &out, &character);
    }
    if (!fits)
        text_put(&out, drawing->look->utf8 ? "…" : "~");
    return arena_strdup(drawing->arena, out.bytes);
}

static void put(struct drawing *drawing, struct board_line *line, enum board_style style, const char *string)
{
    size_t most = drawing->look->width - 1, width = width_of(drawing, string);

    if (line->full || width == 0)
        return;
    line->full = line->width + width > most;
    *list_push(drawing->arena, &line->spans) =
        (struct board_span){style, cut(drawing, string, most - line->width)};
    line->width = line->full ? most : line->width + width;
}

static void pad(struct drawing *drawing, struct board_line *line, size_t column)
{
    if (line->width < column)
        put(drawing, line, BOARD_USUAL, arena_printf(drawing->arena, "%*s", (int)(column - line->width), ""));
}

/* -- One row of the suite -- */

static const char *bar_piece(struct drawing *drawing, const char *utf8, const char *ascii, size_t cells)
{
    cleanup_text struct text out = {0};

    text_init(&out, LINE_BYTES);
    for (size_t i = 0; i < cells; i++)
        text_put(&out, drawing->look->utf8 ? utf8 : ascii);
    return arena_strdup(drawing->arena, out.bytes);
}

/* What there is of it is seen, however little. */
static size_t cells_of(size_t cells, size_t part, size_t total)
{
    size_t share = total > 0 ? part * cells / total : 0;

    return part > 0 && share == 0 ? 1 : share;
}

/* Of a single step under way its time is what moves. */
static size_t running_cells(const struct drawing *drawing, const struct board_row *row, size_t cells)
{
    double elapsed_s = drawing->now - row->began;
    struct board_left left;

    if (row->total > 1 || row->running == 0 || elapsed_s <= 0)
        return cells_of(cells, row->running, row->total);
    left = board_row_left(drawing->state, row, drawing->now);
    return (size_t)((double)cells * elapsed_s / (elapsed_s + fmax(left.high_s, 1)));
}

/* What is not whole looks so: of what ran, the cells are never more than their share. */
static void put_bar(struct drawing *drawing, struct board_line *line, const struct board_row *row)
{
    size_t cells = drawing->bar_width, used = 0, ran = row->passed + row->failed + row->open;
    size_t failed = cells_of(cells, row->failed, row->total), open = cells_of(cells, row->open, row->total);
    size_t share = row->total > 0 ? ran * cells / row->total : 0;
    const struct {
        size_t cells;
        enum board_style style;
        const char *utf8, *ascii;
    } pieces[] = {
        {failed, BOARD_BAD, "█", "#"},
        {open, BOARD_DOUBT, "█", "#"},
        {share > failed + open ? share - failed - open : 0, BOARD_GOOD, "█", "#"},
        {running_cells(drawing, row, cells), BOARD_USUAL, "▒", "-"},
        {cells, BOARD_DIM, "░", "."},
    };

    for (size_t i = 0; i < ARRAY_SIZE(pieces) && used < cells; i++) {
        size_t most = pieces[i].cells < cells - used ? pieces[i].cells : cells - used;

        put(drawing, line, pieces[i].style, bar_piece(drawing, pieces[i].utf8, pieces[i].ascii, most));
        used += most;
    }
}

static void put_counts(struct drawing *drawing, struct board_line *line, size_t failed, size_t open,
                       size_t skipped)
{
    const char *more = failed > 0 && open + skipped > 0 ? ", " : "";

    put(drawing, line, BOARD_BAD, board_counts_text(drawing->arena, failed, 0, 0));
    put(drawing, line, BOARD_USUAL, more);
    put(drawing, line, BOARD_DOUBT, board_counts_text(drawing->arena, 0, open, 0));
    put(drawing, line, BOARD_USUAL, open > 0 && skipped > 0 ? ", " : "");
    put(drawing, line, BOARD_DIM, board_counts_text(drawing->arena, 0, 0, skipped));
}

static const char *when_text(struct drawing *drawing, const struct board_row *row)
{
    struct board_left left;

    switch (board_row_phase(row)) {
    case BOARD_UNDER_WAY:
        if (row->running == 0) /* its hosts are busy with others, and how long it waits says nothing of it */
            return "waiting";
        left = board_row_left(drawing->state, row, drawing->now);
        return board_left_text(drawing->arena, &left);
    case BOARD_OVER:
        if (row->began <= 0)
            return row->skipped < row->total ? "done before" : "";
        return arena_printf(drawing->arena, "done in %s",
                            board_time_text(drawing->arena, row->ended - row->began));
    case BOARD_TO_COME:
    default:
        return "to come";
    }
}

static void draw_row(struct drawing *drawing, const struct board_row *row)
{
    struct board_line *line = new_line(drawing);
    enum board_phase phase = board_row_phase(row);
    const char *count = arena_printf(drawing->arena, "%zu/%zu", board_row_ended(row), row->total);
    size_t column = drawing->name_width + 1;

    put(drawing, line,
        phase == BOARD_UNDER_WAY ? BOARD_BOLD
        : phase == BOARD_TO_COME ? BOARD_DIM
                                 : BOARD_USUAL,
        cut(drawing, board_row_name(drawing->arena, row), drawing->name_width));
    pad(drawing, line, column);
    put_bar(drawing, line, row);
    column += drawing->bar_width + 1;
    pad(drawing, line, column + drawing->count_width - width_of(drawing, count));
    put(drawing, line, BOARD_USUAL, count);
    column += drawing->count_width + 2;
    pad(drawing, line, column);
    put_counts(drawing, line, row->failed, row->open, row->skipped);
    if (drawing->told_width > 0)
        pad(drawing, line, column + drawing->told_width + 2);
    put(drawing, line, phase == BOARD_UNDER_WAY ? BOARD_USUAL : BOARD_DIM, when_text(drawing, row));
}

static void draw_waits(struct drawing *drawing, const struct board_row *row)
{
    struct board_line *line = new_line(drawing);
    double since;
    const char *hosts = board_row_waits_for(drawing->arena, drawing->state, row, drawing->now, &since);
    const struct step *oldest = &drawing->state->plan->steps.items[row->oldest];

    put(drawing, line, BOARD_DOUBT, "  waits for ");
    put(drawing, line, BOARD_BOLD, cut(drawing, hosts, drawing->look->width / 2));
    put(drawing, line, BOARD_USUAL,
        arena_printf(drawing->arena, " (%s; others took %s; deadline %s)",
                     board_time_text(drawing->arena, drawing->now - since),
                     board_time_text(drawing->arena, row->sum_s / (double)row->timed),
                     board_time_text(drawing->arena, step_deadline_s(oldest))));
}

/* What is cut off at the end is the number and its limit: what comes before goes first. */
static const char *reason_that_fits(struct drawing *drawing, const struct board_line *line,
                                    const struct board_failure *failure)
{
    const char *text = board_failure_text(drawing->arena, failure);
    size_t room = drawing->look->width - 1 - line->width;

    return width_of(drawing, text) + 2 <= room ? text : board_failure_short(drawing->arena, failure);
}

static void draw_failure(struct drawing *drawing, const struct board_failure *failure)
{
    enum { HOSTS_LEAST = 24 };
    struct board_line *line = new_line(drawing);
    bool failed = failure->word == OUTCOME_FAIL;
    size_t most = drawing->look->width / 3 > HOSTS_LEAST ? drawing->look->width / 3 : HOSTS_LEAST;
    const char *hosts = board_failure_hosts(drawing->arena, drawing->state, failure, 0);

    if (width_of(drawing, hosts) > most)
        hosts = arena_printf(drawing->arena, "%s (%zu)", cut(drawing, hosts, most - 5), failure->steps.count);
    put(drawing, line, failed ? BOARD_BAD : BOARD_DOUBT, failed ? "  failed " : "  open   ");
    put(drawing, line, BOARD_BOLD, hosts);
    put(drawing, line, BOARD_USUAL,
        arena_printf(drawing->arena, ": %s", reason_that_fits(drawing, line, failure)));
}

/* -- The screen -- */

static void measure(struct drawing *drawing, const struct candidates *found)
{
    drawing->bar_width = drawing->look->width < NARROW ? 10 : drawing->look->width < WIDE ? 20 : 40;
    for (size_t i = 0; i < found->items.count; i++) {
        const struct board_row *row = &drawing->state->rows.items[found->items.items[i].row];
        size_t name = width_of(drawing, board_row_name(drawing->arena, row)),
               count = strlen(arena_printf(drawing->arena, "%zu/%zu", row->total, row->total)),
               told = strlen(board_counts_text(drawing->arena, row->failed, row->open, row->skipped));

        if (found->items.items[i].kind != LINE_ROW || !found->items.items[i].taken)
            continue;
        drawing->name_width = name > drawing->name_width ? name : drawing->name_width;
        drawing->count_width = count > drawing->count_width ? count : drawing->count_width;
        drawing->told_width = told > drawing->told_width ? told : drawing->told_width;
    }
    if (drawing->look->width < NARROW && drawing->name_width > NAME_MOST)
        drawing->name_width = NAME_MOST;
}

static size_t hidden_failures(const struct board_state *state, const struct candidates *found)
{
    size_t count = 0;

    for (size_t i = 0; i < found->items.count; i++)
        if (!found->items.items[i].taken && found->items.items[i].kind == LINE_FAILURE)
            count += state->failures.items[found->items.items[i].failure].steps.count;
    return count;
}

/* "+ 14 steps done, 9 to come" */
static void draw_folded(struct drawing *drawing, const struct candidates *found)
{
    size_t rows[BOARD_OVER + 1] = {0}, failures = hidden_failures(drawing->state, found);
    const char *text = "";
    const struct {
        size_t *count;
        const char *words;
    } parts[] = {{&rows[BOARD_OVER], "done"},
                 {&rows[BOARD_UNDER_WAY], "under way"},
                 {&rows[BOARD_TO_COME], "to come"},
                 {&failures, failures == 1 ? "more failure" : "more failures"}};

    list_each (candidate, found->items)
        if (!candidate->taken && candidate->kind == LINE_ROW)
            rows[board_row_phase(&drawing->state->rows.items[candidate->row])]++;
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        if (*parts[i].count > 0)
            text =
                arena_printf(drawing->arena, "%s%s %zu%s %s", text, *text != '\0' ? "," : "", *parts[i].count,
                             *text != '\0' || parts[i].count == &failures ? ""
                             : *parts[i].count == 1                       ? " step"
                                                                          : " steps",
                             parts[i].words);
    if (*text != '\0')
        put(drawing, new_line(drawing), BOARD_DIM, arena_printf(drawing->arena, "+%s", text));
}

static void draw_header(struct drawing *drawing)
{
    const struct board_state *state = drawing->state;
    struct board_line *line = new_line(drawing);
    struct board_left left = board_state_left(state, drawing->now);
    const char *gone = board_time_text(drawing->arena, drawing->now - state->began);
    const char *when = state->cancelling ? arena_printf(drawing->arena, "%s gone", gone)
                                         : arena_printf(drawing->arena, "%s gone, %s", gone,
                                                        board_left_text(drawing->arena, &left));
    size_t width = width_of(drawing, when), most = drawing->look->width - 1;
    size_t counts = strlen(board_counts_text(drawing->arena, state->failed, state->open, 0));
    size_t beside = width + 2 + (counts > 0 ? counts + 2 : 0),
           title_most = most > beside ? most - beside : most;

    put(drawing, line, BOARD_BOLD, cut(drawing, state->title, title_most));
    if (state->failed + state->open > 0)
        put(drawing, line, BOARD_USUAL, "  ");
    put_counts(drawing, line, state->failed, state->open, 0);
    if (line->width + 2 + width <= most)
        pad(drawing, line, most - width);
    else
        put(drawing, line, BOARD_USUAL, "  ");
    put(drawing, line, BOARD_USUAL, when);
    if (state->cancelling)
        put(drawing, new_line(drawing), BOARD_DOUBT,
            "cancelling: ending what runs on the hosts; press again to stop at once");
}

void board_draw(struct arena *arena, const struct board_state *state, const struct board_look *look,
                double now, struct board_picture *ret_picture)
{
    struct drawing drawing = {
        .arena = arena, .state = state, .look = look, .now = now, .picture = ret_picture};
    struct candidates found;
    size_t room;

    *ret_picture = (struct board_picture){0};
    draw_header(&drawing);
    room = look->height > ret_picture->lines.count + 1 ? look->height - 1 - ret_picture->lines.count : 0;
    board_fit(arena, state, room, now, &found);
    measure(&drawing, &found);
    list_each (candidate, found.items) {
        if (!candidate->taken)
            continue;
        if (candidate->kind == LINE_ROW)
            draw_row(&drawing, &state->rows.items[candidate->row]);
        else if (candidate->kind == LINE_WAITS)
            draw_waits(&drawing, &state->rows.items[candidate->row]);
        else
            draw_failure(&drawing, &state->failures.items[candidate->failure]);
    }
    if (look->height > ret_picture->lines.count + 1)
        draw_folded(&drawing, &found);
}

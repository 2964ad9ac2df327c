/* SPDX-License-Identifier: Apache-2.0 */
/* The board of a run that goes on, as a page: the rows of the terminal's board. What changes is one piece of the page, which
   is sent again as a whole; without JavaScript the page is as it was when it was loaded. */
#include <math.h>
#include <string.h>

#include "assay/board/board_words.h"
#include "frame.h"
#include "names.h"
#include "report_formats.h"
#include "site_page.h"

/* -- Times -------------------------------------------------------------------------------------------------------- */

static const char *left_text(const struct page *page, const struct board_left *left)
{
    const char *low, *high;

    board_left_parts(page->arena, left, &low, &high);
    if (low == NULL)
        return sayf(page, TEXT_BOARD_LEFT, high);
    return *low == '\0' ? sayf(page, TEXT_BOARD_LEFT_UP_TO, high)
                        : sayf(page, TEXT_BOARD_LEFT_BETWEEN, low, high);
}

static bool is_driven(const struct site_board *board)
{
    return board->run_state == RUN_RUNNING;
}

static const char *when_text(const struct page *page, const struct site_board *board,
                             const struct board_row *row)
{
    struct board_left left;

    switch (board_row_phase(row)) {
    case BOARD_UNDER_WAY:
        if (!is_driven(board))
            return say(page, TEXT_BOARD_STOPPED);
        if (row->running == 0 &&
            row->set_s <= 0) /* its hosts are busy with others, and how long it waits says nothing of it */
            return say(page, TEXT_BOARD_WAITING);
        left = board_row_left(board->state, row, board->now);
        return left_text(page, &left);
    case BOARD_OVER:
        if (row->began <= 0)
            return "";
        return sayf(page, TEXT_BOARD_DONE_IN, board_time_text(page->arena, row->ended - row->began));
    case BOARD_TO_COME:
    default:
        return say(page, TEXT_BOARD_TO_COME);
    }
}

/* -- Rows --------------------------------------------------------------------------------------------------------- */

/* Of a single step under way, and of what is repeated for a time, its time is what moves. */
static double running_share(const struct site_board *board, const struct board_row *row)
{
    double elapsed_s = board->now - row->began;
    struct board_left left;

    if (board_row_phase(row) != BOARD_UNDER_WAY || !is_driven(board))
        return 0;
    if (row->set_s <= 0 && (row->total > 1 || row->running == 0 || elapsed_s <= 0))
        return (double)row->running / (double)row->total;
    left = board_row_left(board->state, row, board->now);
    return (1 - (double)board_row_ended(row) / (double)row->total) * fmax(elapsed_s, 0) /
           (fmax(elapsed_s, 0) + fmax(left.high_s, 1));
}

static void write_bar(struct page *page, const struct site_board *board, const struct board_row *row)
{
    enum { PERCENT = 100 };
    double total = row->total > 0 ? (double)row->total : 1;
    double failed = PERCENT * (double)row->failed / total, open = PERCENT * (double)row->open / total,
           passed = PERCENT * (double)row->passed / total, running = PERCENT * running_share(board, row);

    html_markup(page->out, "<svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" "
                           "aria-hidden=\"true\">");
    if (failed > 0)
        html_shape(page->out, "<rect class=\"b-fail\" width=\"@\" height=\"10\"/>", failed);
    if (open > 0)
        html_shape(page->out, "<rect class=\"b-open\" x=\"@\" width=\"@\" height=\"10\"/>", failed, open);
    if (passed > 0)
        html_shape(page->out, "<rect class=\"b-pass\" x=\"@\" width=\"@\" height=\"10\"/>", failed + open,
                   passed);
    if (running > 0)
        html_shape(page->out, "<rect class=\"b-runs\" x=\"@\" width=\"@\" height=\"10\"/>",
                   failed + open + passed, running);
    html_markup(page->out, "</svg>");
}

static const char *row_name(const struct page *page, const struct board_row *row)
{
    return row->isolates ? sayf(page, TEXT_BOARD_ISOLATES, row->name) : row->name;
}

static void write_count(struct page *page, enum text_key name, size_t count, enum outcome_word word)
{
    site_open_cell(page, name);
    if (count > 0) {
        html_markup(page->out, "<span");
        html_word_class(page->out, word);
        html_markup(page->out, ">");
        html_text(page->out, word_symbol(word));
        html_markup(page->out, " ");
        html_text(page->out, number(page, count));
        html_markup(page->out, "</span>");
    }
    html_markup(page->out, "</td>");
}

static void write_small(struct page *page, const char *text)
{
    html_markup(page->out, "<small>");
    html_text(page->out, text);
    html_markup(page->out, "</small>");
}

/* The hosts that the others wait for; of what is repeated for a time, how often it was. */
static void write_more(struct page *page, const struct site_board *board, const struct board_row *row)
{
    double since;
    const char *hosts =
        is_driven(board) ? board_row_waits_for(page->arena, board->state, row, board->now, &since) : NULL;

    if (row->rounds > 0 && row->set_s > 0)
        write_small(page, sayf(page, TEXT_BOARD_SLICES, number(page, row->rounds),
                               board_time_text(page->arena, row->set_s)));
    if (hosts != NULL) {
        const struct step *oldest = &board->state->plan->steps.items[row->oldest];

        write_small(page,
                    sayf(page, TEXT_BOARD_WAITS, hosts, board_time_text(page->arena, board->now - since),
                         board_time_text(page->arena, row->sum_s / (double)row->timed),
                         board_time_text(page->arena, step_deadline_s(oldest))));
    }
}

static void write_row(struct page *page, const struct site_board *board, const struct board_row *row)
{
    struct text *out = page->out;

    html_markup(out, "<tr><th scope=\"row\">");
    html_text(out, row_name(page, row));
    write_more(page, board, row);
    html_markup(out, "</th>");
    site_open_cell(page, TEXT_BOARD_DONE);
    html_markup(out, "<span class=\"of\">");
    write_bar(page, board, row);
    html_textf(out, "%zu/%zu", board_row_ended(row), row->total);
    html_markup(out, "</span></td>");
    write_count(page, TEXT_FAILED, row->failed, OUTCOME_FAIL);
    write_count(page, TEXT_BOARD_OPEN, row->open, OUTCOME_INCONCLUSIVE);
    write_count(page, TEXT_NOT_RUN, row->skipped, OUTCOME_NOT_RUN);
    site_cell(page, TEXT_BOARD_TIME, when_text(page, board, row));
    html_markup(out, "</tr>\n");
}

static void write_rows(struct page *page, const struct site_board *board)
{
    site_table(page, COLUMN(STEP), COLUMN(BOARD_DONE), COLUMN(FAILED), COLUMN(BOARD_OPEN), COLUMN(NOT_RUN),
               COLUMN(BOARD_TIME));
    for (size_t i = 0; i < board->state->rows.count; i++)
        write_row(page, board, &board->state->rows.items[i]);
    site_table_end(page);
}

/* -- What did not pass ------------------------------------------------------------------------------------------------ */

static const char *failed_where(const struct page *page, const struct board_state *state,
                                const struct board_failure *failure)
{
    enum { TOLD = 3 }; /* of several hosts each */
    size_t count = failure->steps.count;
    const char **names = arena_array(page->arena, const char *, count), *text = "";

    for (size_t i = 0; i < count; i++) {
        const struct step *step = &state->plan->steps.items[failure->steps.items[i]];

        names[i] = step->members[0]->name;
        if (step->member_count > 1 && i < TOLD)
            text = arena_printf(page->arena, "%s%s%s", text, i > 0 ? "; " : "",
                                said(page, step_target_said(page->arena, step)));
    }
    if (*text == '\0')
        return hostlist_fold(page->arena, names, count);
    return count > TOLD ? arena_printf(page->arena, "%s; %s", text,
                                       sayf(page, TEXT_AND_MORE, number(page, count - TOLD)))
                        : text;
}

static void write_failures(struct page *page, const struct board_state *state)
{
    if (state->failures.count == 0)
        return;
    site_section(page, "failures", TEXT_BOARD_FAILURES);
    site_table(page, COLUMN(STEP), COLUMN(RESULT), COLUMN(HOSTS), COLUMN(REASON));
    for (size_t i = state->failures.count; i-- > 0;) {
        const struct board_failure *failure = &state->failures.items[i];
        bool failed = failure->word == OUTCOME_FAIL;

        html_markup(page->out, "<tr><th scope=\"row\">");
        html_text(page->out, row_name(page, &state->rows.items[failure->row]));
        html_markup(page->out, "</th>");
        site_open_cell(page, TEXT_RESULT);
        html_markup(page->out, "<span");
        html_word_class(page->out, failed ? OUTCOME_FAIL : OUTCOME_INCONCLUSIVE);
        html_markup(page->out, ">");
        html_text(page->out, word_symbol(failed ? OUTCOME_FAIL : OUTCOME_INCONCLUSIVE));
        html_markup(page->out, " ");
        html_text(page->out, say(page, failed ? TEXT_BOARD_FAILED_WORD : TEXT_BOARD_OPEN_WORD));
        html_markup(page->out, "</span></td>");
        site_cell(page, TEXT_HOSTS, failed_where(page, state, failure));
        site_cell(page, TEXT_REASON, board_failure_text(page->arena, failure));
        html_markup(page->out, "</tr>\n");
    }
    site_table_end(page);
    html_markup(page->out, "</section>\n");
}

/* -- The whole ------------------------------------------------------------------------------------------------------ */

static const char *state_text(const struct page *page, const struct site_board *board)
{
    const char *run = arena_printf(page->arena, "%lld", board->number);
    struct board_left left;

    switch (board->run_state) {
    case RUN_RUNNING:
        left = board_state_left(board->state, board->now);
        return sayf(page, TEXT_BOARD_RUNS, board_time_text(page->arena, board->now - board->state->began),
                    left_text(page, &left));
    case RUN_INTERRUPTED:
        return sayf(page, TEXT_BOARD_NO_CONTROLLER, run);
    case RUN_CANCELLED:
        return say(page, TEXT_BOARD_CANCELLED);
    case RUN_ENDED:
    default:
        return say(page, TEXT_BOARD_ENDED);
    }
}

static void write_state(struct page *page, const struct site_board *board)
{
    html_markup(page->out, "<p class=\"now\"><strong>");
    html_text(page->out, state_text(page, board));
    html_markup(page->out, "</strong>");
    if (is_driven(board) && *board->controller != '\0') {
        html_markup(page->out, " ");
        html_text(page->out, sayf(page, TEXT_BOARD_ELSEWHERE, board->controller));
    }
    html_markup(page->out, "</p>\n<p class=\"small\">");
    if (board->state != NULL) {
        html_text(page->out, say(page, TEXT_BOARD_NO_VERDICT));
        html_markup(page->out, " ");
    }
    site_link(page, "index.html",
              sayf(page, TEXT_SITE_REPORT, arena_printf(page->arena, "%lld", board->number)));
    html_markup(page->out, "</p>\n");
}

static void write_board(struct page *page, const struct site_board *board)
{
    write_state(page, board);
    if (board->state == NULL)
        return;
    write_rows(page, board);
    write_failures(page, board->state);
}

void site_board(const struct site_board *board, enum report_language language, struct text *out)
{
    struct page page = {.out = out, .arena = arena_create(), .language = language};

    write_board(&page, board);
    arena_destroy(page.arena);
}

static void write_script(struct page *page)
{
    html_markup(page->out, "<script src=\"../../board.js\" data-live=\"");
    html_text(page->out, say(page, TEXT_BOARD_LIVE));
    html_markup(page->out, "\" data-lost=\"");
    html_text(page->out, say(page, TEXT_BOARD_LOST));
    html_markup(page->out, "\" data-refused=\"");
    html_text(page->out, say(page, TEXT_BOARD_REFUSED));
    html_markup(page->out, "\"></script>\n");
}

/* "iron: delivery, 208 hosts" */
static const char *subtitle(const struct page *page, const struct record *record)
{
    struct report_names names;

    if (record == NULL)
        return "";
    report_names_of(page->arena, record, &names);
    return sayf(page, TEXT_BOARD_SUBTITLE, names.title, record->suite,
                number(page, record->plan->hosts.count));
}

void site_board_page(const struct site_board *board, enum report_language language, struct text *out)
{
    static const struct site_step way[] = {{TEXT_SITE_TITLE, "../../index.html"}, {0, NULL}};
    struct page page = {.out = out, .arena = arena_create(), .language = language};
    const char *heading = sayf(&page, TEXT_BOARD_TITLE, arena_printf(page.arena, "%lld", board->number));

    frame_open_live(out, language, heading, "../../site.css");
    site_head(&page, way, heading, subtitle(&page, board->record));
    html_markup(out, "<div id=\"board\">\n");
    write_board(&page, board);
    html_markup(out, "</div>\n");
    if (board->state != NULL) {
        html_markup(out, "<p class=\"small\"><span id=\"link\" role=\"status\"></span><noscript>");
        site_link(&page, "live.html", say(&page, TEXT_BOARD_AGAIN));
        html_markup(out, "</noscript></p>\n");
        write_script(&page);
    }
    frame_end(out);
    arena_destroy(page.arena);
}

void site_board_script(struct text *out)
{
    text_put(out, site_board_js);
}

const char *site_board_policy(void)
{
    return "default-src 'none'; style-src 'self'; img-src data:; script-src 'self'; connect-src 'self'; "
           "base-uri "
           "'none'; form-action 'none'; frame-ancestors 'none'";
}

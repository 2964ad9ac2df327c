/* SPDX-License-Identifier: Apache-2.0 */
/* What was not decided, remarks, coverage, and hosts by steps. */
#include <math.h>
#include <string.h>

#include "assay/reasons/report.h"

#include "gates.h"
#include "page.h"

/* On paper: rows of the long tables; of more hosts than that the map stands for the table. */
enum { UNDECIDED_PRINTED = 16, REMARKS_PRINTED = 24, SHARED_PRINTED = 24, ROWS_PRINTED = 20 };

/* -- Small parts ------------------------------------------------------------------------------------------
 */

void page_word(struct page *page, enum outcome_word word)
{
    html_markup(page->out, "<span");
    html_word_class(page->out, word);
    html_markup(page->out, "><b>");
    html_words(page->out, word_symbol(word));
    html_markup(page->out, "</b> ");
    html_words(page->out, said(page, reason_word(page->arena, outcome_name(word))));
    html_markup(page->out, "</span>");
}

bool page_open_link(struct page *page, size_t step)
{
    const struct step_view *at = &page->view->steps[step];

    if (at->attempts.count > 0)
        return page_open_attempt(page, at->attempts.items[0]);
    if (page->entry_of_step[step] > 0)
        html_shape(page->out, "<a href=\"#n@\">", (double)page->entry_of_step[step]);
    return page->entry_of_step[step] > 0;
}

void page_word_link(struct page *page, enum outcome_word word, size_t step)
{
    bool linked = page_open_link(page, step);

    page_word(page, word);
    if (linked)
        html_markup(page->out, "</a>");
}

/* May break behind each point of "p2p.unidirectional.enabled", and where a word is too long for that anywhere. */
void page_metric(struct page *page, const char *metric)
{
    enum { LONGEST = 24 };
    bool words = true;

    for (const char *at = metric; *at != '\0'; at += strcspn(at, ".") + (at[strcspn(at, ".")] == '.'))
        words &= strcspn(at, ".") <= LONGEST;
    if (!words) {
        html_code(page->out, metric);
        return;
    }
    html_markup(page->out, "<code class=\"metric\">");
    while (*metric != '\0') {
        size_t length = strcspn(metric, ".");

        length += metric[length] == '.';
        html_textf(page->out, "%.*s", (int)length, metric);
        metric += length;
        if (*metric != '\0')
            html_markup(page->out, "<wbr>");
    }
    html_markup(page->out, "</code>");
}

void page_metric_cell(struct page *page, const char *metric, const struct reason *at)
{
    html_markup(page->out, "<td>");
    page_metric(page, metric);
    if (at != NULL) {
        html_markup(page->out, " <small>");
        page_said(page, at);
        html_markup(page->out, "</small>");
    }
    html_markup(page->out, "</td>");
}

void page_number(struct page *page, double value, int decimals)
{
    if (!isfinite(value))
        html_words(page->out, "\xe2\x80\x93");
    else
        html_textf(page->out, "%.*f", decimals, value);
}

static void count_cell(struct page *page, size_t count)
{
    html_number_cell(page->out, count_text(page->arena, count));
}

/* -- Verdicts ------------------------------------------------------------------------------------------------ */

void page_verdict_class(struct text *out, enum verdict_word word)
{
    switch (word) {
    case VERDICT_ACCEPT:
        html_markup(out, " v-accept");
        break;
    case VERDICT_ACCEPT_WITH_EXCEPTIONS:
        html_markup(out, " v-exceptions");
        break;
    case VERDICT_REJECT:
        html_markup(out, " v-reject");
        break;
    case VERDICT_INCOMPLETE:
    default:
        html_markup(out, " v-incomplete");
        break;
    }
}

const char *page_verdict_symbol(enum verdict_word word)
{
    static const enum outcome_word like[] = {[VERDICT_ACCEPT] = OUTCOME_PASS,
                                             [VERDICT_ACCEPT_WITH_EXCEPTIONS] = OUTCOME_PASS,
                                             [VERDICT_INCOMPLETE] = OUTCOME_INCONCLUSIVE,
                                             [VERDICT_REJECT] = OUTCOME_FAIL};

    return word_symbol(like[word]);
}

size_t page_count_verdicts(const struct page *page, const char *scope)
{
    const struct judgement *judgement = &page->view->record->judgement;
    size_t count = 0;

    for (size_t i = 0; i < judgement->verdict_count; i++)
        count += strcmp(judgement->verdicts[i].scope, scope) == 0;
    return count;
}

static void write_verdict_row(struct page *page, const struct verdict *verdict)
{
    const char *name = *verdict->name != '\0' ? verdict->name : say(page, TEXT_NO_UNIT);
    const struct reason *share =
        standing_unit_share(page->arena, &page->view->record->standing, verdict->name);
    struct text *out = page->out;

    html_markup(out, "<tr>");
    html_row_head(out, share != NULL ? sayf(page, TEXT_UNIT_SHARE, name, said(page, share)) : name);
    html_markup(out, "<td><span class=\"vw");
    page_verdict_class(out, verdict->word);
    html_markup(out, "\">");
    html_textf(out, "%s %s", page_verdict_symbol(verdict->word),
               word(page, standing_verdict(&page->view->record->standing, verdict->word)));
    html_markup(out, "</span></td>");
    count_cell(page, verdict->fail + verdict->waived);
    count_cell(page, verdict->waived);
    count_cell(page, verdict->inconclusive);
    count_cell(page, verdict->not_run);
    count_cell(page, verdict->pass);
    count_cell(page, verdict->recorded);
    html_markup(out, "</tr>\n");
}

static void write_unit_verdicts(struct page *page)
{
    const struct judgement *judgement = &page->view->record->judgement;

    if (page_count_verdicts(page, "unit") == 0)
        return;
    page_table(page, "units", COLUMN(UNIT), COLUMN(VERDICT), COLUMN(C_FAIL), COLUMN(C_WAIVED),
               COLUMN(C_INCONCLUSIVE), COLUMN(C_NOT_RUN), COLUMN(C_PASS), COLUMN(C_RECORDED));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = 0; i < judgement->verdict_count; i++)
        if (strcmp(judgement->verdicts[i].scope, "unit") == 0)
            write_verdict_row(page, &judgement->verdicts[i]);
    html_markup(page->out, "</tbody></table>\n");
}

/* -- What is not decided ------------------------------------------------------------------------------------- */

static void write_undecided_row(struct page *page, size_t index, bool printed)
{
    const struct report_entry *entry = &page->entries[index];
    struct gate_lines lines;
    struct text *out = page->out;

    if (printed)
        html_shape(out, "<tbody id=\"n@\"><tr><td>", (double)(index + 1));
    else
        html_shape(out, "<tbody class=\"on-screen\" id=\"n@\"><tr><td>", (double)(index + 1));
    page_word(page, entry->word);
    html_markup(out, "</td>");
    html_markup(out, "<th scope=\"row\">");
    page_targets(page, entry->target);
    html_markup(out, "</th><td>");
    html_words(out, entry->check);
    if (entry->subjects != NULL) {
        html_markup(out, "<br><small>");
        page_said(page, entry->subjects);
        html_markup(out, "</small>");
    }
    html_markup(out, "</td>");
    page_said_cell(page, entry->cause);
    page_said_cell_or(page, entry->remedy, TEXT_DASH);
    count_cell(page, entry->items);
    if (entry->not_asked) {
        html_markup(out, "</tr></tbody>\n");
        return;
    }
    /* Of what did not run the number is enough on paper. */
    if (entry->word == OUTCOME_NOT_RUN && !page_prints(page, APPENDIX_HOSTS))
        html_markup(out, "</tr>\n<tr class=\"sub on-screen\"><td></td><td colspan=\"5\">");
    else
        html_markup(out, "</tr>\n<tr class=\"sub\"><td></td><td colspan=\"5\">");
    gate_lines_of_entry(page->view, entry, &lines);
    for (size_t i = 0; i < lines.items.count; i++) {
        const struct gate_line *line = &lines.items.items[i];

        html_words(out, i > 0 ? language_between(page->language, "; ") : say(page, TEXT_GATES_LIST));
        html_markup(out, "<code>");
        html_words(out, line->metric);
        html_markup(out, "</code>");
        if (line->at != NULL) {
            html_words(out, say(page, TEXT_AT));
            page_said(page, line->at);
        }
        if (line->items > 1)
            html_textf(out, " \xc3\x97 %zu", line->items);
        if (line->gate != NULL) {
            html_words(out, " ");
            page_said(page, line->gate);
        }
    }
    html_markup(out, "</td></tr></tbody>\n");
}

/* Of what did not run paper has the rows of page_unrun alone. */
static bool is_printed_row(const struct page *page, size_t index, size_t first)
{
    if (page->entries[index].word == OUTCOME_NOT_RUN)
        return page_prints(page, APPENDIX_HOSTS);
    return page_row_prints(page, index - first, UNDECIDED_PRINTED);
}

static void write_undecided(struct page *page, size_t first)
{
    bool printed = false;
    size_t open = 0;

    for (size_t i = first; i < page->entry_count; i++) {
        printed |= is_printed_row(page, i, first);
        open += page->entries[i].word == OUTCOME_INCONCLUSIVE;
    }
    if (!printed)
        html_markup(page->out, "<div class=\"on-screen\">\n");
    page_table(page, "undecided", COLUMN(OUTCOME), COLUMN(TARGET), COLUMN(STEP), COLUMN(REASON),
               COLUMN(WHAT_TO_DO), NUMBERS(GATES));
    for (size_t i = first; i < page->entry_count; i++)
        write_undecided_row(page, i, is_printed_row(page, i, first));
    html_markup(page->out, "</table>\n");
    if (!printed)
        html_markup(page->out, "</div>\n");
    page_left_out(page, open, UNDECIDED_PRINTED);
}

void page_undecided(struct page *page)
{
    size_t first = 0;

    while (first < page->entry_count && page->entries[first].word == OUTCOME_FAIL)
        first++;
    if (first == page->entry_count) {
        page_paragraph(page, TEXT_ALL_DECIDED);
        return;
    }
    page_paragraph(page, TEXT_UNDECIDED_INTRO);
    write_undecided(page, first);
    page_unrun(page);
}

/* -- Remarks ----------------------------------------------------------------------------------------------
 */

bool page_has_remarks(const struct page *page)
{
    return page->view->coverage.remarks > 0;
}

static void write_remark_head(struct page *page, const struct remark_line *line, bool printed)
{
    page_open_row(page, printed);
    html_markup(page->out, "<td>");
    html_words(page->out, line->gate.suite_step);
    html_markup(page->out, "<div class=\"more\">");
    page_targets(page, line->targets);
    html_markup(page->out, "</div></td>");
}

static void write_missed(struct page *page, const struct remark_line *line, bool printed)
{
    write_remark_head(page, line, printed);
    page_metric_cell(page, line->gate.metric, line->gate.at);
    page_said_cell(page, line->gate.gate);
    page_said_cell(page, limit_origin(page->arena, line->gate.status, line->gate.source));
    count_cell(page, line->gate.items);
    page_said_cell(page, line->example);
    html_markup(page->out, "</tr>\n");
}

/* No limit stands beside it: none was missed. */
static void write_how(struct page *page, const struct remark_line *line, bool printed)
{
    write_remark_head(page, line, printed);
    count_cell(page, line->gate.items);
    page_said_cell(page, line->example);
    html_markup(page->out, "</tr>\n");
}

static void write_missed_limits(struct page *page, const struct remark_lines *lines)
{
    if (lines->missed == 0)
        return;
    page_paragraph(page, TEXT_REMARKS_INTRO);
    page_table(page, "compact missed", COLUMN(STEP_TARGETS), COLUMN(METRIC), COLUMN(LIMIT),
               COLUMN(LIMIT_FROM), NUMBERS(ITEMS), COLUMN(FIRST_OF_THEM));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = 0; i < lines->missed; i++)
        write_missed(page, &lines->items.items[i], page_row_prints(page, i, REMARKS_PRINTED));
    html_markup(page->out, "</tbody></table>\n");
    page_left_out(page, lines->missed, REMARKS_PRINTED);
}

void page_remarks(struct page *page)
{
    struct remark_lines lines;

    remark_lines_of_run(page->view, &lines);
    write_missed_limits(page, &lines);
    if (lines.missed == lines.items.count)
        return;
    page_paragraph(page, TEXT_REMARKS_HOW);
    page_table(page, "compact", COLUMN(STEP_TARGETS), NUMBERS(ITEMS), COLUMN(REMARK));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = lines.missed; i < lines.items.count; i++)
        write_how(page, &lines.items.items[i], page_row_prints(page, i - lines.missed, REMARKS_PRINTED));
    html_markup(page->out, "</tbody></table>\n");
    page_left_out(page, lines.items.count - lines.missed, REMARKS_PRINTED);
}

/* -- Coverage ---------------------------------------------------------------------------------------------
 */

static void write_coverage_row(struct page *page, const char *name, size_t targets,
                               const struct coverage *coverage)
{
    html_markup(page->out, "<tr>");
    html_row_head(page->out, name);
    count_cell(page, targets);
    count_cell(page, coverage->gates);
    count_cell(page, coverage->measured);
    count_cell(page, coverage->pass);
    count_cell(page, coverage->fail);
    count_cell(page, coverage->inconclusive);
    count_cell(page, coverage->not_run);
    count_cell(page, coverage->records);
    html_markup(page->out, "</tr>\n");
}

void page_coverage(struct page *page)
{
    const struct view *view = page->view;
    struct coverage_rows rows;

    coverage_rows_of(view, &rows);
    page_paragraph(page, TEXT_COVERAGE_INTRO);
    page_table(page, "coverage", COLUMN(STEP), COLUMN(TARGETS), COLUMN(GATES_OWED), COLUMN(WITH_A_VALUE),
               COLUMN(PASSED), COLUMN(FAILED), COLUMN(INCONCLUSIVE), COLUMN(NOT_RUN), COLUMN(RECORDED));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = 0; i < rows.items.count; i++)
        write_coverage_row(page, rows.items.items[i].name, rows.items.items[i].targets,
                           &rows.items.items[i].sum);
    html_markup(page->out, "</tbody><tfoot>\n");
    write_coverage_row(page, say(page, TEXT_ALL_STEPS), view->step_count, &view->coverage);
    html_markup(page->out, "</tfoot></table>\n");
}

/* -- Matrix -----------------------------------------------------------------------------------------------
 */

/* Of more steps than fit with their words a cell shows the sign alone, and this what the signs are. */
enum { WORDS_READABLE = 8 };

static void write_signs(struct page *page)
{
    static const enum outcome_word words[] = {OUTCOME_PASS, OUTCOME_FAIL, OUTCOME_INCONCLUSIVE,
                                              OUTCOME_NOT_RUN, OUTCOME_RECORDED};

    html_markup(page->out, "<p class=\"legend\">");
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        html_words(page->out, i > 0 ? "  " : "");
        page_word(page, words[i]);
    }
    html_markup(page->out, "</p>\n");
}

/* Of many hosts paper shows the map alone. */
static bool is_printed(const struct page *page)
{
    return page->matrix->rows.count <= ROWS_PRINTED || page_prints(page, APPENDIX_HOSTS);
}

/* How the table of the hosts is read. */
static void write_matrix_intro(struct page *page)
{
    html_markup(page->out, "<p");
    if (!is_printed(page))
        html_markup(page->out, " class=\"on-screen\"");
    html_markup(page->out, ">");
    html_words(page->out, say(page, TEXT_MATRIX_INTRO));
    if (page->matrix->folded) {
        html_words(page->out, " ");
        html_words(page->out, say(page, TEXT_MATRIX_FOLDED));
    }
    html_markup(page->out, "</p>\n");
}

static void write_matrix_head(struct page *page)
{
    if (!is_printed(page))
        html_markup(page->out, "<table class=\"matrix on-screen");
    else
        html_markup(page->out, "<table class=\"matrix");
    if (page->matrix->columns.count > WORDS_READABLE)
        html_markup(page->out, " signs");
    html_markup(page->out, "\"><thead><tr><th>");
    html_words(page->out, say(page, TEXT_HOST));
    html_markup(page->out, "</th>");
    for (size_t i = 0; i < page->matrix->columns.count; i++) {
        html_markup(page->out, "<th><span>");
        html_words(page->out, page->matrix->columns.items[i]);
        html_markup(page->out, "</span></th>");
    }
    html_markup(page->out, "<th><span>");
    html_words(page->out, say(page, TEXT_VERDICT));
    html_markup(page->out, "</span></th></tr></thead>\n<tbody>\n");
}

static void write_matrix_row(struct page *page, const struct matrix_row *row)
{
    const struct verdict *verdict = page->view->host_verdicts[row->host];
    struct text *out = page->out;

    html_markup(out, "<tr>");
    html_row_head(out, said(page, row->name));
    for (size_t i = 0; i < page->matrix->columns.count; i++) {
        html_markup(out, "<td>");
        if (row->cells[i].planned)
            page_word_link(page, row->cells[i].word, row->cells[i].step);
        html_markup(out, "</td>");
    }
    html_markup(out, "<td>");
    if (verdict != NULL) {
        html_markup(out, "<span class=\"vw");
        page_verdict_class(out, verdict->word);
        html_markup(out, "\">");
        html_words(page->out, word(page, standing_verdict(&page->view->record->standing, verdict->word)));
        html_markup(out, "</span>");
    }
    html_markup(out, "</td></tr>\n");
}

static void open_shared_steps(struct page *page)
{
    page_heading(page, TEXT_STEPS_ACROSS);
    page_table(page, "shared", COLUMN(STEP), COLUMN(HOSTS), COLUMN(OUTCOME), COLUMN(GATES_PASSED));
    html_markup(page->out, "<tbody>\n");
}

/* "8 hosts: node[1-8] (substitute: 2 of 8 hosts are fit)" */
static const char *members_text(struct page *page, const struct step *step)
{
    const char *members = said(page, step_target_said(page->arena, step));

    if (step->origin_note == NULL)
        return members;
    if (step->origin == ORIGIN_SUITE)
        return sayf(page, TEXT_NOTED, members, said(page, step->origin_note));
    return sayf(page, TEXT_NOTED_ORIGIN, members, word(page, origin_name(step->origin)),
                said(page, step->origin_note));
}

static bool is_shared(const struct step *step)
{
    return step->member_count > 1 && step->origin != ORIGIN_ISOLATE;
}

/* Tests of as many hosts that ended alike, of which paper needs no list: of pairs that passed the number is enough. */
static bool is_alike(const struct step_view *a, const struct step_view *b)
{
    return is_shared(b->step) && a->step->member_count == b->step->member_count && a->word == b->word &&
           a->step->origin == b->step->origin && b->step->origin_note == NULL &&
           strcmp(a->step->shape->suite_step, b->step->shape->suite_step) == 0;
}

/* Counts the tests that are alike, from that one on, and marks them. */
static size_t take_alike(const struct view *view, size_t from, bool *done, struct coverage *ret_sum)
{
    const struct step_view *first = &view->steps[from];
    size_t count = 0;

    *ret_sum = (struct coverage){0};
    for (size_t i = from; i < view->step_count; i++) {
        if (i != from && (first->step->origin_note != NULL || first->word == OUTCOME_FAIL ||
                          !is_alike(first, &view->steps[i])))
            continue;
        done[i] = true;
        count++;
        ret_sum->pass += view->steps[i].coverage.pass;
        ret_sum->gates += view->steps[i].coverage.gates;
    }
    return count;
}

static void write_shared_row(struct page *page, size_t index, const char *tests, const struct coverage *sum)
{
    html_markup(page->out, "<tr>");
    html_row_head(page->out, page->view->steps[index].step->shape->suite_step);
    html_cell(page->out, tests);
    html_markup(page->out, "<td>");
    page_word_link(page, page->view->steps[index].word, index);
    html_markup(page->out, "</td>");
    html_cell(page->out, sayf(page, TEXT_OF, number(page, sum->pass), number(page, sum->gates)));
    html_markup(page->out, "</tr>\n");
}

/* On paper all of them: what is alike in one row, what failed each in its own. */
static void write_shared_on_paper(struct page *page)
{
    const struct view *view = page->view;
    bool *done = arena_array(page->arena, bool, view->step_count + 1);

    html_markup(page->out, "<div class=\"on-paper\">\n");
    open_shared_steps(page);
    for (size_t i = 0; i < view->step_count; i++) {
        const struct step *step = view->steps[i].step;
        struct coverage sum;
        size_t alike = done[i] || !is_shared(step) ? 0 : take_alike(view, i, done, &sum);

        if (alike == 1)
            write_shared_row(page, i, members_text(page, step), &sum);
        else if (alike > 1)
            write_shared_row(page, i,
                             said(page, reason(page->arena, tests_of_hosts_each, alike, step->member_count)),
                             &sum);
    }
    html_markup(page->out, "</tbody></table>\n</div>\n");
}

static void write_shared_steps(struct page *page)
{
    const struct view *view = page->view;
    size_t rows = 0;

    for (size_t i = 0; i < view->step_count; i++)
        rows += is_shared(view->steps[i].step);
    if (rows == 0)
        return;
    if (rows > SHARED_PRINTED) {
        write_shared_on_paper(page);
        html_markup(page->out, "<div class=\"on-screen\">\n");
    }
    open_shared_steps(page);
    for (size_t i = 0; i < view->step_count; i++)
        if (is_shared(view->steps[i].step))
            write_shared_row(page, i, members_text(page, view->steps[i].step), &view->steps[i].coverage);
    html_markup(page->out, "</tbody></table>\n");
    if (rows > SHARED_PRINTED)
        html_markup(page->out, "</div>\n");
}

void page_matrix(struct page *page)
{
    const struct matrix *matrix = page->matrix;
    const char *unit = "";

    write_unit_verdicts(page);
    write_matrix_intro(page);
    write_signs(page);
    if (matrix->folded)
        page_map(page);
    write_matrix_head(page);
    for (size_t i = 0; i < matrix->rows.count; i++) {
        if (strcmp(matrix->rows.items[i].unit, unit) != 0) {
            unit = matrix->rows.items[i].unit;
            html_shape(page->out, "<tr class=\"unit\"><th colspan=\"@\">", (double)matrix->columns.count + 2);
            html_words(page->out,
                       *unit != '\0' ? sayf(page, TEXT_UNIT_NAMED, unit) : say(page, TEXT_UNIT_NONE));
            html_markup(page->out, "</th></tr>\n");
        }
        write_matrix_row(page, &matrix->rows.items[i]);
    }
    html_markup(page->out, "</tbody></table>\n");
    write_shared_steps(page);
}

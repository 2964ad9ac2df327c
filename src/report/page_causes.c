/* SPDX-License-Identifier: Apache-2.0 */
/* One cause, one card: what is wrong, what to do, by whom, and folded behind it every gate and where it was measured. */
#include <string.h>

#include "assay/base/nearest.h"
#include "frame.h"
#include "gates.h"
#include "out_of_use.h"
#include "page.h"
#include "ports.h"

enum { ITEMS_LISTED = 64, EVIDENCE_LINKED = 6, CARDS_PRINTED = 24, GATES_PRINTED = 6, COMMANDS_PRINTED = 3 };

/* In a site behind the attempt what it printed. */
static void write_output_links(struct page *page, const struct attempt *attempt)
{
    static const char *const names[] = {[SITE_STDOUT] = "stdout", [SITE_STDERR] = "stderr"};
    size_t index = view_attempt_index(page->view, attempt);

    for (enum site_output i = SITE_STDOUT; i <= SITE_STDERR; i++) {
        if (page->view->record->site == NULL || page->view->record->site->outputs[i][index] == NULL)
            continue;
        html_words(page->out, " ");
        page_open_output(page, attempt, i);
        html_words(page->out, names[i]);
        html_markup(page->out, "</a>");
    }
}

/* Links to the attempts behind the entry, each step's named once; behind whom isolation names are the tests of parts. */
static void write_evidence_links(struct page *page, const struct report_entry *entry)
{
    const struct accusation *accusation = entry->accusation;
    size_t linked = 0, last = (size_t)-1, count = accusation != NULL ? accusation->step_count : entry->items;

    for (size_t i = 0; i < count && linked < EVIDENCE_LINKED; i++) {
        size_t step = accusation != NULL ? accusation->steps[i] : entry->outcomes[i]->step;

        for (size_t k = 0; step != last && k < page->view->steps[step].attempts.count; k++, linked++) {
            const struct attempt *attempt = page->view->steps[step].attempts.items[k];
            bool opened;

            html_words(page->out, linked > 0 ? language_between(page->language, ", ") : "");
            opened = page_open_attempt(page, attempt);
            html_words(page->out,
                       sayf(page, TEXT_ATTEMPT_OF,
                            said(page, step_target_said(page->arena, page->view->steps[step].step)),
                            number(page, attempt->n)));
            if (opened)
                html_markup(page->out, "</a>");
            write_output_links(page, attempt);
        }
        last = step;
    }
    if (linked >= EVIDENCE_LINKED)
        html_words(page->out, say(page, TEXT_MORE_IN_APPENDIX));
    if (linked == 0)
        html_words(page->out, say(page, TEXT_NOTHING_RUN));
}

/* The step's outputs by the command that prints them: a link leads nowhere on paper. */
static void write_command(struct page *page, const struct step *step, size_t *commands)
{
    if (++*commands > COMMANDS_PRINTED)
        return;
    html_words(page->out, *commands > 1 ? language_between(page->language, ", ") : "");
    html_code(page->out, arena_printf(page->arena, "assay logs %lld %s %s", page->view->record->number,
                                      step->members[0]->name, step->shape->suite_step));
}

static void write_evidence_commands(struct page *page, const struct report_cause *cause)
{
    size_t commands = 0, last = (size_t)-1;

    for (size_t i = 0; i < cause->entries.count; i++) {
        const struct report_entry *entry = &page->entries[cause->entries.items[i]];
        const struct accusation *accusation = entry->accusation;
        size_t count = accusation != NULL ? accusation->step_count : entry->items;

        for (size_t k = 0; entry->word == OUTCOME_FAIL && k < count; k++) {
            size_t step = accusation != NULL ? accusation->steps[k] : entry->outcomes[k]->step;

            if (step != last && page->view->steps[step].attempts.count > 0)
                write_command(page, page->view->steps[step].step, &commands);
            last = step;
        }
    }
    if (commands > COMMANDS_PRINTED) {
        html_words(page->out, language_between(page->language, ", "));
        html_words(page->out, sayf(page, TEXT_AND_MORE, number(page, commands - COMMANDS_PRINTED)));
    }
    if (commands == 0)
        html_words(page->out, say(page, TEXT_NOTHING_RUN));
}

static void write_item_row(struct page *page, const struct outcome *outcome, bool named)
{
    const struct slot *slot = view_shown_slot(page->view, outcome);
    struct text *out = page->out;

    html_markup(out, "<tr>");
    if (named)
        page_said_cell(page, step_target_said(page->arena, page->view->steps[outcome->step].step));
    page_metric_cell(page, slot->metric, slot_at_text(page->arena, slot));
    html_cell(out, *slot->subject != '\0' ? slot->subject : "\xe2\x80\x93");
    html_cell(page->out, outcome->measured != NULL ? said(page, outcome->measured) : say(page, TEXT_NOTHING));
    page_said_cell_or(page, gate_alone(page->arena, outcome->held->gate), TEXT_NONE_APPLIED);
    page_said_cell(page, limit_origin(page->arena, outcome->held->status, outcome->held->source));
    html_markup(out, "</tr>\n");
}

static void write_items(struct page *page, const struct report_entry *entry)
{
    bool named = false;

    for (size_t i = 1; i < entry->items; i++)
        named |= entry->outcomes[i]->step != entry->outcomes[0]->step;
    if (named)
        page_table(page, "items", COLUMN(HOST), COLUMN(METRIC), COLUMN(SUBJECT), COLUMN(MEASURED_WORST),
                   COLUMN(GATE_APPLIED), COLUMN(LIMIT_FROM));
    else
        page_table(page, "items", COLUMN(METRIC), COLUMN(SUBJECT), COLUMN(MEASURED_WORST),
                   COLUMN(GATE_APPLIED), COLUMN(LIMIT_FROM));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = 0; i < entry->items; i++)
        write_item_row(page, entry->outcomes[i], named);
    html_markup(page->out, "</tbody></table>\n");
}

/* For entries of many items: a row for each gate, the subjects in one cell. */
static void write_gate_lines(struct page *page, const struct report_entry *entry)
{
    struct gate_lines lines;
    struct text *out = page->out;

    gate_lines_of_entry(page->view, entry, &lines);
    page_table(page, "items", COLUMN(METRIC), NUMBERS(ITEMS), COLUMN(SUBJECTS), COLUMN(GATE),
               COLUMN(LIMIT_FROM));
    html_markup(out, "<tbody>\n");
    for (size_t i = 0; i < lines.items.count; i++) {
        const struct gate_line *line = &lines.items.items[i];

        html_markup(out, "<tr>");
        page_metric_cell(page, line->metric, line->at);
        html_cell(out, count_text(page->arena, line->items));
        page_said_cell(page, line->subjects);
        page_said_cell(page, line->gate);
        page_said_cell(page, limit_origin(page->arena, line->status, line->source));
        html_markup(out, "</tr>\n");
    }
    html_markup(out, "</tbody></table>\n");
}

static bool entry_speaks_of(const struct page *page, const struct report_entry *entry,
                            const struct sighting *sighting)
{
    for (size_t i = 0; i < entry->items && i < ITEMS_LISTED; i++) {
        const struct step *step = page->view->steps[entry->outcomes[i]->step].step;

        if (step->member_count == 1 && view_host(page->view, step->members[0]) == sighting->host &&
            subject_names(view_slot(page->view, entry->outcomes[i])->subject, sighting->position))
            return true;
    }
    return false;
}

static bool is_accused(const struct page *page, const struct report_cause *cause,
                       const struct sighting *sighting)
{
    for (size_t i = 0; i < cause->entries.count; i++)
        if (entry_speaks_of(page, &page->entries[cause->entries.items[i]], sighting))
            return true;
    return cause->parts_suspected && view_host(page->view, cause->hosts.items[0]) == sighting->host &&
           strcmp(cause->parts.items[0], sighting->position) == 0;
}

/* The hardware that the failure is about, by what is printed on it: who mends it must not have to look. */
static void write_hardware(struct page *page, const struct report_cause *cause)
{
    enum { MOST_NAMED = 8 };
    size_t named = 0;

    for (size_t i = 0; i < page->sightings.items.count; i++) {
        const struct sighting *sighting = &page->sightings.items.items[i];

        if (!item_kind_is_hardware(sighting->kind) || *sighting->position == '\0' ||
            !is_accused(page, cause, sighting))
            continue;
        if (named++ >= MOST_NAMED)
            continue;
        html_markup(page->out, "<div><dt>");
        html_words(page->out, named == 1 ? say(page, TEXT_HARDWARE) : "");
        html_markup(page->out, "</dt><dd>");
        html_textf(page->out, "%s, %s, %s, ", page->view->record->plan->hosts.items[sighting->host]->name,
                   sighting->position,
                   *sighting->serial != '\0' ? sayf(page, TEXT_SERIAL_IS, sighting->serial)
                                             : say(page, TEXT_NO_SERIAL));
        html_code(page->out, sighting->identity);
        html_markup(page->out, "</dd></div>\n");
    }
    if (named > MOST_NAMED)
        html_pair(page->out, "", sayf(page, TEXT_AND_MORE, number(page, named - MOST_NAMED)));
}

/* Of one host; of several each has another. */
static void write_ports(struct page *page, const struct report_cause *cause)
{
    for (size_t i = 0; cause->hosts.count == 1 && i < cause->parts.count && i < ITEMS_LISTED; i++) {
        const char *part = cause->parts.items[i];
        const char *port = port_text(page->arena, page->language, page->view, cause->hosts.items[0], part);

        if (*port != '\0')
            html_pair(page->out, part, port);
    }
}

/* For a pen: who mends it, and until when. */
static void write_to_do(struct page *page)
{
    struct text *out = page->out;

    html_markup(out, "<div class=\"todo\"><dt>");
    html_words(out, say(page, TEXT_TO_BE_MENDED));
    html_markup(out, "</dt><dd>");
    html_words(out, say(page, TEXT_MENDED_BY));
    html_markup(out, " <span class=\"blank\"></span> ");
    html_words(out, say(page, TEXT_MENDED_UNTIL));
    html_markup(out, " <span class=\"blank\"></span></dd></div>\n");
}

/* The lines of the tools' own outputs that made parsers call it a fault: at most so many, of the entries' attempts. */
static void write_tool_lines(struct page *page, const struct report_cause *cause)
{
    enum { LINES = 20 };
    struct text *out = page->out;
    size_t lines = 0, last = (size_t)-1;

    for (size_t i = 0; i < cause->entries.count && lines < LINES; i++) {
        const struct report_entry *entry = &page->entries[cause->entries.items[i]];

        for (size_t k = 0; k < entry->items && lines < LINES; k++) {
            const struct step_view *step = &page->view->steps[entry->outcomes[k]->step];
            const struct attempt *attempt =
                step->attempts.count > 0 ? step->attempts.items[step->attempts.count - 1] : NULL;

            if (entry->outcomes[k]->step == last || attempt == NULL)
                continue;
            last = entry->outcomes[k]->step;
            for (size_t n = 0; n < attempt->reading.findings.count && lines < LINES; n++) {
                const struct finding *finding = &attempt->reading.findings.items[n];

                if (finding->severity != SEVERITY_FAULT || finding->what == NULL)
                    continue;
                if (lines++ == 0) {
                    html_markup(out, "<div><dt>");
                    html_words(out, say(page, TEXT_TOOL_SAID));
                    html_markup(out, "</dt><dd><pre>");
                }
                html_textf(out, "%s: %s\n", step_target(page->arena, step->step),
                           reason_english(page->arena, finding->what));
            }
        }
    }
    if (lines > 0)
        html_markup(out, "</pre></dd></div>\n");
}

/* Where else it showed: tests across hosts that it made slow, and what could not be decided by it. */
static bool is_folded(const struct report_cause *cause, const struct report_entry *entry)
{
    return entry->accusation == NULL && (entry->word != OUTCOME_FAIL || cause->accusation != NULL);
}

/* The target, and what of the entries from that one on are about it: its list is read once. */
static void write_folded_target(struct page *page, const struct report_cause *cause, size_t from, bool *done)
{
    const struct reason *target = page->entries[cause->entries.items[from]].target;
    const char *between = ": ";
    LIST_OF(const char *) named = {0};

    page_said(page, target);
    for (size_t i = from; i < cause->entries.count; i++) {
        const struct report_entry *entry = &page->entries[cause->entries.items[i]];

        if (done[i] || !is_folded(cause, entry) || !reason_equal(entry->target, target))
            continue;
        done[i] = true;
        if (word_is_among(entry->check, named.items, named.count))
            continue; /* one step can have several entries */
        *list_push(page->arena, &named) = entry->check;
        html_words(page->out, between);
        html_shape(page->out, "<a href=\"#n@\">", (double)(cause->entries.items[i] + 1));
        html_words(page->out, entry->check);
        html_markup(page->out, "</a>");
        between = language_between(page->language, ", ");
    }
}

static void write_folded(struct page *page, const struct report_cause *cause)
{
    bool *done = arena_array(page->arena, bool, cause->entries.count + 1), any = false;

    for (size_t i = 0; i < cause->entries.count; i++) {
        if (done[i] || !is_folded(cause, &page->entries[cause->entries.items[i]]))
            continue;
        if (!any) {
            html_markup(page->out, "<div><dt>");
            html_words(page->out, say(page, TEXT_FOLDED));
            html_markup(page->out, "</dt><dd>");
        }
        html_words(page->out, any ? language_between(page->language, "; ") : "");
        any = true;
        write_folded_target(page, cause, i, done);
    }
    if (any)
        html_markup(page->out, "</dd></div>\n");
}

static void write_blocked(struct page *page, const struct report_cause *cause)
{
    if (cause->blocked == 0)
        return;
    html_markup(page->out, "<div><dt>");
    html_words(page->out, say(page, TEXT_BLOCKED));
    html_markup(page->out, "</dt><dd><a href=\"#undecided\">");
    html_words(page->out, sayf(page, TEXT_BLOCKED_GATES, number(page, cause->blocked)));
    html_markup(page->out, "</a></dd></div>\n");
}

/* One entry of the card, folded: what was said when it happened, its evidence, and each gate with its limit. */
static void write_entry(struct page *page, size_t index)
{
    const struct report_entry *entry = &page->entries[index];
    struct text *out = page->out;

    if (page_prints(page, APPENDIX_HOSTS))
        html_shape(out, "<details class=\"folded\" open id=\"n@\"><summary>", (double)(index + 1));
    else
        html_shape(out, "<details class=\"folded\" id=\"n@\"><summary>", (double)(index + 1));
    page_said(page, entry->target);
    html_markup(out, " <span class=\"sep\">\xe2\x80\xba</span> ");
    html_words(out, entry->check);
    if (entry->subjects != NULL) {
        html_markup(out, " <span class=\"sep\">\xe2\x80\xba</span> ");
        page_said(page, entry->subjects);
    }
    if (entry->items > 0) {
        html_markup(out, ": ");
        html_words(out, sayf(page, TEXT_GATES_BEHIND, number(page, entry->items)));
    }
    html_markup(out, "</summary>\n<dl>");
    page_said_pair(page, TEXT_FOUND, entry->cause);
    html_markup(out, "</dl>\n");
    if (entry->items > ITEMS_LISTED)
        write_gate_lines(page, entry);
    else if (entry->items > 0)
        write_items(page, entry);
    html_markup(out, "</details>\n");
}

/* target: where it was measured; NULL: where the card says. */
static void write_paper_row(struct page *page, const struct gate_line *line, const struct reason *target)
{
    const struct reason *measured = gate_line_measured(page->arena, line);

    html_markup(page->out, "<tr>");
    page_metric_cell(page, line->metric, line->at);
    html_markup(page->out, "<td>");
    html_words(page->out, *line->names != '\0' ? said(page, line->subjects) : "\xe2\x80\x93");
    if (target != NULL)
        page_small(page, said(page, target));
    html_markup(page->out, "</td>");
    html_cell(page->out, measured != NULL ? said(page, measured) : say(page, TEXT_NOTHING));
    page_said_cell_or(page, line->gate, TEXT_NONE_APPLIED);
    page_said_cell(page, limit_origin(page->arena, line->status, line->source));
    html_markup(page->out, "</tr>\n");
}

/* What was not measured and had no limit, as a host that is down, is told by the card itself. */
static bool tells(const struct page *page, const struct gate_line *line)
{
    return line->gate != NULL || gate_line_measured(page->arena, line) != NULL;
}

/* The first rows; returns how many there are in all. */
static size_t write_paper_rows(struct page *page, const struct report_cause *cause)
{
    size_t rows = 0;

    for (size_t i = 0; i < cause->entries.count; i++) {
        const struct report_entry *entry = &page->entries[cause->entries.items[i]];
        struct gate_lines lines = {0};

        if (entry->word == OUTCOME_FAIL && entry->items > 0)
            gate_lines_of_entry(page->view, entry, &lines);
        for (size_t k = 0; k < lines.items.count; k++) {
            if (!tells(page, &lines.items.items[k]))
                continue;
            if (rows == 0) {
                html_markup(page->out, "<div class=\"on-paper\">\n");
                page_table(page, "items", COLUMN(METRIC), COLUMN(SUBJECTS), COLUMN(MEASURED),
                           COLUMN(GATE_APPLIED), COLUMN(LIMIT_FROM));
                html_markup(page->out, "<tbody>\n");
            }
            if (rows++ < GATES_PRINTED)
                write_paper_row(page, &lines.items.items[k],
                                reason_equal(entry->target, cause->target) ? NULL : entry->target);
        }
    }
    return rows;
}

/* What is folded on the screen is not on paper, unless it is asked for: there the gates that failed have a line each. */
static void write_gates_on_paper(struct page *page, const struct report_cause *cause)
{
    size_t rows;

    if (page_prints(page, APPENDIX_HOSTS) || cause->fail == 0)
        return;
    rows = write_paper_rows(page, cause);
    if (rows == 0)
        return;
    html_markup(page->out, "</tbody></table>\n");
    if (rows > GATES_PRINTED)
        html_words(page->out, sayf(page, TEXT_AND_MORE, number(page, rows - GATES_PRINTED)));
    html_markup(page->out, "</div>\n");
}

static void write_card_head(struct page *page, size_t index)
{
    const struct report_cause *cause = &page->causes.items.items[index];
    const char *part = cause_part(page->arena, page->language, page->view, page->entries, cause);
    struct text *out = page->out;

    if (index < CARDS_PRINTED)
        html_shape(out, "<article class=\"entry\" id=\"k@\">\n<h3>", (double)(index + 1));
    else
        html_shape(out, "<article class=\"entry on-screen\" id=\"k@\">\n<h3>", (double)(index + 1));
    page_word(page, cause->word);
    html_shape(out, " <span class=\"nr\">@</span> ", (double)(index + 1));
    page_said(page, cause->target);
    if (*part != '\0') {
        html_markup(out, " <span class=\"sep\">\xe2\x80\xba</span> ");
        html_words(out, part);
    }
    html_markup(out, "</h3>\n<p class=\"problem\">");
    html_words(out, cause_problem(page->arena, page->language, page->view, page->entries, cause));
    html_markup(out, "</p>\n");
}

void page_advice(struct page *page, const struct report_cause *cause, bool pages)
{
    struct said_list advice;

    cause_advice(page->arena, page->language, page->view, page->entries, cause, pages, &advice);
    if (advice.items.count == 0)
        html_words(page->out, say(page, TEXT_NO_REMEDY));
    frame_pieces(page->out, page->language, &advice);
}

static void write_card(struct page *page, size_t index)
{
    const struct report_cause *cause = &page->causes.items.items[index];
    const struct reason *hands = cause_hands(page->arena, page->view, page->entries, cause, false);
    struct text *out = page->out;

    write_card_head(page, index);
    html_markup(out, "<dl>\n");
    html_markup(out, "<div><dt>");
    html_words(out, say(page, TEXT_WHAT_TO_DO));
    html_markup(out, "</dt><dd>");
    page_advice(page, cause, true);
    html_markup(out, "</dd></div>\n");
    if (hands != NULL)
        page_said_pair(page, TEXT_A_WHO, hands);
    if (cause->waived)
        page_said_pair(page, TEXT_WAIVED_BY, page->entries[cause->entries.items[0]].waiver);
    write_hardware(page, cause);
    write_ports(page, cause);
    write_to_do(page);
    write_blocked(page, cause);
    write_folded(page, cause);
    write_tool_lines(page, cause);
    html_markup(out, "<div><dt>");
    html_words(out, say(page, TEXT_EVIDENCE));
    html_markup(out, "</dt><dd>");
    html_markup(out, "<span class=\"on-screen\">");
    write_evidence_links(page, &page->entries[cause->entries.items[0]]);
    html_markup(out, "</span><span class=\"on-paper\">");
    write_evidence_commands(page, cause);
    html_markup(out, "</span></dd></div>\n</dl>\n");
    write_gates_on_paper(page, cause);
    for (size_t i = 0; i < cause->entries.count; i++)
        if (page->entries[cause->entries.items[i]].word == OUTCOME_FAIL)
            write_entry(page, cause->entries.items[i]);
    html_markup(out, "</article>\n");
}

/* On paper the cards of the first ones stand; each of the others has its line. */
static void write_rest(struct page *page, size_t failures)
{
    if (failures <= CARDS_PRINTED)
        return;
    html_markup(page->out, "<div class=\"on-paper\">\n");
    page_table(page, "compact", COLUMN(A_HOST), COLUMN(A_PART), COLUMN(A_PROBLEM));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = CARDS_PRINTED; i < failures; i++) {
        const struct report_cause *cause = &page->causes.items.items[i];

        html_markup(page->out, "<tr>");
        html_row_head(page->out, said(page, cause->target));
        html_cell(page->out, cause_part(page->arena, page->language, page->view, page->entries, cause));
        html_cell(page->out, cause_problem(page->arena, page->language, page->view, page->entries, cause));
        html_markup(page->out, "</tr>\n");
    }
    html_markup(page->out, "</tbody></table></div>\n");
}

static void write_out_of_use(struct page *page)
{
    struct out_of_use lines;

    out_of_use(page->view, page->entries, page->entry_count, &lines);
    if (lines.lines.count == 0)
        return;
    html_markup(page->out, "<h3>");
    html_words(page->out, say(page, TEXT_OUT_OF_USE));
    html_markup(page->out, "</h3>\n");
    page_paragraph(page, TEXT_OUT_OF_USE_INTRO);
    html_markup(page->out, "<pre>");
    for (size_t i = 0; i < lines.lines.count; i++) {
        html_text(page->out, lines.lines.items[i]);
        html_markup(page->out, "\n");
    }
    html_markup(page->out, "</pre>\n");
}

/* What is waived stands behind what is undecided, which has a section of its own. */
void page_failures(struct page *page)
{
    size_t failures = page->causes.to_fix + page->causes.waived;

    if (failures == 0) {
        page_paragraph(page, TEXT_NO_FAILURE);
        return;
    }
    html_paragraph(page->out, sayf(page, TEXT_FAILURES_INTRO, number(page, failures),
                                   number(page, page->view->coverage.fail)));
    for (size_t i = 0; i < page->causes.items.count; i++)
        if (page->causes.items.items[i].word == OUTCOME_FAIL)
            write_card(page, i);
    write_rest(page, page->causes.to_fix);
    write_out_of_use(page);
}

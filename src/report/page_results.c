/* SPDX-License-Identifier: Apache-2.0 */
/* Title and results: what was decided, why, and what was not decided. */
#include <math.h>
#include <string.h>

#include "gates.h"
#include "out_of_use.h"
#include "page.h"

/* -- Small parts ------------------------------------------------------------------------------------------
 */

void page_word(struct page *page, enum outcome_word word)
{
    html_markup(page->out, "<span");
    html_word_class(page->out, word);
    html_markup(page->out, "><b>");
    html_text(page->out, word_symbol(word));
    html_markup(page->out, "</b> ");
    if (word == OUTCOME_INCONCLUSIVE && page->language == LANGUAGE_EN)
        html_markup(page->out, "incon&shy;clusive"); /* may break in the narrow cells of the matrix */
    else
        html_text(page->out, said(page, outcome_name(word)));
    html_markup(page->out, "</span>");
}

bool page_open_link(struct page *page, size_t step)
{
    const struct step_view *at = &page->view->steps[step];

    if (at->attempts.count > 0)
        html_shape(page->out, "<a href=\"#e@\">",
                   (double)view_attempt_index(page->view, at->attempts.items[0]));
    else if (page->entry_of_step[step] > 0)
        html_shape(page->out, "<a href=\"#n@\">", (double)page->entry_of_step[step]);
    return at->attempts.count > 0 || page->entry_of_step[step] > 0;
}

void page_word_link(struct page *page, enum outcome_word word, size_t step)
{
    bool linked = page_open_link(page, step);

    page_word(page, word);
    if (linked)
        html_markup(page->out, "</a>");
}

void page_metric_cell(struct page *page, const char *metric, const char *at)
{
    html_markup(page->out, "<td>");
    html_code(page->out, metric);
    if (*at != '\0') {
        html_markup(page->out, " <small>");
        page_said(page, at);
        html_markup(page->out, "</small>");
    }
    html_markup(page->out, "</td>");
}

void page_number(struct page *page, double value, int decimals)
{
    if (!isfinite(value))
        html_text(page->out, "\xe2\x80\x93");
    else
        html_textf(page->out, "%.*f", decimals, value);
}

static void count_cell(struct page *page, size_t count)
{
    html_markup(page->out, "<td class=\"num\">");
    html_text(page->out, count_text(page->arena, count));
    html_markup(page->out, "</td>");
}

/* -- Title ------------------------------------------------------------------------------------------------
 */

static void verdict_class(struct text *out, enum verdict_word word)
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

static const char *verdict_symbol(enum verdict_word word)
{
    static const enum outcome_word like[] = {[VERDICT_ACCEPT] = OUTCOME_PASS,
                                             [VERDICT_ACCEPT_WITH_EXCEPTIONS] = OUTCOME_PASS,
                                             [VERDICT_INCOMPLETE] = OUTCOME_INCONCLUSIVE,
                                             [VERDICT_REJECT] = OUTCOME_FAIL};

    return word_symbol(like[word]);
}

static void tile(struct page *page, enum outcome_word word, size_t count)
{
    if (count == 0)
        html_markup(page->out, "<div class=\"tile zero\"><div class=\"count\">");
    else
        html_markup(page->out, "<div class=\"tile\"><div class=\"count\">");
    html_text(page->out, count_text(page->arena, count));
    html_markup(page->out, "</div>");
    page_word(page, word);
    html_markup(page->out, "</div>\n");
}

static void write_verdict(struct page *page)
{
    const struct view *view = page->view;
    const struct coverage *all = &view->coverage;
    struct text *out = page->out;

    html_markup(out, "<div class=\"verdict");
    verdict_class(out, view->verdict);
    html_markup(out, "\"><div class=\"word\"><span class=\"symbol\">");
    html_text(out, verdict_symbol(view->verdict));
    html_markup(out, "</span> <strong>");
    page_said(page, view->verdict_text);
    html_markup(out, "</strong></div>\n");
    if (!standing_is_acceptance(&view->record->standing)) {
        html_markup(out, "<p class=\"standing\">");
        page_said(page, standing_sentence(page->arena, &view->record->standing));
        html_markup(out, "</p>\n");
    }
    html_markup(out, "<p>");
    page_said(page, verdict_sentence(view));
    html_markup(out, "</p>");
    if (*view->verdict_note != '\0') {
        html_markup(out, "<p class=\"note\">");
        page_said(page, view->verdict_note);
        html_markup(out, "</p>");
    }
    if (view->record->origin != NULL) {
        html_markup(out, "<p class=\"note\">");
        html_text(out, origin_note(page->arena, page->language, view->record));
        html_markup(out, "</p>");
    }
    html_markup(out, "<div class=\"tiles\">\n");
    tile(page, OUTCOME_FAIL, all->fail);
    tile(page, OUTCOME_INCONCLUSIVE, all->inconclusive);
    tile(page, OUTCOME_NOT_RUN, all->not_run);
    tile(page, OUTCOME_PASS, all->pass);
    tile(page, OUTCOME_RECORDED, all->records);
    html_markup(out, "</div></div>\n");
}

static size_t count_verdicts(const struct judgement *judgement, const char *scope)
{
    size_t count = 0;

    for (size_t i = 0; i < judgement->verdict_count; i++)
        count += strcmp(judgement->verdicts[i].scope, scope) == 0;
    return count;
}

/* "1,250 in 10 units, 12 of them spare" */
static const char *scope_of_hosts(struct page *page)
{
    const struct record *record = page->view->record;
    size_t units = count_verdicts(&record->judgement, "unit"), spares = 0;
    const char *text = count_text(page->arena, record->plan->hosts.count);

    for (size_t i = 0; i < record->plan->hosts.count; i++)
        spares += record->plan->hosts.items[i]->role == ROLE_SPARE;
    if (units > 0)
        text = sayf(page, TEXT_HOSTS_IN_UNITS, text, number(page, units));
    return spares > 0 ? sayf(page, TEXT_HOSTS_SPARE, text, number(page, spares)) : text;
}

/* What was seen counts; what the hostfile says is only what was promised. */
static const char *scope_of_gpus(struct page *page)
{
    const struct plan *plan = page->view->record->plan;
    size_t seen = 0, declared = 0;

    for (size_t i = 0; i < page->sightings.items.count; i++)
        seen += page->sightings.items.items[i].kind == ITEM_GPU;
    for (size_t i = 0; i < plan->hosts.count; i++)
        declared += plan->hosts.items[i]->slots;
    return sayf(page, TEXT_GPUS_SEEN, number(page, seen),
                declared > 0 ? number(page, declared) : say(page, TEXT_NONE));
}

/* The agreed test plan: the suite as a file that both sides can hash. */
static const char *plan_document(struct page *page)
{
    const struct record *record = page->view->record;

    for (size_t i = 0; i < record->documents.count; i++)
        if (strcmp(record->documents.items[i].kind, "suite") == 0)
            return sayf(page, TEXT_DOCUMENT_HASH, record->documents.items[i].name,
                        record->documents.items[i].sha256);
    return say(page, TEXT_SUITE_NOT_KEPT);
}

static void write_identity(struct page *page)
{
    const struct record *record = page->view->record;
    struct text *out = page->out;

    html_markup(out, "<dl class=\"identity\">\n");
    page_pair(page, TEXT_CLUSTER, record->hostfile);
    page_pair(page, TEXT_SUITE, sayf(page, TEXT_SUITE_NAMED, said(page, record->suite_title), record->suite));
    page_pair(page, TEXT_HOSTS, scope_of_hosts(page));
    page_pair(page, TEXT_GPUS, scope_of_gpus(page));
    page_pair(page, TEXT_GATES_OWED,
              sayf(page, TEXT_GATES_VALUED, number(page, page->view->coverage.gates),
                   number(page, page->view->coverage.measured)));
    page_pair(page, TEXT_RUN,
              sayf(page, TEXT_RUN_STATE, arena_printf(page->arena, "%lld", record->number),
                   said(page, run_state_name(record->state))));
    page_pair(page, TEXT_RUN_UUID, record->uuid);
    if (record->origin != NULL)
        page_pair(page, TEXT_ORIGIN, origin_came(page->arena, page->language, record->origin));
    page_pair(page, TEXT_JUDGEMENT,
              record->judgement.uuid != NULL ? record->judgement.uuid : say(page, TEXT_NONE));
    for (size_t i = 0; i < record->documents.count; i++)
        if (strcmp(record->documents.items[i].kind, CHANGE_DOCUMENT) == 0)
            page_pair(page, TEXT_CHANGED, said(page, record->documents.items[i].name));
    page_pair(page, TEXT_STARTED, when(page, record->started));
    page_pair(page, TEXT_ENDED, record->ended > 0 ? when(page, record->ended) : say(page, TEXT_NOT_ENDED));
    page_pair(page, TEXT_DURATION,
              record->ended > 0 ? how_long(page, record->ended - record->started)
                                : say(page, TEXT_NOT_ENDED));
    page_said_pair(page, TEXT_JUDGED_AGAINST,
                   record->judgement.baselines != NULL ? record->judgement.baselines : "");
    page_pair(page, TEXT_MEASURED_WITH, record->program);
    html_markup(out, "<div class=\"wide\"><dt>");
    html_text(out, say(page, TEXT_TEST_PLAN));
    html_markup(out, "</dt><dd>");
    html_code(out, plan_document(page));
    html_markup(out, "</dd></div>\n</dl>\n");
}

static void write_verdict_row(struct page *page, const struct verdict *verdict)
{
    struct text *out = page->out;

    html_markup(out, "<tr>");
    html_row_head(out, *verdict->name != '\0' ? verdict->name : say(page, TEXT_NO_UNIT));
    html_markup(out, "<td><span class=\"vw");
    verdict_class(out, verdict->word);
    html_markup(out, "\">");
    html_textf(out, "%s %s", verdict_symbol(verdict->word),
               said(page, standing_verdict(&page->view->record->standing, verdict->word)));
    html_markup(out, "</span></td>");
    count_cell(page, verdict->fail);
    count_cell(page, verdict->inconclusive);
    count_cell(page, verdict->not_run);
    count_cell(page, verdict->pass);
    count_cell(page, verdict->recorded);
    html_markup(out, "</tr>\n");
}

static void write_unit_verdicts(struct page *page)
{
    const struct judgement *judgement = &page->view->record->judgement;

    if (count_verdicts(judgement, "unit") == 0)
        return;
    page_table(page, "units", COLUMN(UNIT), COLUMN(VERDICT), COLUMN(C_FAIL), COLUMN(C_INCONCLUSIVE),
               COLUMN(C_NOT_RUN), COLUMN(C_PASS), COLUMN(C_RECORDED));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = 0; i < judgement->verdict_count; i++)
        if (strcmp(judgement->verdicts[i].scope, "unit") == 0)
            write_verdict_row(page, &judgement->verdicts[i]);
    html_markup(page->out, "</tbody></table>\n");
}

static const char *kind_text(const struct page *page)
{
    const struct standing *standing = &page->view->record->standing;

    return standing_is_acceptance(standing)
               ? say(page, TEXT_KIND)
               : sayf(page, TEXT_KIND_OTHER, said(page, run_kind_title(standing->kind)));
}

void page_title(struct page *page)
{
    struct text *out = page->out;

    html_markup(out, "<header>\n<p class=\"kind\">");
    html_text(out, kind_text(page));
    html_markup(out, "</p>\n<h1>");
    html_text(out, page->view->record->hostfile);
    html_markup(out, "</h1>\n<p class=\"subtitle\">");
    html_text(out, sayf(page, TEXT_SUBTITLE, said(page, page->view->record->suite_title),
                        arena_printf(page->arena, "%lld", page->view->record->number),
                        when(page, page->view->record->started)));
    html_markup(out, "</p>\n");
    write_verdict(page);
    write_unit_verdicts(page);
    write_identity(page);
    html_markup(out, "</header>\n");
}

/* -- Entries ----------------------------------------------------------------------------------------------
 */

enum { ITEMS_LISTED = 64, EVIDENCE_LINKED = 6 };

/* Links to the attempts behind the entry, each step's named once; behind whom isolation names are the tests of parts. */
static void write_evidence_links(struct page *page, const struct report_entry *entry)
{
    const struct accusation *accusation = entry->accusation;
    size_t linked = 0, last = (size_t)-1, count = accusation != NULL ? accusation->step_count : entry->items;

    for (size_t i = 0; i < count && linked < EVIDENCE_LINKED; i++) {
        size_t step = accusation != NULL ? accusation->steps[i] : entry->outcomes[i]->step;

        for (size_t k = 0; step != last && k < page->view->steps[step].attempts.count; k++, linked++) {
            const struct attempt *attempt = page->view->steps[step].attempts.items[k];

            html_text(page->out, linked > 0 ? ", " : "");
            html_shape(page->out, "<a href=\"#e@\">", (double)view_attempt_index(page->view, attempt));
            html_text(page->out, sayf(page, TEXT_ATTEMPT_OF,
                                      said(page, step_target(page->arena, page->view->steps[step].step)),
                                      number(page, attempt->n)));
            html_markup(page->out, "</a>");
        }
        last = step;
    }
    if (linked >= EVIDENCE_LINKED)
        html_text(page->out, say(page, TEXT_MORE_IN_APPENDIX));
    if (linked == 0)
        html_text(page->out, say(page, TEXT_NOTHING_RUN));
}

static void write_item_row(struct page *page, const struct outcome *outcome, bool named)
{
    const struct slot *slot = view_slot(page->view, outcome);
    struct text *out = page->out;

    html_markup(out, "<tr>");
    if (named)
        page_said_cell(page, step_target(page->arena, page->view->steps[outcome->step].step));
    page_metric_cell(page, slot->metric, slot_at_text(page->arena, slot));
    html_cell(out, *slot->subject != '\0' ? slot->subject : "\xe2\x80\x93");
    html_cell(out, *outcome->measured != '\0' ? outcome->measured : say(page, TEXT_NOTHING));
    page_said_cell(page, *outcome->gate != '\0' ? outcome->gate : say(page, TEXT_NONE_APPLIED));
    page_said_cell(page, limit_origin(page->arena, outcome->status, outcome->source));
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
        count_cell(page, line->items);
        page_said_cell(page, line->subjects);
        page_said_cell(page, line->gate);
        page_said_cell(page, limit_origin(page->arena, line->status, line->source));
        html_markup(out, "</tr>\n");
    }
    html_markup(out, "</tbody></table>\n");
}

/* Whether the subject speaks of that place: "gpu2->gpu5" of gpu2, and not of gpu25. */
static bool speaks_of(const char *subject, const char *position)
{
    size_t length = strlen(position);

    for (const char *at = strstr(subject, position); at != NULL; at = strstr(at + 1, position))
        if (at[length] < '0' || at[length] > '9')
            return true;
    return false;
}

static bool is_accused(const struct page *page, const struct report_entry *entry,
                       const struct sighting *sighting)
{
    for (size_t i = 0; i < entry->items && i < ITEMS_LISTED; i++) {
        const struct step *step = page->view->steps[entry->outcomes[i]->step].step;

        if (step->member_count == 1 && view_host(page->view, step->members[0]) == sighting->host &&
            speaks_of(view_slot(page->view, entry->outcomes[i])->subject, sighting->position))
            return true;
    }
    return false;
}

/* The hardware that the failure is about, by what is printed on it: who mends it must not have to look. */
static void write_hardware(struct page *page, const struct report_entry *entry)
{
    enum { MOST_NAMED = 8 };
    size_t named = 0;

    for (size_t i = 0; i < page->sightings.items.count; i++) {
        const struct sighting *sighting = &page->sightings.items.items[i];

        if (!item_kind_is_hardware(sighting->kind) || *sighting->position == '\0' ||
            !is_accused(page, entry, sighting))
            continue;
        if (named++ >= MOST_NAMED)
            continue;
        html_markup(page->out, "<div><dt>");
        html_text(page->out, named == 1 ? say(page, TEXT_HARDWARE) : "");
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

/* For a pen: who mends it, and until when. */
static void write_to_do(struct page *page)
{
    struct text *out = page->out;

    html_markup(out, "<div class=\"todo\"><dt>");
    html_text(out, say(page, TEXT_TO_BE_MENDED));
    html_markup(out, "</dt><dd>");
    html_text(out, say(page, TEXT_MENDED_BY));
    html_markup(out, " <span class=\"blank\"></span> ");
    html_text(out, say(page, TEXT_MENDED_UNTIL));
    html_markup(out, " <span class=\"blank\"></span></dd></div>\n");
}

static void write_failure(struct page *page, size_t index)
{
    const struct report_entry *entry = &page->entries[index];
    struct text *out = page->out;

    html_shape(out, "<article class=\"entry\" id=\"n@\">\n<h3>", (double)(index + 1));
    page_word(page, entry->word);
    html_shape(out, " <span class=\"nr\">@</span> ", (double)(index + 1));
    page_said(page, entry->target);
    html_markup(out, " <span class=\"sep\">\xe2\x80\xba</span> ");
    html_text(out, entry->check);
    if (*entry->subjects != '\0') {
        html_markup(out, " <span class=\"sep\">\xe2\x80\xba</span> ");
        page_said(page, entry->subjects);
    }
    html_markup(out, "</h3>\n<dl>\n");
    page_said_pair(page, TEXT_FOUND, entry->cause);
    page_said_pair(page, TEXT_WHAT_TO_DO, *entry->remedy != '\0' ? entry->remedy : say(page, TEXT_NO_REMEDY));
    if (*entry->waiver != '\0')
        page_said_pair(page, TEXT_WAIVED_BY, entry->waiver);
    write_hardware(page, entry);
    write_to_do(page);
    html_markup(out, "<div><dt>");
    html_text(out, say(page, TEXT_EVIDENCE));
    html_markup(out, "</dt><dd>");
    write_evidence_links(page, entry);
    html_markup(out, "</dd></div>\n</dl>\n");
    if (entry->items > ITEMS_LISTED)
        write_gate_lines(page, entry);
    else if (entry->items > 0)
        write_items(page, entry);
    html_markup(out, "</article>\n");
}

static void write_out_of_use(struct page *page)
{
    struct out_of_use lines;

    out_of_use(page->view, page->entries, page->entry_count, &lines);
    if (lines.lines.count == 0)
        return;
    html_markup(page->out, "<h3>");
    html_text(page->out, say(page, TEXT_OUT_OF_USE));
    html_markup(page->out, "</h3>\n");
    page_paragraph(page, TEXT_OUT_OF_USE_INTRO);
    html_markup(page->out, "<pre>");
    for (size_t i = 0; i < lines.lines.count; i++) {
        html_text(page->out, lines.lines.items[i]);
        html_markup(page->out, "\n");
    }
    html_markup(page->out, "</pre>\n");
}

void page_failures(struct page *page)
{
    size_t failures = 0;

    while (failures < page->entry_count && page->entries[failures].word == OUTCOME_FAIL)
        failures++;
    if (failures == 0) {
        page_paragraph(page, TEXT_NO_FAILURE);
        return;
    }
    html_markup(page->out, "<p>");
    html_text(page->out, sayf(page, TEXT_FAILURES_INTRO, number(page, failures),
                              number(page, page->view->coverage.fail)));
    html_markup(page->out, "</p>\n");
    for (size_t i = 0; i < failures; i++)
        write_failure(page, i);
    write_out_of_use(page);
}

static void write_undecided_row(struct page *page, size_t index)
{
    const struct report_entry *entry = &page->entries[index];
    struct gate_lines lines;
    struct text *out = page->out;

    html_shape(out, "<tbody id=\"n@\"><tr><td>", (double)(index + 1));
    page_word(page, entry->word);
    html_markup(out, "</td>");
    html_row_head(out, said(page, entry->target));
    html_markup(out, "<td>");
    html_text(out, entry->check);
    if (*entry->subjects != '\0') {
        html_markup(out, "<br><small>");
        page_said(page, entry->subjects);
        html_markup(out, "</small>");
    }
    html_markup(out, "</td>");
    page_said_cell(page, entry->cause);
    page_said_cell(page, *entry->remedy != '\0' ? entry->remedy : "\xe2\x80\x93");
    count_cell(page, entry->items);
    html_markup(out, "</tr>\n<tr class=\"sub\"><td></td><td colspan=\"5\">");
    gate_lines_of_entry(page->view, entry, &lines);
    for (size_t i = 0; i < lines.items.count; i++) {
        const struct gate_line *line = &lines.items.items[i];

        html_text(out, i > 0 ? "; " : say(page, TEXT_GATES_LIST));
        html_markup(out, "<code>");
        html_text(out, line->metric);
        html_markup(out, "</code>");
        if (*line->at != '\0') {
            html_text(out, say(page, TEXT_AT));
            page_said(page, line->at);
        }
        if (line->items > 1)
            html_textf(out, " \xc3\x97 %zu", line->items);
        if (*line->gate != '\0') {
            html_text(out, " ");
            page_said(page, line->gate);
        }
    }
    html_markup(out, "</td></tr></tbody>\n");
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
    page_table(page, "undecided", COLUMN(OUTCOME), COLUMN(TARGET), COLUMN(STEP), COLUMN(REASON),
               COLUMN(WHAT_TO_DO), NUMBERS(GATES));
    for (size_t i = first; i < page->entry_count; i++)
        write_undecided_row(page, i);
    html_markup(page->out, "</table>\n");
}

/* -- Remarks ----------------------------------------------------------------------------------------------
 */

bool page_has_remarks(const struct page *page)
{
    return page->view->coverage.remarks > 0;
}

static void write_remark_line(struct page *page, const struct remark_line *line)
{
    struct text *out = page->out;

    html_markup(out, "<tr><td>");
    html_text(out, line->gate.suite_step);
    html_markup(out, "<br><small>");
    page_said(page, line->targets);
    html_markup(out, "</small></td>");
    page_metric_cell(page, line->gate.metric, line->gate.at);
    page_said_cell(page, line->gate.gate);
    page_said_cell(page, limit_origin(page->arena, line->gate.status, line->gate.source));
    count_cell(page, line->gate.items);
    page_said_cell(page, line->example);
    html_markup(out, "</tr>\n");
}

void page_remarks(struct page *page)
{
    struct remark_lines lines;

    remark_lines_of_run(page->view, &lines);
    page_paragraph(page, TEXT_REMARKS_INTRO);
    page_table(page, "compact", COLUMN(STEP_TARGETS), COLUMN(METRIC), COLUMN(LIMIT), COLUMN(LIMIT_FROM),
               NUMBERS(ITEMS), COLUMN(FIRST_OF_THEM));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = 0; i < lines.items.count; i++)
        write_remark_line(page, &lines.items.items[i]);
    html_markup(page->out, "</tbody></table>\n");
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

struct coverage_row {
    const char *name;
    size_t targets;
    struct coverage sum;
};
struct coverage_rows {
    LIST_OF(struct coverage_row) items;
};

/* Steps of one name stand together: the row before is nearly always the one. */
static struct coverage_row *find_row(struct page *page, struct coverage_rows *rows, const char *name)
{
    for (size_t i = rows->items.count; i > 0; i--)
        if (strcmp(rows->items.items[i - 1].name, name) == 0)
            return &rows->items.items[i - 1];
    *list_push(page->arena, &rows->items) = (struct coverage_row){.name = name};
    return &rows->items.items[rows->items.count - 1];
}

void page_coverage(struct page *page)
{
    const struct view *view = page->view;
    struct coverage_rows rows = {0};

    page_paragraph(page, TEXT_COVERAGE_INTRO);
    page_table(page, "coverage", COLUMN(STEP), COLUMN(TARGETS), COLUMN(GATES_OWED), COLUMN(MEASURED),
               COLUMN(PASSED), COLUMN(FAILED), COLUMN(INCONCLUSIVE), COLUMN(NOT_RUN), COLUMN(RECORDED));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = 0; i < view->step_count; i++) {
        struct coverage_row *row = find_row(page, &rows, view->steps[i].step->shape->suite_step);

        coverage_add(&row->sum, &view->steps[i].coverage);
        row->targets++;
    }
    for (size_t i = 0; i < rows.items.count; i++)
        write_coverage_row(page, rows.items.items[i].name, rows.items.items[i].targets,
                           &rows.items.items[i].sum);
    html_markup(page->out, "</tbody><tfoot>\n");
    write_coverage_row(page, say(page, TEXT_ALL_STEPS), view->step_count, &view->coverage);
    html_markup(page->out, "</tfoot></table>\n");
}

/* -- Matrix -----------------------------------------------------------------------------------------------
 */

static void write_matrix_head(struct page *page)
{
    html_markup(page->out, "<table class=\"matrix\"><thead><tr><th>");
    html_text(page->out, say(page, TEXT_HOST));
    html_markup(page->out, "</th>");
    for (size_t i = 0; i < page->matrix->columns.count; i++) {
        html_markup(page->out, "<th><span>");
        html_text(page->out, page->matrix->columns.items[i]);
        html_markup(page->out, "</span></th>");
    }
    html_markup(page->out, "<th><span>");
    html_text(page->out, say(page, TEXT_VERDICT));
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
        verdict_class(out, verdict->word);
        html_markup(out, "\">");
        page_said(page, standing_verdict(&page->view->record->standing, verdict->word));
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
    const char *members = said(page, step_target(page->arena, step));

    if (step->origin_note == NULL || *step->origin_note == '\0')
        return members;
    if (step->origin == ORIGIN_SUITE)
        return sayf(page, TEXT_NOTED, members, said(page, step->origin_note));
    return sayf(page, TEXT_NOTED_ORIGIN, members, said(page, origin_name(step->origin)),
                said(page, step->origin_note));
}

static void write_shared_steps(struct page *page)
{
    const struct view *view = page->view;
    bool any = false;

    for (size_t i = 0; i < view->step_count; i++) {
        const struct step *step = view->steps[i].step;

        if (step->member_count < 2 || step->origin == ORIGIN_ISOLATE)
            continue;
        if (!any)
            open_shared_steps(page);
        any = true;
        html_markup(page->out, "<tr>");
        html_row_head(page->out, step->shape->suite_step);
        html_cell(page->out, members_text(page, step));
        html_markup(page->out, "<td>");
        page_word_link(page, view->steps[i].word, i);
        html_markup(page->out, "</td>");
        html_cell(page->out, sayf(page, TEXT_OF, number(page, view->steps[i].coverage.pass),
                                  number(page, view->steps[i].coverage.gates)));
        html_markup(page->out, "</tr>\n");
    }
    if (any)
        html_markup(page->out, "</tbody></table>\n");
}

void page_matrix(struct page *page)
{
    const struct matrix *matrix = page->matrix;
    const char *unit = "";

    page_paragraph(page, TEXT_MATRIX_INTRO);
    if (matrix->folded)
        page_paragraph(page, TEXT_MATRIX_FOLDED);
    if (matrix->folded)
        page_map(page);
    write_matrix_head(page);
    for (size_t i = 0; i < matrix->rows.count; i++) {
        if (strcmp(matrix->rows.items[i].unit, unit) != 0) {
            unit = matrix->rows.items[i].unit;
            html_shape(page->out, "<tr class=\"unit\"><th colspan=\"@\">", (double)matrix->columns.count + 2);
            html_text(page->out,
                      *unit != '\0' ? sayf(page, TEXT_UNIT_NAMED, unit) : say(page, TEXT_UNIT_NONE));
            html_markup(page->out, "</th></tr>\n");
        }
        write_matrix_row(page, &matrix->rows.items[i]);
    }
    html_markup(page->out, "</tbody></table>\n");
    write_shared_steps(page);
}

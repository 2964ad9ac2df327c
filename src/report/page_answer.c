/* SPDX-License-Identifier: Apache-2.0 */
/* The first screen: verdict, what to fix, the fleet, and what the run was. */
#include <string.h>

#include "assay/base/printable.h"
#include "frame.h"
#include "marks.h"
#include "page.h"

static void tile(struct page *page, enum outcome_word word, size_t count)
{
    if (count == 0)
        html_markup(page->out, "<div class=\"tile zero\"><div class=\"count\">");
    else
        html_markup(page->out, "<div class=\"tile\"><div class=\"count\">");
    html_words(page->out, count_text(page->arena, count));
    html_markup(page->out, "</div>");
    page_word(page, word);
    html_markup(page->out, "</div>\n");
}

/* Of how many lines the text is where so many letters stand in one, about. */
static unsigned lines_of(const char *text, unsigned letters)
{
    return ((unsigned)printable_width(text) + letters - 1) / letters;
}

/* Returns how many lines its paragraphs take on paper, about. */
static unsigned write_verdict(struct page *page)
{
    enum { LETTERS = 90 };
    const struct view *view = page->view;
    const char *headline = causes_headline(page->arena, page->language, view, &page->causes);
    struct text *out = page->out;
    const struct reason *caveat = caveat_of_run(page->arena, view->record),
                        *sentence = verdict_sentence(view);
    unsigned lines = lines_of(said(page, sentence), LETTERS);

    html_markup(out, "<div class=\"verdict");
    page_verdict_class(out, view->verdict);
    html_markup(out, "\"><div class=\"word\"><span class=\"symbol\">");
    html_words(out, page_verdict_symbol(view->verdict));
    html_markup(out, "</span> <strong>");
    page_said(page, view->verdict_text);
    html_markup(out, "</strong></div>\n");
    if (view->record->judgement.verdict_count > 0 && *headline != '\0') {
        html_markup(out, "<p class=\"headline\">");
        html_words(out, headline);
        html_markup(out, "</p>\n");
    }
    if (!standing_is_acceptance(&view->record->standing)) { /* nobody signs it */
        html_markup(out, "<p class=\"standing\">");
        page_said(page, standing_sentence(page->arena, &view->record->standing));
        html_markup(out, "</p>\n");
    }
    html_markup(out, "<p>");
    page_said(page, sentence);
    html_markup(out, "</p>");
    if (view->verdict_note != NULL) {
        lines += lines_of(said(page, view->verdict_note), LETTERS);
        html_markup(out, "<p class=\"note\">");
        page_said(page, view->verdict_note);
        html_markup(out, "</p>");
    }
    if (caveat != NULL) {
        lines += lines_of(said(page, caveat), LETTERS);
        html_markup(out, "<p class=\"note\">");
        page_said(page, caveat);
        html_markup(out, "</p>");
    }
    if (view->record->origin != NULL) {
        lines += lines_of(origin_note(page->arena, page->language, view->record), LETTERS);
        html_markup(out, "<p class=\"note\">");
        html_words(out, origin_note(page->arena, page->language, view->record));
        html_markup(out, "</p>");
    }
    html_markup(out, "</div>\n");
    return lines;
}

static void write_tiles(struct page *page)
{
    const struct coverage *all = &page->view->coverage;

    html_markup(page->out, "<div class=\"tiles\">\n");
    tile(page, OUTCOME_FAIL, all->fail);
    tile(page, OUTCOME_INCONCLUSIVE, all->inconclusive);
    tile(page, OUTCOME_NOT_RUN, all->not_run);
    tile(page, OUTCOME_PASS, all->pass);
    tile(page, OUTCOME_RECORDED, all->records);
    html_markup(page->out, "</div>\n");
}

/* -- What to fix: a line for each cause --------------------------------------------------------------------- */

/* Of several hosts the card says it. */
static void write_marks(struct page *page, const struct report_cause *cause)
{
    struct mark_list marks;

    cause_marks(page->arena, page->language, page->view, &page->sightings, cause, &marks);
    for (size_t i = 0; i < marks.items.count; i++)
        page_small(page, marks.items.items[i]);
}

/* "node[89,147,156]" has no blank to be broken at. */
static void write_target(struct page *page, const struct reason *target)
{
    const char *rest = said(page, target);

    for (const char *comma; (comma = strchr(rest, ',')) != NULL; rest = comma + 1) {
        html_words(page->out, arena_strndup(page->arena, rest, (size_t)(comma + 1 - rest)));
        html_markup(page->out, "<wbr>");
    }
    html_words(page->out, rest);
}

static void write_line(struct page *page, size_t index, bool printed)
{
    const struct report_cause *cause = &page->causes.items.items[index];
    const char *part = cause_part(page->arena, page->language, page->view, page->entries, cause);
    const struct reason *hands = cause_hands(page->arena, page->view, page->entries, cause, true);
    struct text *out = page->out;

    page_open_row(page, printed);
    html_markup(out, "<th scope=\"row\"><span");
    html_word_class(out, cause->word);
    html_markup(out, "><b>");
    html_words(out, word_symbol(cause->word));
    html_markup(out, "</b></span> ");
    if (cause->word == OUTCOME_FAIL)
        html_shape(out, "<a href=\"#k@\">", (double)(index + 1));
    else
        html_shape(out, "<a href=\"#n@\">", (double)(cause->entries.items[0] + 1));
    write_target(page, cause->target);
    html_markup(out, "</a>");
    if (hands != NULL)
        page_small(page, said(page, hands));
    html_markup(out, "</th><td>");
    html_words(out, *part != '\0'                                  ? part
                    : cause->blames && cause->extent != EXTENT_RUN ? say(page, TEXT_PART_HOST)
                                                                   : "\xe2\x80\x93");
    write_marks(page, cause);
    html_markup(out, "</td><td>");
    html_words(out, cause_problem(page->arena, page->language, page->view, page->entries, cause));
    html_markup(out, "</td><td>");
    if (cause->waived)
        page_said(page, page->entries[cause->entries.items[0]].waiver);
    else
        page_advice(page, cause, false);
    html_markup(out, "</td></tr>\n");
}

/* What waits for a single one stands on its card. */
static void write_blocked_together(struct page *page)
{
    const struct report_causes *causes = &page->causes;
    const char *gates = number(page, causes->blocked_together);
    const char *of = say(page, causes->to_decide == 0                 ? TEXT_THE_FAULTS
                               : causes->to_fix + causes->waived == 0 ? TEXT_THE_POINTS
                                                                      : TEXT_THE_FAULTS_AND_POINTS);

    if (causes->blocked_together == 0)
        return;
    html_markup(page->out, "<p class=\"more\">");
    html_words(page->out,
               causes->blocked_across == causes->blocked_together
                   ? sayf(page, TEXT_BLOCKED_ALL_ACROSS, gates, of)
                   : sayf(page, TEXT_BLOCKED_TOGETHER, gates, number(page, causes->blocked_across), of));
    html_markup(page->out, "</p>\n");
}

/* How high the line is on paper, in pixels, about: its cells are columns of so many letters. */
static unsigned height_on_paper(struct page *page, const struct report_cause *cause)
{
    enum { TARGET = 18, PART = 21, PROBLEM = 38, ADVICE = 46, LINE_HEIGHT = 12, BETWEEN = 5 };
    const struct reason *hands = cause_hands(page->arena, page->view, page->entries, cause, true);
    struct said_list advice;
    struct mark_list marks;
    unsigned cells[4];
    unsigned most = 0;

    cause_marks(page->arena, page->language, page->view, &page->sightings, cause, &marks);
    cause_advice(page->arena, page->language, page->view, page->entries, cause, false, &advice);
    cells[0] = lines_of(said(page, cause->target), TARGET) + lines_of(said(page, hands), TARGET);
    cells[1] = lines_of(cause_part(page->arena, page->language, page->view, page->entries, cause), PART) +
               (cause->parts.count == 0); /* "whole host" */
    for (size_t i = 0; i < marks.items.count; i++)
        cells[1] += lines_of(marks.items.items[i], PART);
    cells[2] =
        lines_of(cause_problem(page->arena, page->language, page->view, page->entries, cause), PROBLEM);
    cells[3] = lines_of(cause->waived ? said(page, page->entries[cause->entries.items[0]].waiver)
                                      : said_joined(page->arena, &advice),
                        ADVICE);
    for (size_t i = 0; i < ARRAY_SIZE(cells); i++)
        most = cells[i] > most ? cells[i] : most;
    return most * LINE_HEIGHT + BETWEEN;
}

/* So many lines that the place to sign stands below them on the same page, of A4 as of Letter; one at least. */
static size_t lines_on_paper(struct page *page, unsigned verdict_lines)
{
    enum { ROOM = 385, VERDICT_LINE = 13, FLEET_OF_MANY = 80, FEW_HOSTS = 32 };
    unsigned height = verdict_lines * VERDICT_LINE +
                      (page->view->record->plan->hosts.count > FEW_HOSTS ? FLEET_OF_MANY : 0);
    size_t lines = 0;

    for (; lines < page->causes.items.count; lines++) {
        height += height_on_paper(page, &page->causes.items.items[lines]);
        if (height > ROOM && lines > 0)
            break;
    }
    return lines;
}

/* More lines than a screen or a page of paper has are not read there: they are counted, and their cards stand below. */
static void write_answer(struct page *page, unsigned verdict_lines)
{
    enum { LINES = 12 };
    size_t count = page->causes.items.count, printed = lines_on_paper(page, verdict_lines);

    if (count == 0)
        return;
    printed = printed < LINES ? printed : LINES;
    page_table(page, "answer", COLUMN(A_HOST_WHO), COLUMN(A_PART), COLUMN(A_PROBLEM), COLUMN(WHAT_TO_DO));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = 0; i < count && i < LINES; i++)
        write_line(page, i, i < printed);
    html_markup(page->out, "</tbody></table>\n");
    if (count > printed) {
        html_markup(page->out, "<p class=\"more on-paper\">");
        html_words(page->out, sayf(page, TEXT_A_MORE, number(page, count - printed)));
        html_markup(page->out, "</p>\n");
    }
    if (count > LINES) {
        html_markup(page->out, "<p class=\"more on-screen\"><a href=\"#failures\">");
        html_words(page->out, sayf(page, TEXT_A_MORE, number(page, count - LINES)));
        html_markup(page->out, "</a></p>\n");
    }
    write_blocked_together(page);
}

/* "1,250 in 10 units, 12 of them spare" */
static const char *scope_of_hosts(struct page *page)
{
    const struct record *record = page->view->record;
    size_t units = page_count_verdicts(page, "unit"), spares = 0;
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
    const struct document *suite = document_find(&page->view->record->documents, "suite");

    return suite != NULL ? sayf(page, TEXT_DOCUMENT_HASH, suite->name, suite->sha256)
                         : say(page, TEXT_SUITE_NOT_KEPT);
}

static void write_identity(struct page *page)
{
    const struct record *record = page->view->record;
    struct text *out = page->out;

    html_markup(out, "<dl class=\"identity\">\n");
    page_pair(page, TEXT_CLUSTER, names_file(record->hostfile));
    page_pair(page, TEXT_SUITE, sayf(page, TEXT_SUITE_NAMED, word(page, record->suite_title), record->suite));
    page_pair(page, TEXT_HOSTS, scope_of_hosts(page));
    page_pair(page, TEXT_GPUS, scope_of_gpus(page));
    page_pair(page, TEXT_GATES_OWED,
              sayf(page, TEXT_GATES_VALUED, number(page, page->view->coverage.gates),
                   number(page, page->view->coverage.pass + page->view->coverage.fail)));
    page_pair(page, TEXT_RUN,
              sayf(page, TEXT_RUN_STATE, arena_printf(page->arena, "%lld", record->number),
                   word(page, run_state_name(record->state))));
    page_pair(page, TEXT_RUN_UUID, record->uuid);
    if (record->origin != NULL)
        page_pair(page, TEXT_ORIGIN, origin_came(page->arena, page->language, record->origin));
    page_pair(page, TEXT_JUDGEMENT,
              record->judgement.uuid != NULL ? record->judgement.uuid : say(page, TEXT_NONE));
    for (size_t i = 0; i < record->documents.count; i++)
        if (strcmp(record->documents.items[i].kind, CHANGE_DOCUMENT) == 0)
            page_pair(page, TEXT_CHANGED,
                      said(page, reason_decode(page->arena, record->documents.items[i].name)));
    page_pair(page, TEXT_STARTED, when(page, record->started));
    page_pair(page, TEXT_ENDED, record->ended > 0 ? when(page, record->ended) : say(page, TEXT_NOT_ENDED));
    page_pair(page, TEXT_DURATION,
              record->ended > 0 ? how_long(page, record->ended - record->started)
                                : say(page, TEXT_NOT_ENDED));
    html_markup(out, "<div class=\"long\"><dt>");
    html_words(out, say(page, TEXT_JUDGED_AGAINST));
    html_markup(out, "</dt><dd>");
    page_said(page, record->judgement.baselines);
    html_markup(out, "</dd></div>\n");
    page_pair(page, TEXT_MEASURED_WITH, record->program);
    html_markup(out, "<div class=\"wide\"><dt>");
    html_words(out, say(page, TEXT_TEST_PLAN));
    html_markup(out, "</dt><dd>");
    html_code(out, plan_document(page));
    html_markup(out, "</dd></div>\n</dl>\n");
}

static const char *kind_text(const struct page *page)
{
    const struct standing *standing = &page->view->record->standing;

    return standing_is_acceptance(standing)
               ? say(page, TEXT_KIND)
               : sayf(page, TEXT_KIND_OTHER, word(page, run_kind_title(standing->kind)));
}

/* "customer Acme - site Oslo - contract A-17 - Hand-over of 8-GPU hosts - run 12 - 2026-03-01 12:00:00 UTC" */
static const char *subtitle_text(struct page *page)
{
    const struct record *record = page->view->record;
    return arena_printf(page->arena, "%s%s", names_said(page->arena, page->language, &page->names),
                        sayf(page, TEXT_SUBTITLE, word(page, record->suite_title),
                             arena_printf(page->arena, "%lld", record->number), when(page, record->started)));
}

/* The first screen, and the first page on paper: what was decided, what to fix, where it stands. On paper it is signed
   right below; on the screen the place for that is the last section. */
void page_answer(struct page *page)
{
    struct text *out = page->out;
    unsigned lines;

    html_markup(out, "<header>\n");
    frame_simulated(out, page->language, plan_timescale(page->view->record->plan));
    html_markup(out, "<p class=\"kind\">");
    html_words(out, kind_text(page));
    html_markup(out, "</p>\n<h1>");
    html_words(out, page->names.title);
    html_markup(out, "</h1>\n<p class=\"subtitle\">");
    html_text(out, subtitle_text(page));
    html_markup(out, "</p>\n");
    lines = write_verdict(page);
    page_fleet(page);
    write_answer(page, lines);
    page_reached_short(page);
    write_tiles(page);
    write_identity(page);
    html_markup(out, "</header>\n");
    if (standing_is_acceptance(&page->view->record->standing)) {
        html_markup(out, "<div class=\"on-paper signing\">\n");
        page_heading(page, TEXT_SIGN_OFF);
        page_sign_off(page);
        html_markup(out, "</div>\n");
    }
}

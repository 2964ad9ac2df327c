/* SPDX-License-Identifier: Apache-2.0 */
/* An acceptance as one HTML page without outside resources: verdict, units, what is wrong, what was reached, what is missing, story. */
#include "acceptance_tables.h"
#include "assay/model/acceptance.h"
#include "assay/report/report.h"
#include "frame.h"
#include "html.h"
#include "names.h"
#include "page.h"
#include "report_formats.h"
#include "unjudged.h"

struct leaf {
    struct page page;
    const struct acceptance *acceptance;
    struct unjudged_list unjudged;
};

/* -- Words and small parts ------------------------------------------------------------------------------------- */

static const char *digits(const struct leaf *leaf, size_t count)
{
    return arena_printf(leaf->page.arena, "%zu", count);
}

static const char *unit_name(const struct leaf *leaf, const char *unit)
{
    return *unit != '\0' ? unit : say(&leaf->page, TEXT_A_WHOLE);
}

static void verdict_cell(struct leaf *leaf, enum verdict_word verdict)
{
    html_markup(leaf->page.out, "<td><span class=\"vw");
    page_verdict_class(leaf->page.out, verdict);
    html_markup(leaf->page.out, "\">");
    html_words(leaf->page.out, word(&leaf->page, verdict_name(verdict)));
    html_markup(leaf->page.out, "</span></td>");
}

static void number_cell(struct leaf *leaf, size_t count)
{
    html_number_cell(leaf->page.out, digits(leaf, count));
}

static void heading(struct leaf *leaf, enum text_key key)
{
    html_markup(leaf->page.out, "<h2>");
    html_words(leaf->page.out, say(&leaf->page, key));
    html_markup(leaf->page.out, "</h2>\n");
}

static void head_cell(struct leaf *leaf, const char *text)
{
    html_markup(leaf->page.out, "<th>");
    html_words(leaf->page.out, text);
    html_markup(leaf->page.out, "</th>");
}

/* On a telephone a row is a card. kind: a class that the style sheet has widths for; "". */
#define open_table_of(leaf, kind, heads, count)                                    \
    (html_markup((leaf)->page.out, "<table class=\"cards " kind "\"><thead><tr>"), \
     open_heads((leaf), (heads), (count)))
#define open_table(leaf, heads, count) open_table_of(leaf, "", heads, count)

static void open_heads(struct leaf *leaf, const enum text_key *heads, size_t count)
{
    for (size_t i = 0; i < count; i++)
        head_cell(leaf, say(&leaf->page, heads[i]));
}

static void open_body(struct leaf *leaf)
{
    html_markup(leaf->page.out, "</tr></thead>\n<tbody>\n");
}

static void close_table(struct leaf *leaf)
{
    html_markup(leaf->page.out, "</tbody></table>\n");
}

/* -- The first page -------------------------------------------------------------------------------------------- */

static const char *title_text(struct leaf *leaf)
{
    return sayf(&leaf->page, TEXT_A_TITLE, leaf->acceptance->name,
                said(&leaf->page, acceptance_verdict_text(leaf->page.arena, leaf->acceptance)));
}

/* Spares that stand for nobody are no part of it. Of GPUs what the hostfile declares, where it does so for all hosts. */
static void write_scope(struct leaf *leaf)
{
    const struct acceptance *acceptance = leaf->acceptance;
    size_t hosts = 0, gpus = 0;
    bool declared = true;

    for (size_t i = 0; i < acceptance->plan->hosts.count; i++) {
        const struct host *host = acceptance->plan->hosts.items[i];

        if (host->role != ROLE_COMPUTE)
            continue;
        hosts++;
        gpus += host->slots;
        declared &= host->slots > 0;
    }
    html_pair(leaf->page.out, say(&leaf->page, TEXT_HOSTS),
              sayf(&leaf->page, TEXT_HOSTS_IN_UNITS, digits(leaf, hosts),
                   digits(leaf, acceptance->verdicts.count - 1)));
    if (declared)
        html_pair(leaf->page.out, say(&leaf->page, TEXT_GPUS), digits(leaf, gpus));
}

static void write_verdict(struct leaf *leaf)
{
    const struct acceptance *acceptance = leaf->acceptance;
    const struct reason *caveat = caveat_of_acceptance(leaf->page.arena, acceptance);
    struct text *out = leaf->page.out;

    html_markup(out, "<div class=\"verdict");
    page_verdict_class(out, acceptance->verdicts.items[0].word);
    html_markup(out, "\"><div class=\"word\"><strong>");
    html_words(out, said(&leaf->page, acceptance_verdict_text(leaf->page.arena, acceptance)));
    html_markup(out, "</strong></div>\n");
    html_paragraph(
        leaf->page.out,
        sayf(&leaf->page, TEXT_A_REQUIREMENTS, digits(leaf, acceptance->requirements.count),
             said(&leaf->page, acceptance_counts_text(leaf->page.arena, &acceptance->verdicts.items[0]))));
    if (caveat != NULL)
        html_paragraph(leaf->page.out, said(&leaf->page, caveat));
    if (acceptance->left_out.count > 0)
        html_paragraph(leaf->page.out,
                       sayf(&leaf->page, TEXT_A_LEFT_OUT,
                            said(&leaf->page, acceptance_left_out_text(leaf->page.arena, acceptance))));
    html_markup(out, "</div>\n");
}

static void write_title(struct leaf *leaf)
{
    const struct acceptance *acceptance = leaf->acceptance;
    struct text *out = leaf->page.out;

    html_markup(out, "<header>\n");
    frame_simulated(out, leaf->page.language, acceptance_timescale(acceptance));
    html_markup(out, "<p class=\"kind\">");
    html_words(out, say(&leaf->page, TEXT_A_KIND));
    html_markup(out, "</p>\n<h1>");
    html_words(out, acceptance->name);
    html_markup(out, "</h1>\n<p class=\"subtitle\">");
    html_words(out, acceptance_cluster(leaf->page.arena, leaf->page.language, acceptance));
    html_words(out, sayf(&leaf->page, TEXT_A_AS_OF, time_text(leaf->page.arena, acceptance->now)));
    html_markup(out, "</p>\n");
    write_verdict(leaf);
    html_markup(out, "<dl class=\"identity\">\n");
    html_pair(out, say(&leaf->page, TEXT_ACCEPTANCE_UUID), acceptance->uuid);
    write_scope(leaf);
    html_pair(out, say(&leaf->page, TEXT_A_BEGUN), time_text(leaf->page.arena, acceptance->made));
    html_pair(out, say(&leaf->page, TEXT_A_RUNS_EVENTS),
              sayf(&leaf->page, TEXT_A_AND, digits(leaf, acceptance->runs.count),
                   digits(leaf, acceptance->events.count)));
    html_markup(out, "</dl>\n</header>\n");
}

static void write_units(struct leaf *leaf)
{
    static const enum text_key heads[] = {TEXT_A_UNIT,    TEXT_A_VERDICT, TEXT_A_PASSED, TEXT_A_WAIVED,
                                          TEXT_A_MISSING, TEXT_A_RETEST,  TEXT_A_FAILED};
    const struct acceptance *acceptance = leaf->acceptance;

    html_markup(leaf->page.out, "<section id=\"units\">\n");
    heading(leaf, TEXT_A_UNITS);
    html_markup(leaf->page.out, "<table class=\"units cards\"><thead><tr>");
    for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
        head_cell(leaf, say(&leaf->page, heads[i]));
    open_body(leaf);
    list_each (verdict, acceptance->verdicts) {
        html_markup(leaf->page.out, "<tr>");
        html_row_head(leaf->page.out, unit_name(leaf, verdict->unit));
        verdict_cell(leaf, verdict->word);
        number_cell(leaf, verdict->passed);
        number_cell(leaf, verdict->waived);
        number_cell(leaf, verdict->missing);
        number_cell(leaf, verdict->retest);
        number_cell(leaf, verdict->failed);
        html_markup(leaf->page.out, "</tr>\n");
    }
    close_table(leaf);
    html_markup(leaf->page.out, "</section>\n");
}

/* -- What is wrong or waived, and what was reached ----------------------------------------------------------------- */

static void write_fault(struct leaf *leaf, const struct acceptance_fault *fault)
{
    struct text *out = leaf->page.out;

    html_markup(out, "<tr>");
    html_row_head(out, word(&leaf->page, requirement_state_name(fault->state)));
    html_cell(out, fault->target);
    html_markup(out, "<td>");
    html_words(out, *fault->part != '\0' ? fault->part : say(&leaf->page, TEXT_PART_HOST));
    for (size_t i = 0; i < fault->marks.items.count; i++)
        page_small(&leaf->page, fault->marks.items.items[i]);
    html_markup(out, "</td>");
    html_cell(out, fault->problem);
    page_said_cell(&leaf->page, fault->source);
    html_cell(out, fault->run > 0 ? arena_printf(leaf->page.arena, "%lld", fault->run) : "\xe2\x80\x93");
    html_markup(out, "<td>");
    frame_pieces(out, leaf->page.language, &fault->remedy);
    if (fault->hands != NULL)
        page_small(&leaf->page, sayf(&leaf->page, TEXT_A_WHO_ACTS, said(&leaf->page, fault->hands)));
    html_markup(out, "</td></tr>\n");
}

static void write_faults(struct leaf *leaf)
{
    static const enum text_key heads[] = {TEXT_A_STATE,      TEXT_A_HOST, TEXT_A_PART,    TEXT_A_PROBLEM,
                                          TEXT_A_LIMIT_FROM, TEXT_A_RUN,  TEXT_WHAT_TO_DO};
    struct acceptance_faults faults;

    acceptance_faults_of(leaf->page.arena, leaf->page.language, leaf->acceptance, &faults);
    html_markup(leaf->page.out, "<section id=\"faults\">\n");
    heading(leaf, TEXT_A_FAULTS);
    if (faults.items.count == 0) {
        html_paragraph(leaf->page.out, say(&leaf->page, TEXT_A_NO_FAULTS));
    } else {
        open_table_of(leaf, "a-faults", heads, ARRAY_SIZE(heads));
        open_body(leaf);
        for (size_t i = 0; i < faults.items.count; i++)
            write_fault(leaf, &faults.items.items[i]);
        close_table(leaf);
    }
    html_markup(leaf->page.out, "</section>\n");
}

static void write_reached(struct leaf *leaf, const struct acceptance_reached *row)
{
    html_markup(leaf->page.out, "<tr>");
    html_row_head(leaf->page.out, row->step);
    page_metric_cell(&leaf->page, row->metric, NULL);
    html_cell(leaf->page.out, said(&leaf->page, row->nearest->measured));
    html_cell(leaf->page.out, row->bound);
    html_cell(leaf->page.out, reached_place(leaf->page.arena, leaf->page.language, row));
    page_said_cell(&leaf->page, row->source);
    number_cell(leaf, row->tests);
    html_markup(leaf->page.out, "</tr>\n");
}

static void write_numbers(struct leaf *leaf)
{
    static const enum text_key heads[] = {TEXT_A_STEP,     TEXT_METRIC,        TEXT_A_NEAREST,
                                          TEXT_A_REQUIRED, TEXT_A_MEASURED_ON, TEXT_A_LIMIT_FROM,
                                          TEXT_A_TESTS};
    struct acceptance_numbers numbers;

    acceptance_numbers_of(leaf->page.arena, leaf->acceptance, &numbers);
    html_markup(leaf->page.out, "<section id=\"reached\">\n");
    heading(leaf, TEXT_A_REACHED);
    if (numbers.items.count == 0) {
        html_paragraph(leaf->page.out, say(&leaf->page, TEXT_A_NOTHING_REACHED));
    } else {
        html_paragraph(leaf->page.out, say(&leaf->page, TEXT_A_REACHED_INTRO));
        open_table_of(leaf, "a-reached", heads, ARRAY_SIZE(heads));
        open_body(leaf);
        for (size_t i = 0; i < numbers.items.count; i++)
            write_reached(leaf, &numbers.items.items[i]);
        close_table(leaf);
    }
    html_markup(leaf->page.out, "</section>\n");
}

/* -- What happened, and what is open --------------------------------------------------------------------------- */

static void write_story(struct leaf *leaf)
{
    static const enum text_key heads[] = {TEXT_A_WHEN, TEXT_A_WHAT};
    const struct acceptance *acceptance = leaf->acceptance;

    html_markup(leaf->page.out, "<section id=\"story\">\n");
    heading(leaf, TEXT_A_STORY);
    open_table(leaf, heads, ARRAY_SIZE(heads));
    for (size_t i = 0; i < acceptance->verdicts.count; i++)
        head_cell(leaf, unit_name(leaf, acceptance->verdicts.items[i].unit));
    open_body(leaf);
    list_each (moment, acceptance->story) {
        html_markup(leaf->page.out, "<tr>");
        html_cell(leaf->page.out, time_text(leaf->page.arena, moment->at));
        page_said_cell(&leaf->page, moment->text);
        for (size_t k = 0; k < moment->words.count; k++)
            verdict_cell(leaf, moment->words.items[k]);
        html_markup(leaf->page.out, "</tr>\n");
    }
    close_table(leaf);
    html_markup(leaf->page.out, "</section>\n");
}

static void write_lines(struct leaf *leaf, const struct acceptance_line *lines, size_t count)
{
    static const enum text_key heads[] = {TEXT_A_STATE, TEXT_A_STEP, TEXT_A_TARGET, TEXT_A_KNOWN};

    open_table(leaf, heads, ARRAY_SIZE(heads));
    open_body(leaf);
    for (size_t i = 0; i < count; i++) {
        html_markup(leaf->page.out, "<tr>");
        html_row_head(leaf->page.out, word(&leaf->page, requirement_state_name(lines[i].state)));
        html_cell(leaf->page.out, lines[i].step);
        page_said_cell(&leaf->page, lines[i].targets);
        page_said_cell(&leaf->page, lines[i].why);
        html_markup(leaf->page.out, "</tr>\n");
    }
    close_table(leaf);
}

static void write_open(struct leaf *leaf)
{
    struct acceptance_line *lines;
    size_t count = acceptance_lines(leaf->page.arena, leaf->acceptance, &lines);

    html_markup(leaf->page.out, "<section id=\"open\">\n");
    heading(leaf, TEXT_A_OPEN);
    if (count > 0)
        write_lines(leaf, lines, count);
    else
        html_paragraph(leaf->page.out, say(&leaf->page, TEXT_A_ALL_SHOWN));
    html_markup(leaf->page.out, "</section>\n<section id=\"retests\">\n");
    count = acceptance_retests(leaf->page.arena, leaf->acceptance, &lines);
    heading(leaf, TEXT_A_RETESTS);
    if (count > 0)
        write_lines(leaf, lines, count);
    else
        html_paragraph(leaf->page.out, say(&leaf->page, TEXT_A_NEVER_FAILED));
    html_markup(leaf->page.out, "</section>\n");
}

static void hardware_item(struct leaf *leaf, const struct reason *reason)
{
    html_markup(leaf->page.out, "<li>");
    frame_said(leaf->page.out, leaf->page.arena, leaf->page.language, reason);
    html_markup(leaf->page.out, "</li>\n");
}

static void write_hardware(struct leaf *leaf)
{
    const struct acceptance *acceptance = leaf->acceptance;

    html_markup(leaf->page.out, "<section id=\"hardware\">\n");
    heading(leaf, TEXT_A_CHANGES);
    if (acceptance->changes.count + acceptance->conflicts.count == 0) {
        html_paragraph(leaf->page.out, say(&leaf->page, TEXT_A_NO_CHANGE));
    } else {
        html_markup(leaf->page.out, "<ul>\n");
        for (size_t i = 0; i < acceptance->conflicts.count; i++)
            hardware_item(leaf, acceptance_conflict_text(leaf->page.arena, acceptance, i));
        for (size_t i = 0; i < acceptance->changes.count; i++)
            hardware_item(leaf, change_text(leaf->page.arena, acceptance, &acceptance->changes.items[i]));
        html_markup(leaf->page.out, "</ul>\n");
    }
    html_markup(leaf->page.out, "</section>\n");
}

static void write_unjudged(struct leaf *leaf)
{
    static const enum text_key heads[] = {TEXT_STEP, TEXT_METRIC, TEXT_UNJUDGED_PLATFORM_HEAD, TEXT_WHY};

    if (leaf->unjudged.items.count == 0)
        return;
    html_markup(leaf->page.out, "<section id=\"unjudged\">\n");
    heading(leaf, TEXT_UNJUDGED);
    html_paragraph(leaf->page.out, say(&leaf->page, TEXT_UNJUDGED_INTRO));
    open_table(leaf, heads, ARRAY_SIZE(heads));
    open_body(leaf);
    for (size_t i = 0; i < leaf->unjudged.items.count; i++) {
        const struct unjudged *row = &leaf->unjudged.items.items[i];

        html_markup(leaf->page.out, "<tr>");
        html_row_head(leaf->page.out, *row->step != '\0' ? row->step : say(&leaf->page, TEXT_UNJUDGED_ALL));
        html_cell(leaf->page.out, *row->metric != '\0' ? row->metric : say(&leaf->page, TEXT_UNJUDGED_STEP));
        html_cell(leaf->page.out, row->platform);
        html_cell(leaf->page.out, sayf(&leaf->page, unjudged_why[row->kind], said(&leaf->page, row->detail)));
        html_markup(leaf->page.out, "</tr>\n");
    }
    close_table(leaf);
    html_markup(leaf->page.out, "</section>\n");
}

/* -- What it rests on ------------------------------------------------------------------------------------------ */

static void write_runs(struct leaf *leaf)
{
    static const enum text_key heads[] = {TEXT_A_RUN, TEXT_RUN_UUID, TEXT_A_STARTED, TEXT_A_HOSTS};
    const struct acceptance *acceptance = leaf->acceptance;

    open_table(leaf, heads, ARRAY_SIZE(heads));
    open_body(leaf);
    for (size_t i = 0; i < acceptance->runs.count; i++) {
        const struct record *record = acceptance->runs.items[i];

        html_markup(leaf->page.out, "<tr>");
        html_row_head(leaf->page.out, arena_printf(leaf->page.arena, "%lld", record->number));
        html_code_cell(
            leaf->page.out,
            record->origin == NULL
                ? record->uuid
                : arena_printf(leaf->page.arena, "%s, %s", record->uuid,
                               said(&leaf->page, run_origin_said(leaf->page.arena, record->origin))));
        html_cell(leaf->page.out, time_text(leaf->page.arena, record->started));
        number_cell(leaf, record->plan->hosts.count);
        html_markup(leaf->page.out, "</tr>\n");
    }
    close_table(leaf);
}

static void write_documents(struct leaf *leaf)
{
    static const enum text_key heads[] = {TEXT_A_DOCUMENT, TEXT_A_NAME, TEXT_SHA256};
    const struct acceptance *acceptance = leaf->acceptance;

    open_table(leaf, heads, ARRAY_SIZE(heads));
    open_body(leaf);
    for (size_t i = 0; i < acceptance->documents.count; i++) {
        html_markup(leaf->page.out, "<tr>");
        html_row_head(leaf->page.out, word(&leaf->page, acceptance->documents.items[i].kind));
        html_cell(leaf->page.out, acceptance->documents.items[i].name);
        html_code_cell(leaf->page.out, acceptance->documents.items[i].sha256);
        html_markup(leaf->page.out, "</tr>\n");
    }
    close_table(leaf);
}

static const enum text_key sign_off_statements[] = {[VERDICT_ACCEPT] = TEXT_ACCEPTANCE_SIGN_ACCEPT,
                                                    [VERDICT_ACCEPT_WITH_EXCEPTIONS] =
                                                        TEXT_ACCEPTANCE_SIGN_EXCEPTIONS,
                                                    [VERDICT_INCOMPLETE] = TEXT_ACCEPTANCE_SIGN_INCOMPLETE,
                                                    [VERDICT_REJECT] = TEXT_ACCEPTANCE_SIGN_REJECT};

static void write_sign_off(struct leaf *leaf)
{
    html_markup(leaf->page.out, "<section id=\"signatures\">\n");
    heading(leaf, TEXT_SIGN_OFF);
    if (!frame_simulated(leaf->page.out, leaf->page.language, acceptance_timescale(leaf->acceptance)))
        frame_sign_off(leaf->page.out, leaf->page.language,
                       sign_off_statements[leaf->acceptance->verdicts.items[0].word], TEXT_ACCEPTANCE_UUID,
                       leaf->acceptance->uuid);
    html_markup(leaf->page.out, "</section>\n");
}

void acceptance_html(const struct acceptance *acceptance, enum report_language language, struct text *out)
{
    struct leaf leaf = {.page = {.out = out, .arena = arena_create(), .language = language},
                        .acceptance = acceptance};

    unjudged_of_acceptance(leaf.page.arena, acceptance, &leaf.unjudged);
    frame_open(out, language, title_text(&leaf), "");
    if (acceptance->site_index != NULL)
        frame_back(out, language, acceptance->site_index);
    write_title(&leaf);
    write_units(&leaf);
    write_faults(&leaf);
    write_numbers(&leaf);
    write_open(&leaf);
    write_unjudged(&leaf);
    write_hardware(&leaf);
    write_story(&leaf);
    html_markup(out, "<section id=\"runs\">\n");
    heading(&leaf, TEXT_A_RUNS_DOCUMENTS);
    write_runs(&leaf);
    write_documents(&leaf);
    html_markup(out, "</section>\n");
    write_sign_off(&leaf);
    frame_close(out, language);
    arena_destroy(leaf.page.arena);
}

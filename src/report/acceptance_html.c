/* SPDX-License-Identifier: Apache-2.0 */
/* An acceptance as one HTML page without outside resources: verdict, units, story, what is missing. */
#include "assay/acceptance.h"
#include "frame.h"
#include "html.h"
#include "report_formats.h"

struct leaf {
    struct text *out;
    struct arena *arena;
    const struct acceptance *acceptance;
};

static const char *unit_name(const char *unit)
{
    return *unit != '\0' ? unit : "whole";
}

static void put_class(struct text *out, enum verdict_word word)
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

static void word_cell(struct text *out, enum verdict_word word)
{
    html_markup(out, "<td><span class=\"vw");
    put_class(out, word);
    html_markup(out, "\">");
    html_text(out, verdict_name(word));
    html_markup(out, "</span></td>");
}

static void number_cell(struct leaf *leaf, size_t number)
{
    html_markup(leaf->out, "<td class=\"num\">");
    html_textf(leaf->out, "%zu", number);
    html_markup(leaf->out, "</td>");
}

static const char *title_text(struct leaf *leaf)
{
    return arena_printf(leaf->arena, "%s: acceptance, %s", leaf->acceptance->name,
                        acceptance_verdict_text(leaf->arena, leaf->acceptance));
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
    html_pair(leaf->out, language_text(LANGUAGE_EN, TEXT_HOSTS),
              language_say(leaf->arena, LANGUAGE_EN, TEXT_HOSTS_IN_UNITS,
                           arena_printf(leaf->arena, "%zu", hosts),
                           arena_printf(leaf->arena, "%zu", acceptance->verdicts.count - 1)));
    if (declared)
        html_pair(leaf->out, language_text(LANGUAGE_EN, TEXT_GPUS), arena_printf(leaf->arena, "%zu", gpus));
}

static void write_title(struct leaf *leaf)
{
    const struct acceptance *acceptance = leaf->acceptance;
    struct text *out = leaf->out;

    html_markup(out, "<header>\n<p class=\"kind\">GPU cluster acceptance</p>\n<h1>");
    html_text(out, acceptance->name);
    html_markup(out, "</h1>\n<p class=\"subtitle\">");
    html_textf(out, "as of %s", time_text(leaf->arena, acceptance->now));
    html_markup(out, "</p>\n<div class=\"verdict");
    put_class(out, acceptance->verdicts.items[0].word);
    html_markup(out, "\"><div class=\"word\"><strong>");
    html_text(out, acceptance_verdict_text(leaf->arena, acceptance));
    html_markup(out, "</strong></div>\n<p>");
    html_textf(out, "Of %zu requirements: %s.", acceptance->requirements.count,
               acceptance_counts_text(leaf->arena, &acceptance->verdicts.items[0]));
    html_markup(out, "</p>");
    if (acceptance->left_out.count > 0) {
        html_markup(out, "<p>");
        html_textf(out, "Left out: %s.", acceptance_left_out_text(leaf->arena, acceptance));
        html_markup(out, "</p>");
    }
    html_markup(out, "</div>\n<dl class=\"identity\">\n");
    html_pair(out, "Acceptance UUID", acceptance->uuid);
    write_scope(leaf);
    html_pair(out, "Begun", time_text(leaf->arena, acceptance->made));
    html_pair(out, "Runs and events",
              arena_printf(leaf->arena, "%zu and %zu", acceptance->runs.count, acceptance->events.count));
    html_markup(out, "</dl>\n</header>\n");
}

static void write_units(struct leaf *leaf)
{
    const struct acceptance *acceptance = leaf->acceptance;
    struct text *out = leaf->out;

    html_markup(out, "<section id=\"units\">\n<h2>Units</h2>\n<table class=\"units\"><thead><tr><th>Unit</th>"
                     "<th>Verdict</th><th>passed</th><th>waived</th><th>missing</th><th>to be retested</th>"
                     "<th>failed</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < acceptance->verdicts.count; i++) {
        const struct acceptance_verdict *verdict = &acceptance->verdicts.items[i];

        html_markup(out, "<tr>");
        html_row_head(out, unit_name(verdict->unit));
        word_cell(out, verdict->word);
        number_cell(leaf, verdict->passed);
        number_cell(leaf, verdict->waived);
        number_cell(leaf, verdict->missing);
        number_cell(leaf, verdict->retest);
        number_cell(leaf, verdict->failed);
        html_markup(out, "</tr>\n");
    }
    html_markup(out, "</tbody></table>\n</section>\n");
}

static void write_story(struct leaf *leaf)
{
    const struct acceptance *acceptance = leaf->acceptance;
    struct text *out = leaf->out;

    html_markup(
        out, "<section id=\"story\">\n<h2>What happened</h2>\n<table><thead><tr><th>When</th><th>What</th>");
    for (size_t i = 0; i < acceptance->verdicts.count; i++) {
        html_markup(out, "<th>");
        html_text(out, unit_name(acceptance->verdicts.items[i].unit));
        html_markup(out, "</th>");
    }
    html_markup(out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < acceptance->story.count; i++) {
        const struct moment *moment = &acceptance->story.items[i];

        html_markup(out, "<tr>");
        html_cell(out, time_text(leaf->arena, moment->at));
        html_cell(out, moment->text);
        for (size_t k = 0; k < moment->words.count; k++)
            word_cell(out, moment->words.items[k]);
        html_markup(out, "</tr>\n");
    }
    html_markup(out, "</tbody></table>\n</section>\n");
}

static void write_lines(struct leaf *leaf, const struct acceptance_line *lines, size_t count)
{
    struct text *out = leaf->out;

    html_markup(
        out,
        "<table><thead><tr><th>State</th><th>Step</th><th>Target</th><th>What is known</th></tr></thead>\n"
        "<tbody>\n");
    for (size_t i = 0; i < count; i++) {
        html_markup(out, "<tr>");
        html_row_head(out, requirement_state_name(lines[i].state));
        html_cell(out, lines[i].step);
        html_cell(out, lines[i].targets);
        html_cell(out, lines[i].why);
        html_markup(out, "</tr>\n");
    }
    html_markup(out, "</tbody></table>\n");
}

static void write_open(struct leaf *leaf)
{
    struct acceptance_line *lines;
    size_t count = acceptance_lines(leaf->arena, leaf->acceptance, &lines);

    html_markup(leaf->out, "<section id=\"open\">\n<h2>Not settled, and waived</h2>\n");
    if (count > 0)
        write_lines(leaf, lines, count);
    else
        html_markup(leaf->out, "<p>Everything that is owed has been shown.</p>\n");
    html_markup(leaf->out, "</section>\n");
    count = acceptance_retests(leaf->arena, leaf->acceptance, &lines);
    html_markup(leaf->out, "<section id=\"retests\">\n<h2>What has failed, and what became of it</h2>\n");
    if (count > 0)
        write_lines(leaf, lines, count);
    else
        html_markup(leaf->out, "<p>Nothing that is owed has ever failed.</p>\n");
    html_markup(leaf->out, "</section>\n");
}

static void write_hardware(struct leaf *leaf)
{
    const struct acceptance *acceptance = leaf->acceptance;
    struct text *out = leaf->out;

    html_markup(out, "<section id=\"hardware\">\n<h2>Hardware and versions that changed</h2>\n");
    if (acceptance->changes.count + acceptance->conflicts.count == 0)
        html_markup(out, "<p>The runs show no change.</p>\n");
    else
        html_markup(out, "<ul>\n");
    for (size_t i = 0; i < acceptance->conflicts.count; i++) {
        html_markup(out, "<li>");
        html_textf(out, "run %lld: %s", acceptance->runs.items[acceptance->conflicts.items[i].run]->number,
                   acceptance->conflicts.items[i].text);
        html_markup(out, "</li>\n");
    }
    for (size_t i = 0; i < acceptance->changes.count; i++) {
        html_markup(out, "<li>");
        html_text(out, change_text(leaf->arena, acceptance, &acceptance->changes.items[i]));
        html_markup(out, "</li>\n");
    }
    if (acceptance->changes.count + acceptance->conflicts.count > 0)
        html_markup(out, "</ul>\n");
    html_markup(out, "</section>\n");
}

static void write_sources(struct leaf *leaf)
{
    const struct acceptance *acceptance = leaf->acceptance;
    struct text *out = leaf->out;

    html_markup(
        out, "<section id=\"runs\">\n<h2>Runs and documents</h2>\n<table><thead><tr><th>Run</th><th>UUID</th>"
             "<th>Started</th><th>Hosts</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < acceptance->runs.count; i++) {
        const struct record *record = acceptance->runs.items[i];

        html_markup(out, "<tr>");
        html_row_head(out, arena_printf(leaf->arena, "%lld", record->number));
        html_code_cell(out, record->uuid);
        html_cell(out, time_text(leaf->arena, record->started));
        number_cell(leaf, record->plan->hosts.count);
        html_markup(out, "</tr>\n");
    }
    html_markup(
        out,
        "</tbody></table>\n<table><thead><tr><th>Document</th><th>Name</th><th>SHA-256</th></tr></thead>\n"
        "<tbody>\n");
    for (size_t i = 0; i < acceptance->documents.count; i++) {
        html_markup(out, "<tr>");
        html_row_head(out, acceptance->documents.items[i].kind);
        html_cell(out, acceptance->documents.items[i].name);
        html_code_cell(out, acceptance->documents.items[i].sha256);
        html_markup(out, "</tr>\n");
    }
    html_markup(out, "</tbody></table>\n</section>\n");
}

static const enum text_key sign_off_statements[] = {[VERDICT_ACCEPT] = TEXT_ACCEPTANCE_SIGN_ACCEPT,
                                                    [VERDICT_ACCEPT_WITH_EXCEPTIONS] =
                                                        TEXT_ACCEPTANCE_SIGN_EXCEPTIONS,
                                                    [VERDICT_INCOMPLETE] = TEXT_ACCEPTANCE_SIGN_INCOMPLETE,
                                                    [VERDICT_REJECT] = TEXT_ACCEPTANCE_SIGN_REJECT};

static void write_sign_off(struct leaf *leaf)
{
    html_markup(leaf->out, "<section id=\"signatures\">\n<h2>");
    html_text(leaf->out, language_text(LANGUAGE_EN, TEXT_SIGN_OFF));
    html_markup(leaf->out, "</h2>\n");
    frame_sign_off(leaf->out, LANGUAGE_EN, sign_off_statements[leaf->acceptance->verdicts.items[0].word],
                   TEXT_ACCEPTANCE_UUID, leaf->acceptance->uuid);
    html_markup(leaf->out, "</section>\n");
}

void acceptance_html(const struct acceptance *acceptance, struct text *out)
{
    struct leaf leaf = {out, arena_create(), acceptance};

    frame_open(out, LANGUAGE_EN, title_text(&leaf), "");
    write_title(&leaf);
    write_units(&leaf);
    write_story(&leaf);
    write_open(&leaf);
    write_hardware(&leaf);
    write_sources(&leaf);
    write_sign_off(&leaf);
    frame_close(out, LANGUAGE_EN);
    arena_destroy(leaf.arena);
}

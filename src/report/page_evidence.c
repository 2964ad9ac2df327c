/* SPDX-License-Identifier: Apache-2.0 */
/* What the results rest on: inventory, limits, documents, commands, every attempt; and the signatures. */
#include <string.h>

#include "assay/model/evidence.h"
#include "frame.h"
#include "gates.h"
#include "page.h"
#include "svg.h"

/* -- Inventory --------------------------------------------------------------------------------------------
 */

/* Facts that tell hosts apart, as the checks list them; one per GPU folds to "8 x NAME". */
enum { FACTS_MOST = 32 };

struct inventory {
    const char *values[FACTS_MOST];
    LIST_OF(const struct host *) hosts;
};
struct inventories {
    LIST_OF(struct inventory) items;
};

/* "8 x NVIDIA H100 80GB HBM3", "7 x A, 1 x B" of one step. */
static const char *gpu_names(struct arena *arena, const struct step_view *step, const char *name)
{
    struct {
        const char *name;
        size_t count;
    } seen[FACT_GPUS];
    const char *text = "", *values[FACT_GPUS];
    size_t kinds = 0;

    step_gpu_facts(step, name, values);
    for (unsigned gpu = 0; gpu < FACT_GPUS; gpu++) {
        const char *value = values[gpu];
        size_t kind = 0;

        while (kind < kinds && strcmp(seen[kind].name, value) != 0)
            kind++;
        if (*value == '\0')
            continue;
        if (kind == kinds) {
            seen[kinds].name = value;
            seen[kinds++].count = 0;
        }
        seen[kind].count++;
    }
    for (size_t i = 0; i < kinds; i++)
        text =
            arena_printf(arena, "%s%s%zu \xc3\x97 %s", text, i > 0 ? ", " : "", seen[i].count, seen[i].name);
    return text;
}

static size_t list_facts(enum listed list, const struct listed_fact *ret_facts[FACTS_MOST])
{
    size_t count = 0;

    while (count < FACTS_MOST && (ret_facts[count] = check_listed(list, count)) != NULL)
        count++;
    return count;
}

static void read_inventory(struct page *page, const struct step_view *step,
                           const struct listed_fact *const *facts, size_t count, struct inventory *inventory)
{
    for (size_t i = 0; i < count; i++) {
        const char *value = facts[i]->per_gpu ? gpu_names(page->arena, step, facts[i]->fact)
                                              : step_fact(step, facts[i]->fact, "");

        if (*value != '\0' && *inventory->values[i] == '\0')
            inventory->values[i] = value;
    }
}

static bool same_inventory(const struct inventory *a, const struct inventory *b)
{
    for (size_t i = 0; i < FACTS_MOST; i++)
        if (strcmp(a->values[i], b->values[i]) != 0)
            return false;
    return true;
}

static void collect_inventories(struct page *page, const struct listed_fact *const *facts, size_t count,
                                struct inventories *inventories)
{
    const struct plan *plan = page->view->record->plan;
    struct inventory *hosts = arena_array(page->arena, struct inventory, plan->hosts.count);

    for (size_t i = 0; i < plan->hosts.count; i++)
        for (size_t k = 0; k < FACTS_MOST; k++)
            hosts[i].values[k] = "";
    for (size_t i = 0; i < page->view->step_count; i++) {
        const struct step_view *step = &page->view->steps[i];
        size_t host =
            step->step->member_count == 1 ? view_host(page->view, step->step->members[0]) : (size_t)-1;

        if (host != (size_t)-1 && step->attempts.count > 0)
            read_inventory(page, step, facts, count, &hosts[host]);
    }
    for (size_t i = 0; i < plan->hosts.count; i++) {
        struct inventory *same = NULL;

        for (size_t k = 0; k < inventories->items.count && same == NULL; k++)
            if (same_inventory(&inventories->items.items[k], &hosts[i]))
                same = &inventories->items.items[k];
        if (same == NULL) {
            same = list_push(page->arena, &inventories->items);
            *same = hosts[i];
        }
        *list_push(page->arena, &same->hosts) = plan->hosts.items[i];
    }
}

void page_inventory(struct page *page)
{
    const struct listed_fact *facts[FACTS_MOST];
    size_t count = list_facts(LISTED_HOSTS, facts);
    struct inventories inventories = {0};
    struct text *out = page->out;

    collect_inventories(page, facts, count, &inventories);
    page_paragraph(page, TEXT_INVENTORY_INTRO);
    html_markup(out, "<table class=\"inventory\"><thead><tr><th>");
    html_words(out, say(page, TEXT_HOSTS));
    html_markup(out, "</th>");
    for (size_t i = 0; i < count; i++) {
        html_markup(out, "<th>");
        html_words(out, said(page, facts[i]->title));
        html_markup(out, "</th>");
    }
    html_markup(out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < inventories.items.count; i++) {
        struct inventory *inventory = &inventories.items.items[i];
        struct step step = {.members = inventory->hosts.items, .member_count = inventory->hosts.count};

        html_markup(out, "<tr>");
        html_row_head(out, said(page, step_target_said(page->arena, &step)));
        for (size_t k = 0; k < count; k++)
            html_cell(out, *inventory->values[k] != '\0' ? inventory->values[k] : say(page, TEXT_NOT_READ));
        html_markup(out, "</tr>\n");
    }
    html_markup(out, "</tbody></table>\n");
}

/* -- Equipment --------------------------------------------------------------------------------------------
 */

static bool has_identity(const struct step_view *step)
{
    const struct listed_fact *fact;

    if (step->step->member_count != 1 || step->attempts.count == 0)
        return false;
    for (size_t i = 0; (fact = check_listed(LISTED_GPUS, i)) != NULL; i++)
        if (fact->names && *step_fact(step, fact->fact, "gpu0") != '\0')
            return true;
    return false;
}

bool page_has_equipment(const struct page *page)
{
    for (size_t i = 0; i < page->view->step_count; i++)
        if (has_identity(&page->view->steps[i]))
            return true;
    return false;
}

static void write_gpus(struct page *page, const struct step_view *step)
{
    const struct listed_fact *facts[FACTS_MOST];
    size_t count = list_facts(LISTED_GPUS, facts);
    const char *values[FACTS_MOST][FACT_GPUS];

    for (size_t i = 0; i < count; i++)
        step_gpu_facts(step, facts[i]->fact, values[i]);
    for (unsigned gpu = 0; gpu < FACT_GPUS; gpu++) {
        bool named = false;

        for (size_t i = 0; i < count; i++)
            named |= facts[i]->names && *values[i][gpu] != '\0';
        if (!named)
            continue;
        html_markup(page->out, "<tr>");
        html_row_head(page->out, step->step->members[0]->name);
        html_cell(page->out, arena_printf(page->arena, "gpu%u", gpu));
        for (size_t i = 0; i < count; i++)
            html_cell(page->out, values[i][gpu]);
        html_markup(page->out, "</tr>\n");
    }
}

void page_equipment(struct page *page)
{
    const struct plan *plan = page->view->record->plan;
    bool *done = arena_array(page->arena, bool, plan->hosts.count);

    page_paragraph(page, TEXT_EQUIPMENT_INTRO);
    page_told(page);
    html_markup(page->out, "<table class=\"compact gpus\">");
    page_heads_listed(page, (const struct page_head[]){COLUMN(HOST), COLUMN(GPU)}, 2, LISTED_GPUS);
    html_markup(page->out, "<tbody>\n");
    for (size_t i = 0; i < page->view->step_count; i++) {
        size_t host = page->view->steps[i].step->member_count == 1
                          ? view_host(page->view, page->view->steps[i].step->members[0])
                          : (size_t)-1;

        if (host == (size_t)-1 || done[host] || !page->view->told[host] ||
            !has_identity(&page->view->steps[i]))
            continue;
        done[host] = true;
        write_gpus(page, &page->view->steps[i]);
    }
    html_markup(page->out, "</tbody></table>\n");
}

/* -- Limits and documents ---------------------------------------------------------------------------------
 */

static void write_limit(struct page *page, const struct gate_line *line)
{
    struct text *out = page->out;

    html_markup(out, "<tr>");
    html_cell(out, line->suite_step);
    page_metric_cell(page, line->metric, line->at);
    page_said_cell(page, line->gate);
    html_markup(out, "<td>");
    html_words(out, word(page, line->status));
    html_markup(out, "<br><small>");
    page_said(page, line->source);
    html_markup(out, "</small></td>");
    html_number_cell(out, count_text(page->arena, line->items - line->recorded));
    html_number_cell(out, count_text(page->arena, line->not_passed));
    html_number_cell(out, count_text(page->arena, line->recorded));
    html_markup(out, "</tr>\n");
}

/* One limit, and each metric that it judges by that source, once for each place. */
struct source_limit {
    const struct reason *gate;
    LIST_OF(const struct gate_line *) lines;
};
/* On paper: each source once, with all limits that rest on it and the steps that it judges. */
struct limit_source {
    const struct gate_line *first;
    LIST_OF(const char *) steps;
    LIST_OF(struct source_limit) limits;
    size_t gates, not_passed, recorded;
};
struct limit_sources {
    LIST_OF(struct limit_source) items;
};

/* Also where another step has the same. */
static void add_limit(struct page *page, struct limit_source *source, const struct gate_line *line)
{
    struct source_limit *limit = NULL;

    for (size_t i = 0; i < source->limits.count && limit == NULL; i++)
        if (reason_equal(source->limits.items[i].gate, line->gate))
            limit = &source->limits.items[i];
    if (limit == NULL) {
        limit = list_push(page->arena, &source->limits);
        *limit = (struct source_limit){.gate = line->gate};
    }
    for (size_t i = 0; i < limit->lines.count; i++)
        if (strcmp(limit->lines.items[i]->metric, line->metric) == 0 &&
            reason_equal(limit->lines.items[i]->at, line->at))
            return;
    *list_push(page->arena, &limit->lines) = line;
}

static void add_source(struct page *page, struct limit_sources *sources, const struct gate_line *line)
{
    struct limit_source *source = NULL;
    size_t known = 0;

    for (size_t i = 0; i < sources->items.count && source == NULL; i++)
        if (reason_equal(sources->items.items[i].first->source, line->source) &&
            strcmp(sources->items.items[i].first->status, line->status) == 0)
            source = &sources->items.items[i];
    if (source == NULL) {
        source = list_push(page->arena, &sources->items);
        *source = (struct limit_source){.first = line};
    }
    while (known < source->steps.count && strcmp(source->steps.items[known], line->suite_step) != 0)
        known++;
    if (known == source->steps.count)
        *list_push(page->arena, &source->steps) = line->suite_step;
    add_limit(page, source, line);
    source->gates += line->items - line->recorded;
    source->recorded += line->recorded;
    source->not_passed += line->not_passed;
}

/* "gpu-burn, dcgm-diag, ecc and 4 more" */
static const char *source_steps(struct page *page, const struct limit_source *source)
{
    enum { NAMED = 3 };
    const char *text = "";

    for (size_t i = 0; i < source->steps.count && i < NAMED; i++)
        text = arena_printf(page->arena, "%s%s%s", text, i > 0 ? language_between(page->language, ", ") : "",
                            source->steps.items[i]);
    return source->steps.count <= NAMED
               ? text
               : sayf(page, TEXT_PART_MORE, text, number(page, source->steps.count - NAMED));
}

/* ">= 345 GB/s: p2p.unidirectional.enabled" */
static void write_source_limits(struct page *page, const struct limit_source *source)
{
    html_markup(page->out, "<td>");
    for (size_t i = 0; i < source->limits.count; i++) {
        const struct source_limit *limit = &source->limits.items[i];

        html_words(page->out, i > 0 ? language_between(page->language, "; ") : "");
        html_markup(page->out, "<b>");
        page_said(page, limit->gate);
        html_markup(page->out, "</b>");
        html_words(page->out, language_between(page->language, ": "));
        for (size_t k = 0; k < limit->lines.count; k++) {
            html_words(page->out, k > 0 ? language_between(page->language, ", ") : "");
            page_metric(page, limit->lines.items[k]->metric);
            if (limit->lines.items[k]->at == NULL)
                continue;
            html_markup(page->out, " <small>");
            page_said(page, limit->lines.items[k]->at);
            html_markup(page->out, "</small>");
        }
    }
    html_markup(page->out, "</td>");
}

static void write_sources(struct page *page, const struct gate_lines *lines)
{
    struct limit_sources sources = {0};

    for (size_t i = 0; i < lines->items.count; i++)
        add_source(page, &sources, &lines->items.items[i]);
    html_markup(page->out, "<div class=\"on-paper\">\n");
    page_heading(page, TEXT_SOURCES);
    page_table(page, "compact sources", COLUMN(STATUS_SOURCE), COLUMN(GATE_APPLIED), COLUMN(SOURCES_STEPS),
               NUMBERS(GATES), NUMBERS(NOT_PASSED), NUMBERS(ONLY_RECORDED));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = 0; i < sources.items.count; i++) {
        const struct limit_source *source = &sources.items.items[i];

        html_markup(page->out, "<tr>");
        page_said_cell(page, limit_origin(page->arena, source->first->status, source->first->source));
        write_source_limits(page, source);
        html_cell(page->out, source_steps(page, source));
        html_cell(page->out, number(page, source->gates));
        html_cell(page->out, number(page, source->not_passed));
        html_cell(page->out, number(page, source->recorded));
        html_markup(page->out, "</tr>\n");
    }
    html_markup(page->out, "</tbody></table>\n</div>\n");
}

void page_limits(struct page *page)
{
    enum { ROWS_PRINTED = 30 };
    struct gate_lines lines;
    bool whole;

    gate_lines_of_run(page->view, &lines);
    whole = page_row_prints(page, lines.items.count, ROWS_PRINTED);
    page_paragraph(page, TEXT_LIMITS_INTRO);
    if (!whole) {
        write_sources(page, &lines);
        html_markup(page->out, "<div class=\"on-screen\">\n");
    }
    page_table(page, "compact limits", COLUMN(STEP), COLUMN(METRIC), COLUMN(GATE_APPLIED),
               COLUMN(STATUS_SOURCE), NUMBERS(GATES), NUMBERS(NOT_PASSED), NUMBERS(ONLY_RECORDED));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = 0; i < lines.items.count; i++)
        write_limit(page, &lines.items.items[i]);
    html_markup(page->out, "</tbody></table>\n");
    if (!whole)
        html_markup(page->out, "</div>\n");
}

static void write_documents(struct page *page, const struct documents *documents)
{
    struct text *out = page->out;

    page_table(page, "compact", COLUMN(DOCUMENT), COLUMN(NAME), NUMBERS(BYTES), COLUMN(SHA256));
    html_markup(out, "<tbody>\n");
    for (size_t i = 0; i < documents->count; i++) {
        const struct document *document = &documents->items[i];

        html_markup(out, "<tr>");
        html_row_head(out, word(page, document->kind));
        html_cell(out, said(page, document_said(page->arena, document)));
        html_number_cell(out, count_text(page->arena, document->bytes.length));
        html_code_cell(out, document->sha256);
        html_markup(out, "</tr>\n");
    }
    html_markup(out, "</tbody></table>\n");
}

void page_documents(struct page *page)
{
    const struct record *record = page->view->record;

    page_paragraph(page, TEXT_DOCUMENTS_INTRO);
    write_documents(page, &record->documents);
    if (record->judgement.documents.count == 0)
        return;
    page_paragraph(page, TEXT_JUDGED_BY);
    write_documents(page, &record->judgement.documents);
}

/* -- Sign-off ---------------------------------------------------------------------------------------------
 */

static const enum text_key sign_off_statements[] = {[VERDICT_ACCEPT] = TEXT_SIGN_ACCEPT,
                                                    [VERDICT_ACCEPT_WITH_EXCEPTIONS] = TEXT_SIGN_EXCEPTIONS,
                                                    [VERDICT_INCOMPLETE] = TEXT_SIGN_INCOMPLETE,
                                                    [VERDICT_REJECT] = TEXT_SIGN_REJECT};

void page_sign_off(struct page *page)
{
    if (!frame_simulated(page->out, page->language, plan_timescale(page->view->record->plan)))
        frame_sign_off(page->out, page->language, sign_off_statements[page->view->verdict], TEXT_RUN_UUID,
                       page->view->record->uuid);
}

/* -- Commands ---------------------------------------------------------------------------------------------
 */

struct command {
    const char *suite_step, *text;
    size_t attempts;
};
struct commands {
    LIST_OF(struct command) items;
    size_t *of_attempt; /* by index in the record: number of its command, from 0 */
};

/* What a person would type: the parts' lines, or the whole command file where no part was marked. */
static const char *typed_command(struct arena *arena, const struct attempt *attempt)
{
    const char *text = "";
    size_t count = 0;

    if (attempt->parts.count == 0)
        return attempt->command != NULL ? attempt->command : "";
    if (attempt->parts.count == 1)
        return attempt->parts.items[0].command != NULL ? attempt->parts.items[0].command : "";
    for (size_t i = 0; i < attempt->parts.count; i++) {
        const struct part *part = &attempt->parts.items[i];

        /* Of the windows, which are the same on every member, the first member's have their text. */
        if (part->window > 0 && *part->command == '\0')
            continue;
        text = arena_printf(arena, "%s%s# %s%s\n%s", text, count++ > 0 ? "\n" : "", part->name,
                            part->window == 0                                                ? ""
                            : attempt->windows.items[part->window - 1].role == WINDOW_BEFORE ? ", before"
                                                                                             : ", after",
                            part->command);
    }
    return text;
}

/* Its number; the text goes with the scratch unless it is new. */
static size_t command_number(struct page *page, struct arena *scratch, const char *suite_step,
                             const struct attempt *attempt, struct commands *commands)
{
    const char *text = typed_command(scratch, attempt);

    for (size_t i = 0; i < commands->items.count; i++)
        if (strcmp(commands->items.items[i].text, text) == 0 &&
            strcmp(commands->items.items[i].suite_step, suite_step) == 0)
            return i;
    *list_push(page->arena, &commands->items) =
        (struct command){suite_step, arena_strdup(page->arena, text), 0};
    return commands->items.count - 1;
}

static void collect_commands(struct page *page, struct commands *commands)
{
    const struct record *record = page->view->record;

    *commands = (struct commands){.of_attempt = arena_array(page->arena, size_t, record->attempts.count)};
    for (size_t i = 0; i < page->view->step_count; i++) {
        const struct step_view *step = &page->view->steps[i];
        struct arena *scratch = arena_create();

        for (size_t k = 0; k < step->attempts.count; k++) {
            size_t number = command_number(page, scratch, step->step->shape->suite_step,
                                           step->attempts.items[k], commands);

            commands->items.items[number].attempts++;
            commands->of_attempt[view_attempt_index(page->view, step->attempts.items[k])] = number;
        }
        arena_destroy(scratch);
    }
}

void page_commands(struct page *page)
{
    struct commands commands;
    struct text *out = page->out;

    collect_commands(page, &commands);
    page_paragraph(page, TEXT_COMMANDS_INTRO);
    page_table(page, "commands", COLUMN(NUMBER_SHORT), COLUMN(STEP), COLUMN(COMMAND), NUMBERS(ATTEMPTS));
    html_markup(out, "<tbody>\n");
    for (size_t i = 0; i < commands.items.count; i++) {
        html_shape(out, "<tr id=\"c@\"><th scope=\"row\">C@</th>", (double)(i + 1), (double)(i + 1));
        html_cell(out, commands.items.items[i].suite_step);
        html_markup(out, "<td><pre>");
        html_text(out, commands.items.items[i].text);
        html_shape(out, "</pre></td><td class=\"num\">@</td></tr>\n",
                   (double)commands.items.items[i].attempts);
    }
    html_markup(out, "</tbody></table>\n");
}

/* -- Attempts ---------------------------------------------------------------------------------------------
 */

enum { INFOS_SHOWN = 4, FINDINGS_SHOWN = 40, COURSES_HOSTS = 32 };

bool page_open_output(struct page *page, const struct attempt *attempt, enum site_output output)
{
    const struct site_place *site = page->view->record->site;
    const char *path = site != NULL ? site->outputs[output][view_attempt_index(page->view, attempt)] : NULL;

    if (path == NULL)
        return false;
    html_markup(page->out, "<a href=\"");
    html_text(page->out, path);
    html_markup(page->out, "\">");
    return true;
}

/* Output with its hash on a line of its own; of nothing only that it was nothing. */
static void write_captures(struct page *page, const struct attempt *attempt)
{
    struct text *out = page->out;
    bool linked;

    for (size_t i = 0; i < 2; i++) {
        const struct capture *capture = &attempt->captures[i];

        if (capture->stream == NULL)
            continue;
        if (capture->length == 0 && capture_note(capture) == NULL) {
            html_words(out,
                       sayf(page, *capture->sha256 != '\0' ? TEXT_EMPTY : TEXT_NOT_KEPT, capture->stream));
            html_words(out, "; ");
            continue;
        }
        html_markup(out, "<span class=\"sha\">");
        linked = page_open_output(page, attempt, (enum site_output)i);
        html_textf(out, "%s %s B", capture->stream, count_text(page->arena, (size_t)capture->length));
        if (linked)
            html_markup(out, "</a>");
        html_words(out, " ");
        if (capture_note(capture) != NULL) {
            html_markup(out, "<b>");
            page_said(page, capture_note(capture));
            html_markup(out, "</b> ");
        }
        html_code(out, capture->sha256);
        html_markup(out, "</span> ");
    }
}

static const char *versions_text(struct arena *arena, const struct reading *reading)
{
    const char *text = "";

    for (size_t i = 0; i < reading->facts.count; i++)
        if (slice_ends(slice_of(reading->facts.items[i].name), ".version"))
            text = arena_printf(arena, "%s; %s %s", text, reading->facts.items[i].name,
                                reading->facts.items[i].value);
    return text;
}

static void write_findings(struct page *page, const struct reading *reading)
{
    size_t infos = 0, shown = 0;

    for (size_t i = 0; i < reading->findings.count; i++) {
        const struct finding *finding = &reading->findings.items[i];

        infos += finding->severity == SEVERITY_INFO;
        if ((finding->severity == SEVERITY_INFO && infos > INFOS_SHOWN) || shown == FINDINGS_SHOWN)
            continue;
        shown++;
        html_markup(page->out, "<div class=\"finding\"><b>");
        html_words(page->out, word(page, severity_name(finding->severity)));
        html_markup(page->out, "</b> ");
        html_textf(page->out, "%s%s%s: ", finding->code, *finding->subject != '\0' ? " " : "",
                   finding->subject);
        page_said(page, finding->what);
        html_markup(page->out, "</div>");
    }
    if (shown < reading->findings.count) {
        html_markup(page->out, "<div class=\"finding\">");
        html_words(page->out, sayf(page, TEXT_MORE_FINDINGS, number(page, reading->findings.count - shown)));
        html_markup(page->out, "</div>");
    }
}

static void write_remark(struct page *page, const struct reason *of, const struct reason *remark)
{
    struct text *out = page->out;

    html_markup(out, "<div class=\"finding\"><b>");
    page_said(page, of);
    html_markup(out, "</b> ");
    page_said(page, remark);
    html_markup(out, "</div>");
}

/* How each command ended, where an attempt has several; what its windows say is in the items. */
static void write_parts(struct page *page, const struct attempt *attempt)
{
    struct text *out = page->out;
    size_t shown = 0;

    if (attempt->parts.count < 2)
        return;
    html_markup(out, "<div class=\"finding\">");
    for (size_t i = 0; i < attempt->parts.count; i++) {
        const struct part *part = &attempt->parts.items[i];

        if (part->window > 0)
            continue;
        html_textf(out, "%s%s ", shown++ > 0 ? "; " : "", part->name);
        if (part->ended)
            html_words(out, sayf(page, TEXT_EXIT, arena_printf(page->arena, "%d", part->rc)));
        else
            html_words(out, say(page, part->began ? TEXT_DID_NOT_END : TEXT_DID_NOT_BEGIN));
    }
    html_markup(out, "</div>");
}

/* "before the test on node3: " */
static const char *window_text(const struct page *page, const struct step *step, const struct window *window)
{
    bool before = window->role == WINDOW_BEFORE;

    if (step->member_count > 1)
        return sayf(page, before ? TEXT_BEFORE_ON : TEXT_AFTER_ON, step->members[window->member]->name);
    return say(page, before ? TEXT_BEFORE : TEXT_AFTER);
}

/* What was read of each member right before and right after the test, with the hash of what it said. */
static void write_windows(struct page *page, const struct attempt *attempt)
{
    const struct step *step = &page->view->record->plan->steps.items[attempt->step];

    for (size_t i = 0; i < attempt->windows.count; i++) {
        const struct window *window = &attempt->windows.items[i];
        const struct capture *capture = &window->captures[0];
        bool linked;

        html_markup(page->out, "<span class=\"sha\">");
        linked = page_open_output(page, attempt, SITE_WINDOWS);
        html_words(page->out, window_text(page, step, window));
        if (window->end == ATTEMPT_RAN)
            html_textf(page->out, "%s B", count_text(page->arena, (size_t)capture->length));
        else if (window->what != NULL)
            page_said(page, window->what);
        else
            html_words(page->out, word(page, attempt_end_name(window->end)));
        if (linked)
            html_markup(page->out, "</a>");
        html_words(page->out, " ");
        html_code(page->out, capture->sha256);
        html_markup(page->out, "</span> ");
    }
}

/* What the sampler saw. In a large run, where nobody looks at all of them, of what did not pass. */
static void write_courses(struct page *page, const struct step_view *step, const struct attempt *attempt)
{
    struct courses courses;

    if ((step->word == OUTCOME_PASS && page->view->record->plan->hosts.count > COURSES_HOSTS) ||
        !courses_collect(page->arena, attempt, &courses))
        return;
    html_markup(page->out, "<div class=\"courses\">");
    for (size_t i = 0; i < courses.items.count; i++)
        svg_course(page, &courses.items.items[i]);
    html_markup(page->out, "</div>");
}

/* Where the reader looks for what is wrong, and a program for the rest. */
static bool is_large(const struct page *page)
{
    enum { LARGE_ATTEMPTS = 2000 };

    return page->view->record->attempts.count > LARGE_ATTEMPTS;
}

/* The second row of an attempt: what was kept, where it ran and what was said. */
static void write_attempt_notes(struct page *page, const struct step_view *step,
                                const struct attempt *attempt)
{
    struct text *out = page->out;

    html_markup(out, "<tr class=\"sub\"><td colspan=\"6\">");
    write_captures(page, attempt);
    write_windows(page, attempt);
    html_words(
        out, sayf(page, TEXT_ATTEMPT_IS, attempt->uuid,
                  attempt->boot_id != NULL && *attempt->boot_id != '\0' ? attempt->boot_id
                                                                        : say(page, TEXT_NOT_READ),
                  attempt->transport != NULL ? said(page, attempt->transport) : say(page, TEXT_NO_TRANSPORT),
                  versions_text(page->arena, &attempt->reading)));
    if (attempt->connections > 1)
        html_words(out, sayf(page, TEXT_CONNECTIONS, number(page, attempt->connections)));
    write_parts(page, attempt);
    if (attempt->what != NULL)
        write_remark(page, attempt_end_text(page->arena, attempt), attempt->what);
    if (attempt->reading.status != READING_COMPLETE && attempt->reading.reason != NULL)
        write_remark(page, reason_word(page->arena, reading_status_name(attempt->reading.status)),
                     attempt->reading.reason);
    write_findings(page, &attempt->reading);
    write_courses(page, step, attempt);
    html_markup(out, "</td></tr>\n");
}

static void write_attempt(struct page *page, const struct commands *commands, const struct step_view *step,
                          const struct attempt *attempt)
{
    size_t index = view_attempt_index(page->view, attempt), command = commands->of_attempt[index] + 1;
    struct text *out = page->out;

    html_shape(out, "<tbody id=\"e@\"><tr><td><b>", (double)index);
    html_words(out, step->step->shape->suite_step);
    html_markup(out, "</b> <small>");
    html_words(out, sayf(page, TEXT_ATTEMPT_N, number(page, attempt->n), number(page, step->attempts.count)));
    html_shape(out, "<a href=\"#c@\">C@</a></small></td><td>", (double)command, (double)command);
    page_word(page, step->word);
    html_markup(out, "</td>");
    html_cell(out, span_text(page, attempt_start(attempt), attempt->ended));
    html_cell(out, how_long(page, attempt_seconds(attempt)));
    page_said_cell(page, attempt_end_text(page->arena, attempt));
    page_said_cell(page, reason_word(page->arena, reading_status_name(attempt->reading.status)));
    html_markup(out, "</tr>\n");
    write_attempt_notes(page, step, attempt);
    html_markup(out, "</tbody>\n");
}

/* Where nothing is to be said of it but that it is there: its step passed at the first try, read in full. */
static bool is_plain(const struct step_view *step, const struct attempt *attempt)
{
    if (slice_is_plain(step, attempt))
        return true;
    return (step->word == OUTCOME_PASS || step->word == OUTCOME_RECORDED) && step->attempts.count == 1 &&
           step->coverage.remarks == 0 && attempt->state == ATTEMPT_ENDED && attempt->end == ATTEMPT_RAN &&
           attempt->rc == 0 && attempt->what == NULL && attempt->reading.status == READING_COMPLETE &&
           attempt->reading.findings.count == 0;
}

/* One row of a large run: the windows, boot and transport are in the other forms and in the bundle. */
static void write_plain_attempt(struct page *page, const struct commands *commands,
                                const struct step_view *step, const struct attempt *attempt)
{
    size_t index = view_attempt_index(page->view, attempt), command = commands->of_attempt[index] + 1;
    struct text *out = page->out;
    bool linked;

    html_shape(out, "<tbody id=\"e@\"><tr><td><b>", (double)index);
    html_words(out, step->step->shape->suite_step);
    html_shape(out, "</b> <a href=\"#c@\">C@</a></td><td>", (double)command, (double)command);
    page_word(page, step->word);
    html_markup(out, "</td>");
    html_cell(out, when(page, attempt_start(attempt)));
    html_cell(out, how_long(page, attempt_seconds(attempt)));
    html_markup(out, "<td colspan=\"2\">");
    linked = page_open_output(page, attempt, SITE_STDOUT);
    html_markup(out, "<code>");
    html_words(out,
               attempt->captures[0].length > 0 ? attempt->captures[0].sha256 : say(page, TEXT_NO_OUTPUT));
    html_markup(out, "</code>");
    if (linked)
        html_markup(out, "</a>");
    if (page_open_output(page, attempt, SITE_STDERR))
        html_markup(out, " stderr</a>");
    html_words(out, versions_text(page->arena, &attempt->reading));
    html_markup(out, "</td></tr></tbody>\n");
}

/* Of hundreds of slices that came to their end as they should one row each is enough, however small the run. */
enum { SLICES_WHOLE = 5 };

static void write_step_attempts(struct page *page, const struct commands *commands, size_t index)
{
    const struct step_view *step = &page->view->steps[index];

    for (size_t i = 0; i < step->attempts.count; i++)
        if ((is_large(page) || step->attempts.count > SLICES_WHOLE) &&
            is_plain(step, step->attempts.items[i]))
            write_plain_attempt(page, commands, step, step->attempts.items[i]);
        else
            write_attempt(page, commands, step, step->attempts.items[i]);
}

static void open_attempts(struct page *page)
{
    static const enum text_key heads[] = {TEXT_STEP, TEXT_STEP_OUTCOME, TEXT_START_END,
                                          TEXT_TOOK, TEXT_ENDED_BY,     TEXT_READING};

    html_markup(page->out,
                "<table class=\"attempts\"><colgroup><col><col><col><col><col><col></colgroup><thead><tr>");
    for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
        html_markup(page->out, "<th>");
        html_words(page->out, say(page, heads[i]));
        html_markup(page->out, "</th>");
    }
    html_markup(page->out, "</tr></thead>\n");
}

/* What follows, up to the next such row, is of this host or group. */
static void write_attempts_of(struct page *page, const struct reason *target)
{
    html_markup(page->out, "<tbody class=\"host\"><tr><th scope=\"rowgroup\" colspan=\"6\">");
    page_said(page, target);
    html_markup(page->out, "</th></tr></tbody>\n");
}

struct step_list {
    LIST_OF(size_t) items;
};

/* Which steps with attempts each host has, in plan order. */
static struct step_list *steps_by_host(struct page *page)
{
    struct step_list *lists =
        arena_array(page->arena, struct step_list, page->view->record->plan->hosts.count);

    for (size_t i = 0; i < page->view->step_count; i++) {
        const struct step_view *step = &page->view->steps[i];
        size_t host =
            step->step->member_count == 1 ? view_host(page->view, step->step->members[0]) : (size_t)-1;

        if (step->attempts.count > 0 && host != (size_t)-1)
            *list_push(page->arena, &lists[host].items) = i;
    }
    return lists;
}

/* How much of what hosts print is kept, and whether that was too little. */
static void write_kept_limits(struct page *page)
{
    struct evidence_limits limits;
    struct evidence_sum sum;

    if (!evidence_limits_of(page->view->record, &limits))
        return;
    evidence_count(page->view->record, &sum);
    html_markup(page->out, "<p>");
    html_words(page->out, sayf(page, TEXT_EVIDENCE_LIMITS, number(page, limits.stream_bytes),
                               number(page, limits.looking_bytes), number(page, limits.host_bytes),
                               number(page, limits.run_bytes), number(page, sum.kept_bytes)));
    html_markup(page->out, " ");
    html_words(page->out, sum.flooded + sum.dropped == 0
                              ? say(page, TEXT_EVIDENCE_LIMITS_MET)
                              : sayf(page, TEXT_EVIDENCE_LIMITS_REACHED, number(page, sum.flooded),
                                     number(page, sum.dropped)));
    html_markup(page->out, "</p>\n");
}

/* Steps across hosts come first, then those of each host together, in hostfile order. */
void page_attempts(struct page *page)
{
    const struct plan *plan = page->view->record->plan;
    struct step_list *lists = steps_by_host(page);
    struct commands commands;

    collect_commands(page, &commands);
    page_paragraph(page, TEXT_EVIDENCE_INTRO);
    write_kept_limits(page);
    if (is_large(page))
        page_paragraph(page, TEXT_EVIDENCE_LARGE);
    page_told(page);
    open_attempts(page);
    for (size_t i = 0; i < page->view->step_count; i++)
        if (page->view->steps[i].step->member_count > 1 && page->view->steps[i].attempts.count > 0) {
            write_attempts_of(page, step_target_said(page->arena, page->view->steps[i].step));
            write_step_attempts(page, &commands, i);
        }
    for (size_t i = 0; i < plan->hosts.count; i++) {
        if (lists[i].items.count == 0 || !page->view->told[i])
            continue;
        write_attempts_of(page, reason_text(page->arena, plan->hosts.items[i]->name));
        for (size_t k = 0; k < lists[i].items.count; k++)
            write_step_attempts(page, &commands, lists[i].items.items[k]);
    }
    html_markup(page->out, "</table>\n");
}

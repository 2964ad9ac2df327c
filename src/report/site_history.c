/* SPDX-License-Identifier: Apache-2.0 */
/* The history in a site: who gets worse, and a page for each host and each part. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "history_shown.h"
#include "site_page.h"

static const char GROUP[] = " hosts: "; /* in the name of several: step_target */

/* -- Who has a page ------------------------------------------------------------------------------------------------ */

static size_t add_subject(struct arena *arena, struct site_history *history, enum site_subject_kind kind,
                          const char *name)
{
    static const char *const folders[] = {
        [SITE_HOST] = "hosts", [SITE_GROUP] = "groups", [SITE_PART] = "parts"};
    struct site_subject *subject = list_push(arena, &history->subjects);

    *subject = (struct site_subject){
        .kind = kind,
        .name = name,
        .path = arena_printf(arena, "%s/%s.html", folders[kind], site_name(arena, name)),
        .has_page = true,
    };
    return history->subjects.count - 1;
}

static void add_hosts(struct arena *arena, struct site_history *history)
{
    for (size_t i = 0; i < history->history->targets.count; i++)
        if (strstr(history->history->targets.items[i], GROUP) == NULL)
            add_subject(arena, history, SITE_HOST, history->history->targets.items[i]);
}

static int compare_names(const void *a, const void *b)
{
    const struct site_subject *const *left = a, *const *right = b;

    return strcmp((*left)->name, (*right)->name);
}

/* Hosts by their names. They stand at the beginning of the subjects, which move while more are added. */
struct hosts {
    size_t *places, count;
};

static struct hosts sort_hosts(struct arena *arena, struct site_history *history)
{
    struct hosts hosts = {arena_array(arena, size_t, history->subjects.count + 1), history->subjects.count};
    const struct site_subject **sorted = arena_array(arena, const struct site_subject *, hosts.count + 1);

    for (size_t i = 0; i < hosts.count; i++)
        sorted[i] = &history->subjects.items[i];
    qsort(sorted, hosts.count, sizeof *sorted, compare_names);
    for (size_t i = 0; i < hosts.count; i++)
        hosts.places[i] = (size_t)(sorted[i] - history->subjects.items);
    return hosts;
}

/* The first word of the place, "node5 gpu3", among them; NULL: it is none of theirs. */
static struct site_subject *host_of(struct site_history *history, const struct hosts *hosts,
                                    const char *place)
{
    size_t length = strcspn(place, " "), low = 0, high = hosts->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        struct site_subject *host = &history->subjects.items[hosts->places[middle]];
        int order = strncmp(host->name, place, length);

        if (order == 0 && host->name[length] == '\0')
            return host;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* A host that the history knows as such has its page already; what sits at "node5 gpu3" is a part of node5. */
static void add_known(struct arena *arena, struct site_history *history, const struct hosts *hosts,
                      size_t index, bool groups)
{
    const struct history_subject *known = &history->findings->subjects.items[index];
    bool group = strstr(known->place, GROUP) != NULL;
    struct site_subject *host;
    size_t page;

    if (group != groups)
        return;
    host = group ? NULL : host_of(history, hosts, known->place);
    if (host != NULL && strcmp(host->name, known->name) == 0) {
        page = (size_t)(host - history->subjects.items);
    } else {
        size_t at = host != NULL ? (size_t)(host - history->subjects.items) : (size_t)-1;

        page = add_subject(arena, history, group ? SITE_GROUP : SITE_PART, known->name);
        if (at != (size_t)-1)
            *list_push(arena, &history->subjects.items[at].parts.items) = page;
    }
    history->subjects.items[page].known = known;
    history->of_subject[index] = page;
}

/* A part that nothing is found of and that never moved is told on the page of its host: of most clusters those are all. */
static void fold_parts(struct arena *arena, struct site_history *history, const struct site_subject *host)
{
    for (size_t i = 0; i < host->parts.items.count; i++) {
        struct site_subject *part = &history->subjects.items[host->parts.items.items[i]];

        if (part->known->places > 1 || part->findings.items.count > 0)
            continue;
        part->has_page = false;
        part->anchor = site_name(arena, part->name);
        part->path = arena_printf(arena, "%s#%s", host->path, part->anchor);
    }
}

void site_history_of(struct arena *arena, const struct history *history,
                     const struct history_findings *findings, struct site_history *ret_history)
{
    struct hosts hosts;

    *ret_history = (struct site_history){.history = history, .findings = findings};
    ret_history->of_subject = arena_array(arena, size_t, findings->subjects.count + 1);
    add_hosts(arena, ret_history);
    hosts = sort_hosts(arena, ret_history);
    for (size_t i = 0; i < findings->subjects.count; i++)
        add_known(arena, ret_history, &hosts, i, true);
    for (size_t i = 0; i < findings->subjects.count; i++)
        add_known(arena, ret_history, &hosts, i, false);
    for (size_t i = 0; i < findings->series.count; i++)
        *list_push(arena,
                   &ret_history->subjects.items[ret_history->of_subject[findings->series.items[i].subject]]
                        .series.items) = i;
    for (size_t i = 0; i < findings->findings.count; i++)
        *list_push(arena,
                   &ret_history->subjects.items[ret_history->of_subject[findings->findings.items[i].subject]]
                        .findings.items) = i;
    for (size_t i = 0; i < hosts.count; i++)
        fold_parts(arena, ret_history, &ret_history->subjects.items[i]);
}

/* -- The index ----------------------------------------------------------------------------------------------------- */

static const char *finding_text(const struct page *page, const struct site_history *history, size_t finding)
{
    return history_finding_said(page->arena, page->language, history->history, history->findings,
                                &history->findings->findings.items[finding]);
}

/* Where it was, of what is not called by its place. */
static const char *place_of(const struct site_subject *subject)
{
    return strcmp(subject->name, subject->known->place) != 0 ? subject->known->place : "";
}

static void write_subject_link(struct page *page, const struct site_subject *subject, const char *up)
{
    html_markup(page->out, "<th scope=\"row\">");
    site_link(page, arena_printf(page->arena, "%s%s", up, subject->path), subject->name);
    html_markup(page->out, "</th>");
}

static void write_worse(struct page *page, const struct site_history *history)
{
    site_section(page, "worse", TEXT_SITE_WORSE);
    if (history->findings->findings.count == 0)
        page_paragraph(page, TEXT_SITE_NO_WORSE);
    else
        site_table(page, COLUMN(SITE_WHO), COLUMN(SITE_PLACE), COLUMN(SITE_FINDING));
    for (size_t i = 0; i < history->findings->findings.count; i++) {
        size_t at = history->of_subject[history->findings->findings.items[i].subject];
        const struct site_subject *subject = &history->subjects.items[at];

        html_markup(page->out, "<tr>");
        write_subject_link(page, subject, "");
        site_cell(page, TEXT_SITE_PLACE, place_of(subject));
        site_cell(page, TEXT_SITE_FINDING, finding_text(page, history, i));
        html_markup(page->out, "</tr>\n");
    }
    if (history->findings->findings.count > 0)
        site_table_end(page);
    html_markup(page->out, "</section>\n");
}

/* Where there are any, they are seen from afar. */
static void write_found(struct page *page, size_t count)
{
    html_markup(page->out, "<td class=\"num\" data-name=\"");
    html_text(page->out, say(page, TEXT_SITE_FINDINGS));
    html_markup(page->out, "\">");
    if (count > 0)
        html_markup(page->out, "<span class=\"w inconclusive\">");
    html_text(page->out, number(page, count));
    if (count > 0)
        html_markup(page->out, "</span>");
    html_markup(page->out, "</td></tr>\n");
}

static void write_part_row(struct page *page, const struct site_subject *part, const char *up)
{
    html_markup(page->out, "<tr>");
    write_subject_link(page, part, up);
    if (part->kind == SITE_PART) {
        site_cell(page, TEXT_SITE_PLACE, place_of(part));
        site_number_cell(page, TEXT_SITE_PLACES, number(page, part->known->places));
    }
    site_number_cell(page, TEXT_SITE_RATES, number(page, part->series.items.count));
    write_found(page, part->findings.items.count);
}

/* Findings of a host's parts are counted with it: who looks for the host must see them. */
static size_t findings_on(const struct site_history *history, const struct site_subject *host)
{
    size_t count = host->findings.items.count;

    for (size_t i = 0; i < host->parts.items.count; i++)
        count += history->subjects.items[host->parts.items.items[i]].findings.items.count;
    return count;
}

static void write_host_row(struct page *page, const struct site_history *history,
                           const struct site_subject *host)
{
    html_markup(page->out, "<tr>");
    write_subject_link(page, host, "");
    site_number_cell(page, TEXT_SITE_PARTS, number(page, host->parts.items.count));
    site_number_cell(page, TEXT_SITE_RATES, number(page, host->series.items.count));
    write_found(page, findings_on(history, host));
}

static void write_hosts(struct page *page, const struct site_history *history)
{
    site_section(page, "hosts", TEXT_SITE_HOSTS);
    site_table(page, COLUMN(HOST), NUMBERS(SITE_PARTS), NUMBERS(SITE_RATES), NUMBERS(SITE_FINDINGS));
    for (size_t i = 0; i < history->subjects.count; i++)
        if (history->subjects.items[i].kind == SITE_HOST)
            write_host_row(page, history, &history->subjects.items[i]);
    site_table_end(page);
    html_markup(page->out, "</section>\n");
}

static bool has_kind(const struct site_history *history, enum site_subject_kind kind)
{
    for (size_t i = 0; i < history->subjects.count; i++)
        if (history->subjects.items[i].kind == kind)
            return true;
    return false;
}

static void write_lists(struct page *page, const struct site_history *history)
{
    html_markup(page->out, "<ul class=\"links\">");
    if (has_kind(history, SITE_PART)) {
        html_markup(page->out, "<li>");
        site_link(page, "parts.html", say(page, TEXT_SITE_ALL_PARTS));
        html_markup(page->out, "</li>");
    }
    if (has_kind(history, SITE_GROUP)) {
        html_markup(page->out, "<li>");
        site_link(page, "groups.html", say(page, TEXT_SITE_ALL_GROUPS));
        html_markup(page->out, "</li>");
    }
    html_markup(page->out, "</ul>\n");
}

/* Who reads that nothing gets worse has to know of what that is said. */
static void write_gaps(struct page *page, const struct history *history)
{
    for (size_t i = 0; i < history->gaps.count; i++) {
        html_markup(page->out, "<p><strong>");
        html_text(page->out, sayf(page, TEXT_SITE_HISTORY_GAP,
                                  arena_printf(page->arena, "%lld", history->gaps.items[i].run),
                                  history->gaps.items[i].why));
        html_markup(page->out, "</strong></p>\n");
    }
}

void site_history_index(const struct site_history *history, enum report_language language, struct text *out)
{
    static const struct site_step way[] = {{TEXT_SITE_TITLE, "../index.html"}, {0, NULL}};
    struct page page = {.out = out, .arena = arena_create(), .language = language};
    size_t runs = history->history->runs.count;

    frame_open_site(out, language, say(&page, TEXT_SITE_HISTORY));
    site_head(&page, way, say(&page, TEXT_SITE_HISTORY), "");
    html_markup(out, "<p>");
    html_text(out, sayf(&page, TEXT_SITE_HISTORY_INTRO, number(&page, runs),
                        arena_printf(page.arena, "%lld", history->history->runs.items[0].number),
                        arena_printf(page.arena, "%lld", history->history->runs.items[runs - 1].number)));
    html_markup(out, "</p>\n");
    write_gaps(&page, history->history);
    write_lists(&page, history);
    write_worse(&page, history);
    write_hosts(&page, history);
    frame_close(out, language);
    arena_destroy(page.arena);
}

/* Of more, a list is too long for a browser and for eyes: 54 MB of 20,000 hosts. */
enum { PARTS_MOST = 25000 };

/* Of many parts those that moved, or of which something was found. */
static bool is_listed(const struct site_subject *subject, enum site_subject_kind kind, size_t count)
{
    return subject->kind == kind && (kind != SITE_PART || count <= PARTS_MOST || subject->has_page);
}

static void write_left_out(struct page *page, const struct site_history *history, size_t count)
{
    size_t listed = 0;

    for (size_t i = 0; i < history->subjects.count; i++)
        listed += is_listed(&history->subjects.items[i], SITE_PART, count);
    if (listed == count)
        return;
    html_markup(page->out, "<p>");
    html_text(page->out, sayf(page, TEXT_SITE_PARTS_LEFT_OUT, number(page, count), number(page, listed)));
    html_markup(page->out, "</p>\n");
}

void site_history_list(const struct site_history *history, enum site_subject_kind kind,
                       enum report_language language, struct text *out)
{
    static const struct site_step way[] = {
        {TEXT_SITE_TITLE, "../index.html"}, {TEXT_SITE_HISTORY, "index.html"}, {0, NULL}};
    enum text_key title = kind == SITE_PART ? TEXT_SITE_ALL_PARTS : TEXT_SITE_ALL_GROUPS;
    struct page page = {.out = out, .arena = arena_create(), .language = language};
    size_t count = 0;

    for (size_t i = 0; i < history->subjects.count; i++)
        count += history->subjects.items[i].kind == kind;
    frame_open_site(out, language, say(&page, title));
    site_head(&page, way, say(&page, title), "");
    if (kind == SITE_PART)
        write_left_out(&page, history, count);
    site_section(&page, "list", kind == SITE_PART ? TEXT_SITE_PARTS : TEXT_SITE_GROUPS);
    if (kind == SITE_PART)
        site_table(&page, COLUMN(SITE_IDENTITY), COLUMN(SITE_PLACE), NUMBERS(SITE_PLACES),
                   NUMBERS(SITE_RATES), NUMBERS(SITE_FINDINGS));
    else
        site_table(&page, COLUMN(HOSTS), NUMBERS(SITE_RATES), NUMBERS(SITE_FINDINGS));
    for (size_t i = 0; i < history->subjects.count; i++)
        if (is_listed(&history->subjects.items[i], kind, count))
            write_part_row(&page, &history->subjects.items[i], "");
    site_table_end(&page);
    html_markup(out, "</section>\n");
    frame_close(out, language);
    arena_destroy(page.arena);
}

/* -- One of them --------------------------------------------------------------------------------------------------- */

static void write_findings(struct page *page, const struct site_history *history,
                           const struct site_subject *subject)
{
    if (subject->findings.items.count == 0)
        return;
    site_section(page, "findings", TEXT_SITE_FINDINGS);
    html_markup(page->out, "<ul>\n");
    for (size_t i = 0; i < subject->findings.items.count; i++) {
        html_markup(page->out, "<li>");
        html_text(page->out, finding_text(page, history, subject->findings.items.items[i]));
        html_markup(page->out, "</li>\n");
    }
    html_markup(page->out, "</ul>\n</section>\n");
}

static void write_course(struct page *page, const struct site_history *history,
                         const struct site_subject *subject)
{
    struct history_plot plot = {.title = say(page, TEXT_SITE_COURSE),
                                .more = "",
                                .one_subject = true,
                                .history = history->history,
                                .findings = history->findings};

    while (plot.count < subject->series.items.count && plot.count < HISTORY_LINES) {
        plot.series[plot.count] = subject->series.items.items[plot.count];
        plot.count++;
    }
    if (plot.count < subject->series.items.count)
        plot.more = sayf(page, TEXT_SITE_COURSE_MORE, number(page, subject->series.items.count - plot.count));
    html_markup(page->out, "<figure class=\"course\" tabindex=\"0\"><figcaption>");
    html_text(page->out, plot.title);
    html_markup(page->out, "</figcaption>\n");
    history_plot(&plot, page->out);
    html_markup(page->out, "</figure>\n");
}

/* "371,690 GFLOP/s": what five digits would need a power of ten for is a whole number. */
static const char *value_text(const struct page *page, double value, const char *unit)
{
    return fabs(value) >= 99999.5 && fabs(value) < 1e15
               ? arena_printf(page->arena, "%s%s %s", value < 0 ? "-" : "",
                              count_text(page->arena, (size_t)llround(fabs(value))), unit)
               : arena_printf(page->arena, "%.5g %s", value, unit);
}

/* "+0.0%" too of what is rounded to nothing from below. */
static const char *deviation_text(const struct page *page, double deviation)
{
    return arena_printf(page->arena, "%+.1f%%", fabs(deviation) < 0.0005 ? 0.0 : 100 * deviation);
}

static void write_point(struct page *page, const struct site_history *history,
                        const struct history_series *series, const struct history_point *point)
{
    const struct history_run *run = &history->history->runs.items[point->run];

    html_markup(page->out, "<tr><th scope=\"row\">");
    site_link(page, arena_printf(page->arena, "../../runs/%lld/index.html", run->number),
              sayf(page, TEXT_SITE_RUN, arena_printf(page->arena, "%lld", run->number)));
    html_markup(page->out, "</th><td class=\"when\">");
    html_text(page->out, when(page, run->started));
    html_markup(page->out, "</td>");
    site_number_cell(page, TEXT_SITE_VALUE, value_text(page, point->value, series->unit));
    site_number_cell(page, TEXT_SITE_DEVIATION, deviation_text(page, point->deviation));
    html_markup(page->out, "</tr>\n");
}

static void write_series(struct page *page, const struct site_history *history,
                         const struct history_series *series)
{
    html_markup(page->out, "<h3>");
    html_textf(page->out, "%s %s", series->suite_step, series->metric);
    html_markup(page->out, "</h3>\n");
    site_table(page, COLUMN(RUN), COLUMN(STARTED), NUMBERS(SITE_VALUE), NUMBERS(SITE_DEVIATION));
    for (size_t i = series->points.count; i > 0; i--)
        write_point(page, history, series, &series->points.items[i - 1]);
    site_table_end(page);
}

static void write_all_series(struct page *page, const struct site_history *history,
                             const struct site_subject *subject)
{
    write_course(page, history, subject);
    for (size_t i = 0; i < subject->series.items.count; i++)
        write_series(page, history, &history->findings->series.items[subject->series.items.items[i]]);
}

static void write_rates(struct page *page, const struct site_history *history,
                        const struct site_subject *subject)
{
    if (subject->series.items.count == 0 && subject->kind != SITE_HOST)
        return;
    site_section(page, "rates", TEXT_SITE_RATES_HEAD);
    if (subject->series.items.count == 0)
        page_paragraph(page, TEXT_SITE_NO_RATE);
    else
        write_all_series(page, history, subject);
    html_markup(page->out, "</section>\n");
}

/* One that has no page of its own. Its link leads into what is folded, which opens it. */
static void write_folded_part(struct page *page, const struct site_history *history,
                              const struct site_subject *part)
{
    html_markup(page->out, "<details><summary>");
    html_textf(page->out, "%s %s", part->name, place_of(part));
    html_markup(page->out, "</summary>\n<div id=\"");
    html_text(page->out, part->anchor);
    html_markup(page->out, "\">\n");
    if (part->series.items.count > 0)
        write_all_series(page, history, part);
    html_markup(page->out, "</div></details>\n");
}

static void write_parts(struct page *page, const struct site_history *history,
                        const struct site_subject *host)
{
    if (host->parts.items.count == 0)
        return;
    site_section(page, "parts", TEXT_SITE_PARTS_OF);
    site_table(page, COLUMN(SITE_IDENTITY), COLUMN(SITE_PLACE), NUMBERS(SITE_PLACES), NUMBERS(SITE_RATES),
               NUMBERS(SITE_FINDINGS));
    for (size_t i = 0; i < host->parts.items.count; i++)
        write_part_row(page, &history->subjects.items[host->parts.items.items[i]], "../");
    site_table_end(page);
    for (size_t i = 0; i < host->parts.items.count; i++)
        if (!history->subjects.items[host->parts.items.items[i]].has_page)
            write_folded_part(page, history, &history->subjects.items[host->parts.items.items[i]]);
    html_markup(page->out, "</section>\n");
}

void site_history_page(const struct site_history *history, size_t index, enum report_language language,
                       struct text *out)
{
    static const struct site_step way[] = {
        {TEXT_SITE_TITLE, "../../index.html"}, {TEXT_SITE_HISTORY, "../index.html"}, {0, NULL}};
    const struct site_subject *subject = &history->subjects.items[index];
    struct page page = {.out = out, .arena = arena_create(), .language = language};
    const char *seen = subject->kind == SITE_PART ? sayf(&page, TEXT_SITE_SEEN_AT, subject->known->place,
                                                         number(&page, subject->known->places))
                                                  : "";

    frame_open_linked(out, language, subject->name, "../../site.css");
    site_head(&page, way, subject->name, seen);
    write_findings(&page, history, subject);
    write_rates(&page, history, subject);
    write_parts(&page, history, subject);
    frame_end(out);
    arena_destroy(page.arena);
}

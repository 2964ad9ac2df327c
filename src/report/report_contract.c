/* SPDX-License-Identifier: Apache-2.0 */
/* A contract for those who negotiate it: a row for each clause, and a place for what they agree on. */
#include <string.h>

#include "assay/base/printable.h"
#include "assay/base/sha256.h"
#include "assay/model/suite.h"
#include "frame.h"
#include "gates.h"
#include "metric_words.h"
#include "page.h"

/* "{1}", "{1} to {2}", "{1} or more", "{1} or less" */
struct span_texts {
    enum text_key one, between, from, up_to;
};

static const struct span_texts host_texts = {TEXT_CONTRACT_HOSTS, TEXT_CONTRACT_HOSTS_RANGE,
                                             TEXT_CONTRACT_HOSTS_FROM, TEXT_CONTRACT_HOSTS_UP_TO};
static const struct span_texts rack_texts = {TEXT_CONTRACT_RACKS, TEXT_CONTRACT_RACKS_RANGE,
                                             TEXT_CONTRACT_RACKS_FROM, TEXT_CONTRACT_RACKS_UP_TO};
static const struct span_texts size_texts = {TEXT_CONTRACT_SIZE, TEXT_CONTRACT_SIZES,
                                             TEXT_CONTRACT_SIZES_FROM, TEXT_CONTRACT_SIZES_UP_TO};

/* NULL is no bound; both NULL: "". */
static const char *bounds_text(struct page *page, const struct span_texts *texts, const char *low,
                               const char *high)
{
    if (low != NULL && high != NULL)
        return strcmp(low, high) == 0 ? sayf(page, texts->one, low) : sayf(page, texts->between, low, high);
    if (low != NULL)
        return sayf(page, texts->from, low);
    return high != NULL ? sayf(page, texts->up_to, high) : "";
}

static const char *count_or_none(struct page *page, unsigned count)
{
    return count > 0 ? number(page, count) : NULL;
}

static const char *size_or_none(struct page *page, double bytes)
{
    return bytes > 0 ? size_text(page->arena, bytes) : NULL;
}

static const char *scope_text(struct page *page, const char *scope)
{
    static const struct {
        const char *scope;
        enum text_key text;
    } rows[] = {{"host", TEXT_CONTRACT_EACH_HOST},
                {"pair", TEXT_CONTRACT_PAIR},
                {"group", TEXT_CONTRACT_GROUP},
                {"cluster", TEXT_CONTRACT_CLUSTER}};

    for (size_t i = 0; scope != NULL && i < ARRAY_SIZE(rows); i++)
        if (strcmp(rows[i].scope, scope) == 0)
            return say(page, rows[i].text);
    return "";
}

/* How many hosts is said by the scope alone where a host, or two, is all that it can be. */
static const char *hosts_text(struct page *page, const struct limit *limit)
{
    unsigned own = limit->scope == NULL                ? 0
                   : strcmp(limit->scope, "host") == 0 ? 1
                   : strcmp(limit->scope, "pair") == 0 ? 2
                                                       : 0;

    if (own > 0 && limit->hosts_min == own && limit->hosts_max == own)
        return "";
    return bounds_text(page, &host_texts, count_or_none(page, limit->hosts_min),
                       count_or_none(page, limit->hosts_max));
}

/* Of one host it is no news that it stands in one rack. */
static const char *racks_text(struct page *page, const struct limit *limit)
{
    if (limit->hosts_max == 1)
        return "";
    return bounds_text(page, &rack_texts, count_or_none(page, limit->racks_min),
                       count_or_none(page, limit->racks_max));
}

/* "hgx-h100, all hosts together, 4 hosts, messages of 8 to 16G" */
static const char *where_text(struct page *page, const struct limit *limit)
{
    const char *parts[] = {
        limit->platform != NULL ? limit->platform : "",
        scope_text(page, limit->scope),
        hosts_text(page, limit),
        racks_text(page, limit),
        limit->rack_hosts_min > 0 ? sayf(page, TEXT_CONTRACT_RACK_HOSTS, number(page, limit->rack_hosts_min))
                                  : "",
        limit->subject != NULL ? limit->subject : "",
        bounds_text(page, &size_texts, size_or_none(page, limit->size_min),
                    size_or_none(page, limit->size_max)),
    };
    const char *comma = language_of(page->language)->comma, *text = "";

    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        if (*parts[i] != '\0')
            text = arena_printf(page->arena, "%s%s%s", text, *text != '\0' ? comma : "", parts[i]);
    return *text != '\0' ? text : say(page, TEXT_CONTRACT_ANY);
}

/* Of a clause that assay proposes its status and source are words of ours; the others are the parties'. */
static const char *source_text(struct page *page, const struct contract *contract, size_t index)
{
    const char *source = json_string(contract->at.items[index], "source", ""), *status, *rest;

    if (strncmp(source, CONTRACT_PROPOSED, strlen(CONTRACT_PROPOSED)) != 0)
        return source;
    status = source + strlen(CONTRACT_PROPOSED);
    rest = strstr(status, ": ");
    if (rest == NULL)
        return source;
    return sayf(
        page, TEXT_CONTRACT_IS_PROPOSED,
        said(page, limit_origin(page->arena, arena_strndup(page->arena, status, (size_t)(rest - status)),
                                reason_word(page->arena, rest + 2))));
}

/* The words of a draft's title are ours too. */
static const char *title_of(struct page *page, const struct contract *contract)
{
    struct slice suite = slice_of(contract->title);

    if (suite.length == 0)
        return sayf(page, TEXT_CONTRACT_TITLE, contract->name);
    if (!scan_text(&suite, CONTRACT_DRAFT_BEFORE) || !slice_ends(suite, CONTRACT_DRAFT_BEHIND))
        return contract->title;
    return sayf(page, TEXT_CONTRACT_DRAFT,
                arena_strndup(page->arena, suite.bytes, suite.length - strlen(CONTRACT_DRAFT_BEHIND)));
}

static const char *sum_of(struct page *page, const struct contract *contract)
{
    char sum[SHA256_HEX_SIZE];

    sha256_hex(contract->bytes.bytes, contract->bytes.length, sum);
    return arena_strdup(page->arena, sum);
}

static const char *count_line(struct page *page, const struct contract *contract)
{
    return sayf(page, TEXT_CONTRACT_COUNT, number(page, contract->limits.count), sum_of(page, contract));
}

/* -- HTML ------------------------------------------------------------------------------------------------------ */

static void write_row(struct page *page, const struct contract *contract, size_t index)
{
    const struct limit *limit = &contract->limits.items[index];

    html_markup(page->out, "<tr>");
    html_row_head(page->out, limit->clause);
    html_markup(page->out, "<td>");
    page_metric(page, limit->metric);
    if (*metric_words(page->language, limit->metric) != '\0')
        page_small(page, metric_words(page->language, limit->metric));
    html_markup(page->out, "</td>");
    html_cell(page->out, where_text(page, limit));
    page_said_cell(page, limit_text(page->arena, limit));
    html_cell(page->out, source_text(page, contract, index));
    html_markup(page->out, "<td></td></tr>\n");
}

void report_contract_html(const struct contract *contract, enum report_language language, struct text *out)
{
    struct page page = {.out = out, .arena = arena_create(), .language = language};

    frame_open(out, language, title_of(&page, contract), contract->name);
    html_markup(out, "<header><h1>");
    html_text(out, title_of(&page, contract));
    html_markup(out, "</h1>\n<p>");
    html_text(out, sayf(&page, TEXT_CONTRACT_TITLE, contract->name));
    html_markup(out, "</p></header>\n<p class=\"small\">");
    html_words(out, count_line(&page, contract));
    html_markup(out, "</p>\n");
    page_paragraph(&page, TEXT_CONTRACT_HOW);
    page_table(&page, "contract cards", COLUMN(CONTRACT_CLAUSE), COLUMN(METRIC), COLUMN(CONTRACT_WHERE),
               COLUMN(LIMIT), COLUMN(LIMIT_FROM), COLUMN(CONTRACT_AGREED));
    html_markup(out, "<tbody>\n");
    for (size_t i = 0; i < contract->limits.count; i++)
        write_row(&page, contract, i);
    html_markup(out, "</tbody></table>\n<section id=\"signatures\"><h2>");
    html_words(out, say(&page, TEXT_SIGN_OFF));
    html_markup(out, "</h2>\n");
    frame_sign_off(out, language, TEXT_CONTRACT_SIGN, TEXT_CONTRACT_FILE, sum_of(&page, contract));
    html_markup(out, "</section>\n");
    frame_close(out, language);
    arena_destroy(page.arena);
}

/* -- Text ------------------------------------------------------------------------------------------------------ */

enum { CELLS = 7 };

static void take_cells(struct page *page, const struct contract *contract, size_t index,
                       const char *ret_cells[CELLS])
{
    const struct limit *limit = &contract->limits.items[index];

    ret_cells[0] = limit->clause;
    ret_cells[1] = limit->metric;
    ret_cells[2] = metric_words(page->language, limit->metric);
    ret_cells[3] = where_text(page, limit);
    ret_cells[4] = said(page, limit_text(page->arena, limit));
    ret_cells[5] = "____________";
    ret_cells[6] = source_text(page, contract, index);
}

static void put_cells(const char *const cells[CELLS], const size_t widths[CELLS], struct text *out)
{
    for (size_t i = 0; i < CELLS; i++) {
        cleanup_text struct text safe = {0};

        text_init(&safe, 1 << 20);
        printable_line(&safe, cells[i]);
        text_put(out, safe.bytes);
        if (i + 1 < CELLS)
            text_printf(out, "%*s", (int)(widths[i] - printable_width(cells[i]) + 2), "");
    }
    text_put(out, "\n");
}

static void put_signing(struct page *page, struct text *out)
{
    static const enum text_key parties[] = {TEXT_SUPPLIER, TEXT_CUSTOMER};

    text_printf(out, "\n%s\n", say(page, TEXT_CONTRACT_SIGN));
    for (size_t i = 0; i < ARRAY_SIZE(parties); i++)
        text_printf(out, "\n%s\n________________________________________\n",
                    sayf(page, TEXT_CONTRACT_SIGN_HERE, say(page, parties[i])));
}

/* The source comes last here: it is the longest, and nothing is to be written behind it. */
void report_contract_text(const struct contract *contract, enum report_language language, struct text *out)
{
    static const enum text_key heads[CELLS] = {TEXT_CONTRACT_CLAUSE, TEXT_METRIC, TEXT_CONTRACT_WHAT,
                                               TEXT_CONTRACT_WHERE,  TEXT_LIMIT,  TEXT_CONTRACT_AGREED,
                                               TEXT_LIMIT_FROM};
    struct page page = {.out = out, .arena = arena_create(), .language = language};
    const size_t rows = contract->limits.count + 1;
    const char *(*cells)[CELLS] = (const char *(*)[CELLS])arena_array(page.arena, const char *, rows *CELLS);
    size_t widths[CELLS] = {0};

    for (size_t k = 0; k < CELLS; k++)
        cells[0][k] = say(&page, heads[k]);
    for (size_t i = 1; i < rows; i++)
        take_cells(&page, contract, i - 1, cells[i]);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < CELLS; k++)
            widths[k] = printable_width(cells[i][k]) > widths[k] ? printable_width(cells[i][k]) : widths[k];
    printable_line(out, title_of(&page, contract));
    text_printf(out, "\n%s\n%s\n\n", count_line(&page, contract), say(&page, TEXT_CONTRACT_HOW));
    for (size_t i = 0; i < rows; i++)
        put_cells(cells[i], widths, out);
    put_signing(&page, out);
    arena_destroy(page.arena);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A path is looked up in what the database has; no part of it ever names a file. */
#include "assay/app/site_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/app/campaign.h"
#include "assay/app/earlier.h"
#include "assay/app/histories.h"
#include "assay/app/report_file.h"
#include "assay/base/clock.h"
#include "assay/judge/judge.h"

/* Of a suite with so many runs every two are compared; of more each with the one before, and the newest with so many. */
enum { RUNS_ALL_PAIRS = 8, PAIRS_OF_NEWEST = 32 };

/* -- Comparisons and acceptances --------------------------------------------------------------------------------- */

/* Another party's run is compared with nothing. */
static bool is_compared(const struct site_run *run)
{
    return run->origin == NULL && run->judged && run->damage == NULL;
}

/* The next run before this one of the same suite; the count of runs: there is none. */
static size_t earlier_of(const struct site *site, size_t run, const char *suite)
{
    do
        run++;
    while (run < site->runs.count &&
           (!is_compared(&site->runs.items[run]) || strcmp(site->runs.items[run].suite, suite) != 0));
    return run;
}

/* Of the runs of a suite, the newest first. */
static void pair_suite(struct arena *arena, struct site *site, const size_t *runs, size_t count)
{
    for (size_t later = 0; later < count; later++) {
        size_t last = later + 1;

        if (count <= RUNS_ALL_PAIRS)
            last = count - 1;
        else if (later == 0)
            last = count - 1 < PAIRS_OF_NEWEST ? count - 1 : PAIRS_OF_NEWEST;
        for (size_t earlier = later + 1; earlier <= last && earlier < count; earlier++)
            *list_push(arena, &site->pairs) = (struct site_pair){runs[earlier], runs[later]};
        if (later + 1 < count)
            site->runs.items[runs[later]].previous = site->runs.items[runs[later + 1]].number;
    }
}

void site_pages_pair(struct arena *arena, struct site *site)
{
    bool *paired = arena_array(arena, bool, site->runs.count + 1);
    size_t *runs = arena_array(arena, size_t, site->runs.count + 1);

    for (size_t i = 0; i < site->runs.count; i++) {
        const char *suite = site->runs.items[i].suite;
        size_t count = 0;

        if (paired[i] || !is_compared(&site->runs.items[i]))
            continue;
        for (size_t run = i; run < site->runs.count; run = earlier_of(site, run, suite)) {
            paired[run] = true;
            runs[count++] = run;
        }
        pair_suite(arena, site, runs, count);
    }
}

int site_pages_compare(struct store *store, long long earlier, long long later, enum report_language language,
                       struct text *out, struct error *err)
{
    cleanup_arena struct arena *arena = arena_create();
    struct record *record = store_load_judged(store, arena, later, err);
    int result =
        record != NULL ? earlier_attach(store, arena, record, arena_printf(arena, "%lld", earlier), err) : -1;

    if (result == 0)
        site_compare(record, language, out);
    return result;
}

const char *site_pages_acceptance_path(struct arena *arena, const char *name)
{
    return arena_printf(arena, "acceptances/%s.html", site_name(arena, name));
}

int site_pages_acceptance(struct store *store, struct arena *arena, const char *name,
                          enum report_language language, struct text *out,
                          struct site_acceptance *ret_acceptance, struct error *err)
{
    cleanup_arena struct arena *scratch = arena_create();
    struct campaign campaign;
    struct acceptance *acceptance = NULL;
    int result = -1;

    if (campaign_load(scratch, store, name, &campaign, err) == 0)
        acceptance = campaign_now(&campaign, clock_now(), err);
    if (acceptance != NULL && (out == NULL || campaign_story(&campaign, acceptance, err) == 0)) {
        acceptance->site_index = "../index.html";
        *ret_acceptance = (struct site_acceptance){
            .name = arena_strdup(arena, name),
            .verdict_text = reason_copy(arena, acceptance_verdict_text(scratch, acceptance)),
            .verdict = acceptance->verdicts.items[0].word,
        };
        if (out != NULL)
            acceptance_format_find("html")->write(acceptance, language, out);
        result = 0;
    }
    return result;
}

/* -- What is kept ------------------------------------------------------------------------------------------------ */

/* A run as the index has it, and by what it is seen that it is another now. */
struct known_run {
    struct arena *arena; /* of what it holds: it goes when the run is another */
    struct run_summary summary;
    struct site_run run;
};
struct kept_page {
    char *path;
    struct text text;
};
/* An acceptance tells as of when it is, and a controller may die without a word to the database. */
enum { PAGES_KEPT = 8, LARGEST_KEPT = 32 << 20, KEPT_S = 20 };

struct site_pages {
    struct store *store;
    enum report_language language;
    struct arena *arena;               /* of the list of them */
    LIST_OF(struct known_run *) known; /* each once */
    /* Of one state of the database, all in now_arena: */
    struct arena *now_arena;
    long long version;
    double since;
    struct site site;
    bool has_site, has_history;
    struct history history;
    struct history_findings findings;
    struct site_history shown;
    struct kept_page kept[PAGES_KEPT];
    size_t next; /* to be replaced */
};

struct site_pages *site_pages_create(struct store *store, enum report_language language)
{
    struct site_pages *pages = mem_alloc(sizeof *pages);

    *pages = (struct site_pages){
        .store = store, .language = language, .arena = arena_create(), .now_arena = arena_create()};
    return pages;
}

static void forget(struct site_pages *pages)
{
    for (size_t i = 0; i < PAGES_KEPT; i++) {
        free(pages->kept[i].path);
        text_release(&pages->kept[i].text);
        pages->kept[i] = (struct kept_page){0};
    }
    arena_destroy(pages->now_arena);
    pages->now_arena = arena_create();
    pages->site = (struct site){.language = pages->language};
    pages->history = (struct history){0};
    pages->shown = (struct site_history){0};
    pages->has_site = pages->has_history = false;
}

static void forget_run(struct known_run *known)
{
    arena_destroy(known->arena);
    free(known);
}

void site_pages_destroy(struct site_pages *pages)
{
    if (pages == NULL)
        return;
    forget(pages);
    for (size_t i = 0; i < pages->known.count; i++)
        forget_run(pages->known.items[i]);
    arena_destroy(pages->now_arena);
    arena_destroy(pages->arena);
    free(pages);
}

static int look(struct site_pages *pages, struct error *err)
{
    double now = clock_now();
    long long version;

    if (store_data_version(pages->store, &version, err) < 0)
        return -1;
    if (version != pages->version || now - pages->since > KEPT_S || now < pages->since) {
        forget(pages);
        pages->version = version;
        pages->since = now;
    }
    return 0;
}

/* -- The runs ---------------------------------------------------------------------------------------------------- */

/* Who signed another party's run and whose its verdict is may change without a trace in the summary. */
static bool is_same(const struct run_summary *a, const struct run_summary *b)
{
    return !a->imported && a->number == b->number && strcmp(a->uuid, b->uuid) == 0 && a->state == b->state &&
           a->attempts == b->attempts && a->judged == b->judged && a->verdict == b->verdict &&
           a->waived == b->waived;
}

void site_pages_damaged(struct arena *arena, const struct run_summary *summary, const struct error *why,
                        struct site_run *ret_run)
{
    *ret_run = (struct site_run){
        .number = summary->number,
        .title = arena_strdup(arena, summary->hostfile),
        .customer = "",
        .site = "",
        .suite = arena_strdup(arena, summary->suite),
        .started = summary->started,
        .state = summary->state,
        .hosts = summary->hosts,
        .damage = arena_strdup(arena, why->text),
    };
}

static void load_run(struct site_pages *pages, const struct run_summary *summary, struct known_run *known)
{
    cleanup_arena struct arena *arena = arena_create();
    struct error why = {0};
    const struct record *record =
        run_summary_check(summary, &why) == 0
            ? report_file_load(pages->store, arena, summary->number, "text", NULL, &why)
            : NULL;

    known->arena = arena_create();
    known->summary = *summary;
    known->summary.uuid = arena_strdup(known->arena, summary->uuid);
    if (record != NULL)
        site_run_of(known->arena, record, &known->run);
    else
        site_pages_damaged(known->arena, summary, &why, &known->run);
    known->run.live = record != NULL && !summary->imported && known->run.state == RUN_RUNNING;
}

/* The record of a run is large; how the index shows it is kept for as long as it is the same. One that cannot be read may
   be another at the next look. */
static void take_run(struct site_pages *pages, const struct run_summary *summary)
{
    struct known_run **place = NULL, *known;

    for (size_t i = 0; i < pages->known.count && place == NULL; i++)
        if (pages->known.items[i]->summary.number == summary->number)
            place = &pages->known.items[i];
    if (place == NULL) {
        place = list_push(pages->arena, &pages->known);
        *place = NULL;
    }
    if (*place == NULL || !is_same(&(*place)->summary, summary) || (*place)->run.damage != NULL) {
        if (*place != NULL)
            forget_run(*place);
        known = mem_alloc(sizeof *known);
        load_run(pages, summary, known);
        *place = known;
    }
    *list_push(pages->now_arena, &pages->site.runs) = (*place)->run;
}

static int need_site(struct site_pages *pages, struct error *err)
{
    struct run_summary *runs;
    size_t count;

    if (pages->has_site)
        return 0;
    pages->site = (struct site){.language = pages->language};
    if (store_list_runs(pages->store, pages->now_arena, 0, &runs, &count, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        take_run(pages, &runs[i]);
        pages->site.has_history |=
            runs[i].judged && !runs[i].imported && pages->site.runs.items[i].damage == NULL;
    }
    site_pages_pair(pages->now_arena, &pages->site);
    pages->has_site = true;
    return 0;
}

static int need_history(struct site_pages *pages, struct error *err)
{
    if (pages->has_history)
        return 0;
    pages->history = (struct history){0};
    if (histories_collect(pages->store, pages->now_arena, 0, false, &pages->history, err) < 0)
        return -1;
    judge_history(pages->now_arena, &pages->history, &pages->findings);
    site_history_of(pages->now_arena, &pages->history, &pages->findings, &pages->shown);
    pages->has_history = true;
    return 0;
}

/* -- Pages ------------------------------------------------------------------------------------------------------- */

/* One that cannot be read is listed with the reason, beside the others. */
static void index_acceptance(struct site_pages *pages, const char *name,
                             struct site_acceptance *ret_acceptance)
{
    struct error why = {0};

    if (site_pages_acceptance(pages->store, pages->now_arena, name, pages->language, NULL, ret_acceptance,
                              &why) < 0)
        *ret_acceptance = (struct site_acceptance){.name = arena_strdup(pages->now_arena, name),
                                                   .damage = arena_strdup(pages->now_arena, why.text)};
}

static int make_index(struct site_pages *pages, const char *rest, struct text *out, struct error *err)
{
    struct acceptance_names names;
    struct site site;

    if (*rest != '\0')
        return 0;
    if (need_site(pages, err) < 0 || store_list_acceptances(pages->store, pages->now_arena, &names, err) < 0)
        return -1;
    site = pages->site;
    for (size_t i = 0; i < names.items.count; i++)
        index_acceptance(pages, names.items.items[i], list_push(pages->now_arena, &site.acceptances));
    site_index(&site, out);
    return 1;
}

static int make_style(struct site_pages *pages, const char *rest, struct text *out, struct error *err)
{
    (void)pages, (void)err;
    if (*rest != '\0')
        return 0;
    site_style(out);
    return 1;
}

static int make_output(struct site_pages *pages, struct arena *arena, struct record *record, const char *rest,
                       struct text *out, struct error *err)
{
    const struct site_place *place = record->site;

    for (size_t i = 0; i < record->attempts.count; i++)
        for (enum site_output k = 0; k < SITE_OUTPUTS; k++)
            if (place->outputs[k][i] != NULL && strcmp(place->outputs[k][i], rest) == 0) {
                struct attempt *attempt = &record->attempts.items[i];

                if (store_load_evidence(pages->store, arena, record, attempt, err) < 0)
                    return -1;
                site_output_text(record, attempt, k, out);
                return 1;
            }
    return 0;
}

/* "6/index.html", "6/outputs/node3/gpu-burn-1.stdout.txt" */
static int make_run(struct site_pages *pages, const char *rest, struct text *out, struct error *err)
{
    cleanup_arena struct arena *arena = arena_create();
    const char *at = NULL;
    struct site_place place;
    struct record *record = NULL;
    struct run_summary *runs;
    size_t count = 0;
    int result = store_list_runs(pages->store, arena, 0, &runs, &count, err) < 0 ? -1 : 0;

    for (size_t i = 0; i < count && at == NULL; i++) {
        const char *prefix = arena_printf(arena, "%lld/", runs[i].number);

        if (strncmp(rest, prefix, strlen(prefix)) != 0)
            continue;
        at = rest + strlen(prefix);
        if (run_summary_check(&runs[i], err) == 0)
            record = report_file_load(pages->store, arena, runs[i].number, "html", NULL, err);
        result = record != NULL ? 0 : -1;
    }
    if (record != NULL) {
        site_place_of(arena, record, &place);
        place.live = record->origin == NULL && record->state == RUN_RUNNING ? "live.html" : NULL;
        record->site = &place;
        result = 1;
        if (strcmp(at, "index.html") == 0)
            report_format_find("html")->write(record, pages->language, out);
        else
            result = make_output(pages, arena, record, at, out, err);
    }
    return result;
}

static int make_compare(struct site_pages *pages, const char *rest, struct text *out, struct error *err)
{
    if (need_site(pages, err) < 0)
        return -1;
    if (strcmp(rest, "index.html") == 0 && pages->site.pairs.count > 0) {
        site_comparisons(&pages->site, out);
        return 1;
    }
    for (size_t i = 0; i < pages->site.pairs.count; i++) {
        long long earlier = pages->site.runs.items[pages->site.pairs.items[i].earlier].number,
                  later = pages->site.runs.items[pages->site.pairs.items[i].later].number;
        char name[64];

        snprintf(name, sizeof name, "%lld-%lld.html", earlier, later);
        if (strcmp(rest, name) == 0)
            return site_pages_compare(pages->store, earlier, later, pages->language, out, err) < 0 ? -1 : 1;
    }
    return 0;
}

static int make_history(struct site_pages *pages, const char *rest, struct text *out, struct error *err)
{
    if (need_history(pages, err) < 0)
        return -1;
    if (pages->history.runs.count == 0)
        return 0;
    if (strcmp(rest, "index.html") == 0)
        site_history_index(&pages->shown, pages->language, out);
    else if (strcmp(rest, "parts.html") == 0)
        site_history_list(&pages->shown, SITE_PART, pages->language, out);
    else if (strcmp(rest, "groups.html") == 0)
        site_history_list(&pages->shown, SITE_GROUP, pages->language, out);
    else {
        for (size_t i = 0; i < pages->shown.subjects.count; i++)
            if (strcmp(pages->shown.subjects.items[i].path, rest) == 0) {
                site_history_page(&pages->shown, i, pages->language, out);
                return 1;
            }
        return 0;
    }
    return 1;
}

static int make_acceptance(struct site_pages *pages, const char *rest, struct text *out, struct error *err)
{
    cleanup_arena struct arena *arena = arena_create();
    struct acceptance_names names = {0};
    struct site_acceptance ignored;
    int result = store_list_acceptances(pages->store, arena, &names, err);

    for (size_t i = 0; result == 0 && i < names.items.count; i++) {
        const char *name = names.items.items[i];

        if (strcmp(strchr(site_pages_acceptance_path(arena, name), '/') + 1, rest) == 0)
            result = site_pages_acceptance(pages->store, arena, name, pages->language, out, &ignored, err) < 0
                         ? -1
                         : 1;
    }
    return result;
}

static const struct {
    const char *prefix;
    int (*make)(struct site_pages *pages, const char *rest, struct text *out, struct error *err);
} makers[] = {
    {"index.html", make_index}, {"site.css", make_style},   {"runs/", make_run},
    {"compare/", make_compare}, {"history/", make_history}, {"acceptances/", make_acceptance},
};

static void keep(struct site_pages *pages, const char *path, const struct text *text)
{
    struct kept_page *kept = &pages->kept[pages->next];

    if (text->length > LARGEST_KEPT)
        return;
    free(kept->path);
    text_release(&kept->text);
    kept->path = mem_strdup(path);
    text_init(&kept->text, LARGEST_KEPT);
    text_add(&kept->text, text->bytes, text->length);
    pages->next = (pages->next + 1) % PAGES_KEPT;
}

int site_pages_make(struct site_pages *pages, const char *path, struct text *out, struct error *err)
{
    if (look(pages, err) < 0)
        return -1;
    for (size_t i = 0; i < PAGES_KEPT; i++)
        if (pages->kept[i].path != NULL && strcmp(pages->kept[i].path, path) == 0) {
            text_add(out, pages->kept[i].text.bytes, pages->kept[i].text.length);
            return 1;
        }
    for (size_t i = 0; i < ARRAY_SIZE(makers); i++) {
        size_t length = strlen(makers[i].prefix);
        int made =
            strncmp(path, makers[i].prefix, length) == 0 ? makers[i].make(pages, path + length, out, err) : 0;

        if (made > 0)
            keep(pages, path, out);
        if (made != 0)
            return made;
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What goes to a vendor with the evidence: one host, what failed there, and its parts. */
#include <string.h>

#include "assay/model/sighting.h"
#include "assay/model/suite.h"

#include "assets.h"
#include "causes.h"
#include "ports.h"

struct letter {
    struct arena *arena;
    enum report_language language;
    const struct view *view;
    const struct host *host;
    const struct report_entry *entries;
    struct text *out;
};

static void put_heading(const struct letter *letter, enum text_key title)
{
    text_printf(letter->out, "\n%s\n\n", say(letter, title));
}

/* "Host: node2", as the language writes it. */
static void put_pair(const struct letter *letter, const char *before, const char *name, const char *value)
{
    text_printf(letter->out, "%s%s%s%s\n", before, name, language_between(letter->language, ": "), value);
}

static const char *with_serial(const struct letter *letter, const char *text, const char *serial)
{
    if (serial == NULL || *serial == '\0')
        return text;
    return arena_printf(letter->arena, "%s%s%s", text, language_between(letter->language, ", "),
                        sayf(letter, TEXT_VENDOR_SERIAL, serial));
}

/* By which its maker knows it: "SYS-821GE-TNHR, Supermicro, serial A67809995". */
static void put_server(const struct letter *letter)
{
    struct assets *all;
    size_t count = assets_collect(letter->view, &all);

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; all[i].host == letter->host && k < all[i].items.count; k++) {
            const struct asset *asset = &all[i].items.items[k];

            if (strcmp(asset->part, "system") == 0)
                put_pair(letter, "", say(letter, TEXT_VENDOR_SERVER),
                         with_serial(letter, asset->model, asset->serial));
        }
}

static void put_head(const struct letter *letter)
{
    const struct record *record = letter->view->record;
    const struct suite *suite = view_suite(letter->view);

    text_printf(letter->out, "%s\n\n", say(letter, TEXT_VENDOR_TITLE));
    put_pair(letter, "", say(letter, TEXT_VENDOR_HOST), letter->host->name);
    put_server(letter);
    put_pair(letter, "", say(letter, TEXT_VENDOR_RUN),
             sayf(letter, TEXT_VENDOR_RUN_IS, arena_printf(letter->arena, "%lld", record->number),
                  time_text(letter->arena, record->started), record->uuid,
                  suite != NULL ? suite->name : "-"));
}

static bool is_about(const struct letter *letter, const struct report_cause *cause)
{
    if (cause->word != OUTCOME_FAIL)
        return false;
    for (size_t i = 0; i < cause->hosts.count; i++)
        if (cause->hosts.items[i] == letter->host)
            return true;
    return false;
}

/* Each test once, with what it must reach: the values of a test are in its own sentence. */
static void put_entries(const struct letter *letter, const struct report_cause *cause)
{
    for (size_t i = 0; i < cause->entries.count; i++) {
        const struct report_entry *entry = &letter->entries[cause->entries.items[i]];
        bool told = false;

        for (size_t k = 0; k < i; k++)
            told |= strcmp(letter->entries[cause->entries.items[k]].check, entry->check) == 0;
        if (!told)
            put_pair(letter, "   ", entry->check, said(letter, entry->cause));
    }
}

static void put_cause(const struct letter *letter, const struct report_cause *cause, unsigned number)
{
    const char *part = cause_part(letter->arena, letter->language, letter->view, letter->entries, cause);
    struct said_list advice;
    const char *what;

    text_printf(letter->out, "%u. %s%s%s\n", number, part,
                *part != '\0' ? language_between(letter->language, ": ") : "",
                cause_problem(letter->arena, letter->language, letter->view, letter->entries, cause));
    for (size_t i = 0; i < cause->parts.count; i++) {
        what = port_text(letter->arena, letter->language, letter->view, letter->host, cause->parts.items[i]);
        if (*what != '\0')
            put_pair(letter, "   ", cause->parts.items[i], what);
    }
    put_entries(letter, cause);
    cause_advice(letter->arena, letter->language, letter->view, letter->entries, cause, false, &advice);
    what = said_joined(letter->arena, &advice);
    if (*what != '\0')
        text_printf(letter->out, "   %s\n", sayf(letter, TEXT_VENDOR_FIRST, what));
}

static void put_causes(const struct letter *letter, const struct report_causes *causes)
{
    unsigned number = 0;

    put_heading(letter, TEXT_VENDOR_FOUND);
    for (size_t i = 0; i < causes->items.count; i++)
        if (is_about(letter, &causes->items.items[i]))
            put_cause(letter, &causes->items.items[i], ++number);
    if (number == 0)
        text_printf(letter->out, "%s\n", say(letter, TEXT_VENDOR_NOTHING));
}

static void put_parts(const struct letter *letter)
{
    size_t host = view_host(letter->view, letter->host);
    struct sightings sightings;

    put_heading(letter, TEXT_VENDOR_PARTS);
    sightings_of_record(letter->arena, letter->view->record, &sightings);
    list_each (sighting, sightings.items) {
        if (sighting->host != host)
            continue;
        put_pair(letter, "", said(letter, item_at(letter->arena, sighting->kind, sighting->position)),
                 with_serial(letter, sighting->identity, sighting->serial));
    }
}

void report_letter(struct arena *arena, const struct record *record, const struct host *host,
                   enum report_language language, struct text *out)
{
    struct report_entry *entries;
    size_t count = report_entries(arena, record, &entries);
    struct letter letter = {.arena = arena,
                            .language = language,
                            .view = view_create(arena, record),
                            .host = host,
                            .entries = entries,
                            .out = out};
    struct report_causes causes;

    report_causes_of(letter.view, entries, count, &causes);
    put_head(&letter);
    put_causes(&letter, &causes);
    put_parts(&letter);
}

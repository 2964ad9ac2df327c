/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/redaction.h"

#include <string.h>

#include "assay/app/proof.h"
#include "assay/app/question.h"
#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/reasons/judge.h"

enum { LARGEST_REDACTED = 1 << 30 };

/* -- What is known ------------------------------------------------------------------------------------------------ */

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), ending = strlen(end);

    return length >= ending && strcmp(text + length - ending, end) == 0;
}

/* And no "N/A", "None" or "Not Specified". */
static bool is_serial(const char *value)
{
    enum { SHORTEST = 6 };

    return strlen(value) >= SHORTEST && strpbrk(value, "0123456789") != NULL && strpbrk(value, " \t") == NULL;
}

/* What parsers made of the names in outputs: their values stand in the database without the words around. */
static void know_reading(struct redactor *redactor, const struct reading *reading, bool serials)
{
    static const char *const facts[] = {"host.hostname", "launch.hostname", "lldp.chassis"};

    list_each (fact, reading->facts) {
        for (size_t k = 0; k < ARRAY_SIZE(facts); k++)
            if (strcmp(fact->name, facts[k]) == 0)
                redactor_know_host(redactor, fact->value);
        if (ends_with(fact->name, "guid"))
            redactor_know_guid(redactor, fact->value);
        if (strcmp(fact->name, "host.login") == 0)
            redactor_know_user(redactor, fact->value);
        if (serials && ends_with(fact->name, "serial") && is_serial(fact->value))
            redactor_know_word(redactor, fact->value);
    }
}

/* "[user@]host[:port][,...]" */
static void know_jump(struct arena *arena, struct redactor *redactor, const char *jump)
{
    while (jump != NULL && *jump != '\0') {
        size_t length = strcspn(jump, ","), at;
        const char *hop = arena_strndup(arena, jump, length);

        at = strcspn(hop, "@");
        if (hop[at] == '@')
            redactor_know_user(redactor, arena_strndup(arena, hop, at));
        hop = hop[at] == '@' ? hop + at + 1 : hop;
        if (strcmp(hop, "none") != 0)
            redactor_know_host(redactor, arena_strndup(arena, hop, strcspn(hop, ":")));
        jump += length + (jump[length] == ',');
    }
}

static void know_host(struct arena *arena, struct redactor *redactor, const struct host *host)
{
    redactor_know_host(redactor, host->name);
    redactor_know_host(redactor, host->address);
    redactor_know_host(redactor, host->mpi_address);
    redactor_know_user(redactor, host->user);
    know_jump(arena, redactor, host->jump);
    for (size_t i = 0; i < host->rails.count; i++)
        redactor_know_host(redactor, host->rails.items[i].switch_name);
    for (size_t i = 0; i < host->lines.count; i++)
        redactor_know_host(redactor, host->lines.items[i].address);
}

/* Title, customer and site tell whose it is as well as a domain does. */
static void know_names(struct arena *arena, struct redactor *redactor, struct slice bytes)
{
    struct slice line;

    while (scan_line(&bytes, &line)) {
        size_t equals = slice_find(line, "=");

        if (equals != (size_t)-1 && equals + 1 < line.length)
            redactor_know_word(redactor,
                               arena_strndup(arena, line.bytes + equals + 1, line.length - equals - 1));
    }
}

/* Hosts of the hostfile that a run left out are in it too. */
static int know_documents(struct arena *arena, struct redactor *redactor, const struct documents *documents,
                          struct error *err)
{
    array_each (document, documents->items, documents->count) {
        const struct hostfile *hostfile;

        if (strcmp(document->kind, NAMES_DOCUMENT) == 0)
            know_names(arena, redactor, document->bytes);
        if (strcmp(document->kind, "hostfile") != 0)
            continue;
        hostfile = hostfile_parse(arena, document->name, document->bytes, err);
        if (hostfile == NULL)
            return error_wrap(err, "its hosts must be known to be redacted");
        know_names(arena, redactor, slice_of(question_names_text(arena, &hostfile->names, &hostfile->names)));
        for (size_t k = 0; k < hostfile->hosts.count; k++)
            know_host(arena, redactor, &hostfile->hosts.items[k]);
    }
    return 0;
}

static void know_attempts(struct redactor *redactor, const struct record *record, bool serials)
{
    list_each (attempt, record->attempts) {
        know_reading(redactor, &attempt->reading, serials);
        for (size_t k = 0; k < attempt->parts.count; k++)
            know_reading(redactor, &attempt->parts.items[k].reading, serials);
    }
}

/* Where runs were judged as one, hosts of the others are named, in a sentence of their own. */
static void know_named(struct redactor *redactor, const struct reason *reason)
{
    if (reason == NULL)
        return;
    if (reason_is(reason, host_of_run))
        redactor_know_host(redactor, reason_argument_text(reason, 1));
    for (size_t i = 0; i < reason->count; i++)
        know_named(redactor, reason->arguments[i].reason);
}

static int know_record(struct redaction *redaction, struct arena *arena, const struct record *record,
                       struct error *err)
{
    struct redactor *redactor = redaction->redactor;
    const char *controller = store_controller_host(redaction->store, arena, record->number, err);

    if (controller == NULL)
        return -1;
    for (size_t i = 0; i < record->plan->hosts.count; i++)
        know_host(arena, redactor, record->plan->hosts.items[i]);
    if (know_documents(arena, redactor, &record->documents, err) < 0)
        return -1;
    redactor_know_host(redactor, controller);
    for (size_t i = 0; i < record->waivers.count; i++) {
        redactor_know_person(redactor, record->waivers.items[i].who);
        redactor_know_person(redactor, record->waivers.items[i].withdrawn.who);
    }
    know_attempts(redactor, record, redaction->serials);
    for (size_t i = 0; i < record->judgement.outcome_count; i++)
        know_named(redactor, record->judgement.outcomes[i].cause);
    return 0;
}

static int know_run(struct redaction *redaction, long long number, struct error *err)
{
    cleanup_arena struct arena *arena = arena_create();
    const struct record *record = store_load_run(redaction->store, arena, number, false, err);

    return record != NULL ? know_record(redaction, arena, record, err) : -1;
}

/* What no rule can know: one word or phrase a line, also inside of other words. */
static int know_words(struct redactor *redactor, const char *path, struct error *err)
{
    enum { LARGEST = 1 << 20, SHORTEST = 3, LONGEST = 200 };
    cleanup_text struct text text = {0};
    struct slice rest, line;
    unsigned number = 0;

    text_init(&text, LARGEST);
    if (path == NULL)
        return 0;
    if (file_read(path, &text, err) < 0)
        return -1;
    text_put(&text, "\n");
    rest = (struct slice){text.bytes, text.length};
    while (scan_line(&rest, &line)) {
        char word[LONGEST + 1];

        number++;
        line = slice_trim(line);
        if (line.length == 0 || line.bytes[0] == '#')
            continue;
        if (line.length < SHORTEST || line.length > LONGEST || memchr(line.bytes, '\0', line.length) != NULL)
            return error_set(err, ERROR_USAGE,
                             "%s:%u: a word has %d to %d characters: shorter ones occur in too many others",
                             path, number, SHORTEST, LONGEST);
        memcpy(word, line.bytes, line.length);
        word[line.length] = '\0';
        redactor_know_word(redactor, word);
    }
    return 0;
}

/* -- Copies of runs ----------------------------------------------------------------------------------------------- */

int redaction_copy_run(const struct redaction *redaction, long long number, const char *name,
                       struct redactor *redactor, struct store **ret_copy, long long *ret_number,
                       struct error *err)
{
    *ret_copy = store_open(arena_printf(redaction->arena, "%s/%s", redaction->folder, name), false, err);
    if (*ret_copy == NULL)
        return -1;
    if (store_copy_run(redaction->store, number, *ret_copy, redactor, ret_number, err) == 0)
        return 0;
    store_close(*ret_copy);
    *ret_copy = NULL;
    return -1;
}

static struct store *copy_runs(struct redaction *redaction, const char *name, const long long *numbers,
                               size_t count, struct error *err)
{
    struct store *copy =
        store_open(arena_printf(redaction->arena, "%s/%s", redaction->folder, name), false, err);

    for (size_t i = 0; i < count && copy != NULL; i++)
        if ((redaction->numbers_stay && store_number_next(copy, numbers[i], err) < 0) ||
            store_copy_run(redaction->store, numbers[i], copy, redaction->redactor, &redaction->number, err) <
                0) {
            store_close(copy);
            copy = NULL;
        }
    return copy;
}

/* Kept are the pseudonyms that are new. */
static int prepare(struct redaction *redaction, size_t *ret_kept, struct error *err)
{
    struct pseudonyms kept;

    if (store_load_pseudonyms(redaction->store, redaction->arena, &kept, err) < 0 ||
        store_redaction_key(redaction->store, redaction->key, err) < 0)
        return -1;
    *ret_kept = kept.list.count;
    redaction->redactor = redactor_create(redaction->arena, &kept, redaction->key);
    return know_words(redaction->redactor, redaction->words, err);
}

/* Twice, because a name may be learnt after it was first met. */
static struct store *copy_twice(struct redaction *redaction, const long long *numbers, size_t count,
                                struct error *err)
{
    struct store *copy;

    for (size_t i = 0; i < count; i++)
        if (know_run(redaction, numbers[i], err) < 0)
            return NULL;
    copy = copy_runs(redaction, "first.db", numbers, count, err);
    if (copy == NULL)
        return NULL;
    store_close(copy);
    return copy_runs(redaction, "run.db", numbers, count, err);
}

static struct store *keep_pseudonyms(struct redaction *redaction, struct store *copy, size_t kept,
                                     struct error *err)
{
    if (copy == NULL ||
        store_put_pseudonyms(redaction->store, redactor_pseudonyms(redaction->redactor), kept, err) == 0)
        return copy;
    store_close(copy);
    return NULL;
}

struct store *redaction_copy_runs(struct redaction *redaction, const long long *numbers, size_t count,
                                  struct error *err)
{
    size_t kept;

    if (prepare(redaction, &kept, err) < 0)
        return NULL;
    return keep_pseudonyms(redaction, copy_twice(redaction, numbers, count, err), kept, err);
}

/* -- Of all runs and acceptances ---------------------------------------------------------------------------------- */

struct all {
    struct redaction *redaction;
    long long *numbers; /* ascending */
    size_t count;
    LIST_OF(struct acceptance *) acceptances;
};

static bool is_copied(const struct all *all, long long number)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->numbers[i] == number)
            return true;
    return false;
}

static int find_runs(struct all *all, size_t *ret_left_out, struct error *err)
{
    struct arena *arena = all->redaction->arena;
    struct run_summary *runs;
    size_t count;

    if (store_list_runs(all->redaction->store, arena, 0, &runs, &count, err) < 0)
        return -1;
    all->numbers = arena_array(arena, long long, count + 1);
    for (size_t i = count; i-- > 0;)
        if (run_summary_check(&runs[i], err) < 0)
            return -1;
        else if (runs[i].imported)
            ++*ret_left_out;
        else
            all->numbers[all->count++] = runs[i].number;
    return 0;
}

static int find_acceptances(struct all *all, size_t *ret_left_out, struct error *err)
{
    struct arena *arena = all->redaction->arena;
    struct acceptance_names names;

    if (store_list_acceptances(all->redaction->store, arena, &names, err) < 0)
        return -1;
    for (size_t i = 0; i < names.items.count; i++) {
        struct acceptance *acceptance =
            store_load_acceptance(all->redaction->store, arena, names.items.items[i], err);
        bool whole = true;

        if (acceptance == NULL ||
            know_documents(arena, all->redaction->redactor, &acceptance->documents, err) < 0)
            return -1;
        for (size_t k = 0; k < acceptance->run_numbers.count; k++)
            whole &= is_copied(all, acceptance->run_numbers.items[k]);
        if (whole)
            *list_push(arena, &all->acceptances) = acceptance;
        else
            ++*ret_left_out;
    }
    return 0;
}

static struct slice redacted(struct redaction *redaction, struct slice bytes)
{
    cleanup_text struct text text = {0};

    text_init(&text, LARGEST_REDACTED);
    redact(redaction->redactor, bytes, &text, redaction->arena, NULL);
    return (struct slice){arena_strndup(redaction->arena, text.bytes, text.length), text.length};
}

static const char *redacted_word(struct redaction *redaction, const char *word)
{
    return redacted(redaction, slice_of(word)).bytes;
}

static int copy_acceptance(struct redaction *redaction, struct store *copy, struct acceptance *acceptance,
                           struct error *err)
{
    struct documents documents = {0};

    list_each (document, acceptance->documents)
        document_add(redaction->arena, &documents, document->kind, redacted_word(redaction, document->name),
                     redacted(redaction, document->bytes));
    acceptance->name = redacted_word(redaction, acceptance->name);
    acceptance->documents = documents;
    for (size_t i = 0; i < acceptance->events.count; i++) {
        struct acceptance_event *event = &acceptance->events.items[i];

        event->host = redacted_word(redaction, event->host);
        event->item = redacted_word(redaction, event->item);
        event->spare = redacted_word(redaction, event->spare);
        event->note = redacted_word(redaction, event->note);
    }
    if (store_put_acceptance(copy, acceptance, err) < 0)
        return -1;
    for (size_t i = 0; i < acceptance->run_numbers.count; i++)
        if (store_add_acceptance_run(copy, acceptance, acceptance->run_numbers.items[i], acceptance->made,
                                     NULL, err) < 0)
            return -1;
    return store_put_events(copy, acceptance, acceptance->events.items, acceptance->events.count, err);
}

static struct store *copy_acceptances(struct all *all, struct store *copy, struct error *err)
{
    for (size_t i = 0; i < all->acceptances.count && copy != NULL; i++)
        if (copy_acceptance(all->redaction, copy, all->acceptances.items[i], err) < 0) {
            store_close(copy);
            copy = NULL;
        }
    return copy;
}

struct store *redaction_copy_all(struct redaction *redaction, size_t *ret_left_out, struct error *err)
{
    struct all all = {.redaction = redaction};
    struct store *copy;
    size_t kept;

    *ret_left_out = 0;
    if (prepare(redaction, &kept, err) < 0 || find_runs(&all, ret_left_out, err) < 0 ||
        find_acceptances(&all, ret_left_out, err) < 0)
        return NULL;
    copy = copy_acceptances(&all, copy_twice(redaction, all.numbers, all.count, err), err);
    return keep_pseudonyms(redaction, copy, kept, err);
}

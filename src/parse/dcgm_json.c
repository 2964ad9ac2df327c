/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON of `dcgmi diag -j` and of nvvs: root "DCGM GPU Diagnostic" (2.x, 3.x) or "DCGM Diagnostic" (4.x),
 * with other text before and after it, or cut off.
 *
 * The text is first searched for closed objects that lie in no other closed one: in a whole document that is
 * the document, in a cut one all that was finished. Only these are read, so nothing of a cut value is ever
 * used.
 */
#include <ctype.h>
#include <string.h>

#include "assay/base/json.h"
#include "assay/reasons/parse.h"
#include "dcgm_diag.h"
#include "frame.h"
#include "runs.h"

struct span {
    size_t start, length;
};

typedef LIST_OF(struct span) span_list;

struct document {
    struct diag *diag;
    bool whole;          /* an object with the root's name was closed */
    const char *trouble; /* the tool's own error, or NULL */
};

/* The closed objects of bytes that lie in no other closed one. */
static void find_objects(struct arena *arena, struct slice bytes, span_list *spans)
{
    LIST_OF(size_t) open = {0};
    bool string = false;

    for (size_t i = 0; i < bytes.length; i++) {
        char byte = bytes.bytes[i];

        if (string) {
            if (byte == '\\')
                i++;
            else if (byte == '"')
                string = false;
        } else if (byte == '"') {
            string = open.count > 0;
        } else if (byte == '{') {
            *list_push(arena, &open) = i;
        } else if (byte == '}' && open.count > 0) {
            size_t start = open.items[--open.count];

            while (spans->count > 0 && spans->items[spans->count - 1].start > start)
                spans->count--;
            *list_push(arena, spans) = (struct span){start, i + 1 - start};
        }
    }
}

static void note_text(struct document *document, const struct diag_test *test, const char *kind,
                      const char *subject, const char *text)
{
    if (text != NULL && text[0] != '\0')
        diag_note(document->diag, test, kind, subject, slice_of(text));
}

/* A string, a list of strings, or a list of objects that hold the string. */
static void read_notes(struct document *document, const struct diag_test *test, const char *kind,
                       const char *subject, const struct json *value)
{
    if (value == NULL)
        return;
    if (value->type == JSON_STRING)
        note_text(document, test, kind, subject, value->string);
    if (value->type == JSON_OBJECT) {
        note_text(document, test, kind, subject, json_string(value, "warning", NULL));
        note_text(document, test, kind, subject, json_string(value, "error", NULL));
        note_text(document, test, kind, subject, json_string(value, "message", NULL));
    }
    if (value->type == JSON_ARRAY)
        json_each (item, value)
            read_notes(document, test, kind, subject, item);
}

static void read_all_notes(struct document *document, const struct diag_test *test, const char *subject,
                           const struct json *object)
{
    read_notes(document, test, "warning", subject, json_get(object, "warnings"));
    read_notes(document, test, "info", subject, json_get(object, "info"));
    read_notes(document, test, "error", subject, json_get(object, "errors"));
}

/* 4.x names the entity; 2.x and 3.x give gpu_ids or gpu_id as a list in a string or as one number. */
static void say_entities(struct document *document, struct diag_test *test, const struct json *result,
                         enum diag_result status, const char **ret_subject)
{
    struct arena *arena = document->diag->reading->arena;
    const struct json *ids = json_get(result, "gpu_ids");
    const char *group = json_string(result, "entity_group", NULL);
    double number = json_number(result, "entity_id", -1);
    struct slice rest;
    uint64_t id;

    ids = ids != NULL ? ids : json_get(result, "gpu_id");
    if (group == NULL && ids != NULL && ids->type == JSON_NUMBER) {
        group = "gpu";
        number = ids->number;
    }
    if (group != NULL && number >= 0 && number < 4096) {
        char *subject = arena_printf(arena, "%s%u", group, (unsigned)number);

        for (char *byte = subject; *byte != '\0'; byte++)
            *byte = (char)tolower((unsigned char)*byte);
        *ret_subject = subject;
        diag_say(document->diag, test, subject, status);
        return;
    }
    if (ids == NULL || ids->type != JSON_STRING) {
        diag_say(document->diag, test, NULL, status);
        return;
    }
    for (rest = slice_trim(slice_of(ids->string)); rest.length > 0; rest = slice_trim(rest)) {
        if (!scan_digits(&rest, &id) || id > 4095) {
            document->diag->unread++;
            return;
        }
        *ret_subject = arena_printf(arena, "gpu%u", (unsigned)id);
        diag_say(document->diag, test, *ret_subject, status);
        rest = slice_trim(rest);
        scan_text(&rest, ",");
    }
    if (strchr(ids->string, ',') != NULL)
        *ret_subject = "host";
}

static void read_test(struct document *document, const struct json *object)
{
    struct diag_test *test = diag_test(document->diag, slice_of(json_string(object, "name", "")));
    const struct json *summary = json_get(object, "test_summary");
    const char *status;

    json_each (result, json_get(object, "results")) {
        const char *subject = "host";

        if (result->type != JSON_OBJECT)
            continue;
        say_entities(document, test, result, diag_result_of(slice_of(json_string(result, "status", ""))),
                     &subject);
        read_all_notes(document, test, subject, result);
    }
    status = json_string(summary, "status", json_string(object, "status", NULL));
    if (status != NULL)
        diag_say(document->diag, test, NULL, diag_result_of(slice_of(status)));
    read_all_notes(document, test, "host", summary);
    if (status == NULL && test->entities.count == 0 && test->whole == DIAG_UNREAD)
        document->diag->unread++;
    test->closed = true;
}

static void read_root(struct document *document, const struct json *object)
{
    struct reading *reading = document->diag->reading;
    const char *trouble = json_string(object, "runtime_error", NULL);

    reading_fact_once(reading, "driver.version",
                      slice_of(json_string(object, "Driver Version Detected", "")));
    if (json_get(object, "test_categories") != NULL || json_get(object, "Driver Version Detected") != NULL)
        reading_fact_once(reading, "dcgm.version", slice_of(json_string(object, "version", "")));
    if (trouble != NULL && trouble[0] != '\0') {
        document->trouble = trouble;
        note_text(document, NULL, "error", "host", trouble);
    }
    read_notes(document, NULL, "error", "host", json_get(object, "global_errors"));
}

/* Tests wherever they stand: a fragment of a document is read like the document. */
static void walk(struct document *document, const struct json *value)
{
    if (value->type == JSON_OBJECT) {
        const struct json *root = json_get(value, "DCGM GPU Diagnostic");
        const struct json *name = json_get(value, "name"), *results = json_get(value, "results");

        root = root != NULL ? root : json_get(value, "DCGM Diagnostic");
        document->whole = document->whole || (root != NULL && root->type == JSON_OBJECT);
        read_root(document, value);
        if (name != NULL && name->type == JSON_STRING && name->string[0] != '\0' &&
            (results != NULL || json_get(value, "test_summary") != NULL)) {
            read_test(document, value);
            return;
        }
    }
    if (value->type == JSON_OBJECT || value->type == JSON_ARRAY)
        json_each (item, value)
            walk(document, item);
}

static void find_lacks(struct document *document, const char *damage)
{
    struct reading *reading = document->diag->reading;
    bool empty = document->diag->tests.count == 0;

    if (damage != NULL && empty)
        reading_strange(reading, reason(reading->arena, not_json, damage));
    if (damage != NULL) {
        reading_lacks(reading, reason(reading->arena, not_json, damage));
        return;
    }
    if (document->trouble != NULL)
        reading_failed(reading, diag_words(reading->arena, slice_of(document->trouble)));
    if (empty && document->whole)
        reading_failed(reading, REASON(no_test_in_json));
    if (empty)
        reading_strange(reading, REASON(no_test_in_json));
    if (!document->whole)
        reading_lacks(reading, REASON(dcgm_document_cut));
    if (document->diag->unread > 0)
        reading_lacks(reading, reason(reading->arena, results_unread, document->diag->unread));
}

/* What the tool wrote beside the document. */
static void read_other_lines(struct document *document, struct slice text)
{
    struct slice line;

    while (scan_line(&text, &line))
        if (slice_starts(slice_trim(line), "Error"))
            note_text(document, NULL, "error", "host",
                      utf8_clean(document->diag->reading->arena, slice_trim(line)));
}

/* Braces also stand in what other programs write; only those around results matter. */
static bool has_results(struct slice object)
{
    return slice_contains_one(object, "\"results\"", "\"test_summary\"", "\"DCGM ");
}

static bool is_document(struct slice object)
{
    return slice_contains(object, "\"DCGM GPU Diagnostic\"") || slice_contains(object, "\"DCGM Diagnostic\"");
}

/* One run: the objects from *next up to the one before the second document; `at` is how far bytes were read. */
static void read_run(struct diag *diag, struct slice bytes, const span_list *spans, size_t *next, size_t *at)
{
    struct document document = {.diag = diag};
    const char *damage = NULL;
    bool has_document = false;
    size_t i;

    for (i = *next; i < spans->count; i++) {
        struct slice object = {bytes.bytes + spans->items[i].start, spans->items[i].length};
        struct error err;
        const struct json *value;

        if (is_document(object) && has_document)
            break;
        has_document = has_document || is_document(object);
        value = json_parse(diag->reading->arena, "output", object.bytes, object.length, &err);
        read_other_lines(&document, (struct slice){bytes.bytes + *at, spans->items[i].start - *at});
        *at = spans->items[i].start + object.length;
        if (value != NULL)
            walk(&document, value);
        else if (damage == NULL && has_results(object))
            damage = arena_strdup(diag->reading->arena, err.text);
    }
    if (i == spans->count)
        read_other_lines(&document, slice_from(bytes, *at));
    *next = i;
    diag_report(diag);
    find_lacks(&document, damage);
}

void dcgm_read_json(struct reading *reading, struct slice bytes)
{
    span_list spans = {0};
    size_t next = 0, at = 0;

    find_objects(reading->arena, bytes, &spans);
    do {
        struct diag diag = {.reading = runs_begin(reading)};

        read_run(&diag, bytes, &spans, &next, &at);
    } while (next < spans.count);
}

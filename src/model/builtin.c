/* SPDX-License-Identifier: Apache-2.0 */
/* Documents: where they come from (built in, a file, bytes at hand), and that their schema is checked first.
 */
#include <string.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/json.h"
#include "assay/base/options.h"
#include "assay/model/platform.h"

#include "documents.h"

enum { DOCUMENT_COUNT = ARRAY_SIZE(documents), FILE_LIMIT = 16 * 1024 * 1024 };

const struct builtin *builtin_list(size_t *ret_count)
{
    *ret_count = DOCUMENT_COUNT;
    return documents;
}

const struct builtin *builtin_next(const char *kind, const struct builtin *last)
{
    for (const struct builtin *row = last != NULL ? last + 1 : documents; row < documents + DOCUMENT_COUNT;
         row++)
        if (strcmp(row->kind, kind) == 0)
            return row;
    return NULL;
}

const struct builtin *builtin_find(const char *kind, const char *name)
{
    builtin_each (row, kind)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

static bool is_file_name(const char *name)
{
    return strchr(name, '/') != NULL || slice_ends(slice_of(name), ".json");
}

static int refuse_unknown(const char *kind, const char *name, struct error *err)
{
    const char *names[DOCUMENT_COUNT], *near;
    struct text list;
    size_t count = 0;

    text_init(&list, 600);
    builtin_each (row, kind) {
        text_printf(&list, "%s%s", count > 0 ? ", " : "", row->name);
        names[count++] = row->name;
    }
    if (count == 0) {
        text_release(&list);
        return error_set(
            err, ERROR_USAGE,
            "'%.100s': %s are not built in; a file is given with a '/' in its name or '.json' at its end",
            name, kind);
    }
    near = count > 0 ? nearest_word(name, names, count) : NULL;
    error_set(
        err, ERROR_USAGE,
        "'%.100s' is not one of the built-in %s%s%s%s they are %s; a file is given with a '/' in its name or "
        "'.json' at its end",
        name, kind, near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
        near != NULL ? "'?" : ";", list.bytes);
    text_release(&list);
    return -1;
}

static struct json *parse(struct arena *arena, const char *file, struct slice bytes, struct error *err)
{
    return json_parse(arena, file, bytes.bytes, bytes.length, err);
}

struct json *document_parse(struct arena *arena, const char *file, struct slice bytes, const char *schema,
                            struct error *err)
{
    const struct builtin *row = builtin_find("schemas", schema);
    struct json *rules, *document;

    error_clear(err);
    if (row == NULL) {
        error_set(err, ERROR_INTERNAL, "no schema '%s' is built in", schema);
        return NULL;
    }
    rules = parse(arena, arena_printf(arena, "built-in schemas/%s.schema.json", schema), row->bytes, err);
    if (rules == NULL)
        return NULL;
    document = parse(arena, file, bytes, err);
    return document == NULL || json_schema_check(rules, document, err) < 0 ? NULL : document;
}

static int load_file(struct arena *arena, const char *path, struct slice *ret_bytes, struct error *err)
{
    cleanup_text struct text text = {0};

    text_init(&text, FILE_LIMIT);
    if (file_read(path, &text, err) < 0)
        return -1;
    *ret_bytes = (struct slice){arena_strndup(arena, text.bytes, text.length), text.length};
    return 0;
}

/* Who has none yet: where one comes from. */
static void tell_next(const char *kind, const char *name, struct error *err)
{
    static const struct {
        const char *kind, *next;
    } rows[] = {
        {"contracts", "`assay contract init -H HOSTFILE -s SUITE -o FILE` writes one to start from"},
        {"suites",
         "suites/README.md says how one is written; the built-in ones go by their names, as -s delivery"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows) && access(name, F_OK) != 0; i++)
        if (strcmp(rows[i].kind, kind) == 0)
            (void)error_add(err, ERROR_USAGE, "%s", rows[i].next);
}

struct json *document_load(struct arena *arena, const char *kind, const char *name, const char *schema,
                           struct slice *ret_bytes, struct error *err)
{
    const struct builtin *row = builtin_find(kind, name);
    const char *file = name;
    struct json *document;
    struct slice bytes;

    if (row != NULL) {
        file = arena_printf(arena, "built-in %s/%s.json", kind, name);
        bytes = (struct slice){arena_strndup(arena, row->bytes.bytes, row->bytes.length), row->bytes.length};
    } else if (!is_file_name(name)) {
        refuse_unknown(kind, name, err);
        return NULL;
    } else if (load_file(arena, name, &bytes, err) < 0) {
        tell_next(kind, name, err);
        return NULL;
    }
    document = document_parse(arena, file, bytes, schema, err);
    if (document != NULL)
        *ret_bytes = bytes;
    return document;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/advisory.h"

#include <string.h>

#include "assay/base/json.h"
#include "assay/model/platform.h"

/* A row that names no version would let every version pass. */
static int read_fixes(struct arena *arena, const struct json *object, struct advisory *row, struct error *err)
{
    const struct json *fixed = json_get(object, "fixed");
    int result = 0;

    if (fixed->count == 0)
        return json_error_add(
            err, fixed, "fixed is empty; expected a version for each branch, as {\"580\": \"580.159.03\"}");
    json_each (fix, fixed) {
        *list_push(arena, &row->fixes) = (struct advisory_fix){fix->key, fix->string};
        if (version_reaches(fix->string, fix->key) != VERSION_REACHED)
            result = json_error_add(
                err, fix,
                "%.40s is older than its branch %.40s; expected a version of that branch, or of a later one",
                fix->string, fix->key);
    }
    return result;
}

static int read_row(struct arena *arena, const struct json *object, struct advisory *row, struct error *err)
{
    *row = (struct advisory){
        .ids = "",
        .product = json_string(object, "product", ""),
        .severity = json_string(object, "severity", ""),
        .published = json_string(object, "published", ""),
        .status = json_string(object, "status", ""),
        .source = json_string(object, "source", ""),
    };
    json_each (id, json_get(object, "ids"))
        row->ids = arena_add_word(arena, row->ids, id->string);
    return read_fixes(arena, object, row, err);
}

static int read_support(struct arena *arena, const struct json *object, struct advisories *table,
                        struct error *err)
{
    const char *ends = json_string(object, "ends", NULL), *ended_by = json_string(object, "ended_by", NULL);

    *list_push(arena, &table->support) = (struct support){
        .product = json_string(object, "product", ""),
        .branch = json_string(object, "branch", ""),
        .ends = ends,
        .ended_by = ended_by,
        .status = json_string(object, "status", ""),
        .source = json_string(object, "source", ""),
    };
    if ((ends == NULL) == (ended_by == NULL))
        return json_error_add(err, object, "expected either ends or ended_by, as \"ends\": \"2028-06\"");
    return 0;
}

static const struct advisories *read_table(struct arena *arena, const struct json *document,
                                           struct slice bytes, struct error *err)
{
    struct advisories *table = arena_new(arena, struct advisories);
    bool sound = true;

    *table = (struct advisories){
        .name = json_string(document, "name", ""),
        .title = json_string(document, "title", ""),
        .reviewed = json_string(document, "reviewed", ""),
        .bytes = bytes,
    };
    json_each (product, json_get(document, "branches"))
        json_each (branch, product)
            *list_push(arena, &table->branches) = (struct advisory_branch){product->key, branch->string};
    json_each (object, json_get(document, "advisories"))
        sound &= read_row(arena, object, list_push(arena, &table->rows), err) == 0;
    json_each (object, json_get(document, "support"))
        sound &= read_support(arena, object, table, err) == 0;
    if (table->rows.count + table->support.count == 0) {
        (void)json_error_add(err, document,
                             "the table is empty; expected \"advisories\", \"support\" or both");
        return NULL;
    }
    return sound ? table : NULL;
}

const struct advisories *advisories_load(struct arena *arena, const char *name, struct error *err)
{
    struct slice bytes;
    const struct json *document = document_load(arena, "advisories", name, "advisories", &bytes, err);

    return document != NULL ? read_table(arena, document, bytes, err) : NULL;
}

const struct advisories *advisories_parse(struct arena *arena, const char *file, struct slice bytes,
                                          struct error *err)
{
    const struct json *document = document_parse(arena, file, bytes, "advisories", err);
    struct slice copy = {arena_strndup(arena, bytes.bytes, bytes.length), bytes.length};

    return document != NULL ? read_table(arena, document, copy, err) : NULL;
}

bool version_is_of_branch(const char *version, const char *branch)
{
    size_t length = strlen(branch);

    return strncmp(version, branch, length) == 0 && (version[length] == '.' || version[length] == '\0');
}

const char *advisory_fix_for(const struct advisory *advisory, const char *version)
{
    list_each (fix, advisory->fixes)
        if (version_is_of_branch(version, fix->branch) &&
            version_reaches(version, fix->version) != VERSION_REACHED)
            return fix->version;
    return NULL;
}

bool advisories_cover(const struct advisories *table, const char *product, const char *version)
{
    for (size_t i = 0; i < table->branches.count; i++)
        if (strcmp(table->branches.items[i].product, product) == 0 &&
            version_is_of_branch(version, table->branches.items[i].branch))
            return true;
    return false;
}

const struct support *support_of(const struct advisory_tables *tables, const char *product,
                                 const char *version)
{
    for (size_t i = tables->items.count; i-- > 0;)
        list_each (row, tables->items.items[i]->support)
            if (strcmp(row->product, product) == 0 && version_is_of_branch(version, row->branch))
                return row;
    return NULL;
}

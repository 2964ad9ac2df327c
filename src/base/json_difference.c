/* SPDX-License-Identifier: Apache-2.0 */
/* What two documents say otherwise, by the places where they say it. */
#include <string.h>

#include "assay/base/json.h"

enum { VALUE_BYTES = 80 };

struct comparison {
    struct arena *arena;
    struct json_differences *differences;
};

static const char *value_text(struct arena *arena, const struct json *value)
{
    cleanup_text struct text text = {0};
    struct json_writer writer;

    if (value == NULL)
        return "nothing";
    text_init(&text, VALUE_BYTES);
    json_writer_init(&writer, &text, true);
    json_put(&writer, value);
    return arena_printf(arena, "%s%s", text.bytes, text.clipped ? "..." : "");
}

/* By what a person calls an item of a list; "": by its place only. */
static const char *label_of(const struct json *item)
{
    static const char *const keys[] = {"name", "clause", "check", "metric"};

    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (*json_string(item, keys[i], "") != '\0')
            return json_string(item, keys[i], "");
    return "";
}

/* The how manieth item before this one, from 0, is called the same. */
static size_t rank_of(const struct json *list, const struct json *item)
{
    size_t rank = 0;

    for (const struct json *other = list->items; other != item; other = other->next)
        rank += strcmp(label_of(other), label_of(item)) == 0;
    return rank;
}

/* NULL: there is none. */
static const struct json *counterpart(const struct json *list, const char *label, size_t rank)
{
    json_each (item, list)
        if (strcmp(label_of(item), label) == 0 && rank-- == 0)
            return item;
    return NULL;
}

static const char *item_path(struct arena *arena, const char *path, const char *label, size_t rank)
{
    if (*label == '\0')
        return arena_printf(arena, "%s[%zu]", path, rank);
    return rank > 0 ? arena_printf(arena, "%s[%s, %zu]", path, label, rank + 1)
                    : arena_printf(arena, "%s[%s]", path, label);
}

static const char *member_path(struct arena *arena, const char *path, const char *key)
{
    return arena_printf(arena, "%s%s%s", path, *path != '\0' ? "." : "", key);
}

static bool same_scalar(const struct json *a, const struct json *b)
{
    return a->type == b->type && (a->type != JSON_BOOL || a->boolean == b->boolean) &&
           (a->type != JSON_NUMBER || (!(a->number < b->number) && !(a->number > b->number))) &&
           (a->type != JSON_STRING || strcmp(a->string, b->string) == 0);
}

static void compare(struct comparison *comparison, const char *path, const struct json *was,
                    const struct json *is);

static void compare_objects(struct comparison *comparison, const char *path, const struct json *was,
                            const struct json *is)
{
    json_each (member, was)
        compare(comparison, member_path(comparison->arena, path, member->key), member,
                json_get(is, member->key));
    json_each (member, is)
        if (json_get(was, member->key) == NULL)
            compare(comparison, member_path(comparison->arena, path, member->key), NULL, member);
}

static void compare_lists(struct comparison *comparison, const char *path, const struct json *was,
                          const struct json *is)
{
    json_each (item, was)
        compare(comparison, item_path(comparison->arena, path, label_of(item), rank_of(was, item)), item,
                counterpart(is, label_of(item), rank_of(was, item)));
    json_each (item, is)
        if (counterpart(was, label_of(item), rank_of(is, item)) == NULL)
            compare(comparison, item_path(comparison->arena, path, label_of(item), rank_of(is, item)), NULL,
                    item);
}

static void compare(struct comparison *comparison, const char *path, const struct json *was,
                    const struct json *is)
{
    bool both = was != NULL && is != NULL && was->type == is->type;

    if (both && was->type == JSON_OBJECT)
        compare_objects(comparison, path, was, is);
    else if (both && was->type == JSON_ARRAY)
        compare_lists(comparison, path, was, is);
    else if (!both || !same_scalar(was, is))
        *list_push(comparison->arena, &comparison->differences->items) = (struct json_difference){
            path, value_text(comparison->arena, was), value_text(comparison->arena, is)};
}

void json_compare(struct arena *arena, const struct json *was, const struct json *is,
                  struct json_differences *ret_differences)
{
    struct comparison comparison = {arena, ret_differences};

    *ret_differences = (struct json_differences){0};
    compare(&comparison, "", was, is);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/manifest.h"

#include <stdlib.h>
#include <string.h>

#include "assay/base/cleanup.h"

static const char first_line[] = "assay manifest 1", keyed[] = "hmac:";

void manifest_say(struct arena *arena, struct manifest *manifest, const char *key, const char *value)
{
    struct manifest_line *line = list_push(arena, &manifest->head);

    line->key = arena_strdup(arena, key);
    line->value = arena_strdup(arena, value);
}

struct manifest_entry *manifest_add(struct arena *arena, struct manifest *manifest, const char *path,
                                    const char *note, const char *sha256)
{
    struct manifest_entry *entry = list_push(arena, &manifest->entries);

    entry->path = arena_strdup(arena, path);
    entry->note = arena_strdup(arena, note);
    memcpy(entry->sha256, sha256, SHA256_HEX_SIZE);
    return entry;
}

const struct manifest_entry *manifest_find(const struct manifest *manifest, const char *path)
{
    for (size_t i = 0; manifest != NULL && i < manifest->entries.count; i++)
        if (strcmp(manifest->entries.items[i].path, path) == 0)
            return &manifest->entries.items[i];
    return NULL;
}

const char *manifest_said(const struct manifest *manifest, const char *key)
{
    for (size_t i = 0; i < manifest->head.count; i++)
        if (strcmp(manifest->head.items[i].key, key) == 0)
            return manifest->head.items[i].value;
    return "";
}

bool manifest_is_table(const char *path)
{
    const char *found = strstr(path, "table/");

    return found != NULL && (found == path || found[-1] == '/');
}

bool manifest_redacted(const struct manifest *manifest)
{
    for (size_t i = 0; i < manifest->entries.count; i++)
        if (manifest->entries.items[i].redacted[0] != '\0')
            return true;
    return false;
}

bool manifest_ever_redacted(const struct manifest *manifest)
{
    return manifest_redacted(manifest) || *manifest_said(manifest, MANIFEST_REDACTED_BEFORE) != '\0';
}

static void put_escaped(struct text *out, const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;

        if (byte < 0x20 || byte == 0x7f || byte == '\\')
            text_printf(out, "\\x%02x", byte);
        else
            text_add(out, text, 1);
    }
}

void manifest_write(const struct manifest *manifest, struct text *out)
{
    text_printf(out, "%s\n", first_line);
    for (size_t i = 0; i < manifest->head.count; i++) {
        text_printf(out, "%s: ", manifest->head.items[i].key);
        put_escaped(out, manifest->head.items[i].value);
        text_put(out, "\n");
    }
    text_put(out, "\n");
    list_each (entry, manifest->entries) {
        text_printf(out, "%s%s%s%s  %s", entry->keyed ? keyed : "", entry->sha256,
                    entry->redacted[0] != '\0' ? " " : "", entry->redacted, entry->path);
        if (entry->note[0] != '\0')
            text_put(out, "  ");
        put_escaped(out, entry->note);
        text_put(out, "\n");
    }
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* NULL when it is not what put_escaped writes. */
static const char *unescape(struct arena *arena, struct slice text)
{
    char *out = arena_alloc(arena, text.length + 1), *end = out;

    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];

        if (byte < 0x20 || byte == 0x7f)
            return NULL;
        if (byte == '\\') {
            int high, low;

            if (text.length - i < 4 || text.bytes[i + 1] != 'x')
                return NULL;
            high = hex_digit(text.bytes[i + 2]);
            low = hex_digit(text.bytes[i + 3]);
            if (high < 0 || low < 0 || high + low == 0)
                return NULL;
            byte = (unsigned char)(high * 16 + low);
            i += 3;
        }
        *end++ = (char)byte;
    }
    return out;
}

static bool take_sha256(struct slice *rest, char ret_sha256[SHA256_HEX_SIZE])
{
    if (rest->length < SHA256_HEX_SIZE - 1)
        return false;
    for (size_t i = 0; i < SHA256_HEX_SIZE - 1; i++)
        if (hex_digit(rest->bytes[i]) < 0)
            return false;
    memcpy(ret_sha256, rest->bytes, SHA256_HEX_SIZE - 1);
    ret_sha256[SHA256_HEX_SIZE - 1] = '\0';
    *rest = slice_from(*rest, SHA256_HEX_SIZE - 1);
    return true;
}

static bool is_key(struct slice word)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-./ ";

    for (size_t i = 0; i < word.length; i++)
        if (memchr(letters, word.bytes[i], sizeof letters - 1) == NULL)
            return false;
    return word.length > 0;
}

/* An acceptance has one key a run. Each is compared with all before it. */
enum { MOST_KEYS = 4096 };

/* Each key once: there is no first and last word on anything. */
static bool parse_head(struct arena *arena, struct slice line, struct manifest *manifest)
{
    size_t colon = slice_find(line, ": ");
    struct slice key = {line.bytes, colon};
    struct manifest_line *said;

    if (colon == (size_t)-1 || !is_key(key) || manifest->head.count == MOST_KEYS)
        return false;
    for (size_t i = 0; i < manifest->head.count; i++)
        if (slice_equal(key, manifest->head.items[i].key))
            return false;
    said = list_push(arena, &manifest->head);
    said->key = arena_strndup(arena, line.bytes, colon);
    said->value = unescape(arena, slice_from(line, colon + 2));
    return said->value != NULL;
}

static bool parse_entry(struct arena *arena, struct slice line, struct manifest *manifest)
{
    struct manifest_entry entry = {0};
    size_t end;

    entry.keyed = scan_text(&line, keyed);
    if (!take_sha256(&line, entry.sha256))
        return false;
    if (entry.keyed || (line.length > 1 && line.bytes[1] != ' ')) {
        line = slice_from(line, 1);
        if (!take_sha256(&line, entry.redacted))
            return false;
    }
    if (!scan_text(&line, "  "))
        return false;
    end = slice_find(line, "  ");
    if (end == (size_t)-1)
        end = line.length;
    entry.path = unescape(arena, (struct slice){line.bytes, end});
    entry.note = end < line.length ? unescape(arena, slice_from(line, end + 2)) : "";
    if (entry.path == NULL || entry.path[0] == '\0' || entry.note == NULL)
        return false;
    *list_push(arena, &manifest->entries) = entry;
    return true;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp((*(const struct manifest_entry *const *)a)->path,
                  (*(const struct manifest_entry *const *)b)->path);
}

/* Pointers to the entries by path; free() it. */
static const struct manifest_entry **sorted(const struct manifest *manifest)
{
    const struct manifest_entry **list = mem_alloc((manifest->entries.count + 1) * sizeof *list);

    for (size_t i = 0; i < manifest->entries.count; i++)
        list[i] = &manifest->entries.items[i];
    qsort(list, manifest->entries.count, sizeof *list, compare_paths);
    return list;
}

/* The path of an entry that stands there twice, or NULL. */
static const char *twice(const struct manifest *manifest)
{
    const struct manifest_entry **list = sorted(manifest);
    const char *path = NULL;

    for (size_t i = 1; i < manifest->entries.count && path == NULL; i++)
        if (strcmp(list[i - 1]->path, list[i]->path) == 0)
            path = list[i]->path;
    free(list);
    return path;
}

/* Up to the empty line behind it, whose number *ret_number is. */
static int take_head(struct arena *arena, const char *file, struct slice *rest, unsigned *ret_number,
                     struct manifest *ret_manifest, struct error *err)
{
    struct slice line = {0};
    unsigned number = 2;

    *ret_manifest = (struct manifest){0};
    if (!scan_line(rest, &line) || !slice_equal(line, first_line))
        return error_set(err, ERROR_USAGE, "%s: it is not a manifest of assay, or of a later version", file);
    for (; scan_line(rest, &line) && line.length > 0; number++)
        if (!parse_head(arena, line, ret_manifest))
            return error_set(err, ERROR_USAGE, "%s:%u: no line of a manifest", file, number);
    if (line.length > 0 || (manifest_said(ret_manifest, "run")[0] == '\0' &&
                            manifest_said(ret_manifest, "acceptance")[0] == '\0'))
        return error_set(err, ERROR_USAGE, "%s:%u: the manifest is cut", file, number);
    *ret_number = number;
    return 0;
}

int manifest_parse_head(struct arena *arena, const char *file, struct slice bytes,
                        struct manifest *ret_manifest, struct error *err)
{
    unsigned number;

    return take_head(arena, file, &bytes, &number, ret_manifest, err);
}

int manifest_parse(struct arena *arena, const char *file, struct slice bytes, struct manifest *ret_manifest,
                   struct error *err)
{
    struct slice rest = bytes, line;
    unsigned number;

    if (take_head(arena, file, &rest, &number, ret_manifest, err) < 0)
        return -1;
    while (scan_line(&rest, &line)) {
        number++;
        if (!parse_entry(arena, line, ret_manifest))
            return error_set(err, ERROR_USAGE, "%s:%u: no line of a manifest", file, number);
    }
    if (rest.length > 0)
        return error_set(err, ERROR_USAGE, "%s:%u: the manifest is cut", file, number + 1);
    if (twice(ret_manifest) != NULL)
        return error_set(err, ERROR_USAGE, "%s: %s is there twice", file, twice(ret_manifest));
    return 0;
}

static bool is_left_out(const struct manifest_entry *entry, bool only_found)
{
    return strncmp(entry->path, "report/", 7) == 0 || (only_found && manifest_is_table(entry->path));
}

struct comparison {
    struct arena *arena;
    bool redacted;
    LIST_OF(struct manifest_difference) differences;
};

static void differ(struct comparison *comparison, const struct manifest_entry *entry, const char *what)
{
    *list_push(comparison->arena, &comparison->differences) =
        (struct manifest_difference){entry->path, entry->note, what};
}

static void compare_entry(struct comparison *comparison, const struct manifest_entry *kept,
                          const struct manifest_entry *found)
{
    const char *wanted = comparison->redacted && kept->redacted[0] != '\0' ? kept->redacted : kept->sha256;

    if (found->damage != NULL)
        differ(comparison, kept, found->damage);
    else if (strcmp(wanted, found->sha256) != 0)
        differ(
            comparison, kept,
            arena_printf(comparison->arena, "it has SHA-256 %s and should have %s", found->sha256, wanted));
}

size_t manifest_compare(struct arena *arena, const struct manifest *kept, const struct manifest *found,
                        bool redacted, struct manifest_difference **ret_differences)
{
    struct comparison comparison = {.arena = arena, .redacted = redacted};
    cleanup_free const struct manifest_entry **left = sorted(kept);
    cleanup_free const struct manifest_entry **right = sorted(found);
    size_t i = 0, k = 0;

    while (i < kept->entries.count || k < found->entries.count) {
        int order = i == kept->entries.count    ? 1
                    : k == found->entries.count ? -1
                                                : strcmp(left[i]->path, right[k]->path);

        if (order == 0)
            compare_entry(&comparison, left[i], right[k]);
        else if (order < 0 && !is_left_out(left[i], false))
            differ(&comparison, left[i], "it is not there");
        else if (order > 0 && !is_left_out(right[k], true))
            differ(&comparison, right[k], "it is not in the manifest");
        i += order <= 0;
        k += order >= 0;
    }
    *ret_differences = comparison.differences.items;
    return comparison.differences.count;
}

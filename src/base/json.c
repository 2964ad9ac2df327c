/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading JSON. cJSON alone is too kind: it rounds numbers, takes duplicate keys and trailing text, and does
 * not say where a value stood. So a scan of our own goes first: it refuses what the header lists and makes
 * the nodes with their places; cJSON then decodes the strings, and both are walked together. Where the two
 * disagree about one byte, that is our own failure and never a value.
 */
#include "assay/base/json.h"

#include "json_private.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/scan.h"

enum {
    DEPTH_LIMIT = 64,
    FILE_LIMIT = 16 * 1024 * 1024,
};

struct scanner {
    struct arena *arena;
    const char *file;
    const char *at, *end;
    unsigned line, column, depth; /* columns count characters, from 1 */
    struct error *err;
};

static struct json *scan_value(struct scanner *scanner);

int json_error(struct error *err, const struct json *at, const char *format, ...)
{
    char message[1024];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return error_set(err, ERROR_USAGE, "%s:%u:%u: %s", at->file, at->line, at->column, message);
}

int json_error_add(struct error *err, const struct json *at, const char *format, ...)
{
    char message[1024];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return error_add(err, ERROR_USAGE, "%s:%u:%u: %s", at->file, at->line, at->column, message);
}

static int refuse(const struct scanner *scanner, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int refuse(const struct scanner *scanner, const char *format, ...)
{
    char message[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return error_set(scanner->err, ERROR_USAGE, "%s:%u:%u: %s", scanner->file, scanner->line, scanner->column,
                     message);
}

static int peek(const struct scanner *scanner)
{
    return scanner->at < scanner->end ? (unsigned char)*scanner->at : -1;
}

static int take(struct scanner *scanner)
{
    int byte = peek(scanner);

    if (byte < 0)
        return byte;
    scanner->at++;
    if (byte == '\n') {
        scanner->line++;
        scanner->column = 1;
    } else if ((byte & 0xC0) != 0x80) {
        scanner->column++;
    }
    return byte;
}

static void skip_blanks(struct scanner *scanner)
{
    for (int byte = peek(scanner); byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
         byte = peek(scanner))
        take(scanner);
}

/* "found X where Y was expected", X being the word that stands here. */
static int refuse_word(const struct scanner *scanner, const char *expected)
{
    size_t length = 0, rest = (size_t)(scanner->end - scanner->at);
    int byte = peek(scanner);

    if (byte < 0)
        return refuse(scanner, "the text ends where %s was expected", expected);
    if (byte == 0)
        return refuse(scanner, "found a NUL byte where %s was expected", expected);
    if (byte == 0xEF && rest >= 3 && memcmp(scanner->at, "\xEF\xBB\xBF", 3) == 0)
        return refuse(scanner, "found a byte order mark where %s was expected", expected);
    if (byte < ' ' || byte > '~')
        return refuse(scanner, "found byte 0x%02x where %s was expected", (unsigned)byte, expected);
    while (length < rest && length < 40 &&
           (isalnum((unsigned char)scanner->at[length]) || strchr("_-+.", scanner->at[length]) != NULL) &&
           scanner->at[length] != '\0')
        length++;
    return refuse(scanner, "found '%.*s' where %s was expected", length > 0 ? (int)length : 1, scanner->at,
                  expected);
}

static struct json *node_here(struct scanner *scanner, enum json_type type)
{
    struct json *node = arena_new(scanner->arena, struct json);

    node->type = type;
    node->file = scanner->file;
    node->line = scanner->line;
    node->column = scanner->column;
    return node;
}

/* Length of the valid UTF-8 character at the front, 0 when there is none. */
static size_t utf8_length(const char *text, size_t length)
{
    const unsigned char *byte = (const unsigned char *)text;
    size_t wanted = byte[0] < 0x80 ? 1 : byte[0] < 0xC2 ? 0 : byte[0] < 0xE0 ? 2 : byte[0] < 0xF0 ? 3 : 4;

    if (wanted == 0 || byte[0] > 0xF4 || wanted > length)
        return 0;
    for (size_t i = 1; i < wanted; i++)
        if ((byte[i] & 0xC0) != 0x80)
            return 0;
    /* Overlong forms, surrogates, and what lies beyond U+10FFFF. */
    if ((byte[0] == 0xE0 && byte[1] < 0xA0) || (byte[0] == 0xED && byte[1] > 0x9F) ||
        (byte[0] == 0xF0 && byte[1] < 0x90) || (byte[0] == 0xF4 && byte[1] > 0x8F))
        return 0;
    return wanted;
}

static bool take_hex4(struct scanner *scanner, unsigned *ret_unit)
{
    unsigned unit = 0;

    for (int i = 0; i < 4; i++) {
        int byte = peek(scanner);

        if (byte < 0 || !isxdigit(byte))
            return false;
        unit = unit * 16 + (unsigned)(isdigit(byte) ? byte - '0' : tolower(byte) - 'a' + 10);
        take(scanner);
    }
    *ret_unit = unit;
    return true;
}

static int scan_unicode_escape(struct scanner *scanner)
{
    unsigned unit;

    if (!take_hex4(scanner, &unit))
        return refuse_word(scanner, "a hexadecimal digit of \\uXXXX");
    if (unit == 0)
        return refuse(scanner, "found \\u0000 in a string, where no NUL may stand");
    if (unit >= 0xDC00 && unit <= 0xDFFF)
        return refuse(scanner, "found the second half of a surrogate pair, \\u%04x, without the first", unit);
    if (unit < 0xD800 || unit > 0xDBFF)
        return 0;
    if (take(scanner) != '\\' || take(scanner) != 'u' || !take_hex4(scanner, &unit) || unit < 0xDC00 ||
        unit > 0xDFFF)
        return refuse(scanner, "expected the second half of a surrogate pair");
    return 0;
}

static int scan_escape(struct scanner *scanner)
{
    take(scanner);
    if (peek(scanner) <= 0 || strchr("\"\\/bfnrtu", peek(scanner)) == NULL)
        return refuse_word(scanner, "one of \" \\ / b f n r t u after a backslash");
    return take(scanner) == 'u' ? scan_unicode_escape(scanner) : 0;
}

/* Only checks; cJSON decodes. */
static int scan_string(struct scanner *scanner)
{
    unsigned line = scanner->line, column = scanner->column;

    take(scanner);
    for (;;) {
        int byte = peek(scanner);
        size_t length;

        if (byte < 0 || byte == '\n')
            return error_set(scanner->err, ERROR_USAGE, "%s:%u:%u: this string has no closing '\"'",
                             scanner->file, line, column);
        if (byte < ' ')
            return refuse(scanner, "found control byte 0x%02x in a string, where it must be escaped",
                          (unsigned)byte);
        if (byte == '\\') {
            if (scan_escape(scanner) < 0)
                return -1;
            continue;
        }
        length = utf8_length(scanner->at, (size_t)(scanner->end - scanner->at));
        if (length == 0)
            return refuse(scanner, "found byte 0x%02x, which is not UTF-8", (unsigned)byte);
        while (length-- > 0)
            take(scanner);
        if (byte == '"')
            return 0;
    }
}

static int scan_number(struct scanner *scanner, struct json *node)
{
    struct slice word = {scanner->at, 0};

    while (scanner->at + word.length < scanner->end && (isalnum((unsigned char)word.bytes[word.length]) ||
                                                        memchr("+-._", word.bytes[word.length], 4) != NULL))
        word.length++;
    if (!json_number_valid(word))
        return refuse_word(scanner, "a number");
    if (word.length > JSON_NUMBER_LIMIT)
        return refuse(scanner, "a number of %zu characters; the most is %d", word.length, JSON_NUMBER_LIMIT);
    if (!scan_double(word, &node->number) || !json_number_exact(word, node->number))
        return refuse(scanner,
                      "number %.*s cannot be kept exactly; write it as a string or with fewer digits",
                      slice_print(word));
    for (size_t i = 0; i < word.length; i++)
        take(scanner);
    return 0;
}

static struct json *scan_literal(struct scanner *scanner)
{
    static const struct {
        const char *word;
        enum json_type type;
        bool boolean;
    } literals[] = {{"true", JSON_BOOL, true}, {"false", JSON_BOOL, false}, {"null", JSON_NULL, false}};

    for (size_t i = 0; i < ARRAY_SIZE(literals); i++) {
        struct slice rest = {scanner->at, (size_t)(scanner->end - scanner->at)};

        if (scan_text(&rest, literals[i].word) &&
            (rest.length == 0 || !isalnum((unsigned char)rest.bytes[0]))) {
            struct json *node = node_here(scanner, literals[i].type);

            node->boolean = literals[i].boolean;
            while (scanner->at < rest.bytes)
                take(scanner);
            return node;
        }
    }
    refuse_word(scanner, "a value");
    return NULL;
}

static struct json *scan_member(struct scanner *scanner)
{
    unsigned line = scanner->line, column = scanner->column;
    struct json *node;

    if (peek(scanner) != '"') {
        refuse_word(scanner, "a key in double quotes");
        return NULL;
    }
    if (scan_string(scanner) < 0)
        return NULL;
    skip_blanks(scanner);
    if (peek(scanner) != ':') {
        refuse_word(scanner, "':' after a key");
        return NULL;
    }
    take(scanner);
    skip_blanks(scanner);
    node = scan_value(scanner);
    if (node != NULL) {
        node->key_line = line;
        node->key_column = column;
    }
    return node;
}

static int scan_items(struct scanner *scanner, struct json *node, int close)
{
    struct json **tail = &node->items;

    if (++scanner->depth > DEPTH_LIMIT)
        return refuse(scanner, "lists and objects are nested deeper than %d levels here", DEPTH_LIMIT);
    take(scanner);
    skip_blanks(scanner);
    for (bool first = true; !first || peek(scanner) != close; first = false) {
        struct json *item = node->type == JSON_OBJECT ? scan_member(scanner) : scan_value(scanner);

        if (item == NULL)
            return -1;
        *tail = item;
        tail = &item->next;
        node->count++;
        skip_blanks(scanner);
        if (peek(scanner) == close)
            break;
        if (peek(scanner) != ',')
            return refuse_word(scanner, close == '}' ? "',' or '}'" : "',' or ']'");
        take(scanner);
        skip_blanks(scanner);
    }
    take(scanner);
    scanner->depth--;
    return 0;
}

static struct json *scan_value(struct scanner *scanner)
{
    int byte = peek(scanner);
    struct json *node;
    int result;

    if (byte != '{' && byte != '[' && byte != '"' && byte != '-' && (byte < 0 || !isdigit(byte)))
        return scan_literal(scanner);
    node = node_here(scanner, byte == '{'   ? JSON_OBJECT
                              : byte == '[' ? JSON_ARRAY
                              : byte == '"' ? JSON_STRING
                                            : JSON_NUMBER);
    if (byte == '"')
        result = scan_string(scanner);
    else if (byte == '{' || byte == '[')
        result = scan_items(scanner, node, byte == '{' ? '}' : ']');
    else
        result = scan_number(scanner, node);
    return result < 0 ? NULL : node;
}

static enum json_type type_of(const cJSON *item)
{
    return cJSON_IsObject(item)   ? JSON_OBJECT
           : cJSON_IsArray(item)  ? JSON_ARRAY
           : cJSON_IsString(item) ? JSON_STRING
           : cJSON_IsNumber(item) ? JSON_NUMBER
           : cJSON_IsBool(item)   ? JSON_BOOL
                                  : JSON_NULL;
}

static int disagree(const struct json *node, struct error *err)
{
    return error_set(err, ERROR_INTERNAL, "%s:%u:%u: our two readings of this JSON differ", node->file,
                     node->line, node->column);
}

static int compare_keys(const void *a, const void *b)
{
    const struct json *left = *(const struct json *const *)a, *right = *(const struct json *const *)b;
    int order = strcmp(left->key, right->key);

    if (order != 0)
        return order;
    if (left->key_line != right->key_line)
        return left->key_line < right->key_line ? -1 : 1;
    return left->key_column < right->key_column ? -1 : left->key_column > right->key_column;
}

static int refuse_duplicates(const struct json *object, struct error *err)
{
    cleanup_free const struct json **members = mem_alloc((object->count + 1) * sizeof *members);
    size_t count = 0;
    int result = 0;

    json_each (member, object)
        members[count++] = member;
    qsort(members, count, sizeof *members, compare_keys);
    for (size_t i = 1; i < count; i++)
        if (strcmp(members[i - 1]->key, members[i]->key) == 0)
            result = error_add(err, ERROR_USAGE, "%s:%u:%u: key \"%.100s\" appears twice; first on line %u",
                               object->file, members[i]->key_line, members[i]->key_column, members[i]->key,
                               members[i - 1]->key_line);
    return result;
}

/* Gives the scan's nodes cJSON's decoded strings. */
static int join(struct arena *arena, struct json *node, const cJSON *item, struct error *err)
{
    const cJSON *child = item->child;
    int result = 0;

    if (type_of(item) != node->type || (node->type == JSON_BOOL && cJSON_IsTrue(item) != node->boolean) ||
        (node->type == JSON_NUMBER && item->valuedouble != node->number))
        return disagree(node, err);
    if (node->type == JSON_STRING)
        node->string = arena_strdup(arena, item->valuestring);
    for (struct json *below = node->items; below != NULL; below = below->next, child = child->next) {
        if (child == NULL)
            return disagree(below, err);
        if (node->type == JSON_OBJECT)
            below->key = arena_strdup(arena, child->string);
        if (join(arena, below, child, err) < 0)
            result = -1;
    }
    if (node->items != NULL && child != NULL)
        return disagree(node, err);
    return node->type == JSON_OBJECT && refuse_duplicates(node, err) < 0 ? -1 : result;
}

static void delete_tree(cJSON **tree)
{
    cJSON_Delete(*tree);
}

struct json *json_parse(struct arena *arena, const char *file, const char *bytes, size_t length,
                        struct error *err)
{
    struct scanner scanner = {.arena = arena,
                              .file = arena_strdup(arena, file),
                              .at = bytes,
                              .end = bytes + length,
                              .line = 1,
                              .column = 1,
                              .err = err};
    __attribute__((cleanup(delete_tree))) cJSON *tree = NULL;
    struct json *root;

    skip_blanks(&scanner);
    root = scan_value(&scanner);
    if (root == NULL)
        return NULL;
    skip_blanks(&scanner);
    if (scanner.at < scanner.end) {
        refuse_word(&scanner, "the end of the text");
        return NULL;
    }
    tree = cJSON_ParseWithLength(bytes, length);
    if (tree == NULL) {
        disagree(root, err);
        return NULL;
    }
    error_clear(err);
    return join(arena, root, tree, err) < 0 ? NULL : root;
}

struct json *json_load(struct arena *arena, const char *path, struct error *err)
{
    cleanup_text struct text text = {0};

    text_init(&text, FILE_LIMIT);
    if (file_read(path, &text, err) < 0)
        return NULL;
    return json_parse(arena, strcmp(path, "-") == 0 ? "standard input" : path, text.bytes, text.length, err);
}

const struct json *json_get(const struct json *object, const char *key)
{
    if (object == NULL || object->type != JSON_OBJECT)
        return NULL;
    json_each (member, object)
        if (strcmp(member->key, key) == 0)
            return member;
    return NULL;
}

const char *json_string(const struct json *object, const char *key, const char *fallback)
{
    const struct json *member = json_get(object, key);

    return member != NULL && member->type == JSON_STRING ? member->string : fallback;
}

double json_number(const struct json *object, const char *key, double fallback)
{
    const struct json *member = json_get(object, key);

    return member != NULL && member->type == JSON_NUMBER ? member->number : fallback;
}

bool json_boolean(const struct json *object, const char *key, bool fallback)
{
    const struct json *member = json_get(object, key);

    return member != NULL && member->type == JSON_BOOL ? member->boolean : fallback;
}

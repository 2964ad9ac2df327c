/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/base/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEPS_MOST = 30 * 1000 * 1000, /* of one pattern in all its searches: some seconds at most */
    MATCH_LIMIT = 1000 * 1000,     /* of one search from one place */
    HEAP_KIB = 16 * 1024,
    PATTERN_BYTES = 16 * 1024,
    GROUPS_MOST = 64,
};

struct pattern {
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *limits;
    const char *names[GROUPS_MOST];
    unsigned numbers[GROUPS_MOST];
    size_t group_count;
    size_t steps;
};

/* Called before each item of the pattern (PCRE2_AUTO_CALLOUT). */
static int count_step(pcre2_callout_block *block, void *context)
{
    struct pattern *pattern = context;

    (void)block;
    return ++pattern->steps > STEPS_MOST ? PCRE2_ERROR_CALLOUT : 0;
}

/* PCRE2 keeps its names in alphabetical order. */
static void sort_by_number(struct pattern *pattern)
{
    for (size_t i = 1; i < pattern->group_count; i++)
        for (size_t k = i; k > 0 && pattern->numbers[k] < pattern->numbers[k - 1]; k--) {
            unsigned number = pattern->numbers[k];
            const char *name = pattern->names[k];

            pattern->numbers[k] = pattern->numbers[k - 1];
            pattern->names[k] = pattern->names[k - 1];
            pattern->numbers[k - 1] = number;
            pattern->names[k - 1] = name;
        }
}

static int read_names(struct pattern *pattern, struct error *err)
{
    uint32_t count = 0, size = 0;
    PCRE2_SPTR table = NULL;

    pcre2_pattern_info(pattern->code, PCRE2_INFO_NAMECOUNT, &count);
    pcre2_pattern_info(pattern->code, PCRE2_INFO_NAMEENTRYSIZE, &size);
    pcre2_pattern_info(pattern->code, PCRE2_INFO_NAMETABLE, &table);
    if (count > GROUPS_MOST)
        return error_set(err, ERROR_USAGE, "%u named groups; expected at most %d", count, GROUPS_MOST);
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *entry = table + (size_t)i * size;

        pattern->numbers[i] = (unsigned)entry[0] << 8 | entry[1];
        pattern->names[i] = (const char *)entry + 2;
    }
    pattern->group_count = count;
    sort_by_number(pattern);
    return 0;
}

static size_t characters(const char *text, size_t bytes)
{
    size_t count = 0;

    for (size_t i = 0; i < bytes && text[i] != '\0'; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

struct pattern *pattern_create(const char *text, size_t *ret_offset, struct error *err)
{
    const uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C |
                             PCRE2_AUTO_CALLOUT | PCRE2_DOLLAR_ENDONLY;
    struct pattern *pattern = mem_alloc(sizeof *pattern);
    PCRE2_SIZE offset = 0;
    unsigned char message[160];
    int code = 0;

    *ret_offset = 0;
    if (strlen(text) > PATTERN_BYTES) {
        error_set(err, ERROR_USAGE, "it is longer than %d bytes", PATTERN_BYTES);
        return pattern_destroy(pattern);
    }
    pattern->code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, options, &code, &offset, NULL);
    if (pattern->code == NULL) {
        pcre2_get_error_message(code, message, sizeof message);
        *ret_offset = offset;
        error_set(err, ERROR_USAGE, "%s, at its character %zu", (const char *)message,
                  characters(text, offset) + 1);
        return pattern_destroy(pattern);
    }
    if (read_names(pattern, err) < 0)
        return pattern_destroy(pattern);
    pattern->data = pcre2_match_data_create_from_pattern(pattern->code, NULL);
    pattern->limits = pcre2_match_context_create(NULL);
    pcre2_set_match_limit(pattern->limits, MATCH_LIMIT);
    pcre2_set_heap_limit(pattern->limits, HEAP_KIB);
    pcre2_set_callout(pattern->limits, count_step, pattern);
    return pattern;
}

struct pattern *pattern_destroy(struct pattern *pattern)
{
    if (pattern != NULL) {
        pcre2_match_context_free(pattern->limits);
        pcre2_match_data_free(pattern->data);
        pcre2_code_free(pattern->code);
        free(pattern);
    }
    return NULL;
}

size_t pattern_group_count(const struct pattern *pattern)
{
    return pattern->group_count;
}

const char *pattern_group(const struct pattern *pattern, size_t index)
{
    return pattern->names[index];
}

enum pattern_result pattern_next(struct pattern *pattern, struct slice line, size_t *offset)
{
    const PCRE2_SIZE *found = pcre2_get_ovector_pointer(pattern->data);
    int result;

    if (*offset > line.length)
        return PATTERN_NOT_FOUND;
    result = pcre2_match(pattern->code, (PCRE2_SPTR)line.bytes, line.length, *offset, 0, pattern->data,
                         pattern->limits);
    if (result == PCRE2_ERROR_NOMATCH)
        return PATTERN_NOT_FOUND;
    if (result < 0)
        return PATTERN_EXHAUSTED;
    /* A match of nothing would be found again and again; \K can even set its start behind its end. */
    *offset = found[1] > found[0] && found[1] > *offset ? found[1] : *offset + 1;
    while (*offset < line.length && ((unsigned char)line.bytes[*offset] & 0xC0) == 0x80)
        ++*offset;
    return PATTERN_FOUND;
}

bool pattern_take(const struct pattern *pattern, struct slice line, size_t index, struct slice *ret_text)
{
    const PCRE2_SIZE *found = pcre2_get_ovector_pointer(pattern->data) + 2 * (size_t)pattern->numbers[index];

    if (found[0] == PCRE2_UNSET || found[1] < found[0] || found[1] > line.length)
        return false;
    *ret_text = (struct slice){line.bytes + found[0], found[1] - found[0]};
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/golden/PARSER/NAME.out is an output in the tool's format, NAME.json beside it what assay parse says
 * of it; scripts/update-golden writes the latter and a person reviews it. Every input is also cut (see cuts.h) and pulled in
 * pieces. A parser without a case fails.
 *
 * Cuts: with "every" at each byte, large inputs at every 17th. Without, small ones at each byte, others about the ends of their
 * lines, at a stride that is no width of any column, and at each of the last bytes, where a closing is.
 *
 * NAME beginning with "late-failure" is an output that fails after its closing.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/files.h"
#include "assay/model/plausible.h"
#include "assay/model/redact.h"

#include "cuts.h"
#include "tap.h"

enum { MAX_BYTES = 16 << 20, SMALL_BYTES = 512, LARGE_BYTES = 10 * 1024 };

static bool every_byte;

static struct cut_places places_of(size_t length)
{
    if (every_byte)
        return (struct cut_places){.step = length > 2 * LARGE_BYTES ? 17 : 1};
    if (length <= SMALL_BYTES)
        return (struct cut_places){.step = 1};
    if (length <= LARGE_BYTES)
        return (struct cut_places){.step = 17, .lines = 1, .last = 64};
    return (struct cut_places){.step = 101, .lines = 7, .last = 64};
}

static ssize_t pull_slice(void *context, char *buffer, size_t size)
{
    struct slice *rest = context;

    if (size > rest->length)
        size = rest->length;
    memcpy(buffer, rest->bytes, size);
    *rest = slice_from(*rest, size);
    return (ssize_t)size;
}

/* refill 0: all at once, else pulled in pieces of so many bytes. */
static void write_reading(const struct parser *parser, const struct text *input, size_t refill,
                          struct text *ret_json)
{
    struct slice bytes = {input->bytes, input->length};
    cleanup_source struct source source = {0};
    struct arena *arena = arena_create();
    struct json_writer writer;
    struct reading reading;
    struct error err = {0};

    source_of_pull(&source, pull_slice, &bytes, refill);
    if (refill == 0)
        parser_run(parser, bytes, arena, &reading);
    else if (parser_run_source(parser, &source, arena, &reading, &err) < 0)
        reading_set(&reading, READING_FAILED, reason_text(arena, err.text));
    json_writer_init(&writer, ret_json, false);
    reading_write(&reading, &writer);
    text_put(ret_json, "\n");
    arena_destroy(arena);
}

/* The first line that differs, for the reader of a failed case. */
static void describe_difference(const char *expected, const char *found, struct text *ret_text)
{
    unsigned line = 1;
    size_t start = 0;

    for (size_t i = 0; expected[i] != '\0' && expected[i] == found[i]; i++)
        if (expected[i] == '\n') {
            line++;
            start = i + 1;
        }
    text_printf(ret_text, "line %u: expected '%.*s', found '%.*s'", line,
                (int)strcspn(expected + start, "\n"), expected + start, (int)strcspn(found + start, "\n"),
                found + start);
}

static void check_reading(const struct parser *parser, const char *path, const struct text *input)
{
    char *json_path = mem_printf("%.*s.json", (int)(strlen(path) - 4), path);
    struct error err = {0};
    cleanup_text struct text expected = {0}, found = {0}, difference = {0};

    text_init(&expected, MAX_BYTES);
    text_init(&found, MAX_BYTES);
    text_init(&difference, MAX_BYTES);
    write_reading(parser, input, 0, &found);
    if (file_read(json_path, &expected, &err) < 0)
        text_put(&difference, err.text);
    else if (strcmp(expected.bytes, found.bytes) != 0)
        describe_difference(expected.bytes, found.bytes, &difference);
    tap_case(difference.length == 0, difference.bytes, "%s: reads %s", parser->name, strrchr(path, '/') + 1);
    free(json_path);
}

static void check_pieces(const struct parser *parser, const char *name, const struct text *input)
{
    static const size_t refills[] = {1, 7, 64 * 1024};
    cleanup_text struct text whole = {0}, difference = {0};

    text_init(&whole, MAX_BYTES);
    text_init(&difference, MAX_BYTES);
    write_reading(parser, input, 0, &whole);
    for (size_t i = 0; i < ARRAY_SIZE(refills) && difference.length == 0; i++) {
        cleanup_text struct text pulled = {0};

        text_init(&pulled, MAX_BYTES);
        write_reading(parser, input, refills[i], &pulled);
        if (strcmp(whole.bytes, pulled.bytes) != 0) {
            text_printf(&difference, "in pieces of %zu bytes, ", refills[i]);
            describe_difference(whole.bytes, pulled.bytes, &difference);
        }
    }
    tap_case(difference.length == 0, difference.bytes, "%s: %s reads the same in pieces of any size",
             parser->name, name);
}

/* What differs in more than names; 0: nothing. */
static bool is_same_but_names(const struct reading *a, const struct reading *b, struct text *ret_difference)
{
    if (a->status != b->status || a->facts.count != b->facts.count ||
        a->measurements.count != b->measurements.count || a->findings.count != b->findings.count) {
        text_printf(ret_difference,
                    "status %d, %zu facts, %zu measurements, %zu findings; then %d, %zu, %zu, %zu",
                    (int)a->status, a->facts.count, a->measurements.count, a->findings.count, (int)b->status,
                    b->facts.count, b->measurements.count, b->findings.count);
        return false;
    }
    for (size_t i = 0; i < a->measurements.count; i++)
        if (strcmp(a->measurements.items[i].metric, b->measurements.items[i].metric) != 0 ||
            a->measurements.items[i].value != b->measurements.items[i].value) {
            text_printf(ret_difference, "%s %g, then %s %g", a->measurements.items[i].metric,
                        a->measurements.items[i].value, b->measurements.items[i].metric,
                        b->measurements.items[i].value);
            return false;
        }
    for (size_t i = 0; i < a->facts.count; i++)
        if (strcmp(a->facts.items[i].name, b->facts.items[i].name) != 0) {
            text_printf(ret_difference, "fact %s, then %s", a->facts.items[i].name, b->facts.items[i].name);
            return false;
        }
    return true;
}

/* What an export replaces are names: of the tool's own words nothing. */
static void check_redacted(const struct parser *parser, const char *name, const struct text *input)
{
    struct slice bytes = {input->bytes, input->length};
    cleanup_text struct text redacted = {0}, difference = {0};
    struct arena *arena = arena_create();
    struct redactor *redactor = redactor_create(arena, NULL, NULL);
    struct reading before, after;
    bool same;

    text_init(&difference, MAX_BYTES);
    for (int pass = 0; pass < 2; pass++) {
        text_release(&redacted);
        text_init(&redacted, MAX_BYTES);
        redact(redactor, bytes, &redacted, arena, NULL);
    }
    parser_run(parser, bytes, arena, &before);
    parser_run(parser, (struct slice){redacted.bytes, redacted.length}, arena, &after);
    same = is_same_but_names(&before, &after, &difference);
    tap_case(same, difference.bytes, "%s: %s reads the same when it is redacted", parser->name, name);
    arena_destroy(arena);
}

/* So that no number of any tool is recorded whatever it is. */
static void check_bounds(const struct parser *parser, const char *name, const struct text *input)
{
    struct arena *arena = arena_create();
    const char *without = NULL;
    struct reading reading;
    double least, most;

    parser_run(parser, (struct slice){input->bytes, input->length}, arena, &reading);
    for (size_t i = 0; i < reading.measurements.count; i++)
        if (!plausible_bounds(reading.measurements.items[i].metric, reading.measurements.items[i].unit,
                              &least, &most))
            without = reading.measurements.items[i].metric;
    tap_case(without == NULL, without, "%s: %s has nothing without bounds of what is plausible", parser->name,
             name);
    arena_destroy(arena);
}

static void check_file(const struct parser *parser, const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    struct error err = {0};
    cleanup_text struct text input = {0}, breach = {0};
    int result;

    text_init(&input, MAX_BYTES);
    text_init(&breach, MAX_BYTES);
    if (file_read(path, &input, &err) < 0) {
        tap_case(false, err.text, "%s: %s can be read", parser->name, name);
        return;
    }
    check_reading(parser, path, &input);
    check_pieces(parser, name, &input);
    check_bounds(parser, name, &input);
    check_redacted(parser, name, &input);
    result = check_cuts(parser, (struct slice){input.bytes, input.length}, places_of(input.length),
                        strncmp(name, "late-failure", 12) == 0, &breach);
    tap_case(result == 0, breach.bytes, "%s: %s cut anywhere never says anything else", parser->name, name);
}

/* Whether the word names the parser, as parsers.def does (gpu_burn) or as the program does (gpu-burn). */
static bool is_named(const struct parser *parser, const char *word)
{
    size_t i = 0;

    for (; parser->name[i] != '\0' && word[i] != '\0'; i++)
        if (parser->name[i] != word[i] && !(parser->name[i] == '-' && word[i] == '_'))
            return false;
    return parser->name[i] == word[i];
}

/* test_golden [PARSER [every]]: all parsers, or that one. */
int main(int argc, char **argv)
{
    const char *root = getenv("ASSAY_SOURCE_ROOT");
    size_t count;
    const struct parser *const *parsers = parser_list(&count);

    every_byte = argc > 2 && strcmp(argv[2], "every") == 0;
    for (size_t i = 0; i < count; i++) {
        char *pattern = mem_printf("%s/tests/golden/%s/*.out", root != NULL ? root : ".", parsers[i]->name);
        unsigned goldens = parser_samples(parsers[i])->goldens;
        glob_t found = {0};
        char said[80];

        if (argc > 1 && !is_named(parsers[i], argv[1])) {
            free(pattern);
            continue;
        }
        glob(pattern, 0, NULL, &found);
        snprintf(said, sizeof said, "there are %zu, and parsers.def says %u", found.gl_pathc, goldens);
        tap_case(found.gl_pathc > 0 && found.gl_pathc == goldens, said, "%s: has its golden cases",
                 parsers[i]->name);
        for (size_t k = 0; k < found.gl_pathc; k++)
            check_file(parsers[i], found.gl_pathv[k]);
        globfree(&found);
        free(pattern);
    }
    return tap_finish();
}

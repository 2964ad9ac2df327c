/* SPDX-License-Identifier: Apache-2.0 */
#include "fixtures.h"

#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/files.h"

#include "cuts.h"
#include "tap.h"

enum { MAX_BYTES = 16 << 20, COLUMNS = 7, VERSION = 2, TRUNCATED = 5, FACTS = 6, CUTS = 150 };

static const struct {
    const char *folder, *parser;
    fixture_check *check;
} folders[] = {
#define FIXTURES(folder, parser, name) {folder, parser, check_##name},
#include "fixtures.def"
#undef FIXTURES
};

/* What the summary tells of each row. */
static struct {
    unsigned files, facts, wrong;
} tally[ARRAY_SIZE(folders)];
static unsigned wrong_facts;

void fact_wrong(struct text *wrong, const struct json *fact, const char *format, ...)
{
    va_list arguments;

    wrong_facts++;
    text_printf(wrong, "%s%s: ", wrong->length > 0 ? "; " : "", fact->key != NULL ? fact->key : "item");
    va_start(arguments, format);
    text_vprintf(wrong, format, arguments);
    va_end(arguments);
}

void fact_number(struct text *wrong, const struct json *fact, double found)
{
    if (fact->type != JSON_NUMBER || !(fabs(fact->number - found) <= fabs(fact->number) * 1e-4 + 1e-9))
        fact_wrong(wrong, fact, "expected %g, found %g", fact->number, found);
}

void fact_string(struct text *wrong, const struct json *fact, const char *found)
{
    if (fact->type != JSON_STRING || found == NULL || strcmp(fact->string, found) != 0)
        fact_wrong(wrong, fact, "expected '%s', found '%s'", fact->type == JSON_STRING ? fact->string : "?",
                   found != NULL ? found : "nothing");
}

void fact_true(struct text *wrong, const struct json *fact, bool holds, const char *found)
{
    if (fact->type != JSON_BOOL || fact->boolean != holds)
        fact_wrong(wrong, fact, "found %s", found);
}

const struct measurement *find_measurement(const struct reading *reading, const char *metric,
                                           const char *subject)
{
    for (size_t i = 0; i < reading->measurements.count; i++)
        if (strcmp(reading->measurements.items[i].metric, metric) == 0 &&
            strcmp(reading->measurements.items[i].subject, subject) == 0)
            return &reading->measurements.items[i];
    return NULL;
}

size_t count_findings(const struct reading *reading, const char *code, const char *text)
{
    size_t count = 0;

    for (size_t i = 0; i < reading->findings.count; i++)
        count += (code == NULL || strcmp(reading->findings.items[i].code, code) == 0) &&
                 (text == NULL ||
                  strstr(reason_english(reading->arena, reading->findings.items[i].what), text) != NULL);
    return count;
}

/* "p2p" is the folder; "nvidia-smi/@(table|xml)*" those of its files, where several parsers share one. */
static bool folder_is(struct slice file, const char *folder)
{
    char path[256], pattern[256];

    snprintf(path, sizeof path, "%.*s", slice_print(file));
    snprintf(pattern, sizeof pattern, "%s%s", folder, strchr(folder, '/') != NULL ? "" : "/*");
    return fnmatch(pattern, path, FNM_EXTMATCH) == 0;
}

/* A reading that calls itself complete must be one: the index knows which outputs are cut. */
static void check_status(struct slice truncated, const struct reading *reading, struct text *wrong)
{
    if (reading->status == READING_UNRECOGNISED)
        text_printf(wrong, "%sunrecognised: %s", wrong->length > 0 ? "; " : "",
                    reason_english(reading->arena, reading->reason));
    if (reading->status == READING_COMPLETE && reading->measurements.count + reading->facts.count == 0 &&
        reading->findings.count == 0)
        text_printf(wrong, "%scomplete without any content", wrong->length > 0 ? "; " : "");
    (void)truncated;
}

/* Whether the row of parsers.def names each version that the index does, where that is one: "535.54.03", "1.1 era". */
static void check_version(const struct parser *parser, struct slice cells[COLUMNS], struct text *wrong)
{
    struct slice rest = cells[VERSION], word;
    const char *known = parser_samples(parser)->versions;

    while (scan_word(&rest, &word)) {
        struct slice digits = word;
        uint64_t number;
        char text[64];

        if (!scan_digits(&digits, &number) || !scan_text(&digits, ".") || !scan_digits(&digits, &number))
            continue;
        snprintf(text, sizeof text, "%.*s", (int)(word.length - digits.length), word.bytes);
        if (strstr(known, text) == NULL)
            text_printf(wrong, "%sversion %s is not in parsers.def", wrong->length > 0 ? "; " : "", text);
    }
}

static void check_file(const char *root, struct slice *cells, size_t folder)
{
    const struct parser *parser = parser_find(folders[folder].parser);
    struct arena *arena = arena_create();
    char *path = mem_printf("%s/%.*s", root, slice_print(cells[0]));
    cleanup_text struct text input = {0}, wrong = {0}, breach = {0};
    struct error err = {0};
    struct reading reading;
    int result;
    struct json *facts = json_parse(arena, "index.tsv", cells[FACTS].bytes, cells[FACTS].length, &err);

    text_init(&input, MAX_BYTES);
    text_init(&wrong, MAX_BYTES);
    text_init(&breach, MAX_BYTES);
    if (facts == NULL || file_read(path, &input, &err) < 0) {
        tap_case(false, err.text, "%.*s can be read", slice_print(cells[0]));
    } else {
        parser_run(parser, (struct slice){input.bytes, input.length}, arena, &reading);
        wrong_facts = 0;
        folders[folder].check(path, facts, &reading, &wrong);
        tally[folder].files++;
        tally[folder].facts += (unsigned)facts->count;
        tally[folder].wrong += wrong_facts;
        check_status(cells[TRUNCATED], &reading, &wrong);
        check_version(parser, cells, &wrong);
        tap_case(wrong.length == 0, wrong.bytes, "%.*s: every fact is read (%s)", slice_print(cells[0]),
                 reading_status_name(reading.status));
        result = check_cuts(parser, (struct slice){input.bytes, input.length},
                            (struct cut_places){.step = input.length / CUTS + 1}, false, &breach);
        tap_case(result == 0, breach.bytes, "%.*s: cut anywhere never says anything else",
                 slice_print(cells[0]));
    }
    free(path);
    arena_destroy(arena);
}

static void check_row(const char *root, struct slice row)
{
    struct slice cells[COLUMNS];

    for (size_t i = 0; i < COLUMNS; i++) {
        const char *tab = row.length > 0 ? memchr(row.bytes, '\t', row.length) : NULL;
        size_t length = tab != NULL ? (size_t)(tab - row.bytes) : row.length;

        cells[i] = (struct slice){row.bytes, length};
        row = slice_from(row, length + (tab != NULL));
    }
    for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
        if (folder_is(cells[0], folders[i].folder)) {
            check_file(root, cells, i);
            return;
        }
    tap_case(false, "no row of fixtures.def has it", "%.*s is read by a parser", slice_print(cells[0]));
}

static void print_summary(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
        printf("# %s (%s): %u files, %u facts, %u wrong\n", folders[i].parser, folders[i].folder,
               tally[i].files, tally[i].facts, tally[i].wrong);
}

static char *fixtures_root(void)
{
    const char *given = getenv("ASSAY_FIXTURES"), *source = getenv("ASSAY_SOURCE_ROOT");

    return given != NULL ? mem_strdup(given)
                         : mem_printf("%s/../shared/fixtures", source != NULL ? source : ".");
}

int main(void)
{
    char *root = fixtures_root(), *index_path = mem_printf("%s/index.tsv", root);
    cleanup_text struct text index = {0};
    struct error err = {0};
    struct slice rest, row;

    text_init(&index, MAX_BYTES);
    if (getenv("ASSAY_FIXTURES") == NULL && !file_exists(index_path)) {
        tap_skip("set ASSAY_FIXTURES to the folder that holds them",
                 "real outputs of the tools are read right");
    } else if (file_read(index_path, &index, &err) < 0) {
        tap_case(false, err.text, "the index of the real outputs can be read");
    } else {
        rest = (struct slice){index.bytes, index.length};
        for (bool header = true; scan_line(&rest, &row); header = false)
            if (!header)
                check_row(root, row);
        print_summary();
    }
    free(index_path);
    free(root);
    return tap_finish();
}

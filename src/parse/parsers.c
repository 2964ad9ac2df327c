/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/parse/parser.h"
#include "assay/reasons/parse.h"

#include <fnmatch.h>
#include <string.h>

#include "frame.h"

#define PARSER(name, versions, goldens) extern const struct parser parse_##name;
#include "parsers.def"
#undef PARSER

static const struct parser *const parsers[] = {
#define PARSER(name, versions, goldens) &parse_##name,
#include "parsers.def"
#undef PARSER
};

static const struct parser_samples samples[] = {
#define PARSER(name, versions, goldens) {versions, goldens},
#include "parsers.def"
#undef PARSER
};

enum { PARSER_COUNT = ARRAY_SIZE(parsers) };

const struct parser *parser_find(const char *name)
{
    for (size_t i = 0; i < PARSER_COUNT; i++)
        if (strcmp(parsers[i]->name, name) == 0)
            return parsers[i];
    return NULL;
}

const struct parser *const *parser_list(size_t *ret_count)
{
    *ret_count = PARSER_COUNT;
    return parsers;
}

const struct parser_samples *parser_samples(const struct parser *parser)
{
    size_t i = 0;

    while (parsers[i] != parser)
        i++;
    return &samples[i];
}

/* Nearly all rows differ before their first '*': only what is left of the others is a pattern. */
static bool is_called(const char *pattern, const char *name)
{
    while (*pattern == *name && *pattern != '*' && *pattern != '\0') {
        pattern++;
        name++;
    }
    return *pattern == '*' ? fnmatch(pattern, name, 0) == 0 : *pattern == *name;
}

const struct metric *metric_find(const char *name)
{
    for (size_t i = 0; i < PARSER_COUNT; i++)
        for (const struct metric *metric = parsers[i]->metrics; metric != NULL && metric->name != NULL;
             metric++)
            if (is_called(metric->name, name))
                return metric;
    return NULL;
}

struct slice parser_document(struct source *source)
{
    struct slice bytes = source_peek(source, PARSER_DOCUMENT_BYTES + 1);

    if (bytes.length > PARSER_DOCUMENT_BYTES) {
        source->is_lossy = true;
        bytes.length = PARSER_DOCUMENT_BYTES;
    }
    return bytes;
}

static void run(const struct parser *parser, struct source *source, struct arena *arena,
                struct reading *ret_reading)
{
    reading_init(ret_reading, arena, parser->name);
    reading_whole(ret_reading);
    if (parser->grammar != NULL)
        frame_read(parser->grammar, source, ret_reading);
    else if (parser->stream != NULL)
        parser->stream(source, ret_reading);
    else
        parser->parse(parser_document(source), ret_reading);
    if (source->is_lossy)
        reading_lacks(ret_reading, REASON(not_read_in_full));
    reading_settle(ret_reading);
}

void parser_run(const struct parser *parser, struct slice bytes, struct arena *arena,
                struct reading *ret_reading)
{
    cleanup_source struct source source = {0};

    source_of_slice(&source, bytes);
    run(parser, &source, arena, ret_reading);
}

int parser_run_source(const struct parser *parser, struct source *source, struct arena *arena,
                      struct reading *ret_reading, struct error *err)
{
    run(parser, source, arena, ret_reading);
    if (source->failure != 0)
        return error_set(err, ERROR_USAGE, "%s", strerror(source->failure));
    return 0;
}

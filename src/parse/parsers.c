/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/parser.h"

#include <fnmatch.h>
#include <string.h>

#define PARSER(name) extern const struct parser parse_##name;
#include "parsers.def"
#undef PARSER

static const struct parser *const parsers[] = {
#define PARSER(name) &parse_##name,
#include "parsers.def"
#undef PARSER
    NULL,
};

enum { PARSER_COUNT = sizeof parsers / sizeof parsers[0] - 1 };

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

const struct metric *metric_find(const char *name)
{
    for (size_t i = 0; i < PARSER_COUNT; i++)
        for (const struct metric *metric = parsers[i]->metrics; metric->name != NULL; metric++)
            if (fnmatch(metric->name, name, 0) == 0)
                return metric;
    return NULL;
}

void parser_run(const struct parser *parser, struct slice bytes, struct arena *arena,
                struct reading *ret_reading)
{
    reading_init(ret_reading, arena, parser->name);
    parser->parse(bytes, ret_reading);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/suite.h"

#include <math.h>
#include <string.h>

#include "assay/base/options.h"
#include "suite_private.h"

bool size_parse(const char *text, double *ret_bytes)
{
    static const struct {
        char letter;
        double bytes;
    } units[] = {{'\0', 1}, {'K', 1024.0}, {'M', 1048576.0}, {'G', 1073741824.0}};
    struct slice rest = slice_of(text);
    uint64_t number;

    if (!scan_digits(&rest, &number) || number == 0 || rest.length > 1)
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
        double bytes = (double)number * units[i].bytes;

        if (units[i].letter != (rest.length > 0 ? rest.bytes[0] : '\0'))
            continue;
        if (bytes > 9007199254740992.0) /* 2^53 */
            return false;
        *ret_bytes = bytes;
        return true;
    }
    return false;
}

const char *room_text(struct arena *arena, double mib)
{
    return fabs(mib) >= 1024 ? arena_printf(arena, "%.1f GiB", mib / 1024)
                             : arena_printf(arena, "%.0f MiB", mib);
}

const char *size_text(struct arena *arena, double bytes)
{
    static const char letters[] = "GMK";
    double unit = 1073741824.0;

    for (size_t i = 0; letters[i] != '\0'; i++, unit /= 1024)
        if (bytes >= unit && fmod(bytes, unit) == 0)
            return arena_printf(arena, "%.0f%c", bytes / unit, letters[i]);
    return arena_printf(arena, "%.0f", bytes);
}

static int read_sizes(struct arena *arena, const struct json *sizes, struct suite_step *step,
                      struct error *err)
{
    double bytes;
    int result = 0;

    json_each (size, sizes) {
        if (!size_parse(size->string, &bytes))
            result = json_error_add(
                err, size,
                "sizes_judged holds \"%s\"; expected a message size such as \"8G\", at most 2^53 bytes",
                size->string);
        *list_push(arena, &step->sizes_judged) = size->string;
    }
    return result;
}

static const struct suite_step *find_step(const struct suite *suite, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(suite->steps.items[i].name, name) == 0)
            return &suite->steps.items[i];
    return NULL;
}

const struct suite_step *suite_step_find(const struct suite *suite, const char *name)
{
    return find_step(suite, suite->steps.count, name);
}

bool suite_step_before(const struct suite_step *one, const struct suite_step *other)
{
    return one->last != other->last ? other->last : one < other;
}

/* Only earlier steps can be needed, so needs never run in a circle. */
static int read_needs(struct arena *arena, const struct suite *suite, const struct json *needs,
                      struct suite_step *step, struct error *err)
{
    size_t earlier = suite->steps.count - 1;
    int result = 0;

    json_each (need, needs) {
        const struct suite_step *needed = find_step(suite, earlier, need->string);
        const char **names = arena_array(arena, const char *, earlier + 1), *near;

        for (size_t i = 0; i < earlier; i++)
            names[i] = suite->steps.items[i].name;
        if (needed == NULL) {
            near = nearest_word(need->string, names, earlier);
            result =
                json_error_add(err, need, "step \"%s\" needs \"%.80s\", which is not a step before it%s%s%s",
                               step->name, need->string, near != NULL ? "; did you mean \"" : "",
                               near != NULL ? near : "", near != NULL ? "\"?" : "");
        } else if (needed->variants.count > 0) {
            result =
                json_error_add(err, need,
                               "step \"%s\" needs \"%.80s\", which has variants: it only advises, and passes "
                               "nothing that could be needed",
                               step->name, need->string);
        }
        *list_push(arena, &step->needs) = need->string;
        *list_push(arena, &step->needs_at) = need;
    }
    return result;
}

static int read_limits(struct arena *arena, const struct json *limits, struct suite_step *step,
                       struct error *err)
{
    int result = 0;

    json_each (object, limits)
        if (limit_from_json(arena, object, 0, list_push(arena, &step->limits), err) < 0)
            result = -1;
    return result;
}

/* Whose hosts come together, where the scope leaves it open. */
static const struct by_words {
    const char *scope, *words[5], *expected;
} by_words[] = {
    {"pair", {"ring", "disjoint"}, "\"ring\" or \"disjoint\""},
    {"group",
     {"unit", "rack", "leaf", "leaves", "rail"},
     "\"unit\", \"rack\", \"leaf\", \"leaves\", \"rail\", or how many hosts each, at least 2"},
    {"cluster", {"leaves"}, "\"leaves\", or no by"},
    {"host", {"line"}, "\"line\", or no by"},
};

static bool by_word_is_known(const struct by_words *row, const char *word)
{
    for (size_t i = 0; i < ARRAY_SIZE(row->words); i++)
        if (row->words[i] != NULL && strcmp(row->words[i], word) == 0)
            return true;
    return false;
}

static int wrong_by(const struct json *by, const char *expected, struct error *err)
{
    if (by->type == JSON_STRING)
        return json_error_add(err, by, "by is \"%.80s\"; expected %s", by->string, expected);
    return json_error_add(err, by, "by is %.0f; expected %s", by->number, expected);
}

static int read_by(const struct json *object, struct suite_step *step, struct error *err)
{
    const struct json *by = json_get(object, "by");
    const struct by_words *row = NULL;

    for (size_t i = 0; i < ARRAY_SIZE(by_words); i++)
        if (strcmp(by_words[i].scope, step->scope) == 0)
            row = &by_words[i];
    if (row == NULL) /* the schema has no other */
        return 0;
    if (by == NULL && strcmp(step->scope, "pair") == 0) {
        step->by = row->words[0];
        return 0;
    }
    if (by == NULL && strcmp(step->scope, "group") != 0)
        return 0;
    if (by == NULL)
        return json_error_add(err, object,
                              "step \"%s\" has scope \"group\" and no \"by\", which says whose hosts come "
                              "together; expected %s",
                              step->name, row->expected);
    if (by->type == JSON_STRING && by_word_is_known(row, by->string)) {
        step->by = by->string;
        return 0;
    }
    if (by->type == JSON_STRING || strcmp(step->scope, "group") != 0 || by->number < 2)
        return wrong_by(by, row->expected, err);
    step->by = "size";
    step->by_size = (unsigned)by->number;
    return 0;
}

/* So many tell a small difference from noise. */
enum { REPEAT_VARIANTS = 5 };

/* What is not said is as it stands in ret_peers. */
static int read_peers(const struct json *given, struct suite_peers *ret_peers, struct error *err)
{
    if (given == NULL)
        return 0;
    ret_peers->off = given->type == JSON_BOOL && !given->boolean;
    ret_peers->remark = json_number(given, "remark", ret_peers->remark);
    ret_peers->fail = json_number(given, "fail", ret_peers->fail);
    if (ret_peers->fail < ret_peers->remark)
        return json_error_add(err, given,
                              "peers fail at %g and are remarked at %g; expected fail at that or more",
                              ret_peers->fail, ret_peers->remark);
    return 0;
}

/* Two ways to say how often, of which one would silently not be done. */
static int check_repeat_for(const struct json *object, const char *name, struct error *err)
{
    static const char *const others[] = {"repeat", "retests", "variants"};

    for (size_t i = 0; json_get(object, "repeat_for_s") != NULL && i < ARRAY_SIZE(others); i++)
        if (json_get(object, others[i]) != NULL)
            return json_error_add(err, json_get(object, others[i]),
                                  "step \"%s\" has \"repeat_for_s\" and \"%s\"; expected one of them", name,
                                  others[i]);
    return 0;
}

static int read_step(struct arena *arena, struct suite *suite, const struct json *object, struct error *err)
{
    struct suite_step *step = list_push(arena, &suite->steps);
    const struct suite_step *twin;
    bool sound = true;

    *step = (struct suite_step){
        .check = json_string(object, "check", ""),
        .scope = json_string(object, "scope", "host"),
        .arguments = json_get(object, "arguments"),
        .when = json_get(object, "when"),
        .timeout_s = (unsigned)json_number(object, "timeout_s", 0),
        .expected_s = (unsigned)json_number(object, "expected_s", 0),
        .retries = (unsigned)json_number(object, "retries", 1),
        .repeat = (unsigned)json_number(object, "repeat",
                                        json_get(object, "variants") != NULL ? REPEAT_VARIANTS : 1),
        .repeat_for_s = (unsigned)json_number(object, "repeat_for_s", 0),
        .retests = (unsigned)json_number(object, "retests", 0),
        .isolate = json_boolean(object, "isolate", true),
        .last = json_boolean(object, "last", false),
        .peers = suite->peers,
        .exclusive = json_string(object, "exclusive", NULL),
        .at = object,
    };
    step->name = json_string(object, "name", step->check);
    twin = find_step(suite, suite->steps.count - 1, step->name);
    if (twin != NULL)
        sound = json_error_add(err, object,
                               "step \"%s\" appears twice, first on line %u; expected a \"name\" of its own",
                               step->name, twin->at->line) == 0;
    read_strings(arena, json_get(object, "gate"), &step->gate);
    read_strings(arena, json_get(object, "record"), &step->record);
    read_strings(arena, json_get(object, "record_without_limit"), &step->record_without_limit);
    sound &= check_repeat_for(object, step->name, err) == 0;
    sound &= read_by(object, step, err) == 0;
    sound &= read_peers(json_get(object, "peers"), &step->peers, err) == 0;
    sound &= read_needs(arena, suite, json_get(object, "needs"), step, err) == 0;
    sound &= read_limits(arena, json_get(object, "limits"), step, err) == 0;
    sound &= suite_variants_read(arena, object, step, err) == 0;
    sound &= read_sizes(arena, json_get(object, "sizes_judged"), step, err) == 0;
    return sound ? 0 : -1;
}

static void read_tools(struct arena *arena, const struct json *tools, struct suite *suite)
{
    json_each (object, tools) {
        struct suite_tool *tool = list_push(arena, &suite->tools);

        tool->name = object->key;
        tool->path = json_string(object, "path", object->key);
        tool->folder = json_string(object, "folder", NULL);
        read_variables(arena, json_get(object, "environment"), &tool->environment);
    }
}

static const double peers_remark = 0.05, peers_fail = 0.10;

/* GPUs at rest are well below this and under load above it, so it tells the one from the other. */
enum { COOL_BELOW_C = 60, COOL_WITHIN_S = 600 };

static const struct suite *read_suite(struct arena *arena, const char *path, const struct json *document,
                                      struct slice bytes, struct error *err)
{
    struct suite *suite = arena_new(arena, struct suite);
    const struct json *cool_down = json_get(document, "cool_down");
    bool sound;

    *suite = (struct suite){
        .path = arena_strdup(arena, path),
        .name = json_string(document, "name", ""),
        .title = json_string(document, "title", ""),
        .delivery = strcmp(json_string(document, "purpose", "trial"), "delivery") == 0,
        .platform = json_string(document, "platform", NULL),
        .cool_below_c = json_number(cool_down, "below_c", COOL_BELOW_C),
        .cool_within_s = (unsigned)json_number(cool_down, "within_s", COOL_WITHIN_S),
        .peers = {.remark = peers_remark, .fail = peers_fail},
        .bytes = bytes,
    };
    sound = read_peers(json_get(document, "peers"), &suite->peers, err) == 0;
    read_strings(arena, json_get(document, "advisories"), &suite->advisories);
    read_strings(arena, json_get(document, "search_path"), &suite->search_path);
    read_variables(arena, json_get(document, "environment"), &suite->environment);
    read_tools(arena, json_get(document, "tools"), suite);
    sound &= suite_launcher_read(arena, json_get(document, "launcher"), &suite->launcher, err) == 0;
    json_each (step, json_get(document, "steps"))
        sound &= read_step(arena, suite, step, err) == 0;
    return sound ? suite : NULL;
}

const struct suite *suite_load(struct arena *arena, const char *name, struct error *err)
{
    struct slice bytes;
    const struct json *document = document_load(arena, "suites", name, "suite", &bytes, err);

    return document != NULL ? read_suite(arena, name, document, bytes, err) : NULL;
}

const struct suite *suite_parse(struct arena *arena, const char *file, struct slice bytes, struct error *err)
{
    const struct json *document = document_parse(arena, file, bytes, "suite", err);
    struct slice copy = {arena_strndup(arena, bytes.bytes, bytes.length), bytes.length};

    return document != NULL ? read_suite(arena, file, document, copy, err) : NULL;
}

const struct suite_tool *suite_tool(struct arena *arena, const struct suite *suite, const char *name)
{
    struct suite_tool *tool;

    for (size_t i = 0; i < suite->tools.count; i++)
        if (strcmp(suite->tools.items[i].name, name) == 0)
            return &suite->tools.items[i];
    tool = arena_new(arena, struct suite_tool);
    tool->name = tool->path = arena_strdup(arena, name);
    return tool;
}

bool suite_step_is_needed(const struct suite *suite, const char *name)
{
    for (size_t i = 0; i < suite->steps.count; i++) {
        const struct suite_step *step = &suite->steps.items[i];

        for (size_t k = 0; strcmp(step->scope, "host") != 0 && k < step->needs.count; k++)
            if (strcmp(step->needs.items[k], name) == 0)
                return true;
    }
    return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/plan/preflight.h"

#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/check/check.h"
#include "assay/model/hostfile.h"
#include "assay/reasons/plan.h"

enum { SUITE_BYTES = 4 << 20, NAMES_BYTES = 64 * 1024 };

struct needed {
    const char *name, *platforms; /* "hgx-a100 hgx-h100" */
};

struct preflight {
    struct arena *arena;
    const struct plan_sources *sources;
    const struct plan *plan;
    LIST_OF(struct needed) tools;
    bool root, wide; /* some step needs root; some step is over several hosts */
    struct json_writer writer;
};

/* -- What the suite needs -- */

static bool has_word(const char *words, const char *word)
{
    struct slice rest = slice_of(words), next;

    while (scan_word(&rest, &next))
        if (slice_equal(next, word))
            return true;
    return false;
}

static void need_tool(struct preflight *preflight, const char *name, const char *platform)
{
    struct needed *needed = NULL;

    for (size_t i = 0; i < preflight->tools.count && needed == NULL; i++)
        if (strcmp(preflight->tools.items[i].name, name) == 0)
            needed = &preflight->tools.items[i];
    if (needed == NULL) {
        needed = list_push(preflight->arena, &preflight->tools);
        *needed = (struct needed){arena_strdup(preflight->arena, name), ""};
    }
    if (!has_word(needed->platforms, platform))
        needed->platforms = arena_printf(preflight->arena, "%s%s%s", needed->platforms,
                                         *needed->platforms != '\0' ? " " : "", platform);
}

static void look_at_step(struct preflight *preflight, const struct step *step)
{
    cleanup_arena struct arena *scratch = arena_create();
    struct tool_list tools = {0};
    struct check_context context;

    plan_context(scratch, preflight->sources, step, &context);
    check_tools_named(&context, &tools);
    for (size_t i = 0; i < tools.names.count; i++)
        need_tool(preflight, tools.names.items[i], step->shape->platform);
    preflight->root |= step->shape->as_root;
    preflight->wide |= step->member_count > 1;
}

/* Steps of one shape run the same. */
static void look_at_plan(struct preflight *preflight)
{
    const struct plan *plan = preflight->plan;
    const struct shape *last = NULL;

    list_each (step, plan->steps) {
        if (step->shape != last && step->origin != ORIGIN_LEFT_OUT)
            look_at_step(preflight, step);
        last = step->shape;
    }
}

/* -- The document -- */

static void copy_members(struct json_writer *writer, const struct json *object, const char *const *keys)
{
    for (; *keys != NULL; keys++) {
        const struct json *value = json_get(object, *keys);

        if (value == NULL)
            continue;
        json_key(writer, *keys);
        json_put(writer, value);
    }
}

/* NULL: the suite does not have it. */
static const struct json *own_step(const struct preflight *preflight, const char *check)
{
    const struct suite *suite = preflight->sources->suite;

    for (size_t i = 0; i < suite->steps.count; i++)
        if (strcmp(suite->steps.items[i].check, check) == 0)
            return suite->steps.items[i].at;
    return NULL;
}

/* A step that needs a login only; with what the suite itself says of that check. It stays open. */
static void open_step(struct preflight *preflight, const char *check)
{
    static const char *const kept[] = {"arguments", "gate",       "record",    "record_without_limit",
                                       "limits",    "expected_s", "timeout_s", NULL};
    struct json_writer *writer = &preflight->writer;

    json_open_object(writer);
    json_member(writer, "check", check);
    if (strcmp(check, "reachable") != 0) {
        json_member_array(writer, "needs");
        json_put_string(writer, "reachable");
        json_close_array(writer);
    }
    copy_members(writer, own_step(preflight, check), kept);
}

static void put_step(struct preflight *preflight, const char *check)
{
    open_step(preflight, check);
    json_close_object(&preflight->writer);
}

static const char *names_of_hosts(const struct preflight *preflight, const struct reason **ret_note)
{
    const struct plan *plan = preflight->plan;
    const char **names = arena_array(preflight->arena, const char *, plan->hosts.count);
    size_t bytes = 0;

    *ret_note = NULL;
    for (size_t i = 0; i < plan->hosts.count; i++) {
        names[i] = plan->hosts.items[i]->mpi_address;
        bytes += strlen(names[i]) + 3;
    }
    if (bytes <= NAMES_BYTES)
        return hostlist_fold(preflight->arena, names, plan->hosts.count);
    *ret_note = REASON(names_not_asked);
    return NULL;
}

static void put_setup(struct preflight *preflight, const struct reason **ret_note)
{
    const char *names = preflight->wide ? names_of_hosts(preflight, ret_note) : NULL;

    open_step(preflight, "setup");
    if (names != NULL && json_get(own_step(preflight, "setup"), "arguments") == NULL) {
        json_member_object(&preflight->writer, "arguments");
        json_member_array(&preflight->writer, "names");
        json_put_string(&preflight->writer, names);
        json_close_array(&preflight->writer);
        json_close_object(&preflight->writer);
    }
    json_close_object(&preflight->writer);
}

static void put_tools(struct preflight *preflight)
{
    if (preflight->tools.count == 0)
        return;
    open_step(preflight, "tools");
    if (own_step(preflight, "tools") == NULL) {
        json_member_object(&preflight->writer, "arguments");
        json_member_object(&preflight->writer, "tools");
        for (size_t i = 0; i < preflight->tools.count; i++)
            json_member(&preflight->writer, preflight->tools.items[i].name,
                        preflight->tools.items[i].platforms);
        json_close_object(&preflight->writer);
        json_close_object(&preflight->writer);
    }
    json_close_object(&preflight->writer);
}

static void put_launch(struct preflight *preflight)
{
    if (!preflight->wide)
        return;
    open_step(preflight, "mpi-launch");
    json_member(&preflight->writer, "scope", "cluster");
    json_close_object(&preflight->writer);
}

const char *preflight_suite(struct arena *arena, const struct plan_sources *sources, const struct plan *plan,
                            const struct reason **ret_note)
{
    static const char *const kept[] = {"platform", "search_path", "environment", "tools", "launcher", NULL};
    struct preflight preflight = {.arena = arena, .sources = sources, .plan = plan};
    const struct suite *suite = sources->suite;
    struct error err;
    const struct json *document =
        json_parse(arena, suite->path, suite->bytes.bytes, suite->bytes.length, &err);
    cleanup_text struct text out = {0};

    *ret_note = NULL;
    look_at_plan(&preflight);
    text_init(&out, SUITE_BYTES);
    json_writer_init(&preflight.writer, &out, false);
    json_open_object(&preflight.writer);
    json_member(&preflight.writer, "name", PREFLIGHT_SUITE);
    json_member(&preflight.writer, "title",
                arena_printf(arena, "What the suite %s needs on every host", suite->name));
    json_member(&preflight.writer, "purpose", "preflight");
    copy_members(&preflight.writer, document, kept);
    json_member_array(&preflight.writer, "steps");
    put_step(&preflight, "reachable");
    if (preflight.root)
        put_step(&preflight, "privilege");
    put_step(&preflight, "os");
    put_setup(&preflight, ret_note);
    put_step(&preflight, "monitors");
    put_step(&preflight, "gpu-inventory");
    put_step(&preflight, "driver");
    put_tools(&preflight);
    put_launch(&preflight);
    json_close_array(&preflight.writer);
    json_close_object(&preflight.writer);
    return arena_strndup(arena, out.bytes, out.length);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What was chosen, as a suite: the menu's own text, with fewer steps and another purpose. */
#include <string.h>

#include "assay/app/tonight.h"
#include "assay/base/json.h"
#include "assay/base/nearest.h"

/* Said anew, or, as the schema's place, not true of another file. */
static bool is_own(const char *key)
{
    static const char *const own[] = {"$schema", "name", "title", "note", "purpose", "steps"};

    return word_is_among(key, own, ARRAY_SIZE(own));
}

/* With all that it needs, also what this platform has no such thing for: who needs it names it. */
static bool is_chosen(const struct periodic_fleet *fleet, periodic_set tests, const char *step)
{
    for (periodic_set rest = tests; rest != 0; rest &= rest - 1)
        tests |= fleet->tests.items[__builtin_ctzll(rest)].needs;
    for (; tests != 0; tests &= tests - 1)
        if (strcmp(fleet->tests.items[__builtin_ctzll(tests)].step, step) == 0)
            return true;
    return false;
}

static void put_steps(struct json_writer *json, const struct suite *menu, const struct periodic_fleet *fleet,
                      periodic_set tests)
{
    json_member_array(json, "steps");
    for (size_t i = 0; i < menu->steps.count; i++)
        if (is_chosen(fleet, tests, menu->steps.items[i].name))
            json_put(json, menu->steps.items[i].at);
    json_close_array(json);
}

int tonight_suite(struct arena *arena, const struct suite *menu, const struct periodic_fleet *fleet,
                  periodic_set tests, const char *name, struct text *out, struct error *err)
{
    const struct json *document = json_parse(arena, menu->path, menu->bytes.bytes, menu->bytes.length, err);
    struct json_writer json;

    if (document == NULL)
        return -1;
    json_writer_init(&json, out, false);
    json_open_object(&json);
    json_member(&json, "name", name);
    json_member(&json, "title",
                arena_printf(arena, "Chosen from suite %s by assay periodic plan", menu->name));
    json_member(&json, "purpose", "periodic");
    json_each (member, document)
        if (!is_own(member->key)) {
            json_key(&json, member->key);
            json_put(&json, member);
        }
    put_steps(&json, menu, fleet, tests);
    json_close_object(&json);
    text_put(out, "\n");
    return 0;
}

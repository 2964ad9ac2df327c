/* SPDX-License-Identifier: Apache-2.0 */
/* Which programs a suite has run in place of those that the hosts' PATH and the built-in delivery find, and with which
   variables: what they print is judged, whoever put them there. */
#include <string.h>

#include "concessions.h"

struct programs {
    struct arena *arena;
    struct concessions *found;
};

static void tell(struct programs *programs, const char *what, const char *name)
{
    *list_push(programs->arena, &programs->found->programs) =
        arena_printf(programs->arena, "%s %s", what, name);
}

static void tell_folders(struct programs *programs, const struct suite *own, const struct suite *whole)
{
    for (size_t i = 0; i < own->search_path.count; i++) {
        bool known = false;

        for (size_t k = 0; k < whole->search_path.count; k++)
            known |= strcmp(own->search_path.items[i], whole->search_path.items[k]) == 0;
        if (!known)
            tell(programs, "search_path", own->search_path.items[i]);
    }
}

static void tell_variables(struct programs *programs, const struct suite_variable *own, size_t own_count,
                           const struct suite_variable *whole, size_t whole_count)
{
    for (size_t i = 0; i < own_count; i++) {
        bool known = false;

        for (size_t k = 0; k < whole_count; k++)
            known |= strcmp(own[i].name, whole[k].name) == 0 && strcmp(own[i].value, whole[k].value) == 0;
        if (!known)
            tell(programs, "environment", own[i].name);
    }
}

static void tell_tools(struct programs *programs, const struct suite *own, const struct suite *whole)
{
    list_each (tool, own->tools) {
        const struct suite_tool *other = suite_tool(programs->arena, whole, tool->name);

        if (!is_same_word(tool->path, other->path) || !is_same_word(tool->folder, other->folder))
            tell(programs, "tools", tool->name);
        tell_variables(programs, tool->environment.items, tool->environment.count, other->environment.items,
                       other->environment.count);
    }
}

void concessions_of_programs(struct arena *arena, const struct suite *suite, const struct suite *whole,
                             struct concessions *concessions)
{
    struct programs programs = {arena, concessions};
    const struct suite_launcher *own = &suite->launcher, *other = &whole->launcher;

    tell_folders(&programs, suite, whole);
    tell_tools(&programs, suite, whole);
    if (!is_same_word(own->program, other->program))
        tell(&programs, "launcher", own->program);
    tell_variables(&programs, suite->environment.items, suite->environment.count, whole->environment.items,
                   whole->environment.count);
    tell_variables(&programs, own->environment.items, own->environment.count, other->environment.items,
                   other->environment.count);
}

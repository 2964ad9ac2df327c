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

/* Those of a list that the built-in suite's has not. */
static void tell_words(struct programs *programs, const char *what, const char *const *own, size_t own_count,
                       const char *const *whole, size_t whole_count)
{
    for (size_t i = 0; i < own_count; i++) {
        bool known = false;

        for (size_t k = 0; k < whole_count; k++)
            known |= strcmp(own[i], whole[k]) == 0;
        if (!known)
            tell(programs, what, own[i]);
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

static void tell_word(struct programs *programs, const char *what, const char *own, const char *other)
{
    if (own != NULL && !is_same_word(own, other))
        tell(programs, what, own);
}

/* Words that may have another program run, or variables set: `-x`, `--prefix`, `-mca plm_rsh_agent`. */
static void tell_launcher(struct programs *programs, const struct suite_launcher *own,
                          const struct suite_launcher *other)
{
    tell_word(programs, "launcher", own->program, other->program);
    tell_word(programs, "launcher.prefix", own->prefix, other->prefix);
    tell_word(programs, "launcher.agent", own->agent, other->agent);
    tell_word(programs, "launcher.topology_file", own->topology_file, other->topology_file);
    tell_words(programs, "launcher.flags", own->flags.items, own->flags.count, other->flags.items,
               other->flags.count);
    tell_words(programs, "launcher.agent_arguments", own->agent_arguments.items, own->agent_arguments.count,
               other->agent_arguments.items, other->agent_arguments.count);
    tell_variables(programs, own->environment.items, own->environment.count, other->environment.items,
                   other->environment.count);
}

void concessions_of_programs(struct arena *arena, const struct suite *suite, const struct suite *whole,
                             struct concessions *concessions)
{
    struct programs programs = {arena, concessions};

    tell_words(&programs, "search_path", suite->search_path.items, suite->search_path.count,
               whole->search_path.items, whole->search_path.count);
    tell_tools(&programs, suite, whole);
    tell_variables(&programs, suite->environment.items, suite->environment.count, whole->environment.items,
                   whole->environment.count);
    tell_launcher(&programs, &suite->launcher, &whole->launcher);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "contract_names.h"

#include <string.h>

enum { FIRST_CAPACITY = 1024 };

static bool same_clause(const struct clause *a, const struct clause *b)
{
    return strcmp(a->slot->metric, b->slot->metric) == 0 && a->slot->size_bytes == b->slot->size_bytes &&
           strcmp(a->shape->platform, b->shape->platform) == 0 &&
           strcmp(a->shape->scope, b->shape->scope) == 0 && a->shape->hosts == b->shape->hosts &&
           a->shape->racks == b->shape->racks &&
           (a->shape->racks < 2 || a->shape->rack_hosts == b->shape->rack_hosts);
}

static bool same_subject(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* FNV-1a */
static size_t add_text(size_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * (size_t)1099511628211ULL;
    return hash * (size_t)1099511628211ULL;
}

/* Of what same_clause looks at; what is left out of it costs time only. */
static size_t hash_of(const struct clause *clause, const char *subject)
{
    size_t hash = add_text((size_t)14695981039346656037ULL, clause->slot->metric);

    hash = add_text(hash, clause->shape->platform);
    hash = add_text(hash, clause->shape->scope);
    hash = add_text(hash, subject != NULL ? subject : "\n");
    hash = (hash ^ clause->shape->hosts) * (size_t)1099511628211ULL;
    return (hash ^ (size_t)clause->slot->size_bytes) * (size_t)1099511628211ULL;
}

/* Where it is, or where it would be. */
static struct clause_name **find(const struct clause_names *names, size_t hash, const struct clause *clause,
                                 const char *subject)
{
    size_t at = (hash ^ hash >> 32) & (names->capacity - 1);

    while (names->slots[at] != NULL &&
           !(names->slots[at]->hash == hash && same_subject(names->slots[at]->subject, subject) &&
             same_clause(&names->slots[at]->clause, clause)))
        at = (at + 1) & (names->capacity - 1);
    return &names->slots[at];
}

static void grow(struct arena *arena, struct clause_names *names)
{
    struct clause_names larger = {.count = names->count,
                                  .capacity = names->capacity > 0 ? 2 * names->capacity : FIRST_CAPACITY};

    larger.slots = arena_array(arena, struct clause_name *, larger.capacity);
    for (size_t i = 0; i < names->capacity; i++)
        if (names->slots[i] != NULL)
            *find(&larger, names->slots[i]->hash, &names->slots[i]->clause, names->slots[i]->subject) =
                names->slots[i];
    *names = larger;
}

struct clause_name *clause_name_of(struct arena *arena, struct clause_names *names,
                                   const struct clause *clause, const char *subject)
{
    size_t hash = hash_of(clause, subject);
    struct clause_name **found;

    if (2 * names->count >= names->capacity)
        grow(arena, names);
    found = find(names, hash, clause, subject);
    if (*found == NULL) {
        *found = arena_new(arena, struct clause_name);
        **found = (struct clause_name){.clause = *clause, .subject = subject, .hash = hash};
        names->count++;
    }
    return *found;
}

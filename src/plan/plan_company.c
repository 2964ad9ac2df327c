/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_private.h"

/* Steps over one host or two, each in the chain of its members' names, in whatever order those are. */
struct company {
    struct arena *arena;
    const struct plan *plan;
    size_t seen;          /* steps that are in it */
    size_t *first, mask;  /* of each chain: step + 1; 0: there is none */
    LIST_OF(size_t) next; /* of each step, likewise */
};

/* FNV-1a. */
static uint64_t hash_of(const char *name)
{
    uint64_t hash = 14695981039346656037u;

    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    return hash ^ hash >> 32;
}

static size_t chain_of(const struct company *company, const struct host *a, const struct host *b)
{
    return (size_t)(b != NULL ? hash_of(a->name) + hash_of(b->name) : hash_of(a->name)) & company->mask;
}

struct company *company_create(struct arena *arena, const struct plan *plan)
{
    struct company *company = arena_new(arena, struct company);
    size_t size = 1;

    while (size < plan->steps.count)
        size *= 2;
    *company = (struct company){.arena = arena, .plan = plan, .mask = size - 1};
    company->first = arena_array(arena, size_t, size);
    return company;
}

/* A plan only grows. */
static void catch_up(struct company *company)
{
    for (; company->seen < company->plan->steps.count; company->seen++) {
        const struct step *step = &company->plan->steps.items[company->seen];
        size_t *next = list_push(company->arena, &company->next), *first;

        *next = 0;
        if (step->member_count == 0 || step->member_count > 2)
            continue;
        first = &company->first[chain_of(company, step->members[0],
                                         step->member_count == 2 ? step->members[1] : NULL)];
        *next = *first;
        *first = company->seen + 1;
    }
}

size_t company_first(struct company *company, const struct host *a, const struct host *b)
{
    catch_up(company);
    return company->first[chain_of(company, a, b)];
}

size_t company_next(const struct company *company, size_t at)
{
    return company->next.items[at - 1];
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The run lifetime: everything that is built together and freed together. Nothing in an arena is freed alone.
 *
 * Running out of memory ends the program, here and in the mem_ functions, and nowhere else is it handled.
 * Sizes that come from outside are bounded by the caller before they reach this file.
 */
#ifndef ASSAY_ARENA_H
#define ASSAY_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena;

struct arena *arena_create(void);
/* Accepts NULL; returns NULL, so `arena = arena_destroy(arena)` is safe twice. */
struct arena *arena_destroy(struct arena *arena);
static inline void arena_destroy_pointed(struct arena **arena)
{
    (void)arena_destroy(*arena);
}
/* struct arena *, destroyed at the end of its scope. */
#define cleanup_arena __attribute__((cleanup(arena_destroy_pointed)))

/* All that is in it goes, and what memory it has serves what comes next: for work that is done again and again. */
void arena_clear(struct arena *arena);

/* Zeroed, aligned for any type. size 0 gives a valid pointer. */
void *arena_alloc(struct arena *arena, size_t size) __attribute__((returns_nonnull));
/* count items of so many bytes; where no memory could hold them, the program ends as it does without any. */
void *arena_alloc_array(struct arena *arena, size_t count, size_t item_size) __attribute__((returns_nonnull));
char *arena_strdup(struct arena *arena, const char *text) __attribute__((returns_nonnull));
char *arena_strndup(struct arena *arena, const char *bytes, size_t length) __attribute__((returns_nonnull));
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3), returns_nonnull, nonnull(2)));
/* "gpu0, gpu3" and "gpu5": "gpu0, gpu3, gpu5". The second only where the word does not stand there, and is one. */
const char *arena_add_word(struct arena *arena, const char *list, const char *word)
    __attribute__((returns_nonnull));
const char *arena_add_word_once(struct arena *arena, const char *list, const char *word)
    __attribute__((returns_nonnull));
/* Bytes handed out so far, for benches and limits. */
size_t arena_used(const struct arena *arena);

#define arena_new(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define arena_array(arena, type, count) ((type *)arena_alloc_array((arena), (count), sizeof(type)))

/* How many items an array has; what is only a pointer is refused by the compilers' warnings. */
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/*
 * A growable array in an arena: any struct { T *items; size_t count, capacity; }.
 * LIST_OF declares one; list_push gives a pointer to a new zeroed item. Growing copies, so a pointer to an
 * item is good until the next push.
 */
#define LIST_OF(type)           \
    struct {                    \
        type *items;            \
        size_t count, capacity; \
    }
#define list_push(arena, list)                                                               \
    ((__typeof__((list)->items))list_grow_((arena), (void **)&(list)->items, &(list)->count, \
                                           &(list)->capacity, sizeof *(list)->items))

/* Each item of an array, or of a list that does not grow meanwhile, to read. */
#define array_each(item, array, count)                                                      \
    for (const __typeof__(*(array)) *item = (count) > 0 ? &(array)[0] : NULL; item != NULL; \
         item = (size_t)(item - (array)) + 1 < (count) ? item + 1 : NULL)
#define list_each(item, list) array_each (item, (list).items, (list).count)

/* Room for exactly so many items, in a list that is empty. */
#define list_reserve(arena, list, most) \
    ((list)->items = arena_alloc_array((arena), (most), sizeof *(list)->items), (list)->capacity = (most))
/* A list that was gathered in another arena, which may go then; no longer than it is, where growing leaves as much
   again behind. */
#define list_settle(arena, list) \
    ((list)->items =             \
         list_settle_((arena), (list)->items, (list)->count, &(list)->capacity, sizeof *(list)->items))

void *list_settle_(struct arena *arena, const void *items, size_t count, size_t *capacity, size_t item_size);
void *list_grow_(struct arena *arena, void **items, size_t *count, size_t *capacity, size_t item_size)
    __attribute__((returns_nonnull));

/* Heap counterparts for live objects: they end the program instead of returning NULL. Free with free(). */
void *mem_alloc(size_t size) __attribute__((returns_nonnull)); /* zeroed */
void *mem_resize(void *pointer, size_t size) __attribute__((returns_nonnull));
char *mem_strdup(const char *text) __attribute__((returns_nonnull));
char *mem_printf(const char *format, ...) __attribute__((format(printf, 1, 2), returns_nonnull));

#endif
